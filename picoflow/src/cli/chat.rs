//! `chat`: a conversation in the terminal, or over a pipe.

use super::{
    Ended, input::Input, look, options::ChatOptions, screen::Screen, sessions::stored,
    signals::Interrupts, tell,
};
use crate::{
    BoxError, ChatModel, Engine, FlowId, Reply, Turn, TurnError, TurnEvent, session::ToolStatus,
    testing::Recorder,
};
use futures_util::StreamExt;
use serde_json::Value;
use std::{
    collections::HashMap,
    io::{self, IsTerminal, Stdout, stdin},
    path::Path,
    process::ExitCode,
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

/// What a shell says of a program that was ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

type Recording = Arc<Recorder<Arc<dyn ChatModel>>>;

struct Chat {
    engine: Engine,
    flow: FlowId,
    session: Option<String>,
    config: Option<Value>,
    recording: Option<Recording>,
    interrupts: Interrupts,
    screen: Screen<Stdout>,
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
        interrupts: Interrupts::new()?,
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
        let input = Input::new()?;
        let is_terminal = stdin().is_terminal();
        if is_terminal {
            tell(
                "Say something, such as Hi. An empty line or Ctrl-D ends the program; the session stays.",
            );
        }
        loop {
            if is_terminal {
                self.screen.prompt()?;
            }
            let line = tokio::select! {
                line = input.line() => line?,
                () = self.interrupts.next() => return Ok(ExitCode::from(INTERRUPTED)),
            };
            let Some(line) = line else { break };
            let Ok(text) = String::from_utf8(line) else {
                tell("That line is not valid UTF-8, so it was not sent.");
                continue;
            };
            match self.turn(text).await? {
                Ok(reply) if reply.completed => return Ok(ExitCode::SUCCESS),
                Ok(reply) => self.session = Some(reply.session),
                Err(TurnError::Cancelled) => {
                    tell("The turn was cancelled: the session is as it was before.");
                }
                // What is wrong with the session stays wrong, and only a person can say another thing.
                Err(error) if !is_terminal || is_final(&error) => return Err(error.into()),
                Err(error) => tell(format_args!("{}: {error}", error.code())),
            }
        }
        if let Some(id) = &self.session
            && is_terminal
        {
            tell(format_args!("\nGo on with `--session {id}`."));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// One turn. An error around its result is one of the screen or of the recording.
    async fn turn(&mut self, text: String) -> io::Result<Result<Reply, TurnError>> {
        let mut turn = Turn::new(&self.flow).message(text);
        turn = match (&self.session, &self.config) {
            (Some(id), _) => turn.session(id),
            (None, Some(config)) => turn.config(config.clone()),
            (None, None) => turn,
        };
        let cancellation = CancellationToken::new();
        turn = turn.cancellation(cancellation.clone());
        let mut events = self.engine.stream(turn.clone());
        let mut shown = Shown::default();
        let ended = loop {
            let event = tokio::select! {
                event = events.next() => event,
                () = self.interrupts.next() => {
                    cancellation.cancel();
                    continue;
                }
            };
            match event {
                Some(Ok(TurnEvent::Replied { reply })) => break Ok(*reply),
                Some(Ok(event)) => shown.event(&mut self.screen, event)?,
                Some(Err(error)) => break Err(error),
                // A stream ends with a reply or an error.
                None => break Err(TurnError::Cancelled),
            }
        };
        if let Some(recording) = &self.recording {
            recording.turn(&turn, ended.as_ref().ok())?;
        }
        match &ended {
            Ok(reply) => shown.reply(&mut self.screen, reply)?,
            Err(_) => self.screen.end_text()?,
        }
        Ok(ended)
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
    fn event(&mut self, screen: &mut Screen<Stdout>, event: TurnEvent) -> io::Result<()> {
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
    fn reply(&self, screen: &mut Screen<Stdout>, reply: &Reply) -> io::Result<()> {
        if self.text.trim() != reply.text.trim() {
            screen.line(&reply.text)?;
        }
        screen.aside(&format!("{} | session: {}", reply.step, reply.session))
    }
}
