//! Reductions by recipes that read more than depth, number and cheap facts.

use super::{Fact, Facts, Signal};
use crate::chess::{Bitboard, Board, Move, PieceType};
use crate::eval::classical::{Terms, square_gain};
use crate::score::Score;
use crate::search::move_facts::MoveFacts;
use crate::search::node::{Node, NodeState};
use crate::search::observer::Observer;
use crate::search::worker::Search;

/// The first iteration with [`Fact::RootBest`].
const ROOT_BEST_FROM: i32 = 8;

/// The inputs of signals for a move that has been made.
struct MadeMove<'a> {
    board: &'a Board,
    child: &'a Board,
    node: &'a NodeState,
    mv: Move,
    alpha: Score,
    /// Whether SEE is at least 0.
    sound: bool,
    /// Terms of the classical evaluation before and after the move.
    terms: [Terms; 2],
    /// Change of the evaluation, in centipawns; 0 if either side is in check.
    gain: Score,
}

impl<O: Observer> Search<'_, O> {
    /// Returns the reduction in 1/1024 ply; `None` if the gates forbid one.
    #[inline(never)]
    pub(in crate::search) fn reduction_of<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        node: &NodeState,
        facts: &MoveFacts,
        flags: Facts,
        alpha: Score,
    ) -> Option<i32> {
        let lmr = self.lmr;
        let number = if lmr.recipe().counts_quiets { facts.quiet_number } else { facts.number };
        let flags = if lmr.reads(Fact::COSTLY) { flags.union(self.costly_facts::<N>(board, facts)) } else { flags };
        if !lmr.applies(flags, node.depth, number) {
            return None;
        }
        if let Some(fixed) = lmr.fixed(flags) {
            return Some(fixed);
        }
        let history = match lmr.recipe().history_rule {
            Some(_) => self.me.histories.recipe.get(board, facts.mv),
            None => facts.history,
        };
        let mut sum = lmr.sum(facts.quiet, node.depth, number, flags, history);
        sum += lmr.for_correction(node.correction);
        if !lmr.recipe().terms.is_empty() {
            let made = self.made_move(board, child, node, facts.mv, alpha);
            for term in lmr.recipe().terms.iter().filter(|term| made.signal(term.signal) >= term.from) {
                sum += term.change;
            }
        }
        Some(lmr.reduction(sum, N::ROOT))
    }

    /// Computes [`Fact::COSTLY`].
    fn costly_facts<N: Node>(&self, board: &Board, facts: &MoveFacts) -> Facts {
        let mv = facts.mv;
        let mover = board.piece_on(mv.from()).map(|piece| piece.kind());
        let far = mv.to().rank().relative_to(board.side_to_move()).index() >= 5;
        let (capture, check) = (mv.is_capture(), facts.gives_check);
        let good = (capture || check) && board.see_ge(mv, 0);
        let root_best = N::ROOT && self.iteration >= ROOT_BEST_FROM && self.root.has_been_best(mv);
        Facts::NONE
            .with_if(Fact::Capture, capture)
            .with_if(Fact::QueenPromotion, mv.promoted() == Some(PieceType::Queen))
            .with_if(Fact::FarPawn, mover == Some(PieceType::Pawn) && far)
            .with_if(Fact::GoodCapture, capture && good)
            .with_if(Fact::BadCapture, capture && !good)
            .with_if(Fact::GoodCheck, check && good)
            .with_if(Fact::BadCheck, check && !good)
            .with_if(Fact::RootBest, root_best)
    }

    fn made_move<'a>(
        &mut self,
        board: &'a Board,
        child: &'a Board,
        node: &'a NodeState,
        mv: Move,
        alpha: Score,
    ) -> MadeMove<'a> {
        let in_check = node.in_check || child.in_check();
        let gain = if in_check { 0 } else { -self.evaluate(child, node.ply + 1) - node.raw_eval };
        let terms = [board, child].map(|board| self.me.evaluator.terms(board));
        MadeMove { board, child, node, mv, alpha, sound: board.see_ge(mv, 0), terms, gain }
    }
}

impl MadeMove<'_> {
    fn signal(&self, signal: Signal) -> i32 {
        let us = self.board.side_to_move();
        let [before, after] = &self.terms;
        let change = |part: fn(&Terms) -> [Score; 2]| part(after)[us.index()] - part(before)[us.index()];
        match signal {
            Signal::AboveAlpha => self.node.eval - self.alpha,
            Signal::Surplus => self.node.eval - (before.material[us.index()] - before.material[us.flip().index()]),
            Signal::Threats if self.sound => count(self.child.hanging(!us) & !self.board.hanging(!us)),
            Signal::Escapes if self.sound => {
                count(self.board.hanging(us)).saturating_sub(count(self.child.hanging(us)))
            }
            Signal::Threats | Signal::Escapes => 0,
            Signal::PassedGain => change(|terms| terms.passed),
            Signal::SafetyGain => change(|terms| terms.king_safety),
            Signal::Gain => self.gain,
            Signal::Loss => -self.gain,
            Signal::SquareGain => square_gain(self.board, self.mv),
        }
    }
}

fn count(pieces: Bitboard) -> i32 {
    pieces.count() as i32
}
