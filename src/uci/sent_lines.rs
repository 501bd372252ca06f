//! Printed lines of play.

use super::format;
use super::protocol::Protocol;
use lento::chess::Board;
use lento::search::report::{Info, Outcome};
use std::time::{Duration, Instant};

/// The last printed state of each MultiPV line and its time, in printing order.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentLines(Vec<(Info, Instant)>);

impl SentLines {
    /// Interval at which lines are repeated: three seconds, less half a second of slack for busy machines.
    pub(crate) const REPEAT_AFTER: Duration = Duration::from_millis(2500);

    pub(crate) fn record(&mut self, info: Info, now: Instant) {
        self.0.retain(|(sent, _)| sent.multipv != info.multipv);
        self.0.push((info, now));
    }

    /// Whether these lines equal the last printed ones, including their nodes.
    fn matches(&self, lines: &[Info]) -> bool {
        self.0.len() == lines.len()
            && self.0.iter().zip(lines).all(|((sent, _), line)| {
                let state = |info: &Info| (info.depth, info.multipv, info.score, info.bound, info.nodes);
                state(sent) == state(line) && sent.pv == line.pv
            })
    }

    /// The final lines of a search that were not printed, or why there is no move.
    pub(crate) fn rest(&self, root: &Board, outcome: &Outcome, protocol: &Protocol) -> Vec<String> {
        if outcome.best.is_none() {
            vec![format::no_move(root, protocol)]
        } else if self.matches(&outcome.lines) {
            Vec::new()
        } else {
            outcome.lines.iter().map(|line| format::info(root, line, protocol)).collect()
        }
    }

    /// When the next line is due for repetition.
    pub(crate) fn due(&self, after: Duration) -> Option<Instant> {
        self.0.iter().map(|(_, printed)| *printed + after).min()
    }

    /// Takes the lines that are due, best first, and restarts their timers.
    pub(crate) fn take_due(&mut self, now: Instant, after: Duration) -> Vec<Info> {
        let mut due = Vec::new();
        for (info, printed) in &mut self.0 {
            if now >= *printed + after {
                *printed = now;
                due.push(info.clone());
            }
        }
        due.sort_by_key(|info| info.multipv);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::score::Bound;

    #[test]
    fn lines_are_compared_with_the_last_round() {
        let now = Instant::now();
        let info = |depth, multipv, bound| Info { depth, multipv, bound, nodes: 1, ..Info::default() };
        let round = |depth| [info(depth, 1, Bound::Exact), info(depth, 2, Bound::Exact)];
        let mut sent = SentLines::default();
        assert!(sent.matches(&[]) && !sent.matches(&round(1)));
        for depth in 1..=2 {
            round(depth).into_iter().for_each(|line| sent.record(line, now));
            assert!(sent.matches(&round(depth)) && !sent.matches(&round(depth + 1)));
        }
        sent.record(info(3, 1, Bound::Lower), now);
        assert!(!sent.matches(&round(2)), "half of a new round was printed");
        sent.record(info(3, 2, Bound::Exact), now);
        assert!(!sent.matches(&round(3)), "a bound is not the exact score");
        sent.record(info(3, 1, Bound::Exact), now);
        sent.record(info(3, 2, Bound::Exact), now);
        assert!(sent.matches(&round(3)));
        assert!(!sent.matches(&round(3).map(|line| Info { nodes: 2, ..line })), "the nodes differ");
    }

    #[test]
    fn each_line_has_its_own_timer() {
        const AFTER: Duration = Duration::from_secs(10);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let info = |multipv, depth| Info { multipv, depth, ..Info::default() };
        let mut sent = SentLines::default();
        let due = |sent: &mut SentLines, seconds| {
            let lines = sent.take_due(at(seconds), AFTER);
            lines.iter().map(|info| (info.multipv, info.depth)).collect::<Vec<_>>()
        };
        assert_eq!((sent.due(AFTER), due(&mut sent, 100)), (None, vec![]));
        sent.record(info(2, 7), at(1));
        sent.record(info(1, 7), at(0));
        sent.record(info(1, 8), at(5));
        assert_eq!((sent.due(AFTER), due(&mut sent, 10)), (Some(at(11)), vec![]));
        assert_eq!(due(&mut sent, 11), [(2, 7)]);
        assert_eq!((sent.due(AFTER), due(&mut sent, 21)), (Some(at(15)), vec![(1, 8), (2, 7)]));
        assert_eq!(sent.due(AFTER), Some(at(31)));
    }
}
