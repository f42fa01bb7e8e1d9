//! A flow's turn as a tool.

use crate::{
    Engine, Reply, Spent, Turn, TurnError, TurnEvent,
    web::{Line, TurnLine, told},
};
use futures_util::StreamExt;
use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// A flow that is a tool.
#[derive(Clone)]
pub(super) struct Talk {
    pub(super) engine: Engine,
    pub(super) flow: String,
    pub(super) name: String,
    pub(super) description: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    message: String,
    session: Option<String>,
}

impl Talk {
    /// The schema of the arguments.
    pub(super) fn takes() -> Value {
        json!({
            "type": "object",
            "properties": {
                "message": { "type": "string", "description": "What to say" },
                "session": {
                    "type": "string",
                    "description": "The session of an earlier answer, to go on with its conversation; without it a new one begins",
                },
            },
            "required": ["message"],
            "additionalProperties": false,
        })
    }

    /// The schema of the data of an answer.
    pub(super) fn gives() -> Value {
        json!({
            "type": "object",
            "properties": {
                "session": { "type": "string", "description": "Give it with the next message" },
                "text": { "type": "string", "description": "The answer" },
                "completed": { "type": "boolean", "description": "Whether the conversation is over" },
            },
            "required": ["session", "text", "completed"],
            "additionalProperties": false,
        })
    }

    /// Runs a turn.
    pub(super) async fn turn(
        &self,
        arguments: Value,
        context: &RequestContext<RoleServer>,
        line: Line,
    ) -> CallToolResult {
        let asked: Asked = match serde_json::from_value(arguments) {
            Ok(asked) => asked,
            Err(error) => return failed(&format!("Invalid arguments: {error}")),
        };
        let mut turn =
            Turn::new(self.flow.clone()).message(asked.message).cancellation(context.ct.clone());
        let spent = Spent::default();
        let line = TurnLine::begin(line, &self.flow, asked.session.as_deref(), spent.clone());
        turn = turn.spent(&spent);
        if let Some(session) = asked.session {
            turn = turn.session(session);
        }
        let ended = match context.meta.get_progress_token() {
            Some(token) => self.told(turn, token, context).await,
            None => self.engine.run(turn).await,
        };
        line.end(ended.as_ref());
        match ended {
            Ok(reply) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(&reply.text)]);
                result.structured_content = Some(json!({
                    "session": reply.session,
                    "text": reply.text,
                    "completed": reply.completed,
                }));
                result
            }
            Err(error) => failed(&format!("{}: {}", error.code(), told(&error))),
        }
    }

    /// Runs a turn and tells the caller how it goes.
    async fn told(
        &self,
        turn: Turn,
        token: ProgressToken,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, TurnError> {
        let mut events = self.engine.stream(turn);
        let mut progress = 0.0;
        while let Some(event) = events.next().await {
            let message = match event? {
                TurnEvent::Replied { reply } => return Ok(*reply),
                TurnEvent::Said { text } => text,
                TurnEvent::ToolStarted { tool, .. } => format!("runs `{tool}`"),
                TurnEvent::Moved { to, .. } => format!("goes on with `{to}`"),
                _ => continue,
            };
            progress += 1.0;
            let told =
                ProgressNotificationParam::new(token.clone(), progress).with_message(message);
            // A caller who is gone cancels the turn by other ways.
            drop(context.peer.notify_progress(told).await);
        }
        Err(TurnError::Cancelled)
    }
}

fn failed(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
