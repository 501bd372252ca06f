//! Extensions.

use super::Stopped;
use super::node::{Here, Node, NonPv};
use super::observer::Observer;
use super::window::Window;
use super::worker::Search;
use crate::chess::{Board, Move};
use crate::score::{Bound, Score, is_decisive};
use std::ops::ControlFlow;

/// Double extensions allowed on one line: enough for long forced lines, too few to explode.
const MAX_DOUBLE: u8 = 10;

impl<O: Observer> Search<'_, O> {
    /// By how many plies to search a node deeper, in hindsight: the move to it was reduced a lot before its evaluation was known, and
    /// it has lost nothing.
    #[inline(always)]
    pub(super) fn hindsight(&self, here: &Here) -> i32 {
        let reduced = self.me.stack.before(here.ply, 1).reduction >= self.params.hindsight_deeper;
        i32::from(reduced && !here.opponent_worsening && !here.in_check && here.excluded.is_none())
    }

    /// Whether too little is known of the best move of a node to search it to the full depth: none, or one from far less deep
    /// (internal iterative reduction, by Ed Schröder). Only where a best move is expected.
    #[inline(always)]
    pub(super) fn knows_little<N: Node>(&self, here: &Here, depth: i32) -> bool {
        let lags = !N::ROOT && here.hit.is_some_and(|hit| hit.depth + self.params.iir_lag < depth);
        (N::PV || here.cut)
            && (here.tt_move.is_none() || lags)
            && depth >= self.params.iir_depth
            && here.excluded.is_none()
    }

    /// By how many plies to extend a move, or a score that makes searching it pointless.
    ///
    /// Singular extension (Anantharaman, Campbell and Hsu, 1988) in the form that uses the table: when all moves but
    /// the TT move stay well below its score in a search of half the depth, that move is extended. When another one
    /// beats beta as well, several moves would fail high and the node is cut (multicut). When the TT move
    /// is good but not alone, it needs less depth.
    #[inline(always)]
    pub(super) fn extend<N: Node>(
        &mut self,
        board: &Board,
        here: &Here,
        mv: Move,
        beta: Score,
    ) -> Result<ControlFlow<Score, i32>, Stopped> {
        let Some(hit) = here.hit else { return Ok(ControlFlow::Continue(0)) };
        let params = self.params;
        if N::ROOT
            || here.tt_move != Some(mv)
            || here.excluded.is_some()
            || here.depth < params.singular_depth
            || hit.depth < here.depth - 3
            || hit.bound == Bound::Upper
            || is_decisive(hit.score)
            || here.ply as i32 >= 2 * self.iteration
        {
            return Ok(ControlFlow::Continue(0));
        }
        let target = hit.score - here.depth * params.singular_margin / 64;
        self.frame_mut(here.ply).excluded = Some(mv);
        let others = self.negamax::<NonPv>(board, here.ply, Window::below(target), (here.depth - 1) / 2, here.cut)?;
        self.frame_mut(here.ply).excluded = None;

        let extension = if others < target {
            let doubled = self.me.stack.before(here.ply, 1).double_extensions;
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
        } else if here.cut && params.singular_negative > 0 {
            -1
        } else {
            0
        };
        Ok(ControlFlow::Continue(extension))
    }
}
