//! A line to a server that can be cut.

use std::net::SocketAddr;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// What happens to the bytes of a [`Proxy`].
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Line {
    /// They go through.
    Up,
    /// Connections are closed, as by a server that ends.
    Down,
    /// Connections stay open and nothing goes through, as behind a network that drops packets.
    Silent,
}

/// Stands between a client and a server.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    line: watch::Sender<Line>,
}

impl Proxy {
    pub(crate) async fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (line, state) = watch::channel(Line::Up);
        let server = server.to_owned();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, server.clone(), state.clone()));
            }
        });
        Self { address, line }
    }

    pub(crate) fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

/// Serves one connection until the line changes.
async fn serve(mut client: TcpStream, server: String, mut line: watch::Receiver<Line>) {
    let state = *line.borrow_and_update();
    if state == Line::Up {
        let mut server = TcpStream::connect(server).await.unwrap();
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = line.changed() => {}
        }
    }
    // Held open in silence until the line is anything else.
    drop(line.wait_for(|line| *line != Line::Silent).await);
}
