//! A position or game in the queue with its results.

use super::budget::Budget;
use crate::database::{Analysis, Line, read_line};
use crate::pgn::PgnMove;
use crate::report::san;
use crate::report::value::Value as Worth;
use crate::serve::board::{Document, Fields, Place, RequestError, players};
use crate::serve::results::{infos, thin, white_line, white_score};
use crate::serve::scheduler::{Answer, Ticket};
use lento::chess::{Board, Color, Game, Move};
use lento::score::{Bound, Score};
use lento::search::limits::Limits;
use lento_console::document::notation;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

const MAX_LINES: u64 = 20;
/// Number of last moves in a name.
const NAMED_MOVES: usize = 4;
/// Maximum points of a graph; above, every other one is dropped.
const MAX_POINTS: usize = 400;
/// Milliseconds per position in the first pass over an endless game, doubled in each pass, and the number of passes.
const PASS: u64 = 1000;
const PASSES: u32 = 20;

/// What to search.
pub struct Task {
    pub name: String,
    pub budget: Budget,
    pub lines: u64,
    pub chess960: bool,
    /// The position with its history, or the start of a game.
    start: Game,
    /// The moves of a game; empty for a position.
    moves: Vec<Option<Move>>,
    /// JSON for the database.
    pub content: Arc<str>,
    /// Milliseconds since 1970.
    added: u64,
}

#[derive(Default)]
pub struct Position {
    /// Used by finished searches.
    pub time_ms: u64,
    pub nodes: u64,
    /// Passes of an endless game.
    passes: u32,
    pub is_done: bool,
    pub found: Option<Analysis>,
    pub running: Option<Running>,
}

/// A search of the pool.
pub struct Running {
    pub ticket: Ticket,
    /// Whether it waits for an engine, such as while boards have them all.
    pub is_waiting: bool,
    pub time_ms: u64,
    pub nodes: u64,
    pub nps: u64,
}

/// Time, nodes, passes, completion and analysis of a position.
type StoredPosition = (u64, u64, u32, bool, Option<StoredAnalysis>);

pub struct Entry {
    pub rank: i64,
    pub task: Task,
    pub is_paused: bool,
    /// The number of the change that removed it.
    pub removed: Option<u64>,
    pub positions: Vec<Position>,
    /// For a position: milliseconds, depth and White's expected score per mille.
    pub graph: Vec<[u64; 3]>,
    /// The board of its report, and the last version without edits.
    pub board: Option<(Arc<str>, u64)>,
}

impl Task {
    /// Parses the task of a request or of a stored entry.
    pub fn parse(fields: Fields, now: u64) -> Result<Self, RequestError> {
        let budget = Budget::parse(fields)?;
        let lines = fields.number("lines", 0..=MAX_LINES)?.unwrap_or(1).max(1);
        let added = fields.number("added", 0..=u64::MAX)?.unwrap_or(now);
        let mut content = Map::from_iter([
            ("lines".into(), lines.into()),
            ("budget".into(), budget.to_value()),
            ("added".into(), added.into()),
        ]);
        let (chess960, start, moves, name);
        if let Some(value) = fields.get("document") {
            let document = Document::parse(value)?;
            (chess960, moves) = (document.chess960, document.main_line());
            if moves.is_empty() {
                return Err(RequestError::new("missing", "document", "a game without moves; expected moves"));
            }
            start = Game::from(document.nodes[0].board.clone());
            name = players(&document).unwrap_or_else(|| named(start.board(), &moves));
            content.insert("document".into(), document.to_value());
        } else {
            let place = Place::parse(fields)?;
            (chess960, moves) = (place.chess960, Vec::new());
            let opening = place.opening.map_or_else(String::new, |(_, name)| format!(" · {name}"));
            name = named(&place.start, &place.moves) + &opening;
            start = place.game;
            for field in ["start", "chess960", "moves"] {
                content.insert(field.into(), fields.get(field).cloned().unwrap_or_default());
            }
        }
        let content = Value::from(content).to_string().into();
        Ok(Self { name, budget, lines, chess960, start, moves, content, added })
    }

    pub fn is_game(&self) -> bool {
        !self.moves.is_empty()
    }

    /// The games up to each position.
    fn games(&self) -> impl Iterator<Item = Game> {
        let mut game = self.start.clone();
        std::iter::once(game.clone()).chain(self.moves.iter().map(move |&mv| {
            PgnMove::from(mv).play(&mut game);
            game.clone()
        }))
    }

    pub fn game(&self, at: usize) -> Game {
        let mut game = self.start.clone();
        self.moves[..at].iter().for_each(|&mv| PgnMove::from(mv).play(&mut game));
        game
    }
}

/// The last moves with numbers.
fn named(start: &Board, moves: &[Option<Move>]) -> String {
    let (mut board, mut words) = (start.clone(), Vec::new());
    let shown = moves.len().saturating_sub(NAMED_MOVES);
    for (at, &mv) in moves.iter().enumerate() {
        if at >= shown {
            words.push(san(&board, mv, at == shown || board.side_to_move() == Color::White));
        }
        board = PgnMove::from(mv).after(&board);
    }
    match words.is_empty() {
        true if board == Board::start() => "Start position".into(),
        true => board.fen(false).split(' ').take(2).collect::<Vec<_>>().join(" "),
        false => words.join(" "),
    }
}

impl Entry {
    pub fn new(task: Task, rank: i64) -> Self {
        let position = |game: Game| Position { is_done: !game.board().has_legal_move(), ..Position::default() };
        let positions = task.games().map(position).collect();
        Self { rank, task, is_paused: false, removed: None, positions, graph: Vec::new(), board: None }
    }

    /// Number of unfinished positions.
    pub fn left(&self) -> usize {
        self.positions.iter().filter(|position| !position.is_done).count()
    }

    /// Whether all positions are finished.
    pub fn is_over(&self, now: u64) -> bool {
        matches!(self.task.budget, Budget::Until(moment) if moment <= now)
            || self.positions.iter().all(|position| position.is_done)
    }

    pub fn waits(&self, now: u64) -> bool {
        !self.is_paused && self.removed.is_none() && !self.is_over(now)
    }

    /// The positions to search next.
    pub fn next(&self, max: usize) -> Vec<usize> {
        let mut next: Vec<usize> = (0..self.positions.len()).filter(|&at| !self.positions[at].is_done).collect();
        if self.task.budget == Budget::Endless {
            next.sort_by_key(|&at| self.positions[at].passes);
        }
        next.truncate(max);
        next
    }

    /// Replaces the budget. Positions that have used the new one stay finished.
    pub fn extend(&mut self, budget: Budget) {
        self.task.budget = budget;
        let budget = self.budget();
        for (position, game) in self.positions.iter_mut().zip(self.task.games()) {
            position.is_done = position.used(budget) >= 1.0 || !game.board().has_legal_move();
        }
    }

    /// The budget, with a total time divided by the positions.
    fn budget(&self) -> Budget {
        let Budget::Time(total) = self.task.budget else { return self.task.budget };
        let has_moves = |position: &&Position| !position.is_done || position.found.is_some();
        Budget::TimeEach((total / self.positions.iter().filter(has_moves).count().max(1) as u64).max(1))
    }

    /// The limits of a position over all its searches. `share` is the time left per position for entries with `Until`.
    pub fn limits(&self, at: usize, share: u64) -> Limits {
        let position = &self.positions[at];
        let time = |max: u64| Limits { movetime: Some(max as i64), ..Limits::default() };
        match self.budget() {
            // The sum of the passes up to this one.
            Budget::Endless if self.task.is_game() => time((PASS << (position.passes + 1)) - PASS),
            Budget::Endless => Limits { infinite: true, ..Limits::default() },
            Budget::Depth(max) => Limits { depth: Some(max as i32), ..Limits::default() },
            Budget::Nodes(max) => Limits { nodes: Some(max), ..Limits::default() },
            Budget::Time(each) | Budget::TimeEach(each) => time(each),
            Budget::Until(_) => time(position.time_ms + share.max(1)),
        }
    }

    /// Handles an answer to a running search.
    pub fn take(&mut self, at: usize, answer: &Answer) {
        let is_endless = self.task.budget == Budget::Endless;
        let position = &mut self.positions[at];
        let Some(running) = &mut position.running else { return };
        let &Answer { status, nodes, time, nps, .. } = answer;
        // The answer includes earlier searches.
        running.time_ms = (time.as_millis() as u64).saturating_sub(position.time_ms);
        (running.nodes, running.nps) = (nodes.saturating_sub(position.nodes), nps);
        // Ignores shallower results of interrupted searches, and bounds of unfinished iterations.
        let depth = position.found.as_ref().map_or(1, |found| found.depth);
        let lines = &answer.outcome.lines;
        let is_result = status != "partial" || lines.iter().all(|line| line.bound == Bound::Exact);
        if let Some(best) = lines.first().filter(|best| is_result && depth <= best.depth) {
            if !self.task.is_game() {
                let worth = Worth::new(self.task.start.board(), best.score);
                let time = position.time_ms + running.time_ms;
                let point = [time, best.depth as u64, (1000.0 * worth.expected).round() as u64];
                // Of a value that lasts, the first and the latest point.
                if self.graph.len() > 1 && self.graph.iter().rev().take(2).all(|known| known[1..] == point[1..]) {
                    self.graph.pop();
                }
                self.graph.push(point);
                thin(&mut self.graph, MAX_POINTS);
            }
            position.found = Some(Analysis::new(lines, nodes, time));
        }
        if status == "partial" {
            return;
        }
        position.end_search();
        if status == "done" {
            position.passes += 1;
            position.is_done = !is_endless || position.passes > PASSES;
        }
    }

    pub fn state(&self, is_paused: bool, now: u64) -> &'static str {
        if self.positions.iter().any(|position| position.running.as_ref().is_some_and(|running| !running.is_waiting)) {
            "searching"
        } else if self.is_over(now) {
            "done"
        } else if self.is_paused || is_paused {
            "paused"
        } else {
            "waiting"
        }
    }

    /// Progress from 0 to 1; `None` for an endless entry.
    fn progress(&self, now: u64) -> Option<f64> {
        let budget = self.budget();
        let part = |position: &Position| if position.is_done { 1.0 } else { position.used(budget) };
        match budget {
            Budget::Endless => None,
            _ if self.is_over(now) => Some(1.0),
            Budget::Until(moment) if !self.task.is_game() => {
                Some(share(now.saturating_sub(self.task.added), moment.saturating_sub(self.task.added).max(1)))
            }
            _ => Some(self.positions.iter().map(part).sum::<f64>() / self.positions.len() as f64),
        }
    }

    /// Remaining search time in milliseconds; `None` if unknown.
    pub fn time_left(&self) -> Option<u64> {
        let Budget::TimeEach(each) = self.budget() else { return (self.left() == 0).then_some(0) };
        let left = |position: &Position| each.saturating_sub(position.time_used());
        Some(self.positions.iter().filter(|position| !position.is_done).map(left).sum())
    }

    /// JSON for pages.
    pub fn row(&self, number: u64, is_paused: bool, now: u64) -> Value {
        let sum = |of: fn(&Position) -> u64| self.positions.iter().map(of).sum::<u64>();
        let mut row = json!({
            "entry": number,
            "rank": self.rank,
            "kind": if self.task.is_game() { "game" } else { "position" },
            "name": self.task.name,
            "budget": self.task.budget.to_value(),
            "lines": self.task.lines,
            "state": self.state(is_paused, now),
            "paused": self.is_paused,
            "progress": self.progress(now),
            "time_ms": sum(Position::time_used),
            "nodes": sum(Position::nodes_used),
            "nps": sum(|position| position.running.as_ref().map_or(0, |running| running.nps)),
            "board": self.board.as_ref().map(|(board, _)| &**board),
        });
        if self.task.is_game() {
            row["positions"] = self.positions.len().into();
            row["found"] = self.positions.iter().filter(|position| position.found.is_some()).count().into();
        } else if let Some(found) = &self.positions[0].found {
            let (board, best) = (self.task.start.board(), &found.lines[0]);
            row["depth"] = found.depth.into();
            row["score"] = white_score(board, best.score);
            row["best"] = best.pv.first().map(|&mv| board.san(mv)).into();
        }
        row
    }

    /// The lines and the graph of a position.
    pub fn look(&self) -> Value {
        let (position, board) = (&self.positions[0], self.task.start.board());
        let found = position.found.as_ref();
        let lines = found.map(infos).unwrap_or_default();
        json!({
            "fen": board.fen(self.task.chess960),
            "depth": found.map(|found| found.depth),
            "seldepth": found.map(|found| found.seldepth),
            "lines": lines.iter().map(|line| white_line(board, line, self.task.chess960)).collect::<Vec<_>>(),
            "graph": self.graph,
        })
    }

    /// JSON of the results for the database.
    pub fn stored(&self) -> String {
        let positions = self.positions.iter().zip(self.task.games()).map(|(position, game)| -> StoredPosition {
            let found = position.found.as_ref().map(|found| stored(game.board(), found));
            (position.time_used(), position.nodes_used(), position.passes, position.is_done, found)
        });
        json!({
            "budget": self.task.budget.to_value(),
            "paused": self.is_paused,
            "removed": self.removed.is_some(),
            "board": self.board.as_ref().map(|(board, version)| (&**board, version)),
            "graph": self.graph,
            "positions": positions.collect::<Vec<_>>(),
        })
        .to_string()
    }

    pub fn restore(&mut self, mut stored: Value) {
        let extended = stored.as_object().filter(|stored| stored.contains_key("budget"));
        if let Some(Ok(budget)) = extended.map(|stored| Budget::parse(Fields::new(stored, ""))) {
            self.task.budget = budget;
        }
        self.is_paused = stored["paused"] == true;
        self.removed = (stored["removed"] == true).then_some(0);
        self.board = stored["board"][0].as_str().map(Arc::from).zip(stored["board"][1].as_u64());
        self.graph = serde_json::from_value(stored["graph"].take()).unwrap_or_default();
        let stored: Vec<StoredPosition> = serde_json::from_value(stored["positions"].take()).unwrap_or_default();
        for ((position, stored), game) in self.positions.iter_mut().zip(stored).zip(self.task.games()) {
            let (time_ms, nodes, passes, is_done, found) = stored;
            let found = found.and_then(|found| restored(game.board(), found));
            let is_done = is_done || position.is_done;
            *position = Position { time_ms, nodes, passes, is_done, found, running: None };
        }
    }
}

/// The used part of a maximum, from 0 to 1.
fn share(used: u64, max: u64) -> f64 {
    (used as f64 / max as f64).min(1.0)
}

impl Position {
    /// Ends the running search, if any, and keeps what it has used.
    pub fn end_search(&mut self) {
        let Some(running) = self.running.take() else { return };
        self.time_ms += running.time_ms;
        self.nodes += running.nodes;
    }

    /// The used part of a budget, from 0 to 1; 0 unless it is one of depth, nodes or time for each position.
    fn used(&self, budget: Budget) -> f64 {
        match budget {
            Budget::Depth(max) => share(self.found.as_ref().map_or(0, |found| found.depth as u64), max),
            Budget::Nodes(max) => share(self.nodes_used(), max),
            Budget::TimeEach(max) => share(self.time_used(), max),
            _ => 0.0,
        }
    }

    fn time_used(&self) -> u64 {
        self.time_ms + self.running.as_ref().map_or(0, |running| running.time_ms)
    }

    fn nodes_used(&self) -> u64 {
        self.nodes + self.running.as_ref().map_or(0, |running| running.nodes)
    }
}

/// Depth, selective depth, nodes, milliseconds, and the score and the moves of each line.
type StoredAnalysis = (i32, i32, u64, u64, Vec<(Score, String)>);

/// An analysis for the database.
fn stored(board: &Board, found: &Analysis) -> StoredAnalysis {
    let line = |line: &Line| (line.score, notation(board, &line.pv, true).0.join(" "));
    let lines = found.lines.iter().map(line).collect();
    (found.depth, found.seldepth, found.nodes, found.time.as_millis() as u64, lines)
}

/// The analysis of a position from the database.
fn restored(board: &Board, (depth, seldepth, nodes, time, lines): StoredAnalysis) -> Option<Analysis> {
    let line = |(score, pv): (Score, String)| read_line(board, true, score.into(), &pv).ok();
    let lines = lines.into_iter().map(line).collect::<Option<Vec<Line>>>()?;
    (!lines.is_empty()).then_some(Analysis { depth, seldepth, nodes, time: Duration::from_millis(time), lines })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::query::Query;
    use crate::serve::scheduler::Scheduler;
    use lento::search::report::{Info, Outcome, PvLine};

    /// An entry whose position is searched.
    fn running() -> Entry {
        let mut entry = Entry::new(Task::parse(Fields::new(&Map::new(), ""), 0).unwrap(), 0);
        let query = Query::new(Value::Null, entry.task.game(0), false, entry.limits(0, 0));
        let ticket = Scheduler::new(1).push(query, Arc::new(|_| {}));
        entry.positions[0].running = Some(Running { ticket, is_waiting: false, time_ms: 0, nodes: 0, nps: 0 });
        entry
    }

    fn answer(status: &'static str, depth: i32, score: Score, bound: Bound, time: Duration) -> Answer {
        let pv = PvLine::from_iter(Board::start().legal_moves().first().copied());
        let outcome = Outcome::new(vec![Info { depth, score, bound, pv, multipv: 1, ..Info::default() }]);
        Answer { status, outcome, nodes: 1000, time, nps: 200, fields: Value::Null }
    }

    #[test]
    fn graphs_keep_their_history() {
        let mut entry = running();
        for number in 1..20_000_u32 {
            let depth = number.ilog2() as i32 + 1;
            entry.take(0, &answer("partial", depth, 30, Bound::Exact, number * Duration::from_millis(250)));
        }
        assert!((1..=15).all(|depth| entry.graph.iter().any(|point| point[1] == depth)), "{:?}", entry.graph);
    }

    #[test]
    fn bounds_of_unfinished_iterations_are_no_results() {
        let mut entry = running();
        for (status, depth, score, bound) in
            [("partial", 20, 30, Bound::Exact), ("partial", 21, -90, Bound::Upper), ("done", 20, 30, Bound::Exact)]
        {
            entry.take(0, &answer(status, depth, score, bound, Duration::from_secs(5)));
        }
        let found = entry.positions[0].found.as_ref().unwrap();
        assert_eq!((found.depth, found.lines[0].score), (20, 30));
    }
}
