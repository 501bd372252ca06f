//! Worker threads that live as long as the engine and take orders from mailboxes.

use super::mailbox::Mailbox;
use super::memory;
use crate::search::job::{Event, Job};
use crate::search::worker::Worker;
use crossbeam::channel::bounded;
use std::io;
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
}

/// The threads that search. Each owns its worker, created on the thread itself so that its memory is near it.
#[derive(Default)]
pub struct Pool {
    threads: Vec<Thread>,
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

    /// Starts or ends threads until there are `count`. Those that stay keep what they have learned; the memory of those that
    /// end is given back. No search may run.
    ///
    /// # Errors
    /// The system has no memory for so many threads, or refuses to start them; the old number stays.
    pub fn resize(&mut self, count: usize) -> io::Result<()> {
        let before = self.threads.len();
        memory::keep_large_tables_apart();
        while self.threads.len() < count {
            match Thread::start(self.threads.len()) {
                Ok(thread) => self.threads.push(thread),
                Err(error) => {
                    self.truncate(before);
                    return Err(error);
                }
            }
        }
        self.truncate(count);
        Ok(())
    }

    fn truncate(&mut self, count: usize) {
        if count < self.threads.len() {
            // All are told before the first is waited for.
            self.threads[count..].iter_mut().for_each(Thread::dismiss);
            self.threads.truncate(count);
            memory::give_back();
        }
    }

    /// Sends a job to every thread and returns at once.
    pub fn search(&self, job: &Arc<Job>) {
        for thread in &self.threads {
            thread.order(Order::Search(Arc::clone(job)));
        }
    }

    /// Runs something on the main thread, with its worker, once the orders before it are carried out.
    pub fn run_on_main(&self, task: impl FnOnce(&mut Worker) + Send + 'static) {
        if let Some(thread) = self.threads.first() {
            thread.order(Order::Run(Box::new(task)));
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
    /// is any and the use of it.
    fn start(id: usize) -> io::Result<Self> {
        let orders: Arc<Mailbox<Order>> = Arc::default();
        let inbox = Arc::clone(&orders);
        let (send, started) = bounded(1);
        let life = move || {
            let worker = memory::check_room_for_a_worker().map(|()| Worker::new(id));
            let (worker, result) = match worker {
                Ok(worker) => (Some(worker), Ok(())),
                Err(error) => (None, Err(error)),
            };
            // The pool waits for this.
            let _ = send.send(result);
            if let Some(worker) = worker {
                serve(worker, &inbox);
            }
        };
        let handle = Builder::new().name(format!("worker {id}")).stack_size(STACK_BYTES).spawn(life)?;
        let thread = Self { orders, handle: Some(handle) };
        started.recv().map_err(io::Error::other)??;
        Ok(thread)
    }

    /// Ends the worker's loop after the orders it has.
    fn dismiss(&mut self) {
        self.orders.close();
    }

    fn order(&self, order: Order) {
        self.orders.send(order);
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

/// The life of a worker thread.
fn serve(mut worker: Worker, inbox: &Mailbox<Order>) {
    while let Some(order) = inbox.receive() {
        match order {
            Order::Forget => worker.clear(),
            Order::Run(task) => task(&mut worker),
            Order::Search(job) => {
                let events = job.events.clone();
                let finding = worker.search(&job);
                // Let go of the job first: when the engine hears of the last thread it owns the table alone.
                drop(job);
                let _ = events.send(Event::Done(finding));
            }
        }
    }
}
