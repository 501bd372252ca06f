//! Move ordering, as listed by the engine.

use lento::chess::{Game, Move};
use lento::engine::{Engine, ListedMove};
use lento::search::lbr::Lbr;
use lento::search::limits::Limits;
use lento::search::lmr::RecipeName;

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const EN_PASSANT: &str = "rnbqkb1r/pp1p1pPp/8/2p1pP2/1P1P4/7P/P1P1P3/RNBQKBNR w KQkq e6 0 1";
const IN_CHECK: &str = "4k3/8/8/8/7b/8/3P2P1/3QKB2 w - - 0 1";

fn depth(depth: i32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn engine_at(fen: &str) -> Engine {
    let mut engine = Engine::new();
    engine.game = Game::from_fen(fen).unwrap();
    engine
}

fn play(engine: &mut Engine, text: &str) {
    let mut game = engine.game.clone();
    game.play(game.board().parse_uci(text, false).unwrap());
    engine.game = game;
}

fn sorted(moves: impl Iterator<Item = Move>) -> Vec<u16> {
    let mut words: Vec<u16> = moves.map(Move::word).collect();
    words.sort_unstable();
    words
}

/// Checks a listing: all legal moves once, the best move first, then winning captures, quiet moves by descending score, and losing
/// captures; the columns match the board.
fn check(engine: &mut Engine) -> Vec<ListedMove> {
    let listed = engine.list_moves(10);
    let (board, params) = (engine.game.board(), engine.params());
    let fen = board.fen(false);
    assert_eq!(sorted(listed.iter().map(|ranked| ranked.mv)), sorted(board.legal_moves().into_iter()), "{fen}");
    let group = |ranked: &ListedMove| match ranked {
        ListedMove { best: true, .. } => 0,
        ListedMove { continuation: Some(_), .. } => 2,
        // A capture with good history may lose a little material.
        _ if board.see_ge(ranked.mv, -ranked.history * params.order_noisy / 1024) => 1,
        _ => 3,
    };
    assert!(listed.is_sorted_by_key(group), "{fen}");
    let attacked = board.attacked_by_cheaper(board.side_to_move());
    let threat = |mv: Move| {
        let kind = board.piece_on(mv.from()).unwrap().kind();
        let [from, to] = [mv.from(), mv.to()].map(|square| i32::from(attacked[kind.index()].has(square)));
        kind.exchange_value() * params.order_threats * if to > 0 { -1 } else { from }
    };
    let score = |ranked: &ListedMove| {
        let good_check = board.gives_check(ranked.mv) && board.see_ge(ranked.mv, -50);
        ranked.history
            + i32::from(ranked.killer) * params.order_killer
            + i32::from(ranked.reply) * params.order_reply
            + i32::from(good_check) * params.order_check
            + threat(ranked.mv)
    };
    let quiets: Vec<i32> = listed.iter().filter(|ranked| group(ranked) == 2).map(score).collect();
    assert!(quiets.is_sorted_by(|earlier, later| earlier >= later), "{fen}: {quiets:?}");
    for ranked in &listed {
        let see = board.see(ranked.mv);
        assert_eq!(ranked.continuation.is_some(), ranked.mv.is_quiet(), "{fen}");
        assert!(board.see_ge(ranked.mv, see) && !board.see_ge(ranked.mv, see + 1), "{fen}");
    }
    assert!(listed.first().is_none_or(|first| first.reduction == 0));
    listed
}

#[test]
fn listings_are_complete_and_sorted() {
    for fen in [MIDDLEGAME, EN_PASSANT, IN_CHECK, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        let mut engine = engine_at(fen);
        assert!(check(&mut engine).iter().all(|ranked| !ranked.best), "no best move before a search");
        let outcome = engine.search_blocking(&depth(8), |_| ());
        let listed = check(&mut engine);
        assert_eq!(listed.first().filter(|first| first.best).map(|first| first.mv), outcome.best, "{fen}");
        for mv in outcome.lines.first().map(|line| line.pv.clone()).unwrap_or_default().into_iter().take(3) {
            let mut game = engine.game.clone();
            game.play(mv);
            engine.game = game;
            check(&mut engine);
        }
    }
}

#[test]
fn failed_quiets_have_negative_history() {
    let mut engine = engine_at(MIDDLEGAME);
    assert!(engine.list_moves(10).iter().all(|ranked| ranked.history == 0));
    engine.search_blocking(&depth(9), |_| ());
    let listed = check(&mut engine);
    assert!(listed.iter().any(|ranked| ranked.continuation.is_some() && ranked.history < 0), "{listed:?}");
    assert!(listed.iter().any(|ranked| ranked.history > 0), "{listed:?}");
    engine.new_game();
    assert!(engine.list_moves(10).iter().all(|ranked| ranked.history == 0 && !ranked.best));
}

/// After the best move, the position is a node of the search, with its reply and continuation history.
#[test]
fn child_positions_keep_search_state() {
    let mut engine = Engine::new();
    let best = engine.search_blocking(&depth(10), |_| ()).best.unwrap();
    let at_root = check(&mut engine);
    assert!(at_root.iter().all(|ranked| !ranked.reply && ranked.continuation.is_none_or(|part| part == 0)));
    let text = engine.game.board().uci(best, false);
    play(&mut engine, &text);
    let below = check(&mut engine);
    assert_eq!(below.iter().filter(|ranked| ranked.reply).count(), 1, "{below:?}");
    assert!(below.iter().any(|ranked| ranked.continuation.is_some_and(|part| part != 0)), "{below:?}");
    engine.settings.search.lbr = Lbr::OFF;
    assert!(check(&mut engine).iter().all(|ranked| !ranked.reply), "no reply without the option");
    // An unrelated position is a new root.
    engine.game = Game::from_fen(MIDDLEGAME).unwrap();
    let elsewhere = check(&mut engine);
    assert!(elsewhere.iter().all(|ranked| !ranked.killer && !ranked.reply && ranked.continuation.unwrap_or(0) == 0));
}

#[test]
fn reductions_depend_on_recipe_and_depth() {
    let mut engine = engine_at(MIDDLEGAME);
    let sum =
        |engine: &mut Engine, depth| -> i32 { engine.list_moves(depth).iter().map(|ranked| ranked.reduction).sum() };
    assert_eq!(sum(&mut engine, 1), 0, "depth 1 is not reduced");
    let (shallow, deep) = (sum(&mut engine, 6), sum(&mut engine, 30));
    assert!(0 < shallow && shallow < deep, "{shallow} {deep}");
    engine.settings.lmr.main = RecipeName::Off;
    assert_eq!(sum(&mut engine, 30), 0);
}

#[test]
fn listing_does_not_affect_later_searches() {
    let nodes = |ask: bool| {
        let mut engine = engine_at(MIDDLEGAME);
        let mut nodes = Vec::new();
        for text in ["e2a6", "b4c3"] {
            nodes.push(engine.search_blocking(&depth(7), |_| ()).lines[0].nodes);
            for _ in 0..2 * usize::from(ask) {
                check(&mut engine);
            }
            play(&mut engine, text);
            if ask {
                check(&mut engine);
            }
        }
        nodes.push(engine.search_blocking(&depth(7), |_| ()).lines[0].nodes);
        engine.set_hash(2).expect("no thread holds the table");
        nodes
    };
    assert_eq!(nodes(true), nodes(false));
}

#[test]
fn listing_ends_a_running_search() {
    let mut engine = Engine::new();
    for threads in [1, 3] {
        engine.set_threads(threads).unwrap();
        engine.go(&Limits { infinite: true, ..Limits::default() });
        assert_eq!(check(&mut engine).len(), 20);
        assert!(!engine.is_searching());
    }
    engine.set_hash(8).expect("no thread holds the table");
}
