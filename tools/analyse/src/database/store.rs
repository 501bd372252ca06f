//! Stores analyses.

use super::Database;
use super::analysis::{Conditions, Line, Stored};
use super::claim::{notify, release};
use super::engine::{EngineId, engine_id};
use super::load;
use crate::sql::{Connection, Error, Result, values};
use lento::chess::Board;
use lento::eval::wdl;
use lento::score::mate_distance;
use lento_console::document::notation;
use std::time::Duration;

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
            let engine = engine_id(connection, &engine.values())?;
            let is_late = !release(connection, position, run)?;
            // A result that meets the limits was stored by a run whose lease had expired.
            let is_as_good = |there: &Stored| {
                (there.analysis.depth, there.analysis.nodes) >= (analysis.depth, analysis.nodes)
                    && (is_late || requested.is_met_by(there))
            };
            if load::stored(connection, position, Some(engine), multipv, board)?.iter().any(is_as_good) {
                return notify(connection);
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
            notify(connection)
        })?;
        // Writes to a deleted file succeed but are lost.
        if self.location.file().is_some_and(|path| !path.exists()) { Err(Error::Removed) } else { Ok(()) }
    }
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
