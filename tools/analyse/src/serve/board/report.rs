//! Reports of searched games.

use super::document::Document;
use super::read::document;
use super::write;
use crate::database::Analysis;
use crate::report::accuracy::Side;
use crate::report::{AnalysedGame, Study, annotate};
use serde_json::{Value, json};

/// The document of a game with marks, evaluations and better lines, and the data of its graph: `moves` in UCI; for each position
/// White's `expected` score and the score as `text`, if known; the `marks` of the moves; both `sides`.
pub fn report(game: &Document, analyses: Vec<Option<Analysis>>) -> (Document, Value) {
    let mut analysed = AnalysedGame { pgn: write::game(game), analyses };
    analysed.pgn.chess960 |= analysed.pgn.start.needs_chess960();
    // One per position.
    analysed.analyses.resize(analysed.pgn.moves.len() + 1, None);
    let study = Study::new(&analysed);
    let chess960 = study.game.chess960;
    let moves = study.game.moves.iter().zip(&study.boards);
    let moves = moves.map(|(ply, board)| ply.mv.map_or_else(|| "0000".into(), |mv| board.uci(mv, chess960)));
    let mark = |at: usize| study.moves[at].and_then(|judged| judged.mark).map_or(0, |mark| mark as u8);
    let values = || study.values.iter().copied();
    let side = |side: Side| json!({ "moves": side.moves, "accuracy": side.accuracy, "loss": side.centipawns, "marks": side.marks });
    let found = analysed.analyses.iter().flatten().count();
    let data = json!({
        "moves": moves.collect::<Vec<String>>(),
        "expected": values().map(|value| value.map(|value| (1000.0 * value.expected).round() / 1000.0)).collect::<Vec<_>>(),
        "text": values().map(|value| value.map(|value| value.text())).collect::<Vec<_>>(),
        "marks": (0..study.moves.len()).map(mark).collect::<Vec<_>>(),
        "sides": study.sides.map(|known| known.map(side)),
        "found": found,
    });
    (document(annotate::annotated(&study)).0, data)
}
