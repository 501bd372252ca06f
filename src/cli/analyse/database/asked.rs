//! How much of a search was asked for.

use super::Stored;
use std::time::Duration;

/// The limits of a search; it ends with the first that is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// How long.
    pub time: Option<Duration>,
    /// How deep, in plies.
    pub depth: Option<i32>,
    /// How many nodes, over all threads.
    pub nodes: Option<u64>,
}

impl Asked {
    /// Whether an earlier search has done what is asked for: it has reached one of the limits, or ended by itself under limits
    /// that were no smaller.
    pub fn is_met_by(&self, stored: &Stored) -> bool {
        let found = &stored.analysis;
        let reached = self.time.is_some_and(|time| found.time >= time)
            || self.depth.is_some_and(|depth| found.depth >= depth)
            || self.nodes.is_some_and(|nodes| found.nodes >= nodes);
        let over = found.lines.iter().all(|line| line.pv.is_empty());
        over || reached || (stored.finished && self.is_within(&stored.conditions.asked))
    }

    /// Whether none of the limits is greater than that of the other.
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

    /// Whether the result has to be that of a search from nothing: the nodes are counted.
    pub fn is_exact(&self) -> bool {
        self.nodes.is_some()
    }
}
