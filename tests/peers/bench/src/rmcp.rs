//! rmcp: `ServerHandler::call_tool` as `#[tool_handler]` writes it, with its default router and with one that the server
//! keeps.

use crate::{ARGUMENTS, CALLS, Row, expect};
use peers_tools::{rmcp_default as default, rmcp_kept as kept};
use rmcp::{
    RoleServer, ServerHandler,
    model::{CallToolRequestParams, JsonObject, NumberOrString},
    service::{Peer, RequestContext, serve_directly},
};
use std::hint::black_box;

const KEPT: &str = "rmcp, router kept";
const DEFAULT: &str = "rmcp, default handler";

/// What a server is handed for a call: the parsed message, and a context of its own.
fn request(
    peer: &Peer<RoleServer>,
    tool: &'static str,
) -> (CallToolRequestParams, RequestContext<RoleServer>) {
    let arguments: JsonObject = serde_json::from_str(black_box(ARGUMENTS)).unwrap_or_default();
    let parameters = CallToolRequestParams::new(black_box(tool)).with_arguments(arguments);
    (parameters, RequestContext::new(NumberOrString::Number(1), peer.clone()))
}

pub(crate) async fn add(rows: &mut Vec<Row>) {
    let (transport, _) = tokio::io::duplex(64);
    let running = serve_directly::<RoleServer, _, _, _, _>(
        kept::ten::Server::new(),
        tokio::io::split(transport),
        None,
    );
    let peer = running.peer().clone();
    for (case, count, tool, sum) in CALLS {
        if count == 10 {
            rows.push(call(case, KEPT, kept::ten::Server::new(), &peer, tool, sum).await);
            rows.push(call(case, DEFAULT, default::ten::Server::new(), &peer, tool, sum).await);
        } else {
            let server = kept::two_hundred::Server::new();
            rows.push(call(case, KEPT, server, &peer, tool, sum).await);
            let server = default::two_hundred::Server::new();
            rows.push(call(case, DEFAULT, server, &peer, tool, sum).await);
        }
    }
    let alone = "(rmcp's request and context alone)";
    rows.push(Row::new(
        "call, 10 tools",
        alone,
        peer.clone(),
        async |peer: &mut Peer<RoleServer>| {
            black_box(request(peer, "add"));
        },
    ));

    let case = "list 200 definitions";
    let server = kept::two_hundred::Server::new();
    assert_eq!(server.router.list_all().len(), 200);
    rows.push(Row::new(
        case,
        "rmcp, router kept, `ToolRouter::list_all`",
        server,
        async |server: &mut kept::two_hundred::Server| {
            black_box(server.router.list_all());
        },
    ));
    let state = (default::two_hundred::Server::new(), peer);
    rows.push(Row::new(
        case,
        "rmcp, default handler, `list_tools`",
        state,
        async |(server, peer): &mut (default::two_hundred::Server, Peer<RoleServer>)| {
            let context = RequestContext::new(NumberOrString::Number(1), peer.clone());
            black_box(server.list_tools(None, context).await.is_ok());
        },
    ));
}

async fn call<S: ServerHandler>(
    case: &str,
    contender: &str,
    server: S,
    peer: &Peer<RoleServer>,
    tool: &'static str,
    sum: &str,
) -> Row {
    let peer = peer.clone();
    let (parameters, context) = request(&peer, tool);
    expect(&server.call_tool(parameters, context).await, sum);
    Row::new(case, contender, server, async move |server: &mut S| {
        let (parameters, context) = request(&peer, tool);
        black_box(server.call_tool(parameters, context).await.is_ok());
    })
}
