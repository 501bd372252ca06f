//! The bench: searches fixed positions to a fixed depth. On one thread the node count is a checksum of the search.

use crate::chess::Game;
use crate::engine::Engine;
use crate::search::limits::Limits;
use crate::search::statistics::SearchStats;
use crate::tt::TtError;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Default depth.
pub const BENCH_DEPTH: i32 = 12;

/// The positions: openings, sharp and quiet middlegames, endgames of every kind, zugzwang, mates, Chess960.
pub const POSITIONS: &[&str] = &[
    // Openings.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
    "r1bqkb1r/4npp1/p1p4p/1p1pP1B1/8/1B6/PPPN1PPP/R2Q1RK1 w kq - 0 1",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    // Middlegames with most pieces on the board.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
    "2r1nrk1/p2q1ppp/bp1p4/n1pPp3/P1P1P3/2PBB1N1/4QPPP/R4RK1 w - - 0 1",
    "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    "r3kb1r/3n1pp1/p6p/2pPp2q/Pp2N3/3B2PP/1PQ2P2/R3K2R w KQkq - 0 1",
    // Attacks on the king.
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "r2q1r1k/pb3p1p/2n1p2Q/5p2/8/3B2N1/PP3PPP/R3R1K1 w - - 0 1",
    "1rbq1rk1/p1b1nppp/1p2p3/8/1B1pN3/P2B4/1P3PPP/2RQ1R1K w - - 0 1",
    "r6k/pp4p1/2p1b3/3pP3/7q/P2B3r/1PP2Q1P/2K1R1R1 w - - 0 1",
    // Fewer pieces.
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - - 0 1",
    "8/3p4/p1bk3p/Pp6/1Kp1PpPp/2P2P1P/2P5/5B2 b - - 0 1",
    "5k2/7R/4P2p/5K2/p1r2P1p/8/8/8 b - - 0 1",
    "8/p4k2/1p1p1qp1/1P1P4/P5P1/7P/4Q1K1/2b5 b - - 0 1",
    "r5k1/5pp1/1P5p/3R4/2r5/P3P3/2p2PPP/2R3K1 b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    // Pawn endings and zugzwang.
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/8/pPk3pp/2P1p3/1pK3P1/5PP1/8 w - - 0 1",
    "8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
    "7k/5K2/5P1p/3p4/6P1/3p4/8/8 w - - 0 1",
    // Known endings: rook and pawn, bishop and knight, queen against rook, a fortress near the fifty-move limit.
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
    "8/8/8/3k4/8/8/3NBK2/8 w - - 0 1",
    "8/8/8/3k1r2/8/8/1Q6/1K6 w - - 0 1",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 90 130",
    // A mate in three, and a king facing many promotions.
    "1Q6/p3qp1p/B3p3/3k2rP/3p2P1/8/1P4K1/2R5 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    // Chess960, also with different back ranks.
    "qnbnrbkr/pppppppp/8/8/8/8/PPPPPPPP/QNBNRBKR w HEhe - 0 1",
    "rkbnrqnb/pppppppp/8/8/8/8/PPPPPPPP/BRKRNNQB w DBea - 0 1",
];

/// The result of a position.
#[derive(Clone, Debug)]
pub struct BenchEntry {
    /// Its number, from 1.
    pub number: usize,
    /// The position.
    pub fen: &'static str,
    /// The best move in SAN.
    pub best: String,
    /// Nodes over all threads.
    pub nodes: u64,
    /// Time of the search.
    pub elapsed: Duration,
    /// Statistics, if the engine collects them.
    pub stats: Option<SearchStats>,
}

/// Searches every position as a new game. On several threads the node count is reproducible only in deterministic searches.
///
/// # Errors
/// The table cannot be allocated.
pub fn run(engine: &mut Engine, depth: i32) -> Result<impl Iterator<Item = BenchEntry>, TtError> {
    run_until(engine, depth, || ControlFlow::Continue(()))
}

/// [`run`], with searches that end early once `check` breaks.
///
/// # Errors
/// The table cannot be allocated.
pub fn run_until(
    engine: &mut Engine,
    depth: i32,
    mut check: impl FnMut() -> ControlFlow<()>,
) -> Result<impl Iterator<Item = BenchEntry>, TtError> {
    engine.prepare()?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    Ok((1..).zip(POSITIONS).map(move |(number, &fen)| {
        engine.new_game();
        engine.game = Game::from_fen(fen).expect("the bench positions are valid");
        let start = Instant::now();
        let outcome = engine.search_until(&limits, &[], |_, _| check());
        BenchEntry {
            number,
            fen,
            best: outcome.best.map_or_else(String::new, |mv| engine.game.board().san(mv)),
            nodes: outcome.lines.first().map_or(0, |line| line.nodes),
            elapsed: start.elapsed(),
            stats: engine.lmr_report().map(|report| report.stats),
        }
    }))
}

/// Total nodes and time.
pub fn total(entries: &[BenchEntry]) -> (u64, Duration) {
    (entries.iter().map(|entry| entry.nodes).sum(), entries.iter().map(|entry| entry.elapsed).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;
    use crate::eval::nnue::simd::Simd;
    use crate::search::lbr::Lbr;

    #[test]
    fn positions_are_valid_and_have_moves() {
        for fen in POSITIONS {
            let game = Game::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(!game.board().legal_moves().is_empty(), "{fen}");
        }
    }

    fn entries(depth: i32, set: impl FnOnce(&mut Engine)) -> Vec<BenchEntry> {
        let mut engine = Engine::new();
        set(&mut engine);
        run(&mut engine, depth).expect("16 MiB").collect()
    }

    fn nodes(depth: i32, set: impl FnOnce(&mut Engine)) -> u64 {
        total(&entries(depth, set)).0
    }

    #[test]
    fn node_count_is_reproducible() {
        let entries = entries(4, |_| ());
        assert_eq!(entries.len(), POSITIONS.len());
        assert!(entries.iter().all(|entry| entry.nodes > 0 && !entry.best.is_empty() && entry.stats.is_none()));
        assert_eq!(total(&entries).0, nodes(4, |_| ()));
    }

    #[test]
    fn statistics_do_not_change_nodes() {
        let counted = entries(5, |engine| engine.settings.lmr_statistics = true);
        assert_eq!(total(&counted).0, nodes(5, |_| ()));
        let mut stats = SearchStats::default();
        counted.iter().filter_map(|entry| entry.stats.as_ref()).for_each(|one| stats.add(one));
        assert!(stats.lmr.total().reduced > 0 && stats.lmr.total().moves < total(&counted).0);
        let counts = [&[total(&counted).0][..], &stats.lbr].concat();
        assert!(counts.is_sorted_by(|more, fewer| more > fewer), "{counts:?}");
    }

    #[test]
    fn variants_and_parameters_are_applied() {
        let default = nodes(6, |_| ());
        assert_ne!(nodes(6, |engine| engine.settings.search.lbr = Lbr::OFF), default);
        assert_ne!(nodes(6, |engine| assert_eq!(engine.set_param("history_one", 0), Ok(()))), default);
    }

    #[test]
    fn instruction_sets_search_the_same_tree() {
        let nodes = |simd| nodes(5, |engine| engine.set_evaluation(Evaluation { simd, ..Evaluation::default() }));
        let best = nodes(Simd::best());
        assert!(Simd::available().into_iter().all(|simd| nodes(simd) == best));
    }
}
