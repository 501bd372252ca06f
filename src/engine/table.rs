//! The engine's table: size, loans, and the evaluation of its scores.

use super::Engine;
use super::strength::random_seed;
use crate::chess::Board;
use crate::eval::nnue::Sum;
use crate::eval::{Evaluation, Scaling};
use crate::hash_file::Identity;
use crate::search::history::SharedHistories;
use crate::search::limits::Limits;
use crate::sync::WaitGroup;
use crate::tt::{Tt, TtError};
use std::mem::{replace, take};
use std::ops::Deref;
use std::sync::{Arc, Weak};

pub(super) struct Table {
    pub tt: Arc<Tt>,
    /// Requested size in MiB.
    pub mib: usize,
    /// The evaluations of stored scores.
    evaluations: Vec<EvalIdentity>,
    /// Their number before the last load.
    before_load: usize,
    /// Number of times that its contents were dropped.
    clears: u64,
    /// Cloned into each loan.
    lent: WaitGroup,
    /// Whether a generation has been started for the next search.
    begun: bool,
    /// Alive while a [`Resize`] owns the table.
    resizing: Weak<()>,
}

/// Everything that determines a position's score.
#[derive(Clone, Debug)]
struct EvalIdentity {
    evaluation: Evaluation,
    scaling: Scaling,
}

/// A table lent to a thread that saves or loads it. Resizing and clearing wait until it is dropped.
pub struct LentTable {
    tt: Arc<Tt>,
    eval: EvalIdentity,
    // Dropped after the table.
    _lent: WaitGroup,
}

/// The table, taken from the engine to be resized on any thread.
pub struct Resize {
    tt: Tt,
    mib: usize,
    threads: usize,
    result: Result<(), TtError>,
    /// Marks the table as taken out of the engine.
    _alive: Arc<()>,
}

impl Deref for LentTable {
    type Target = Tt;

    fn deref(&self) -> &Tt {
        &self.tt
    }
}

impl LentTable {
    /// The identity of the entries, as stored in files.
    pub fn identity(&self) -> Identity {
        self.eval.identity()
    }
}

impl Resize {
    /// Resizes the table, reporting the MiB ready so far.
    pub fn run(&mut self, progress: &mut dyn FnMut(usize)) {
        self.result = self.tt.resize(self.mib, self.threads, progress);
    }
}

impl Table {
    /// A table of `mib` MiB, allocated on first use.
    pub(super) fn of_size(mib: usize) -> Self {
        let tt = Arc::new(Tt::empty());
        let (evaluations, lent) = (Vec::new(), WaitGroup::new());
        Self { tt, mib, evaluations, before_load: 0, clears: 0, lent, begun: false, resizing: Weak::new() }
    }

    /// Records that the contents were dropped.
    fn was_cleared(&mut self) {
        self.evaluations.clear();
        self.clears += 1;
    }

    /// Records that scores of this evaluation are stored.
    fn add_evaluation(&mut self, eval: EvalIdentity) {
        if !self.evaluations.iter().any(|known| known.scores() == eval.scores()) {
            self.evaluations.push(eval);
        }
    }

    fn lend(&self, eval: EvalIdentity) -> LentTable {
        LentTable { tt: Arc::clone(&self.tt), eval, _lent: self.lent.clone() }
    }
}

impl EvalIdentity {
    /// Positions that distinguish evaluations: an opening, middlegames, endings with and without pawns.
    const SAMPLES: [&str; 8] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r1bqr1k1/1p3ppp/p1np1n2/4p3/2P1P3/1PN1BP2/P2QN1PP/R3KB1R b KQ - 3 11",
        "2r3k1/1q3pp1/p2bp2p/1p1p4/3P4/P1P1BN1P/1P3PP1/R2Q2K1 w - - 12 25",
        "8/5pk1/4p1p1/1R5p/1P2r3/5P1P/6PK/8 b - - 0 40",
        "8/8/4k3/2p1n3/2P1P3/1P2BK2/8/8 w - - 5 60",
        "8/4k3/8/8/3r4/8/3PK3/3R4 w - - 30 80",
        "8/8/3k4/8/8/3KP3/8/8 w - - 0 1",
    ];

    /// Equal for evaluations that give every position the same score, regardless of the instruction set.
    fn scores(&self) -> (u64, Scaling, bool) {
        (self.evaluation.network.fingerprint(), self.scaling, self.evaluation.drawish_endings)
    }

    /// The identity stored in files. Its hash covers keys and scores of the sample positions.
    fn identity(&self) -> Identity {
        let Self { evaluation, scaling } = self;
        let mut sum = Sum::default();
        sum.add(evaluation.network.fingerprint());
        sum.add(evaluation.drawish_endings.into());
        sum.add(scaling.0 as u64);
        for board in Self::SAMPLES.iter().filter_map(|fen| Board::from_fen(fen).ok()) {
            sum.add(board.key());
            sum.add(evaluation.value(&board, *scaling) as u64);
            // Entries also contain encoded moves.
            board.legal_moves().iter().for_each(|mv| sum.add(mv.word().into()));
        }
        let drawish = if evaluation.drawish_endings { ", drawish endings are draws" } else { "" };
        Identity {
            engine: concat!("Lento ", env!("CARGO_PKG_VERSION")).into(),
            evaluation: format!("nnue {}{drawish}", evaluation.network),
            fingerprint: sum.0,
        }
    }
}

impl Engine {
    /// Allocates the table and the histories of the threads if necessary. A search also does so, but runs without a table on
    /// failure.
    pub fn prepare(&mut self) -> Result<(), TtError> {
        if self.is_searching() {
            return Ok(());
        }
        if !self.settings.search.shares_histories() {
            self.pool.prepare_histories();
        }
        if self.table.tt.size_mib() == self.table.mib || self.table.resizing.strong_count() > 0 {
            return Ok(());
        }
        self.set_hash(self.table.mib)
    }

    /// The table size in MiB.
    pub fn hash_mib(&self) -> usize {
        self.table.mib
    }

    /// Whether the table is allocated with this size in MiB.
    pub fn has_hash(&self, mib: usize) -> bool {
        self.table.tt.size_mib() == mib
    }

    /// Resizes the table. If memory does not suffice, the old table is kept. If the system then refuses ([`TtError::Lost`]), the next
    /// search allocates an empty one of the old size.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), TtError> {
        let mut resize = self.begin_resize(mib);
        resize.run(&mut |_| ());
        self.end_resize(resize)
    }

    /// Takes the table out to resize it on another thread. Searches run without a table until
    /// [`end_resize`](Self::end_resize), or with a new table if the [`Resize`] is dropped instead.
    pub fn begin_resize(&mut self, mib: usize) -> Resize {
        let tt = self.take_table();
        let alive = Arc::new(());
        self.table.resizing = Arc::downgrade(&alive);
        Resize { tt, mib, threads: self.threads(), result: Ok(()), _alive: alive }
    }

    /// Puts the table back.
    pub fn end_resize(&mut self, resize: Resize) -> Result<(), TtError> {
        let Resize { tt, mib, result, .. } = resize;
        self.table.tt = Arc::new(tt);
        if matches!(result, Err(TtError::Lost(_))) || result.is_ok() && mib != self.table.mib {
            self.table.was_cleared();
        }
        if result.is_ok() {
            self.table.mib = mib;
        }
        result
    }

    /// Clears the table.
    pub fn clear_hash(&mut self) {
        let mut tt = self.take_table();
        tt.clear(self.threads());
        self.table.tt = Arc::new(tt);
        self.table.was_cleared();
    }

    /// How often the table was cleared or resized.
    pub fn table_clears(&self) -> u64 {
        self.table.clears
    }

    /// Whether a new game clears the table and histories: always but in [`analyse_mode`](super::Settings::analyse_mode) with an
    /// unchanged evaluation.
    pub fn new_game_clears(&self) -> bool {
        let current = self.eval_identity().scores();
        self.settings.analyse_mode != Some(true) || self.table.evaluations.iter().any(|known| known.scores() != current)
    }

    /// Starts a new game, which [may clear](Self::new_game_clears) table and histories.
    pub fn new_game(&mut self) {
        self.seed = random_seed();
        if !self.new_game_clears() {
            return;
        }
        self.clear_hash();
        self.pool.clear_histories();
        self.histories.for_each(SharedHistories::clear);
        self.searched = None;
    }

    /// Stops any search, waits until all loans are returned, and takes the table, leaving an empty one. Returns an empty table
    /// if it has another owner.
    pub(super) fn take_table(&mut self) -> Tt {
        self.finish();
        self.await_table();
        Arc::into_inner(replace(&mut self.table.tt, Arc::new(Tt::empty()))).unwrap_or_else(Tt::empty)
    }

    /// Waits until all loans are returned.
    pub fn await_table(&mut self) {
        take(&mut self.table.lent).wait();
    }

    fn eval_identity(&self) -> EvalIdentity {
        EvalIdentity { evaluation: self.evaluation(), scaling: self.params.scaling() }
    }

    /// The current identity, as stored in files.
    pub fn identity(&self) -> Identity {
        self.eval_identity().identity()
    }

    /// Starts a new table generation for a search, unless one has been started or in analysis, where deep entries keep their
    /// age. Returns whether an earlier search may be resumed: the old generation continues, without scores of another evaluation.
    pub(super) fn begin_generation(&mut self, limits: &Limits) -> bool {
        let continues = take(&mut self.table.begun) || self.settings.is_analysis(limits);
        self.table.tt.new_search(continues);
        let eval = self.eval_identity();
        self.table.add_evaluation(eval);
        continues && self.table.evaluations.len() == 1
    }

    /// Lends the table for saving, also during a search. Fails if it mixes scores of several evaluations.
    pub fn lend_table_to_save(&mut self) -> Result<LentTable, &'static str> {
        const MIXED: &str =
            "the hash table has values of more than one evaluation; expected Clear Hash and a search before saving";
        let eval = match &self.table.evaluations[..] {
            [] => self.eval_identity(),
            [eval] => eval.clone(),
            _ => return Err(MIXED),
        };
        Ok(self.table.lend(eval))
    }

    /// Lends the table for loading entries with its identity, in the generation of the next search. Stops a running search.
    pub fn lend_table_to_load(&mut self) -> Result<LentTable, TtError> {
        self.finish();
        self.prepare()?;
        if !self.table.begun {
            self.table.tt.new_search(false);
            self.table.begun = true;
        }
        let eval = self.eval_identity();
        self.table.before_load = self.table.evaluations.len();
        self.table.add_evaluation(eval.clone());
        Ok(self.table.lend(eval))
    }

    /// Forgets the evaluation of a load that stored nothing. To be called before the next search.
    pub fn load_was_refused(&mut self) {
        self.table.evaluations.truncate(self.table.before_load);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_resizes_are_recovered() {
        let mut engine = Engine::new();
        let resize = engine.begin_resize(32);
        assert_eq!((engine.prepare(), engine.table.tt.size_mib()), (Ok(()), 0));
        drop(resize);
        assert_eq!((engine.prepare(), engine.table.tt.size_mib()), (Ok(()), Engine::DEFAULT_HASH));
    }
}
