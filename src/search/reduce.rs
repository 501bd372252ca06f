//! Reductions by recipes that read more than depth, number and cheap facts.

use super::lmr::{Fact, Facts, Signal, positional};
use super::node::{MoveFacts, Node, NodeState};
use super::observer::Observer;
use super::worker::Search;
use crate::chess::{Bitboard, Board, Color, Move, PieceType};
use crate::score::Score;

/// The first iteration with [`Fact::RootBest`].
const ROOT_BEST_FROM: i32 = 8;

impl<O: Observer> Search<'_, O> {
    /// Returns the reduction in 1/1024 ply; `None` if the gates forbid one.
    #[inline(never)]
    pub(super) fn reduction_of<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        node: &NodeState,
        facts: &MoveFacts,
        flags: Facts,
    ) -> Option<i32> {
        let lmr = self.lmr;
        let number = if lmr.recipe.counts_quiets { facts.quiet_number } else { facts.number };
        let flags = if lmr.reads_costly { flags.union(self.costly_facts::<N>(board, facts)) } else { flags };
        if !lmr.applies(flags, node.depth, number) {
            return None;
        }
        if let Some(fixed) = lmr.fixed(flags) {
            return Some(fixed);
        }
        let history = match lmr.recipe.history_rule {
            Some(_) => self.me.histories.recipe.get(board, facts.mv),
            None => facts.history,
        };
        let mut sum = lmr.sum(facts.quiet, node.depth, number, flags, history, node.correction);
        if !lmr.recipe.terms.is_empty() {
            sum += self.change_by_signals(board, child, node, facts.mv);
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

    /// Sum of the changes by the signals of a move that has been made.
    fn change_by_signals(&mut self, board: &Board, child: &Board, node: &NodeState, mv: Move) -> i32 {
        let (us, sound) = (board.side_to_move(), board.see_ge(mv, 0));
        let in_check = node.in_check || child.in_check();
        let gain = if in_check { 0 } else { -self.evaluate(child, node.ply + 1) - node.raw_eval };
        let change = |term: fn(&Board, Color) -> Score| term(child, us) - term(board, us);
        let count = |pieces: Bitboard| pieces.count() as i32;
        let value = |signal| match signal {
            Signal::AboveAlpha => node.eval - node.window.alpha,
            Signal::Surplus => node.eval - (board.exchange_value(us) - board.exchange_value(!us)),
            Signal::Threats if sound => count(child.hanging(!us) & !board.hanging(!us)),
            Signal::Escapes if sound => count(board.hanging(us)).saturating_sub(count(child.hanging(us))),
            Signal::Threats | Signal::Escapes => 0,
            Signal::PassedGain => change(positional::passed),
            Signal::SafetyGain => change(positional::king_safety),
            Signal::Gain => gain,
            Signal::Loss => -gain,
            Signal::SquareGain => positional::square_gain(board, mv),
        };
        let lines = self.lmr.recipe.terms.iter();
        lines.filter(|term| value(term.signal) >= term.from).map(|term| term.change).sum()
    }
}
