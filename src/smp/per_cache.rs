//! One value per last-level cache, shared by the threads that run on its CPUs.

use crate::processors;
use crate::processors::cpu_list::CpuSet;
use crate::sync::Mutex;

/// The values by cache, each created by its first user.
pub(crate) struct PerCache<T> {
    /// The cache of each CPU. Unlisted CPUs belong to the first cache.
    cache_of_cpu: Box<[usize]>,
    values: Box<[Mutex<Option<T>>]>,
}

impl<T: Clone> PerCache<T> {
    /// No values yet, for caches shared by these groups of CPUs, at least one.
    pub(crate) fn new(groups: &[CpuSet]) -> Self {
        let mut cache_of_cpu = Vec::new();
        for (cache, group) in groups.iter().enumerate() {
            cache_of_cpu.resize(cache_of_cpu.len().max(group.last().map_or(0, |last| last + 1)), 0);
            group.iter().for_each(|&cpu| cache_of_cpu[cpu] = cache);
        }
        Self { cache_of_cpu: cache_of_cpu.into(), values: (0..groups.len().max(1)).map(|_| Mutex::new(None)).collect() }
    }

    pub(crate) fn has_caches_of(&self, other: &Self) -> bool {
        self.cache_of_cpu == other.cache_of_cpu && self.values.len() == other.values.len()
    }

    /// The value of the calling thread's cache. The first caller creates it, so that the system allocates it in memory near that
    /// thread.
    pub(crate) fn local(&self, create: impl FnOnce() -> T) -> T {
        let cache = processors::current().and_then(|cpu| self.cache_of_cpu.get(cpu)).map_or(0, |&cache| cache);
        self.values[cache].lock().get_or_insert_with(create).clone()
    }

    /// The value of the first cache, regardless of the calling thread's CPU.
    pub(crate) fn first(&self, create: impl FnOnce() -> T) -> T {
        self.values[0].lock().get_or_insert_with(create).clone()
    }

    pub(crate) fn for_each(&self, mut function: impl FnMut(&T)) {
        for value in &self.values {
            value.lock().iter().for_each(&mut function);
        }
    }
}

impl<T: Clone> Default for PerCache<T> {
    fn default() -> Self {
        Self::new(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_of_a_group_share_a_value() {
        let caches = PerCache::<u8>::new(&[[0, 2].into(), [1, 5].into()]);
        assert_eq!((&*caches.cache_of_cpu, caches.values.len()), (&[0, 1, 0, 0, 0, 1][..], 2));
        assert!(!caches.has_caches_of(&PerCache::default()));
        let one_each = PerCache::new(&(0..4096).map(|cpu| [cpu].into()).collect::<Vec<_>>());
        one_each.local(|| 7);
        let mut values = Vec::new();
        one_each.for_each(|value| values.push(*value));
        assert_eq!(values, [7]);
    }
}
