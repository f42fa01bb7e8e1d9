//! Stores by name, as programs are told of them.

use picoflow::{
    SqliteStore,
    session::{SessionStore, StoreError},
};
use std::sync::Arc;

/// The store with this name: the URL of a PostgreSQL database, or the file of a SQLite one.
///
/// # Errors
/// When it cannot be opened.
pub async fn open(name: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
    #[cfg(feature = "postgres")]
    if name.starts_with("postgres://") {
        return Ok(Arc::new(picoflow::PostgresStore::connect(name).await?));
    }
    Ok(Arc::new(SqliteStore::open(name).await?))
}

/// A schema of its own on the PostgreSQL server with this URL, instead of a database, which is slower to make. Returns its
/// name, and a URL whose connections use it.
///
/// # Errors
/// When it cannot be made.
#[cfg(feature = "postgres")]
pub async fn schema(url: &str) -> Result<(String, String), picoflow::sqlx::Error> {
    use picoflow::sqlx::{AssertSqlSafe, PgPool, query, query_scalar};

    let pool = PgPool::connect(url).await?;
    let name = "SELECT 'test_' || replace(gen_random_uuid()::text, '-', '')";
    let name: String = query_scalar(name).fetch_one(&pool).await?;
    query(AssertSqlSafe(format!("CREATE SCHEMA {name}"))).execute(&pool).await?;
    let mark = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{mark}options=-csearch_path%3D{name}");
    Ok((name, url))
}
