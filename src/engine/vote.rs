//! The vote on which thread's result to play.

use crate::score::{MATE_IN_MAX, Score};
use crate::search::threads::ThreadResult;

/// Selects the move with the most votes, and its best result.
///
/// A vote's weight is the finished depth times the margin over the worst score. A proven win beats everything, the
/// shortest first; a proven loss beats only longer ones. Ties go to the better score, then the greater depth, then the
/// lower thread number, so the result does not depend on the order of results.
pub fn elect(results: &[ThreadResult]) -> Option<&ThreadResult> {
    let score = |result: &ThreadResult| result.lines.first().map_or(Score::MIN, |line| line.score);
    let best_move = |result: &ThreadResult| result.lines.first().and_then(|line| line.pv.first().copied());
    let worst = results.iter().filter(|result| result.depth > 0).map(score).min()?;
    let weight = |result: &ThreadResult| i64::from(score(result) - worst + 14) * i64::from(result.depth);
    let votes = |result: &ThreadResult| -> i64 {
        results.iter().filter(|other| best_move(other) == best_move(result)).map(weight).sum()
    };
    let rank = |result: &ThreadResult| {
        let proven = if score(result) >= MATE_IN_MAX { score(result) } else { 0 };
        (proven, votes(result), score(result), result.depth, std::cmp::Reverse(result.thread))
    };
    results.iter().filter(|result| result.depth > 0).max_by_key(|result| rank(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Move, MoveKind, Square};
    use crate::score::{Bound, mate_in};
    use crate::search::report::{Info, PvLine};
    use std::time::Duration;

    fn result(thread: usize, depth: i32, to: Square, score: Score) -> ThreadResult {
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
        ThreadResult { thread, depth, lines: vec![info] }
    }

    fn winner(results: &[ThreadResult]) -> usize {
        let mut reversed = results.to_vec();
        reversed.reverse();
        let winner = elect(results).unwrap().thread;
        assert_eq!(elect(&reversed).unwrap().thread, winner, "the order of results must not matter");
        winner
    }

    #[test]
    fn majority_beats_a_single_score() {
        let results = [
            result(0, 10, Square::B1, 30),
            result(1, 10, Square::C1, 20),
            result(2, 10, Square::C1, 22),
            result(3, 10, Square::C1, 25),
        ];
        assert_eq!(winner(&results), 3);
    }

    #[test]
    fn the_shortest_mate_wins() {
        let results = [
            result(0, 20, Square::B1, 500),
            result(1, 20, Square::B1, 500),
            result(2, 8, Square::C1, mate_in(9)),
            result(3, 8, Square::D1, mate_in(5)),
        ];
        assert_eq!(winner(&results), 3);
    }

    #[test]
    fn ties_go_to_score_depth_and_then_number() {
        assert_eq!(winner(&[result(0, 9, Square::B1, 10), result(1, 9, Square::B1, 10)]), 0);
        assert_eq!(winner(&[result(0, 9, Square::B1, 10), result(1, 10, Square::B1, 10)]), 1);
        assert_eq!(winner(&[result(0, 9, Square::B1, 10), result(1, 9, Square::B1, 11)]), 1);
    }

    #[test]
    fn threads_without_a_finished_depth_do_not_vote() {
        assert_eq!(winner(&[result(0, 1, Square::B1, -900), result(1, 0, Square::C1, 0)]), 0);
        assert!(elect(&[]).is_none());
    }
}
