//! Storing and loading analyses.

use super::{Database, EngineId, Key, claim};
use crate::sql::{Connection, Error, Result, Row, values};
use lento::chess::{Board, Move};
use lento::cli::document::notation;
use lento::eval::wdl;
use lento::score::{INFINITE, Score, mate_distance};
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
    /// Stores a result in place of earlier ones with this number of lines, and releases the claim, atomically. A result
    /// that is as good stays if another run has stored it meanwhile; so storing again changes nothing.
    pub fn store(&mut self, position: i64, board: &Board, engine: &EngineId, stored: &Stored) -> Result<()> {
        let Stored { analysis, conditions, finished } = stored;
        let Conditions { requested, multipv, threads, hash_mib, chess960 } = *conditions;
        let run = self.run.as_ref();
        let milliseconds = |time: Duration| time.as_millis() as i64;
        self.connection.transaction(|connection| {
            if connection.is_server() {
                connection.query("SELECT id FROM position WHERE id = $1 FOR UPDATE", &values![position])?;
            }
            let engine = claim::engine_id(connection, &engine.values())?;
            let is_late = !claim::release(connection, position, run)?;
            // A result that meets the limits was stored by a run whose lease had expired.
            let is_as_good = |there: &Stored| {
                (there.analysis.depth, there.analysis.nodes) >= (analysis.depth, analysis.nodes)
                    && (is_late || requested.is_met_by(there))
            };
            if self::stored(connection, position, Some(engine), multipv, board)?.iter().any(is_as_good) {
                return claim::notify(connection);
            }
            let delete = "DELETE FROM analysis WHERE position = $1 AND engine = $2 AND multipv = $3";
            connection.execute(delete, &values![position, engine, multipv])?;
            let id = connection.query_value(
                "INSERT INTO analysis (position, engine, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads,
                    hash_mib, chess960, depth, seldepth, nodes, time_ms)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id",
                &values![
                    position,
                    engine,
                    multipv,
                    requested.time.map(milliseconds),
                    requested.depth,
                    requested.nodes,
                    *finished,
                    threads,
                    hash_mib,
                    chess960,
                    analysis.depth,
                    analysis.seldepth,
                    analysis.nodes,
                    milliseconds(analysis.time),
                ],
            )?;
            insert_lines(connection, id, board, chess960, &analysis.lines)?;
            claim::notify(connection)
        })?;
        // Writes to a deleted file succeed but are lost.
        if self.location.file().is_some_and(|path| !path.exists()) { Err(Error::Removed) } else { Ok(()) }
    }

    /// The best result of any engine: the deepest, then the one with most nodes.
    pub fn best(&mut self, key: &Key, board: &Board) -> Result<Option<Analysis>> {
        let Some(position) = claim::position(&mut self.connection, key, "")? else { return Ok(None) };
        let found = stored(&mut self.connection, position, None, 1, board)?;
        let worth = |stored: &Stored| (stored.analysis.depth, stored.analysis.nodes, stored.analysis.lines.len());
        Ok(found.into_iter().max_by_key(worth).map(|stored| stored.analysis))
    }
}

/// An analysis with the fields that identify its engine.
pub type Known = ([String; 6], Board, Analysis);

impl Database {
    /// The best result of each engine for each position whose history cannot matter: in fewer than four reversible plies nothing
    /// repeats.
    pub fn without_history(&mut self) -> Result<Vec<Known>> {
        let rows = self.connection.query(
            "SELECT DISTINCT position.id, engine.id, fen, past, version, commit_id, evaluation, meaning, recipe, tablebases
            FROM analysis JOIN position ON position.id = analysis.position JOIN engine ON engine.id = analysis.engine",
            &[],
        )?;
        let mut known = Vec::new();
        for row in &rows {
            let (fen, past): (String, String) = (row.get(2)?, row.get(3)?);
            let Ok(board) = Board::from_fen(&fen) else { continue };
            if !past.is_empty() && board.halfmove_clock() >= 4 {
                continue;
            }
            let text = |column| row.get::<String>(column);
            let engine = [text(4)?, text(5)?, text(6)?, text(7)?, text(8)?, text(9)?];
            let found = stored(&mut self.connection, row.get(0)?, Some(row.get(1)?), 1, &board)?;
            known.extend(found.into_iter().next().map(|best| (engine, board, best.analysis)));
        }
        Ok(known)
    }
}

/// The results of an engine, or of all, with at least this many lines, deepest first.
pub(super) fn stored(
    connection: &mut Connection,
    position: i64,
    engine: Option<i64>,
    multipv: u16,
    board: &Board,
) -> Result<Vec<Stored>> {
    let rows = connection.query(
        "SELECT id, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads, hash_mib, chess960,
            depth, seldepth, nodes, time_ms
        FROM analysis WHERE position = $1 AND engine = coalesce($2, engine) AND multipv >= $3
        ORDER BY depth DESC, nodes DESC, multipv",
        &values![position, engine, multipv],
    )?;
    let read = |row: &Row| {
        let requested = SearchLimits {
            time: row.get::<Option<u64>>(2)?.map(Duration::from_millis),
            depth: row.get(3)?,
            nodes: row.get(4)?,
        };
        let (multipv, threads, hash_mib, chess960) = (row.get(1)?, row.get(6)?, row.get(7)?, row.get(8)?);
        let conditions = Conditions { requested, multipv, threads, hash_mib, chess960 };
        let analysis = Analysis {
            depth: row.get(9)?,
            seldepth: row.get(10)?,
            nodes: row.get(11)?,
            time: Duration::from_millis(row.get(12)?),
            lines: lines(connection, row.get(0)?, board, chess960)?,
        };
        Ok(Stored { analysis, conditions, finished: row.get(5)? })
    };
    rows.iter().map(read).collect()
}

/// Inserts the lines of an analysis, best first.
fn insert_lines(
    connection: &mut Connection,
    analysis: i64,
    board: &Board,
    chess960: bool,
    lines: &[Line],
) -> Result<()> {
    let material = wdl::material(board);
    for (rank, line) in (1_i64..).zip(lines) {
        let mate = mate_distance(line.score);
        let cp = mate.is_none().then(|| wdl::normalise(line.score, material));
        let [win, draw, loss] = wdl::of_root(board, line.score);
        let (uci, san) = notation(board, &line.pv, chess960);
        connection.execute(
            "INSERT INTO line (analysis, rank, score, cp, mate, win, draw, loss, pv, san)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &values![analysis, rank, line.score, cp, mate, win, draw, loss, uci.join(" "), san.join(" ")],
        )?;
    }
    Ok(())
}

/// Loads the lines of an analysis.
fn lines(connection: &mut Connection, analysis: i64, board: &Board, chess960: bool) -> Result<Vec<Line>> {
    let inconsistent = |what: String| {
        Error::Data(format!("analysis {analysis}: {what}; `DELETE FROM analysis WHERE id = {analysis}` removes it"))
    };
    let rows = connection.query("SELECT score, pv FROM line WHERE analysis = $1 ORDER BY rank", &values![analysis])?;
    let read = |row: &Row| line(board, chess960, row.get(0)?, &row.get::<String>(1)?).map_err(inconsistent);
    let lines: Vec<Line> = rows.iter().map(read).collect::<Result<_>>()?;
    if lines.is_empty() { Err(inconsistent("it has no lines".into())) } else { Ok(lines) }
}

fn line(board: &Board, chess960: bool, score: i64, pv: &str) -> std::result::Result<Line, String> {
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
