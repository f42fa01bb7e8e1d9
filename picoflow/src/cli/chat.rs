//! `chat`: a conversation in the terminal, or over a pipe.

use super::{
    Ended,
    input::{Input, Said},
    look,
    options::ChatOptions,
    screen::Screen,
    sessions::stored,
    signals::{Stop, Stops},
    tell,
    words::words,
};
use crate::{
    BoxError, ChatModel, Engine, FlowId, Reply, Turn, TurnError, TurnEvent, session::ToolStatus,
    testing::Recorder,
};
use anstream::AutoStream;
use futures_util::StreamExt;
use serde_json::Value;
use std::{
    collections::HashMap,
    io::{self, Stdout},
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// How long a conversation that has ended waits for more input. What is in a file or a pipe is there at once; a program that
/// keeps its end of the pipe open and says nothing is not waited for longer.
const REST: Duration = Duration::from_secs(1);

type Recording = Arc<Recorder<Arc<dyn ChatModel>>>;

struct Chat {
    engine: Engine,
    flow: FlowId,
    session: Option<String>,
    config: Option<Value>,
    recording: Option<Recording>,
    stops: Stops,
    input: Input,
    screen: Screen<AutoStream<Stdout>>,
}

/// How a turn ended.
enum Outcome {
    Replied(Box<Reply>),
    Failed(TurnError),
    /// It was cancelled, and the conversation goes on.
    Cancelled,
    /// The program is to end.
    Stopped(Stop),
}

pub(super) async fn chat(engine: Engine, options: ChatOptions, config: Option<Value>) -> Ended {
    let flow = match (&options.flow, &options.session) {
        (None, Some(session)) => running(&engine, session).await?,
        (name, _) => look::flow(&engine, name.as_deref())?.id().clone(),
    };
    let (engine, recording) = match &options.record {
        Some(file) => {
            let (engine, recording) = recorded(&engine, file)?;
            (engine, Some(recording))
        }
        None => (engine, None),
    };
    let chat = Chat {
        engine,
        flow,
        session: options.session,
        config: options.config.or(config),
        recording,
        stops: Stops::new()?,
        input: Input::new()?,
        screen: Screen::new(),
    };
    chat.talk().await
}

/// The flow of a session that takes turns.
async fn running(engine: &Engine, id: &str) -> Result<FlowId, BoxError> {
    let session = stored(engine, id).await?;
    if session.is_completed() {
        return Err(TurnError::EndedSession { session: session.id }.into());
    }
    Ok(session.flow.name)
}

/// The same engine, whose model calls are written to a new file.
fn recorded(engine: &Engine, file: &Path) -> Result<(Engine, Recording), BoxError> {
    let name = file.display();
    if file.exists() {
        return Err(format!("`{name}` is there already: record to a new file").into());
    }
    let recorder = Recorder::create(file, Arc::clone(engine.model()))
        .map_err(|error| format!("`{name}` cannot be written: {error}"))?;
    let recording = Arc::new(recorder);
    Ok((engine.with_model(Arc::clone(&recording)), recording))
}

impl Chat {
    async fn talk(mut self) -> Ended {
        let is_person = self.input.is_terminal;
        if is_person {
            tell("Say something, such as Hi. Ctrl-D ends the program; the session stays.");
        }
        let code = self.turns().await?;
        if let Some(id) = &self.session
            && is_person
        {
            tell(format_args!("\nGo on with `--session {id}`."));
        }
        Ok(code)
    }

    async fn turns(&mut self) -> Ended {
        let mut is_leaving = false;
        loop {
            let said = self.said().await?;
            let is_interrupt = said == Said::Interrupt(Stop::Interrupt);
            let text = match said {
                Said::Text(text) => text,
                Said::Nothing => continue,
                Said::End => return Ok(ExitCode::SUCCESS),
                // At a prompt, Ctrl-C first gives up what is typed.
                Said::Interrupt(_) if is_interrupt && self.input.is_terminal && !is_leaving => {
                    tell("Ctrl-C once more or Ctrl-D ends the program.");
                    is_leaving = true;
                    continue;
                }
                Said::Interrupt(stop) => return Ok(stop.code()),
                Said::NoText(why) if self.input.is_terminal => {
                    tell(format_args!("That line {why}, so it was not sent."));
                    continue;
                }
                Said::NoText(why) => return Err(self.at_line(&format!("it {why}"))),
                Said::TooLong if self.input.is_terminal => {
                    tell("That line is too long, so it was not sent.");
                    continue;
                }
                Said::TooLong => return Err(self.at_line("it is longer than any message may be")),
            };
            is_leaving = false;
            match self.turn(text).await? {
                Outcome::Replied(reply) if reply.completed => return self.completed().await,
                Outcome::Replied(reply) => self.session = Some(reply.session),
                Outcome::Cancelled => {}
                Outcome::Stopped(stop) => return Ok(stop.code()),
                Outcome::Failed(error) if !self.input.is_terminal => {
                    return Err(self.at_line(&words(&error)));
                }
                // What is wrong with the session stays wrong.
                Outcome::Failed(error) if is_final(&error) => return Err(error.into()),
                Outcome::Failed(error) => tell(format_args!("{}: {}", error.code(), words(&error))),
            }
        }
    }

    /// What is said next, or what asks the program to stop.
    async fn said(&mut self) -> io::Result<Said> {
        if self.input.asks() {
            self.screen.prompt()?;
        }
        tokio::select! {
            said = self.input.next() => said,
            stop = self.stops.next() => Ok(Said::Interrupt(stop)),
        }
    }

    /// What is wrong with the present line of a file or a pipe.
    fn at_line(&self, text: &str) -> BoxError {
        format!("line {} of the input: {text}", self.input.count).into()
    }

    /// Nothing can be said any more. A file or a pipe that has more to say did not expect that.
    async fn completed(&mut self) -> Ended {
        self.session = None;
        if self.input.is_terminal {
            tell("The conversation has ended.");
            return Ok(ExitCode::SUCCESS);
        }
        let more = async {
            loop {
                match self.input.next().await? {
                    Said::Nothing => {}
                    said => return io::Result::Ok(said),
                }
            }
        };
        tokio::select! {
            said = tokio::time::timeout(REST, more) => match said {
                Err(_) | Ok(Ok(Said::End)) => Ok(ExitCode::SUCCESS),
                Ok(said) => {
                    said?;
                    Err(self.at_line("the conversation has ended, so this and what follows was not sent"))
                }
            },
            stop = self.stops.next() => Ok(stop.code()),
        }
    }

    /// One turn. An error around its outcome is one of the screen or of the recording.
    async fn turn(&mut self, text: String) -> io::Result<Outcome> {
        let mut turn = Turn::new(&self.flow).message(text);
        turn = match (&self.session, &self.config) {
            (Some(id), _) => turn.session(id),
            (None, Some(config)) => turn.config(config.clone()),
            (None, None) => turn,
        };
        let cancellation = CancellationToken::new();
        turn = turn.cancellation(cancellation.clone());
        let mut events = self.engine.stream(turn.clone());
        let (mut shown, mut stopped) = (Shown::default(), None);
        let ended = loop {
            let event = tokio::select! {
                event = events.next() => event,
                // The turn ends with an error of its own. Who asks again does not wait for that.
                stop = self.stops.next() => match stopped.replace(stop) {
                    None => {
                        cancellation.cancel();
                        continue;
                    }
                    Some(_) => return Ok(Outcome::Stopped(stop)),
                },
            };
            match event {
                Some(Ok(TurnEvent::Replied { reply })) => break Ok(reply),
                Some(Ok(event)) => shown.event(&mut self.screen, event)?,
                Some(Err(error)) => break Err(error),
                // A stream ends with a reply or an error.
                None => break Err(TurnError::Cancelled),
            }
        };
        if let Some(recording) = &self.recording {
            recording.turn(&turn, ended.as_deref().ok())?;
        }
        match &ended {
            Ok(reply) => shown.reply(&mut self.screen, reply)?,
            Err(_) => self.screen.end_text()?,
        }
        if let (Err(TurnError::Cancelled), Some(_)) = (&ended, stopped) {
            tell("The turn was cancelled: the session is as it was before.");
        }
        Ok(match (ended, stopped) {
            // Only a person can decide what to say after a turn that was not made.
            (_, Some(stop)) if stop != Stop::Interrupt || !self.input.is_terminal => {
                Outcome::Stopped(stop)
            }
            (Err(TurnError::Cancelled), Some(_)) => Outcome::Cancelled,
            (Ok(reply), _) => Outcome::Replied(reply),
            (Err(error), _) => Outcome::Failed(error),
        })
    }
}

const fn is_final(error: &TurnError) -> bool {
    matches!(error, TurnError::UnknownSession { .. } | TurnError::EndedSession { .. })
}

/// What was shown of a turn.
#[derive(Default)]
struct Shown {
    /// The text of the model call that runs.
    text: String,
    /// The arguments of calls that run.
    arguments: HashMap<String, String>,
}

impl Shown {
    fn event(
        &mut self,
        screen: &mut Screen<AutoStream<Stdout>>,
        event: TurnEvent,
    ) -> io::Result<()> {
        match event {
            TurnEvent::ModelCalled { .. } => {
                self.text.clear();
                screen.end_text()
            }
            TurnEvent::Text { delta, .. } => {
                self.text.push_str(&delta);
                screen.text(&delta)
            }
            TurnEvent::ToolStarted { call, arguments, .. } => {
                self.arguments.insert(call, arguments);
                Ok(())
            }
            TurnEvent::ToolEnded { tool, call, status, result, .. } => {
                let arguments = self.arguments.remove(&call).unwrap_or_default();
                let sign = if status == ToolStatus::Error { "failed:" } else { "=" };
                screen.aside(&format!("{tool} {arguments} {sign} {result}"))
            }
            TurnEvent::Moved { from, to } => screen.aside(&format!("{from} -> {to}")),
            TurnEvent::ChildStarted { step, level } => {
                screen.aside(&format!("child {step}, level {level}"))
            }
            TurnEvent::Summarised { namespace, messages } => {
                screen.aside(&format!("{messages} messages of {namespace} summed up"))
            }
            TurnEvent::Warned { message } => screen.aside(&format!("warning: {message}")),
            TurnEvent::Said { text } => screen.line(&text),
            _ => Ok(()),
        }
    }

    /// A handler or a hook may have said something else than the model.
    fn reply(&self, screen: &mut Screen<AutoStream<Stdout>>, reply: &Reply) -> io::Result<()> {
        if self.text.trim() != reply.text.trim() {
            screen.line(&reply.text)?;
        }
        screen.aside(&format!("{} | session: {}", reply.step, reply.session))
    }
}
