//! What is told of a turn.

use super::{
    Shared, content, fail, provider, record_usage,
    watch::{Cut, Report},
};
use crate::{Reply, TurnError, TurnSite};
use opentelemetry::KeyValue;
use tokio::time::Instant;
use tracing::{Span, field::Empty};

pub(super) struct TurnReport<'a> {
    shared: &'a Shared,
    site: TurnSite<'a>,
    begun: Instant,
    span: Span,
}

impl<'a> TurnReport<'a> {
    pub(super) fn start(shared: &'a Shared, site: TurnSite<'a>) -> Self {
        let flow = site.flow.as_str();
        let message = site.message.filter(|_| shared.records_content);
        let span = tracing::info_span!(
            target: "picoflow::otel",
            "invoke_agent",
            otel.name = format!("invoke_agent {flow}"),
            otel.kind = "internal",
            otel.status_code = Empty,
            otel.status_description = Empty,
            gen_ai.operation.name = "invoke_agent",
            gen_ai.provider.name = provider::name(site.model),
            gen_ai.request.model = site.model.name(),
            gen_ai.agent.name = flow,
            gen_ai.conversation.id = site.session,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_creation.input_tokens = Empty,
            gen_ai.usage.reasoning.output_tokens = Empty,
            gen_ai.input.messages = message.map(|text| content::said("user", text)),
            gen_ai.output.messages = Empty,
            error.type = Empty,
            picoflow.outcome = Empty,
            picoflow.step = Empty,
        );
        Self { shared, site, begun: Instant::now(), span }
    }

    fn failed(&self, outcome: &'static str, code: &'static str) {
        fail(&self.span, code);
        self.measure(outcome, Some(code));
    }

    fn measure(&self, outcome: &'static str, error: Option<&'static str>) {
        self.span.record("picoflow.outcome", outcome);
        let mut of = vec![
            KeyValue::new("gen_ai.agent.name", self.site.flow.as_str().to_owned()),
            KeyValue::new("picoflow.outcome", outcome),
        ];
        of.extend(error.map(|code| KeyValue::new("error.type", code)));
        self.shared.instruments.turn(self.begun.elapsed(), &of);
    }
}

impl Report<Result<Reply, TurnError>> for TurnReport<'_> {
    fn span(&self) -> &Span {
        &self.span
    }

    fn ended(&mut self, result: &Result<Reply, TurnError>) {
        let reply = match result {
            Ok(reply) => reply,
            Err(error) => {
                if let Some(step) = error.step() {
                    self.span.record("picoflow.step", step.as_str());
                }
                let is_cancelled = matches!(error, TurnError::Cancelled);
                let outcome = if is_cancelled { "cancelled" } else { "failed" };
                self.failed(outcome, error.code());
                return self.shared.describe(&self.span, error);
            }
        };
        self.span.record("gen_ai.conversation.id", &*reply.session);
        self.span.record("picoflow.step", reply.step.as_str());
        record_usage(&self.span, &reply.usage);
        if self.shared.wants_content(&self.span) {
            self.span.record("gen_ai.output.messages", content::answered(&reply.text));
        }
        let outcome = match reply {
            Reply { replayed: true, .. } => "replayed",
            Reply { completed: true, .. } => "completed",
            _ => "replied",
        };
        self.measure(outcome, None);
    }

    fn cut(&mut self, how: Cut) {
        match how {
            Cut::Dropped => self.failed("cancelled", "TURN_CANCELLED"),
            Cut::Panicked => self.failed("failed", "TURN_PANICKED"),
        }
    }
}
