//! What a search puts aside before something is searched again, so that it goes on as if nothing had happened.

use crate::chess::Board;
use crate::search::history::{Corrections, Histories};
use crate::search::lbr::LastBestReply;
use crate::search::report::PvLine;
use crate::search::stack::Stack;
use crate::search::worker::Worker;
use crate::tt::{Kept, Tt};

/// A copy of what belongs to a thread, and what others might share as it was before it was written to.
///
/// The copy is a few MiB, most of it histories, and takes a fraction of a millisecond. Of the table and the corrections, which are
/// larger, only the places that are written to are kept.
#[derive(Default)]
pub struct Aside {
    histories: Histories,
    lbr: LastBestReply,
    stack: Box<Stack>,
    pv: Box<[PvLine]>,
    /// Places of the table, in the order in which they were written to.
    clusters: Vec<Kept>,
    /// Corrections, likewise.
    corrections: Vec<(usize, i32)>,
}

impl Aside {
    /// Copies what belongs to a thread.
    pub fn keep(&mut self, worker: &Worker) {
        self.histories.copy_from(&worker.histories);
        self.lbr.copy_from(&worker.lbr);
        self.stack.clone_from(&worker.stack);
        self.pv.clone_from(&worker.pv);
        self.clusters.clear();
        self.corrections.clear();
    }

    /// Keeps the place of the table where entries of this key go.
    pub fn keep_place(&mut self, tt: &Tt, key: u64) {
        self.clusters.extend(tt.keep(key));
    }

    /// Keeps the corrections for a position.
    pub fn keep_corrections(&mut self, corrections: &Corrections, board: &Board, stack: &Stack, ply: usize) {
        self.corrections.extend(corrections.keep(board, stack, ply));
    }

    /// Puts everything back.
    pub fn put_back(&mut self, worker: &mut Worker, tt: &Tt, corrections: &Corrections) {
        std::mem::swap(&mut self.histories, &mut worker.histories);
        std::mem::swap(&mut self.lbr, &mut worker.lbr);
        std::mem::swap(&mut self.stack, &mut worker.stack);
        std::mem::swap(&mut self.pv, &mut worker.pv);
        // What was written to twice has been what was kept first.
        self.clusters.iter().rev().for_each(|kept| tt.put_back(kept));
        self.corrections.iter().rev().for_each(|&(place, value)| corrections.put_back(place, value));
    }
}
