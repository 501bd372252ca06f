//! The queue of the page: positions and games, each with a budget, searched in an order set by visitors.

mod budget;
mod entry;
mod requests;
mod storage;

use super::board::{self, Boards, now};
use super::pool::Pool;
use super::query::Query;
use super::scheduler::Answer;
use budget::Budget;
use entry::{Entry, Running};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval};

/// Interval of reports and events.
const TICK: Duration = Duration::from_millis(250);
/// Ticks between status events, and between saves.
const STATUS: u32 = 4;
const SAVE: u32 = 8;
/// Events that a slow visitor may lag behind before the whole state is sent again.
const MAX_LAG: usize = 64;
/// Entries of one event, so that a slow connection gets messages in time.
const PART: usize = 500;

pub struct Queue {
    pool: Arc<Pool>,
    boards: Arc<Boards>,
    /// Held while a report is made.
    reporting: Mutex<()>,
    state: Mutex<State>,
    storage: Mutex<storage::Storage>,
    events: broadcast::Sender<Arc<str>>,
}

#[derive(Default)]
struct State {
    entries: BTreeMap<u64, Entry>,
    /// By rank, without removed ones.
    order: BTreeSet<(i64, u64)>,
    /// Entries and positions being searched.
    running: BTreeSet<(u64, usize)>,
    /// The last entry number.
    last: u64,
    changes: u64,
    is_paused: bool,
    /// Why the queue is not stored; empty if it is, or need not be.
    unstored: String,
    /// Whether another server owns the queue of the database.
    is_taken: bool,
    /// Changes not yet sent to pages.
    changed: BTreeSet<u64>,
    is_changed: bool,
    /// Changes not yet in the database, also of dropped entries.
    unsaved: BTreeSet<u64>,
    is_unsaved: bool,
    /// Finished entries, whose games need reports.
    ended: BTreeSet<u64>,
    /// When entries with `Until` were last checked.
    last_check: u64,
}

impl State {
    fn change(&mut self, number: u64) {
        self.changed.insert(number);
        self.unsaved.insert(number);
    }

    /// Finishes entries whose `Until` has passed.
    fn end_by_time(&mut self, now: u64) {
        let passed = self.last_check..=now;
        let has_ended = |entry: &Entry| matches!(entry.task.budget, Budget::Until(moment) if passed.contains(&moment));
        let ended: Vec<u64> =
            self.entries.iter().filter(|(_, entry)| has_ended(entry)).map(|(&number, _)| number).collect();
        ended.iter().for_each(|&number| self.change(number));
        self.ended.extend(ended);
        self.last_check = now + 1;
    }

    /// The positions to search now.
    fn wanted(&self, max: usize, now: u64) -> Vec<(u64, usize)> {
        let mut wanted = Vec::new();
        for &(_, number) in self.order.iter().filter(|_| !self.is_paused) {
            let entry = &self.entries[&number];
            if entry.waits(now) {
                wanted.extend(entry.next(max - wanted.len()).into_iter().map(|at| (number, at)));
            }
            if wanted.len() == max {
                break;
            }
        }
        wanted
    }

    /// Milliseconds per position for entries with `Until`.
    fn share(&self, engines: usize, now: u64, until: u64) -> u64 {
        let is_like =
            |entry: &&Entry| matches!(entry.task.budget, Budget::Until(moment) if moment <= until) && entry.waits(now);
        let left: usize = self.entries.values().filter(is_like).map(Entry::left).sum();
        let time = until.saturating_sub(now);
        (time * engines as u64 / left.max(1) as u64).min(time)
    }

    /// Milliseconds until all entries are done, if all have time budgets.
    fn time_left(&self, engines: usize, now: u64) -> Option<u64> {
        let (mut sum, mut latest, mut any) = (0, 0, false);
        for &(_, number) in &self.order {
            let entry = &self.entries[&number];
            if entry.is_over(now) {
                continue;
            }
            any = true;
            match entry.task.budget {
                _ if entry.is_paused => return None,
                Budget::Until(moment) => latest = latest.max(moment - now),
                _ => sum += entry.time_left()?,
            }
        }
        (any && !self.is_paused).then(|| latest.max(sum / engines as u64))
    }
}

impl Queue {
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<str>> {
        self.events.subscribe()
    }

    pub fn broadcast(&self, event: &Value) {
        // Fails if there are no visitors.
        let _ = self.events.send(event.to_string().into());
    }

    fn status(&self) -> Value {
        let mut status = self.pool.status();
        status["event"] = "status".into();
        status
    }

    /// The whole state, for new visitors.
    pub fn all(&self) -> Vec<String> {
        let state = self.state.lock();
        let all: Vec<u64> = state.order.iter().map(|&(_, number)| number).collect();
        let (first, rest) = all.split_at(all.len().min(PART));
        let mut event = self.event(&state, first.iter().copied());
        event["whole"] = true.into();
        event["count"] = all.len().into();
        let rest = rest.chunks(PART).map(|part| self.event(&state, part.iter().copied()).to_string());
        [self.status().to_string(), event.to_string()].into_iter().chain(rest).collect()
    }

    fn event(&self, state: &State, entries: impl Iterator<Item = u64>) -> Value {
        let now = now();
        let row = |number: u64| Some(state.entries.get(&number)?.row(number, state.is_paused, now));
        json!({
            "event": "queue",
            "now": now,
            "paused": state.is_paused,
            "time_left": state.time_left(self.pool.engines, now),
            "unstored": state.unstored,
            "entries": entries.filter_map(row).collect::<Vec<_>>(),
        })
    }

    /// Sends changes to visitors.
    fn flush(&self, state: &mut State) {
        if state.changed.is_empty() && !state.is_changed {
            return;
        }
        let is_shown = |number: &u64| state.entries[number].removed.is_none();
        let (shown, gone) = std::mem::take(&mut state.changed).into_iter().partition::<Vec<u64>, _>(is_shown);
        let (first, rest) = shown.split_at(shown.len().min(PART));
        let mut event = self.event(state, first.iter().copied());
        event["gone"] = gone.into();
        state.is_changed = false;
        self.broadcast(&event);
        rest.chunks(PART).for_each(|part| self.broadcast(&self.event(state, part.iter().copied())));
    }

    /// Starts searches of the first positions, and stops others, which resume later.
    fn schedule(self: &Arc<Self>, state: &mut State) {
        let (engines, now) = (self.pool.engines, now());
        let wanted = state.wanted(engines, now);
        let unwanted: Vec<(u64, usize)> = state.running.iter().filter(|job| !wanted.contains(job)).copied().collect();
        for (number, at) in unwanted {
            let Some(entry) = state.entries.get_mut(&number) else { continue };
            let Some(Running { ticket, .. }) = &entry.positions[at].running else { continue };
            if self.pool.cancel(ticket) {
                entry.positions[at].end_search();
                state.running.remove(&(number, at));
                state.change(number);
            }
        }
        for (number, at) in wanted {
            if state.running.len() >= engines {
                break;
            }
            if !state.running.contains(&(number, at)) {
                self.search(state, number, at, now);
            }
        }
    }

    fn search(self: &Arc<Self>, state: &mut State, number: u64, at: usize, now: u64) {
        let share = match state.entries[&number].task.budget {
            Budget::Until(moment) => state.share(self.pool.engines, now, moment),
            _ => 0,
        };
        let Some(entry) = state.entries.get_mut(&number) else { return };
        let (task, position) = (&entry.task, &entry.positions[at]);
        let game = task.game(at);
        let query = Query {
            multipv: task.lines,
            report: Some(TICK),
            spent: (Duration::from_millis(position.time_ms), position.nodes),
            ..Query::new(Value::Null, game, task.chess960, entry.limits(at, share))
        };
        let queue = Arc::clone(self);
        let ticket = self.pool.push(query, Arc::new(move |answer| queue.handle_answer(number, at, &answer)));
        entry.positions[at].running = Some(Running { ticket, is_waiting: false, time_ms: 0, nodes: 0, nps: 0 });
        state.running.insert((number, at));
        state.change(number);
    }

    fn mark_waiting(&self, state: &mut State) {
        for &(number, at) in &state.running {
            let entry = state.entries.get_mut(&number);
            let Some(running) = entry.and_then(|entry| entry.positions[at].running.as_mut()) else { continue };
            let is_waiting = self.pool.is_waiting(&running.ticket);
            if running.is_waiting != is_waiting {
                (running.is_waiting, running.nps) = (is_waiting, 0);
                state.changed.insert(number);
            }
        }
    }

    fn handle_answer(self: &Arc<Self>, number: u64, at: usize, answer: &Answer) {
        let mut state = self.state.lock();
        let Some(entry) = state.entries.get_mut(&number) else { return };
        entry.take(at, answer);
        let (is_final, has_ended) = (answer.status != "partial", entry.is_over(now()));
        state.change(number);
        if is_final {
            state.running.remove(&(number, at));
            if has_ended {
                state.ended.insert(number);
            }
            self.schedule(&mut state);
        }
    }

    /// Updates the pages, stores the queue and schedules searches, forever.
    pub async fn run(self: Arc<Self>) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut saving = None::<JoinHandle<()>>;
        for tick in (1..=STATUS * SAVE).cycle() {
            ticks.tick().await;
            {
                let mut state = self.state.lock();
                if tick % STATUS == 0 {
                    state.end_by_time(now());
                    self.schedule(&mut state);
                }
                self.mark_waiting(&mut state);
                self.flush(&mut state);
            }
            if tick % STATUS == 0 && self.events.receiver_count() > 0 {
                self.broadcast(&self.status());
            }
            // A save may wait for other writers of the database.
            if tick % SAVE == 0 && saving.as_ref().is_none_or(JoinHandle::is_finished) {
                let queue = Arc::clone(&self);
                saving = Some(spawn_blocking(move || queue.save()));
            }
        }
    }

    /// Finishes a change by a visitor: schedules, updates pages and saves.
    fn done(self: &Arc<Self>, mut state: MutexGuard<State>) -> board::Answer {
        self.schedule(&mut state);
        self.flush(&mut state);
        drop(state);
        self.save();
        // Another server that has taken over the queue meanwhile drops the change.
        self.state.lock().check_owner()?;
        Ok(json!({}))
    }
}
