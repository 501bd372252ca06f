//! A window into the search for those who measure it.

use super::lbr::LbrStats;
use super::lmr::LmrStats;
use super::sample::Sampler;
use super::visits::Visitor;
use crate::chess::{Board, Move};
use crate::score::Score;

/// What became of one scouted move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scouted {
    /// Depth of the node, in plies.
    pub depth: i32,
    /// Number of the move in its node, from 1.
    pub number: usize,
    /// Plies by which the move was searched less deep; 0 or below: not reduced.
    pub reduction: i32,
    /// Whether the reduced search failed high and was verified at full depth.
    pub verified: bool,
    /// Whether the verification failed high as well.
    pub confirmed: bool,
}

/// Is told what the search does, and may stand between it and the board. Each method changes nothing unless a probe has its own.
pub trait SearchProbe {
    /// What is made of the evaluation of a position.
    #[inline(always)]
    fn judged(&self, _board: &Board, value: Score) -> Score {
        value
    }

    /// Whether a move is overlooked so many plies from the root.
    #[inline(always)]
    fn overlooks(&self, _board: &Board, _move: Move, _ply: usize) -> bool {
        false
    }

    /// The first move of a node of this remaining depth is going to be searched, so many plies from the root.
    #[inline(always)]
    fn searched_first(&mut self, _board: &Board, _ply: usize, _depth: i32) {}

    /// A move after the first has been searched.
    #[inline(always)]
    fn scouted(&mut self, _move: Scouted) {}

    /// A node has looked its position up in the table, and whether the table knew it.
    #[inline(always)]
    fn looked_up(&mut self, _key: u64, _known: bool) {}

    /// A node has asked for the last best reply, and this is what the store knew. It may be illegal on the board.
    #[inline(always)]
    fn reply_asked(&mut self, _board: &Board, _reply: Option<Move>) {}

    /// A node's search has ended with a best move, by failing high or not. `reply` is what the store of replies had known.
    #[inline(always)]
    fn best_found(&mut self, _best: Move, _reply: Option<Move>, _cutoff: bool) {}
}

/// Sees nothing and costs nothing: what play uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl SearchProbe for NoProbe {}

/// Counts what Last Best Reply and reductions do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// What Last Best Reply did.
    pub lbr: LbrStats,
    /// What reductions did.
    pub lmr: LmrStats,
}

impl SearchStats {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        self.lbr.add(&other.lbr);
        self.lmr.add(&other.lmr);
    }
}

/// Counts, notes visits where they are to be noted, and draws positions where some are wanted.
impl SearchProbe for (&mut SearchStats, Option<Visitor<'_>>, Option<Sampler<'_>>) {
    #[inline(always)]
    fn searched_first(&mut self, board: &Board, ply: usize, depth: i32) {
        self.0.lmr.cell(depth, 1).moves += 1;
        self.2.iter_mut().for_each(|sampler| sampler.searched_first(board, ply, depth));
    }

    #[inline(always)]
    fn scouted(&mut self, what: Scouted) {
        let cell = self.0.lmr.cell(what.depth, what.number);
        cell.moves += 1;
        if what.reduction > 0 {
            cell.reduced += 1;
            cell.plies += what.reduction as u64;
            cell.verified += u64::from(what.verified);
            cell.confirmed += u64::from(what.confirmed);
        }
    }

    #[inline(always)]
    fn looked_up(&mut self, key: u64, known: bool) {
        self.1.iter_mut().for_each(|visitor| visitor.looked_up(key, known));
    }

    #[inline(always)]
    fn reply_asked(&mut self, board: &Board, reply: Option<Move>) {
        self.0.lbr.asked += 1;
        if let Some(reply) = reply {
            self.0.lbr.first_matches += 1;
            self.0.lbr.second_matches += u64::from(board.is_legal(reply));
        }
    }

    #[inline(always)]
    fn best_found(&mut self, best: Move, reply: Option<Move>, cutoff: bool) {
        if reply == Some(best) {
            self.0.lbr.best += 1;
            self.0.lbr.cutoffs += u64::from(cutoff);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{MoveKind, Square};

    #[test]
    fn each_count_is_a_part_of_the_one_before_it() {
        let board = Board::start();
        let legal = Move::new(Square::G1, Square::F3, MoveKind::Quiet);
        let illegal = Move::new(Square::G1, Square::F3, MoveKind::Capture);
        let mut stats = SearchStats::default();
        // What the store answered, the best move if there was one, and whether it failed high.
        for (reply, best) in [
            (None, None),
            (None, Some((legal, true))),
            (Some(illegal), Some((legal, true))),
            (Some(legal), None),
            (Some(legal), Some((Move::new(Square::E2, Square::E4, MoveKind::DoublePush), true))),
            (Some(legal), Some((legal, false))),
            (Some(legal), Some((legal, true))),
        ] {
            (&mut stats, None, None).reply_asked(&board, reply);
            if let Some((best, cutoff)) = best {
                (&mut stats, None, None).best_found(best, reply, cutoff);
            }
        }
        assert_eq!(stats.lbr, LbrStats { asked: 7, first_matches: 5, second_matches: 4, best: 2, cutoffs: 1 });
    }
}
