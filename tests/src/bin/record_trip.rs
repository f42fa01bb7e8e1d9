//! Records how a real model holds the [trip](picoflow_tests::trip): `record_trip URL FILE`, with the address of a server that
//! speaks OpenAI's chat protocol, such as `http://127.0.0.1:8080/v1`. The file stays if the scenario passes.
#![expect(clippy::print_stdout, reason = "it tells what was said")]

use picoflow::{
    BoxError,
    genai::{Endpoint, GenaiModel, Protocol},
    prelude::*,
    testing::Recorder,
};
use picoflow_tests::trip::{PROVIDER, TripFlow, scenario, streamed};
use std::{env, fs};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let mut arguments = env::args().skip(1);
    let (Some(url), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: record_trip URL FILE".into());
    };
    let endpoint = Endpoint::new(Protocol::OpenAiChat, url).key("none");
    let model = GenaiModel::builder().endpoint(PROVIDER, endpoint).build()?;
    let new = format!("{file}.new");
    let engine = Engine::builder().flow(TripFlow).model(Recorder::create(&new, model)?);
    let (shown, session) = streamed(&engine.strict().build().await?, &scenario()?).await?;
    fs::rename(new, file)?;
    println!("{}\n{}", shown.join("\n"), serde_json::to_string_pretty(&session)?);
    Ok(())
}
