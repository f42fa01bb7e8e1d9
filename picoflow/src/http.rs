//! The HTTP client of whatever calls out: one TLS library, with its roots compiled in.

use reqwest::{Client, ClientBuilder, redirect};
use rustls::{ClientConfig, Error, RootCertStore, crypto::ring};
use std::{sync::Arc, time::Duration};

/// A client to be built.
pub(crate) fn client() -> Result<ClientBuilder, Error> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(Duration::from_secs(10))
        .tcp_nodelay(true)
        // A redirect would take the key to somebody else.
        .redirect(redirect::Policy::none());
    Ok(client)
}
