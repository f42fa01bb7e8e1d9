//! One handler at work.

use super::{
    Env, Run,
    key::Handled,
    panics::{Careful, panic_text},
    within,
};
use crate::{
    BoxFuture, CallSite, Cx, ToolCall, TurnError,
    flow::Route,
    native::{NativeTool, ToolContext},
    tool::{CallView, Failure, ToolError, ToolResult},
};
use futures_util::FutureExt;
use std::{panic::AssertUnwindSafe, slice, time::Duration};

/// What a handler is given.
pub(super) enum Job<'a> {
    One(Route, CallView<'a>),
    Group(Route, &'a [ToolCall]),
    Native(&'a NativeTool, CallView<'a>),
}

impl<'a> Job<'a> {
    fn calls(&self) -> &'a [ToolCall] {
        match self {
            Self::One(_, view) | Self::Native(_, view) => slice::from_ref(view.call()),
            Self::Group(_, calls) => calls,
        }
    }
}

impl Run {
    /// Runs one handler within its limits. What it wrote is undone if it failed without saying so to the model.
    pub(super) async fn handle(
        &mut self,
        env: &Env,
        at: usize,
        handled: Handled,
        job: Job<'_>,
    ) -> Result<ToolResult, TurnError> {
        let step = env.step(at)?;
        let outer = self.started.enter(handled);
        let unknown = match env.host.journal() {
            None => None,
            Some(journal) => match self.recall_result(env, journal, at)? {
                Ok(known) => {
                    self.started.leave(outer);
                    return Ok(known);
                }
                Err(unknown) => Some(Box::new(unknown)),
            },
        };
        let (before, depth) = (self.draft.clone(), self.depth);
        let limit = step.limits.tool_timeout;
        let (branch, calls) = (self.branch.clone(), job.calls());
        let branch = branch.as_ref().map(|branch| &*branch.id);
        let call = calls.first().map(ToolCall::id);
        let site = CallSite { call, calls, limit, ..env.site(step, branch) };
        let result = {
            let mut cx = Cx::new(self, at);
            let started = match job {
                Job::One(route, view) => env.flow.call(step, route, &mut cx, view),
                Job::Group(route, calls) => env.flow.call_group(step, route, &mut cx, calls),
                Job::Native(tool, view) => Some(native(&cx, tool, view)),
            };
            match started {
                Some(handler) => guard(env.host.tool_call(site, handler), limit).await.flatten(),
                None => Err(ToolError::internal(
                    "the method is not there any more: `Step::base` must always answer the same",
                )),
            }
        };
        // A handler that was cut off in a child did not come back up.
        self.depth = depth;
        self.started.leave(outer);
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
            Err(ToolError(error)) => {
                if let Failure::Internal(error) | Failure::Abort(error) = error
                    && let Some(mistake) = TurnError::passed_on(&**error)
                {
                    return Err(mistake);
                }
                self.draft = before;
            }
        }
        if let Some(unknown) = unknown {
            Box::pin(self.keep_result(*unknown, &result)).await?;
        }
        Ok(result)
    }
}

/// A tool that knows nothing of the session but its name.
fn native<'a>(cx: &Cx<'_>, tool: &'a NativeTool, view: CallView<'a>) -> BoxFuture<'a, ToolResult> {
    let context = ToolContext::default()
        .with_cancellation(cx.cancellation().clone())
        .with_call_id(view.call().id())
        .with_session(cx.session_id())
        .with_idempotency_key(cx.idempotency_key());
    Box::pin(async move { tool.run(view, &context).await.into_result() })
}

/// Runs what a tool does; a panic and a lack of time are errors like any other.
pub(crate) async fn guard<T>(
    work: impl Future<Output = T> + Unpin,
    limit: Duration,
) -> Result<T, ToolError> {
    match within(limit, Careful::new(AssertUnwindSafe(work).catch_unwind())).await {
        Some(Ok(done)) => Ok(done),
        Some(Err(panic)) => Err(ToolError::internal(format!("panicked: {}", panic_text(panic)))),
        None => Err(ToolError::internal(format!("took longer than {limit:?}"))),
    }
}
