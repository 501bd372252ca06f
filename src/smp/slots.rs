//! Which threads may search at a time.

use crate::processors;
use crate::sync::{CachePadded, Condvar, Mutex, MutexGuard, wait, yield_lock};

/// Hands out permission to search.
pub(crate) enum CpuSlots {
    /// All threads search at once.
    Free,
    /// With more threads than CPUs, only one thread per CPU searches at a time. Otherwise the thread that has the answer would
    /// queue for a CPU behind all others.
    Shared {
        slots: Box<[CachePadded<Mutex<()>>]>,
        /// The first thread that needs a slot: the main thread always searches, unless the search is in lockstep.
        first: usize,
    },
    /// One thread searches at a time, each in its turn.
    Turns(Turns),
}

/// Permission to search. Dropped when a thread ends, and while it waits for something else.
pub(crate) enum CpuSlot<'a> {
    /// Needs none, or has none.
    Free,
    /// That of a CPU.
    Shared(MutexGuard<'a, ()>),
    /// That of all threads.
    Turn(Turn<'a>),
}

impl CpuSlots {
    /// Limit checks before a thread yields the slot of a CPU: a few milliseconds.
    const CHECKS: u64 = 8;

    /// For free threads, or threads in lockstep.
    pub(crate) fn new(threads: usize, lockstep: bool) -> Self {
        let cpus = processors::count();
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
    /// Lets other threads search, if it is time to, at a limit check of this number.
    pub(crate) fn give_way(&mut self, check: u64) {
        match self {
            Self::Shared(slot) if check.is_multiple_of(CpuSlots::CHECKS) => yield_lock(slot),
            Self::Free | Self::Shared(_) => {}
            Self::Turn(turn) => turn.pass(),
        }
    }
}

/// The turns of threads that share one CPU: from one limit check to the next. A search repeats exactly, although the threads share
/// all that free threads share.
pub(crate) struct Turns {
    order: Mutex<Order>,
    /// By thread: notified when its turn comes.
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

/// A thread's turn; it ends for good when dropped.
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
