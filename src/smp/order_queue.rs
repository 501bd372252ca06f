//! Job queues of worker threads.

use crate::sync::{Condvar, Mutex, wait};
use std::collections::VecDeque;

/// A queue with one reader, which blocks while it is empty.
pub struct OrderQueue<T> {
    content: Mutex<Content<T>>,
    /// Notified on every change.
    changed: Condvar,
}

struct Content<T> {
    messages: VecDeque<T>,
    closed: bool,
}

impl<T> OrderQueue<T> {
    /// Appends a message.
    pub fn send(&self, message: T) {
        self.content.lock().messages.push_back(message);
        self.changed.notify_one();
    }

    /// Ends the queue.
    pub fn close(&self) {
        self.content.lock().closed = true;
        self.changed.notify_one();
    }

    /// Takes the next message, blocking; `None` once the queue is closed and empty.
    pub fn receive(&self) -> Option<T> {
        let mut content = self.content.lock();
        loop {
            if let Some(message) = content.messages.pop_front() {
                return Some(message);
            }
            if content.closed {
                return None;
            }
            content = wait(&self.changed, content);
        }
    }
}

impl<T> Default for OrderQueue<T> {
    fn default() -> Self {
        Self { content: Mutex::new(Content { messages: VecDeque::new(), closed: false }), changed: Condvar::new() }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn messages_arrive_in_order_until_closed() {
        let order_queue = Arc::new(OrderQueue::default());
        let reader = {
            let order_queue = Arc::clone(&order_queue);
            thread::spawn(move || std::iter::from_fn(|| order_queue.receive()).collect::<Vec<u32>>())
        };
        (0..1000).for_each(|message| order_queue.send(message));
        order_queue.close();
        assert!(reader.join().expect("the reader ends").into_iter().eq(0..1000));
    }
}
