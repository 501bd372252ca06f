//! Loads analyses.

use super::Database;
use super::analysis::{Analysis, Conditions, Line, SearchLimits, Stored};
use super::key::Key;
use crate::sql::{Connection, Error, Result, Row, values};
use lento::chess::Board;
use lento::score::{INFINITE, Score};
use std::time::Duration;

/// An analysis with the fields that identify its engine.
pub type Known = ([String; 6], Board, Analysis);

impl Database {
    /// The best result of any engine: the deepest, then the one with most nodes.
    pub fn best(&mut self, key: &Key, board: &Board) -> Result<Option<Analysis>> {
        let Some(position) = position(&mut self.connection, key, "")? else { return Ok(None) };
        let found = stored(&mut self.connection, position, None, 1, board)?;
        let worth = |stored: &Stored| (stored.analysis.depth, stored.analysis.nodes, stored.analysis.lines.len());
        Ok(found.into_iter().max_by_key(worth).map(|stored| stored.analysis))
    }

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

/// The id of a position, if it is there.
pub fn position(connection: &mut Connection, key: &Key, lock: &str) -> Result<Option<i64>> {
    let sql = format!("SELECT id FROM position WHERE fen = $1 AND past = $2 {lock}");
    connection.query_first(&sql, &values![&key.fen, &key.past])?.map(|row| row.get(0)).transpose()
}

/// The id of a position, entered if missing.
pub fn enter(connection: &mut Connection, key: &Key) -> Result<i64> {
    if let Some(known) = position(connection, key, "")? {
        return Ok(known);
    }
    let insert = "INSERT INTO position (fen, past) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    connection.execute(insert, &values![&key.fen, &key.past])?;
    position(connection, key, "")?.ok_or_else(|| Error::Data("the position was not entered".into()))
}

/// The results of an engine, or of all, with at least this many lines, deepest first.
pub fn stored(
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
