//! EPD output of analysed positions.

use super::item::{Item, Place};
use crate::database::Stored;
use lento::eval::wdl;
use lento::score::{is_mate, mate_distance};
use std::fmt::Write;

/// Operations written here, replacing those of the input.
const WRITTEN: [&str; 7] = ["hmvc", "fmvn", "acd", "acn", "acs", "ce", "pv"];

/// An EPD line with the input's operations and those of the analysis: `acd` depth, `acn` nodes, `acs` seconds, `ce` UCI
/// centipawns (mates as 32767 minus plies), `pv` moves.
pub fn line(item: &Item, stored: &Stored) -> String {
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
        let (mut san, mut board) = (Vec::new(), root.clone());
        for &mv in &best.pv {
            san.push(board.san(mv));
            board = board.after(mv);
        }
        if !san.is_empty() {
            let _ = write!(text, " pv {};", san.join(" "));
        }
    }
    let kept = match &item.place {
        Place::Line { operations, .. } => operations.as_slice(),
        _ => &[],
    };
    for (name, operand) in kept.iter().filter(|(name, _)| !WRITTEN.contains(&name.as_str())) {
        let _ = if operand.is_empty() { write!(text, " {name};") } else { write!(text, " {name} {operand};") };
    }
    if !kept.iter().any(|(name, _)| name == "id") {
        let _ = write!(text, " id \"{}\";", item.place.id().replace('"', "'"));
    }
    text
}

/// The value of `ce`.
fn centipawns(score: i32, material: i32) -> i32 {
    const MATE: i32 = 32_767;
    match mate_distance(score).filter(|_| is_mate(score)) {
        // Moves to plies: the mating side moves last.
        Some(moves) if moves > 0 => MATE - (2 * moves - 1),
        Some(moves) => -(MATE - 2 * -moves),
        None => wdl::normalise(score, material),
    }
}
