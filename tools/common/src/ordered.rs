//! Work on several threads whose results come in order.

use crate::interrupt::Stop;
use crossbeam::channel::bounded;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Works on each of these items, on several threads, each with a bench of its own that `set_up` makes. `on_done` gets the
/// results in the order of the items, whichever was finished first; it can end the run, and so can `stop`.
/// Work sees both requests; `None` from it ends its thread.
///
/// # Errors
/// That of `set_up`.
pub fn run<B, I, T: Send, E: Send>(
    concurrency: usize,
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    stop: &Stop,
    set_up: impl Fn() -> Result<B, E> + Sync,
    work: impl Fn(&mut B, I, [&Stop; 2]) -> Option<T> + Sync,
    mut on_done: impl FnMut(T) -> ControlFlow<()>,
) -> Result<(), E> {
    let queue = Mutex::new(items.into_iter().enumerate());
    let enough = Stop::default();
    let stops = [stop, &enough];
    std::thread::scope(|scope| {
        let (send, receive) = bounded(2 * concurrency);
        for _ in 0..concurrency {
            let (send, queue, set_up, work) = (send.clone(), &queue, &set_up, &work);
            scope.spawn(move || {
                let mut bench = match set_up() {
                    Ok(bench) => bench,
                    // Nobody listens any more when the run has ended.
                    Err(error) => return drop(send.send(Err(error))),
                };
                while !stops.iter().any(|stop| stop.asked()) {
                    let Some((place, item)) = queue.lock().next() else { return };
                    let Some(result) = work(&mut bench, item, stops) else { return };
                    if send.send(Ok((place, result))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        let mut done = Ok(());
        for message in receive {
            match message {
                Err(error) => {
                    enough.ask();
                    done = Err(error);
                }
                Ok((place, result)) => {
                    waiting.insert(place, result);
                }
            }
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                if !enough.asked() && on_done(result).is_break() {
                    enough.ask();
                }
            }
        }
        done
    })
}
