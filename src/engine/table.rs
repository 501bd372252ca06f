//! The engine's table: its size, who has it, and what its entries mean.

use super::Engine;
use crate::chess::Board;
use crate::eval::nnue::sum::Sum;
use crate::eval::{Evaluation, Model, Scaling};
use crate::hash_file::Identity;
use crate::search::strength::Seed;
use crate::tt::{Tt, TtError};
use crossbeam::channel::{Receiver, Sender, bounded};
use std::convert::Infallible;
use std::ops::Deref;
use std::sync::Arc;
use thiserror::Error;

/// The table of an engine, and what is known about it.
pub(super) struct Table {
    pub tt: Arc<Tt>,
    /// The size asked for, in MiB.
    mib: usize,
    contents: Contents,
    /// Of each time that it was lent, something that ends when it is given back.
    lent: Vec<Receiver<Infallible>>,
    /// Whether a generation has begun that no search has used so far.
    begun: bool,
}

/// What gives positions their values.
#[derive(Clone, Debug)]
pub struct Foundations {
    evaluation: Evaluation,
    scaling: Scaling,
}

/// What the values of a table's entries are of.
enum Contents {
    Nothing,
    Of(Foundations),
    Several,
}

/// The table, lent to a thread that saves it or loads into it. Until it is dropped the engine neither resizes nor empties the table:
/// it waits.
pub struct LentTable {
    tt: Arc<Tt>,
    // Dropped after the table.
    _lent: Sender<Infallible>,
}

/// The table holds values of more than one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the hash table holds values of more than one evaluation; expected Clear Hash and a search before it is saved")]
pub struct SeveralEvaluations;

impl Deref for LentTable {
    type Target = Tt;

    fn deref(&self) -> &Tt {
        &self.tt
    }
}

impl Table {
    /// A table of so many MiB that takes its memory when it is first needed.
    pub fn of_size(mib: usize) -> Self {
        Self { tt: Arc::new(Tt::empty()), mib, contents: Contents::Nothing, lent: Vec::new(), begun: false }
    }

    fn lend(&mut self) -> LentTable {
        let (lent, given_back) = bounded(0);
        self.lent.push(given_back);
        LentTable { tt: Arc::clone(&self.tt), _lent: lent }
    }
}

impl Contents {
    /// Whether no value is of anything else.
    fn are_of(&self, foundations: &Foundations) -> bool {
        match self {
            Self::Nothing => true,
            Self::Of(known) => known.are(foundations),
            Self::Several => false,
        }
    }

    /// Values of this come in.
    fn add(&mut self, foundations: Foundations) {
        *self = if self.are_of(&foundations) { Self::Of(foundations) } else { Self::Several };
    }
}

impl Foundations {
    /// Positions whose values tell evaluations apart: an opening, middlegames, endings with and without pawns.
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

    /// Whether both give every position the same value.
    fn are(&self, other: &Self) -> bool {
        let same_model = match (&self.evaluation.model, &other.evaluation.model) {
            (Model::Classical, Model::Classical) => true,
            // How the sums are added up changes nothing.
            (Model::Nnue(one, _), Model::Nnue(two, _)) => {
                Arc::ptr_eq(one, two) || one.fingerprint() == two.fingerprint()
            }
            _ => false,
        };
        same_model
            && self.scaling == other.scaling
            && self.evaluation.drawish_endings == other.evaluation.drawish_endings
    }

    /// What files say of it. The number is made of keys and values of positions, so that it changes with whatever changes those.
    pub fn identity(&self) -> Identity {
        let Self { evaluation, scaling } = self;
        let mut sum = Sum::default();
        let name = match &evaluation.model {
            Model::Classical => "classical".to_owned(),
            Model::Nnue(network, _) => {
                sum.add(network.fingerprint());
                format!("nnue {network}")
            }
        };
        sum.add(evaluation.drawish_endings.into());
        sum.add(scaling.0 as u64);
        for board in Self::SAMPLES.iter().filter_map(|fen| Board::from_fen(fen).ok()) {
            sum.add(board.key());
            sum.add(evaluation.value(&board, *scaling) as u64);
            // A move is kept as a number, too.
            board.legal_moves().iter().for_each(|mv| sum.add(mv.word().into()));
        }
        let drawish = if evaluation.drawish_endings { ", drawish endings are draws" } else { "" };
        Identity {
            engine: concat!("Lento ", env!("CARGO_PKG_VERSION")).into(),
            evaluation: name + drawish,
            meaning: sum.0,
        }
    }
}

impl Engine {
    /// Gets the memory for the table, unless it is there. A search does this, too, and does without a table if there is no
    /// memory.
    ///
    /// # Errors
    /// There is no memory for the table.
    pub fn prepare(&mut self) -> Result<(), TtError> {
        if self.table.tt.size_mib() == self.table.mib || self.is_searching() {
            return Ok(());
        }
        self.set_hash(self.table.mib)
    }

    /// The size of the table, in MiB.
    pub fn hash_mib(&self) -> usize {
        self.table.mib
    }

    /// Changes the size of the table.
    ///
    /// # Errors
    /// There is not enough memory; the old table stays, or an empty one that [`TtError::Lost`] tells of.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), TtError> {
        self.set_hash_telling(mib, &mut |_| ())
    }

    /// [`set_hash`](Self::set_hash) that tells now and then how many MiB are ready: a large table takes its time.
    ///
    /// # Errors
    /// As for [`set_hash`](Self::set_hash).
    pub fn set_hash_telling(&mut self, mib: usize, tell: &mut dyn FnMut(usize)) -> Result<(), TtError> {
        let threads = self.threads();
        let changes = self.table.tt.size_mib() != mib;
        let resized = self.exclusive_table().resize_telling(mib, threads, tell);
        if changes && matches!(resized, Ok(()) | Err(TtError::Lost { .. })) {
            self.table.contents = Contents::Nothing;
        }
        self.table.mib = match resized {
            Ok(()) => mib,
            // Else every search would try again, and empty the table.
            Err(TtError::Lost { kept, .. }) if kept > 0 => kept,
            Err(_) => self.table.mib,
        };
        resized
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        let threads = self.threads();
        self.exclusive_table().clear(threads);
        self.table.contents = Contents::Nothing;
    }

    /// Forgets everything learned: a game with no connection to the last one begins. With
    /// [`analyse_mode`](super::Settings::analyse_mode) everything stays, unless the values in the table are of another evaluation.
    pub fn new_game(&mut self) {
        self.seed = Seed::random();
        if self.settings.analyse_mode && self.table.contents.are_of(&self.foundations()) {
            return;
        }
        self.clear_hash();
        self.pool.forget();
        self.caches.clear();
        self.searched = None;
    }

    /// The table, which nobody else holds while no search runs and it is not lent.
    pub(super) fn exclusive_table(&mut self) -> &mut Tt {
        self.finish();
        self.await_table();
        Arc::get_mut(&mut self.table.tt).expect("workers let go of the table before they report")
    }

    /// Waits until the table is given back by everybody whom it was lent to.
    pub fn await_table(&mut self) {
        for given_back in self.table.lent.drain(..) {
            // Nothing can come: this ends with the other end.
            let _ = given_back.recv();
        }
    }

    /// What gives positions their values now.
    fn foundations(&self) -> Foundations {
        Foundations { evaluation: self.evaluation(), scaling: self.params.scaling() }
    }

    /// What gives positions their values now, as files say it.
    pub fn identity(&self) -> Identity {
        self.foundations().identity()
    }

    /// Starts the next generation of the table for a search, unless one has begun. An analysis is one long search, and a search
    /// after a table was loaded goes on with the one that was saved: it takes nothing deep away. Returns whether it goes on with
    /// what is known.
    pub(super) fn begin_generation(&mut self) -> bool {
        let goes_on = std::mem::take(&mut self.table.begun) || self.settings.analyse_mode;
        self.table.tt.spare_deep(goes_on);
        if !goes_on {
            self.table.tt.new_search();
        }
        let foundations = self.foundations();
        self.table.contents.add(foundations);
        goes_on
    }

    /// Lends the table to a thread that saves it, and says what gave its entries their values. A search may run.
    ///
    /// # Errors
    /// Several evaluations did.
    pub fn lend_table_to_save(&mut self) -> Result<(LentTable, Foundations), SeveralEvaluations> {
        let foundations = match &self.table.contents {
            Contents::Nothing => self.foundations(),
            Contents::Of(foundations) => foundations.clone(),
            Contents::Several => return Err(SeveralEvaluations),
        };
        Ok((self.table.lend(), foundations))
    }

    /// Lends the table to a thread that loads entries into it, and says what has to have given them their values. They will count
    /// as if the next search had written them. A search that still runs is ended.
    ///
    /// # Errors
    /// There is no memory for the table.
    pub fn lend_table_to_load(&mut self) -> Result<(LentTable, Foundations), TtError> {
        self.finish();
        self.prepare()?;
        if !self.table.begun {
            self.table.tt.new_search();
            self.table.begun = true;
        }
        let foundations = self.foundations();
        self.table.contents.add(foundations.clone());
        Ok((self.table.lend(), foundations))
    }
}
