//! Search of one move: late moves are reduced, and searched again at full depth if they fail high.

use super::Searched;
use super::lmr::{Fact, Facts};
use super::node::{MoveFacts, Node, NodeState, NonPv, SoFar, Window};
use super::observer::Observer;
use super::picker::Hints;
use super::worker::Search;
use crate::chess::{Board, Move};

impl<O: Observer> Search<'_, O> {
    #[inline(always)]
    pub(super) fn gather(
        &self,
        board: &Board,
        node: &NodeState,
        mv: Move,
        SoFar { number, quiet_number, raised }: SoFar,
        hints: &Hints,
        gives_check: bool,
    ) -> MoveFacts {
        let quiet = mv.is_quiet();
        let histories = &self.me.histories;
        let history = if quiet { histories.quiet(board, mv, &hints.context) } else { histories.noisy(board, mv) };
        let flags = Facts::NONE
            .with_if(Fact::TtPv, node.tt_pv)
            .with_if(Fact::Cut, node.cut)
            .with_if(Fact::Improving, node.improving)
            .with_if(Fact::InCheck, node.in_check)
            .with_if(Fact::GivesCheck, gives_check)
            .with_if(Fact::Killer, hints.killer.0 == Some(mv))
            .with_if(Fact::Noisy, !quiet)
            .with_if(
                Fact::TtAbove,
                node.tt_pv && node.hit.is_some_and(|hit| hit.depth >= 0 && hit.score > node.window.alpha),
            )
            .with_if(Fact::Raised, raised)
            .with_if(Fact::TtNoisy, node.tt_move.is_some_and(|mv| !mv.is_quiet()))
            .with_if(Fact::Cuts, self.frame(node.ply + 1).cuts > 3)
            .with_if(Fact::Extended, self.frame(node.ply).extended)
            .with_if(Fact::NewCut, node.cut && node.tt_move.is_none());
        MoveFacts { mv, number, quiet_number, quiet, gives_check, flags, history }
    }

    /// Returns the score of a move of `node`, made on `child`.
    ///
    /// A reduced search that fails high is always repeated at full depth.
    #[inline(always)]
    pub(super) fn scout<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        node: &NodeState,
        facts: &MoveFacts,
        extension: i32,
    ) -> Searched {
        let (ply, window) = (node.ply + 1, node.window);
        let doubled = self.me.stack.before(node.ply, 1).double_extensions + u8::from(extension > 1);
        let frame = self.frame_mut(node.ply);
        (frame.number, frame.history, frame.double_extensions) = (facts.number, facts.history, doubled);
        frame.extended |= extension > 0;
        let mut depth = node.depth - 1 + extension;
        if facts.number == 1 {
            let score = -if N::PV {
                self.negamax::<N::Child>(child, ply, window.flipped(), depth, false)?
            } else {
                self.negamax::<NonPv>(child, ply, window.flipped(), depth, !node.cut)?
            };
            self.observer.searched(node.depth, 1, 0, None);
            return Ok(score);
        }

        let null_window = Window::above(window.alpha).flipped();
        let reduced = self.reduced_depth::<N>(board, child, node, facts, depth);
        self.frame_mut(node.ply).reduction = depth - reduced;
        let mut score = -self.negamax::<NonPv>(child, ply, null_window, reduced, reduced < depth || !node.cut)?;
        self.frame_mut(node.ply).reduction = 0;
        let research = score > window.alpha && reduced < depth;
        let reduction = depth - reduced;
        if research {
            // Search deeper than planned if the score is far above alpha.
            let deeper = score > window.alpha + self.params.deeper_margin && reduction > 1 && !N::ROOT;
            depth += i32::from(deeper);
            score = -self.negamax::<NonPv>(child, ply, null_window, depth, !node.cut)?;
        }
        self.observer.searched(node.depth, facts.number, reduction, research.then_some(score > window.alpha));
        if N::PV && score > window.alpha {
            score = -self.negamax::<N::Child>(child, ply, window.flipped(), depth, false)?;
        }
        Ok(score)
    }

    /// The depth of a late move's first search, from 1 to `depth + 1`.
    #[inline(always)]
    pub(super) fn reduced_depth<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        node: &NodeState,
        facts: &MoveFacts,
        depth: i32,
    ) -> i32 {
        let lmr = self.lmr;
        let flags = facts.flags.with_if(Fact::Pv, N::PV).with_if(Fact::Root, N::ROOT);
        if depth < 2 {
            return depth;
        }
        let reduction = if !lmr.plain {
            self.reduction_of::<N>(board, child, node, facts, flags)
        } else if lmr.applies(flags, node.depth, facts.number) {
            Some(lmr.sum(facts.quiet, node.depth, facts.number, flags, facts.history, node.correction))
        } else {
            None
        };
        match reduction {
            Some(reduction) => lmr.reduced(depth, reduction, N::PV),
            None => depth,
        }
    }
}
