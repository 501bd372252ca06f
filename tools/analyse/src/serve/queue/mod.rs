//! The queue of the page: positions and games, each with a budget, searched in the order that its visitors give them.

mod asks;
mod budget;
mod entry;
mod keep;

use super::board::{self, Boards, now};
use super::pool::Pool;
use super::query::Query;
use super::turns::Answer;
use budget::Budget;
use entry::{Entry, Running};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

/// Interval of reports and of news.
const REPORT: Duration = Duration::from_millis(250);
/// News after which the state of the pool is told, and those after which the queue is stored.
const STATUS: u32 = 4;
const KEEP: u32 = 8;
/// Messages that a slow visitor may be behind before the whole state is sent again.
const BEHIND: usize = 64;

pub struct Queue {
    pool: Arc<Pool>,
    boards: Arc<Boards>,
    state: Mutex<State>,
    stored: Mutex<keep::Stored>,
    news: broadcast::Sender<Arc<str>>,
}

#[derive(Default)]
struct State {
    entries: BTreeMap<u64, Entry>,
    /// By rank, without removed ones.
    order: BTreeSet<(i64, u64)>,
    /// Entries and positions that are searched.
    running: BTreeSet<(u64, usize)>,
    /// The last number of an entry.
    last: u64,
    changes: u64,
    is_paused: bool,
    /// Why it is not stored; empty if it is, or need not be.
    unstored: String,
    /// Whether another server has the queue of the database; this one has none.
    is_taken: bool,
    /// What pages have not heard.
    changed: BTreeSet<u64>,
    gone: Vec<u64>,
    is_changed: bool,
    /// What the database does not have.
    unkept: BTreeSet<u64>,
    deleted: Vec<u64>,
    is_unkept: bool,
    /// Entries that have ended; boards of games get their reports.
    ended: BTreeSet<u64>,
    /// When entries that end at a moment were last looked for.
    looked: u64,
}

impl State {
    fn change(&mut self, number: u64) {
        self.changed.insert(number);
        self.unkept.insert(number);
    }

    /// Looks for entries whose moment has come.
    fn end_by_time(&mut self, now: u64) {
        let passed = self.looked..=now;
        let has_ended = |entry: &Entry| matches!(entry.task.budget, Budget::Until(moment) if passed.contains(&moment));
        let ended: Vec<u64> =
            self.entries.iter().filter(|(_, entry)| has_ended(entry)).map(|(&number, _)| number).collect();
        ended.iter().for_each(|&number| self.change(number));
        self.ended.extend(ended);
        self.looked = now + 1;
    }

    /// The positions to be searched now.
    fn wanted(&self, most: usize, now: u64) -> Vec<(u64, usize)> {
        let mut wanted = Vec::new();
        for &(_, number) in self.order.iter().filter(|_| !self.is_paused) {
            let entry = &self.entries[&number];
            if entry.waits(now) {
                wanted.extend(entry.next(most - wanted.len()).into_iter().map(|at| (number, at)));
            }
            if wanted.len() == most {
                break;
            }
        }
        wanted
    }

    /// Milliseconds for each position of the entries that end at a moment.
    fn share(&self, engines: usize, now: u64, until: u64) -> u64 {
        let is_like =
            |entry: &&Entry| matches!(entry.task.budget, Budget::Until(moment) if moment <= until) && entry.waits(now);
        let left: usize = self.entries.values().filter(is_like).map(Entry::left).sum();
        let time = until.saturating_sub(now);
        (time * engines as u64 / left.max(1) as u64).min(time)
    }

    /// Milliseconds until all is done, if all budgets are of time.
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
        self.news.subscribe()
    }

    /// Tells all visitors.
    pub fn tell(&self, event: &Value) {
        // Fails without visitors.
        let _ = self.news.send(event.to_string().into());
    }

    fn status(&self) -> Value {
        let mut status = self.pool.status();
        status["event"] = "status".into();
        status
    }

    /// Everything, for a new visitor.
    pub fn all(&self) -> Vec<String> {
        let state = self.state.lock();
        let mut event = self.event(&state, state.order.iter().map(|&(_, number)| number));
        event["whole"] = true.into();
        vec![self.status().to_string(), event.to_string()]
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

    /// Tells visitors what has changed.
    fn flush(&self, state: &mut State) {
        if state.changed.is_empty() && state.gone.is_empty() && !state.is_changed {
            return;
        }
        let changed = std::mem::take(&mut state.changed);
        let mut event = self.event(state, changed.into_iter().filter(|number| state.entries[number].removed.is_none()));
        event["gone"] = std::mem::take(&mut state.gone).into();
        state.is_changed = false;
        self.tell(&event);
    }

    /// Searches what comes first, and ends what no longer does; it waits again with what it has used.
    fn schedule(self: &Arc<Self>, state: &mut State) {
        let (engines, now) = (self.pool.engines, now());
        let wanted = state.wanted(engines, now);
        let unwanted: Vec<(u64, usize)> = state.running.iter().filter(|job| !wanted.contains(job)).copied().collect();
        for (number, at) in unwanted {
            let Some(entry) = state.entries.get_mut(&number) else { continue };
            let Some(Running { ticket, .. }) = &entry.positions[at].running else { continue };
            if self.pool.cancel(ticket) {
                entry.positions[at].running = None;
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
        let task = &entry.task;
        let game = task.game(at);
        let query = Query {
            multipv: task.lines,
            report: Some(REPORT),
            ..Query::new(Value::Null, game, task.chess960, entry.limits(at, share))
        };
        let queue = Arc::clone(self);
        let ticket = self.pool.push(query, Arc::new(move |answer| queue.take(number, at, &answer)));
        entry.positions[at].running = Some(Running { ticket, time_ms: 0, nodes: 0, nps: 0 });
        state.running.insert((number, at));
        state.change(number);
    }

    /// Takes an answer to the search of a position.
    fn take(self: &Arc<Self>, number: u64, at: usize, answer: &Answer) {
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

    /// Keeps the pages up to date and the queue stored, and searches, for ever.
    pub async fn run(self: Arc<Self>) {
        let mut ticks = interval(REPORT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for tick in (1..=STATUS * KEEP).cycle() {
            ticks.tick().await;
            {
                let mut state = self.state.lock();
                if tick % STATUS == 0 {
                    state.end_by_time(now());
                    self.schedule(&mut state);
                }
                self.flush(&mut state);
            }
            if tick % STATUS == 0 && self.news.receiver_count() > 0 {
                self.tell(&self.status());
            }
            if tick % KEEP == 0 {
                let queue = Arc::clone(&self);
                let _ = spawn_blocking(move || queue.keep()).await;
            }
        }
    }

    /// After a change by a visitor: searches, tells and stores.
    fn done(self: &Arc<Self>, mut state: MutexGuard<State>) -> board::Answer {
        self.schedule(&mut state);
        self.flush(&mut state);
        drop(state);
        self.keep();
        Ok(json!({}))
    }
}
