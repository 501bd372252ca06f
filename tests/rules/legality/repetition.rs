//! Repetitions and upcoming repetitions compared with plain counting.

use super::games::choose;
use fastrand::Rng;
use lento::chess::{Game, PieceType};

/// Endgames with room to shuffle.
const ENDGAMES: [&str; 8] = [
    "8/8/8/4k3/8/8/4K3/R7 w - - 0 1",
    "8/8/3k4/8/8/8/3K4/Q6r w - - 0 1",
    "8/5k2/8/2n5/5B2/8/2K5/8 w - - 0 1",
    "7k/r7/8/8/8/8/R7/K7 w - - 0 1",
    "k7/p1p5/P1P5/8/8/5p1p/5P1P/7K w - - 0 1",
    "8/8/k7/b1b5/8/5N1N/7K/8 w - - 0 1",
    "rk6/pppppppp/8/8/8/8/PPPPPPPP/6KR w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
];

/// Calls `visit` for positions of random games that avoid captures and pawn moves where possible and often move a piece back.
fn shuffle(games: usize, seed: u64, mut visit: impl FnMut(&Game, &mut Rng)) {
    let mut random = Rng::with_seed(seed);
    for round in 0..games {
        let mut game = Game::from_fen(ENDGAMES[round % ENDGAMES.len()]).unwrap();
        let mut played = Vec::new();
        for _ in 0..80 {
            visit(&game, &mut random);
            let board = game.board();
            let moves = board.legal_moves();
            let shuffling: Vec<_> = moves
                .iter()
                .copied()
                .filter(|mv| mv.is_quiet() && !board.kind(PieceType::Pawn).has(mv.from()))
                .collect();
            let back =
                played.len().checked_sub(2).map(|index: usize| played[index]).and_then(|mv: lento::chess::Move| {
                    shuffling.iter().copied().find(|other| (other.from(), other.to()) == (mv.to(), mv.from()))
                });
            let mv = match back {
                Some(mv) if random.u8(..3) == 0 => mv,
                _ if !shuffling.is_empty() => shuffling[random.usize(..shuffling.len())],
                _ if !moves.is_empty() => choose(&mut random, &moves),
                _ => break,
            };
            played.push(mv);
            game.play(mv);
        }
    }
}

#[test]
fn repetitions_match_plain_counting() {
    let mut found = 0;
    shuffle(400, 0x5245_5045, |game, random| {
        let (keys, key) = (game.earlier_keys(), game.board().key());
        let ply = random.usize(..keys.len() + 8);
        let root = keys.len().saturating_sub(ply);
        let since_root = keys[root..].contains(&key);
        let before_root = keys[..root].iter().filter(|&&earlier| earlier == key).count();
        let expected = since_root || before_root >= 2;
        assert_eq!(game.board().is_repetition(keys, ply), expected, "{} at ply {ply}", game.board().fen(true));
        found += u32::from(expected);
    });
    assert!(found > 1000, "{found}");
}

#[test]
fn upcoming_repetitions_match_all_moves() {
    let mut found = 0;
    shuffle(400, 0x5550_434F, |game, random| {
        let board = game.board();
        let ply = random.usize(..game.earlier_keys().len() + 8);
        let mut keys = game.earlier_keys().to_vec();
        keys.push(board.key());
        let expected = board.legal_moves().into_iter().any(|mv| {
            let after = board.after(mv);
            after.reversible_plies() > 0 && after.is_repetition(&keys, ply + 1)
        });
        let seen = board.has_upcoming_repetition(game.earlier_keys(), ply);
        assert_eq!(seen, expected, "{} at ply {ply} of {}", board.fen(true), keys.len() - 1);
        found += u32::from(expected);
    });
    assert!(found > 1000, "{found}");
}
