//! poem-mcpserver: `Tools::call` and `Tools::list`, as its own server calls them.

use crate::{ARGUMENTS, CALLS, Row, expect};
use peers_tools::poem::{ten, two_hundred};
use poem_mcpserver::tool::Tools;
use serde_json::Value;
use std::hint::black_box;

pub(crate) async fn add(rows: &mut Vec<Row>) {
    for (case, count, tool, sum) in CALLS {
        if count == 10 {
            rows.push(call(case, ten::Server, tool, sum).await);
        } else {
            rows.push(call(case, two_hundred::Server, tool, sum).await);
        }
    }
    assert_eq!(two_hundred::Server::list().len(), 200);
    rows.push(Row::new(
        "list 200 definitions",
        "poem-mcpserver, `Tools::list`",
        (),
        async |(): &mut ()| {
            black_box(two_hundred::Server::list());
        },
    ));
}

async fn call<S: Tools + 'static>(case: &str, mut server: S, tool: &'static str, sum: &str) -> Row {
    let arguments = || serde_json::from_str::<Value>(black_box(ARGUMENTS)).unwrap_or_default();
    expect(&server.call(tool, arguments()).await.is_ok(), "true");
    expect(&serde_json::to_string(&server.call(tool, arguments()).await.ok()), sum);
    Row::new(case, "poem-mcpserver", server, async move |server: &mut S| {
        black_box(server.call(black_box(tool), arguments()).await.is_ok());
    })
}
