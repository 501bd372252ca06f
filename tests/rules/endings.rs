//! Game results and legal moves in positions where a single rule decides.

use crate::data;
use lento::chess::{Board, Game, Verdict};

/// The words of a column; `-` is empty.
fn words(column: &str) -> impl Iterator<Item = &str> {
    column.split(' ').filter(|word| *word != "-")
}

fn verdict(name: &str) -> Option<Verdict> {
    match name {
        "ongoing" => None,
        "checkmate" => Some(Verdict::Checkmate),
        "stalemate" => Some(Verdict::Stalemate),
        "insufficient" => Some(Verdict::Insufficient),
        "threefold" => Some(Verdict::Threefold),
        "fifty" => Some(Verdict::Fifty),
        other => panic!("verdict {other}"),
    }
}

#[test]
fn results_and_legal_moves_follow_the_rules() {
    for row in data::rows(data::path("rules.tsv")) {
        let [fen, moves, result, expected, count, legal, illegal] = &row[..] else { panic!("{row:?}") };
        let mut game = if fen == "startpos" { Game::start() } else { Game::from_fen(fen).unwrap() };
        // Shredder-FEN castling rights imply Chess960 notation.
        let rights = fen.split(' ').nth(2).unwrap_or("-");
        let chess960 = rights.contains(|letter: char| !"KQkq-".contains(letter));
        for text in words(moves) {
            let mv = game.board().parse_uci(text, chess960);
            game.play(mv.unwrap_or_else(|| panic!("{text} is not legal in {row:?}")));
        }
        let board = game.board();
        assert_eq!(game.verdict(), verdict(result), "{row:?}");
        assert!(
            expected == "-" || Board::from_fen(expected).unwrap().fen(false) == board.fen(false),
            "{row:?}: {}",
            board.fen(false)
        );
        assert!(
            count == "-" || *count == board.legal_moves().len().to_string(),
            "{row:?}: {}",
            board.legal_moves().len()
        );
        for text in words(legal) {
            assert!(board.parse_uci(text, chess960).is_some(), "{text} is refused: {row:?}");
        }
        for text in words(illegal) {
            assert!(board.parse_uci(text, chess960).is_none(), "{text} is accepted: {row:?}");
        }
    }
}
