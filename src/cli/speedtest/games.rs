//! Positions of real games.

use crate::chess::Game;

/// Positions searched per game: consecutive ones of one side.
const IN_A_ROW: usize = 8;

/// Self-play games, each with the ply of its first position, from opening to endgame.
const GAMES: [(usize, &str); 5] = [
    (
        14,
        "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 f1e2 e7e6 a2a4 f8e7 c1e3 d8c7 a4a5 e8g8 d4b3 b8d7 d1d4 \
         d7e5 f2f4 e5g6 g2g3 c8d7 e1c1 d7c6",
    ),
    (
        24,
        "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8 c4d5 e6d5 f1d3 b8d7 g1f3 b7b6 e1g1 c8b7 d1c2 g7g6 a1d1 \
         a8c8 f3e5 d7e5 d4e5 f6d7 g5f4 c7c6 e3e4 d5d4 d3c4 c6c5 c2b3 a7a6 a2a4 e7h4 c3d5 f8e8",
    ),
    (
        30,
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 a4c6 d7c6 f1e1 f6d7 b2b3 e8g8 c1b2 f7f6 c2c3 a6a5 d2d4 \
         a5a4 b3a4 d7b6 d1b3 g8h8 d4e5 f6e5 c3c4 b6d7 b3c2 e7d6 b1d2 d8e7 b2c3 c6c5 a4a5 d7b8 a1b1 b8c6 b1b5 e7f7 \
         c2d3 f7h5",
    ),
    (
        46,
        "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8g8 f1e2 e7e5 d4e5 d6e5 e1g1 b8c6 c1g5 d8d1 f1d1 c8g4 h2h3 \
         g4f3 e2f3 c6d4 c3b5 c7c5 a2a4 h7h6 g5h4 f8d8 a1b1 b7b6 b1a1 a7a5 g1f1 d4b3 d1d8 a8d8 a1d1 d8d1 f3d1 b3d2 \
         f1e2 d2e4 e2e3 g8f8 d1c2 e4g5 b5a7 g5e6 a7c8 f6d7 g2g4 e6d4 c2e4 f7f5 g4f5 g6f5 e4a8 g7f6",
    ),
    (
        64,
        "c2c4 e7e5 b1c3 g8f6 g2g3 d7d5 c4d5 f6d5 f1g2 d5b6 e2e3 b8c6 g1e2 d8d3 f2f4 f7f6 f4e5 f6e5 a2a4 a7a5 c3b5 \
         e8d8 e1g1 c8g4 b5c3 d8c8 g2e4 d3d7 e4h7 f8c5 h7e4 c8b8 d1c2 d7e8 e4f5 e8h5 f1f2 g4f5 c2f5 h5h6 c3e4 h8f8 \
         f5g5 h6h7 f2f8 c5f8 e2c3 b6d5 d2d3 d5f6 c1d2 b8a7 a1f1 f6e4 c3e4 a8d8 g5f5 h7h6 e4f2 f8b4 d2b4 a5b4 f1e1 \
         h6d6 e1c1 c6a5 c1c2 c7c5 f5e4 b7b6 h2h4 d6e6 g3g4 e6b3 c2e2 b3a4 e4e5 a4d7",
    ),
];

/// The games, each as its positions with history.
pub fn games() -> Vec<Vec<Game>> {
    GAMES.iter().map(|(first, moves)| positions(*first, moves)).collect()
}

fn positions(first: usize, moves: &str) -> Vec<Game> {
    let mut game = Game::start();
    let mut found = Vec::new();
    for (plies, text) in moves.split_whitespace().map(Some).chain([None]).enumerate() {
        if plies >= first && (plies - first).is_multiple_of(2) {
            found.push(game.clone());
        }
        if let Some(mv) = text.and_then(|text| game.board().parse_uci(text, false)) {
            game.play(mv);
        }
    }
    found.truncate(IN_A_ROW);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_legal_and_positions_are_distinct() {
        let mut keys = Vec::new();
        for ((first, moves), positions) in GAMES.iter().zip(games()) {
            assert_eq!(positions.len(), IN_A_ROW);
            let plies = moves.split_whitespace().count();
            assert_eq!(plies, first + 2 * (IN_A_ROW - 1));
            let last = positions.last().expect("a position");
            // No move was skipped as illegal.
            assert_eq!(last.board().fullmove_number() as usize, plies / 2 + 1);
            assert!(positions.iter().all(|game| game.verdict().is_none()));
            keys.extend(positions.iter().map(|game| game.board().key()));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 5 * IN_A_ROW);
    }
}
