//! Limits the number of threads that search at once.

use crate::sync::{CachePadded, Condvar, Mutex, MutexGuard, wait, yield_lock};

/// Permissions to search.
pub(crate) enum CpuSlots {
    /// All threads search at once.
    Free,
    /// With more threads than CPUs, only one thread per CPU searches at a time. Otherwise the thread with the result would queue
    /// for a CPU behind all others.
    Shared {
        slots: Box<[CachePadded<Mutex<()>>]>,
        /// The first thread that needs a slot: 1, since the main thread always searches, or 0 in lockstep.
        first: usize,
    },
    /// The threads take turns, and one searches at a time.
    Turns(Turns),
}

/// A permission to search. Dropped when a thread ends, and while it waits for something else.
pub(crate) enum CpuSlot<'a> {
    /// No slot.
    Free,
    /// The slot of a CPU.
    Shared(MutexGuard<'a, ()>),
    /// The only permission.
    Turn(Turn<'a>),
}

impl CpuSlots {
    /// Number of limit checks before a thread yields its CPU: a few milliseconds.
    const CHECKS: u64 = 8;

    /// For free threads, or threads in lockstep, on this number of CPUs.
    pub(crate) fn new(threads: usize, cpus: usize, lockstep: bool) -> Self {
        let first = usize::from(!lockstep);
        if threads <= cpus {
            return Self::Free;
        }
        Self::Shared { slots: (first..cpus.max(first + 1)).map(|_| CachePadded::default()).collect(), first }
    }

    /// For threads that take turns.
    pub(crate) fn turns(threads: usize) -> Self {
        let order = Order { next: 0, ended: vec![false; threads].into() };
        Self::Turns(Turns { order: Mutex::new(order), passed: (0..threads).map(|_| Condvar::new()).collect() })
    }

    pub(crate) fn are_turns(&self) -> bool {
        matches!(self, Self::Turns(_))
    }

    pub(crate) fn acquire(&self, thread: usize) -> CpuSlot<'_> {
        match self {
            Self::Shared { slots, first } if thread >= *first => {
                CpuSlot::Shared(slots[(thread - first) % slots.len()].lock())
            }
            Self::Free | Self::Shared { .. } => CpuSlot::Free,
            Self::Turns(turns) => {
                turns.wait(turns.order.lock(), thread);
                CpuSlot::Turn(Turn { turns, thread })
            }
        }
    }
}

impl CpuSlot<'_> {
    /// Lets other threads search, where due at the limit check of this number.
    pub(crate) fn give_way(&mut self, check: u64) {
        match self {
            Self::Shared(slot) if check.is_multiple_of(CpuSlots::CHECKS) => yield_lock(slot),
            Self::Free | Self::Shared(_) => {}
            Self::Turn(turn) => turn.pass(),
        }
    }
}

/// Turns of threads, each from one limit check to the next. Searches are reproducible, although the threads share as much as free
/// threads.
pub(crate) struct Turns {
    order: Mutex<Order>,
    /// One per thread, notified when its turn begins.
    passed: Box<[Condvar]>,
}

struct Order {
    next: usize,
    ended: Box<[bool]>,
}

impl Turns {
    /// Passes the turn from a thread to the next one that has not ended.
    fn pass(&self, order: &mut Order, thread: usize) {
        let threads = order.ended.len();
        let mut others = (1..=threads).map(|step| (thread + step) % threads);
        order.next = others.find(|&next| !order.ended[next]).unwrap_or(thread);
        self.passed[order.next].notify_one();
    }

    fn wait<'a>(&'a self, mut order: MutexGuard<'a, Order>, thread: usize) {
        while order.next != thread {
            order = wait(&self.passed[thread], order);
        }
    }
}

/// A thread's turn. Once dropped, the thread gets no further turns.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    thread: usize,
}

impl Turn<'_> {
    /// Passes the turn and waits for the next one.
    fn pass(&mut self) {
        let mut order = self.turns.order.lock();
        self.turns.pass(&mut order, self.thread);
        self.turns.wait(order, self.thread);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut order = self.turns.order.lock();
        order.ended[self.thread] = true;
        self.turns.pass(&mut order, self.thread);
    }
}
