//! A pool of persistent worker threads with task queues.

use super::Engine;
use crate::eval::Evaluation;
use crate::processors;
use crate::processors::cpu_list::CpuSet;
use crate::search::job::{Event, Job};
use crate::search::worker::{Instrument, Worker};
use crate::smp::numa::placement::{Place, PlaceUsage, Placement};
use crate::sync::channel::{Receiver, Sender, bounded, unbounded};
use std::any::Any;
use std::hint::black_box;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

type Task = Box<dyn FnOnce(&mut Worker) + Send>;

struct Thread {
    /// Closed to end the thread.
    tasks: Option<Sender<Task>>,
    handle: Option<JoinHandle<()>>,
    /// The node it should be bound to.
    place: Option<Place>,
    /// The CPUs it should be bound to; none if it is not.
    cpus: CpuSet,
    /// The CPUs it is bound to, or why it is not bound.
    bound: Option<Result<CpuSet, String>>,
    /// Whether it has allocated [private histories](Worker::own).
    has_histories: bool,
}

/// The search threads. Each creates its own worker, for NUMA locality.
#[derive(Default)]
pub(super) struct Pool {
    threads: Vec<Thread>,
    /// Whether a pool of one thread uses the caller's ([`Engine::inline`]).
    inline: bool,
    /// The worker of that thread.
    caller: Option<Box<Worker>>,
}

impl Pool {
    pub(super) fn inline() -> Self {
        Self { inline: true, ..Self::default() }
    }

    /// Whether searches run on the thread that starts them.
    pub(super) fn is_inline(&self) -> bool {
        self.caller.is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.threads.len() + usize::from(self.is_inline())
    }

    /// Starts or stops threads to get `count`, each in its place. The first thread whose place changes and all after it restart;
    /// others keep their histories. Requires that no search is running. New threads allocate memory for this evaluation. On
    /// failure the old number is kept, or fewer if threads had to move.
    pub(super) fn resize(&mut self, count: usize, placement: &Placement, evaluation: &Evaluation) -> io::Result<()> {
        let before = self.threads.len();
        map_large_allocations();
        if self.inline && count == 1 {
            self.truncate(0);
            self.caller.get_or_insert_with(|| Box::new(Worker::new(0))).prepare(evaluation);
            return Ok(());
        }
        self.caller = None;
        let node = |place: Option<&Place>| place.map(|place| place.cpus.clone());
        let is_unmoved = |(id, thread): &(usize, &Thread)| {
            thread.cpus == placement.cpus(*id) && node(thread.place.as_ref()) == node(placement.of(*id))
        };
        let unmoved = self.threads.iter().enumerate().take(count).take_while(is_unmoved).count();
        self.truncate(unmoved);
        while self.threads.len() < count {
            let id = self.threads.len();
            match Thread::start(id, placement.of(id).cloned(), placement.cpus(id), evaluation.clone()) {
                Ok(thread) => self.threads.push(thread),
                Err(error) => {
                    self.truncate(before);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn threads_of(&self, place: &Place) -> impl Iterator<Item = &Thread> {
        self.threads.iter().filter(|thread| thread.place.as_ref().is_some_and(|own| own.cpus == place.cpus))
    }

    /// Copies the network to each node, on a thread of the node, to save the first search from doing so.
    pub(super) fn copy_network(&self, placement: &Placement, evaluation: &Evaluation) {
        let copy = |place: &Place| {
            let thread = self.threads_of(place).find(|thread| thread.is_bound())?;
            let (network, evaluation) = (Arc::clone(&place.network), evaluation.clone());
            Some(thread.run_task(move |_| _ = network.local(&evaluation)))
        };
        let copies: Vec<_> = placement.places.iter().filter_map(copy).collect();
        copies.iter().for_each(|done| _ = done.recv());
    }

    pub(super) fn usage(&self, place: &Place, evaluation: &Evaluation) -> PlaceUsage {
        PlaceUsage {
            place: place.clone(),
            threads: self.threads_of(place).count(),
            bound: self.threads_of(place).filter(|thread| thread.is_bound()).count(),
            refusal: self.threads_of(place).find_map(|thread| thread.bound.clone()?.err()),
            copied: place.network.has_copy(evaluation),
        }
    }

    /// The CPUs that the main thread is bound to, or why it is not; `None` if it should not be bound.
    pub(super) fn main_bound(&self) -> Option<&Result<CpuSet, String>> {
        self.threads.first()?.bound.as_ref()
    }

    fn truncate(&mut self, count: usize) {
        if count < self.threads.len() {
            // Signal all before joining the first.
            self.threads[count..].iter_mut().for_each(|thread| thread.tasks = None);
            self.threads.truncate(count);
            release_freed_memory();
        }
    }

    /// Sends a job to its threads, with an instrument to observe them. The caller wakes the main thread and one helper, and each
    /// helper two more, since waking hundreds of threads takes milliseconds. An inline pool searches to the end.
    pub(super) fn search(&mut self, job: &Arc<Job>, instrument: Option<&Arc<dyn Instrument>>) {
        if let Some(worker) = &mut self.caller {
            return search(worker, Arc::clone(job), instrument.cloned());
        }
        let threads = self.threads.iter().take(job.threads.own.len());
        let threads: Arc<[_]> = threads.filter_map(|thread| thread.tasks.clone()).collect();
        start(&threads, 0, job, instrument);
        start(&threads, 1, job, instrument);
    }

    pub(super) fn run_on_main<T: Default + Send + 'static>(
        &mut self,
        task: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> T {
        if let Some(worker) = &mut self.caller {
            return task(worker);
        }
        self.threads.first().and_then(|main| main.run_task(task).recv().ok()).unwrap_or_default()
    }

    /// Allocates private histories on each thread, to save the first search from doing so.
    pub(super) fn prepare_histories(&mut self) {
        let new = self.threads.iter_mut().filter(|thread| !thread.has_histories);
        let prepare = |thread: &mut Thread| {
            thread.has_histories = true;
            thread.run_task(|worker| _ = worker.own.get_or_insert_default())
        };
        let prepared: Vec<_> = new.map(prepare).collect();
        prepared.iter().for_each(|done| _ = done.recv());
    }

    /// Clears the histories of all threads before the next search.
    pub(super) fn clear_histories(&mut self) {
        self.caller.iter_mut().for_each(|worker| worker.clear());
        for thread in &self.threads {
            thread.queue(Worker::clear);
        }
    }
}

impl Thread {
    /// Starts a thread and waits for its worker, so that the memory check stays valid. The thread is bound before it first writes
    /// to its memory.
    fn start(id: usize, place: Option<Place>, cpus: CpuSet, evaluation: Evaluation) -> io::Result<Self> {
        let (tasks, inbox) = unbounded::<Task>();
        let (node, wanted) = (place.clone(), cpus.clone());
        let (send, started) = bounded(1);
        let run = move || {
            if cfg!(target_os = "linux") && id >= processors::count() {
                processors::lower_priority(SURPLUS_NICE);
            }
            let bind = || processors::bind(&wanted).map_err(|error| error.to_string());
            let bound = (!wanted.is_empty()).then(bind);
            let network = node.filter(|_| matches!(bound, Some(Ok(_)))).map(|node| node.network);
            // The pool is waiting for the result, and the stack and arena of the thread have been allocated.
            if let Err(error) = check_memory() {
                let _ = send.send(Err(error));
                return;
            }
            let mut worker = Worker::new(id);
            worker.network = network;
            worker.prepare(&evaluation);
            let _ = send.send(Ok(bound));
            inbox.iter().for_each(|task| task(&mut worker));
        };
        let builder = Builder::new().name(format!("worker {id}")).stack_size(Engine::STACK_BYTES);
        // A bare system error would count as one of standard output.
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("a thread cannot be started: {error}"));
        let handle = builder.spawn(run).map_err(failed)?;
        let mut thread =
            Self { tasks: Some(tasks), handle: Some(handle), place, cpus, bound: None, has_histories: false };
        thread.bound = started.recv().map_err(io::Error::other)??;
        Ok(thread)
    }

    /// Whether it is bound to CPUs of its place.
    fn is_bound(&self) -> bool {
        matches!((&self.place, &self.bound), (Some(place), Some(Ok(bound))) if !bound.is_empty() && bound.is_subset(&place.cpus))
    }

    fn queue(&self, task: impl FnOnce(&mut Worker) + Send + 'static) {
        if let Some(tasks) = &self.tasks {
            // Fails only if the thread has ended.
            let _ = tasks.send(Box::new(task));
        }
    }

    /// Runs a task on the worker. The task is dropped before the result is sent.
    fn run_task<T: Send + 'static>(&self, task: impl FnOnce(&mut Worker) -> T + Send + 'static) -> Receiver<T> {
        let (send, answer) = bounded(1);
        self.queue(move |worker| _ = send.send(task(worker)));
        answer
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// Nice value of threads beyond the number of CPUs, so that input and output do not queue behind hundreds of starting or stopping
/// threads. Irreversible, but surplus threads are stopped first.
const SURPLUS_NICE: i32 = 5;

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_default()
}

/// Starts the search on a thread, which wakes further ones. Does nothing beyond the last thread.
fn start(threads: &Arc<[Sender<Task>]>, id: usize, job: &Arc<Job>, instrument: Option<&Arc<dyn Instrument>>) {
    let Some(thread) = threads.get(id) else { return };
    let (threads, job, instrument) = (Arc::clone(threads), Arc::clone(job), instrument.cloned());
    let task = move |worker: &mut Worker| {
        let helpers = if id == 0 { 0..0 } else { 2 * id..2 * id + 2 };
        helpers.for_each(|helper| start(&threads, helper, &job, instrument.as_ref()));
        drop(threads);
        search(worker, job, instrument);
    };
    // Fails only if the thread has ended.
    let _ = thread.send(Box::new(task));
}

/// Searches and reports the end to the engine.
fn search(worker: &mut Worker, job: Arc<Job>, instrument: Option<Arc<dyn Instrument>>) {
    let events = job.events.clone();
    let search = || match &instrument {
        None => worker.search(&job, None),
        Some(instrument) => instrument.search(worker, &job),
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(search)) {
        *worker = worker.fresh();
        job.give_up(worker.id, &panic_message(&*panic));
    }
    // Drop these first: after the last report the engine must be the only owner of the table.
    drop((job, instrument));
    let _ = events.send(Event::Done(worker.id));
}

/// Checks that a worker, the stack of another thread and a margin can be allocated, since failure in a worker aborts the process.
pub(super) fn check_memory() -> io::Result<()> {
    const MARGIN: usize = 4 << 20;
    let mut memory: Vec<u8> = Vec::new();
    let reserved = memory.try_reserve_exact(Engine::STACK_BYTES + Worker::BYTES + MARGIN);
    // Prevents the allocation from being optimised away.
    black_box(memory.as_ptr());
    reserved.map_err(|_| io::Error::new(io::ErrorKind::OutOfMemory, "not enough memory for another thread"))
}

/// Gives large allocations their own mappings, which return to the system when freed. By default glibc places them in the arenas
/// of threads, which keep them.
fn map_large_allocations() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call sets a number of the allocator, from any thread and at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 128 << 10);
    }
}

/// Returns memory freed by stopped threads to the system, as glibc would keep it.
fn release_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call only returns unused pages of the allocator; it has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::Engine;
    use crate::search::limits::Determinism;

    #[test]
    fn private_histories_are_allocated_in_advance() {
        let mut engine = Engine::new();
        engine.set_threads(3).unwrap();
        let own = |engine: &Engine| {
            let threads = engine.pool.threads.iter();
            threads.map(|thread| thread.run_task(|worker| worker.own.is_some()).recv().unwrap()).collect::<Vec<_>>()
        };
        engine.prepare().unwrap();
        assert_eq!(own(&engine), [true, false, false]);
        engine.settings.search.deterministic = Determinism::Rounds;
        engine.prepare().unwrap();
        assert_eq!(own(&engine), [true; 3]);
    }
}
