//! Worker threads that live as long as the engine and take orders from mailboxes.

use super::mailbox::Mailbox;
use super::memory;
use super::numa::binding;
use super::numa::cpu_set::CpuSet;
use super::numa::placement::{Place, Placement};
use super::numa::report::Occupied;
use crate::eval::Evaluation;
use crate::processors;
use crate::search::home::Home;
use crate::search::job::{Event, Job};
use crate::search::worker::Worker;
use crossbeam::channel::{Receiver, bounded};
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Recursion over the deepest line needs less than this; only what is used is backed by memory.
pub(super) const STACK_BYTES: usize = 8 << 20;

/// Something to be done with a worker.
type Task = Box<dyn FnOnce(&mut Worker) + Send>;

enum Order {
    Search(Arc<Job>),
    Forget,
    Run(Task),
}

struct Thread {
    orders: Arc<Mailbox<Order>>,
    handle: Option<JoinHandle<()>>,
    /// The processors that it was to be bound to.
    place: Option<CpuSet>,
    /// Those that the system says it is bound to, or why it is not.
    bound: Option<Result<CpuSet, String>>,
}

/// The threads that search. Each owns its worker, created on the thread itself so that its memory is near it.
#[derive(Default)]
pub struct Pool {
    threads: Vec<Thread>,
    /// What threads of one place share, by the processors.
    homes: Vec<(CpuSet, Arc<Home>)>,
}

impl Pool {
    /// How many threads there are.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// Whether there is no thread.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Starts or ends threads until there are `count`, each in its place. Those that stay keep what they have learned; the first
    /// whose place is another one starts anew, and so do those behind it. The memory of those that end is given back. No search
    /// may run. New ones get the memory to search with this evaluation.
    ///
    /// # Errors
    /// The system has no memory for so many threads, or refuses to start them; the old number stays, or fewer where threads had
    /// to move.
    pub fn resize(&mut self, count: usize, placement: &Placement, evaluation: &Evaluation) -> io::Result<()> {
        let before = self.threads.len();
        memory::keep_large_tables_apart();
        let place = |id| placement.of(id).map(|place| place.cpus);
        let stays = |(id, thread): &(usize, &Thread)| thread.place == place(*id);
        let staying = self.threads.iter().enumerate().take(count).take_while(stays).count();
        self.truncate(staying);
        self.homes.retain(|(cpus, _)| placement.places.iter().any(|place| place.cpus == *cpus));
        while self.threads.len() < count {
            let id = self.threads.len();
            let home = place(id).map(|cpus| (cpus, self.home(cpus)));
            match Thread::start(id, home, evaluation.clone()) {
                Ok(thread) => self.threads.push(thread),
                Err(error) => {
                    self.truncate(before);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// What the threads of these processors share.
    fn home(&mut self, cpus: CpuSet) -> Arc<Home> {
        if let Some((_, home)) = self.homes.iter().find(|(known, _)| *known == cpus) {
            return Arc::clone(home);
        }
        let home = Arc::<Home>::default();
        self.homes.push((cpus, Arc::clone(&home)));
        home
    }

    /// Gives every place its copy of the network, made by a thread of that place. Searches do this, too; then the first one takes
    /// longer.
    pub fn copy_network(&self, evaluation: &Evaluation) {
        let copies: Vec<_> = self
            .homes
            .iter()
            .filter_map(|(cpus, home)| {
                let thread = self.threads.iter().find(|thread| thread.place == Some(*cpus) && thread.is_bound())?;
                let (home, evaluation) = (Arc::clone(home), evaluation.clone());
                Some(thread.ask(move |_| _ = home.near(&evaluation)))
            })
            .collect();
        copies.iter().for_each(|done| _ = done.recv());
    }

    /// What is in a place, while this evaluation is in force.
    pub fn occupied(&self, place: &Place, evaluation: &Evaluation) -> Occupied {
        let threads: Vec<_> = self.threads.iter().filter(|thread| thread.place == Some(place.cpus)).collect();
        let home = self.homes.iter().find(|(cpus, _)| *cpus == place.cpus);
        Occupied {
            place: place.clone(),
            threads: threads.len(),
            bound: threads.iter().filter(|thread| thread.is_bound()).count(),
            refusal: threads.iter().find_map(|thread| thread.bound.clone()?.err()),
            copied: home.is_some_and(|(_, home)| home.has_copy(evaluation)),
        }
    }

    fn truncate(&mut self, count: usize) {
        if count < self.threads.len() {
            // All are told before the first is waited for.
            self.threads[count..].iter_mut().for_each(Thread::dismiss);
            self.threads.truncate(count);
            memory::give_back();
        }
    }

    /// Sends a job to as many threads as it is for, and returns at once.
    pub fn search(&self, job: &Arc<Job>) {
        for thread in self.threads.iter().take(job.findings.threads()) {
            thread.order(Order::Search(Arc::clone(job)));
        }
    }

    /// What the main thread's worker answers, or a new one where there is no thread.
    pub fn ask_main<T: Default + Send + 'static>(&self, task: impl FnOnce(&mut Worker) -> T + Send + 'static) -> T {
        match self.threads.first() {
            Some(main) => main.ask(task).recv().unwrap_or_default(),
            None => task(&mut Worker::new(0)),
        }
    }

    /// Makes every thread forget what it has learned. Orders are carried out in turn, so a search that follows finds it done.
    pub fn forget(&self) {
        for thread in &self.threads {
            thread.order(Order::Forget);
        }
    }
}

impl Thread {
    /// Starts a thread and waits until it has its worker: so nobody else takes memory between the question whether there
    /// is any and the use of it. A thread with a home is bound before it touches that memory, which so is near it.
    fn start(id: usize, home: Option<(CpuSet, Arc<Home>)>, evaluation: Evaluation) -> io::Result<Self> {
        memory::check_room_for_a_stack()?;
        let orders: Arc<Mailbox<Order>> = Arc::default();
        let inbox = Arc::clone(&orders);
        let place = home.as_ref().map(|(cpus, _)| *cpus);
        let (send, started) = bounded(1);
        let life = move || {
            if id >= processors::count() {
                stand_back();
            }
            let bound = place.map(|cpus| binding::bind(&cpus).map_err(|error| error.to_string()));
            let home = home.filter(|_| matches!(bound, Some(Ok(_)))).map(|(_, home)| home);
            let worker = memory::check_room_for_a_worker().map(|()| Worker::new(id));
            let (worker, result) = match worker {
                Ok(mut worker) => {
                    worker.home = home;
                    worker.prepare(&evaluation);
                    (Some(worker), Ok(bound))
                }
                Err(error) => (None, Err(error)),
            };
            // The pool waits for this.
            let _ = send.send(result);
            if let Some(worker) = worker {
                serve(worker, &inbox);
            }
        };
        let handle = Builder::new().name(format!("worker {id}")).stack_size(STACK_BYTES).spawn(life)?;
        let mut thread = Self { orders, handle: Some(handle), place, bound: None };
        thread.bound = started.recv().map_err(io::Error::other)??;
        Ok(thread)
    }

    /// Whether the system says that it is bound to its place alone.
    fn is_bound(&self) -> bool {
        matches!((&self.place, &self.bound), (Some(place), Some(Ok(bound))) if !bound.is_empty() && bound.is_within(place))
    }

    /// Ends the worker's loop after the orders it has.
    fn dismiss(&mut self) {
        self.orders.close();
    }

    fn order(&self, order: Order) {
        self.orders.send(order);
    }

    /// Asks its worker something. What the task owns is gone before the answer comes.
    fn ask<T: Send + 'static>(&self, task: impl FnOnce(&mut Worker) -> T + Send + 'static) -> Receiver<T> {
        let (send, answer) = bounded(1);
        self.order(Order::Run(Box::new(move |worker| _ = send.send(task(worker)))));
        answer
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.dismiss();
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// Lets threads with work for the user go first: for a thread beyond the number of processors. Where hundreds start or end, whoever
/// reads the input and writes the answer would have to wait behind all of them. A thread cannot take this back, nor need it: it goes
/// when fewer are asked for.
fn stand_back() {
    // Elsewhere the whole process would have the priority.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICE);
}

/// How far: enough to be preempted by threads that wake up, and not so much that they starve while they hold a turn.
#[cfg(target_os = "linux")]
const NICE: i32 = 5;

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref().cloned()).unwrap_or_default()
}

/// The life of a worker thread.
fn serve(mut worker: Worker, inbox: &Mailbox<Order>) {
    while let Some(order) = inbox.receive() {
        match order {
            Order::Forget => worker.clear(),
            Order::Run(task) => task(&mut worker),
            Order::Search(job) => {
                let events = job.events.clone();
                let finding = catch_unwind(AssertUnwindSafe(|| worker.search(&job))).unwrap_or_else(|panic| {
                    worker = worker.anew();
                    job.give_up(worker.id, &panic_message(&*panic))
                });
                // Let go of the job first: when the engine hears of the last thread it owns the table alone.
                drop(job);
                let _ = events.send(Event::Done(finding));
            }
        }
    }
}
