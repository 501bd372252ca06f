//! Contempt: draws are avoided or sought, and reported scores stay unbiased.

use crate::data;
use lento::chess::{Color, Game};
use lento::engine::{AnalysisContempt, Engine, Output};
use lento::score::{Bound, is_decisive};
use lento::search::limits::Limits;
use lento::search::report::Outcome;
use lento::tb::Tables;
use std::ops::ControlFlow;
use std::sync::Arc;

/// After `SHUFFLE`, a position that has occurred twice and that the side to move can repeat. White, to move, is slightly worse.
const WORSE: &str = "rnbqkbnr/ppp2ppp/8/3pp3/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
/// The same, with the side to move slightly better.
const BETTER: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";
const SHUFFLE: [&str; 7] = ["g8f6", "b1c3", "f6g8", "c3b1", "g8f6", "b1c3", "f6g8"];
const REPETITION: &str = "c3b1";
const DEPTH: i32 = 11;

/// A move with ranks mirrored.
fn mirrored_move(mv: &str) -> String {
    let mirror = |(index, c): (usize, char)| if index % 2 == 1 { char::from(b'1' + b'8' - c as u8) } else { c };
    mv.chars().enumerate().map(mirror).collect()
}

/// A position with colors swapped.
fn color_flipped(fen: &str) -> String {
    let (placement, rest) = fen.split_once(' ').expect("a FEN");
    let swap = |c: char| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    let ranks: Vec<String> = placement.split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect();
    format!("{} {}", ranks.join("/"), rest.replacen('b', "w", 1))
}

/// The game with `side` to move.
fn game(fen: &str, side: Color) -> Game {
    let black = side == Color::Black;
    let fen = if black { color_flipped(fen) } else { fen.to_owned() };
    let mut game = Game::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    for mv in SHUFFLE.map(|mv| if black { mirrored_move(mv) } else { mv.to_owned() }) {
        game.play(game.board().parse_uci(&mv, false).unwrap_or_else(|| panic!("{mv}")));
    }
    assert_eq!(game.board().side_to_move(), side);
    game
}

/// Searches to `DEPTH`; `infinite` makes it an analysis, stopped at that depth.
fn search(engine: &mut Engine, game: Game, infinite: bool) -> Outcome {
    engine.game = game;
    let limits = Limits { depth: Some(DEPTH), infinite, ..Limits::default() };
    engine.search_until(&limits, &[], |_, output| match output {
        Some(Output::Info(info)) if infinite && info.depth == DEPTH && info.bound == Bound::Exact => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
}

fn repeats(engine: &mut Engine, fen: &str, side: Color) -> bool {
    engine.new_game();
    let game = game(fen, side);
    let best = search(engine, game.clone(), false).best.expect("a move");
    let text = game.board().uci(best, false);
    text == if side == Color::Black { mirrored_move(REPETITION) } else { REPETITION.into() }
}

#[test]
fn contempt_decides_between_repeating_and_playing_on() {
    let mut engine = Engine::new();
    for side in Color::ALL {
        for (contempt, worse, better) in [(0, true, false), (90, false, false), (-90, true, true)] {
            engine.settings.contempt = contempt;
            assert_eq!(repeats(&mut engine, WORSE, side), worse, "worse with {contempt}, {side:?}");
            assert_eq!(repeats(&mut engine, BETTER, side), better, "better with {contempt}, {side:?}");
        }
    }
}

/// With a shared table: entries stored with another contempt or by the other side are not used.
#[test]
fn contempt_can_change_without_clearing_the_table() {
    let mut engine = Engine::new();
    for _ in 0..2 {
        for (contempt, expected) in [(0, true), (90, false), (-90, true)] {
            engine.settings.contempt = contempt;
            for side in Color::ALL {
                let game = game(WORSE, side);
                let best = search(&mut engine, game.clone(), false).best.expect("a move");
                let text = game.board().uci(best, false);
                let repetition = if side == Color::Black { mirrored_move(REPETITION) } else { REPETITION.into() };
                assert_eq!(text == repetition, expected, "{contempt}, {side:?}");
            }
        }
    }
}

#[test]
fn draws_are_reported_as_zero() {
    let mut engine = Engine::new();
    for contempt in [-100, 33, 100] {
        engine.settings.contempt = contempt;
        for fen in [
            "8/8/4k3/3pp3/3PP3/4K3/8/8 w - - 0 1",
            "8/8/8/8/4k3/8/4p3/4K3 w - - 0 1",
            "8/8/4k3/8/8/4K3/4B3/8 w - - 0 1",
        ] {
            let mut scores = Vec::new();
            engine.game = Game::from_fen(fen).expect(fen);
            let outcome = engine.search_blocking(&Limits { depth: Some(12), ..Limits::default() }, |output| {
                if let Output::Info(info) = output {
                    scores.push(info.score);
                }
            });
            assert_eq!((outcome.lines[0].score, scores.last()), (0, Some(&0)), "{fen} with {contempt}");
        }
    }
}

#[test]
fn analysis_contempt_applies_to_the_chosen_side() {
    let mut engine = Engine::new();
    engine.settings.contempt = 90;
    let of = |engine: &mut Engine, side_of, side, analyse_mode: bool| {
        engine.settings.analysis_contempt = side_of;
        engine.settings.analyse_mode = analyse_mode.then_some(true);
        engine.clear_hash();
        let game = game(WORSE, side);
        let best = search(engine, game.clone(), !analyse_mode).best.expect("a move");
        game.board().uci(best, false)
            != if side == Color::Black { mirrored_move(REPETITION) } else { REPETITION.into() }
    };
    for analyse_mode in [false, true] {
        for (side_of, avoids) in [
            (AnalysisContempt::Off, [false, false]),
            (AnalysisContempt::White, [true, false]),
            (AnalysisContempt::Black, [false, true]),
            (AnalysisContempt::Both, [true, true]),
        ] {
            for side in Color::ALL {
                let found = of(&mut engine, side_of, side, analyse_mode);
                assert_eq!(found, avoids[side.index()], "{side_of:?}, {side:?}, {analyse_mode}");
            }
        }
    }
}

#[test]
fn analysis_contempt_has_no_effect_without_contempt() {
    let mut engine = Engine::new();
    let mut nodes = |contempt, side_of| {
        engine.settings.contempt = contempt;
        engine.settings.analysis_contempt = side_of;
        engine.new_game();
        search(&mut engine, game(WORSE, Color::White), false).lines[0].nodes
    };
    let plain = nodes(0, AnalysisContempt::Off);
    assert_eq!(nodes(0, AnalysisContempt::White), plain);
    assert_ne!(nodes(60, AnalysisContempt::Off), plain);
}

/// Tablebase wins are played and tablebase draws accepted, whatever the contempt.
#[test]
fn tablebase_results_override_contempt() {
    let folder = data::path("syzygy");
    let mut engine = Engine::new();
    engine.set_tables(Some(Arc::new(Tables::open(folder.to_str().expect("text")).expect("tables"))));
    for contempt in [-100, 0, 100] {
        engine.settings.contempt = contempt;
        let mut score = |fen: &str| {
            let outcome = search(&mut engine, Game::from_fen(fen).expect(fen), false);
            outcome.lines[0].score
        };
        assert!(is_decisive(score("8/8/8/4k3/8/8/8/KR6 w - - 0 1")), "{contempt}");
        // Taking the rook draws; everything else loses.
        assert_eq!(score("8/8/8/8/8/1k6/1R6/7K b - - 0 1"), 0, "{contempt}");
    }
}
