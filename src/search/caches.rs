//! What threads that run on one last-level cache share: the corrections of the evaluation. What one of them learns of it holds for
//! all, and a table that all read stays in the cache.

use super::history::Corrections;
use crate::processors;
use crate::sync::Mutex;

/// The last-level caches of the system, each with its corrections.
pub struct Caches {
    /// By the number of a processor: its cache. A processor that is not listed counts to the first.
    of: Box<[usize]>,
    corrections: Box<[Mutex<Option<Corrections>>]>,
}

impl Caches {
    /// Caches that know nothing, one for each group of processors, one at least.
    pub fn new<Group: IntoIterator<Item = usize>>(groups: impl IntoIterator<Item = Group>) -> Self {
        let mut of = Vec::new();
        let mut count = 0;
        for group in groups {
            for cpu in group {
                of.resize(of.len().max(cpu + 1), 0);
                of[cpu] = count;
            }
            count += 1;
        }
        Self { of: of.into(), corrections: (0..count.max(1)).map(|_| Mutex::new(None)).collect() }
    }

    /// Whether these are the same groups of processors.
    pub fn are_like(&self, other: &Self) -> bool {
        self.of == other.of && self.corrections.len() == other.corrections.len()
    }

    /// The corrections of the cache that is nearest to the calling thread. Who is first makes them, so that the system puts them into
    /// the memory near that thread.
    pub fn nearest(&self) -> Corrections {
        let cache = processors::current().and_then(|cpu| self.of.get(cpu)).map_or(0, |&cache| cache);
        self.corrections[cache].lock().get_or_insert_with(Corrections::new).clone()
    }

    /// Forgets all corrections. No search may run.
    pub fn clear(&self) {
        for corrections in &self.corrections {
            corrections.lock().iter_mut().for_each(Corrections::clear);
        }
    }
}

impl Default for Caches {
    /// One cache for all.
    fn default() -> Self {
        Self::new([[]])
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn processors_of_a_group_share() {
        let caches = Caches::new([vec![0, 2], vec![1, 5]]);
        assert_eq!((&*caches.of, caches.corrections.len()), (&[0, 1, 0, 0, 0, 1][..], 2));
        assert!(caches.are_like(&Caches::new([[2, 0], [5, 1]])) && !caches.are_like(&Caches::default()));
        let many: Vec<Vec<usize>> = (0..4096).map(|cpu| vec![cpu]).collect();
        let all = Caches::new(many);
        all.nearest();
        let made = all.corrections.iter().filter(|corrections| corrections.lock().is_some()).count();
        assert_eq!(made, 1);
    }
}
