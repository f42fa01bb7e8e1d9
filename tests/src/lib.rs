//! What the tests of picoflow and the programs that they start share: a conversation with a bit of everything in it, faults
//! that strike at one of its calls, processes that tell it, and a crowd of sessions that it is told to. The tests themselves are in `it/`.

pub mod desk;
pub mod faults;
pub mod lines;
pub mod open;
mod pages;
pub mod soak;
pub mod story;
pub mod teller;
pub mod trip;
