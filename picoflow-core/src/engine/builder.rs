//! Building an engine.

use super::{Engine, Shared};
use crate::{
    BuildError, Flow, Host, SystemHost,
    flow::{AnyFlow, BuildFault, compile::compile},
    model::ChatModel,
    session::{MemoryStore, SessionLocks, SessionStore},
};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// Collects what an engine is made of.
///
/// Made by [`Engine::builder`].
///
#[doc = include_str!("../docs/engine_builder.md")]
#[must_use]
pub struct EngineBuilder {
    flows: Vec<Arc<dyn AnyFlow>>,
    model: Option<Arc<dyn ChatModel>>,
    store: Arc<dyn SessionStore>,
    host: Arc<dyn Host>,
    is_strict: bool,
}

impl EngineBuilder {
    pub(super) fn new() -> Self {
        Self {
            flows: Vec::new(),
            model: None,
            store: Arc::new(MemoryStore::new()),
            host: Arc::new(SystemHost),
            is_strict: false,
        }
    }

    /// Adds a flow. At least one is needed.
    /// See [`EngineBuilder`] for an example.
    pub fn flow(mut self, flow: impl Flow) -> Self {
        self.flows.push(Arc::new(flow));
        self
    }

    /// The model that answers. It is needed.
    /// See [`EngineBuilder`] for an example.
    pub fn model(mut self, model: impl ChatModel) -> Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// Where sessions are kept. Default: in the memory of this process.
    /// See [`EngineBuilder`] for an example.
    pub fn store(mut self, store: impl SessionStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Where clocks, ids, timers and calls come from. Default: [`SystemHost`].
    /// See [`EngineBuilder`] for an example.
    pub fn host(mut self, host: impl Host) -> Self {
        self.host = Arc::new(host);
        self
    }

    /// Makes every warning of the build a failure. Recommended in tests.
    /// See [`EngineBuilder`] for an example.
    pub const fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    /// Compiles the flows and gets the store ready. Warnings go to the trace and to [`CompiledFlow::report`].
    ///
    /// [`CompiledFlow::report`]: crate::CompiledFlow::report
    /// See [`EngineBuilder`] for an example.
    ///
    /// # Errors
    /// Every fault of every flow at once, or what is missing.
    pub async fn build(self) -> Result<Engine, BuildError> {
        let model = self.model.ok_or(BuildError::NoModel)?;
        if self.flows.is_empty() {
            return Err(BuildError::NoFlow);
        }
        let mut flows = BTreeMap::new();
        let (mut faults, mut warnings) = (Vec::new(), Vec::new());
        for flow in self.flows {
            let compiled = compile(flow);
            let id = compiled.id.clone();
            faults.extend(compiled.report.faults.iter().cloned());
            for warning in &compiled.report.warnings {
                if self.is_strict {
                    warnings.push(warning.clone());
                } else {
                    crate::__report!(WARN, flow = id, "{warning}");
                }
            }
            if flows.insert(id.clone(), Arc::new(compiled)).is_some() {
                faults.push(BuildFault::DuplicateFlow { flow: id });
            }
        }
        if !faults.is_empty() || !warnings.is_empty() {
            return Err(BuildError::Flows { faults, warnings });
        }
        self.store.prepare().await.map_err(BuildError::Store)?;
        Ok(Engine(Arc::new(Shared {
            flows: Arc::new(flows),
            model,
            store: self.store,
            host: self.host,
            locks: SessionLocks::default(),
        })))
    }
}

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flows: Vec<_> = self.flows.iter().map(|flow| flow.id()).collect();
        f.debug_struct("EngineBuilder")
            .field("flows", &flows)
            .field("is_strict", &self.is_strict)
            .finish_non_exhaustive()
    }
}
