//! What is told of a model call.

use super::{
    Shared, content, fail, provider, record_usage,
    watch::{Cut, Report},
};
use crate::{
    CallSite, ModelReply,
    model::{ChatRequest, ModelError, Purpose, Usage},
};
use opentelemetry::KeyValue;
use tokio::time::Instant;
use tracing::{Span, field::Empty};

pub(super) struct ChatReport<'a> {
    shared: &'a Shared,
    site: CallSite<'a>,
    request: &'a ChatRequest,
    begun: Instant,
    span: Span,
}

impl<'a> ChatReport<'a> {
    pub(super) fn start(
        shared: &'a Shared,
        site: CallSite<'a>,
        request: &'a ChatRequest,
        begun: Instant,
    ) -> Self {
        let (model, has_content) = (&request.model, shared.records_content);
        let span = tracing::info_span!(
            target: "picoflow::otel",
            "chat",
            otel.name = format!("chat {}", model.name()),
            otel.kind = "client",
            otel.status_code = Empty,
            otel.status_description = Empty,
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = provider::name(model),
            gen_ai.request.model = model.name(),
            gen_ai.request.stream = site.is_streamed.then_some(true),
            gen_ai.request.temperature = float(request, "temperature"),
            gen_ai.request.top_p = float(request, "top_p"),
            gen_ai.request.max_tokens = integer(
                request,
                &["max_tokens", "max_output_tokens", "max_completion_tokens"],
            ),
            gen_ai.request.seed = integer(request, &["seed"]),
            gen_ai.output.type = request.output_schema.is_some().then_some("json"),
            gen_ai.agent.name = site.flow.as_str(),
            gen_ai.conversation.id = site.session,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_creation.input_tokens = Empty,
            gen_ai.usage.reasoning.output_tokens = Empty,
            gen_ai.system_instructions =
                has_content.then(|| content::instructions(request)).flatten(),
            gen_ai.input.messages = has_content.then(|| content::input(request)),
            gen_ai.output.messages = Empty,
            error.type = Empty,
            picoflow.step = site.step.as_str(),
            picoflow.branch = site.branch.map(ToString::to_string),
            picoflow.attempt = i64::from(site.attempt),
            picoflow.purpose = match request.purpose {
                Purpose::Summary => "summary",
                _ => "reply",
            },
        );
        Self { shared, site, request, begun, span }
    }

    /// The end of the call, whatever it was.
    fn end(&self, error: Option<&'static str>, usage: Option<&Usage>) {
        if let Some(code) = error {
            fail(&self.span, code);
        }
        if let Some(usage) = usage {
            record_usage(&self.span, usage);
        }
        let model = &self.request.model;
        let mut of = vec![
            KeyValue::new("gen_ai.operation.name", "chat"),
            KeyValue::new("gen_ai.provider.name", provider::name(model).to_owned()),
            KeyValue::new("gen_ai.request.model", model.name().to_owned()),
        ];
        let instruments = &self.shared.instruments;
        if let Some(usage) = usage.filter(|usage| is_known(usage)) {
            instruments.tokens("input", usage.input_tokens, &of);
            instruments.tokens("output", usage.output_tokens, &of);
        }
        of.extend(error.map(|code| KeyValue::new("error.type", code)));
        instruments.chat(self.begun.elapsed(), &of);
    }
}

impl Report<Result<ModelReply, ModelError>> for ChatReport<'_> {
    fn span(&self) -> &Span {
        &self.span
    }

    fn ended(&mut self, result: &Result<ModelReply, ModelError>) {
        match result {
            Ok(reply) => {
                if self.shared.wants_content(&self.span) {
                    self.span.record("gen_ai.output.messages", content::output(reply));
                }
                self.end(None, Some(&reply.usage));
            }
            Err(error) => {
                let usage = match error {
                    ModelError::Blocked(block) => Some(&block.usage),
                    _ => None,
                };
                self.end(Some(error.code()), usage);
                self.shared.describe(&self.span, error);
            }
        }
    }

    fn cut(&mut self, how: Cut) {
        let code = match how {
            Cut::Dropped if self.begun.elapsed() >= self.site.limit => "MODEL_TIMED_OUT",
            Cut::Dropped => "MODEL_CANCELLED",
            Cut::Panicked => "MODEL_PANICKED",
        };
        self.end(Some(code), None);
    }
}

/// A parameter of the model that is a number.
fn float(request: &ChatRequest, name: &str) -> Option<f64> {
    request.model.params().get(name)?.as_f64()
}

/// A parameter of the model that is a whole number, by the first of these names that it has.
fn integer(request: &ChatRequest, names: &[&str]) -> Option<i64> {
    let params = request.model.params();
    names.iter().find_map(|name| params.get(*name))?.as_i64()
}

/// Whether the model said what the call cost.
const fn is_known(usage: &Usage) -> bool {
    usage.input_tokens > 0 || usage.output_tokens > 0
}
