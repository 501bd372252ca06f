//! JSON output per position.

use super::item::Item;
use crate::database::{SearchLimits, Stored};
use lento::cli::document::score;
use lento::eval::wdl;
use lento::search::report::nps;
use serde_json::{Value, json};

/// The format version.
const VERSION: u32 = 1;

/// The JSON fields, for the help.
pub const SCHEMA: &str = "\
With --jsonl each finished position is one line:
  schema                  format version, 1
  fen                     the position
  place                   its origin: file with line and id, or file
                          with game, ply and the move that was played
  from                    search, or database if it was stored
  asked                   the limits of the search: time_ms, depth, nodes
  finished                false when the search was interrupted
  depth, seldepth         plies
  nodes, nps, time_ms     totals
  best                    {san, uci}, or null when there is no legal move
  lines                   best first, each with
    score, wdl            as with --json
    internal              the score as the engine counts, in its own
                          centipawns
    pv, san               the moves, in UCI and in SAN";

/// The JSON of a position.
pub fn line(item: &Item, stored: &Stored, from: &str) -> Value {
    let (root, found) = (item.game.board(), &stored.analysis);
    let material = wdl::material(root);
    let lines: Vec<Value> = found
        .lines
        .iter()
        .take(stored.conditions.multipv.into())
        .map(|line| {
            let (mut uci, mut san, mut board) = (Vec::new(), Vec::new(), root.clone());
            for &mv in &line.pv {
                uci.push(board.uci(mv, item.chess960));
                san.push(board.san(mv));
                board = board.after(mv);
            }
            json!({
                "score": score(line.score, material),
                "wdl": wdl::wdl(line.score, material),
                "internal": line.score,
                "pv": uci,
                "san": san,
            })
        })
        .collect();
    let best = found.lines.first().and_then(|line| line.pv.first());
    let SearchLimits { time, depth, nodes } = stored.conditions.requested;
    json!({
        "schema": VERSION,
        "fen": root.fen(item.chess960),
        "place": item.place.json(),
        "from": from,
        "asked": { "time_ms": time.map(|time| time.as_millis() as u64), "depth": depth, "nodes": nodes },
        "finished": stored.finished,
        "depth": found.depth,
        "seldepth": found.seldepth,
        "nodes": found.nodes,
        "nps": nps(found.nodes, found.time),
        "time_ms": found.time.as_millis() as u64,
        "best": best.map(|&mv| json!({ "san": root.san(mv), "uci": root.uci(mv, item.chess960) })),
        "lines": lines,
    })
}
