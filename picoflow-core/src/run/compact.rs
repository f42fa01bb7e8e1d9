//! Histories that are forgotten or summed up.

use super::{Env, Run, panic_text};
use crate::{
    OnEntry, TurnError, TurnEvent,
    compaction::SummaryError,
    flow::CompiledCompaction,
    model::{ChatRequest, ModelError, Purpose, ToolChoice},
    session::{Level, MessageKind},
};
use futures_util::FutureExt;
use serde_json::{Map, Value};
use std::{panic::AssertUnwindSafe, sync::Arc};

impl Run {
    /// Keeps, forgets or sums up what there is of the step, as its entry in the flow says.
    pub(super) async fn enter_memory(&mut self, env: &Env, at: usize) -> Result<(), TurnError> {
        let step = env.step(at)?;
        match step.on_entry {
            OnEntry::Keep => {}
            OnEntry::Reset => {
                self.draft.edit().memory.remove(&step.namespace);
            }
            OnEntry::Restart => {
                let data = self.draft.edit();
                data.memory.remove(&step.namespace);
                if data.restart(at) {
                    self.warn(
                        &step.id,
                        "the step begins afresh: what was saved for it before it was entered is gone, let the transition bring it by `with_state`, or give it to a child by `Child::params`",
                    );
                }
            }
            OnEntry::Summarise => {
                let memory = self.draft.memory.get(&step.namespace);
                let count = memory.map_or(0, |memory| memory.conversation().len());
                if let Some(compaction) = env.flow.compactions.get(&step.namespace)
                    && count > 0
                {
                    Box::pin(self.compact(env, &step.namespace, compaction, count)).await?;
                }
            }
        }
        Ok(())
    }

    /// Makes room in every namespace that has grown long, unless nobody will go on with the session.
    pub(super) async fn compact_all(&mut self, env: &Env) -> Result<(), TurnError> {
        if self.draft.is_completed {
            return Ok(());
        }
        for (namespace, compaction) in &env.flow.compactions {
            let Some(memory) = self.draft.memory.get(namespace) else {
                continue;
            };
            let settings = &compaction.settings;
            if memory.conversation().len() >= settings.min_messages
                && let Some(count) =
                    memory.surplus(settings.recent_messages, settings.transcript_bytes)
            {
                Box::pin(self.compact(env, namespace, compaction, count)).await?;
            }
        }
        Ok(())
    }

    /// Puts a summary in the place of the first `count` messages. Without one they stay, with a warning.
    ///
    /// It is rare and large: callers box it, so that the futures of all other turns do not carry it.
    async fn compact(
        &mut self,
        env: &Env,
        namespace: &Arc<str>,
        compaction: &CompiledCompaction,
        count: usize,
    ) -> Result<(), TurnError> {
        match self.sum_up(env, namespace, compaction, count).await? {
            Ok(summary) => {
                let memory = self.draft.edit().memory.entry(Arc::clone(namespace)).or_default();
                memory.shorten(count, summary);
                let namespace = namespace.to_string();
                self.emit(TurnEvent::Summarised { namespace, messages: count });
            }
            Err(error) => {
                let step = env.step(compaction.at)?;
                let extra = [("step", step.id.as_str()), ("code", error.code())];
                let extra = extra.map(|(key, value)| (key.to_owned(), Value::from(value)));
                let text = format!(
                    "the memory `{namespace}` could not be summed up and stays as it was: {error}"
                );
                self.note(Level::Warn, text, extra.into_iter().collect());
            }
        }
        Ok(())
    }

    /// Asks for the summary, once: the next turn tries again.
    async fn sum_up(
        &mut self,
        env: &Env,
        namespace: &Arc<str>,
        compaction: &CompiledCompaction,
        count: usize,
    ) -> Result<Result<String, SummaryError>, TurnError> {
        let step = env.step(compaction.at)?;
        let memory = self.draft.memory.get(namespace);
        let transcript = memory.map_or_else(String::new, |memory| memory.transcript(count));
        let prompt = compaction.settings.prompt.clone().into_owned();
        let messages = [(MessageKind::System, prompt), (MessageKind::Human, transcript)];
        let messages =
            messages.map(|(kind, content)| Arc::new(self.message(step, kind, content, Map::new())));
        let request = ChatRequest {
            model: compaction.model.clone(),
            step: step.id.clone(),
            purpose: Purpose::Summary,
            messages: Arc::new(messages.into()),
            tools: Arc::default(),
            tool_choice: ToolChoice::None,
            output_schema: None,
            cancellation: env.cancellation.clone(),
        };
        // Whatever is wrong with this model, the turn has its reply already.
        let call = AssertUnwindSafe(self.call_model(env, step, &request, 1)).catch_unwind().await;
        let answered = match call {
            Ok(answered) => answered?,
            Err(panic) => return Ok(Err(SummaryError::Panicked(panic_text(panic)))),
        };
        let reply = match answered {
            Ok(reply) => reply,
            Err(error) => {
                if let ModelError::Blocked(block) = &error {
                    self.record.usage.add(&block.usage);
                }
                return Ok(Err(error.into()));
            }
        };
        self.record.usage.add(&reply.usage);
        let summary = reply.text.trim();
        let limit = compaction.settings.summary_bytes;
        Ok(match summary.len() {
            0 => Err(SummaryError::Empty),
            bytes if bytes > limit => Err(SummaryError::TooLong { bytes, limit }),
            _ => Ok(summary.to_owned()),
        })
    }
}
