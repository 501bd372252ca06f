//! How the engine hands orders to a worker thread.

use super::sync::{Condvar, Mutex, wait};
use std::collections::VecDeque;

/// A queue with one reader, who sleeps while it is empty.
pub struct Mailbox<T> {
    content: Mutex<Content<T>>,
    /// Notified whenever there is something to see.
    news: Condvar,
}

struct Content<T> {
    messages: VecDeque<T>,
    closed: bool,
}

impl<T> Mailbox<T> {
    /// Puts a message behind those that wait.
    pub fn send(&self, message: T) {
        self.content.lock().messages.push_back(message);
        self.news.notify_one();
    }

    /// Nothing more will be sent.
    pub fn close(&self) {
        self.content.lock().closed = true;
        self.news.notify_one();
    }

    /// Waits for the next message; `None` when there is none and none will come.
    pub fn receive(&self) -> Option<T> {
        let mut content = self.content.lock();
        loop {
            if let Some(message) = content.messages.pop_front() {
                return Some(message);
            }
            if content.closed {
                return None;
            }
            content = wait(&self.news, content);
        }
    }
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self { content: Mutex::new(Content { messages: VecDeque::new(), closed: false }), news: Condvar::new() }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn messages_arrive_in_order_and_then_the_end() {
        let mailbox = Arc::new(Mailbox::default());
        let reader = {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || std::iter::from_fn(|| mailbox.receive()).collect::<Vec<u32>>())
        };
        (0..1000).for_each(|message| mailbox.send(message));
        mailbox.close();
        assert!(reader.join().expect("the reader ends").into_iter().eq(0..1000));
    }
}
