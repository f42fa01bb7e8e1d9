//! What the tests of picoflow and the programs that they start share: a conversation with a bit of everything in it, and
//! faults that strike at one of its calls. The tests themselves are in `it/`.

pub mod faults;
mod pages;
pub mod story;
