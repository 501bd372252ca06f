//! Documents as games of PGN.

use super::document::Document;
use crate::pgn::{PgnGame, PgnMove, Remarks, Variation};
use crate::report::write;

/// The document in export format, followed by an empty line.
pub fn pgn(document: &Document) -> String {
    write::pgn(&game(document))
}

/// The game of a document with its tags for export.
pub fn game(document: &Document) -> PgnGame {
    let mut game = PgnGame {
        tags: document.tags.clone(),
        chess960: document.chess960,
        start: document.nodes[0].board.clone(),
        comment: comment(document, 0),
        moves: line(document, 0),
        result: document.result.into(),
    };
    game.tags = write::tags(&game);
    game
}

/// The moves after a node, with their variations.
fn line(document: &Document, mut at: usize) -> Vec<PgnMove> {
    let mut moves = Vec::new();
    while let Some((&main, others)) = document.nodes[at].children.split_first() {
        let variation = |&other: &usize| {
            let mut moves = vec![played(document, other)];
            moves.extend(line(document, other));
            Variation { comment: document.nodes[other].notes.before.clone(), moves }
        };
        let mut next = played(document, main);
        next.remarks.variations = others.iter().map(variation).collect();
        moves.push(next);
        at = main;
    }
    moves
}

fn played(document: &Document, at: usize) -> PgnMove {
    let node = &document.nodes[at];
    let remarks = Remarks { nags: node.notes.nags.clone(), comment: comment(document, at), variations: Vec::new() };
    PgnMove { mv: node.mv, remarks }
}

fn comment(document: &Document, at: usize) -> Option<String> {
    Some(document.nodes[at].notes.words().join(" ")).filter(|words| !words.is_empty())
}
