//! Reductions by recipes that read more than depth, number and cheap facts.

use super::{Class, Fact, Facts, Signal};
use crate::chess::{Bitboard, Board, Move, PieceType};
use crate::eval::classical::{Terms, square_gain};
use crate::score::Score;
use crate::search::move_facts::MoveFacts;
use crate::search::node::{Node, NodeState};
use crate::search::observer::Observer;
use crate::search::worker::Search;

/// The first iteration with [`Fact::RootBest`].
const ROOT_BEST_FROM: i32 = 8;

/// A move that has been made, with values computed on demand.
struct MadeMove<'a> {
    board: &'a Board,
    child: &'a Board,
    node: &'a NodeState,
    mv: Move,
    alpha: Score,
    /// Whether SEE is at least 0.
    sound: Option<bool>,
    /// Terms of the classical evaluation before and after the move.
    terms: Option<[Terms; 2]>,
    /// Change of the evaluation, in centipawns.
    gain: Option<Score>,
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
        let history = match lmr.history_rule() {
            Some(_) => self.me.histories.recipe.get(board, facts.mv),
            None => facts.history,
        };
        let mut sum = lmr.sum(Class::of(facts.quiet), node.depth, number, flags, history);
        sum += lmr.for_correction(node.correction);
        let mut made = MadeMove { board, child, node, mv: facts.mv, alpha, sound: None, terms: None, gain: None };
        for term in &lmr.recipe().terms {
            if self.signal(term.signal, &mut made) >= term.from {
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

    fn signal(&mut self, signal: Signal, made: &mut MadeMove) -> i32 {
        let us = made.board.side_to_move();
        let of_us = |values: [Score; 2]| values[us.index()];
        match signal {
            Signal::AboveAlpha => made.node.eval - made.alpha,
            Signal::Surplus => {
                let [before, _] = self.terms(made);
                made.node.eval - (of_us(before.material) - before.material[us.flip().index()])
            }
            Signal::Threats if made.is_sound() => count(made.child.hanging(!us) & !made.board.hanging(!us)),
            Signal::Escapes if made.is_sound() => {
                count(made.board.hanging(us)).saturating_sub(count(made.child.hanging(us)))
            }
            Signal::Threats | Signal::Escapes => 0,
            Signal::PassedGain => {
                let [before, after] = self.terms(made);
                of_us(after.passed) - of_us(before.passed)
            }
            Signal::SafetyGain => {
                let [before, after] = self.terms(made);
                of_us(after.king_safety) - of_us(before.king_safety)
            }
            Signal::Gain => self.gain(made),
            Signal::Loss => -self.gain(made),
            Signal::SquareGain => square_gain(made.board, made.mv),
        }
    }

    fn terms(&mut self, made: &mut MadeMove) -> [Terms; 2] {
        let evaluator = &mut self.me.evaluator;
        *made.terms.get_or_insert_with(|| [made.board, made.child].map(|board| evaluator.terms(board)))
    }

    /// Change of the evaluation; 0 if either side is in check.
    fn gain(&mut self, made: &mut MadeMove) -> Score {
        *made.gain.get_or_insert_with(|| {
            if made.node.in_check || made.child.in_check() {
                return 0;
            }
            -self.evaluate(made.child, made.node.ply + 1) - made.node.raw_eval
        })
    }
}

impl MadeMove<'_> {
    fn is_sound(&mut self) -> bool {
        *self.sound.get_or_insert_with(|| self.board.see_ge(self.mv, 0))
    }
}

fn count(pieces: Bitboard) -> i32 {
    pieces.count() as i32
}
