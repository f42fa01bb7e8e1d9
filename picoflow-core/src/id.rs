//! Names of steps and flows.

use serde::{Deserialize, Serialize};
use std::{
    borrow::{Borrow, Cow},
    fmt,
};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Cow<'static, str>);

        impl $name {
            /// Makes an id of a name known at compile time.
            pub const fn new(name: &'static str) -> Self {
                Self(Cow::Borrowed(name))
            }

            /// The name itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&'static str> for $name {
            fn from(name: &'static str) -> Self {
                Self::new(name)
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                Self(Cow::Owned(name))
            }
        }

        impl From<&Self> for $name {
            fn from(id: &Self) -> Self {
                id.clone()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        // `Eq`, `Ord` and `Hash` are those of the text, as this trait demands.
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }
    };
}

id! {
    /// Name of a step, unique in its flow. It is stored in every session: renaming a step is a
    /// change of the stored format.
    ///
    /// ```
    /// use picoflow_core::StepId;
    ///
    /// const REVIEW: StepId = StepId::new("ReviewStep");
    /// assert_eq!(REVIEW, StepId::from("ReviewStep".to_owned()));
    /// assert_eq!(REVIEW.as_str(), "ReviewStep");
    /// ```
    StepId
}

id! {
    /// Name of a flow, unique in its engine. A session belongs to one flow for life.
    ///
    /// ```
    /// use picoflow_core::FlowId;
    ///
    /// assert_eq!(FlowId::new("BasicFlow"), "BasicFlow");
    /// ```
    FlowId
}
