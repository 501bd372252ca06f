//! How often Last Best Reply has something to say, and how often it is right.

use crate::chess::{Board, Move};

/// Counts of nodes, each a part of the one before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LbrStats {
    /// The moves that have to match are there, so the store was asked.
    pub asked: u64,
    /// First match: the store knew a reply to them.
    pub first_matches: u64,
    /// Second match: that reply is a legal move of the node.
    pub second_matches: u64,
    /// The node's search ended with that reply as its best move.
    pub best: u64,
    /// It failed high by that reply.
    pub cutoffs: u64,
}

impl LbrStats {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.first_matches += other.first_matches;
        self.second_matches += other.second_matches;
        self.best += other.best;
        self.cutoffs += other.cutoffs;
    }

    /// A node has asked, and this is what the store knew.
    #[inline(always)]
    pub fn reply_asked(&mut self, board: &Board, reply: Option<Move>) {
        self.asked += 1;
        if let Some(reply) = reply {
            self.first_matches += 1;
            self.second_matches += u64::from(board.is_legal(reply));
        }
    }

    /// A node's search has ended with a best move, by failing high or not.
    #[inline(always)]
    pub fn best_found(&mut self, best: Move, reply: Option<Move>, cutoff: bool) {
        if reply == Some(best) {
            self.best += 1;
            self.cutoffs += u64::from(cutoff);
        }
    }

    /// The counts with their names, in order.
    pub fn rows(&self) -> [(&'static str, u64); 5] {
        [
            ("nodes that asked", self.asked),
            ("first matches", self.first_matches),
            ("second matches", self.second_matches),
            ("reply best", self.best),
            ("cutoffs by it", self.cutoffs),
        ]
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
        let mut stats = LbrStats::default();
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
            stats.reply_asked(&board, reply);
            if let Some((best, cutoff)) = best {
                stats.best_found(best, reply, cutoff);
            }
        }
        assert_eq!(stats, LbrStats { asked: 7, first_matches: 5, second_matches: 4, best: 2, cutoffs: 1 });
    }
}
