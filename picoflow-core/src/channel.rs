//! State channels: how the values that several children give one field go together.

mod reduce;

pub(crate) use reduce::{Contribution, reduce};

use crate::{BoxError, storable};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{borrow::Cow, fmt, sync::Arc};

/// How the values that the children of a [`Cx::run_steps`](crate::Cx::run_steps) give by
/// [`Cx::contribute`](crate::Cx::contribute) become one value of a field.
///
/// They are taken in the order of the request, whoever is done first; those of one child in the order in which it gave
/// them. A field that is absent or `null` is as good as an empty one. What a channel refuses fails the batch with a
/// [`BatchError`](crate::BatchError), and nothing of it is kept.
///
#[doc = include_str!("docs/channels.md")]
#[derive(Clone)]
pub struct Channel(Kind);

#[derive(Clone)]
enum Kind {
    SingleWriter,
    Sum,
    Append,
    AppendUniqueBy(Cow<'static, str>),
    KeyedByBranch,
    MergeRecord,
    Reduced(Arc<Reducer>),
}

/// A reducer of the flow's own, without its types.
type Reducer = dyn Fn(Option<&Value>, &Value) -> Result<Value, Fault> + Send + Sync;

/// Why such a reducer gave nothing.
enum Fault {
    /// What was there before is not of its type.
    State(serde_json::Error),
    /// What was contributed is not of its type.
    Contribution(serde_json::Error),
    /// It said so itself, or what it gave is no JSON.
    Failed(BoxError),
}

impl Channel {
    /// Takes a value of one child alone and replaces the field by it; the child's last one counts. Refuses values of
    /// two children.
    /// See [`Channel`] for an example.
    pub const fn single_writer() -> Self {
        Self(Kind::SingleWriter)
    }

    /// Takes numbers and adds them to the field. Whole numbers stay whole; with a fraction among them, all are added as
    /// 64-bit floats. Refuses what is no number, and a sum that no JSON number holds.
    /// See [`Channel`] for an example.
    pub const fn sum() -> Self {
        Self(Kind::Sum)
    }

    /// Takes anything and puts it at the end of the field's array, one element for each value.
    /// See [`Channel`] for an example.
    pub const fn append() -> Self {
        Self(Kind::Append)
    }

    /// Takes objects with this field and puts them at the end of the array, but for those whose value of it an earlier
    /// element has. Refuses what is no object or lacks the field.
    /// See [`Channel`] for an example.
    pub fn append_unique_by(field: impl Into<Cow<'static, str>>) -> Self {
        Self(Kind::AppendUniqueBy(field.into()))
    }

    /// Takes anything and puts it into the field's object, under the child's key, or under the name of its step if it
    /// has none. It replaces what an earlier batch left there; a child's last value counts. Refuses values of two
    /// children under one key, which children of different batches may have.
    /// See [`Channel`] for an example.
    pub const fn keyed_by_branch() -> Self {
        Self(Kind::KeyedByBranch)
    }

    /// Takes objects and puts each of their keys into the field's object. It replaces what an earlier batch left there.
    /// Refuses different values of two children for one key.
    /// See [`Channel`] for an example.
    pub const fn merge_record() -> Self {
        Self(Kind::MergeRecord)
    }

    /// Takes `T`s and adds them to the field by a function of your own: it gets what the field holds, `None` at first,
    /// and one value, and gives what the field is to hold. Refuses what does not read as `S` or `T`, and what the
    /// function refuses; a panic in it is an error like that.
    ///
    /// To give the same result in every arrangement of nested batches, it should not matter to it whether values come
    /// at once or one by one.
    /// See [`Channel`] for an example.
    pub fn reduced<S, T, E>(
        reducer: impl Fn(Option<S>, T) -> Result<S, E> + Send + Sync + 'static,
    ) -> Self
    where
        S: DeserializeOwned + Serialize,
        T: DeserializeOwned,
        E: Into<BoxError>,
    {
        Self(Kind::Reduced(Arc::new(move |before, value| {
            let before = before.map(S::deserialize).transpose().map_err(Fault::State)?;
            let value = T::deserialize(value).map_err(Fault::Contribution)?;
            let after = reducer(before, value).map_err(|error| Fault::Failed(error.into()))?;
            storable::to_value(&after).map_err(|error| Fault::Failed(error.into()))
        })))
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self.0 {
            Kind::SingleWriter => "single_writer",
            Kind::Sum => "sum",
            Kind::Append => "append",
            Kind::AppendUniqueBy(_) => "append_unique_by",
            Kind::KeyedByBranch => "keyed_by_branch",
            Kind::MergeRecord => "merge_record",
            Kind::Reduced(_) => "reduced",
        }
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Channel").field(&self.name()).finish()
    }
}

/// The fields of a step's state that have a [`Channel`].
///
/// See [`Channel`] for an example.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Channels(pub(crate) Vec<(Cow<'static, str>, Channel)>);

impl Channels {
    /// No field yet.
    /// See [`Channel`] for an example.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a field. The build of the engine refuses one that has a channel already.
    /// See [`Channel`] for an example.
    pub fn add(mut self, field: impl Into<Cow<'static, str>>, channel: Channel) -> Self {
        self.0.push((field.into(), channel));
        self
    }
}
