//! The shared transposition table.
