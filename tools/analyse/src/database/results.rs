//! Stores and loads analyses.

use super::Database;
use super::analysis::{Analysis, Conditions, Line, SearchLimits, Stored};
use super::engine::{EngineId, engine_id, find_engine};
use super::key::Key;
use super::run::release;
use crate::sql::{Connection, Result, values};
use lento::chess::Board;
use lento::eval::wdl;
use lento::score::{INFINITE, Score, mate_distance};
use lento_console::document::notation;
use lento_console::setup::Setup;
use std::time::Duration;

/// An analysis with its engine.
pub type Known = (EngineId, Board, Analysis);

impl Database {
    /// The best result of any engine: the deepest, then the one with the most nodes.
    pub fn best(&mut self, key: &Key, board: &Board) -> Result<Option<Stored>> {
        let connection = &mut self.connection;
        let Some(position) = position(connection, key, "")? else { return Ok(None) };
        let found = stored(connection, position, None, 1, board)?.into_iter();
        Ok(found.max_by_key(|Stored { analysis, .. }| (analysis.depth, analysis.nodes, analysis.lines.len())))
    }

    /// The results of an engine for a position with at least this many lines, deepest first.
    pub fn results(&mut self, key: &Key, board: &Board, engine: &EngineId, multipv: u16) -> Result<Vec<Stored>> {
        let connection = &mut self.connection;
        match (position(connection, key, "")?, find_engine(connection, engine)?) {
            (Some(position), Some(engine)) => stored(connection, position, Some(engine), multipv, board),
            _ => Ok(Vec::new()),
        }
    }

    /// The best result of each engine for each position without relevant history: fewer than four reversible plies cannot
    /// repeat.
    pub fn without_history(&mut self) -> Result<Vec<Known>> {
        let connection = &mut self.connection;
        let searched = connection.query(
            "SELECT DISTINCT position.id, engine.id, fen, past, version, commit_id, evaluation, meaning, recipe, tablebases
            FROM analysis JOIN position ON position.id = analysis.position JOIN engine ON engine.id = analysis.engine",
            &[],
            |row| {
                let board = Board::from_fen(&row.get::<String>(2)?).ok();
                let past: String = row.get(3)?;
                let board = board.filter(|board| past.is_empty() || board.halfmove_clock() < 4);
                Ok((row.get(0)?, row.get(1)?, EngineId(row.0[4..].to_vec()), board))
            },
        )?;
        let mut known = Vec::new();
        for (position, id, engine, board) in searched {
            let Some(board) = board else { continue };
            let found = stored(connection, position, Some(id), 1, &board)?;
            known.extend(found.into_iter().next().map(|best| (engine, board, best.analysis)));
        }
        Ok(known)
    }

    /// Stores a result in place of earlier ones with this number of lines, and releases the claim, atomically. Keeps an
    /// equally good result that another run has stored meanwhile, so storing is idempotent.
    pub fn store(&mut self, position: i64, board: &Board, engine: &EngineId, found: &Stored) -> Result<()> {
        let Stored { analysis, conditions, finished } = found;
        let Conditions { requested, multipv, threads, hash_mib, chess960 } = *conditions;
        let run = self.run.as_ref();
        let milliseconds = |time: Duration| time.as_millis() as i64;
        self.connection.transaction(|connection| {
            if connection.is_server() {
                connection.query_first::<i64>("SELECT id FROM position WHERE id = $1 FOR UPDATE", &values![position])?;
            }
            let engine = engine_id(connection, engine)?;
            let is_late = !release(connection, position, run)?;
            // A run with an expired lease keeps a result that another one has stored.
            let is_as_good = |there: &Stored| {
                (there.analysis.depth, there.analysis.nodes) >= (analysis.depth, analysis.nodes)
                    && (is_late || requested.is_met_by(there))
            };
            if stored(connection, position, Some(engine), multipv, board)?.iter().any(is_as_good) {
                return Ok(());
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
            insert_lines(connection, id, board, found)
        })?;
        // Writes to a deleted file succeed but have no effect.
        if self.location().file().is_some_and(|path| !path.exists()) {
            return Err(self.location().error("the database was removed or renamed; later results are lost"));
        }
        Ok(())
    }
}

/// The id of a position, if present.
pub fn position(connection: &mut Connection, key: &Key, lock: &str) -> Result<Option<i64>> {
    let sql = format!("SELECT id FROM position WHERE fen = $1 AND past = $2 {lock}");
    connection.query_first(&sql, &values![&key.fen, &key.past])
}

/// The id of a position, inserted if missing.
pub fn insert_position(connection: &mut Connection, key: &Key) -> Result<i64> {
    if let Some(known) = position(connection, key, "")? {
        return Ok(known);
    }
    let insert = "INSERT INTO position (fen, past) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    connection.execute(insert, &values![&key.fen, &key.past])?;
    position(connection, key, "")?.ok_or_else(|| connection.error("the position was not inserted"))
}

/// The results of an engine, or of all, with at least this many lines, deepest first. Read by one statement, since others may replace
/// them.
pub fn stored(
    connection: &mut Connection,
    position: i64,
    engine: Option<i64>,
    multipv: u16,
    board: &Board,
) -> Result<Vec<Stored>> {
    let sql = "SELECT id, multipv, asked_time_ms, asked_depth, asked_nodes, finished, threads, hash_mib, chess960,
            depth, seldepth, nodes, time_ms, score, pv
        FROM analysis LEFT JOIN line ON line.analysis = analysis.id
        WHERE position = $1 AND engine = coalesce($2, engine) AND multipv >= $3
        ORDER BY depth DESC, nodes DESC, multipv, id, rank";
    let mut all: Vec<(i64, Stored)> = Vec::new();
    connection.query(sql, &values![position, engine, multipv], |row| {
        let id: i64 = row.get(0)?;
        let inconsistent =
            |what: &str| format!("analysis {id}: {what}; `DELETE FROM analysis WHERE id = {id}` removes it");
        let chess960 = row.get(8)?;
        let score: i64 = row.get::<Option<i64>>(13)?.ok_or_else(|| inconsistent("it has no lines"))?;
        let line = line(board, chess960, score, &row.get::<String>(14)?).map_err(|what| inconsistent(&what))?;
        if let Some((_, stored)) = all.last_mut().filter(|(last, _)| *last == id) {
            stored.analysis.lines.push(line);
            return Ok(());
        }
        let requested = SearchLimits {
            time: row.get::<Option<u64>>(2)?.map(Duration::from_millis),
            depth: row.get(3)?,
            nodes: row.get(4)?,
        };
        let (multipv, threads, hash_mib) = (row.get(1)?, row.get(6)?, row.get(7)?);
        let conditions = Conditions { requested, multipv, threads, hash_mib, chess960 };
        let (depth, seldepth, nodes) = (row.get(9)?, row.get(10)?, row.get(11)?);
        let time = Duration::from_millis(row.get(12)?);
        let analysis = Analysis { depth, seldepth, nodes, time, lines: vec![line] };
        all.push((id, Stored { analysis, conditions, finished: row.get(5)? }));
        Ok(())
    })?;
    Ok(all.into_iter().map(|(_, stored)| stored).collect())
}

/// Parses a score and moves in UCI. Fails with the reason if they are out of range or illegal.
pub fn line(board: &Board, chess960: bool, score: i64, pv: &str) -> Result<Line, String> {
    let within = |score: &Score| (-INFINITE..=INFINITE).contains(score);
    let score = Score::try_from(score).ok().filter(within).ok_or_else(|| format!("{score} is not a score"))?;
    let moves = Setup { chess960, ..Setup::default() }.moves(board, pv)?;
    if moves.is_empty() && board.has_legal_move() {
        return Err("a line has no moves".into());
    }
    Ok(Line { score, pv: moves })
}

fn insert_lines(connection: &mut Connection, analysis: i64, board: &Board, found: &Stored) -> Result<()> {
    let material = wdl::material(board);
    for (rank, line) in (1_i64..).zip(&found.analysis.lines) {
        let mate = mate_distance(line.score);
        let cp = mate.is_none().then(|| wdl::normalise(line.score, material));
        let [win, draw, loss] = wdl::of_root(board, line.score);
        let (uci, san) = notation(board, &line.pv, found.conditions.chess960);
        connection.execute(
            "INSERT INTO line (analysis, rank, score, cp, mate, win, draw, loss, pv, san)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &values![analysis, rank, line.score, cp, mate, win, draw, loss, uci.join(" "), san.join(" ")],
        )?;
    }
    Ok(())
}
