#![doc = include_str!("docs/mcp.md")]

mod call;
mod clean;
mod client;
mod connect;
mod error;
mod handler;
mod names;
mod results;
mod secrets;
mod server;
mod service;
mod talk;

pub use client::McpClient;
pub use error::McpError;
pub use server::McpServer;
pub use service::McpService;

/// The version of axum whose routers [`McpService::router`] makes.
#[doc(no_inline)]
pub use axum;
