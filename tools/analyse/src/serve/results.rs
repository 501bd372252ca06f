//! What searches have found, kept in memory and in the database, and shown to those who watch the position.

use super::keeper::Keeper;
use super::subject::{Finding, Subject};
use super::turns::Answer;
use crate::database::{Analysis, EngineId, Line, Location, Point, Stored};
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

/// Maximum number of positions whose results are in memory.
const MAX_POSITIONS: usize = 10_000;
/// Maximum number of points of a course.
const MAX_POINTS: usize = 256;
/// A running search is stored at this interval.
const STORE: Duration = Duration::from_secs(5);

/// News of a search: an object as JSON, without the key and the position of a visitor.
pub type News = Option<Arc<str>>;

impl Finding {
    /// Its lines, if they are deeper than `best`, the first line of a later search, or all that there is.
    pub fn deeper_lines(&self, subject: &Subject, best: Option<&Info>) -> Option<Vec<Info>> {
        let wanted = usize::from(subject.conditions.multipv);
        let is_deeper = best.is_none_or(|best| self.depth() > best.depth && self.lines() >= wanted);
        is_deeper.then(|| infos(&self.stored.analysis).into_iter().take(wanted).collect())
    }
}

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
    pub async fn load(self: &Arc<Self>, subject: &Subject) {
        let (own, subject) = (Arc::clone(self), subject.clone());
        let loading = spawn_blocking(move || {
            let keeper = own.keeper.as_ref().filter(|_| subject.is_whole);
            let found = keeper.map(|keeper| keeper.look(&subject)).unwrap_or_default();
            found.into_iter().for_each(|finding| own.learn(&subject, finding, false));
        });
        let _ = loading.await;
    }

    /// A stored result that meets the limits of a query.
    pub fn met(&self, subject: &Subject) -> Option<Stored> {
        let keeper = self.keeper.as_ref().filter(|_| subject.is_whole)?;
        let stored = keeper.look_for_own(subject);
        stored.into_iter().find(|stored| subject.conditions.requested.is_met_by(stored))
    }

    /// The deepest result with all lines of a subject, or else the deepest of all.
    pub fn best(&self, subject: &Subject) -> Option<Arc<Finding>> {
        let state = self.state.lock();
        let known = state.known.get(&subject.name)?;
        let wanted = usize::from(subject.conditions.multipv);
        known.iter().max_by_key(|finding| (finding.lines() >= wanted, finding.depth())).cloned()
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
    pub fn news(&self, subject: &Subject, state: &str, answer: Option<&Answer>) -> Arc<str> {
        let lines = answer.map_or(&[][..], |answer| &answer.outcome.lines);
        let (board, best, known) = (&subject.board, lines.first(), self.best(subject));
        let shown = |lines: &[Info]| -> Value {
            lines.iter().map(|line| white_line(board, line, subject.conditions.chess960)).collect()
        };
        let course = known.iter().flat_map(|known| &known.course).map(|point| course_point(board, point));
        let course: Vec<Value> = course.collect();
        let mut news = json!({
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
        news["lines"] = shown(deeper.as_ref().map_or(lines, |(_, lines)| lines));
        if let Some((known, _)) = deeper {
            let found = &known.stored.analysis;
            (news["depth"], news["seldepth"]) = (found.depth.into(), found.seldepth.into());
            if best.is_none() {
                news["nodes"] = found.nodes.into();
                news["time_ms"] = (found.time.as_millis() as u64).into();
            }
        }
        news.to_string().into()
    }
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

/// The lines of a search as the database has them.
pub fn database_lines(lines: &[Info]) -> Vec<Line> {
    lines.iter().map(|line| Line { score: line.score, pv: line.pv.to_vec() }).collect()
}

/// Milliseconds, depth, White's score, White's expected score and move of a point.
fn course_point(board: &Board, point: &Point) -> Value {
    let (score, expected) = (white_score(board, point.score), expected(white_wdl(board, point.score)));
    json!([point.time.as_millis() as u64, point.depth, score, expected, board.san(point.best)])
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

/// White's score.
pub fn white_score(board: &Board, score: Score) -> Value {
    document::score(score * board.side_to_move().sign(), wdl::material(board))
}

/// White's wins, draws and losses per mille.
fn white_wdl(board: &Board, score: Score) -> [u32; 3] {
    let [win, draw, loss] = wdl::of_root(board, score);
    if board.side_to_move() == Color::White { [win, draw, loss] } else { [loss, draw, win] }
}

/// The share of points.
fn expected([win, draw, _]: [u32; 3]) -> f64 {
    (f64::from(win) + f64::from(draw) / 2.0) / 1000.0
}

/// A line with White's score.
fn white_line(board: &Board, line: &Info, chess960: bool) -> Value {
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

/// Puts a line in place of an earlier one of its rank.
pub fn put(lines: &mut Vec<Info>, info: Info) {
    lines.retain(|line| line.multipv != info.multipv);
    lines.push(info);
    lines.sort_by_key(|line| line.multipv);
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
        if info.bound != Bound::Exact || info.depth == 0 {
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
        put(&mut self.lines, info.clone());
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
            lines: database_lines(&self.lines),
        };
        let store = ended || self.stored.elapsed() >= STORE;
        if store {
            self.stored = Instant::now();
        }
        let stored = Stored { analysis, conditions: self.subject.conditions, finished };
        self.results.learn(&self.subject, Finding { stored, course: self.course.clone() }, store);
    }
}
