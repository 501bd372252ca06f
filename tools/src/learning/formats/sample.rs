//! Games for tests: random playouts, scored by the evaluation.

use super::convert::{to_viri_board, to_viri_move};
use crate::play::record::{Ending, GameResult, Ply, Record, by_rules};
use lento::chess::Game;
use lento::eval::Classical;
use std::path::{Path, PathBuf};
use viriformat::chess::board::{DrawType, GameOutcome, WinType};
use viriformat::dataformat::Game as ViriGame;

/// A folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder for the test of this name.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lento-data-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Random games: captures are played more often than not, so that all phases are reached. Who stands better at the end
/// wins.
pub fn games(count: usize, seed: u64) -> Vec<Record> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut evaluator = Classical::new();
    (0..count).map(|_| play(&mut random, &mut evaluator)).collect()
}

fn play(random: &mut fastrand::Rng, evaluator: &mut Classical) -> Record {
    let mut game = Game::start();
    let start = game.board().clone();
    let mut plies = Vec::new();
    let length = random.usize(40..160);
    let (result, ending) = loop {
        if let Some(verdict) = game.verdict() {
            break by_rules(&game, verdict);
        }
        let board = game.board();
        let score = evaluator.evaluate(board);
        if plies.len() == length {
            let white = score * board.side_to_move().sign();
            let result = match white {
                ..-150 => GameResult::BlackWins,
                -150..=150 => GameResult::Draw,
                _ => GameResult::WhiteWins,
            };
            break (result, Ending::Length);
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

/// The games as a file holds them.
pub fn bytes(games: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for game in games {
        let mut viri = ViriGame::new(&to_viri_board(&game.start).unwrap());
        let mut board = game.start.clone();
        for ply in &game.plies {
            let white = ply.score * board.side_to_move().sign();
            viri.add_move(to_viri_move(ply.mv), i16::try_from(white).unwrap());
            board = board.after(ply.mv);
        }
        viri.set_outcome(match game.result {
            GameResult::WhiteWins => GameOutcome::WhiteWin(WinType::Adjudication),
            GameResult::Draw => GameOutcome::Draw(DrawType::Adjudication),
            GameResult::BlackWins => GameOutcome::BlackWin(WinType::Adjudication),
        });
        viri.serialise_into(&mut bytes).unwrap();
    }
    bytes
}
