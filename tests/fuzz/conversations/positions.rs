//! Positions for conversations: built in, from `tests/data`, and random.

use super::super::cozy::CozyBoard;
use super::super::crowded::{castlers, crowd, ended};
use crate::data;
use cozy_chess::Board;
use lento_testing::Random;

/// Positions with rare features.
const KNOWN: &[&str] = &[
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
    "8/8/8/8/8/4k3/4p3/4K3 b - - 99 120",
    "4k3/8/8/8/8/8/8/4K2R w K - 98 70",
    "4k3/8/8/2RRR3/2RRR3/2R5/RRR5/7K b - - 0 1",
    "QQQQQQk1/QQQ5/8/8/8/8/8/K7 b - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    // No legal move: checkmate and stalemate.
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    // Draws that `go` still searches.
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/4KB2 b - - 140 200",
    // Chess960.
    "1r2k1r1/8/8/8/8/8/8/RK4R1 w KQkq - 0 1",
    "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w KQkq - 0 1",
    "2r1kr2/8/8/8/8/8/8/1R2K1R1 w GBfc - 0 1",
    // Extreme counters.
    "4k3/8/8/8/8/8/4P3/4K3 w - - 65535 65535",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 4294967295 4294967295",
    "4k3/8/8/8/8/8/4P3/4K3 w",
    "4k3/8/8/8/8/8/4P3/4K3",
];

/// Invalid FENs.
const BROKEN: &[&str] = &[
    "",
    "startpos",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/K3R3 w - - 0 1",
    "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
    "9/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0",
    "kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1",
];

/// Files with a FEN at the start of each line.
const FILES: [&str; 3] = ["epd/wac.epd", "epd/mate_in_3.epd", "perft.epd"];

pub struct Positions {
    valid: Vec<String>,
}

impl Positions {
    pub fn new() -> Self {
        let mut valid: Vec<String> = KNOWN.iter().map(|&fen| fen.into()).collect();
        for text in FILES.map(|file| data::text(data::path(file))) {
            let fen = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            valid.extend(text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(fen));
        }
        Self { valid }
    }

    /// The argument of `position`, without moves, and the resulting board.
    pub fn start(&self, random: &mut Random) -> (String, Option<Board>) {
        match random.below(11) {
            0..=3 => ("startpos".into(), Some(Board::startpos())),
            4 => {
                let board = Board::double_chess960_startpos(random.below(960) as u32, random.below(960) as u32);
                (format!("fen {board:#}"), Some(board))
            }
            5 => {
                let board = random.pick(&[crowd, castlers, ended])(random);
                (format!("fen {}", board.fen(true)), CozyBoard::new(&board).map(CozyBoard::into_board))
            }
            _ => {
                let fen = random.pick(&self.valid);
                let board = lento::chess::Board::from_fen(fen).ok();
                (format!("fen {fen}"), board.and_then(|board| CozyBoard::new(&board)).map(CozyBoard::into_board))
            }
        }
    }

    /// An invalid FEN.
    pub fn broken(&self, random: &mut Random) -> &'static str {
        random.pick::<&str>(BROKEN)
    }
}
