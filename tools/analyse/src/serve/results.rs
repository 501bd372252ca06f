//! What searches have found, kept in memory and in the database, and shown to those who watch the position.

use super::keeper::Keeper;
use super::subject::{Finding, Subject};
use crate::database::{Analysis, EngineId, Line, Location, Point, Stored};
use lento::chess::{Board, Color};
use lento::engine::Engine;
use lento::eval::wdl;
use lento::score::Bound;
use lento::search::report::Info;
use lento_console::document;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Maximum number of positions whose results are in memory.
const MAX_POSITIONS: usize = 10_000;
/// Maximum number of points of a course.
const MAX_POINTS: usize = 256;
/// A running search is stored at this interval.
const STORE: Duration = Duration::from_secs(5);

/// News of a search: an object as JSON, without the key and the position of a visitor.
pub type News = Option<Arc<str>>;

/// The results of all positions.
pub struct Results {
    state: Mutex<State>,
    keeper: Option<Keeper>,
}

#[derive(Default)]
struct State {
    /// The deepest for each number of lines.
    known: HashMap<String, Vec<Arc<Finding>>>,
    /// From the oldest.
    order: VecDeque<String>,
    watched: HashMap<String, watch::Sender<News>>,
}

impl Results {
    /// Results that are also kept in this database.
    pub fn new(location: Option<&Location>, engine: impl FnOnce() -> EngineId) -> Result<Self, String> {
        let keeper = location.map(|location| Keeper::start(location, engine())).transpose()?;
        Ok(Self { state: Mutex::default(), keeper })
    }

    /// What clients are told while results cannot be stored.
    pub fn problem(&self) -> Option<&'static str> {
        self.keeper.as_ref().and_then(Keeper::problem)
    }

    /// Stores what is yet to be stored.
    pub fn finish(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.finish();
        }
    }

    /// Brings the results of a position from the database.
    pub fn load(&self, subject: &Subject) {
        let Some(keeper) = self.keeper.as_ref().filter(|_| subject.is_whole) else { return };
        for finding in keeper.look(&subject.key, &subject.board) {
            self.learn(subject, finding, false);
        }
    }

    /// A stored result that meets the limits of a query.
    pub fn met(&self, subject: &Subject) -> Option<Stored> {
        let keeper = self.keeper.as_ref().filter(|_| subject.is_whole)?;
        let stored = keeper.look_for_own(&subject.key, &subject.board, subject.conditions.multipv);
        stored.into_iter().find(|stored| subject.conditions.requested.is_met_by(stored))
    }

    /// The deepest result with all lines of a subject, or else the deepest of all.
    pub fn best(&self, subject: &Subject) -> Option<Arc<Finding>> {
        let state = self.state.lock();
        let known = state.known.get(&subject.name)?;
        let has_all = |finding: &&Arc<Finding>| finding.lines() >= usize::from(subject.conditions.multipv);
        let deepest =
            |found: &mut dyn Iterator<Item = &Arc<Finding>>| found.max_by_key(|finding| finding.depth()).cloned();
        deepest(&mut known.iter().filter(has_all)).or_else(|| deepest(&mut known.iter()))
    }

    /// Keeps a result unless there is a deeper one.
    fn learn(&self, subject: &Subject, finding: Finding, store: bool) {
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
        match known.iter_mut().find(|known| known.lines() == finding.lines()) {
            Some(known) if known.depth() > finding.depth() => return,
            Some(known) => *known = Arc::clone(&finding),
            None => known.push(Arc::clone(&finding)),
        }
        drop(guard);
        if let Some(keeper) = self.keeper.as_ref().filter(|_| store && subject.is_whole) {
            keeper.keep(subject, finding);
        }
    }

    /// The news of a position, from whichever search.
    pub fn watch(&self, subject: &Subject) -> watch::Receiver<News> {
        let mut state = self.state.lock();
        state.watched.retain(|_, news| news.receiver_count() > 0);
        state.watched.entry(subject.name.clone()).or_insert_with(|| watch::Sender::new(None)).subscribe()
    }

    /// Tells those who watch a position. `news` is only asked for if there are any.
    pub fn show(&self, subject: &Subject, news: impl FnOnce() -> Arc<str>) {
        let watched = self.state.lock().watched.get(&subject.name).cloned();
        if let Some(watched) = watched.filter(|watched| watched.receiver_count() > 0) {
            watched.send_replace(Some(news()));
        }
    }

    /// The news of a search, with the lines of an earlier one while that is deeper.
    pub fn news(&self, subject: &Subject, state: &str, answer: &Value) -> Arc<str> {
        let (best, turn) = (&answer["lines"][0], subject.board.side_to_move());
        let lines = answer["lines"].as_array().into_iter().flatten();
        let mut news = json!({
            "event": "lines",
            "state": state,
            "depth": best["depth"],
            "seldepth": best["seldepth"],
            "nodes": answer["nodes"],
            "nps": answer["nps"],
            "time_ms": answer["time_ms"],
            "hashfull": best["hashfull"],
            "tb_hits": best["tb_hits"],
            "lines": lines.map(|line| of_white(line, turn)).collect::<Vec<_>>(),
            "course": [],
        });
        let Some(known) = self.best(subject) else { return news.to_string().into() };
        news["course"] = known.course.iter().map(|point| course_point(&subject.board, point)).collect();
        if let Some(lines) = deeper_lines(&known, subject, answer) {
            let found = &known.stored.analysis;
            news["lines"] = lines.iter().map(|line| of_white(line, turn)).collect();
            (news["depth"], news["seldepth"]) = (found.depth.into(), found.seldepth.into());
            if best.is_null() {
                news["nodes"] = found.nodes.into();
                news["time_ms"] = (found.time.as_millis() as u64).into();
            }
        }
        news.to_string().into()
    }

    /// The lines of an earlier search, if they are deeper than those of an answer, or all that there is.
    #[cfg(feature = "lichess")]
    pub fn deeper_lines(&self, subject: &Subject, answer: &Value) -> Option<Vec<Value>> {
        deeper_lines(&*self.best(subject)?, subject, answer)
    }
}

fn deeper_lines(known: &Finding, subject: &Subject, answer: &Value) -> Option<Vec<Value>> {
    let (live, wanted) = (answer["lines"][0]["depth"].as_i64(), subject.conditions.multipv);
    let is_deeper = live.is_none_or(|live| i64::from(known.depth()) > live && known.lines() >= wanted.into());
    let shown = infos(&known.stored.analysis).into_iter().take(wanted.into());
    let line = |info| document::line(&subject.board, &info, subject.conditions.chess960);
    is_deeper.then(|| shown.map(line).collect())
}

/// The lines of an analysis as a search reports them.
pub fn infos(analysis: &Analysis) -> Vec<Info> {
    let lines = analysis.lines.iter().zip(1..).map(|(line, multipv)| Info {
        depth: analysis.depth,
        seldepth: analysis.seldepth,
        multipv,
        score: line.score,
        bound: Bound::Exact,
        nodes: analysis.nodes,
        elapsed: analysis.time,
        pv: line.pv.iter().copied().collect(),
        ..Info::default()
    });
    lines.filter(|info| !info.pv.is_empty()).collect()
}

/// Milliseconds, depth, White's score, White's expected score and move of a point.
fn course_point(board: &Board, point: &Point) -> Value {
    let line = json!({
        "score": document::score(point.score, wdl::material(board)),
        "wdl": wdl::of_root(board, point.score),
    });
    let line = of_white(&line, board.side_to_move());
    json!([point.time.as_millis() as u64, point.depth, line["score"], line["expected"], board.san(point.best)])
}

/// Drops every other point of a list that is longer than `most`, but not the last one.
pub fn thin<T>(points: &mut Vec<T>, most: usize) {
    if points.len() > most {
        let mut left = points.len();
        points.retain(|_| {
            left -= 1;
            left.is_multiple_of(2)
        });
    }
}

pub fn white_score(mut score: Value, turn: Color) -> Value {
    if let (Color::Black, Some(score)) = (turn, score.as_object_mut()) {
        score.values_mut().for_each(|value| *value = (-value.as_i64().unwrap_or(0)).into());
    }
    score
}

/// A line with White's score, and the share of points that White expects.
fn of_white(line: &Value, turn: Color) -> Value {
    let mut line = line.clone();
    line["score"] = white_score(line["score"].take(), turn);
    if let Some(wdl) = line["wdl"].as_array_mut().filter(|_| turn == Color::Black) {
        wdl.reverse();
    }
    if turn == Color::Black {
        line["bound"] = match line["bound"].as_str() {
            Some("lower") => "upper".into(),
            Some("upper") => "lower".into(),
            _ => "exact".into(),
        };
    }
    let share = |at: usize| line["wdl"][at].as_f64().unwrap_or(0.0);
    line["expected"] = ((share(0) + share(1) / 2.0) / 1000.0).into();
    for field in ["seldepth", "nodes", "nps", "hashfull", "tb_hits", "time_ms"] {
        if let Some(line) = line.as_object_mut() {
            line.remove(field);
        }
    }
    line
}

/// Records what a running search finds.
pub struct Recorder<'a> {
    results: &'a Results,
    pub subject: Subject,
    /// What was known at its start.
    before: Option<Arc<Finding>>,
    course: Vec<Point>,
    /// The latest exact lines.
    lines: Vec<Info>,
    stored: Instant,
}

impl<'a> Recorder<'a> {
    pub fn new(results: &'a Results, subject: Subject) -> Self {
        let lines = usize::from(subject.conditions.multipv);
        let before = results.best(&subject).filter(|before| before.lines() == lines);
        let course = before.as_ref().map(|before| before.course.clone()).unwrap_or_default();
        Self { results, subject, before, course, lines: Vec::new(), stored: Instant::now() }
    }

    /// Fills the hash table of an engine with what is known.
    pub fn seed(&self, engine: &mut Engine) {
        if let (Some(before), Ok(table)) = (&self.before, engine.lend_table_to_load()) {
            crate::queue::seed(&table, &self.subject.board, &before.stored.analysis);
        }
    }

    /// Takes a line of the search.
    pub fn record(&mut self, info: &Info) {
        if info.bound != Bound::Exact {
            return;
        }
        if let (1, Some(&best)) = (info.multipv, info.pv.first()) {
            let is_new = self
                .course
                .last()
                .is_none_or(|last| info.depth > last.depth || info.depth == last.depth && best != last.best);
            if is_new {
                let time = info.elapsed + self.earlier().map_or(Duration::ZERO, |before| before.time);
                self.course.push(Point { time, depth: info.depth, score: info.score, best });
            }
            thin(&mut self.course, MAX_POINTS);
        }
        self.lines.retain(|line| line.multipv != info.multipv);
        self.lines.push(info.clone());
        self.lines.sort_by_key(|line| line.multipv);
    }

    fn earlier(&self) -> Option<&Analysis> {
        self.before.as_ref().map(|before| &before.stored.analysis)
    }

    /// Keeps what was found so far; in the database now and then, and at the end.
    pub fn learn(&mut self, elapsed: Duration, ended: bool, finished: bool) {
        let Some(first) = self.lines.first() else { return };
        let earlier = self.earlier();
        let analysis = Analysis {
            depth: first.depth,
            seldepth: self.lines.iter().map(|line| line.seldepth).max().unwrap_or(0),
            nodes: first.nodes + earlier.map_or(0, |before| before.nodes),
            time: elapsed + earlier.map_or(Duration::ZERO, |before| before.time),
            lines: self.lines.iter().map(|line| Line { score: line.score, pv: line.pv.to_vec() }).collect(),
        };
        let store = ended || self.stored.elapsed() >= STORE;
        if store {
            self.stored = Instant::now();
        }
        let stored = Stored { analysis, conditions: self.subject.conditions, finished };
        self.results.learn(&self.subject, Finding { stored, course: self.course.clone() }, store);
    }
}
