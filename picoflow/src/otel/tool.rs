//! What is told of a handler at work.

use super::{
    Shared, content, fail,
    watch::{Cut, Report},
};
use crate::{CallSite, ToolCall, ToolResult};
use opentelemetry::KeyValue;
use tokio::time::Instant;
use tracing::{Span, field::Empty};

pub(super) struct ToolReport<'a> {
    shared: &'a Shared,
    site: CallSite<'a>,
    /// The tool's name; of a group, all of them.
    name: String,
    begun: Instant,
    span: Span,
}

impl<'a> ToolReport<'a> {
    pub(super) fn start(shared: &'a Shared, site: CallSite<'a>, begun: Instant) -> Self {
        let name = joined(site.calls, ToolCall::name);
        let span = tracing::info_span!(
            target: "picoflow::otel",
            "execute_tool",
            otel.name = format!("execute_tool {name}"),
            otel.kind = "internal",
            otel.status_code = Empty,
            otel.status_description = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = &*name,
            gen_ai.tool.call.id = joined(site.calls, ToolCall::id),
            gen_ai.tool.type = "function",
            gen_ai.tool.call.arguments =
                shared.records_content.then(|| content::arguments(site.calls)),
            gen_ai.tool.call.result = Empty,
            gen_ai.agent.name = site.flow.as_str(),
            gen_ai.conversation.id = site.session,
            error.type = Empty,
            picoflow.step = site.step.as_str(),
            picoflow.branch = site.branch.map(ToString::to_string),
            picoflow.transition = Empty,
            picoflow.target = Empty,
        );
        Self { shared, site, name, begun, span }
    }

    fn failed(&self, code: &'static str) {
        fail(&self.span, code);
        self.measure(Some(code));
    }

    fn measure(&self, error: Option<&'static str>) {
        let mut of = vec![
            KeyValue::new("gen_ai.tool.name", self.name.clone()),
            KeyValue::new("gen_ai.tool.type", "function"),
            KeyValue::new("gen_ai.agent.name", self.site.flow.as_str().to_owned()),
        ];
        of.extend(error.map(|code| KeyValue::new("error.type", code)));
        self.shared.instruments.tool(self.begun.elapsed(), &of);
    }
}

impl Report<ToolResult> for ToolReport<'_> {
    fn span(&self) -> &Span {
        &self.span
    }

    fn ended(&mut self, result: &ToolResult) {
        let response = match result {
            Ok(response) => response,
            Err(error) => {
                self.failed(error.code());
                return self.shared.describe(&self.span, error);
            }
        };
        self.span.record("picoflow.transition", response.transition());
        if let Some(target) = response.target() {
            self.span.record("picoflow.target", target.as_str());
        }
        if self.shared.wants_content(&self.span)
            && let Some(result) = response.tool_feedback().or_else(|| response.content())
        {
            self.span.record("gen_ai.tool.call.result", result);
        }
        self.measure(None);
    }

    fn cut(&mut self, how: Cut) {
        self.failed(match how {
            Cut::Dropped if self.begun.elapsed() >= self.site.limit => "TOOL_TIMED_OUT",
            Cut::Dropped => "TOOL_CANCELLED",
            Cut::Panicked => "TOOL_PANICKED",
        });
    }
}

fn joined<'a>(calls: &'a [ToolCall], part: fn(&'a ToolCall) -> &'a str) -> String {
    calls.iter().map(part).collect::<Vec<_>>().join("+")
}
