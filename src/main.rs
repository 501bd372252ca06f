//! The `lento` binary.

fn main() {}
