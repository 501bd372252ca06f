//! Tests of the whole evaluation: symmetry, consistency of trace and play, scale, and each term in isolation.

use super::*;
use crate::chess::{PieceType, Square};

/// Assorted positions, middlegames first.
const POSITIONS: [&str; 24] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bqk2r/pp2bppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R w KQkq - 4 8",
    "r2q1rk1/1b1nbppp/pp1ppn2/8/2PNP3/2N1B3/PP2BPPP/R2Q1RK1 b - - 3 12",
    "2rq1rk1/pb2bppp/1pn1pn2/8/2BP4/P1N1BN2/1P2QPPP/2RR2K1 w - - 1 15",
    "r1b2rk1/ppq1bppp/2n1pn2/3p2B1/3N4/1BN1P3/PPP2PPP/R2Q1RK1 b - - 0 11",
    "r4rk1/pp1bqppp/2n1pn2/1B1p2B1/3P4/P1P2N2/5PPP/R2QR1K1 w - - 2 16",
    "3r1rk1/p3qppp/1pn1b3/2p1p3/4P3/1PP2N1P/P1Q1BPP1/R2R2K1 b - - 1 19",
    "r1bqr1k1/pp1n1pbp/2pp1np1/4p3/2PPP3/2N1BN2/PP2BPPP/R2Q1RK1 w - - 0 10",
    "2kr3r/ppp2ppp/2n1b3/2b1P3/4n1P1/2P2N1P/PPB2P2/RNB2RK1 b - - 0 14",
    "r1bq1rk1/3nbppp/p2ppn2/1p4B1/3NPP2/2N2Q2/PPP3PP/2KR1B1R w - - 2 11",
    "6k1/5p1p/3Q2p1/8/3pP3/2q4P/5PP1/6K1 w - - 3 35",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/pp3k2/2p2p2/3p1P2/3P1K2/2P5/PP6/8 b - - 0 40",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r3r1k1/2p2ppp/p1p1bn2/8/1q2P3/2NPQN2/PPP3PP/R4RK1 b - - 2 15",
    "1rbqk1nr/p3ppbp/2np2p1/2p5/1p2PP2/3PB1P1/PPPQ2BP/R2NK1NR b KQk - 0 1",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "8/6pk/1p6/8/PP3p1p/5P2/4KP1q/3Q4 w - - 0 1",
    "5rr1/4n2k/4q2P/P1P2n2/3B1p2/4pP2/2N1P3/1RR1K2Q w - - 1 49",
    "3b4/5kp1/1p1p1p1p/pP1PpP1P/P1P1P3/3KN3/8/8 w - - 0 1",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    "7k/3p2pp/4q3/8/4Q3/5Kp1/P6b/8 w - - 0 1",
];

/// The position with colors and ranks mirrored.
fn mirrored(fen: &str) -> String {
    let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    fields[0] =
        fields[0].split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect::<Vec<String>>().join("/");
    fields[1] = if fields[1] == "w" { "b" } else { "w" }.to_owned();
    fields[2] = if fields[2] == "-" { "-".to_owned() } else { fields[2].chars().map(swap).collect() };
    fields.join(" ")
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

fn trace(board: &Board) -> Trace {
    Classical::default().trace(board)
}

fn balance(trace: &Trace, term: Term) -> Pair {
    trace.value(term, Color::White) - trace.value(term, Color::Black)
}

/// Evaluation from White's view.
fn white(fen: &str) -> Score {
    trace(&board(fen)).score
}

/// A term's value for White in two positions.
fn both(term: Term, with: &str, without: &str) -> (Pair, Pair) {
    let value = |fen| trace(&board(fen)).value(term, Color::White);
    (value(with), value(without))
}

/// A term's gain for White from the second position to the first.
fn gain(term: Term, with: &str, without: &str) -> Pair {
    let (with, without) = both(term, with, without);
    with - without
}

/// Positions reached by a few pseudo-random moves.
fn many_boards() -> Vec<Board> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut boards = Vec::new();
    for fen in POSITIONS {
        let mut board = board(fen);
        for _ in 0..60 {
            boards.push(board.clone());
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board = board.after(moves[random.usize(..moves.len())]);
        }
    }
    boards
}

#[test]
fn evaluation_is_symmetric() {
    let mut classical = Classical::default();
    for original in many_boards() {
        let fen = original.fen(false);
        let mirror = board(&mirrored(&fen));
        assert_eq!(classical.evaluate(&original), classical.evaluate(&mirror), "{fen}");
        let (a, b) = (classical.trace(&original), classical.trace(&mirror));
        for (row, [white, black]) in a.rows.into_iter().enumerate().filter(|(row, _)| *row != Term::Initiative as usize)
        {
            assert_eq!([black, white], b.rows[row], "row {row} in {fen}");
        }
        assert_eq!(balance(&a, Term::Initiative), balance(&b, Term::Initiative) * -1, "{fen}");
    }
}

#[test]
fn trace_terms_and_evaluation_agree() {
    let mut warm = Classical::default();
    for board in many_boards() {
        let score = Classical::default().evaluate(&board);
        assert_eq!(warm.evaluate(&board), score);
        assert_eq!(warm.evaluate(&board), score);
        let trace = warm.trace(&board);
        assert_eq!(trace.score * board.side_to_move().sign(), score);
        let sum = trace.rows.iter().fold(Pair::ZERO, |sum, &[white, black]| sum + white - black);
        assert_eq!(sum, trace.sum, "{}", board.fen(false));
        let terms = warm.terms(&board);
        for color in Color::ALL {
            let passed = trace.value(Term::Passed, color).taper(trace.phase);
            assert_eq!(terms.passed[color], passed);
            let king = trace.value(Term::Shelter, color) + trace.value(Term::Danger, color);
            assert_eq!(terms.king_safety[color], king.taper(trace.phase));
        }
    }
}

#[test]
fn advantages_have_usual_values() {
    let base = white("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(base > 0 && base < 50, "the first move: {base}");
    // A middlegame with all pieces developed, and White's removed one by one.
    let full = "r2q1rk1/pp2bppp/2n1bn2/8/8/2N1BN2/PP2BPPP/R2Q1RK1 w - - 0 12";
    let even = white(full);
    for (pieces, less, low, high) in [
        ("R2Q1RK1", "R4RK1", 880, 1130),
        ("R2Q1RK1", "3Q1RK1", 400, 580),
        ("PP2BPPP", "PP3PPP", 340, 450),
        ("2N1BN2", "4BN2", 300, 430),
        ("PP2BPPP", "P3BPPP", 70, 150),
    ] {
        let worth = even - white(&full.replace(pieces, less));
        assert!((low..=high).contains(&worth), "{less} for {pieces}: {worth}");
    }
    let worth = base - white("rnbqkbnr/pppppppp/8/8/8/8/PPPPP1PP/RNBQKBNR w KQkq - 0 1");
    assert!((50..=160).contains(&worth), "a pawn: {worth}");
    let rook_ending = white("4r1k1/pp3pp1/7p/8/8/7P/PP2RPP1/6K1 w - - 0 1");
    let pawn_up = white("4r1k1/p4pp1/7p/8/8/7P/PP2RPP1/6K1 w - - 0 1") - rook_ending;
    assert!((70..=190).contains(&pawn_up), "a pawn in a rook ending: {pawn_up}");
}

#[test]
fn scores_fade_towards_the_fifty_move_draw_and_stay_bounded() {
    let fresh = white("4k3/5p2/8/8/8/8/PP1R1P2/4K3 w - - 0 1");
    let stale = white("4k3/5p2/8/8/8/8/PP1R1P2/4K3 w - - 90 60");
    assert!(stale < fresh && stale > fresh / 2 - 1);
    let most = board("8/k7/PP6/PP5R/8/1QQQQ3/8/KRBB1NN1 b - - 0 1");
    let score = Classical::default().evaluate(&most);
    assert!((-MAX_EVAL..-7000).contains(&score));
}

#[test]
fn material_and_imbalance() {
    let with = "4k3/pppppppp/8/8/8/8/PPPPPPPP/2B1KB2 w - - 0 1";
    let without = "4k3/pppppppp/8/8/8/8/PPPPPPPP/2B1K3 w - - 0 1";
    assert_eq!(gain(Term::Material, with, without), w::MATERIAL[2]);
    assert_eq!(gain(Term::Imbalance, with, without), w::BISHOP_PAIR);
    // Knights gain from eight pawns, rooks do not.
    let knight = "4k3/pppppppp/8/8/8/8/PPPPPPPP/1N2K3 w - - 0 1";
    let rook = "4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w - - 0 1";
    assert_eq!(gain(Term::Imbalance, knight, rook), w::KNIGHT_PAWNS * 3 - w::ROOK_PAWNS * 3);
}

#[test]
fn piece_squares() {
    let center = "4k3/8/8/8/3N4/8/PPP5/4K3 w - - 0 1";
    let corner = "4k3/8/8/8/8/8/PPP5/N3K3 w - - 0 1";
    let gain = gain(Term::PieceSquare, center, corner);
    let [d4, a1] = [Square::D4, Square::A1].map(|square| w::square(Color::White, PieceType::Knight, square));
    assert_eq!(gain, d4 - a1);
    assert!(gain.mg() > 20 && gain.eg() > 20, "{gain:?}");
}

#[test]
fn isolated_doubled_and_backward_pawns() {
    let pawns = |fen: &str| trace(&board(fen)).value(Term::Pawns, Color::White);
    let rook = |pieces: &str| format!("r3k3/{pieces}/R3K3 w - - 0 1");
    // One pawn on a4, opposed.
    assert_eq!(pawns(&rook("p7/8/8/8/P7/8")), Pair::ZERO + w::ISOLATED);
    // Two on the d file, opposed: isolated both, the rear one doubled.
    assert_eq!(pawns(&rook("3p4/8/8/3P4/3P4/8")), w::ISOLATED * 2 + w::DOUBLED);
    // Unopposed but stopped by pawns beside: isolated on an open file.
    assert_eq!(pawns(&rook("2p1p3/2p1p3/8/8/3P4/8")), w::ISOLATED + w::ISOLATED_OPEN);
    // d3 defends c4 and can't advance past e5: backward, worse with no enemy pawn ahead.
    assert_eq!(pawns(&rook("2pp4/8/4p3/2P5/3P4/8")), w::SUPPORTED[3] + w::BACKWARD);
    assert_eq!(pawns(&rook("2p5/8/4p3/2P5/3P4/8")), w::SUPPORTED[3] + w::BACKWARD + w::BACKWARD_OPEN);
    assert_eq!(pawns(&rook("2pp4/4p3/8/2P5/3P4/8")), w::SUPPORTED[3]);
}

#[test]
fn connected_and_candidate_pawns() {
    let pawns = |pieces: &str| trace(&board(&format!("r3k3/{pieces}/R3K3 w - - 0 1"))).value(Term::Pawns, Color::White);
    assert_eq!(pawns("ppp5/8/8/PP6/8/8"), w::PHALANX[3] * 2);
    assert_eq!(pawns("ppp5/8/8/1P6/P7/8"), w::SUPPORTED[3]);
    // Two against one: no pawn ahead of the b pawn, and no fewer supporters than stoppers.
    assert_eq!(pawns("p7/8/8/PP6/8/8"), w::PHALANX[3] * 2 + w::CANDIDATE[3]);
}

#[test]
fn passed_pawns() {
    let passed = |fen: &str| trace(&board(fen)).value(Term::Passed, Color::White);
    assert_eq!(passed("r3k3/1p6/8/8/8/8/P7/R3K3 w - - 0 1"), Pair::ZERO);
    assert_eq!(passed("r3k3/3p4/8/8/8/8/1P6/R3K3 w - - 0 1"), w::PASSED[1]);
    // The further, the better.
    let on = |rank: usize| {
        let mut ranks = ["8"; 8];
        ranks[0] = "n3k3";
        ranks[7] = "N3K3";
        ranks[7 - rank] = "7P";
        passed(&format!("{} w - - 0 1", ranks.join("/"))).eg()
    };
    for rank in 1..6 {
        assert!(on(rank) < on(rank + 1), "rank index {rank}: {} {}", on(rank), on(rank + 1));
    }
    // The enemy king far away, the own king near.
    assert!(gain(Term::Passed, "k6r/8/8/7P/8/8/8/1R4K1 w - - 0 1", "7r/6k1/8/7P/8/8/8/1R4K1 w - - 0 1").eg() > 20);
    assert!(gain(Term::Passed, "k7/8/6K1/7P/8/8/8/1R5r w - - 0 1", "k7/8/8/7P/8/8/2K5/1R5r w - - 0 1").eg() > 10);
    // A blockader, an enemy rook behind, a neighbour that is passed too.
    assert!(gain(Term::Passed, "k7/7n/7P/8/8/8/8/1RK5 w - - 0 1", "k7/n7/7P/8/8/8/8/1RK5 w - - 0 1").eg() < -40);
    let against = gain(Term::Passed, "k7/8/8/8/8/7P/8/1K2R2r w - - 0 1", "k7/8/8/8/8/7P/6r1/1K2R3 w - - 0 1");
    assert_eq!(against, w::PASSED_ROOK_AGAINST);
    let connected = gain(Term::Passed, "k3r3/8/8/8/8/6PP/8/1RK5 w - - 0 1", "k3r3/8/8/8/8/5P1P/8/1RK5 w - - 0 1");
    assert_eq!(connected, w::PASSED_CONNECTED[2] * 2);
}

#[test]
fn a_pawn_that_outruns_the_king() {
    let near = "8/8/4k3/p6P/8/8/P7/K7 w - - 0 1";
    let far = "8/1k6/8/p6P/8/8/P7/K7 w - - 0 1";
    let unstoppable = |fen| trace(&board(fen)).value(Term::Passed, Color::White).eg() > w::PASSED_UNSTOPPABLE.eg();
    assert!(unstoppable(far));
    assert!(!unstoppable(near));
    // From d7 the king catches the pawn only if it moves first.
    assert!(unstoppable("8/3k4/8/p6P/8/8/P7/K7 w - - 0 1"));
    assert!(!unstoppable("8/3k4/8/p6P/8/8/P7/K7 b - - 0 1"));
}

#[test]
fn mobility() {
    // The same knight; pawns guard c6 and e6, or not.
    let open = "3rk3/p6p/8/8/3N4/8/PPPP4/4K3 w - - 0 1";
    let shut = "3rk3/1p1p4/8/8/3N4/8/PPPP4/4K3 w - - 0 1";
    assert_eq!(gain(Term::Mobility, open, shut), w::MOBILITY[0][7] - w::MOBILITY[0][5]);
    // A pinned knight has no mobility.
    let pinned = gain(Term::Mobility, "4r1k1/pp6/8/8/8/8/PP2N3/4K3 w - - 0 1", "3r2k1/pp6/8/8/8/8/PP2N3/4K3 w - - 0 1");
    assert!(pinned.mg() < -20);
}

#[test]
fn outposts_and_bad_bishops() {
    let outpost = gain(
        Term::Minors,
        "r3k3/pp3ppp/8/3N4/4P3/8/PP3PPP/R3K3 w - - 0 1",
        "r3k3/pp2pppp/8/3N4/4P3/8/PP3PPP/R3K3 w - - 0 1",
    );
    assert_eq!(outpost, w::KNIGHT_OUTPOST);
    let bad = gain(
        Term::Minors,
        "r3k3/pp3ppp/2p1p3/3p4/3P4/2P1P3/PP3PPP/R1B1K3 w - - 0 1",
        "r3k3/pp3ppp/2p1p3/3p4/3P4/2P1P3/PP3PPP/R3KB2 w - - 0 1",
    );
    assert!(bad.mg() < 0 && bad.eg() < 0);
}

#[test]
fn rooks_on_files_and_on_the_seventh() {
    let rooks = |fen: &str| trace(&board(fen)).value(Term::Rooks, Color::White);
    assert_eq!(rooks("4k1n1/pppp4/8/8/8/8/PPPP4/4K1R1 w - - 0 1"), w::ROOK_OPEN_FILE);
    assert_eq!(rooks("4k1n1/pppp2p1/8/8/8/8/PPPP4/4K1R1 w - - 0 1"), w::ROOK_HALF_OPEN_FILE);
    assert_eq!(rooks("4k1n1/pppp4/6p1/6P1/8/8/PPPP4/4K1R1 w - - 0 1"), w::ROOK_CLOSED_FILE);
    assert_eq!(rooks("4k1n1/pppp4/6p1/8/6P1/8/PPPP4/4K1R1 w - - 0 1"), Pair::ZERO);
    assert_eq!(rooks("4k1n1/ppp3R1/8/8/8/8/PPPP4/4K3 w - - 0 1"), w::ROOK_OPEN_FILE + w::ROOK_SEVENTH);
    assert_eq!(rooks("8/6R1/1pp5/7k/8/8/PPPP4/4K2N w - - 0 1"), w::ROOK_OPEN_FILE);
}

#[test]
fn trapped_pieces() {
    let trapped = |fen: &str| trace(&board(fen)).value(Term::Trapped, Color::White);
    assert_eq!(trapped("4k3/pppp1ppp/8/8/8/8/PPPPPPPP/5K1R w - - 0 1"), w::TRAPPED_ROOK);
    assert_eq!(trapped("4k2r/pppp1ppp/8/8/8/8/PPPPPPPP/4K2R w Kk - 0 1"), Pair::ZERO);
    assert_eq!(trapped("4k2r/Bpp2ppp/1p6/8/8/8/PPPPPPPP/4K3 w - - 0 1"), w::TRAPPED_BISHOP);
    assert_eq!(trapped("4k2r/Bp3ppp/2p5/8/8/8/PPPPPPPP/4K3 w - - 0 1"), Pair::ZERO);
    assert_eq!(trapped("3rk3/pppn4/8/8/8/8/PPP3PP/3QK3 w - - 0 1"), w::WEAK_QUEEN);
    assert_eq!(trapped("2r1k3/pppn4/8/8/8/8/PPP3PP/3QK3 w - - 0 1"), Pair::ZERO);
}

#[test]
fn shelter_and_storm() {
    let sheltered = "r2q2k1/ppp2ppp/8/8/8/8/PPP2PPP/R2Q2K1 w - - 0 1";
    assert!(gain(Term::Shelter, sheltered, "r2q2k1/ppp2ppp/8/8/8/8/PPP2P1P/R2Q2K1 w - - 0 1").mg() > 30);
    assert!(gain(Term::Shelter, sheltered, "r2q2k1/ppp2ppp/8/8/6P1/8/PPP2P1P/R2Q2K1 w - - 0 1").mg() > 20);
    assert!(gain(Term::Shelter, sheltered, "r2q2k1/ppp2p1p/8/8/6p1/8/PPP2PPP/R2Q2K1 w - - 0 1").mg() > 10);
    // Castling rights count for the shelter.
    let may = "r2qk2r/ppp2ppp/8/8/8/8/PPP2PPP/R2QK2R w KQkq - 0 1";
    let may_not = "r2qk2r/ppp2ppp/8/8/8/8/PPP2PPP/R2QK2R w kq - 0 1";
    assert!(gain(Term::Shelter, may, may_not).mg() > 20);
    // In the endgame the king belongs near its pawns.
    let far = gain(Term::Shelter, "r5k1/8/8/8/8/8/PP6/R5K1 w - - 0 1", "r5k1/8/8/8/8/8/PP6/RK6 w - - 0 1");
    assert!(far.eg() < w::KING_TO_PAWN.eg() * 4 && far.eg() < -20, "{far:?}");
}

#[test]
fn king_danger() {
    let danger = |fen: &str| -trace(&board(fen)).value(Term::Danger, Color::White).mg();
    let calm = danger("r2q1rk1/ppp2ppp/2n2n2/8/8/2N2N2/PPP2PPP/R2Q1RK1 w - - 0 1");
    let queen = danger("r4rk1/ppp2ppp/2n2n2/8/7q/2N2P2/PPP3PP/R2Q1RK1 w - - 0 1");
    let storm = danger("r4rk1/ppp2ppp/8/4n1N1/6nq/2N5/PPP3PP/R2Q1RK1 w - - 0 1");
    assert!(calm <= 10, "{calm}");
    assert!(storm > queen + 80, "{queen} {storm}");
    // Without the queen the same attack is mild.
    assert!(danger("r4rk1/ppp2ppp/8/4n1N1/6n1/2N5/PPP3PP/R2Q1RK1 w - - 0 1") < storm / 3);
}

#[test]
fn threats() {
    let by_pawn = gain(
        Term::Threats,
        "r3k3/ppp5/3n4/4P3/5P2/8/PPP5/R3K3 w - - 0 1",
        "r3k3/ppp5/6n1/4P3/5P2/8/PPP5/R3K3 w - - 0 1",
    );
    assert!(by_pawn.mg() >= w::THREAT_BY_PAWN.mg() - 25, "{by_pawn:?}");
    let hanging =
        gain(Term::Threats, "r3k3/8/1pp5/8/3n4/8/PPP5/3RK3 w - - 0 1", "r3k3/8/1pp5/4p3/3n4/8/PPP5/3RK3 w - - 0 1");
    assert!(hanging.mg() >= w::HANGING.mg(), "{hanging:?}");
    let push = gain(
        Term::Threats,
        "r3k3/ppp5/3n1n2/8/8/4P3/PPP5/R3K3 w - - 0 1",
        "r3k3/ppp5/3n1n2/8/4P3/8/PPP5/R3K3 w - - 0 1",
    );
    assert!(push.mg() < 0, "e5 next would fork: {push:?}");
}

#[test]
fn space_and_tempo() {
    let wide = "rnbqkbnr/ppp2ppp/3pp3/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 1";
    let trace = trace(&board(wide));
    assert!(balance(&trace, Term::Space).mg() > 0);
    assert_eq!(trace.value(Term::Tempo, Color::White), w::TEMPO);
    assert_eq!(trace.value(Term::Tempo, Color::Black), Pair::ZERO);
}

#[test]
fn initiative_grows_with_complexity() {
    let initiative = |fen: &str| balance(&trace(&board(fen)), Term::Initiative).eg();
    let both_wings = initiative("5k2/pp3ppp/8/8/8/8/PPP2PPP/5K2 w - - 0 1");
    let one_wing = initiative("5k2/6pp/8/8/8/8/5PPP/5K2 w - - 0 1");
    assert!(both_wings > 0 && one_wing < both_wings);
    // The sign never changes.
    for board in many_boards() {
        let trace = self::trace(&board);
        let before = trace.sum.eg() - balance(&trace, Term::Initiative).eg();
        assert!(before * trace.sum.eg() >= 0);
    }
}

#[test]
fn the_table_lists_terms_and_known_endings() {
    let text = trace(&board(POSITIONS[1])).to_string();
    assert!(text.contains("king shelter") && text.contains("score "), "{text}");
    let ending = trace(&board("8/8/8/4k3/8/8/4K3/4R3 w - - 0 1")).to_string();
    assert!(ending.contains("known ending"));
}
