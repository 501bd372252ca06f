//! Output per position: JSON and EPD.

use super::input::Item;
use crate::database::{SearchLimits, Stored};
use lento::eval::wdl;
use lento::score::{MATE, Score, is_mate};
use lento::search::report::nps;
use lento_console::document::{notation, score};
use serde_json::{Value, json};
use std::fmt::Write;

const VERSION: u32 = 1;

/// The JSON fields, for the help.
pub const SCHEMA: &str = "\
With --jsonl each position is one line:
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
    internal              the score in the engine's internal centipawns
    pv, san               the moves, in UCI and in SAN";

pub fn json(item: &Item, stored: &Stored, from: &str) -> Value {
    let (root, found) = (item.game.board(), &stored.analysis);
    let material = wdl::material(root);
    let lines = found.lines.iter().take(stored.conditions.multipv.into()).map(|line| {
        let (uci, san) = notation(root, &line.pv, item.chess960);
        json!({
            "score": score(line.score, material),
            "wdl": wdl::of_root(root, line.score),
            "internal": line.score,
            "pv": uci,
            "san": san,
        })
    });
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
        "lines": lines.collect::<Vec<_>>(),
    })
}

/// Operations written here, replacing those of the input.
const WRITTEN: [&str; 7] = ["hmvc", "fmvn", "acd", "acn", "acs", "ce", "pv"];

/// An EPD line with the input's operations and those of the analysis: `acd` depth, `acn` nodes, `acs` seconds, `ce` UCI
/// centipawns (mates as 32767 minus plies), `pv` moves.
pub fn epd(item: &Item, stored: &Stored) -> String {
    let (root, found) = (item.game.board(), &stored.analysis);
    let fen = root.fen(item.chess960);
    let mut fields = fen.split(' ');
    let mut text = fields.by_ref().take(4).collect::<Vec<_>>().join(" ");
    for (name, counter) in ["hmvc", "fmvn"].iter().zip(fields) {
        let _ = write!(text, " {name} {counter};");
    }
    let _ = write!(text, " acd {}; acn {}; acs {};", found.depth, found.nodes, found.time.as_secs());
    if let Some(best) = found.lines.first() {
        let _ = write!(text, " ce {};", centipawns(best.score, wdl::material(root)));
        let san = notation(root, &best.pv, item.chess960).1;
        if !san.is_empty() {
            let _ = write!(text, " pv {};", san.join(" "));
        }
    }
    let kept = item.place.operations();
    for (name, operand) in kept.iter().filter(|(name, _)| !WRITTEN.contains(&name.as_str())) {
        let _ = if operand.is_empty() { write!(text, " {name};") } else { write!(text, " {name} {operand};") };
    }
    if !kept.iter().any(|(name, _)| name == "id") {
        let _ = write!(text, " id \"{}\";", item.place.to_string().replace('"', "'"));
    }
    text
}

fn centipawns(score: Score, material: i32) -> i32 {
    let plies = MATE - score.abs();
    if is_mate(score) { score.signum() * (32_767 - plies) } else { wdl::normalise(score, material) }
}
