//! `serve`: the flows over HTTP.

use super::{Ended, options::ServeOptions, signals::Stops, tell};
use crate::{BoxError, Engine, server::HttpService};
use std::{
    env,
    io::{Write, stdout},
    net::SocketAddr,
    process::ExitCode,
};
use tokio::net::{TcpListener, lookup_host};
use tokio_util::sync::CancellationToken;

pub(super) async fn serve(engine: &Engine, options: ServeOptions) -> Ended {
    // The page holds nothing but itself. What it shows is asked for like all else.
    let mut service =
        HttpService::new(engine).page(true).inside(options.inside).hosts(options.host);
    if let Some(variable) = &options.secret_from {
        service = service.bearer(secret(variable)?);
    }
    let is_guarded = options.secret_from.is_some();
    let addresses = addresses(&options.address).await?;
    if !is_guarded && !options.open && !addresses.iter().all(|one| one.ip().is_loopback()) {
        let text = format!(
            "others than this machine can reach `{}`: give `--secret-from VARIABLE`, or `--open` to serve them all",
            options.address
        );
        return Err(text.into());
    }
    let listener = TcpListener::bind(&*addresses)
        .await
        .map_err(|error| format!("cannot listen on `{}`: {error}", options.address))?;
    // Before anybody is told that there is something to stop.
    let mut stops = Stops::new()?;
    writeln!(stdout(), "http://{}/", listener.local_addr()?)?;
    let stop = CancellationToken::new();
    let mut serving = std::pin::pin!(service.serve(listener, stop.clone()));
    tokio::select! {
        ended = &mut serving => ended?,
        _ = stops.next() => {
            tell("turns that run are finished first; once more ends them");
            stop.cancel();
            tokio::select! {
                ended = &mut serving => ended?,
                _ = stops.next() => return Ok(ExitCode::FAILURE),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn secret(variable: &str) -> Result<String, BoxError> {
    let Some(secret) = env::var_os(variable) else {
        return Err(
            format!("`--secret-from {variable}`: there is no such environment variable").into()
        );
    };
    // Anything else could not be sent in a header. What it is instead is not told, since it may be a secret all the same.
    let is_visible =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    let secret = secret.to_str().filter(is_visible).map(str::to_owned);
    secret.ok_or_else(|| {
        format!("`--secret-from {variable}`: a secret is one or more visible ASCII characters")
            .into()
    })
}

async fn addresses(address: &str) -> Result<Vec<SocketAddr>, BoxError> {
    let found = lookup_host(address).await;
    let found: Vec<_> = found
        .map_err(|error| format!("`{address}` is no address such as `127.0.0.1:8080`: {error}"))?
        .collect();
    if found.is_empty() { Err(format!("`{address}` is nowhere").into()) } else { Ok(found) }
}
