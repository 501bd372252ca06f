//! What a listener was told about the lines of play.

use crate::score::Bound;
use crate::search::report::Info;

/// The latest state of each line, as it was told: with several lines, one for each.
#[derive(Clone, Debug, Default)]
pub struct Told {
    lines: Vec<Info>,
}

impl Told {
    /// Remembers a state. It begins a new round for its line and those behind it.
    pub fn remember(&mut self, info: Info) {
        self.lines.retain(|told| told.multipv < info.multipv);
        self.lines.push(info);
    }

    /// Whether these lines, all exact, are what was told last: then telling them again is no news.
    pub fn has(&self, lines: &[Info]) -> bool {
        self.lines.len() == lines.len()
            && self.lines.iter().zip(lines).all(|(told, line)| {
                let place = |info: &Info| (info.depth, info.multipv, info.score);
                told.bound == Bound::Exact && place(told) == place(line) && told.pv == line.pv
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            pv: Default::default(),
        }
    }

    #[test]
    fn news_is_what_differs_from_the_last_round() {
        let round = |depth| [info(depth, 1, Bound::Exact), info(depth, 2, Bound::Exact)];
        let mut told = Told::default();
        assert!(told.has(&[]) && !told.has(&round(1)));
        for depth in 1..=2 {
            round(depth).into_iter().for_each(|line| told.remember(line));
            assert!(told.has(&round(depth)) && !told.has(&round(depth + 1)));
        }
        told.remember(info(3, 1, Bound::Lower));
        assert!(!told.has(&round(2)), "half of a new round was told since");
        assert!(!told.has(&[info(3, 1, Bound::Exact)]), "a bound is not the exact score");
    }
}
