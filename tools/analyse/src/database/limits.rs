//! Limits of a stored or requested search.

use super::Stored;
use std::time::Duration;

/// Limits of a search, which ends at the first one reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Time.
    pub time: Option<Duration>,
    /// Depth in plies.
    pub depth: Option<i32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
}

impl SearchLimits {
    /// Whether a stored search satisfies these limits: it reached one of them, or ended by itself under limits at least
    /// as large.
    pub fn is_met_by(&self, stored: &Stored) -> bool {
        let found = &stored.analysis;
        let reached = self.time.is_some_and(|time| found.time >= time)
            || self.depth.is_some_and(|depth| found.depth >= depth)
            || self.nodes.is_some_and(|nodes| found.nodes >= nodes);
        let over = found.lines.iter().all(|line| line.pv.is_empty());
        over || reached || (stored.finished && self.is_within(&stored.conditions.requested))
    }

    /// Whether no limit exceeds that of `other`.
    fn is_within(&self, other: &Self) -> bool {
        fn within<T: PartialOrd>(one: Option<T>, other: Option<T>) -> bool {
            match (one, other) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(one), Some(other)) => one <= other,
            }
        }
        within(self.time, other.time) && within(self.depth, other.depth) && within(self.nodes, other.nodes)
    }

    /// Whether the result must be reproducible, so the search must start from scratch: a node limit.
    pub fn is_exact(&self) -> bool {
        self.nodes.is_some()
    }
}
