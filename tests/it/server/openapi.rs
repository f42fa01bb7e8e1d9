//! The description of the service.

use super::{Served, hear};
use crate::support::prepared;
use picoflow::prelude::*;

#[tokio::test]
async fn the_description_has_every_route_and_what_it_takes() {
    let served = Served::open().await;
    let document = hear(served.get("/openapi.json")).await.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = document["paths"].as_object().unwrap();
    let mut routes: Vec<_> = paths
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().keys().map(move |method| format!("{method} {path}"))
        })
        .collect();
    routes.sort();
    let expected = [
        "get /ai/flows",
        "get /ai/flows/{flow}/graph",
        "get /ai/sessions",
        "get /ai/sessions/{session}",
        "get /health",
        "get /ready",
        "post /ai/end",
        "post /ai/run",
    ];
    assert_eq!(routes, expected);
    let request = &document["components"]["schemas"]["RunRequest"];
    let fields: Vec<_> = request["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["config", "flowName", "images", "message"]);
    assert_eq!(request["properties"]["flowName"]["enum"], json!(["DeskFlow", "OtherFlow"]));
    assert_eq!(request["required"], json!(["flowName"]));
    assert_eq!(request["additionalProperties"], false);
    let run = &document["paths"]["/ai/run"]["post"];
    let kinds: Vec<_> = run["responses"]["200"]["content"].as_object().unwrap().keys().collect();
    assert_eq!(kinds, ["application/json", "text/event-stream", "*/*"]);
    assert_eq!(document["servers"][0]["url"], "./");
}

#[tokio::test]
async fn replies_and_problems_are_as_described() {
    let served = Served::new(|service| service.inside(true)).await;
    let document = hear(served.get("/openapi.json")).await.json();
    let described = |place: &str| {
        let mut schema = document["components"].pointer(place).unwrap().clone();
        assert!(schema.is_object(), "{place}");
        schema["components"] = document["components"].clone();
        jsonschema::validator_for(&schema).unwrap()
    };
    let reply = served.say(None, "keep a").await;
    let problem = hear(served.run(Some("nope"), "Hi")).await.json();
    let graph = hear(served.get("/ai/flows/DeskFlow/graph")).await.json();
    for (name, value) in [
        ("/schemas/Envelope", reply),
        ("/responses/Details/content/application~1problem+json/schema", problem),
        ("/schemas/Graph", graph),
    ] {
        let faults: Vec<_> = described(name).iter_errors(&value).map(|it| it.to_string()).collect();
        assert!(faults.is_empty(), "{name}: {faults:?} in {value}");
        assert!(!described(name).is_valid(&json!({})), "{name} asks for something");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(
    not(prepared = "schemathesis"),
    ignore = "needs schemathesis: run scripts/schemathesis cargo test"
)]
async fn schemathesis_finds_no_fault() {
    let program = prepared("PICOFLOW_TEST_SCHEMATHESIS", "scripts/schemathesis");
    let served = Served::new(|service| service.bearer("sesame")).await;
    let examples = std::env::var("SCHEMATHESIS_EXAMPLES");
    // The same requests each time, unless more of them are asked for.
    let (examples, how) = match &examples {
        Ok(examples) => (&**examples, "--no-shrink"),
        Err(_) => ("50", "--generation-deterministic"),
    };
    let run = tokio::process::Command::new(program)
        .args(["run", &served.url("/openapi.json"), "--url", &served.url("")])
        .args(["--header", "Authorization: Bearer sesame", "--no-color"])
        .args(["--max-examples", examples, how])
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/schemathesis"))
        .current_dir(std::env::temp_dir())
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.contains("Tested: 8"), "{said}");
    assert!(!said.contains("Unresolvable references"), "{said}");
}
