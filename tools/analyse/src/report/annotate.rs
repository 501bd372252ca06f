//! Annotated PGN in export format.
//!
//! Comments, glyphs and variations of the file are kept. Each move gets `[%eval 0.35,24]`, in pawns from White's view
//! with the depth, replacing any in the file. Dubious or worse moves get a glyph, unless the file has one, and the
//! engine's line as a further variation of at most [`LINE_PLIES`] plies.

use super::wrapped::Wrapped;
use super::{LINE_PLIES, Study, san_words};
use crate::pgn::{Part, Variation, parts};
use lento::chess::{Board, Move};

/// The seven tag roster with values for unknown.
pub const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];
/// Tags written last, mostly generated.
const LAST_TAGS: [&str; 7] = ["FEN", "SetUp", "Variant", "PlyCount", "WhiteAccuracy", "BlackAccuracy", "Annotator"];
/// Glyphs of move quality: `!`, `?`, `!!`, `??`, `!?`, `?!`.
const QUALITY: std::ops::RangeInclusive<u8> = 1..=6;

/// The game as PGN, followed by an empty line.
pub fn pgn(study: &Study) -> String {
    let mut moves = Wrapped::default();
    moves.comment(&comment_words(study.game.comment.as_deref(), true));
    for at in 0..study.game.moves.len() {
        ply(study, at, &mut moves);
    }
    moves.game(&tags(study), &study.game.result)
}

fn tags(study: &Study) -> Vec<(String, String)> {
    let game = study.game;
    let mut tags = Vec::new();
    let mut add = |name: &str, value: &str| tags.push((name.to_owned(), value.to_owned()));
    for (name, unknown) in ROSTER {
        add(name, if name == "Result" { game.result.as_str() } else { game.tag(name).unwrap_or(unknown) });
    }
    for (name, value) in &game.tags {
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let mut written = ROSTER.iter().map(|(own, _)| *own).chain(LAST_TAGS);
        if is_word && !written.any(|own| own.eq_ignore_ascii_case(name)) {
            add(name, value);
        }
    }
    if let Some(variant) = game.chess960.then_some("Chess960").or(game.tag("Variant")) {
        add("Variant", variant);
    }
    if game.start != Board::start() || game.chess960 {
        add("SetUp", "1");
        add("FEN", &game.start.fen(game.chess960));
    }
    add("PlyCount", &game.moves.len().to_string());
    add("Annotator", game.tag("Annotator").unwrap_or(concat!("Lento ", env!("CARGO_PKG_VERSION"))));
    for (name, side) in ["WhiteAccuracy", "BlackAccuracy"].into_iter().zip(&study.sides) {
        if let Some(side) = side {
            add(name, &format!("{:.1}", side.accuracy));
        }
    }
    tags
}

fn ply(study: &Study, at: usize, words: &mut Wrapped) {
    let (board, ply) = (&study.boards[at], &study.game.moves[at]);
    let depth = study.analysis(at + 1).map(|analysis| analysis.depth);
    let depth = depth.map_or_else(String::new, |depth| format!(",{depth}"));
    let own = study.values[at + 1].and_then(|value| value.pgn()).map(|value| format!("[%eval {value}{depth}]"));
    let mut comment = comment_words(ply.remarks.comment.as_deref(), own.is_none());
    comment.splice(0..0, own);
    words.played(board, ply.mv, at == 0, &nags(study, at));
    words.comment(&comment);
    ply.remarks.variations.iter().for_each(|other| variation(board, other, words));
    if let Some(line) = study.better_line(at)
        && !ply.remarks.variations.iter().any(|other| shows(other, line))
    {
        let better = san_words(board, line);
        if !better.is_empty() {
            words.open();
            better.iter().for_each(|word| words.word(word));
            let value = study.values[at].and_then(|value| value.pgn());
            words.comment(value.map(|value| format!("[%eval {value}]")).as_slice());
            words.close();
        }
    }
}

/// Writes a variation of the file.
fn variation(board: &Board, variation: &Variation, words: &mut Wrapped) {
    let mut board = board.clone();
    words.open();
    words.comment(&comment_words(variation.comment.as_deref(), true));
    for (at, played) in variation.moves.iter().enumerate() {
        words.played(&board, played.mv, at == 0, &played.remarks.nags);
        words.comment(&comment_words(played.remarks.comment.as_deref(), true));
        played.remarks.variations.iter().for_each(|other| self::variation(&board, other, words));
        board = played.after(&board);
    }
    words.close();
}

/// Whether a variation of the file starts with this line.
fn shows(variation: &Variation, line: &[Move]) -> bool {
    let shown = &line[..line.len().min(LINE_PLIES)];
    variation.moves.len() >= shown.len()
        && shown.iter().zip(&variation.moves).all(|(&mv, played)| played.mv == Some(mv))
}

/// The words of a comment, each command as one word; evaluations are dropped unless `with_values`.
pub fn comment_words(comment: Option<&str>, with_values: bool) -> Vec<String> {
    let mut words = Vec::new();
    for part in parts(comment.unwrap_or("")) {
        match part {
            Part::Text(text) => words.extend(text.split_whitespace().map(str::to_owned)),
            Part::Command(command) if with_values || !command.starts_with("eval") => {
                words.push(format!("[%{command}]"));
            }
            Part::Command(_) => {}
        }
    }
    words
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
