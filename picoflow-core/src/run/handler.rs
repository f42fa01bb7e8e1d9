//! One handler at work.

use super::{Env, Run};
use crate::{
    BoxFuture, Cx, ToolCall, TurnError,
    flow::Route,
    tool::{CallView, Failure, ToolError, ToolResult},
};
use futures_util::FutureExt;
use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

/// What a handler is given.
pub(super) enum Job<'a> {
    One(CallView<'a>),
    Group(&'a [ToolCall]),
}

impl<'a> Job<'a> {
    fn first_id(&self) -> Option<&'a str> {
        match self {
            Self::One(view) => Some(view.call().id()),
            Self::Group(calls) => calls.first().map(ToolCall::id),
        }
    }
}

impl Run {
    /// Runs one handler within its limits. What it wrote is undone if it failed without saying so to the model.
    pub(super) async fn handle(
        &mut self,
        env: &Env,
        at: usize,
        route: Route,
        job: Job<'_>,
    ) -> Result<ToolResult, TurnError> {
        let step = env.step(at)?;
        let before = self.draft.clone();
        let site = env.site(step, job.first_id());
        let limit = step.limits.tool_timeout;
        let result = {
            let mut cx = Cx::new(self, at);
            let started = match job {
                Job::One(view) => env.flow.call(step, route, &mut cx, view),
                Job::Group(calls) => env.flow.call_group(step, route, &mut cx, calls),
            };
            match started {
                Some(handler) => guard(env.host.tool_call(site, handler), limit).await,
                None => Err(ToolError::internal(format!(
                    "`{}` has no such method any more: `Step::base` must always answer the same",
                    route.method
                ))),
            }
        };
        self.check_fault()?;
        match &result {
            Ok(response) => {
                if let Some(reason) = &response.travels.fault {
                    return Err(TurnError::Misuse {
                        step: step.id.clone(),
                        reason: reason.clone(),
                    });
                }
            }
            Err(ToolError(Failure::Feedback(_))) => {}
            Err(_) => self.draft = before,
        }
        Ok(result)
    }
}

/// Runs a handler; a panic and a lack of time are errors like any other.
async fn guard(handler: BoxFuture<'_, ToolResult>, limit: Duration) -> ToolResult {
    let handler = AssertUnwindSafe(handler).catch_unwind();
    match tokio::time::timeout(limit, handler).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => {
            let text = panic_text(&*panic);
            Err(ToolError::internal(format!("panicked: {text}")))
        }
        Err(_) => Err(ToolError::internal(format!("took longer than {limit:?}"))),
    }
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
