//! How often the rules of the search are wrong: a sample of what they cut is searched again without them.
//!
//! It is searched at once, with all that the search knows at that moment, and all is put back afterwards: the stack, histories,
//! corrections, the places of the table that were written to, the counts of nodes. So a search that is doubted goes on as it would
//! have gone on anyway, node by node. Nothing is doubted while something is searched again.
//!
//! [`Doubts`] decide what to doubt and keep what was found. They are a [`SearchProbe`], so that play knows nothing of them.
//! `docs/doubt.md` says what the verdicts mean.

mod aside;
mod cut;
mod doubts;
mod rule;

pub use cut::{Cut, CutFacts, CutMove, Doubted, MoveClass, NodeKind, TtMove, Verdict};
pub use doubts::{Doubts, Sampling};
pub use rule::{Rule, RuleSet};

use super::Stopped;
use super::lmr::Fact;
use super::move_facts::{MoveFacts, SoFar};
use super::node::{Here, Node, NonPv};
use super::picker::{Hints, Picker};
use super::probe::SearchProbe;
use super::quiesce::LeftOut;
use super::window::Window;
use super::worker::Search;
use crate::chess::legal::CheckSquares;
use crate::chess::{Board, Move};
use crate::score::Score;
use crate::smp::sync::Ordering;

/// A reduced search and what followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReducedSearch {
    /// The depth without the reduction, and with it.
    pub depths: [i32; 2],
    /// The score of the reduced search.
    pub first: Score,
    /// The score after it was verified, or else the same.
    pub last: Score,
}

impl<P: SearchProbe> Search<'_, P> {
    /// Whether a rule may cut here: not where it is doubted.
    #[inline(always)]
    pub(super) fn allows(&self, rule: Rule, ply: usize) -> bool {
        self.probe.doubts().is_none_or(|doubts| doubts.allow(rule, ply))
    }

    #[inline(always)]
    fn draws(&mut self, rule: Rule, depth: i32) -> bool {
        self.probe.doubts_mut().is_some_and(|doubts| doubts.draws(rule, depth))
    }

    /// A rule cuts a node by a score at or above beta, `beyond` what it asks for.
    #[inline(always)]
    pub(super) fn doubt_node<N: Node>(&mut self, board: &Board, here: &Here, rule: Rule, beta: Score, beyond: Score) {
        if self.draws(rule, here.depth) {
            self.search_node_again::<N>(board, here, rule, beta, beyond);
        }
    }

    /// A rule leaves a move out.
    #[inline(always)]
    pub(super) fn doubt_move<N: Node>(
        &mut self,
        board: &Board,
        here: &Here,
        facts: &MoveFacts,
        alpha: Score,
        cut: Cut,
    ) {
        if self.draws(cut.rule, here.depth) {
            self.search_left_out::<N>(board, here, facts, alpha, cut);
        }
    }

    /// A rule leaves a move out, and all quiet moves after it that the picker would give.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "what the node knows of its moves")]
    pub(super) fn doubt_quiets<N: Node>(
        &mut self,
        board: &Board,
        here: &Here,
        facts: &MoveFacts,
        alpha: Score,
        cut: Cut,
        picker: &Picker,
        hints: &Hints,
        checks: &CheckSquares,
    ) {
        if !self.probe.doubts().is_some_and(|doubts| doubts.count(cut.rule, here.depth)) {
            return;
        }
        self.doubt_move::<N>(board, here, facts, alpha, cut);
        let (mut picker, mut later) = (picker.clone(), 0);
        while let Some(mv) = picker.next(board, &self.me.histories, hints).filter(|mv| mv.is_quiet()) {
            if Some(mv) == here.excluded || checks.gives_check(board, mv) {
                continue;
            }
            later += 1;
            let (number, quiet_number) = (facts.number + later, facts.quiet_number);
            let so_far = SoFar { number, quiet_number, alpha, raised: facts.flags.has(Fact::Raised) };
            let facts = self.gather(board, here, mv, so_far, hints, false);
            let cut = Cut { beyond: cut.beyond + later as i32, ..cut };
            self.doubt_move::<N>(board, here, &facts, alpha, cut);
        }
    }

    /// Quiescence leaves a capture out.
    #[inline(always)]
    pub(super) fn doubt_capture<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        mv: Move,
        left_out: LeftOut,
        alpha: Score,
        tt_pv: bool,
    ) {
        if self.draws(left_out.rule, 0) {
            self.search_capture::<N>(board, ply, mv, left_out, alpha, tt_pv);
        }
    }

    /// A late move, made on `child`, was searched less deep.
    #[inline(always)]
    pub(super) fn doubt_reduction<N: Node>(
        &mut self,
        child: &Board,
        here: &Here,
        facts: &MoveFacts,
        alpha: Score,
        searched: ReducedSearch,
    ) {
        let rule = if searched.first > alpha { Rule::Verification } else { Rule::Reduction };
        if self.draws(rule, here.depth) {
            self.search_full_depth::<N>(child, here, facts, alpha, rule, searched);
        }
    }

    /// A place of the table is going to be written to.
    #[inline(always)]
    pub(super) fn keep_place(&mut self, key: u64) {
        if let Some(doubts) = self.probe.doubts_mut()
            && doubts.are_busy()
        {
            doubts.aside.keep_place(self.tt, key);
        }
    }

    /// The corrections for a position are going to learn.
    #[inline(always)]
    pub(super) fn keep_corrections(&mut self, board: &Board, ply: usize) {
        if let Some(doubts) = self.probe.doubts_mut()
            && doubts.are_busy()
        {
            doubts.aside.keep_corrections(&self.corrections, board, &self.me.stack, ply);
        }
    }

    /// Searches something again, with rules that may not cut at a ply, and puts everything back. `search` says whether the rule was
    /// wrong. Also says how many nodes it took.
    fn again(
        &mut self,
        rules: RuleSet,
        ply: usize,
        search: impl FnOnce(&mut Self) -> Result<bool, Stopped>,
    ) -> (Verdict, u64) {
        let Some(doubts) = self.probe.doubts_mut() else { return (Verdict::Unfinished, 0) };
        doubts.begin(rules, ply);
        doubts.aside.keep(self.me);
        let (nodes, granted, tb_hits) = (self.nodes, self.granted, self.tb_hits);
        let (seldepth, null_from, keys) = (self.seldepth, self.null_from, self.keys.len());
        self.granted = nodes + doubts.most_nodes;
        let wrong = search(self);
        let taken = self.nodes - nodes;
        (self.nodes, self.granted, self.tb_hits) = (nodes, granted, tb_hits);
        (self.seldepth, self.null_from) = (seldepth, null_from);
        self.keys.truncate(keys);
        self.counters.nodes.store(nodes, Ordering::Relaxed);
        self.counters.tb_hits.store(tb_hits, Ordering::Relaxed);
        if let Some(doubts) = self.probe.doubts_mut() {
            doubts.aside.put_back(self.me, self.tt, &self.corrections);
            doubts.end();
        }
        let verdict = match wrong {
            Ok(true) => Verdict::Wrong,
            Ok(false) => Verdict::Held,
            Err(Stopped) => Verdict::Unfinished,
        };
        (verdict, taken)
    }

    fn note(&mut self, rule: Rule, facts: CutFacts, (verdict, nodes): (Verdict, u64), by_moves: Option<Verdict>) {
        if let Some(doubts) = self.probe.doubts_mut() {
            doubts.note(Doubted { rule, facts, verdict, by_moves, nodes });
        }
    }

    /// Searches a node first without the rule, then without any that cuts nodes.
    #[cold]
    fn search_node_again<N: Node>(&mut self, board: &Board, here: &Here, rule: Rule, beta: Score, beyond: Score) {
        let mut search = |rules| {
            self.again(rules, here.ply, |search| {
                Ok(search.negamax::<N>(board, here.ply, Window::below(beta), here.depth, here.cut)? < beta)
            })
        };
        let (verdict, nodes) = search(RuleSet::NONE.with(rule));
        let (by_moves, more) = search(RuleSet::OF_NODES);
        let facts = CutFacts { mv: None, ..CutFacts::of::<N>(here, here.estimate - beta, beyond) };
        self.note(rule, facts, (verdict, nodes + more), Some(by_moves));
    }

    /// Searches a move that was left out, as late moves are searched.
    #[cold]
    fn search_left_out<N: Node>(&mut self, board: &Board, here: &Here, facts: &MoveFacts, alpha: Score, cut: Cut) {
        let found = self.again(RuleSet::NONE, here.ply, |search| {
            search.frame_mut(here.ply).double_extensions = search.me.stack.before(here.ply, 1).double_extensions;
            let mut child = board.clone();
            search.play(board, &mut child, here.ply, facts.mv);
            let (depth, asked) = (here.depth - 1, Window::above(alpha).flipped());
            let reduced = search.reduced_depth::<N>(board, &child, here, facts, alpha, depth);
            let less = reduced < depth;
            let mut score = -search.negamax::<NonPv>(&child, here.ply + 1, asked, reduced, less || !here.cut)?;
            if score > alpha && less {
                score = -search.negamax::<NonPv>(&child, here.ply + 1, asked, depth, !here.cut)?;
            }
            Ok(score > alpha)
        });
        let beyond = match cut.rule {
            Rule::SeeQuiet | Rule::SeeNoisy => cut.beyond - board.see(facts.mv),
            _ => cut.beyond,
        };
        let node = CutFacts::of::<N>(here, alpha - here.eval, beyond);
        self.note(cut.rule, CutFacts { mv: Some(CutMove::of(facts, cut.reduced)), ..node }, found, None);
    }

    /// Searches a move at full depth that a reduced search was content with; what was verified has been searched already.
    #[cold]
    fn search_full_depth<N: Node>(
        &mut self,
        child: &Board,
        here: &Here,
        facts: &MoveFacts,
        alpha: Score,
        rule: Rule,
        searched: ReducedSearch,
    ) {
        let ReducedSearch { depths: [depth, reduced], first, last } = searched;
        let found = if rule == Rule::Verification {
            (if last > alpha { Verdict::Held } else { Verdict::Wrong }, 0)
        } else {
            let asked = Window::above(alpha).flipped();
            self.again(RuleSet::NONE, here.ply, |search| {
                Ok(-search.negamax::<NonPv>(child, here.ply + 1, asked, depth, !here.cut)? > alpha)
            })
        };
        let node = CutFacts::of::<N>(here, alpha - here.eval, (alpha - first).abs());
        self.note(rule, CutFacts { mv: Some(CutMove::of(facts, reduced)), ..node }, found, None);
    }

    /// Searches a capture that quiescence left out.
    #[cold]
    fn search_capture<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        mv: Move,
        LeftOut { rule, futility, .. }: LeftOut,
        alpha: Score,
        tt_pv: bool,
    ) {
        let found = self.again(RuleSet::NONE, ply, |search| {
            let mut child = board.clone();
            search.play(board, &mut child, ply, mv);
            Ok(-search.quiesce::<NonPv>(&child, ply + 1, Window::above(alpha).flipped(), false)? > alpha)
        });
        let eval = futility - self.params.quiesce_margin;
        let victim = board.captured(mv).map_or(0, |piece| piece.kind().exchange_value());
        let facts = CutFacts {
            depth: 0,
            beyond: alpha - futility - victim,
            gap: Some(alpha - eval),
            node: N::PV.then_some(NodeKind::Pv),
            in_check: false,
            tt_pv,
            improving: false,
            tt_move: TtMove::None,
            mv: Some(CutMove {
                class: MoveClass::Noisy,
                gives_check: board.check_squares().gives_check(board, mv),
                number: 0,
                history: self.me.histories.noisy(board, mv),
                reduced: 0,
            }),
        };
        self.note(rule, facts, found, None);
    }
}

impl CutFacts {
    /// What is known of a node; the gap means nothing in check.
    fn of<N: Node>(here: &Here, gap: Score, beyond: Score) -> Self {
        let node = match (N::PV, here.cut) {
            (true, _) => NodeKind::Pv,
            (_, true) => NodeKind::Cut,
            _ => NodeKind::All,
        };
        let tt_move = match here.tt_move {
            None => TtMove::None,
            Some(mv) if mv.is_quiet() => TtMove::Quiet,
            Some(_) => TtMove::Noisy,
        };
        Self {
            depth: here.depth,
            beyond,
            gap: (!here.in_check).then_some(gap),
            node: Some(node),
            in_check: here.in_check,
            tt_pv: here.tt_pv,
            improving: here.improving,
            tt_move,
            mv: None,
        }
    }
}

impl CutMove {
    fn of(facts: &MoveFacts, reduced: i32) -> Self {
        let class = match facts.flags {
            flags if flags.has(Fact::Noisy) => MoveClass::Noisy,
            flags if flags.has(Fact::Killer) => MoveClass::Killer,
            flags if flags.has(Fact::LbrReply) => MoveClass::Reply,
            _ => MoveClass::Quiet,
        };
        let MoveFacts { gives_check, number, history, .. } = *facts;
        Self { class, gives_check, number, history, reduced }
    }
}
