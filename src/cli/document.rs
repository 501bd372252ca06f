//! An analysis as JSON.

use super::analyse::Found;
use crate::chess::{Board, Move};
use crate::engine::Engine;
use crate::eval::wdl;
use crate::score::{Bound, Score, mate_distance};
use crate::search::report::{Info, nps};
use serde_json::{Value, json};

/// What `--json` prints, for the help.
pub const SCHEMA: &str = "\
With --json one document is printed when the search has ended:
  fen, threads, hash_mib  what was searched, and with what
  iterations              every line of play that was told, in order
  lines                   the lines behind the best move, best first
  best, ponder            {san, uci}, or null when there is no such move
  nodes, nps, time_ms     totals
Each line of play in iterations and lines has:
  depth, seldepth         plies
  multipv                 rank of the line, from 1
  score                   {cp}, centipawns from the view of the side to move,
                          100 for a chance of 50 % to win, or {mate}, moves
                          to mate, negative when mated
  wdl                     chances to win, draw and lose, per mille
  bound                   exact, lower or upper
  nodes, nps, time_ms     so far
  hashfull                use of the hash table, per mille
  tb_hits                 positions found in tablebases
  pv, san                 the moves, in UCI and in SAN";

/// The document of a search of the engine's position. `told` is every line that was told, in order.
pub fn document(engine: &Engine, told: &[Info], found: &Found) -> Value {
    let (root, chess960, outcome) = (engine.game().board(), engine.settings().chess960, &found.outcome);
    let lines = |infos: &[Info]| infos.iter().map(|info| line(root, info, chess960)).collect::<Vec<_>>();
    let named = |board: &Board, mv: Move| json!({ "san": board.san(mv), "uci": board.uci(mv, chess960) });
    json!({
        "fen": root.fen(chess960),
        "threads": engine.threads(),
        "hash_mib": engine.hash_mib(),
        "iterations": lines(told),
        "lines": lines(&outcome.lines),
        "best": outcome.best.map(|best| named(root, best)),
        "ponder": outcome.best.zip(outcome.ponder).map(|(best, ponder)| named(&root.after(best), ponder)),
        "nodes": found.nodes(),
        "nps": nps(found.nodes(), found.elapsed),
        "time_ms": found.elapsed.as_millis() as u64,
    })
}

/// A score with this much material on the board.
pub fn score(score: Score, material: i32) -> Value {
    match mate_distance(score) {
        Some(moves) => json!({ "mate": moves }),
        None => json!({ "cp": wdl::normalise(score, material) }),
    }
}

fn line(root: &Board, info: &Info, chess960: bool) -> Value {
    let mut board = root.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for &mv in &info.pv {
        uci.push(board.uci(mv, chess960));
        san.push(board.san(mv));
        board = board.after(mv);
    }
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
        "wdl": wdl::wdl(info.score, material),
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
