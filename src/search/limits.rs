//! Limits of a search.

/// The limits of `go` as given. Times are in milliseconds and may be negative, as GUIs send them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum depth, in plies.
    pub depth: Option<i32>,
    /// Maximum nodes of all threads.
    pub nodes: Option<u64>,
    /// Nodes of all threads after which no iteration begins.
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
    pub fn ends_by_itself(&self, ponderhit: bool) -> bool {
        let limited = self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.movetime.is_some()
            || self.mate.is_some()
            || self.clock.iter().any(Option::is_some);
        limited && !self.infinite && (!self.ponder || ponderhit)
    }
}
