//! Storing and loading analyses.

use super::{Database, EngineId, Key, claim};
use lento::chess::{Board, Move};
use lento::cli::document::notation;
use lento::eval::wdl;
use lento::score::{INFINITE, Score, mate_distance};
use rusqlite::types::Type;
use rusqlite::{Connection, TransactionBehavior, params};
use std::time::Duration;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Depth of the last completed iteration, in plies.
    pub depth: i32,
    pub seldepth: i32,
    /// Nodes over all threads.
    pub nodes: u64,
    pub time: Duration,
    /// The lines, best first, at least one.
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Score of the side to move, in internal centipawns.
    pub score: Score,
    pub pv: Vec<Move>,
}

/// Limits of a search, which ends at the first one reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    pub time: Option<Duration>,
    pub depth: Option<i32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    pub requested: SearchLimits,
    pub multipv: u16,
    pub threads: usize,
    /// Hash table in MiB.
    pub hash_mib: usize,
    /// Whether moves are in Chess960 notation.
    pub chess960: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub analysis: Analysis,
    pub conditions: Conditions,
    /// Whether the search completed without interruption.
    pub finished: bool,
}

impl SearchLimits {
    /// Whether a stored search satisfies these limits: it reached one of them, or ended by itself under limits at least
    /// as large.
    pub fn is_met_by(&self, stored: &Stored) -> bool {
        let found = &stored.analysis;
        let reached = self.time.is_some_and(|time| found.time >= time)
            || self.depth.is_some_and(|depth| found.depth >= depth)
            || self.nodes.is_some_and(|nodes| found.nodes >= nodes);
        let over = found.lines.iter().all(|line| line.pv.is_empty());
        over || reached || (stored.finished && self.is_within(&stored.conditions.requested))
    }

    /// Whether no limit exceeds that of `other`.
    fn is_within(&self, other: &Self) -> bool {
        fn within<T: PartialOrd>(one: Option<T>, other: Option<T>) -> bool {
            other.is_none_or(|most| one.is_some_and(|one| one <= most))
        }
        within(self.time, other.time) && within(self.depth, other.depth) && within(self.nodes, other.nodes)
    }

    /// Whether the result must be reproducible, so the search must start from scratch: a node limit.
    pub fn is_exact(&self) -> bool {
        self.nodes.is_some()
    }
}

impl Database {
    /// Stores a result in place of earlier ones with this number of lines, and releases the claim, atomically.
    pub fn store(&mut self, position: i64, board: &Board, engine: &EngineId, stored: &Stored) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let engine = engine.enter(&transaction)?;
        let Stored { analysis, conditions, finished } = stored;
        let Conditions { requested, multipv, threads, hash_mib, chess960 } = *conditions;
        transaction.execute(
            "DELETE FROM analysis WHERE position = ?1 AND engine = ?2 AND multipv = ?3",
            params![position, engine, multipv],
        )?;
        let milliseconds = |time: Duration| time.as_millis() as i64;
        transaction.execute(
            "INSERT INTO analysis (position, engine, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads,
                hash_mib, chess960, depth, seldepth, nodes, time_ms)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            params![
                position,
                engine,
                multipv,
                requested.time.map(milliseconds),
                requested.depth,
                requested.nodes.map(|nodes| nodes as i64),
                finished,
                threads as i64,
                hash_mib as i64,
                chess960,
                analysis.depth,
                analysis.seldepth,
                analysis.nodes as i64,
                milliseconds(analysis.time),
            ],
        )?;
        insert_lines(&transaction, transaction.last_insert_rowid(), board, chess960, &analysis.lines)?;
        transaction.execute("DELETE FROM claim WHERE position = ?1", [position])?;
        transaction.commit()?;
        // Writes to a deleted file succeed but are lost.
        if self.path.exists() { Ok(()) } else { Err(rusqlite::Error::InvalidPath(self.path.clone())) }
    }

    /// The best result of any engine: the deepest, then the one with most nodes.
    pub fn best(&self, key: &Key, board: &Board) -> rusqlite::Result<Option<Analysis>> {
        let Some(position) = claim::position(&self.connection, key)? else { return Ok(None) };
        let found = stored(&self.connection, position, None, 1, board)?;
        let worth = |stored: &Stored| (stored.analysis.depth, stored.analysis.nodes, stored.analysis.lines.len());
        Ok(found.into_iter().max_by_key(worth).map(|stored| stored.analysis))
    }
}

/// An analysis with the fields that identify its engine.
pub type Known = ([String; 6], Board, Analysis);

impl Database {
    /// The best result of each engine for each position whose history cannot matter: in fewer than four reversible plies nothing
    /// repeats.
    pub fn without_history(&self) -> rusqlite::Result<Vec<Known>> {
        let mut statement = self.connection.prepare(
            "SELECT DISTINCT position.id, engine.id, fen, past, version, commit_id, evaluation, meaning, recipe, tablebases
            FROM analysis JOIN position ON position.id = analysis.position JOIN engine ON engine.id = analysis.engine",
        )?;
        let mut known = Vec::new();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (fen, past): (String, String) = (row.get(2)?, row.get(3)?);
            let Ok(board) = Board::from_fen(&fen) else { continue };
            if !past.is_empty() && board.halfmove_clock() >= 4 {
                continue;
            }
            let text = |column| row.get::<_, String>(column);
            let engine = [text(4)?, text(5)?, text(6)?, text(7)?, text(8)?, text(9)?];
            let found = stored(&self.connection, row.get(0)?, Some(row.get(1)?), 1, &board)?;
            known.extend(found.into_iter().next().map(|best| (engine, board, best.analysis)));
        }
        Ok(known)
    }
}

/// The results of an engine, or of all, with at least this many lines, deepest first.
pub(super) fn stored(
    connection: &Connection,
    position: i64,
    engine: Option<i64>,
    multipv: u16,
    board: &Board,
) -> rusqlite::Result<Vec<Stored>> {
    let mut statement = connection.prepare(
        "SELECT id, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads, hash_mib, chess960,
            depth, seldepth, nodes, time_ms
        FROM analysis WHERE position = ?1 AND engine = ifnull(?2, engine) AND multipv >= ?3
        ORDER BY depth DESC, nodes DESC, multipv",
    )?;
    let rows = statement.query_map(params![position, engine, multipv], |row| {
        let unsigned = |number: i64| number.max(0) as u64;
        let time = |number: i64| Duration::from_millis(unsigned(number));
        let requested = SearchLimits {
            time: row.get::<_, Option<i64>>(2)?.map(time),
            depth: row.get(3)?,
            nodes: row.get::<_, Option<i64>>(4)?.map(unsigned),
        };
        let conditions = Conditions {
            requested,
            multipv: row.get(1)?,
            threads: unsigned(row.get(6)?) as usize,
            hash_mib: unsigned(row.get(7)?) as usize,
            chess960: row.get(8)?,
        };
        let analysis = Analysis {
            depth: row.get(9)?,
            seldepth: row.get(10)?,
            nodes: unsigned(row.get(11)?),
            time: time(row.get(12)?),
            lines: lines(connection, row.get(0)?, board, conditions.chess960)?,
        };
        Ok(Stored { analysis, conditions, finished: row.get(5)? })
    })?;
    rows.collect()
}

/// Inserts the lines of an analysis, best first.
fn insert_lines(
    connection: &Connection,
    analysis: i64,
    board: &Board,
    chess960: bool,
    lines: &[Line],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "INSERT INTO line (analysis, rank, score, cp, mate, win, draw, loss, pv, san)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let material = wdl::material(board);
    for (rank, line) in (1_i64..).zip(lines) {
        let mate = mate_distance(line.score);
        let cp = mate.is_none().then(|| wdl::normalise(line.score, material));
        let [win, draw, loss] = wdl::wdl(line.score, material);
        let (uci, san) = notation(board, &line.pv, chess960);
        let values = params![analysis, rank, line.score, cp, mate, win, draw, loss, uci.join(" "), san.join(" ")];
        statement.execute(values)?;
    }
    Ok(())
}

/// Loads the lines of an analysis.
fn lines(connection: &Connection, analysis: i64, board: &Board, chess960: bool) -> rusqlite::Result<Vec<Line>> {
    let inconsistent = |what: String| {
        let text = format!("analysis {analysis}: {what}; `DELETE FROM analysis WHERE id = {analysis}` removes it");
        rusqlite::Error::FromSqlConversionFailure(1, Type::Text, text.into())
    };
    let mut statement = connection.prepare("SELECT score, pv FROM line WHERE analysis = ?1 ORDER BY rank")?;
    let rows = statement.query_map([analysis], |row| {
        line(board, chess960, row.get(0)?, &row.get::<_, String>(1)?).map_err(inconsistent)
    })?;
    let lines: Vec<Line> = rows.collect::<rusqlite::Result<_>>()?;
    if lines.is_empty() { Err(inconsistent("it has no lines".into())) } else { Ok(lines) }
}

fn line(board: &Board, chess960: bool, score: i64, pv: &str) -> Result<Line, String> {
    let within = |score: &Score| (-INFINITE..=INFINITE).contains(score);
    let score = Score::try_from(score).ok().filter(within).ok_or_else(|| format!("{score} is not a score"))?;
    let (mut moves, mut at) = (Vec::new(), board.clone());
    for text in pv.split_whitespace() {
        let illegal = || format!("{text:?} is not a legal move in {}", at.fen(chess960));
        let mv = at.parse_uci(text, chess960).ok_or_else(illegal)?;
        moves.push(mv);
        at = at.after(mv);
    }
    if moves.is_empty() && board.has_legal_move() {
        return Err("a line without moves".into());
    }
    Ok(Line { score, pv: moves })
}
