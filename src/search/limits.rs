//! Limits and options of a search.

use super::history::Sharing;
use super::lbr::Lbr;
use super::stagger::Stagger;
use crate::named::named_enum;

/// The limits of `go` as given. Times are in milliseconds and may be negative, as GUIs send them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum depth, in plies.
    pub depth: Option<i32>,
    /// Maximum nodes of all threads.
    pub nodes: Option<u64>,
    /// Soft limit: nodes of all threads after which no iteration starts.
    pub soft_nodes: Option<u64>,
    /// Time for the move.
    pub movetime: Option<i64>,
    /// Time left on the clocks of White and Black.
    pub clock: [Option<i64>; 2],
    /// Increments per move of White and Black.
    pub increment: [Option<i64>; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Stop once a mate in this number of moves is proved, by either side, or refuted.
    pub mate: Option<u32>,
    /// No result before `stop`.
    pub infinite: bool,
    /// Search on the opponent's time: no result before `ponderhit` or `stop`.
    pub ponder: bool,
}

impl Limits {
    /// Whether the search ends without `stop`, given whether `ponderhit` is received.
    pub fn is_finite(&self, ponderhit: bool) -> bool {
        let limited = self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.movetime.is_some()
            || self.mate.is_some()
            || self.clock.iter().any(Option::is_some);
        limited && !self.infinite && (!self.ponder || ponderhit)
    }
}

named_enum! {
    /// Whether and how searches on several threads are reproducible under depth and node limits.
    pub enum Determinism {
        /// Threads run freely.
        #[default]
        Off = "false",
        /// All threads search at once, in rounds, and share only the table, at some cost in speed.
        Rounds = "true",
        /// One thread searches at a time, with the usual sharing: for games with many threads on few CPUs.
        Turns = "turns",
    }
}

/// Search options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Number of lines to report, from 1.
    pub multi_pv: u64,
    /// Time reserved for communication with the GUI, in milliseconds.
    pub move_overhead: u64,
    /// Nodes that count as a millisecond; 0 uses wall-clock time.
    pub nodes_time: u64,
    /// Depths of helper threads.
    pub stagger: Stagger,
    /// Which threads share histories.
    pub shared_history: Sharing,
    /// Number of the main thread among the threads of all processes that search the position, for [`Stagger`].
    pub first_thread: usize,
    /// Last Best Reply variant.
    pub lbr: Lbr,
    /// Whether searches on several threads are reproducible.
    pub deterministic: Determinism,
    /// Minimum depth to probe tablebases at the piece limit, in plies.
    pub probe_depth: u64,
    /// Maximum number of pieces to probe tablebases.
    pub probe_limit: u64,
    /// Whether tablebase wins that the fifty-move rule prevents count as draws.
    pub fifty_move_rule: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            move_overhead: 10,
            nodes_time: 0,
            stagger: Stagger::default(),
            shared_history: Sharing::default(),
            first_thread: 0,
            lbr: Lbr::default(),
            deterministic: Determinism::Off,
            probe_depth: 1,
            probe_limit: crate::tb::MAX_PIECES as u64,
            fifty_move_rule: true,
        }
    }
}

impl SearchOptions {
    /// Whether several threads share histories.
    pub(crate) fn shares_histories(&self) -> bool {
        self.shared_history == Sharing::Cache && self.deterministic != Determinism::Rounds
    }
}
