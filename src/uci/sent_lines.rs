//! Which lines of play have been printed.

use crate::search::report::Info;

/// The latest printed state of each MultiPV line.
#[derive(Clone, Debug, Default)]
pub struct SentLines {
    lines: Vec<Info>,
}

impl SentLines {
    /// Records a printed line, dropping later ones of the previous round.
    pub fn record(&mut self, info: Info) {
        self.lines.retain(|sent| sent.multipv < info.multipv);
        self.lines.push(info);
    }

    /// Whether these lines equal the last printed ones, including their nodes.
    pub fn matches(&self, lines: &[Info]) -> bool {
        self.lines.len() == lines.len()
            && self.lines.iter().zip(lines).all(|(sent, line)| {
                let state = |info: &Info| (info.depth, info.multipv, info.score, info.bound, info.nodes);
                state(sent) == state(line) && sent.pv == line.pv
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
    fn lines_are_compared_with_the_last_round() {
        let round = |depth| [info(depth, 1, Bound::Exact), info(depth, 2, Bound::Exact)];
        let mut sent = SentLines::default();
        assert!(sent.matches(&[]) && !sent.matches(&round(1)));
        for depth in 1..=2 {
            round(depth).into_iter().for_each(|line| sent.record(line));
            assert!(sent.matches(&round(depth)) && !sent.matches(&round(depth + 1)));
        }
        sent.record(info(3, 1, Bound::Lower));
        assert!(!sent.matches(&round(2)), "half of a new round was printed since");
        assert!(!sent.matches(&[info(3, 1, Bound::Exact)]), "a bound is not the exact score");
        assert!(sent.matches(&[info(3, 1, Bound::Lower)]));
        assert!(!sent.matches(&[Info { nodes: 2, ..info(3, 1, Bound::Lower) }]), "the nodes differ");
    }
}
