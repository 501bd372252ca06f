//! What reductions did in the last search.

use super::Engine;
use crate::search::lmr::{LmrReport, LmrStats};
use parking_lot::Mutex;
use std::sync::Arc;

/// A search whose reductions are counted.
pub(super) struct Counted {
    recipe: &'static str,
    /// The depth of its answer, in plies.
    pub(super) depth: i32,
    /// The nodes of its answer.
    pub(super) nodes: u64,
    stats: Arc<Mutex<LmrStats>>,
}

impl Engine {
    /// Where the next search counts, if it is to count.
    pub(super) fn start_counting(&mut self) -> Option<Arc<Mutex<LmrStats>>> {
        let counts = || Counted { recipe: self.settings.lmr.main, depth: 0, nodes: 0, stats: Arc::default() };
        self.counted = self.settings.lmr_statistics.then(counts);
        self.counted.as_ref().map(|counted| Arc::clone(&counted.stats))
    }

    /// What reductions did in the last search, of all threads together; `None` unless
    /// [`lmr_statistics`](super::Settings::lmr_statistics) was set when it began. A search that still runs is ended.
    pub fn lmr_report(&mut self) -> Option<LmrReport> {
        self.finish();
        let &Counted { recipe, depth, nodes, ref stats } = self.counted.as_ref()?;
        let stats = stats.lock().clone();
        Some(LmrReport { recipe, depth, nodes, nodes_off: None, stats })
    }
}
