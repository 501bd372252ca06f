//! Lines of play as database rows.

use crate::game::Line;
use lento::chess::Board;
use lento::eval::wdl;
use lento::score::{INFINITE, Score, mate_distance};
use rusqlite::{Connection, params};

/// Inserts the lines of an analysis, best first.
pub fn insert(
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
        let (mut uci, mut san, mut at) = (Vec::new(), Vec::new(), board.clone());
        for &mv in &line.pv {
            uci.push(at.uci(mv, chess960));
            san.push(at.san(mv));
            at = at.after(mv);
        }
        let values = params![analysis, rank, line.score, cp, mate, win, draw, loss, uci.join(" "), san.join(" ")];
        statement.execute(values)?;
    }
    Ok(())
}

/// Loads the lines of an analysis.
///
/// # Errors
/// The outer error is SQLite's, the inner one an inconsistency.
pub fn read(
    connection: &Connection,
    analysis: i64,
    board: &Board,
    chess960: bool,
) -> rusqlite::Result<Result<Vec<Line>, String>> {
    let mut statement = connection.prepare("SELECT score, pv FROM line WHERE analysis = ?1 ORDER BY rank")?;
    let rows = statement.query_map([analysis], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let lines: Result<Vec<Line>, String> =
        rows.into_iter().map(|(score, pv)| line(board, chess960, score, &pv)).collect();
    Ok(lines.and_then(|lines| if lines.is_empty() { Err("it has no lines".into()) } else { Ok(lines) }))
}

fn line(board: &Board, chess960: bool, score: i64, pv: &str) -> Result<Line, String> {
    let within = |score: &Score| (-INFINITE..=INFINITE).contains(score);
    let score = Score::try_from(score).ok().filter(within).ok_or_else(|| format!("{score} is not a score"))?;
    let (mut moves, mut at) = (Vec::new(), board.clone());
    for text in pv.split_whitespace() {
        let mv = at
            .parse_uci(text, chess960)
            .ok_or_else(|| format!("{text:?} is not a legal move in {}", at.fen(chess960)))?;
        moves.push(mv);
        at = at.after(mv);
    }
    if moves.is_empty() && board.has_legal_move() {
        return Err("a line without moves".into());
    }
    Ok(Line { score, pv: moves })
}
