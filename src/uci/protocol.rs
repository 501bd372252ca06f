//! Protocol settings, which do not concern the engine.

use std::path::PathBuf;
use std::time::Duration;

/// Options read when lines are read or printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protocol {
    /// Whether moves and FENs are in Chess960 notation.
    pub chess960: bool,
    /// Whether `info` lines include win, draw and loss probabilities.
    pub show_wdl: bool,
    /// Whether the GUI may start ponder searches.
    pub ponder: bool,
    /// The file of `savehash` and `loadhash`.
    pub hash_file: Option<PathBuf>,
    /// Interval of automatic saves while searching; zero for none.
    pub auto_save: Duration,
}
