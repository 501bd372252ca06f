//! The queries that wait, and the engine that takes each. A session keeps its engine, whose hash table has its positions.

use super::query::{Query, URGENT};
use lento::search::report::Outcome;
use lento_console::interrupt::Stop;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use std::time::Duration;

/// Takes the answers to a query: partial ones, which it may drop, and the final one.
pub type Asker = Arc<dyn Fn(Answer) + Send + Sync>;

/// What a search has found.
pub struct Answer {
    /// `partial`, or of the final answer `done` or `cancelled`.
    pub status: &'static str,
    pub outcome: Outcome,
    /// Of all parts of an interrupted search.
    pub nodes: u64,
    pub time: Duration,
    /// Of the last part.
    pub nps: u64,
    /// For clients.
    pub fields: Value,
}

/// The place of a query in the queue: higher priorities first, then in order of arrival.
type Place = (Reverse<i64>, u64);

/// By which a query is cancelled.
#[derive(Clone)]
pub struct Ticket {
    place: Place,
    pub stop: Stop,
}

/// A query and who asked it.
type Waiting = (Query, Asker);

/// A query that an engine begins.
pub struct Turn {
    pub place: Place,
    pub query: Query,
    pub asker: Asker,
    /// Asked when it has to give way to an urgent one; then it waits again.
    pub yields: Stop,
    /// Whether the engine had another session before.
    pub is_new: bool,
}

pub struct Turns {
    waiting: BTreeMap<Place, Waiting>,
    arrived: u64,
    engines: Vec<Seat>,
    pub is_over: bool,
    /// Finished searches and their nodes.
    pub finished: u64,
    pub nodes: u64,
}

/// An engine.
#[derive(Default)]
struct Seat {
    search: Option<Searching>,
    /// The last session that it searched for, and the arrival of that query.
    session: Option<(Arc<str>, u64)>,
}

/// A running search.
struct Searching {
    place: Place,
    /// Ends it for good.
    stop: Stop,
    yields: Stop,
}

impl Searching {
    /// Whether it ends soon.
    fn ends(&self) -> bool {
        self.stop.asked() || self.yields.asked()
    }
}

fn is_urgent(place: Place) -> bool {
    place.0.0 == URGENT
}

impl Seat {
    /// Whether it is about to take a query.
    fn is_free(&self) -> bool {
        self.search.as_ref().is_none_or(Searching::ends)
    }

    fn has(&self, session: &str) -> bool {
        self.session.as_ref().is_some_and(|(own, _)| **own == *session)
    }

    /// Of several idle engines the lowest takes what belongs to none of them: one without a session, or the least recently used.
    fn rank(&self) -> Option<u64> {
        self.session.as_ref().map(|&(_, used)| used)
    }
}

impl Turns {
    pub fn new(engines: usize) -> Self {
        let engines = (0..engines).map(|_| Seat::default()).collect();
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

    /// Whether an urgent query waits.
    pub fn has_urgent(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(&place, _)| is_urgent(place))
    }

    pub fn push(&mut self, query: Query, asker: Asker) -> Ticket {
        self.arrived += 1;
        let ticket = Ticket { place: (Reverse(query.priority), self.arrived), stop: query.stop.clone() };
        if is_urgent(ticket.place) {
            self.make_room(query.session.as_ref().map(|session| &*session.id));
        }
        self.wait(ticket.place, query, asker);
        ticket
    }

    /// A running query gives way to an urgent one: that of the session's engine, or without a free engine the last of all.
    fn make_room(&self, session: Option<&str>) {
        let own: Vec<&Seat> =
            self.engines.iter().filter(|engine| session.is_some_and(|session| engine.has(session))).collect();
        let of_own = own.iter().filter_map(|engine| engine.search.as_ref()).find(|search| !is_urgent(search.place));
        let of_own = of_own.filter(|_| !own.iter().any(|engine| engine.is_free()));
        let yields = of_own.or_else(|| {
            let free = self.engines.iter().filter(|engine| engine.is_free()).count();
            let wanted = self.waiting.keys().take_while(|&&place| is_urgent(place)).count() + 1;
            let last = self.running().filter(|search| !search.ends()).max_by_key(|search| search.place);
            last.filter(|search| free < wanted && !is_urgent(search.place))
        });
        if let Some(search) = yields {
            search.yields.ask();
        }
    }

    /// Queues a query that may have run before.
    pub fn wait(&mut self, place: Place, query: Query, asker: Asker) {
        self.waiting.insert(place, (query, asker));
    }

    /// Removes a query, unless it is being searched.
    pub fn remove(&mut self, ticket: &Ticket) -> bool {
        self.waiting.remove(&ticket.place).is_some()
    }

    /// Begins the first query that an engine may take; after an urgent one that gave way, the next urgent one in turn.
    pub fn next(&mut self, engine: usize, yielded: Option<Place>) -> Option<Turn> {
        let own = &self.engines[engine];
        let is_first = !self.engines.iter().any(|other| other.search.is_none() && other.rank() < own.rank());
        let may_take = |(_, (query, _)): &(&Place, &Waiting)| match &query.session {
            Some(session) if own.has(&session.id) => true,
            Some(session) => is_first && !self.engines.iter().any(|other| other.has(&session.id) && other.is_free()),
            None => is_first,
        };
        let after = yielded.filter(|&place| is_urgent(place)).and_then(|place| {
            let later = self.waiting.range((Excluded(place), Unbounded));
            later.take_while(|&(&place, _)| is_urgent(place)).find(may_take)
        });
        let place = *after.or_else(|| self.waiting.iter().find(may_take))?.0;
        let (query, asker) = self.waiting.remove(&place)?;
        let (seat, yields) = (&mut self.engines[engine], Stop::default());
        seat.search = Some(Searching { place, stop: query.stop.clone(), yields: yields.clone() });
        let is_new = query.session.as_ref().is_some_and(|session| {
            let before = seat.session.replace((Arc::clone(&session.id), place.1));
            before.is_some_and(|(before, _)| before != session.id)
        });
        Some(Turn { place, query, asker, yields, is_new })
    }

    pub fn finish(&mut self, engine: usize, nodes: u64) {
        self.engines[engine].search = None;
        self.nodes += nodes;
    }

    /// Ends all searches.
    pub fn end(&mut self) {
        self.is_over = true;
        self.running().for_each(|search| search.stop.ask());
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::{Request, Session, parse};
    use super::*;

    /// Queries with a priority, for a session if it has a name.
    fn push(turns: &mut Turns, priority: i64, session: &str) -> Place {
        let Ok(Request::Query(mut queries)) = parse(r#"{"id":0,"infinite":true}"#) else { panic!("refused") };
        let session = (!session.is_empty()).then(|| Session { id: session.into(), threads: 1, hash_mib: 1 });
        turns.push(Query { priority, session, ..queries.remove(0) }, Arc::new(|_| {})).place
    }

    /// The query that an engine begins, and what asks it to yield.
    fn begin(turns: &mut Turns, engine: usize) -> Option<(Place, Stop)> {
        turns.next(engine, None).map(|turn| (turn.place, turn.yields))
    }

    #[test]
    fn each_person_gets_the_engine_of_a_query() {
        let mut turns = Turns::new(3);
        let running: Vec<_> = (0..3)
            .map(|engine| {
                push(&mut turns, 0, "");
                begin(&mut turns, engine).expect("a query").1
            })
            .collect();
        let yielding = || running.iter().map(Stop::asked).collect::<Vec<_>>();
        push(&mut turns, URGENT, "");
        assert_eq!(yielding(), [false, false, true]);
        push(&mut turns, URGENT, "a");
        assert_eq!(yielding(), [false, true, true]);
    }

    #[test]
    fn a_session_waits_for_its_engine_while_that_is_free() {
        let mut turns = Turns::new(2);
        push(&mut turns, URGENT, "a");
        begin(&mut turns, 1).expect("a search");
        turns.finish(1, 0);
        // A query prefers the engine without a session.
        push(&mut turns, 0, "");
        assert!(begin(&mut turns, 1).is_none());
        begin(&mut turns, 0).expect("a search");
        push(&mut turns, 0, "");
        let (_, yields) = begin(&mut turns, 1).expect("a search");
        // What searches on it gives way, although the other began later.
        turns.finish(0, 0);
        let urgent = push(&mut turns, URGENT, "a");
        assert!(yields.asked() && begin(&mut turns, 0).is_none());
        turns.finish(1, 0);
        assert_eq!(begin(&mut turns, 1).expect("a search").0, urgent);
        // While it searches for another person, any other engine will do.
        let urgent = push(&mut turns, URGENT, "a");
        assert_eq!(begin(&mut turns, 0).expect("a search").0, urgent);
    }
}
