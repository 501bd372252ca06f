//! The vote on which thread's result to play.

use crate::score::{MATE_IN_MAX, Score};
use crate::search::findings::Finding;

/// Selects the move with the most votes, and its best finding.
///
/// A vote's weight is the finished depth times the margin over the worst score. A proven win beats everything, the
/// shortest first; a proven loss beats only longer ones. Ties go to the better score, then the greater depth, then the
/// lower thread number, so the result does not depend on the order of findings.
pub fn elect(findings: &[Finding]) -> Option<&Finding> {
    let score = |finding: &Finding| finding.lines.first().map_or(Score::MIN, |line| line.score);
    let best_move = |finding: &Finding| finding.lines.first().and_then(|line| line.pv.first().copied());
    let worst = findings.iter().filter(|finding| finding.depth > 0).map(score).min()?;
    let weight = |finding: &Finding| i64::from(score(finding) - worst + 14) * i64::from(finding.depth);
    let votes = |finding: &Finding| -> i64 {
        findings.iter().filter(|other| best_move(other) == best_move(finding)).map(weight).sum()
    };
    let rank = |finding: &Finding| {
        let proven = if score(finding) >= MATE_IN_MAX { score(finding) } else { 0 };
        (proven, votes(finding), score(finding), finding.depth, std::cmp::Reverse(finding.thread))
    };
    findings.iter().filter(|finding| finding.depth > 0).max_by_key(|finding| rank(finding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Move, MoveKind, Square};
    use crate::score::{Bound, mate_in};
    use crate::search::report::{Info, PvLine};
    use std::time::Duration;

    fn finding(thread: usize, depth: i32, to: Square, score: Score) -> Finding {
        let pv = PvLine::from_iter([Move::new(Square::A1, to, MoveKind::Quiet)]);
        let info = Info {
            depth,
            seldepth: depth,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            elapsed: Duration::ZERO,
            hashfull: 0,
            tb_hits: 0,
            pv,
        };
        Finding { thread, depth, lines: vec![info] }
    }

    fn winner(findings: &[Finding]) -> usize {
        let mut reversed = findings.to_vec();
        reversed.reverse();
        let winner = elect(findings).unwrap().thread;
        assert_eq!(elect(&reversed).unwrap().thread, winner, "the order of findings must not matter");
        winner
    }

    #[test]
    fn majority_beats_a_single_score() {
        let findings = [
            finding(0, 10, Square::B1, 30),
            finding(1, 10, Square::C1, 20),
            finding(2, 10, Square::C1, 22),
            finding(3, 10, Square::C1, 25),
        ];
        assert_eq!(winner(&findings), 3);
    }

    #[test]
    fn the_shortest_mate_wins() {
        let findings = [
            finding(0, 20, Square::B1, 500),
            finding(1, 20, Square::B1, 500),
            finding(2, 8, Square::C1, mate_in(9)),
            finding(3, 8, Square::D1, mate_in(5)),
        ];
        assert_eq!(winner(&findings), 3);
    }

    #[test]
    fn ties_go_to_score_depth_and_then_number() {
        assert_eq!(winner(&[finding(0, 9, Square::B1, 10), finding(1, 9, Square::B1, 10)]), 0);
        assert_eq!(winner(&[finding(0, 9, Square::B1, 10), finding(1, 10, Square::B1, 10)]), 1);
        assert_eq!(winner(&[finding(0, 9, Square::B1, 10), finding(1, 9, Square::B1, 11)]), 1);
    }

    #[test]
    fn threads_without_a_finished_depth_do_not_vote() {
        assert_eq!(winner(&[finding(0, 1, Square::B1, -900), finding(1, 0, Square::C1, 0)]), 0);
        assert!(elect(&[]).is_none());
    }
}
