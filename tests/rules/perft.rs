//! Counts of move sequences against published ones, which were recounted with another engine.

use lento::chess::movegen::MoveList;
use lento::chess::perft::perft;
use lento::chess::{Board, Move};

/// A position and its counts from depth 1 on.
type Counts = (&'static str, &'static [u64]);

/// The positions everybody counts: the start and the five others of the Chess Programming Wiki's "Perft Results".
const CLASSICAL: [Counts; 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603, 193_690_690],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467, 422_333, 15_833_292]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487, 89_941_194]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594, 164_075_551],
    ),
];

/// Small boards on which one rule decides.
const SPECIAL: [Counts; 20] = [
    // En passant would uncover a check along the rank.
    ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", &[18, 92, 1_670, 10_138, 185_429, 1_134_888]),
    ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", &[6, 136, 863, 20_471, 117_741, 2_822_114]),
    // En passant would uncover a check along the diagonal.
    ("7k/8/8/8/3pP3/8/8/B5K1 b - e3 0 1", &[3, 27, 175, 1_908, 11_252]),
    // Two pawns may take en passant, castling for both sides.
    ("r3k2r/8/8/8/3pPp2/8/8/R3K1RR b KQkq e3 0 1", &[29, 829, 20_501, 624_871, 15_446_339]),
    // En passant gives check, and takes the man that gives it.
    ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", &[15, 126, 1_928, 13_931, 206_379, 1_440_467]),
    // Castling gives check, short and long.
    ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", &[15, 66, 1_198, 6_399, 120_330, 661_072]),
    ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", &[16, 71, 1_286, 7_418, 141_077, 803_711]),
    // Rights end with a captured rook; the king may not pass an attacked square.
    ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", &[26, 1_141, 27_826, 1_274_206]),
    ("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", &[44, 1_494, 50_509, 1_720_476]),
    // Promotion out of check, promotion that gives check, underpromotion that gives check.
    ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", &[11, 133, 1_442, 19_174, 266_199, 3_821_001]),
    ("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", &[9, 40, 472, 2_661, 38_983, 217_342]),
    ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", &[6, 27, 273, 1_329, 18_135, 92_683]),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", &[24, 496, 9_483, 182_838, 3_605_103]),
    // Discovered check, double check.
    ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", &[29, 165, 5_160, 31_961, 1_004_658]),
    ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", &[37, 183, 6_559, 23_527]),
    // Stalemate and mate end lines.
    ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", &[2, 6, 13, 63, 382, 2_217]),
    ("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", &[10, 25, 268, 926, 10_857, 43_261, 567_584]),
    // The most moves known, queens without pawns, and checks that no game leads to.
    ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", &[218, 99, 19_073]),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", &[26, 568, 13_744, 314_346, 7_594_526]),
    ("B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1", &[6, 106, 1_829, 31_151, 530_585]),
];

/// Chess960 middle games from the list that engine authors pass on, and small boards with odd castling.
const CHESS960: [Counts; 11] = [
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", &[21, 528, 12_189, 326_672, 8_146_062]),
    ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", &[21, 807, 18_002, 667_366, 16_253_601]),
    ("b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", &[20, 479, 10_471, 273_318, 6_417_013]),
    ("qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9", &[22, 593, 13_440, 382_958, 9_183_776]),
    (
        "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
        &[28, 1_120, 31_058, 1_171_749, 34_030_312],
    ),
    // King b1 and rook a1: the rook may be the only shield against a check along the rank.
    ("4k3/8/8/8/8/8/8/RK6 w A - 0 1", &[12, 53, 945, 5_549, 102_165, 590_581]),
    // King and rook change places.
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", &[13, 58, 1_033, 5_689, 105_989, 601_693]),
    // Rights of different files for White and Black, in check.
    ("r1k2r2/8/8/8/8/8/8/1R3K1R w HBfa - 0 1", &[4, 96, 2_211, 50_877, 1_206_477, 28_938_730]),
    ("1rk5/8/8/8/8/8/8/4RKR1 w GEb - 0 1", &[24, 271, 6_655, 97_259, 2_445_340, 36_928_343]),
    ("2r1kr2/8/8/8/8/8/8/1R2K1R1 w GBfc - 0 1", &[22, 501, 11_459, 264_663, 6_236_222]),
    ("rkr5/8/8/8/8/8/q7/RK5R w HAca - 0 1", &[1, 21, 544, 11_994, 289_624, 6_716_824]),
];

/// Double Fischer random: each side has its own start.
const DOUBLE_FISCHER: [Counts; 4] = [
    ("bbqrnkrn/pppppppp/8/8/8/8/PPPPPPPP/RKNBBNQR w HAgd - 0 1", &[20, 400, 9_020, 201_458, 5_012_427]),
    ("nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/BRKRNNQB w DBgb - 0 1", &[20, 360, 8_058, 165_476, 4_082_162]),
    ("rkr5/pppppppp/8/8/8/8/PPPPPPPP/5RKR w HFca - 0 1", &[22, 484, 10_698, 236_897, 5_262_168]),
    ("r1r3k1/1p4p1/8/2Pp4/8/8/1P4P1/1RK4R w HBca d6 0 1", &[22, 472, 9_988, 232_884, 5_150_139]),
];

fn assert_counts(counts: &[Counts]) {
    for &(fen, expected) in counts {
        let board = Board::from_fen(fen).unwrap();
        for (depth, &count) in (1..).zip(expected) {
            assert_eq!(perft(&board, depth), count, "{fen} at depth {depth}");
        }
    }
}

#[test]
fn classical_positions() {
    assert_counts(&CLASSICAL);
}

#[test]
fn special_moves() {
    assert_counts(&SPECIAL);
}

#[test]
fn chess960_and_double_fischer() {
    assert_counts(&CHESS960);
    assert_counts(&DOUBLE_FISCHER);
}

/// Counts with every list checked: noisy and quiet moves make up the legal ones, each once, and each is legal when
/// asked about alone.
fn perft_by_hand(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    board.generate::<true, false>(&mut noisy);
    board.generate::<false, true>(&mut quiet);
    assert!(noisy.iter().all(|mv| !mv.is_quiet()) && quiet.iter().all(|mv| mv.is_quiet()), "{board:?}");
    let mut parts: Vec<u16> = noisy.into_iter().chain(quiet).map(Move::word).collect();
    let mut whole: Vec<u16> = board.legal_moves().into_iter().map(Move::word).collect();
    parts.sort_unstable();
    whole.sort_unstable();
    assert_eq!(parts, whole, "{}", board.fen(true));
    whole.dedup();
    assert_eq!(parts.len(), whole.len(), "a move twice in {}", board.fen(true));
    assert_eq!(board.has_legal_move(), !whole.is_empty());
    let moves = whole.into_iter().filter_map(Move::from_word);
    moves
        .map(|mv| {
            assert!(board.is_legal(mv), "{} in {}", board.uci(mv, true), board.fen(true));
            perft_by_hand(&board.after(mv), depth - 1)
        })
        .sum()
}

#[test]
fn parts_of_the_generator_agree() {
    for counts in [&CLASSICAL[..], &SPECIAL, &CHESS960, &DOUBLE_FISCHER] {
        for &(fen, expected) in counts {
            let depth = expected.iter().take_while(|&&count| count < 150_000).count();
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(perft_by_hand(&board, depth as u32), expected[depth - 1], "{fen}");
        }
    }
}
