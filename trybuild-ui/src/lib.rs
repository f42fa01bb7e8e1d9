//! What `#[tool]` and `#[tools]` say: the cases are in `tests/ui`.
