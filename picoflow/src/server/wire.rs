//! What goes over the wire.

use crate::{
    CompiledFlow, Reply, TurnEvent,
    flow::{EdgeKind, FlowGraph},
    model::Usage,
    session::{Image, SessionSummary},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use utoipa::{IntoParams, ToSchema};

/// One turn.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object with `flowName` and `message`"
)]
pub(super) struct RunRequest {
    /// The name of the flow.
    pub(super) flow_name: String,
    /// What the user says. Only a first turn may do without it.
    #[schema(example = "Hi")]
    pub(super) message: Option<String>,
    /// What a new session is started with; a later turn leaves it out or repeats it.
    #[schema(value_type = Option<Value>)]
    pub(super) config: Option<Value>,
    /// What the user shows.
    #[serde(default)]
    pub(super) images: Vec<ImageRequest>,
}

impl RunRequest {
    /// A number that two requests share if they say the same.
    pub(super) fn digest(&self) -> u64 {
        // Texts, numbers and objects can be written as JSON. An object is the same whatever the order of its keys.
        let mut said = serde_json::to_value(self).unwrap_or_default();
        said.sort_all_objects();
        let mut hasher = DefaultHasher::new();
        said.to_string().hash(&mut hasher);
        hasher.finish()
    }
}

/// An image.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "an image has `mediaType` and either `data` or `url`, all texts")]
pub(super) enum ImageRequest {
    Data(ImageData),
    Url(ImageUrl),
}

/// An image that is here.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ImageData {
    /// Such as `image/png`.
    media_type: String,
    /// The image in base64.
    data: String,
}

/// An image that is elsewhere. Not every provider reads it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ImageUrl {
    /// Such as `image/png`.
    media_type: String,
    /// Where it is.
    url: String,
}

impl From<ImageRequest> for Image {
    fn from(image: ImageRequest) -> Self {
        match image {
            ImageRequest::Data(ImageData { media_type, data }) => Self::data(media_type, data),
            ImageRequest::Url(ImageUrl { media_type, url }) => Self::url(media_type, url),
        }
    }
}

/// The header that names the session.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes headers, which are read one by one")]
pub(super) struct SessionHeader {
    /// The session. A turn without one begins a new one.
    #[param(rename = "Chat-Session-Id", value_type = String, required = false, pattern = "^[!-~]*$")]
    session: Option<String>,
    /// The same under another name, which proxies may drop. Of the two one is enough; two that differ are an error.
    #[param(rename = "CHAT_SESSION_ID", value_type = String, required = false, pattern = "^[!-~]*$")]
    same: Option<String>,
}

/// The header that names a turn.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes headers, which are read one by one")]
pub(super) struct KeyHeader {
    /// A name for the turn, such as a UUID. Sent again with the same one, the newest turn of a session is not run again but
    /// answered as before. The same key with another request is an error.
    #[param(rename = "Idempotency-Key", value_type = String, required = false, min_length = 16, max_length = 64, pattern = "^[!-~]+$")]
    key: Option<String>,
}

/// What a turn came to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Envelope {
    /// Always true.
    success: bool,
    /// Whether the conversation is over.
    completed: bool,
    /// What to show to the user.
    message: String,
    /// The session, for the next turn.
    session: String,
    /// What kind of text `message` is.
    content_type: String,
    /// Whether this is the stored answer to a turn that was sent before with the same key.
    replayed: bool,
    /// What went on, for those who may look inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<Inside>,
}

/// How a turn came to its reply.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Inside {
    /// The step that takes the next turn.
    step: String,
    /// What happened, in order. Left out at the end of a stream of events.
    #[schema(value_type = Vec<Object>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<TurnEvent>,
    /// The tokens that the models reported.
    #[schema(value_type = Object)]
    usage: Usage,
}

impl Envelope {
    pub(super) fn new(reply: Reply, is_inside: bool) -> Self {
        Self {
            success: true,
            completed: reply.completed,
            message: reply.text,
            session: reply.session,
            content_type: reply.content_type.as_str().to_owned(),
            replayed: reply.replayed,
            inside: is_inside.then(|| Inside {
                step: reply.step.to_string(),
                events: reply.events,
                usage: reply.usage,
            }),
        }
    }
}

/// The session that is gone.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Ended {
    /// Always true.
    pub(super) success: bool,
    /// The session that the request named.
    pub(super) session: Option<String>,
}

/// Which sessions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListRequest {
    /// Only those of this flow.
    pub(super) flow: Option<String>,
    /// Only those of this status: `running` or `completed`.
    #[param(value_type = Option<Status>, inline)]
    pub(super) status: Option<String>,
    /// The `next` of the page before.
    pub(super) after: Option<String>,
    /// How many at the most.
    #[serde(default = "hundred")]
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub(super) limit: usize,
}

const fn hundred() -> usize {
    100
}

/// Whether a session goes on.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a status, which is read by its own type")]
pub(super) enum Status {
    Running,
    Completed,
}

/// A page of sessions, by id.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct List {
    pub(super) sessions: Vec<Listed>,
    /// What to ask for the next page by; null after the last one.
    pub(super) next: Option<String>,
}

/// A session in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    id: String,
    flow: String,
    run_status: &'static str,
    current_step: String,
    #[schema(format = DateTime)]
    created_on: String,
    #[schema(format = DateTime)]
    save_on: String,
}

impl From<SessionSummary> for Listed {
    fn from(session: SessionSummary) -> Self {
        Self {
            id: session.id,
            flow: session.flow.to_string(),
            run_status: session.run_status.as_str(),
            current_step: session.current_step.to_string(),
            created_on: session.created_on.to_string(),
            save_on: session.save_on.to_string(),
        }
    }
}

/// A flow as data and as a picture.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Graph {
    flow: String,
    /// In the order in which the flow lists them.
    steps: Vec<GraphStep>,
    edges: Vec<Edge>,
    /// The same as a picture.
    svg: String,
}

/// A step of a flow.
#[derive(Debug, Serialize, ToSchema)]
struct GraphStep {
    step: String,
    /// Whether a session may begin here.
    entry: bool,
    /// Whether it runs without a model.
    logic: bool,
    /// The tools that it offers.
    tools: Vec<String>,
}

/// A way from a step to another.
#[derive(Debug, Serialize, ToSchema)]
struct Edge {
    from: String,
    to: String,
    /// `go` or `child`.
    kind: &'static str,
    /// The method whose code it is.
    method: &'static str,
    /// The tools that the method handles.
    tools: Vec<String>,
}

impl From<&CompiledFlow> for Graph {
    fn from(flow: &CompiledFlow) -> Self {
        let graph = flow.graph();
        let svg = graph.to_svg();
        let FlowGraph { flow, nodes, edges, .. } = graph;
        let steps = nodes.into_iter().map(|node| GraphStep {
            step: node.step.to_string(),
            entry: node.is_entry,
            logic: node.is_logic,
            tools: node.tools,
        });
        let edges = edges.into_iter().map(|edge| Edge {
            from: edge.from.to_string(),
            to: edge.to.to_string(),
            kind: if edge.kind == EdgeKind::Child { "child" } else { "go" },
            method: edge.method,
            tools: edge.tools,
        });
        Self { flow: flow.to_string(), steps: steps.collect(), edges: edges.collect(), svg }
    }
}
