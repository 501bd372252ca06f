//! Extensions, and reductions of whole nodes.

use super::Searched;
use super::node::{Node, NodeState, NonPv, Window};
use super::observer::Observer;
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::{Bound, Score, is_decisive};
use std::ops::ControlFlow;

/// Maximum number of double extensions on a line.
const MAX_DOUBLE: u8 = 10;

impl<O: Observer> Search<'_, O> {
    /// Hindsight extension: one ply if the move to the node was reduced a lot but did not worsen the opponent's evaluation.
    #[inline(always)]
    pub(super) fn hindsight(&self, node: &NodeState) -> i32 {
        let reduced = self.me.stack.before(node.ply, 1).reduction >= self.params.hindsight_deeper;
        i32::from(reduced && !node.opponent_worsening && !node.in_check && node.excluded.is_none())
    }

    /// Reduction of the moves after one that has raised alpha, in plies.
    #[inline(always)]
    pub(super) fn raised<N: Node>(&self, node: &NodeState, score: Score) -> i32 {
        let applies = !N::ROOT && (3..=13).contains(&node.depth) && !is_decisive(score);
        if applies { self.params.raised_reduction } else { 0 }
    }

    /// Internal iterative reduction (Ed Schröder): whether a PV or cut node has no TT move, or one from far less depth.
    #[inline(always)]
    pub(super) fn iir_applies<N: Node>(&self, node: &NodeState, depth: i32) -> bool {
        let lags = !N::ROOT && node.hit.is_some_and(|hit| hit.depth + self.params.iir_lag < depth);
        (N::PV || node.cut)
            && (node.tt_move.is_none() || lags)
            && depth >= self.params.iir_depth
            && node.excluded.is_none()
    }

    /// Returns the extension of a move in plies, or a score that cuts the node.
    ///
    /// Singular extension (Anantharaman, Campbell and Hsu, 1988) with the table: the TT move is extended if a search of half
    /// the depth without it stays well below its score. If that search fails high against beta, the node is cut (multicut).
    /// Otherwise the TT move is reduced.
    #[inline(always)]
    pub(super) fn extend<N: Node>(
        &mut self,
        board: &Board,
        node: &NodeState,
        mv: Move,
    ) -> Searched<ControlFlow<Score, i32>> {
        let (params, beta) = (self.params, node.window.beta);
        let near = (node.ply as i32) < 2 * self.iteration;
        let Some(hit) = node.hit.filter(|_| !N::ROOT && node.tt_move == Some(mv) && node.excluded.is_none() && near)
        else {
            return Ok(ControlFlow::Continue(0));
        };
        if node.depth < params.singular_depth
            || hit.depth < node.depth - 3
            || hit.bound == Bound::Upper
            || is_decisive(hit.score)
        {
            let recaptures = N::PV && !mv.is_quiet() && self.me.stack.recaptures(node.ply, mv);
            return Ok(ControlFlow::Continue(i32::from(recaptures && params.extend_recaptures > 0)));
        }
        let target = hit.score - node.depth * params.singular_margin / 64;
        self.frame_mut(node.ply).excluded = Some(mv);
        let others = self.negamax::<NonPv>(board, node.ply, Window::below(target), (node.depth - 1) / 2, node.cut)?;
        self.frame_mut(node.ply).excluded = None;

        let extension = if others < target {
            let doubled = self.me.stack.before(node.ply, 1).double_extensions;
            match target - others {
                _ if N::PV || doubled >= MAX_DOUBLE => 1,
                below if below > params.singular_triple && mv.is_quiet() => 3,
                below if below > params.singular_double => 2,
                _ => 1,
            }
        } else if params.singular_multicut > 0 && others >= beta && !is_decisive(others) {
            return Ok(ControlFlow::Break(others));
        } else if hit.score >= beta {
            -(params.singular_negative - i32::from(N::PV)).max(0)
        } else if node.cut {
            -params.singular_cut
        } else {
            0
        };
        Ok(ControlFlow::Continue(extension))
    }
}
