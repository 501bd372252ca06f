//! Schedules waiting queries on engines. A session keeps its engine, whose hash table contains its positions.

use super::query::{Query, URGENT};
use lento::search::report::Outcome;
use lento_console::interrupt::Stop;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use std::time::Duration;

/// Callback for the answers to a query: partial ones, which it may drop, and the final one.
pub type OnAnswer = Arc<dyn Fn(Answer) + Send + Sync>;

pub struct Answer {
    /// `partial`, or for the final answer `done` or `cancelled`.
    pub status: &'static str,
    pub outcome: Outcome,
    /// Total over the parts of an interrupted search, as is `time`.
    pub nodes: u64,
    pub time: Duration,
    /// Speed of the last part.
    pub nps: u64,
    /// JSON for clients.
    pub fields: Value,
}

/// The place of a query in the queue: higher priorities first, then in order of arrival.
type Place = (Reverse<i64>, u64);

/// Handle to cancel a query.
#[derive(Clone)]
pub struct Ticket {
    place: Place,
    pub stop: Stop,
}

type Waiting = (Query, OnAnswer);

pub struct Assignment {
    pub place: Place,
    pub query: Query,
    pub on_answer: OnAnswer,
    /// Set to preempt it for an urgent query; then it is queued again.
    pub preempt: Stop,
    /// Whether the engine changes to another session.
    pub is_new: bool,
}

pub struct Scheduler {
    waiting: BTreeMap<Place, Waiting>,
    arrived: u64,
    engines: Vec<EngineState>,
    pub is_over: bool,
    /// Finished searches and their nodes.
    pub finished: u64,
    pub nodes: u64,
}

#[derive(Default)]
struct EngineState {
    search: Option<Searching>,
    /// Its last session, and the arrival of that query.
    session: Option<(Arc<str>, u64)>,
}

struct Searching {
    place: Place,
    /// Cancels it.
    stop: Stop,
    preempt: Stop,
}

impl Searching {
    fn is_stopping(&self) -> bool {
        self.stop.is_requested() || self.preempt.is_requested()
    }
}

fn is_urgent(place: Place) -> bool {
    place.0.0 == URGENT
}

impl EngineState {
    /// Whether it is idle or about to be.
    fn is_free(&self) -> bool {
        self.search.as_ref().is_none_or(Searching::is_stopping)
    }

    fn has(&self, session: &str) -> bool {
        self.session.as_ref().is_some_and(|(own, _)| **own == *session)
    }

    /// Of several idle engines, the one with the lowest rank takes other queries: without a session, or least recently used.
    fn rank(&self) -> Option<u64> {
        self.session.as_ref().map(|&(_, used)| used)
    }
}

impl Scheduler {
    pub fn new(engines: usize) -> Self {
        let engines = (0..engines).map(|_| EngineState::default()).collect();
        Self { waiting: BTreeMap::new(), arrived: 0, engines, is_over: false, finished: 0, nodes: 0 }
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub fn searching(&self) -> usize {
        self.running().count()
    }

    fn running(&self) -> impl Iterator<Item = &Searching> {
        self.engines.iter().filter_map(|engine| engine.search.as_ref())
    }

    pub fn has_urgent(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(&place, _)| is_urgent(place))
    }

    pub fn push(&mut self, query: Query, on_answer: OnAnswer) -> Ticket {
        self.arrived += 1;
        let ticket = Ticket { place: (Reverse(query.priority), self.arrived), stop: query.stop.clone() };
        if is_urgent(ticket.place) {
            self.preempt_for(query.session.as_ref().map(|session| &*session.id));
        }
        self.enqueue(ticket.place, query, on_answer);
        ticket
    }

    /// Preempts a query for an urgent one: on the session's engine, or the last query of all if no engine is free.
    fn preempt_for(&self, session: Option<&str>) {
        let own: Vec<&EngineState> =
            self.engines.iter().filter(|engine| session.is_some_and(|session| engine.has(session))).collect();
        let of_own = own.iter().filter_map(|engine| engine.search.as_ref()).find(|search| !is_urgent(search.place));
        let of_own = of_own.filter(|_| !own.iter().any(|engine| engine.is_free()));
        let chosen = of_own.or_else(|| {
            let free = self.engines.iter().filter(|engine| engine.is_free()).count();
            let wanted = self.waiting.keys().take_while(|&&place| is_urgent(place)).count() + 1;
            let last = self.running().filter(|search| !search.is_stopping()).max_by_key(|search| search.place);
            last.filter(|search| free < wanted && !is_urgent(search.place))
        });
        if let Some(search) = chosen {
            search.preempt.request();
        }
    }

    /// Queues a query, possibly again after preemption.
    pub fn enqueue(&mut self, place: Place, query: Query, on_answer: OnAnswer) {
        self.waiting.insert(place, (query, on_answer));
    }

    /// Whether a query waits for an engine, at first or after preemption.
    pub fn is_waiting(&self, ticket: &Ticket) -> bool {
        self.waiting.contains_key(&ticket.place)
    }

    /// Removes a query, unless it is being searched.
    pub fn remove(&mut self, ticket: &Ticket) -> bool {
        self.waiting.remove(&ticket.place).is_some()
    }

    /// Assigns the first query that an engine may take; after preemption of an urgent one, the next urgent one.
    pub fn next(&mut self, engine: usize, preempted: Option<Place>) -> Option<Assignment> {
        let own = &self.engines[engine];
        let is_first = !self.engines.iter().any(|other| other.search.is_none() && other.rank() < own.rank());
        let may_take = |(_, (query, _)): &(&Place, &Waiting)| match &query.session {
            Some(session) if own.has(&session.id) => true,
            Some(session) => is_first && !self.engines.iter().any(|other| other.has(&session.id) && other.is_free()),
            None => is_first,
        };
        let after = preempted.filter(|&place| is_urgent(place)).and_then(|place| {
            let later = self.waiting.range((Excluded(place), Unbounded));
            later.take_while(|&(&place, _)| is_urgent(place)).find(may_take)
        });
        let place = *after.or_else(|| self.waiting.iter().find(may_take))?.0;
        let (query, on_answer) = self.waiting.remove(&place)?;
        let (state, preempt) = (&mut self.engines[engine], Stop::default());
        state.search = Some(Searching { place, stop: query.stop.clone(), preempt: preempt.clone() });
        let is_new = query.session.as_ref().is_some_and(|session| {
            let before = state.session.replace((Arc::clone(&session.id), place.1));
            before.is_some_and(|(before, _)| before != session.id)
        });
        Some(Assignment { place, query, on_answer, preempt, is_new })
    }

    pub fn finish(&mut self, engine: usize, nodes: u64) {
        self.engines[engine].search = None;
        self.nodes += nodes;
    }

    /// Ends all searches.
    pub fn end(&mut self) {
        self.is_over = true;
        self.running().for_each(|search| search.stop.request());
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::{Request, Session, parse};
    use super::*;

    /// Pushes a query with a priority, for a session if named.
    fn push(scheduler: &mut Scheduler, priority: i64, session: &str) -> Place {
        let Ok(Request::Query(mut queries)) = parse(r#"{"id":0,"infinite":true}"#) else { panic!("refused") };
        let session = (!session.is_empty()).then(|| Session { id: session.into(), threads: 1, hash_mib: 1 });
        scheduler.push(Query { priority, session, ..queries.remove(0) }, Arc::new(|_| {})).place
    }

    /// The query that an engine starts, and its preemption flag.
    fn begin(scheduler: &mut Scheduler, engine: usize) -> Option<(Place, Stop)> {
        scheduler.next(engine, None).map(|assignment| (assignment.place, assignment.preempt))
    }

    #[test]
    fn urgent_queries_preempt_other_queries() {
        let mut scheduler = Scheduler::new(3);
        let running: Vec<_> = (0..3)
            .map(|engine| {
                push(&mut scheduler, 0, "");
                begin(&mut scheduler, engine).expect("a query").1
            })
            .collect();
        let preempted = || running.iter().map(Stop::is_requested).collect::<Vec<_>>();
        push(&mut scheduler, URGENT, "");
        assert_eq!(preempted(), [false, false, true]);
        push(&mut scheduler, URGENT, "a");
        assert_eq!(preempted(), [false, true, true]);
    }

    #[test]
    fn session_waits_for_its_engine_while_that_is_free() {
        let mut scheduler = Scheduler::new(2);
        push(&mut scheduler, URGENT, "a");
        begin(&mut scheduler, 1).expect("a search");
        scheduler.finish(1, 0);
        // Queries prefer the engine without a session.
        push(&mut scheduler, 0, "");
        assert!(begin(&mut scheduler, 1).is_none());
        begin(&mut scheduler, 0).expect("a search");
        push(&mut scheduler, 0, "");
        let (_, preempt) = begin(&mut scheduler, 1).expect("a search");
        // The query on the session's engine is preempted, although the other one started later.
        scheduler.finish(0, 0);
        let urgent = push(&mut scheduler, URGENT, "a");
        assert!(preempt.is_requested() && begin(&mut scheduler, 0).is_none());
        scheduler.finish(1, 0);
        assert_eq!(begin(&mut scheduler, 1).expect("a search").0, urgent);
        // While it has an urgent query, another engine is used.
        let urgent = push(&mut scheduler, URGENT, "a");
        assert_eq!(begin(&mut scheduler, 0).expect("a search").0, urgent);
    }
}
