//! What a `go` asks for.

/// The limits of a search as they were given, none invented. Times are in milliseconds and may be negative, as GUIs send
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Deepest iteration, in plies.
    pub depth: Option<i32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
    /// No new iteration once this many nodes have been searched, over all threads.
    pub soft_nodes: Option<u64>,
    /// Exactly this long.
    pub movetime: Option<i64>,
    /// Time left on the clocks of White and Black.
    pub clock: [Option<i64>; 2],
    /// Increments per move of White and Black.
    pub increment: [Option<i64>; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Stop as soon as a mate in this many moves is proved, of either side, or that there is none.
    pub mate: Option<u32>,
    /// No answer before `stop`.
    pub infinite: bool,
    /// Thinking on the opponent's time: no answer before `ponderhit` or `stop`.
    pub ponder: bool,
}

impl Limits {
    /// Whether the search can end without being told to stop; one that ponders only after `ponderhit`.
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
