//! Worker threads that live as long as the engine and take orders over channels.

use crate::search::job::{Event, Job};
use crate::search::worker::Worker;
use crossbeam::channel::{Receiver, Sender, unbounded};
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
    orders: Sender<Order>,
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

    /// Starts or ends threads until there are `count`. Those that stay keep what they have learned. No search may run.
    ///
    /// # Errors
    /// The system refuses to start another thread; those started so far stay.
    pub fn resize(&mut self, count: usize) -> io::Result<()> {
        self.threads.truncate(count);
        while self.threads.len() < count {
            self.threads.push(Thread::start(self.threads.len())?);
        }
        Ok(())
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
    fn start(id: usize) -> io::Result<Self> {
        let (orders, inbox) = unbounded();
        let handle =
            Builder::new().name(format!("worker {id}")).stack_size(STACK_BYTES).spawn(move || serve(id, &inbox))?;
        Ok(Self { orders, handle: Some(handle) })
    }

    fn order(&self, order: Order) {
        // A worker ends only when its sender is dropped, so there is somebody to receive this.
        let _ = self.orders.send(order);
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // Without a sender the worker's loop ends.
        self.orders = unbounded().0;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// The life of a worker thread.
fn serve(id: usize, inbox: &Receiver<Order>) {
    let mut worker = Worker::new(id);
    for order in inbox {
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
