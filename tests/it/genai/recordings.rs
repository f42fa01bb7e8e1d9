//! The replies that real providers sent, and what each of them holds.

use super::{
    Recording, collect,
    expected::{Expected, Holds, expectations},
    key, manifest, model, request,
    server::{Answer, Server},
};
use futures_util::future::join_all;
use picoflow::{
    genai::ProviderError,
    model::{ChatModel, ModelError, ModelReply},
};
use std::collections::BTreeSet;

/// What the adapter makes of a recording that comes in pieces of so many bytes, for each number.
async fn read(recording: &Recording, chunks: &[usize]) -> Vec<Result<ModelReply, ModelError>> {
    let whole = Answer::new(recording.status, &recording.content_type, recording.body());
    let answers = chunks.iter().map(|&chunk| whole.clone().in_chunks_of(chunk));
    let server = Server::start(answers).await;
    let model = model(recording, &server);
    let mut replies = Vec::new();
    for _ in chunks {
        let request = request(recording);
        if recording.transport == "unary" {
            replies.push(model.generate(request).await);
            continue;
        }
        let (shown, reply) = collect(model.stream(request)).await;
        if let Ok(reply) = &reply {
            assert_eq!(
                shown, reply.text,
                "{}: what was shown is not what was said",
                recording.file
            );
        }
        replies.push(reply);
    }
    let key = key(recording.protocol());
    assert!(server.asked().iter().all(|asked| asked.head.contains(key)), "{}", recording.file);
    replies
}

fn check(file: &str, expected: &Expected, reply: Result<ModelReply, ModelError>) {
    match (&expected.holds, reply) {
        (Holds::Reply { text, calls }, Ok(reply)) => {
            assert_eq!(reply.text, *text, "{file}");
            let heard: Vec<_> = reply
                .tool_calls
                .iter()
                .map(|call| {
                    assert!(!call.id().is_empty(), "{file}");
                    (call.name().to_owned(), serde_json::from_str(call.arguments()).unwrap())
                })
                .collect();
            let wanted: Vec<_> =
                calls.iter().map(|(name, args)| ((*name).to_owned(), args.clone())).collect();
            assert_eq!(heard, wanted, "{file}");
            check_usage(file, expected, reply.usage);
            let kept = reply.reasoning.map(|kept| kept.to_string()).unwrap_or_default();
            match expected.keeps {
                Some(text) => assert!(kept.contains(text), "{file}: {kept}"),
                None => assert_eq!(kept, "", "{file}"),
            }
        }
        (Holds::Part(part), Ok(reply)) => {
            assert!(reply.text.contains(part), "{file}: {}", reply.text);
            assert_eq!(reply.tool_calls, [], "{file}");
            check_usage(file, expected, reply.usage);
        }
        (Holds::Refusal(words), Err(ModelError::Blocked(block))) => {
            assert_eq!(block.raw_reason.as_deref(), Some(*words), "{file}");
            check_usage(file, expected, block.usage);
        }
        (Holds::Truncated(word), Err(error)) => {
            assert!(!error.is_transient(), "{file}: {error}");
            let Some(ProviderError::Truncated { reason, .. }) = source(&error) else {
                panic!("{file}: {error:?}");
            };
            assert_eq!(reason, word, "{file}");
        }
        (Holds::Error(status, code), Err(error)) => {
            assert!(!error.is_transient(), "{file}: {error}");
            let Some(ProviderError::Status { status: heard, code: word, message, .. }) =
                source(&error)
            else {
                panic!("{file}: {error:?}");
            };
            assert_eq!((*heard, word.as_deref()), (*status, Some(*code)), "{file}");
            assert!(!message.is_empty() && !message.starts_with('{'), "{file}: {message}");
        }
        (_, reply) => panic!("{file}: {reply:?}"),
    }
}

fn check_usage(file: &str, expected: &Expected, usage: picoflow::model::Usage) {
    let heard = [
        usage.input_tokens,
        usage.output_tokens,
        usage.total_tokens,
        usage.reasoning_tokens,
        usage.cached_input_tokens,
    ];
    assert_eq!(heard, expected.usage, "{file}");
    assert_eq!(
        usage.visible_output_tokens,
        usage.output_tokens.saturating_sub(usage.reasoning_tokens),
        "{file}"
    );
}

fn source(error: &ModelError) -> Option<&ProviderError> {
    std::error::Error::source(error)?.downcast_ref()
}

/// Checks all of them, in pieces of these sizes, and tells which do not hold what they should.
async fn check_all(recordings: Vec<Recording>, chunks: Vec<usize>) {
    let checks = recordings.into_iter().map(|recording| {
        let (file, chunks) = (recording.file.clone(), chunks.clone());
        let checked = tokio::spawn(async move {
            let expectations = expectations();
            let expected = expectations.get(&*recording.file);
            let expected = expected.expect("nothing is expected of it");
            for reply in read(&recording, &chunks).await {
                check(&recording.file, expected, reply);
            }
        });
        async move { checked.await.is_err().then_some(file) }
    });
    let failed: Vec<_> = join_all(checks).await.into_iter().flatten().collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_recording_holds_what_it_holds() {
    check_all(manifest(), vec![0]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_in_pieces_of_any_size_holds_the_same() {
    let streams = manifest().into_iter().filter(|one| one.transport == "stream");
    check_all(streams.collect(), (1..=64).collect()).await;
}

/// A stream that ends after any of its events, with the end of the body or with that of the connection, is an error, or
/// it lacks nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_breaks_off_is_never_half_a_reply() {
    let streams =
        manifest().into_iter().filter(|one| one.transport == "stream" && one.status == 200);
    let checks = streams.map(|recording| {
        tokio::spawn(async move {
            let body = String::from_utf8(recording.body()).unwrap();
            let ends = body.match_indices("\n\n").map(|(end, _)| end + 2);
            // In the middle of the event too.
            let ends: Vec<_> = ends.flat_map(|end| [end.saturating_sub(9), end]).collect();
            let answers = ends.iter().flat_map(|&end| {
                let answer =
                    Answer::new(200, &recording.content_type, body.as_bytes().get(..end).unwrap());
                [answer.clone(), answer.cut()]
            });
            let server = Server::start(answers).await;
            let model = model(&recording, &server);
            let whole = read(&recording, &[0]).await.remove(0).ok();
            for end in ends.iter().flat_map(|end| [end, end]) {
                let (_, reply) = collect(model.stream(request(&recording))).await;
                if let Ok(reply) = reply {
                    let lacks = &body[*end..];
                    assert_eq!(
                        Some(&reply),
                        whole.as_ref(),
                        "{} without {lacks:?}",
                        recording.file
                    );
                }
            }
        })
    });
    for checked in join_all(checks).await {
        checked.unwrap();
    }
}

#[test]
fn everything_that_is_there_is_expected_and_the_other_way_around() {
    let known: BTreeSet<_> = manifest().into_iter().map(|recording| recording.file).collect();
    let expected: BTreeSet<_> = expectations().into_keys().map(str::to_owned).collect();
    assert_eq!(known.len(), 83);
    assert_eq!(known, expected);
    let folder = std::fs::read_dir(super::FOLDER).unwrap().map(|file| file.unwrap().file_name());
    let files: BTreeSet<_> = folder.map(|name| name.into_string().unwrap()).collect();
    let bodies = files.iter().filter(|name| name.contains("-stream-") || name.contains("-unary-"));
    assert_eq!(bodies.cloned().collect::<BTreeSet<_>>(), known);
}
