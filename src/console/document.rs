//! JSON output of `lento analyse`.

use super::search::Found;
use lento::chess::{Board, Move};
use lento::engine::Engine;
use lento::eval::wdl;
use lento::score::{Bound, Score, mate_distance};
use lento::search::report::{Info, nps};
use serde_json::{Value, json};

/// The JSON fields, for the help.
pub const SCHEMA: &str = "\
With --json one document is printed at the end of the search:
  fen, threads, hash_mib  position and settings
  iterations              all lines of play, in order
  lines                   the final lines, best first
  best, ponder            {san, uci}, or null
  nodes, nps, time_ms     totals
Each line of play in iterations and lines has:
  depth, seldepth         plies
  multipv                 rank of the line, from 1
  score                   {cp}, centipawns from the view of the side to move,
                          100 for a 50 % chance of winning, or {mate}, moves
                          to mate, negative when mated
  wdl                     win, draw and loss per mille
  bound                   exact, lower or upper
  nodes, nps, time_ms     so far
  hashfull                use of the hash table, per mille
  tb_hits                 tablebase hits
  pv, san                 the moves, in UCI and in SAN";

/// The document of a search. `infos` has all reported lines in order.
pub fn document(engine: &Engine, infos: &[Info], found: &Found, chess960: bool) -> Value {
    let (root, outcome) = (engine.game.board(), &found.outcome);
    let lines = |infos: &[Info]| infos.iter().map(|info| line(root, info, chess960)).collect::<Vec<_>>();
    let named = |board: &Board, mv: Move| json!({ "san": board.san(mv), "uci": board.uci(mv, chess960) });
    json!({
        "fen": root.fen(chess960),
        "threads": engine.threads(),
        "hash_mib": engine.hash_mib(),
        "iterations": lines(infos),
        "lines": lines(&outcome.lines),
        "best": outcome.best.map(|best| named(root, best)),
        "ponder": outcome.best.zip(outcome.ponder).map(|(best, ponder)| named(&root.after(best), ponder)),
        "nodes": found.nodes(),
        "nps": nps(found.nodes(), found.elapsed),
        "time_ms": found.elapsed.as_millis() as u64,
    })
}

/// A score, scaled by the root's material.
pub fn score(score: Score, material: i32) -> Value {
    match mate_distance(score) {
        Some(moves) => json!({ "mate": moves }),
        None => json!({ "cp": wdl::normalise(score, material) }),
    }
}

/// The moves of a line in UCI and in SAN.
pub fn notation(root: &Board, line: &[Move], chess960: bool) -> (Vec<String>, Vec<String>) {
    let mut board = root.clone();
    let moves = line.iter().map(|&mv| {
        let notations = (board.uci(mv, chess960), board.san(mv));
        board = board.after(mv);
        notations
    });
    moves.unzip()
}

/// A line of play.
pub fn line(root: &Board, info: &Info, chess960: bool) -> Value {
    let (uci, san) = notation(root, &info.pv, chess960);
    let material = wdl::material(root);
    let bound = match info.bound {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    };
    json!({
        "depth": info.depth,
        "seldepth": info.seldepth,
        "multipv": info.multipv,
        "score": score(info.score, material),
        "wdl": wdl::of_root(root, info.score),
        "bound": bound,
        "nodes": info.nodes,
        "nps": nps(info.nodes, info.elapsed),
        "hashfull": info.hashfull,
        "tb_hits": info.tb_hits,
        "time_ms": info.elapsed.as_millis() as u64,
        "pv": uci,
        "san": san,
    })
}
