//! Databases for tests, on the server that `scripts/postgres` starts.

use super::prepared;
use picoflow::{PostgresStore, sqlx::PgPool};
use picoflow_tests::open::schema;

/// The server's URL.
pub(crate) fn server() -> String {
    prepared("PICOFLOW_TEST_POSTGRES_URL", "scripts/postgres")
}

/// A schema that no other test uses.
pub(crate) struct Database {
    pub(crate) schema: String,
    url: String,
}

impl Database {
    pub(crate) async fn new() -> Self {
        let (schema, url) = schema(&server()).await.unwrap();
        Self { schema, url }
    }

    /// A URL with parameters, whose connections use the schema.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The URL with another server.
    pub(crate) fn url_at(&self, address: std::net::SocketAddr) -> String {
        let (before, host) = self.url.split_once('@').unwrap();
        let (_, path) = host.split_once('/').unwrap();
        format!("{before}@{address}/{path}")
    }

    /// The server's address.
    pub(crate) fn address(&self) -> &str {
        let (_, host) = self.url.split_once('@').unwrap();
        host.split_once('/').unwrap().0
    }

    pub(crate) async fn store(&self) -> PostgresStore {
        PostgresStore::connect(&self.url).await.unwrap()
    }

    pub(crate) async fn pool(&self) -> PgPool {
        PgPool::connect(&self.url).await.unwrap()
    }
}
