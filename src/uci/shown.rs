//! Which lines of play have been shown.

use crate::search::report::Info;

/// The latest state of each line as it was shown: with several lines, one for each.
#[derive(Clone, Debug, Default)]
pub struct ShownLines {
    lines: Vec<Info>,
}

impl ShownLines {
    /// Remembers a state. It begins a new round for its line and those behind it.
    pub fn remember(&mut self, info: Info) {
        self.lines.retain(|shown| shown.multipv < info.multipv);
        self.lines.push(info);
    }

    /// Whether these lines are what was shown last, to the node: then showing them again is no news.
    pub fn has(&self, lines: &[Info]) -> bool {
        self.lines.len() == lines.len()
            && self.lines.iter().zip(lines).all(|(shown, line)| {
                let state = |info: &Info| (info.depth, info.multipv, info.score, info.bound, info.nodes);
                state(shown) == state(line) && shown.pv == line.pv
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Bound;
    use std::time::Duration;

    fn info(depth: i32, multipv: usize, bound: Bound) -> Info {
        Info {
            depth,
            seldepth: depth,
            multipv,
            score: 10,
            bound,
            nodes: 1,
            elapsed: Duration::ZERO,
            hashfull: 0,
            tb_hits: 0,
            pv: Default::default(),
        }
    }

    #[test]
    fn news_is_what_differs_from_the_last_round() {
        let round = |depth| [info(depth, 1, Bound::Exact), info(depth, 2, Bound::Exact)];
        let mut shown = ShownLines::default();
        assert!(shown.has(&[]) && !shown.has(&round(1)));
        for depth in 1..=2 {
            round(depth).into_iter().for_each(|line| shown.remember(line));
            assert!(shown.has(&round(depth)) && !shown.has(&round(depth + 1)));
        }
        shown.remember(info(3, 1, Bound::Lower));
        assert!(!shown.has(&round(2)), "half of a new round was shown since");
        assert!(!shown.has(&[info(3, 1, Bound::Exact)]), "a bound is not the exact score");
        assert!(shown.has(&[info(3, 1, Bound::Lower)]));
        assert!(!shown.has(&[Info { nodes: 2, ..info(3, 1, Bound::Lower) }]), "more nodes are news");
    }
}
