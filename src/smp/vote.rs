//! Which thread's result to play.

use crate::score::{MATE_IN_MAX, Score};
use crate::search::root::Report;

/// The report to play: the move with the most votes, from the thread that makes the best case for it.
///
/// A thread votes for its move with the depth it finished times how far its score lies above the worst one. A
/// proven win outvotes everything, the shortest first; a proven loss counts only against longer ones.
/// Ties go to the better score, then the greater depth, then the lower thread number, so the result does not depend on the
/// order in which the threads ended.
pub fn elect(reports: &[Report]) -> Option<&Report> {
    let score = |report: &Report| report.lines.first().map_or(Score::MIN, |line| line.score);
    let best_move = |report: &Report| report.lines.first().and_then(|line| line.pv.first().copied());
    let worst = reports.iter().filter(|report| report.depth > 0).map(score).min()?;
    let weight = |report: &Report| i64::from(score(report) - worst + 14) * i64::from(report.depth);
    let votes = |report: &Report| -> i64 {
        reports.iter().filter(|other| best_move(other) == best_move(report)).map(weight).sum()
    };
    let rank = |report: &Report| {
        let proven = if score(report) >= MATE_IN_MAX { score(report) } else { 0 };
        (proven, votes(report), score(report), report.depth, std::cmp::Reverse(report.thread))
    };
    reports.iter().filter(|report| report.depth > 0).max_by_key(|report| rank(report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Move, MoveKind, Square};
    use crate::score::{Bound, mate_in};
    use crate::search::report::{Info, Line};
    use std::time::Duration;

    fn report(thread: usize, depth: i32, to: Square, score: Score) -> Report {
        let pv = Line::from_iter([Move::new(Square::A1, to, MoveKind::Quiet)]);
        let info = Info {
            depth,
            seldepth: depth,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            elapsed: Duration::ZERO,
            hashfull: 0,
            pv,
        };
        Report { thread, depth, lines: vec![info] }
    }

    fn winner(reports: &[Report]) -> usize {
        let mut reversed = reports.to_vec();
        reversed.reverse();
        let winner = elect(reports).unwrap().thread;
        assert_eq!(elect(&reversed).unwrap().thread, winner, "the order of reports must not matter");
        winner
    }

    #[test]
    fn majority_beats_a_single_score() {
        let reports = [
            report(0, 10, Square::B1, 30),
            report(1, 10, Square::C1, 20),
            report(2, 10, Square::C1, 22),
            report(3, 10, Square::C1, 25),
        ];
        assert_eq!(winner(&reports), 3);
    }

    #[test]
    fn the_shortest_mate_wins() {
        let reports = [
            report(0, 20, Square::B1, 500),
            report(1, 20, Square::B1, 500),
            report(2, 8, Square::C1, mate_in(9)),
            report(3, 8, Square::D1, mate_in(5)),
        ];
        assert_eq!(winner(&reports), 3);
    }

    #[test]
    fn ties_go_to_score_depth_and_then_number() {
        assert_eq!(winner(&[report(0, 9, Square::B1, 10), report(1, 9, Square::B1, 10)]), 0);
        assert_eq!(winner(&[report(0, 9, Square::B1, 10), report(1, 10, Square::B1, 10)]), 1);
        assert_eq!(winner(&[report(0, 9, Square::B1, 10), report(1, 9, Square::B1, 11)]), 1);
    }

    #[test]
    fn threads_without_a_finished_depth_do_not_vote() {
        assert_eq!(winner(&[report(0, 1, Square::B1, -900), report(1, 0, Square::C1, 0)]), 0);
        assert!(elect(&[]).is_none());
    }
}
