//! Documents as PGN.

use super::document::Document;
use crate::pgn::names_chess960;
use crate::report::{ROSTER, Wrapped, comment_words};

/// Maximum words of a comment, since readers truncate long ones.
const MAX_COMMENT: usize = 1000;

/// The document in export format, followed by an empty line.
pub fn pgn(document: &Document) -> String {
    let mut words = Wrapped::default();
    comment(&document.nodes[0].notes.words(), &mut words);
    line(document, 0, true, &mut words);
    words.game(&tags(document), document.result)
}

/// The roster, then other tags in order; those of the start position last.
fn tags(document: &Document) -> Vec<(String, String)> {
    let mut tags: Vec<(String, String)> = Vec::new();
    for (name, unknown) in ROSTER {
        let value = if name == "Result" { document.result } else { document.tag(name).unwrap_or(unknown) };
        tags.push((name.into(), value.into()));
    }
    let is_variant = |name: &str| name.eq_ignore_ascii_case("Variant");
    for (name, value) in &document.tags {
        let is_other = !ROSTER.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        // The variant must match the moves.
        if is_other && (!is_variant(name) || names_chess960(value) == document.chess960) {
            tags.push((name.clone(), value.clone()));
        }
    }
    if document.chess960 && !tags.iter().any(|(name, _)| is_variant(name)) {
        tags.push(("Variant".into(), "Chess960".into()));
    }
    if document.has_start() {
        tags.push(("SetUp".into(), "1".into()));
        tags.push(("FEN".into(), document.nodes[0].board.fen(document.chess960)));
    }
    tags
}

/// Writes the moves after a node, with their variations.
fn line(document: &Document, mut at: usize, mut first: bool, words: &mut Wrapped) {
    while let Some((&main, others)) = document.nodes[at].children.split_first() {
        played(document, at, main, first, words);
        first = false;
        for &other in others {
            words.open();
            comment(&comment_words(document.nodes[other].notes.before.as_deref(), true), words);
            played(document, at, other, true, words);
            line(document, other, false, words);
            words.close();
        }
        at = main;
    }
}

/// Writes a comment; splits a long one into several, which readers join.
fn comment(text: &[String], words: &mut Wrapped) {
    text.chunks(MAX_COMMENT).for_each(|chunk| words.comment(chunk));
}

/// Writes a move with its annotations.
fn played(document: &Document, at: usize, next: usize, first: bool, words: &mut Wrapped) {
    let node = &document.nodes[next];
    words.played(&document.nodes[at].board, node.mv, first, &node.notes.nags);
    comment(&node.notes.words(), words);
}
