//! Compares the stores with a model: a map from moves to replies for each ply or color.

use super::*;
use crate::chess::{Board, MoveKind, Piece, PieceType, Square};
use crate::search::stack::Stack;
use fastrand::Rng;
use std::collections::{HashMap, HashSet};

/// Store and moves that the model matches.
type ModelKey = (usize, Vec<(u16, PieceType, Option<PieceType>)>);

/// An unbounded store for one variant.
struct Model {
    mode: Lbr,
    replies: HashMap<ModelKey, Move>,
}

impl Model {
    /// `line` holds the moves before the node, oldest first; `None` is a null move.
    fn key(&self, line: &[Option<MoveDelta>], side: Color) -> Option<ModelKey> {
        let ply = line.len();
        let back = |n: usize| ply.checked_sub(n).and_then(|at| line[at]);
        let moves = match self.mode.prior {
            Prior::Off => return None,
            Prior::Last => vec![back(1)?],
            Prior::Pair => vec![back(1)?, back(2)?],
            Prior::TwoPlies => vec![back(2)?],
        };
        let store = if self.mode.per_color { usize::from(side == Color::Black) } else { ply };
        Some((
            store,
            moves
                .iter()
                .map(|played| (played.mv.word(), played.mover.kind(), played.captured.map(Piece::kind)))
                .collect(),
        ))
    }

    fn remember(&mut self, key: ModelKey, best: Move) {
        let noisy = best.is_capture() || best.is_promotion();
        if !(self.mode.quiet_only && noisy) {
            self.replies.insert(key, best);
        }
    }
}

const STARTS: [&str; 4] = [
    crate::chess::fen::START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// Replies found by the model and by the store.
#[derive(Default)]
struct Answers {
    model: usize,
    ours: usize,
}

/// Plays a random game with null moves, probing and updating both at every node.
fn play(board: Board, ours: &mut LastBestReply, model: &mut Model, random: &mut Rng) -> Answers {
    let (mut board, mut stack, mut line) = (board, Stack::default(), Vec::new());
    let mut answers = Answers::default();
    for ply in 0..40 {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let side = board.side_to_move();
        let (place, key) = (ours.place(&stack, ply, side), model.key(&line, side));
        assert_eq!(place.is_some(), key.is_some(), "{:?} after {line:?}", model.mode);
        if let (Some(place), Some(key)) = (place, key) {
            let (found, expected) = (ours.reply(place), model.replies.get(&key).copied());
            assert!(found.is_none() || found == expected, "{:?}: {found:?}, not {expected:?}", model.mode);
            answers.model += usize::from(expected.is_some());
            answers.ours += usize::from(found.is_some());
            let best = moves[random.usize(..moves.len())];
            ours.remember(place, best);
            model.remember(key, best);
        }
        // A choice of few moves makes games transpose.
        let mv = moves[random.usize(..moves.len().min(3))];
        let passes = !board.in_check() && random.u8(..8) == 0;
        let played = (!passes).then(|| MoveDelta::of(&board, mv));
        stack.at_mut(ply).played = played;
        line.push(played);
        if passes {
            board.pass();
        } else {
            board = board.after(mv);
        }
    }
    answers
}

#[test]
fn variants_match_the_model_unless_overwritten() {
    for mode in Lbr::ALL.iter().map(|&(_, lbr)| lbr).filter(|&lbr| lbr != Lbr::OFF) {
        let mut ours = LastBestReply::default();
        ours.set_mode(mode);
        let mut model = Model { mode, replies: HashMap::new() };
        let mut random = Rng::with_seed(1);
        let mut sum = Answers::default();
        for game in 0..2000 {
            let board = Board::from_fen(STARTS[game % STARTS.len()]).unwrap();
            let answers = play(board, &mut ours, &mut model, &mut random);
            sum.model += answers.model;
            sum.ours += answers.ours;
        }
        assert!(sum.model > 4000, "{mode:?}: the model answered {} times only", sum.model);
        let share = sum.ours as f64 / sum.model as f64;
        assert!(share > 0.7, "{mode:?}: {} answers of {}", sum.ours, sum.model);
    }
}

fn lbr(name: &str) -> LastBestReply {
    let mut lbr = LastBestReply::default();
    lbr.set_mode(Lbr::from_name(name).unwrap());
    lbr
}

/// A stack with these moves, oldest first, and the ply after them.
fn line(moves: &[Option<MoveDelta>]) -> (Stack, usize) {
    let mut stack = Stack::default();
    for (ply, &played) in moves.iter().enumerate() {
        stack.at_mut(ply).played = played;
    }
    (stack, moves.len())
}

const CAPTURE: MoveDelta = MoveDelta {
    mv: Move::new(Square::D4, Square::E5, MoveKind::Capture),
    mover: Piece::WhitePawn,
    captured: Some(Piece::BlackKnight),
};
const KNIGHT: MoveDelta =
    MoveDelta { mv: Move::new(Square::G8, Square::F6, MoveKind::Quiet), mover: Piece::BlackKnight, captured: None };
const QUIET_REPLY: Move = Move::new(Square::F6, Square::D7, MoveKind::Quiet);
const NOISY_REPLY: Move = Move::new(Square::D6, Square::E5, MoveKind::Capture);

/// Lines that differ from [`KNIGHT`], [`CAPTURE`] in one respect, and the variants that still match.
#[test]
fn moves_of_the_key_must_match_exactly() {
    let other_piece = MoveDelta { mover: Piece::WhiteBishop, ..CAPTURE };
    let other_victim = MoveDelta { captured: Some(Piece::BlackPawn), ..CAPTURE };
    let en_passant = MoveDelta { mv: Move::new(Square::D4, Square::E5, MoveKind::EnPassant), ..CAPTURE };
    let other_square = MoveDelta { mv: Move::new(Square::F4, Square::E5, MoveKind::Capture), ..CAPTURE };
    let before = MoveDelta { mover: Piece::BlackRook, ..KNIGHT };
    let (last, pair, two) = ("reply", "pair", "two-plies");
    for (what, moves, matching) in [
        ("the same moves", [Some(KNIGHT), Some(CAPTURE)], &[last, pair, two][..]),
        ("another piece", [Some(KNIGHT), Some(other_piece)], &[two]),
        ("another victim", [Some(KNIGHT), Some(other_victim)], &[two]),
        ("another special case", [Some(KNIGHT), Some(en_passant)], &[two]),
        ("another square", [Some(KNIGHT), Some(other_square)], &[two]),
        ("another move before", [Some(before), Some(CAPTURE)], &[last]),
        ("a null move", [Some(KNIGHT), None], &[two]),
        ("a null move before", [None, Some(CAPTURE)], &[last]),
        ("null moves only", [None, None], &[]),
    ] {
        for name in [last, pair, two] {
            let mut lbr = lbr(name);
            let (stack, ply) = line(&[Some(KNIGHT), Some(CAPTURE)]);
            let place = lbr.place(&stack, ply, Color::White).unwrap();
            lbr.remember(place, NOISY_REPLY);
            let (stack, ply) = line(&moves);
            let found = lbr.place(&stack, ply, Color::White).and_then(|place| lbr.reply(place));
            assert_eq!(found, matching.contains(&name).then_some(NOISY_REPLY), "{name}: {what}");
        }
    }
}

#[test]
fn nodes_near_the_root_have_no_slot() {
    for (name, first) in [("reply", 1), ("pair", 2), ("two-plies", 2)] {
        let lbr = lbr(name);
        let (stack, _) = line(&[Some(KNIGHT), Some(CAPTURE), Some(KNIGHT)]);
        for ply in 0..=3 {
            assert_eq!(lbr.place(&stack, ply, Color::White).is_some(), ply >= first, "{name} at ply {ply}");
        }
    }
}

#[test]
fn only_color_stores_are_shared_between_plies() {
    for (name, other_ply, other_color) in [("reply", false, true), ("colour", true, false)] {
        let mut lbr = lbr(name);
        let (stack, ply) = line(&[Some(CAPTURE)]);
        let place = lbr.place(&stack, ply, Color::White).unwrap();
        lbr.remember(place, QUIET_REPLY);
        let (deeper, deeper_ply) = line(&[Some(CAPTURE), None, Some(CAPTURE)]);
        for (stack, ply, side, expected) in
            [(&stack, ply, Color::Black, other_color), (&deeper, deeper_ply, Color::White, other_ply)]
        {
            let found = lbr.place(stack, ply, side).and_then(|place| lbr.reply(place));
            assert_eq!(found.is_some(), expected, "{name} at ply {ply}, {side:?} to move");
        }
    }
}

#[test]
fn quiet_variants_store_no_captures_or_promotions() {
    let promotion = Move::promotion(Square::A7, Square::A8, PieceType::Queen, false);
    let castle = Move::new(Square::E1, Square::H1, MoveKind::Castle);
    for name in Lbr::names().into_iter().skip(1) {
        let mut lbr = lbr(name);
        let (stack, ply) = line(&[Some(KNIGHT), Some(CAPTURE)]);
        let place = lbr.place(&stack, ply, Color::White).unwrap();
        lbr.remember(place, QUIET_REPLY);
        for noisy in [NOISY_REPLY, promotion] {
            lbr.remember(place, noisy);
            let expected = if name.contains("quiet") { QUIET_REPLY } else { noisy };
            assert_eq!(lbr.reply(place), Some(expected), "{name}");
        }
        lbr.remember(place, castle);
        assert_eq!(lbr.reply(place), Some(castle), "{name}");
    }
}

#[test]
fn replies_are_cleared_by_another_variant_and_by_clear() {
    let (stack, ply) = line(&[Some(CAPTURE)]);
    let mut lbr = lbr("reply");
    let place = lbr.place(&stack, ply, Color::White).unwrap();
    lbr.remember(place, QUIET_REPLY);
    lbr.set_mode(Lbr::default());
    assert_eq!(lbr.reply(place), Some(QUIET_REPLY), "the same variant keeps replies");
    lbr.set_mode(Lbr::OFF);
    assert!(lbr.place(&stack, ply, Color::White).is_none(), "off");
    lbr.set_mode(Lbr::default());
    assert_eq!(lbr.reply(place), None, "on again");
    lbr.remember(place, QUIET_REPLY);
    lbr.clear();
    assert_eq!(lbr.reply(place), None, "cleared");
}

#[test]
fn variant_names_are_composed_of_parts() {
    let mut names = HashSet::from(["off".to_owned()]);
    for (prior, prior_name) in [(Prior::Last, ""), (Prior::Pair, "pair"), (Prior::TwoPlies, "two-plies")] {
        for (quiet_only, quiet_name) in [(false, ""), (true, "quiet")] {
            for (per_color, store_name) in [(false, ""), (true, "colour")] {
                let mut parts = vec![prior_name, quiet_name, store_name];
                parts.retain(|part| !part.is_empty());
                let name = if parts.is_empty() { "reply".to_owned() } else { parts.join("+") };
                let lbr = Lbr { prior, quiet_only, per_color };
                assert_eq!(lbr.name(), name);
                assert_eq!(Lbr::from_name(&name.to_uppercase()), Ok(lbr), "{name}");
                names.insert(name);
            }
        }
    }
    assert_eq!(Lbr::names().into_iter().map(str::to_owned).collect::<HashSet<_>>(), names);
    assert_eq!(Lbr::ALL.iter().map(|(_, lbr)| lbr).collect::<HashSet<_>>().len(), Lbr::ALL.len());
}

#[test]
fn off_and_default_have_names() {
    assert_eq!((Lbr::OFF.name(), Lbr::default().name()), ("off", "reply"));
    for name in ["", "on", "pair+", "colour+pair", "reply+quiet"] {
        assert!(Lbr::from_name(name).is_err(), "{name}");
    }
}
