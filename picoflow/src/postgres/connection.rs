//! A connection for the time of one call.

use super::error::Fault;
use sqlx::{PgPool, Postgres, pool::PoolConnection};

/// A connection that goes back to the pool when its call has [ended](Self::end), and is closed if the call was dropped
/// half-way: an answer that nobody has read may still be under way, or never come.
pub(super) struct Lease {
    pub(super) connection: PoolConnection<Postgres>,
    is_over: bool,
}

impl Lease {
    pub(super) async fn of(pool: &PgPool) -> Result<Self, Fault> {
        Ok(Self { connection: pool.acquire().await?, is_over: false })
    }

    pub(super) fn end(mut self) {
        self.is_over = true;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.is_over {
            self.connection.close_on_drop();
        }
    }
}
