//! Searching one move: reduced first if it comes late, verified whenever that says it is better.

use super::Searched;
use super::lmr::{Class, Fact};
use super::move_facts::MoveFacts;
use super::node::{Here, Node, NonPv};
use super::observer::{Observer, SearchedMove};
use super::window::Window;
use super::worker::Search;
use crate::chess::Board;
use crate::score::Score;

impl<O: Observer> Search<'_, O> {
    /// The score of a move of `here`, on `board`, already made on `child`. The window is the node's with the current alpha.
    ///
    /// This is the one place that clamps a reduction, searches reduced, decides whether to verify deeper or less deep, and
    /// tells the probe. A reduced search that fails high never counts before it is verified at full depth.
    #[inline(always)]
    pub(super) fn scout<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        here: &Here,
        facts: &MoveFacts,
        window: Window,
        extension: i32,
    ) -> Searched {
        let ply = here.ply + 1;
        let mut depth = here.depth - 1 + extension;
        if facts.number == 1 {
            let score = -if N::PV {
                self.negamax::<N::Child>(child, ply, window.flipped(), depth, false)?
            } else {
                self.negamax::<NonPv>(child, ply, window.flipped(), depth, !here.cut)?
            };
            let (depth, number) = (here.depth, 1);
            self.observer.searched(SearchedMove { depth, number, reduction: 0, researched: false, confirmed: false });
            return Ok(score);
        }

        let asked = Window::above(window.alpha).flipped();
        let reduced = self.reduced_depth::<N>(board, child, here, facts, window.alpha, depth);
        self.frame_mut(here.ply).reduction = depth - reduced;
        let mut score = -self.negamax::<NonPv>(child, ply, asked, reduced, reduced < depth || !here.cut)?;
        self.frame_mut(here.ply).reduction = 0;
        let verify = score > window.alpha && reduced < depth;
        let reduction = depth - reduced;
        if verify {
            // Far better than expected deserves more depth than planned.
            let deeper = score > window.alpha + self.params.deeper_margin && reduction > 1 && !N::ROOT;
            depth += i32::from(deeper);
            score = -self.negamax::<NonPv>(child, ply, asked, depth, !here.cut)?;
        }
        self.observer.searched(SearchedMove {
            depth: here.depth,
            number: facts.number,
            reduction,
            researched: verify,
            confirmed: verify && score > window.alpha,
        });
        if N::PV && score > window.alpha {
            score = -self.negamax::<N::Child>(child, ply, window.flipped(), depth, false)?;
        }
        Ok(score)
    }

    /// The depth of the first look at a late move: at least one ply, at most one more than full depth.
    #[inline(always)]
    pub(crate) fn reduced_depth<N: Node>(
        &mut self,
        board: &Board,
        child: &Board,
        here: &Here,
        facts: &MoveFacts,
        alpha: Score,
        depth: i32,
    ) -> i32 {
        let lmr = self.lmr;
        let flags = facts.flags.with_if(Fact::Pv, N::PV);
        if depth < 2 {
            return depth;
        }
        let reduction = if !lmr.is_plain() {
            self.reduction_of::<N>(board, child, here, facts, flags, alpha)
        } else if lmr.applies(flags, here.depth, facts.number) {
            let sum = lmr.sum(Class::of(facts.quiet), here.depth, facts.number, flags, facts.history);
            Some(sum + lmr.for_correction(here.correction))
        } else {
            None
        };
        match reduction {
            Some(reduction) => lmr.reduced(depth, reduction, N::PV),
            None => depth,
        }
    }
}
