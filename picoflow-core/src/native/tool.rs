//! A tool with its handler.

use super::{IntoToolOutput, ToolContext, ToolOutput};
use crate::{
    BoxFuture, Step, ToolCall, ToolDefinition, ToolError,
    run::guard,
    tool::{CallView, ToolValidator, Unknown, args, arguments, fit, try_strict_form},
};
use serde_json::Value;
use std::{
    any::TypeId,
    borrow::Cow,
    fmt,
    future::Future,
    panic::Location,
    sync::{Arc, OnceLock},
    time::Duration,
};

/// A tool with its handler: callable by itself, and usable in a flow by `Flow::native_tools` or `Step::native_tools`.
///
/// Made of annotated methods and functions by [`collect_tools`](super::collect_tools) and
/// [`collect_linked_tools`](super::collect_linked_tools), or at run time by [`NativeTool::new`].
///
/// ```
/// use picoflow_core::{ToolDefinition, native::{NativeTool, ToolContext}};
/// use serde_json::{Value, json};
///
/// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
/// let double = NativeTool::new(
///     ToolDefinition::new("double", "Twice a number", schema),
///     |args: Value, _cx| async move { format!("{}", args["n"].as_i64().unwrap_or(0) * 2) },
/// );
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let out = double.execute(json!({ "n": 21 }), &ToolContext::default()).await;
/// assert_eq!(out.output, "42");
///
/// # #[cfg(feature = "validate")] {
/// let out = double.execute(json!({ "n": "many" }), &ToolContext::default()).await;
/// assert!(out.is_error); // the schema is checked with the feature `validate`
/// # }
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct NativeTool {
    inner: Arc<Inner>,
    timeout: Duration,
    module: Option<&'static str>,
    origin: Cow<'static, str>,
    /// The type of the step whose `native_tools` gave it first.
    owner: Option<&'static str>,
}

struct Inner {
    definition: Arc<ToolDefinition>,
    /// Compiled at the first call: a tool in a flow is checked by the flow's own.
    validator: OnceLock<Result<ToolValidator, String>>,
    handler: Box<NativeHandler>,
    /// The type of the handler.
    code: TypeId,
}

/// What a tool runs.
pub(super) type NativeHandler =
    dyn for<'a> Fn(CallView<'a>, &'a ToolContext) -> BoxFuture<'a, ToolOutput> + Send + Sync;

/// Where a tool comes from.
///
/// ```
/// use picoflow_core::{NativeTool, ToolDefinition, native::ToolSource, no_arguments};
///
/// let ping = ToolDefinition::new("ping", "Answer", no_arguments());
/// let ping = NativeTool::new(ping, |_arguments, _cx| async { "pong" });
/// assert_eq!(ping.source(), ToolSource::Native);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolSource {
    /// Code of this program.
    Native,
}

impl NativeTool {
    /// A tool that is made at run time. The handler gets the whole argument object.
    /// The answer is a text, [`Json`](crate::Json), a [`ToolOutput`] or a `Result` of those. See [`NativeTool`] for
    /// an example.
    #[track_caller]
    pub fn new<F, R>(
        definition: ToolDefinition,
        handler: impl Fn(Value, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoToolOutput,
    {
        let origin = Location::caller().to_string();
        Self::with_handler(definition, origin, move |call, cx| match arguments(&call) {
            Ok(value) => {
                let running = handler(value, cx.clone());
                Box::pin(async move { running.await.into_tool_output() })
            }
            Err(error) => Box::pin(std::future::ready(error.into())),
        })
    }

    pub(super) fn with_handler<H>(
        definition: ToolDefinition,
        origin: impl Into<Cow<'static, str>>,
        handler: H,
    ) -> Self
    where
        H: for<'a> Fn(CallView<'a>, &'a ToolContext) -> BoxFuture<'a, ToolOutput>
            + Send
            + Sync
            + 'static,
    {
        Self {
            inner: Arc::new(Inner {
                definition: Arc::new(definition),
                validator: OnceLock::new(),
                handler: Box::new(handler),
                code: TypeId::of::<H>(),
            }),
            timeout: Duration::from_mins(1),
            module: None,
            origin: origin.into(),
            owner: None,
        }
    }

    pub(super) const fn of_module(mut self, module: &'static str) -> Self {
        self.module = Some(module);
        self
    }

    /// The module of the function that a linked tool is made of, such as `my_shop::orders`. Other tools have none.
    pub const fn module(&self) -> Option<&'static str> {
        self.module
    }

    /// The same tool, with other words for where it is from. The engine's build names it where two tools have one name.
    /// Default: the type of the collection, the function, or the place in the code that made the tool.
    ///
    /// ```
    /// use picoflow_core::{NativeTool, ToolDefinition, no_arguments};
    ///
    /// let ping = ToolDefinition::new("ping", "Answer", no_arguments());
    /// let ping = NativeTool::new(ping, |_arguments, _cx| async { "pong" });
    /// assert_eq!(ping.with_origin("plugin `net`").origin(), "plugin `net`");
    /// ```
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<Cow<'static, str>>) -> Self {
        self.origin = origin.into();
        self
    }

    /// The same with another time limit. Default: 60 s. In a flow the limit of the flow or the step counts too.
    ///
    /// ```
    /// use picoflow_core::{NativeTool, ToolContext, ToolDefinition, no_arguments};
    /// use std::time::Duration;
    ///
    /// let slow = ToolDefinition::new("slow", "Never answers", no_arguments());
    /// let slow = NativeTool::new(slow, |_arguments, _cx| std::future::pending::<&str>());
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let output = slow.timeout(Duration::from_millis(1)).execute(().into(), &ToolContext::default()).await;
    /// assert!(output.is_error);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The name that the model uses.
    pub fn name(&self) -> &str {
        self.inner.definition.name()
    }

    /// What the model reads to decide whether to call it.
    pub fn description(&self) -> &str {
        self.inner.definition.description()
    }

    /// The JSON schema of the arguments; of an empty object for a tool without parameters.
    pub fn input_schema(&self) -> &Value {
        self.inner.definition.schema()
    }

    /// Name, description and schema.
    pub fn definition(&self) -> &ToolDefinition {
        &self.inner.definition
    }

    /// Where it is from, for messages.
    /// See [`with_origin`](NativeTool::with_origin) for an example.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The type of the step whose `native_tools` gave it first.
    pub(crate) const fn owner(&self) -> Option<&'static str> {
        self.owner
    }

    /// Whether both run the same code under one definition, as two values of one `native_tools` do.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
            || self.inner.code == other.inner.code
                && self.inner.definition == other.inner.definition
    }

    /// Where it comes from.
    pub const fn source(&self) -> ToolSource {
        ToolSource::Native
    }

    /// Runs the tool: checks the arguments against the schema, then calls the handler.
    ///
    /// Whatever goes wrong is an output with `is_error`: arguments that do not fit, an error or a panic of the
    /// handler, a time-out, a context that is cancelled before or meanwhile. `null` stands for no arguments. An argument
    /// that no parameter has is refused by a strict tool; else there is a warning in the trace.
    /// See [`NativeTool`] for an example.
    pub async fn execute(&self, arguments: Value, cx: &ToolContext) -> ToolOutput {
        let mut call = ToolCall::new(cx.call_id().unwrap_or_default(), self.name(), &arguments);
        args::normalise(&mut call);
        let compile = || ToolValidator::compile(self.input_schema());
        let validator = match self.inner.validator.get_or_init(compile) {
            Ok(validator) => validator,
            Err(reason) => return ToolError::internal(format!("the schema {reason}")).into(),
        };
        fit(&mut call, validator, self.inner.definition.is_lenient());
        match self.check(&call, validator) {
            Ok(call) => self.run(call, cx).await,
            Err(error) => error.into(),
        }
    }

    fn check<'a>(
        &self,
        call: &'a ToolCall,
        validator: &ToolValidator,
    ) -> Result<CallView<'a>, ToolError> {
        let view = CallView::parse(call)?;
        validator.check(view.arguments())?;
        let unknown = validator.unknown(view.arguments());
        if unknown.is_empty() {
            return Ok(view);
        }
        let definition = &self.inner.definition;
        if definition.is_strict() && try_strict_form(definition.schema()).is_ok() {
            return Err(Unknown::refuse(unknown));
        }
        for unknown in unknown {
            crate::__report!(WARN, tool = self.name(), "unknown argument at {unknown}");
        }
        Ok(view)
    }

    /// Runs the handler within its limits. The arguments are checked already.
    pub(crate) async fn run(&self, call: CallView<'_>, cx: &ToolContext) -> ToolOutput {
        if cx.cancellation().is_cancelled() {
            return cancelled();
        }
        // A handler that is no `async fn` runs when it is called, so the call itself is guarded too.
        let running = Box::pin(async { (self.inner.handler)(call, cx).await });
        match cx.cancellation().run_until_cancelled(guard(running, self.timeout)).await {
            Some(done) => done.unwrap_or_else(ToolOutput::from),
            None => cancelled(),
        }
    }
}

/// Marks the tools that the step `S` gives, but for those that it has from a base, which has marked them.
///
/// `#[tools]` writes it round the body of `native_tools`, so that a step may call that of its base.
#[doc(hidden)]
pub fn owned<S: Step>(tools: impl FnOnce() -> Vec<NativeTool>) -> Vec<NativeTool> {
    let mut tools = tools();
    for tool in &mut tools {
        tool.owner.get_or_insert_with(S::__type_path);
    }
    tools
}

fn cancelled() -> ToolOutput {
    ToolError::feedback("cancelled").into()
}

impl fmt::Debug for NativeTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeTool")
            .field("definition", &self.inner.definition)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
