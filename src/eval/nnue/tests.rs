//! Compares the network with a plain reference implementation.

use super::architecture::{Architecture, Layer};
use super::features::KingBuckets;
use super::format::Parts;
use super::format::tests::random;
use super::simd::Simd;
use super::threats::{Pieces, Threats};
use super::trace::Trace;
use super::*;
use crate::chess::{Board, Color, Move, MoveDelta, Square};
use std::sync::Arc;

const DEPTH: usize = 12;

/// Castling on both wings, promotions, en passant, and Chess960 castling where king and rook swap or the rook stays.
const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/k1pPp2R/8/8/4P3/K7 w - c6 0 1",
    "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
    "5rkr/8/8/8/8/8/8/RK3R2 w FAhf - 0 1",
];

fn architecture(kings: &str) -> Architecture {
    // Some layouts have threat inputs.
    Architecture {
        hidden: 64,
        kings: KingBuckets::named(kings).unwrap(),
        threats: if kings == "three" { 0 } else { 32 },
        outputs: 8,
    }
}

/// Reference implementation.
fn reference(parts: &Parts, board: &Board) -> i32 {
    let Architecture { hidden, kings, .. } = parts.architecture;
    let bucket = parts.architecture.output_bucket(board.occupied().count() as usize);
    let (threats, reached) = (Threats::new(&Pieces::from(board)), parts.architecture.threats);
    let mut sum = 0_i64;
    for (half, color) in [board.side_to_move(), !board.side_to_move()].into_iter().enumerate() {
        let view = kings.view(color, board.king(color));
        for neuron in 0..hidden {
            let mut value = i64::from(parts[Layer::Biases][neuron]);
            for square in board.occupied() {
                let feature = view.feature(board.piece_on(square).unwrap(), square);
                value += i64::from(parts[Layer::Features][feature * hidden + neuron]);
            }
            if neuron < reached {
                let input = |input: &u8| usize::from(input ^ Threats::flip(color));
                value += threats
                    .inputs()
                    .iter()
                    .map(|own| i64::from(parts[Layer::Threats][input(own) * reached + neuron]))
                    .sum::<i64>();
            }
            let active = value.clamp(0, 255);
            sum += active * active * i64::from(parts[Layer::Outputs][(2 * bucket + half) * hidden + neuron]);
        }
    }
    let bias = i64::from(parts[Layer::OutputBiases][bucket]);
    // Both sides are summed before the single rounding.
    let output = sum / 255 + bias;
    (output * 400 / (255 * 128)) as i32
}

struct Walk {
    parts: Parts,
    accumulators: Accumulators,
    state: u64,
    compared: usize,
}

impl Walk {
    fn new(kings: &str, simd: Simd) -> Self {
        let parts = random(architecture(kings), 7);
        let network = Arc::new(Network::from_parts(&parts).unwrap());
        Self { parts, accumulators: Accumulators::new(network, simd, DEPTH + 1), state: 1, compared: 0 }
    }

    fn draw(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) as usize % count
    }

    /// Explores a few moves per position like a search: not all positions are evaluated, and lines share prefixes.
    fn explore(&mut self, board: &Board, ply: usize) {
        if self.draw(3) > 0 {
            self.compared += 1;
            let value = self.accumulators.evaluate(board, ply);
            assert_eq!(value, reference(&self.parts, board), "{}", board.fen(true));
        }
        if ply == DEPTH {
            return;
        }
        if self.draw(8) == 0 && !board.in_check() {
            let mut passed = board.clone();
            passed.pass();
            self.accumulators.pass(ply);
            self.explore(&passed, ply + 1);
        }
        let moves = board.legal_moves();
        // All special moves, and some of the others.
        let special = |mv: &Move| mv.is_castle() || mv.is_promotion() || mv.is_en_passant();
        let mut chosen: Vec<Move> = moves.iter().copied().filter(|mv| special(mv) && ply < 3).collect();
        for _ in 0..1 + usize::from(ply.is_multiple_of(4)) {
            chosen.extend(moves.get(self.draw(moves.len().max(1))));
        }
        for mv in chosen {
            self.accumulators.play(ply, &MoveDelta::of(board, mv));
            self.explore(&board.after(mv), ply + 1);
        }
    }
}

#[test]
fn incremental_updates_match_the_reference() {
    for kings in KingBuckets::NAMES {
        for simd in Simd::available() {
            let mut walk = Walk::new(kings, simd);
            for fen in STARTS {
                let board = Board::from_fen(fen).unwrap();
                walk.accumulators.start(&board);
                walk.explore(&board, 0);
            }
            assert!(walk.compared > 500, "{}", walk.compared);
        }
    }
}

#[test]
fn evaluation_is_symmetric() {
    let parts = random(architecture("six"), 3);
    let network = Arc::new(Network::from_parts(&parts).unwrap());
    let mut accumulators = Accumulators::new(network, Simd::best(), 1);
    let mut value = |fen: &str| {
        let board = Board::from_fen(fen).unwrap();
        accumulators.start(&board);
        (board.side_to_move(), accumulators.evaluate(&board, 0))
    };
    let white = value("4k3/pp3p2/8/2n5/8/3B4/PP4P1/1K6 w - - 0 1");
    let black = value("1k6/pp4p1/3b4/8/2N5/8/PP3P2/4K3 b - - 0 1");
    let mirrored = value("3k4/2p3pp/8/5n2/8/4B3/1P4PP/6K1 w - - 0 1");
    assert_eq!((white.0, black.0), (Color::White, Color::Black));
    assert_eq!(white.1, black.1);
    assert_eq!(white.1, mirrored.1);
    assert_ne!(white.1, value("4k3/pp3p2/8/2n5/8/3B4/PP4P1/1K6 b - - 0 1").1);
}

#[test]
fn embedded_network_is_valid_and_shared() {
    let network = embedded();
    assert!(Arc::ptr_eq(&network, &embedded()));
    let mut accumulators = Accumulators::new(network, Simd::best(), 1);
    let mut value = |fen: &str| {
        let board = Board::from_fen(fen).unwrap();
        accumulators.start(&board);
        accumulators.evaluate(&board, 0)
    };
    let start = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(start.abs() < 100, "{start}");
    let queen_up = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let queen_down = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1");
    assert!(queen_up > 400 && queen_down < -400, "{queen_up} {queen_down}");
}

#[test]
fn trace_matches_the_evaluation() {
    let parts = random(architecture("three"), 5);
    let network = Network::from_parts(&parts).unwrap();
    for fen in STARTS {
        let board = Board::from_fen(fen).unwrap();
        let trace = Trace::new(&network, Simd::best(), &board);
        let sign = board.side_to_move().sign();
        assert_eq!(trace.value(), reference(&parts, &board) * sign);
        let (buckets, chosen) = (&trace.buckets, trace.bucket);
        assert_eq!((buckets.len(), buckets[chosen]), (8, trace.value()));
        assert_eq!(trace.worth(board.king(Color::White)), None);
        let text = trace.to_string();
        assert!(text.contains(&format!("{:>+8}  <- counts here", trace.value())), "{text}");
    }
    // A piece's worth is the loss of value without it; here the output bucket stays the same.
    let (with, without) = ("4k3/pp3p1p/8/2n5/8/3B4/PP4P1/1K6 w - - 0 1", "4k3/pp3p1p/8/2n5/8/8/PP4P1/1K6 w - - 0 1");
    let [with, without] = [with, without].map(|fen| Trace::new(&network, Simd::best(), &Board::from_fen(fen).unwrap()));
    assert_eq!(with.worth(Square::D3), Some(with.value() - without.value()));
}
