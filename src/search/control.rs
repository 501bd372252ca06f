//! Stop flag, clock and node budget of a search.

use super::clock::Bounds;
use super::limits::{Limits, SearchOptions};
use super::params::Params;
use crate::chess::Color;
use crate::sync::CachePadded;
use crate::sync::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Decides when a search ends.
pub(crate) struct Control {
    /// Time of `go`.
    pub start: Instant,
    /// Time bounds; `None` without a clock and for infinite searches.
    pub bounds: Option<Bounds>,
    /// Nodes that count as a millisecond; 0 uses wall-clock time.
    nodes_time: u64,
    stop: CachePadded<AtomicBool>,
    ponder: AtomicU8,
    /// Nodes left, if limited.
    budget: Option<CachePadded<AtomicU64>>,
    /// Nodes reserved for the main thread, so that it always has a result.
    reserve: u64,
}

/// Searching on its own time.
const NOT_PONDERING: u8 = 0;
/// Pondering: searching on the opponent's time.
const PONDERING: u8 = 1;
/// Pondering, and would have ended on its own time.
const PONDERED_ENOUGH: u8 = 2;

impl Control {
    /// Nodes between two limit checks of a thread.
    pub(crate) const QUANTUM: u64 = 512;

    /// The control of a search that starts now, for the side to move.
    pub(crate) fn new(limits: &Limits, side: Color, options: &SearchOptions, params: &Params) -> Self {
        let nodes = limits.nodes.map(|nodes| nodes.max(1));
        let reserve = nodes.map_or(0, |nodes| nodes.min(Self::QUANTUM));
        Self {
            start: Instant::now(),
            bounds: Bounds::new(limits, side, options.move_overhead, params).filter(|_| !limits.infinite),
            nodes_time: options.nodes_time,
            stop: CachePadded::default(),
            ponder: AtomicU8::new(if limits.ponder { PONDERING } else { NOT_PONDERING }),
            budget: nodes.map(|nodes| CachePadded::new(AtomicU64::new(nodes - reserve))),
            reserve,
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Sets the stop flag. Relaxed suffices: nothing else is published with it.
    pub(crate) fn request_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Switches to the search's own time, and stops if it would have ended by now.
    pub(crate) fn ponder_hit(&self) {
        // One atomic holds both states, so `ponderhit` and the end of an iteration cannot miss each other.
        if self.ponder.swap(NOT_PONDERING, Ordering::Relaxed) == PONDERED_ENOUGH {
            self.request_stop();
        }
    }

    pub(crate) fn is_pondering(&self) -> bool {
        self.ponder.load(Ordering::Relaxed) != NOT_PONDERING
    }

    /// Whether the search ends, given whether it has searched `enough`. A pondering search does not end; `ponder_hit` uses the last answer.
    pub(crate) fn may_end(&self, enough: bool) -> bool {
        let next = if enough { PONDERED_ENOUGH } else { PONDERING };
        let note = |now| (now != NOT_PONDERING).then_some(next);
        self.ponder.fetch_update(Ordering::Relaxed, Ordering::Relaxed, note).is_err() && enough
    }

    /// Time spent, or its equivalent in nodes of all threads.
    pub(crate) fn spent(&self, nodes: impl FnOnce() -> u64) -> Duration {
        match self.nodes_time {
            0 => self.elapsed(),
            rate => Duration::from_secs_f64(nodes() as f64 / rate as f64 / 1e3),
        }
    }

    /// Whether the hard bound is reached.
    pub(crate) fn is_out_of_time(&self, nodes: impl FnOnce() -> u64) -> bool {
        self.bounds.is_some_and(|bounds| !self.is_pondering() && self.spent(nodes) >= bounds.hard)
    }

    /// Wall-clock time of the hard bound; `None` while pondering and with node time.
    pub(crate) fn hard_deadline(&self) -> Option<Instant> {
        let bounds = self.bounds.filter(|_| self.nodes_time == 0 && !self.is_pondering())?;
        self.start.checked_add(bounds.hard)
    }

    /// Initial nodes of a thread. All threads together get exactly the limit.
    pub(crate) fn first_nodes(&self, thread: usize) -> u64 {
        if thread == 0 { self.reserve } else { 0 }
    }

    /// Takes up to [`QUANTUM`](Self::QUANTUM) nodes from the budget; 0 if it is used up.
    pub(crate) fn take_nodes(&self) -> u64 {
        let Some(budget) = &self.budget else { return Self::QUANTUM };
        let take = |left: u64| Some(left - left.min(Self::QUANTUM));
        budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_or(0, |left| left.min(Self::QUANTUM))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(limits: Limits) -> Control {
        Control::new(&limits, Color::White, &SearchOptions::default(), &Params::default())
    }

    #[test]
    fn node_limits_are_exact_with_a_reserve_for_the_main_thread() {
        for limit in [1, 511, 512, 513, 5000] {
            let control = control(Limits { nodes: Some(limit), ..Limits::default() });
            let helpers: u64 = std::iter::repeat_with(|| control.take_nodes()).take_while(|&nodes| nodes > 0).sum();
            assert_eq!(control.first_nodes(0), limit.min(Control::QUANTUM));
            assert_eq!(control.first_nodes(0) + helpers, limit);
            assert_eq!(control.first_nodes(1), 0);
        }
        let unlimited = control(Limits::default());
        assert_eq!((unlimited.first_nodes(0), unlimited.take_nodes()), (0, Control::QUANTUM));
    }

    #[test]
    fn ponderhit_ends_a_search_past_its_time() {
        let ponder = Limits { ponder: true, clock: [Some(1000); 2], ..Limits::default() };
        let overdue = control(ponder);
        assert!(!overdue.may_end(true) && overdue.is_pondering() && overdue.hard_deadline().is_none());
        overdue.ponder_hit();
        assert!(overdue.is_stopped() && !overdue.is_pondering());

        let unfinished = control(ponder);
        assert!(!unfinished.may_end(true) && !unfinished.may_end(false), "the last iteration counts");
        unfinished.ponder_hit();
        assert!(!unfinished.is_stopped() && unfinished.hard_deadline().is_some());
        assert!(unfinished.may_end(true) && !unfinished.may_end(false));
        unfinished.ponder_hit();
        assert!(!unfinished.is_stopped(), "a second ponderhit has no effect");
    }

    #[test]
    fn infinite_search_has_no_deadline() {
        let limits = Limits { infinite: true, movetime: Some(5), ..Limits::default() };
        assert!(control(limits).hard_deadline().is_none() && control(limits).bounds.is_none());
    }
}
