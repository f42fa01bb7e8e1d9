//! What the tests of picoflow and the programs that they start share: a conversation with a bit of everything in it, faults
//! that strike at one of its calls, and a crowd of sessions that it is told to. The tests themselves are in `it/`.

pub mod faults;
pub mod lines;
mod pages;
pub mod soak;
pub mod story;
