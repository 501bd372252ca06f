//! Random games and their positions, for tests.

use crate::formats::{packed, viri};
use bulletformat::ChessBoard;
use lento::chess::{Board, Color, Game, PieceType};
use lento_common::play::{Ending, GameResult, Ply, Record, by_rules};

/// A win for the side more than 150 centipawns ahead; the score is from White's point of view.
fn result(score: i32) -> GameResult {
    match score {
        ..-150 => GameResult::BlackWins,
        -150..=150 => GameResult::Draw,
        _ => GameResult::WhiteWins,
    }
}

/// Random games. Prefers safe captures, so that games reach all phases. The side with more material at the end wins.
pub fn games(count: usize, seed: u64) -> Vec<Record> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| play(&mut random)).collect()
}

fn play(random: &mut fastrand::Rng) -> Record {
    let mut game = Game::start();
    let start = game.board().clone();
    let mut plies = Vec::new();
    let length = random.usize(40..160);
    let (result, ending) = loop {
        if let Some(verdict) = game.verdict() {
            break by_rules(&game, verdict);
        }
        let board = game.board();
        let score = material(board) * board.side_to_move().sign();
        if plies.len() == length {
            break (result(score * board.side_to_move().sign()), Ending::Length);
        }
        let moves = board.legal_moves();
        let safe_captures: Vec<_> = moves.iter().filter(|&&mv| mv.is_capture() && board.see_ge(mv, 0)).collect();
        let mv = match safe_captures.as_slice() {
            [] => moves[random.usize(..moves.len())],
            some if random.u8(..4) > 0 => *some[random.usize(..some.len())],
            _ => moves[random.usize(..moves.len())],
        };
        plies.push(Ply { score, ..Ply::new(mv) });
        game.play(mv);
    };
    Record { start, plies, result, ending }
}

/// The games as the content of a file.
pub fn bytes(games: &[Record]) -> Vec<u8> {
    games.iter().flat_map(|game| viri::to_bytes(game).unwrap()).collect()
}

/// Piece values in centipawns.
const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// Material balance in centipawns from White's point of view.
fn material(board: &Board) -> i32 {
    let count = |color, kind| (board.kind(kind) & board.color(color)).count() as i32;
    let of = |color| PieceType::ALL.map(|kind| count(color, kind) * VALUES[kind.index()]).iter().sum::<i32>();
    of(Color::White) - of(Color::Black)
}

/// Positions of random games scored by material, with matching results.
pub fn positions(games: usize, seed: u64) -> Vec<ChessBoard> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut positions = Vec::new();
    for game in self::games(games, seed) {
        let mut board = game.start;
        for ply in game.plies {
            let score = material(&board);
            positions.push(packed::pack(&board, score, result(score)));
            board = board.after(ply.mv);
        }
    }
    random.shuffle(&mut positions);
    positions
}

/// The positions as the content of a file.
pub fn packed_bytes(positions: &[ChessBoard]) -> Vec<u8> {
    positions.iter().flat_map(packed::to_bytes).collect()
}
