//! What a test waits for. Nothing here depends on how fast the machine is: what is to happen is waited for, and what does not
//! happen in [`PATIENCE`] never will.

use std::time::Duration;

/// Far longer than anything takes, on a machine that is busy with something else too.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// The pause between two looks.
#[cfg(any(
    feature = "cli",
    feature = "mcp",
    feature = "postgres",
    feature = "restate",
    feature = "server"
))]
const PAUSE: Duration = Duration::from_millis(5);

/// What `work` comes to.
#[cfg(any(feature = "mcp", feature = "postgres", feature = "server"))]
pub(crate) async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(PATIENCE, work).await;
    done.unwrap_or_else(|_| panic!("still not after {PATIENCE:?}: {what}"))
}

/// Looks again and again until something is found.
#[cfg(any(feature = "mcp", feature = "postgres", feature = "server"))]
pub(crate) async fn found<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    within(what, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(PAUSE).await;
        }
    })
    .await
}

/// Looks again and again, on a thread that may be blocked.
#[cfg(any(feature = "cli", feature = "restate"))]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "still not after {PATIENCE:?}: {what}");
        std::thread::sleep(PAUSE);
    }
}

/// Lets all tasks of this thread's runtime run until each of them waits for something.
#[cfg(feature = "mcp")]
pub(crate) async fn settled() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

/// A port that is free, and stays so while nobody listens there: systems hand out others, for listeners at port 0 and for the
/// near end of connections.
#[cfg(any(feature = "mcp", feature = "restate"))]
pub(crate) fn lasting_port() -> u16 {
    use std::{
        net::{Ipv4Addr, TcpListener},
        process,
        sync::atomic::{AtomicU16, Ordering},
    };

    const FIRST: u16 = 10_000;
    const COUNT: u16 = 20_000;
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    // Not where another process of this kind begins.
    let begin = u16::try_from(process::id() * 97 % u32::from(COUNT)).unwrap();
    for _ in 0..COUNT {
        let port = FIRST + (begin + TAKEN.fetch_add(1, Ordering::Relaxed)) % COUNT;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
    panic!("all ports from {FIRST} are taken");
}
