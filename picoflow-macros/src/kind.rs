//! The traits whose impl blocks `#[tools]` reads.

use syn::Ident;

/// What the block makes of its type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `impl Step for X`.
    Step,
    /// `impl LogicStep for X`, which calls no model and has no tools.
    LogicStep,
    /// `impl Flow for X`.
    Flow,
}

impl Kind {
    /// By the last segment of the trait's path.
    pub(crate) fn of(trait_name: &Ident) -> Option<Self> {
        [Self::Step, Self::LogicStep, Self::Flow]
            .into_iter()
            .find(|kind| trait_name == kind.trait_name())
    }

    pub(crate) const fn trait_name(self) -> &'static str {
        match self {
            Self::Step => "Step",
            Self::LogicStep => "LogicStep",
            Self::Flow => "Flow",
        }
    }

    /// The type of its `ID`.
    pub(crate) const fn id_type(self) -> &'static str {
        match self {
            Self::Step | Self::LogicStep => "StepId",
            Self::Flow => "FlowId",
        }
    }

    /// The methods of the trait: what stays in the trait impl. The case `every_hook` of the UI tests writes them all.
    pub(crate) const fn hooks(self) -> &'static [&'static str] {
        match self {
            Self::Step => &[
                "base",
                "prompt",
                "use_tools",
                "hide_tools",
                "define_tools",
                "native_tools",
                "output_schema",
                "model",
                "limits",
                "on_start",
                "on_restore",
                "on_enter",
                "on_exit",
                "on_crossing",
                "check_response",
                "should_retry",
                "on_model_error",
                "on_model_blocked",
                "on_response",
                "is_end",
                "state_channels",
                "check_params",
            ],
            Self::LogicStep => &["run_logic", "on_enter", "on_exit"],
            Self::Flow => &[
                "model",
                "steps",
                "initial_step",
                "define_tools",
                "native_tools",
                "limits",
                "should_retry",
                "on_model_error",
                "on_model_blocked",
                "version",
                "migrate",
            ],
        }
    }
}
