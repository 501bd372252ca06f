//! Measuring tools for Lento.

fn main() {}
