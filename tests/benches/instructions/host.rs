//! A host on which every run is the same.

use picoflow::{BoxFuture, Host};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A clock that stands still, and ids that count.
#[derive(Default)]
pub(crate) struct Fixed(AtomicU64);

impl Fixed {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Host for Fixed {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_mins(29_500_000)
    }

    fn random(&self) -> u64 {
        self.next()
    }

    fn session_id(&self) -> String {
        format!("session_{:08}", self.next())
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}
