//! Parallel work with results in order.

use crate::interrupt::Stop;
use crate::notice::notice;
use crossbeam::channel::{bounded, never, select};
use lento::engine::Engine;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::thread::Builder;

/// Processes items on several threads, each with its own state from `set_up`. `on_done` receives the results in the order of the
/// items. Both `on_done` and `stop` can end the run; `work` sees both requests and ends its thread by returning `None`. Thread
/// stacks are large enough for [`Engine::inline`].
///
/// # Errors
/// A thread cannot be started; those of `set_up` and `on_done`; those of `work`, after all earlier results.
pub fn run<S, I, T: Send>(
    concurrency: usize,
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    stop: &Stop,
    set_up: impl Fn() -> Result<S, String> + Sync,
    work: impl Fn(&mut S, I, [&Stop; 2]) -> Result<Option<T>, String> + Sync,
    mut on_done: impl FnMut(T) -> Result<ControlFlow<()>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let queue = Mutex::new(items.into_iter().enumerate());
    // Requested by `on_done` or an error.
    let own_stop = Stop::default();
    let stops = [stop, &own_stop];
    std::thread::scope(|scope| {
        let (send, receive) = bounded(2 * concurrency);
        for _ in 0..concurrency {
            let (send, queue, set_up, work) = (send.clone(), &queue, &set_up, &work);
            let run = move || {
                let mut state = match set_up() {
                    Ok(state) => state,
                    // The receiver may have been dropped at the end of the run.
                    Err(error) => return drop(send.send(Err(error))),
                };
                while !stops.iter().any(|stop| stop.is_requested()) {
                    let Some((index, item)) = queue.lock().next() else { return };
                    let Some(result) = work(&mut state, item, stops).transpose() else { return };
                    if send.send(Ok((index, result))).is_err() {
                        return;
                    }
                }
            };
            Builder::new()
                .stack_size(Engine::STACK_BYTES)
                .spawn_scoped(scope, run)
                .inspect_err(|_| own_stop.request())
                .map_err(|error| format!("a thread cannot be started: {error}"))?;
        }
        drop(send);
        let (mut pending, mut next) = (BTreeMap::new(), 0);
        let mut done = Ok(ControlFlow::Continue(()));
        let mut stop_requests = stop.waiter().clone();
        loop {
            let message = select! {
                recv(receive) -> message => message,
                recv(stop_requests) -> _ => {
                    stop_requests = never();
                    notice("interrupted: stopping; interrupt again to end at once");
                    continue;
                }
            };
            let Ok(message) = message else { break };
            match message {
                Err(error) => {
                    own_stop.request();
                    done = Err(error.into());
                }
                Ok((index, result)) => {
                    pending.insert(index, result);
                }
            }
            while let Some(result) = pending.remove(&next) {
                next += 1;
                if !own_stop.is_requested() {
                    done = result.map_err(Into::into).and_then(&mut on_done);
                    if !matches!(done, Ok(ControlFlow::Continue(()))) {
                        own_stop.request();
                    }
                }
            }
        }
        done.map(drop)
    })
}
