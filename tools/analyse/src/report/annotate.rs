//! Annotates games.
//!
//! Comments, glyphs and variations of the file are kept. Each move gets `[%eval 0.35,24]`, in pawns from White's view
//! with the depth, replacing any in the file. Dubious or worse moves get a glyph, unless the file has one, and the
//! engine's line as a further variation of at most [`LINE_PLIES`](super::LINE_PLIES) plies.

use super::write::{comment_words, tags};
use super::{Study, html, san_words, write};
use crate::pgn::{PgnGame, PgnMove, Remarks, Variation};
use lento::chess::Move;

/// Tags replaced by generated ones.
const GENERATED: [&str; 4] = ["PlyCount", "WhiteAccuracy", "BlackAccuracy", "Annotator"];
/// Glyphs of move quality: `!`, `?`, `!!`, `??`, `!?`, `?!`.
const QUALITY: std::ops::RangeInclusive<u8> = 1..=6;

/// The annotated game as PGN, followed by an empty line.
pub fn pgn(study: &Study) -> String {
    write::pgn(&annotated(study))
}

/// The annotated game with its tags for export.
pub fn annotated(study: &Study) -> PgnGame {
    let mut game = study.game.clone();
    let is_word = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    game.tags.retain(|(name, _)| is_word(name) && !GENERATED.iter().any(|own| own.eq_ignore_ascii_case(name)));
    game.tags = tags(&game);
    let mut add = |name: &str, value: &str| game.tags.push((name.to_owned(), value.to_owned()));
    add("PlyCount", &study.game.moves.len().to_string());
    add("Annotator", study.game.tag("Annotator").unwrap_or(html::NAME));
    for (name, side) in ["WhiteAccuracy", "BlackAccuracy"].into_iter().zip(&study.sides) {
        if let Some(side) = side {
            add(name, &format!("{:.1}", side.accuracy));
        }
    }
    for (at, played) in game.moves.iter_mut().enumerate() {
        annotate(study, at, &mut played.remarks);
    }
    game
}

fn annotate(study: &Study, at: usize, remarks: &mut Remarks) {
    remarks.nags = nags(study, at);
    if let Some(value) = study.values[at + 1].and_then(|value| value.pgn()) {
        let depth = study.analysis(at + 1).map_or_else(String::new, |analysis| format!(",{}", analysis.depth));
        let mut words = comment_words(remarks.comment.as_deref(), false);
        words.insert(0, format!("[%eval {value}{depth}]"));
        remarks.comment = Some(words.join(" "));
    }
    let Some(line) = study.better_line(at) else { return };
    let line = &line[..san_words(&study.boards[at], line).len()];
    if line.is_empty() || remarks.variations.iter().any(|other| shows(other, line)) {
        return;
    }
    let mut moves: Vec<PgnMove> = line.iter().map(|&mv| Some(mv).into()).collect();
    if let Some(last) = moves.last_mut() {
        last.remarks.comment = study.values[at].and_then(|value| value.pgn()).map(|value| format!("[%eval {value}]"));
    }
    remarks.variations.push(Variation { comment: None, moves });
}

/// Whether a variation of the file starts with this line.
fn shows(variation: &Variation, line: &[Move]) -> bool {
    variation.moves.len() >= line.len() && line.iter().zip(&variation.moves).all(|(&mv, played)| played.mv == Some(mv))
}

/// The file's glyphs and, unless one of them is about quality, the engine's.
pub fn nags(study: &Study, at: usize) -> Vec<u8> {
    let mut nags = study.game.moves[at].remarks.nags.clone();
    if !nags.iter().any(|nag| QUALITY.contains(nag)) {
        let mark = study.moves[at].and_then(|judged| judged.mark);
        nags.splice(0..0, mark.map(|mark| mark as u8));
    }
    nags
}
