//! Work on many positions by several threads, with the same result for any number of them.

use std::panic::resume_unwind;
use std::thread;

/// Into how many slices the positions are cut, whatever the number of threads: sums of real numbers depend on their order.
const SLICES: usize = 32;

/// Does some work on slices of the positions and gives the results in order.
pub fn each<T: Send>(names: &[u32], threads: usize, work: impl Fn(&[u32]) -> T + Sync) -> Vec<T> {
    let slices: Vec<&[u32]> = names.chunks(names.len().div_ceil(SLICES).max(1)).collect();
    let share = slices.len().div_ceil(threads.max(1)).max(1);
    if share >= slices.len() {
        return slices.into_iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let start = |mine: &'_ [&'_ [u32]]| -> Vec<T> { mine.iter().map(|slice| work(slice)).collect() };
        let handles: Vec<_> = slices.chunks(share).map(|mine| scope.spawn(move || start(mine))).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn slices_and_their_order_do_not_depend_on_threads() {
        for count in [0, 1, 5, 31, 32, 33, 1000] {
            let names: Vec<u32> = (0..count).collect();
            let alone = each(&names, 1, <[u32]>::to_vec);
            assert_eq!(alone.concat(), names);
            for threads in [2, 3, 64] {
                assert_eq!(each(&names, threads, <[u32]>::to_vec), alone);
            }
        }
    }
}
