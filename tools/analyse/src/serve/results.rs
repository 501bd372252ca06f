//! Results of searches, in memory and in the database, published to visitors who watch the position.

use super::result_db::ResultDb;
use super::scheduler::Answer;
use super::subject::{Finding, Subject};
use crate::database::{Analysis, EngineId, Location, Point, Stored};
use lento::chess::{Board, Color};
use lento::engine::Engine;
use lento::eval::wdl;
use lento::score::{Bound, Score};
use lento::search::report::Info;
use lento_console::document;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// Maximum number of positions with results in memory.
const MAX_POSITIONS: usize = 10_000;
/// Maximum number of points of a course.
const MAX_POINTS: usize = 256;
/// Interval at which running searches are stored.
const STORE: Duration = Duration::from_secs(5);

/// An update of a search: a JSON object without the visitor's key and position.
pub type Update = Option<Arc<str>>;

impl Finding {
    /// Its lines, if deeper than `best`, the first line of a later search, or if there is no other.
    pub fn deeper_lines(&self, subject: &Subject, best: Option<&Info>) -> Option<Vec<Info>> {
        let wanted = usize::from(subject.conditions.multipv);
        let is_deeper = best.is_none_or(|best| self.depth() > best.depth && self.lines() >= wanted);
        is_deeper.then(|| infos(&self.stored.analysis).into_iter().take(wanted).collect())
    }
}

pub struct Results {
    state: Mutex<State>,
    db: Option<ResultDb>,
}

#[derive(Default)]
struct State {
    /// The deepest result for each number of lines, of this engine and of others.
    known: HashMap<String, Vec<Arc<Finding>>>,
    /// Oldest first.
    order: VecDeque<String>,
    watched: HashMap<String, watch::Sender<Update>>,
}

impl Results {
    /// Results, also stored in the database, if any.
    pub fn new(location: Option<&Location>, engine: impl FnOnce() -> EngineId) -> Result<Self, String> {
        let db = location.map(|location| ResultDb::start(location, engine())).transpose()?;
        Ok(Self { state: Mutex::default(), db })
    }

    /// The message for clients while results cannot be stored.
    pub fn problem(&self) -> Option<&'static str> {
        self.db.as_ref().and_then(ResultDb::problem)
    }

    /// Stores unsaved results.
    pub fn finish(&self) {
        if let Some(db) = &self.db {
            db.finish();
        }
    }

    /// Loads the results of a position from the database.
    pub async fn load(self: &Arc<Self>, subject: &Subject) {
        let (own, subject) = (Arc::clone(self), subject.clone());
        let _ = spawn_blocking(move || own.load_now(&subject)).await;
    }

    /// Like [`load`](Self::load), for threads that may wait.
    pub fn load_now(&self, subject: &Subject) {
        let db = self.db.as_ref().filter(|_| subject.is_whole);
        let found = db.map(|db| db.load(subject)).unwrap_or_default();
        found.into_iter().for_each(|finding| self.add(subject, finding, false));
    }

    /// A stored result that meets the limits of a query.
    pub fn matching(&self, subject: &Subject) -> Option<Stored> {
        self.db.as_ref().filter(|_| subject.is_whole)?.matching(subject)
    }

    /// The deepest result with enough lines, or else the deepest of all.
    pub fn best(&self, subject: &Subject) -> Option<Arc<Finding>> {
        let state = self.state.lock();
        let known = state.known.get(&subject.name)?;
        let wanted = usize::from(subject.conditions.multipv);
        known.iter().max_by_key(|finding| (finding.lines() >= wanted, finding.depth(), finding.is_own)).cloned()
    }

    /// The result of this engine with this number of lines.
    fn own(&self, subject: &Subject) -> Option<Arc<Finding>> {
        let state = self.state.lock();
        let wanted = usize::from(subject.conditions.multipv);
        state.known.get(&subject.name)?.iter().find(|known| known.is_own && known.lines() == wanted).cloned()
    }

    /// Adds a result, unless there is a deeper one.
    fn add(&self, subject: &Subject, finding: Finding, store: bool) {
        let finding = Arc::new(finding);
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if !state.known.contains_key(&subject.name) {
            state.order.push_back(subject.name.clone());
            if state.order.len() > MAX_POSITIONS
                && let Some(oldest) = state.order.pop_front()
            {
                state.known.remove(&oldest);
            }
        }
        let known = state.known.entry(subject.name.clone()).or_default();
        let is_like = |known: &&mut Arc<Finding>| (known.lines(), known.is_own) == (finding.lines(), finding.is_own);
        match known.iter_mut().find(is_like) {
            Some(known) if known.depth() > finding.depth() => return,
            Some(known) => *known = Arc::clone(&finding),
            None => known.push(Arc::clone(&finding)),
        }
        drop(guard);
        if let Some(db) = self.db.as_ref().filter(|_| store && subject.is_whole) {
            db.store(subject, finding);
        }
    }

    /// Subscribes to updates of a position from any search.
    pub fn watch(&self, subject: &Subject) -> watch::Receiver<Update> {
        let mut state = self.state.lock();
        state.watched.retain(|_, sender| sender.receiver_count() > 0);
        state.watched.entry(subject.name.clone()).or_insert_with(|| watch::Sender::new(None)).subscribe()
    }

    /// Publishes an update of a position. Calls `update` only if the position is watched.
    pub fn publish(&self, subject: &Subject, update: impl FnOnce() -> Arc<str>) {
        let watched = self.state.lock().watched.get(&subject.name).cloned();
        if let Some(watched) = watched.filter(|watched| watched.receiver_count() > 0) {
            watched.send_replace(Some(update()));
        }
    }

    /// The event of a search, with the lines of an earlier one while that is deeper.
    pub fn event(&self, subject: &Subject, state: &str, answer: Option<&Answer>) -> Arc<str> {
        let lines = answer.map_or(&[][..], |answer| &answer.outcome.lines);
        let (board, best, known) = (&subject.board, lines.first(), self.best(subject));
        // The deepest result may be of another engine and have no course.
        let own = self.own(subject);
        let course = known.iter().chain(&own).map(|known| &known.course).find(|course| !course.is_empty());
        let course: Vec<Value> = course.into_iter().flatten().map(|point| course_point(board, point)).collect();
        let mut update = json!({
            "event": "lines",
            "state": state,
            "depth": best.map(|best| best.depth),
            "seldepth": best.map(|best| best.seldepth),
            "nodes": answer.map(|answer| answer.nodes),
            "nps": answer.map(|answer| answer.nps),
            "time_ms": answer.map(|answer| answer.time.as_millis() as u64),
            "hashfull": best.map(|best| best.hashfull),
            "tb_hits": best.map(|best| best.tb_hits),
            "course": course,
        });
        let deeper = known.as_deref().and_then(|known| Some((known, known.deeper_lines(subject, best)?)));
        let lines = deeper.as_ref().map_or(lines, |(_, lines)| lines).iter();
        update["lines"] = lines.map(|line| white_line(board, line, subject.conditions.chess960)).collect();
        if let Some((known, _)) = deeper {
            let found = &known.stored.analysis;
            (update["depth"], update["seldepth"]) = (found.depth.into(), found.seldepth.into());
            if best.is_none() {
                update["nodes"] = found.nodes.into();
                update["time_ms"] = (found.time.as_millis() as u64).into();
            }
        }
        update.to_string().into()
    }
}

/// Converts the lines of an analysis to search infos.
pub fn infos(analysis: &Analysis) -> Vec<Info> {
    let Analysis { depth, seldepth, nodes, time: elapsed, ref lines } = *analysis;
    let infos = lines.iter().zip(1..).map(|(line, multipv)| {
        let (score, pv) = (line.score, line.pv.iter().copied().collect());
        Info { depth, seldepth, multipv, score, bound: Bound::Exact, nodes, elapsed, pv, ..Info::default() }
    });
    infos.filter(|info| !info.pv.is_empty()).collect()
}

/// Milliseconds, depth, White's score, White's expected score and move of a point.
fn course_point(board: &Board, point: &Point) -> Value {
    let (score, expected) = (white_score(board, point.score), expected(white_wdl(board, point.score)));
    json!([point.time.as_millis() as u64, point.depth, score, expected, board.san(point.best)])
}

/// Drops every other point, but not the last one, if there are more than `max`.
pub fn thin<T>(points: &mut Vec<T>, max: usize) {
    if points.len() > max {
        let mut left = points.len();
        points.retain(|_| {
            left -= 1;
            left.is_multiple_of(2)
        });
    }
}

pub fn white_score(board: &Board, score: Score) -> Value {
    document::score(score * board.side_to_move().sign(), wdl::material(board))
}

/// White's wins, draws and losses per mille.
fn white_wdl(board: &Board, score: Score) -> [u32; 3] {
    let [win, draw, loss] = wdl::of_root(board, score);
    if board.side_to_move() == Color::White { [win, draw, loss] } else { [loss, draw, win] }
}

fn expected([win, draw, _]: [u32; 3]) -> f64 {
    (f64::from(win) + f64::from(draw) / 2.0) / 1000.0
}

/// A line with White's score.
pub fn white_line(board: &Board, line: &Info, chess960: bool) -> Value {
    let bound = match (line.bound, board.side_to_move()) {
        (Bound::Exact, _) => "exact",
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => "lower",
        _ => "upper",
    };
    let (wdl, (pv, san)) = (white_wdl(board, line.score), document::notation(board, &line.pv, chess960));
    json!({
        "depth": line.depth, "multipv": line.multipv, "score": white_score(board, line.score), "wdl": wdl,
        "expected": expected(wdl), "bound": bound, "pv": pv, "san": san,
    })
}

/// Inserts a line or replaces the one of its rank.
pub fn put_line(lines: &mut Vec<Info>, info: Info) {
    lines.retain(|line| line.multipv != info.multipv);
    lines.push(info);
    lines.sort_by_key(|line| line.multipv);
}

/// Records the results of a running search.
pub struct Recorder<'a> {
    results: &'a Results,
    pub subject: Subject,
    /// The stored result of this engine that the search continues.
    before: Option<Arc<Finding>>,
    course: Vec<Point>,
    /// The latest exact lines.
    lines: Vec<Info>,
    stored: Instant,
}

impl<'a> Recorder<'a> {
    /// Records a search from the beginning, or one that continues from the stored result of this engine, if any.
    pub fn new(results: &'a Results, subject: Subject, continues: bool) -> Self {
        let before = results.own(&subject).filter(|_| continues);
        let course = before.as_ref().map(|before| before.course.clone()).unwrap_or_default();
        Self { results, subject, before, course, lines: Vec::new(), stored: Instant::now() }
    }

    /// Fills the hash table of an engine with the stored result.
    pub fn seed(&self, engine: &mut Engine) {
        if let (Some(before), Ok(table)) = (&self.before, engine.lend_table_to_load()) {
            crate::queue::seed(&table, &self.subject.board, &before.stored.analysis);
        }
    }

    pub fn record(&mut self, info: &Info) {
        if info.bound != Bound::Exact || info.depth == 0 {
            return;
        }
        if let (1, Some(&best)) = (info.multipv, info.pv.first()) {
            let is_new = |last: &Point| info.depth > last.depth || info.depth == last.depth && best != last.best;
            if self.course.last().is_none_or(is_new) {
                let time = info.elapsed + self.earlier().map_or(Duration::ZERO, |before| before.time);
                self.course.push(Point { time, depth: info.depth, score: info.score, best });
            }
            thin(&mut self.course, MAX_POINTS);
        }
        put_line(&mut self.lines, info.clone());
    }

    fn earlier(&self) -> Option<&Analysis> {
        self.before.as_ref().map(|before| &before.stored.analysis)
    }

    /// Adds the current result; stores it in the database at intervals and at the end.
    pub fn save(&mut self, elapsed: Duration, ended: bool, finished: bool) {
        let Some(first) = self.lines.first() else { return };
        let earlier = self.earlier();
        let nodes = first.nodes + earlier.map_or(0, |before| before.nodes);
        let time = elapsed + earlier.map_or(Duration::ZERO, |before| before.time);
        let analysis = Analysis::new(&self.lines, nodes, time);
        let store = ended || self.stored.elapsed() >= STORE;
        if store {
            self.stored = Instant::now();
        }
        let stored = Stored { analysis, conditions: self.subject.conditions, finished };
        self.results.add(&self.subject, Finding { stored, course: self.course.clone(), is_own: true }, store);
    }
}
