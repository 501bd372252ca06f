//! Tablebase probing: positions to probe, and ranks of the root moves.

use super::clock::Bounds;
use super::control::Control;
use super::limits::{Determinism, SearchOptions};
use super::report::PvLine;
use super::root::RootMoves;
use crate::chess::{Board, CastlingRights, Game, Move};
use crate::score::{DRAW, Score, TB_WIN};
use crate::sync::{AtomicI32, AtomicU64, Ordering};
use crate::tb::{RootRank, Tables, Wdl};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Score of a win that the fifty-move rule turns into a draw.
const CURSED: Score = 2;
/// Maximum of the option `SyzygyProbeDepth`, in plies.
pub const MAX_PROBE_DEPTH: u64 = 100;
/// Maximum delay of a stop while root moves are ranked.
const MAX_STOP_DELAY: Duration = Duration::from_millis(5);

/// Tablebase state of a search, shared by its threads.
pub(crate) struct Probing {
    pub tables: Arc<Tables>,
    pub options: SearchOptions,
    /// Maximum number of pieces.
    pieces: u32,
    /// Minimum depth, in plies: at the piece limit, or for all positions once storage has been slow.
    depth: AtomicI32,
    roots: OnceLock<Option<Roots>>,
}

/// A thread's probes since its last slow one. A single slow probe may open a table, or its thread had to wait for a CPU; on slow
/// storage they follow each other.
pub(super) struct SinceSlow(u32);

impl SinceSlow {
    /// Slow probes with fewer others between them are due to the storage.
    const NEAR: u32 = 64;
    pub(super) const NEVER: Self = Self(Self::NEAR);

    /// Counts a probe. Returns whether it and one shortly before were slow.
    pub(super) fn is_slow_again(&mut self, slow: bool) -> bool {
        let before = self.0;
        self.0 = if slow { 0 } else { before.saturating_add(1) };
        slow && before < Self::NEAR
    }
}

/// The ranks of the job's root moves, and whether they come from distance tables.
type Roots = (Box<[RootRank]>, bool);

impl Probing {
    /// Creates the state under these options; `None` if nothing can be probed.
    pub(crate) fn new(tables: &Arc<Tables>, options: &SearchOptions) -> Option<Self> {
        let pieces = tables.summary().max_pieces.min(options.probe_limit as u32);
        let (tables, depth) = (Arc::clone(tables), AtomicI32::new(options.probe_depth as i32));
        (pieces > 2).then(|| Self { tables, options: *options, pieces, depth, roots: OnceLock::new() })
    }

    fn covers(&self, board: &Board) -> bool {
        board.occupied().count() <= self.pieces && board.castling() == CastlingRights::NONE
    }

    pub(crate) fn score(&self, wdl: Wdl, ply: usize) -> Score {
        match wdl.ruled(self.options.fifty_move_rule) {
            Wdl::Loss => ply as Score - TB_WIN,
            Wdl::BlessedLoss => DRAW - CURSED,
            Wdl::Draw => DRAW,
            Wdl::CursedWin => DRAW + CURSED,
            Wdl::Win => TB_WIN - ply as Score,
        }
    }

    /// Ranks the root moves; the first caller probes them and counts the hits, others wait. Returns the maximum number of pieces to probe
    /// below the root, and to the first caller also the problem, if any.
    ///
    /// If the root moves are ranked by distance, or none wins, nothing is probed below the root, since probes would not distinguish the
    /// moves.
    pub(crate) fn rank_root(
        &self,
        game: &Game,
        root: &mut RootMoves,
        control: &Control,
        hits: &AtomicU64,
    ) -> (u32, Option<&'static str>) {
        let mut trouble = None;
        let ranked = self.roots.get_or_init(|| {
            let moves: Vec<Move> = root.all().iter().map(|root| root.mv).collect();
            let ranked = self.rank_roots(game, &moves, control).inspect_err(|&why| trouble = why).ok();
            ranked.inspect(|(ranks, _)| hits.store(ranks.len() as u64, Ordering::Relaxed))
        });
        let Some((ranks, by_distance)) = ranked else { return (self.pieces, trouble) };
        // Where the fifty-move rule leaves the result open, the search scores the move.
        let score = |rank: &RootRank| (!rank.is_open || !self.options.fifty_move_rule).then(|| self.score(rank.wdl, 0));
        root.rank(ranks.iter().map(|rank| (rank.rank, score(rank))));
        let settled = *by_distance || !ranks.iter().any(|rank| rank.rank > 0);
        (if settled { 0 } else { self.pieces }, trouble)
    }

    /// Ranks by distance, or by result if distance tables are missing; gives up if that takes too long.
    fn rank_roots(&self, game: &Game, moves: &[Move], control: &Control) -> Result<Roots, Option<&'static str>> {
        if !self.covers(game.board()) {
            return Err(None);
        }
        let of = |bounds: Bounds| bounds.soft.map_or(bounds.hard / 4, |soft| soft / 2);
        let limit = control.bounds.filter(|_| self.options.deterministic == Determinism::Off).map(of);
        let in_time = || {
            let elapsed = control.elapsed();
            !(control.is_stopped() && elapsed > MAX_STOP_DELAY
                || limit.is_some_and(|limit| elapsed > limit.max(MAX_STOP_DELAY)))
        };
        let all = |rank: &dyn Fn(Move) -> Option<RootRank>| -> Option<Box<[RootRank]>> {
            moves.iter().map(|&mv| in_time().then(|| rank(mv))?).collect()
        };
        let rule = self.options.fifty_move_rule;
        let by_distance = all(&|mv| self.tables.rank_by_distance(game, mv, &in_time)).map(|ranks| (ranks, true));
        let ranked = by_distance.or_else(|| Some((all(&|mv| self.tables.rank_by_result(game, mv, rule))?, false)));
        let is_slow = !in_time() && !control.is_stopped();
        ranked.ok_or_else(|| is_slow.then_some("tablebases are too slow to rank the root moves"))
    }

    /// The result of a position, if it may be probed at this depth in plies.
    pub(crate) fn result(&self, board: &Board, depth: i32) -> Option<Wdl> {
        let needed = self.depth.load(Ordering::Relaxed);
        let counts = needed > self.options.probe_depth as i32 || board.occupied().count() == self.pieces;
        if counts && depth < needed || board.halfmove_clock() > 0 || board.castling() != CastlingRights::NONE {
            return None;
        }
        self.tables.wdl(board)
    }

    /// Raises the minimum depth after a slow probe and returns it, unless it is at its maximum.
    #[cold]
    pub(crate) fn slow_down(&self) -> Option<i32> {
        let raise =
            |depth: i32| (depth < MAX_PROBE_DEPTH as i32).then_some((2 * depth + 2).min(MAX_PROBE_DEPTH as i32));
        self.depth.fetch_update(Ordering::Relaxed, Ordering::Relaxed, raise).ok().and_then(raise)
    }

    /// Truncates a PV before a move that changes its tablebase result or repeats a position, and extends it to mate by distance tables,
    /// within the time and the capacity.
    pub(crate) fn extend_line(&self, root: &Game, line: &mut PvLine, until: Option<Instant>) {
        let late = || until.is_some_and(|until| Instant::now() >= until);
        let sign = |board: &Board| {
            let known = self.covers(board).then(|| self.tables.wdl(board)).flatten();
            known.map(|wdl| wdl.ruled(self.options.fifty_move_rule).value() / 2)
        };
        let mut board = root.board().clone();
        let mut seen = vec![board.key()];
        for index in 0..line.len() {
            if late() {
                return;
            }
            let after = board.after(line[index]);
            let lost = index > 0 && sign(&board).zip(sign(&after)).is_some_and(|(before, after)| before != -after);
            if lost || seen.contains(&after.key()) {
                line.truncate(index);
                break;
            }
            seen.push(after.key());
            board = after;
        }
        while !line.is_full()
            && !late()
            && !board.is_fifty_move_draw()
            && sign(&board).is_some_and(|sign| sign != 0)
            && let Some(mv) = self.tables.best_by_distance(&board, &|| !late())
        {
            board = board.after(mv);
            if seen.contains(&board.key()) {
                break;
            }
            seen.push(board.key());
            line.push(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn probing(options: &SearchOptions) -> Option<Probing> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
        let tables = Tables::open(folder.to_str().expect("text")).expect("tables");
        Probing::new(&Arc::new(tables), options)
    }

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a valid FEN")
    }

    #[test]
    fn probe_limits_are_respected() {
        let rook = board("8/8/8/4k3/8/8/8/KR6 w - - 0 1");
        let deep =
            probing(&SearchOptions { probe_depth: 5, probe_limit: 3, ..SearchOptions::default() }).expect("tables");
        assert_eq!((deep.result(&rook, 4), deep.result(&rook, 5)), (None, Some(Wdl::Win)));
        assert_eq!(deep.result(&board("8/8/8/4k3/8/8/8/KR6 w - - 1 1"), 9), None, "halfmove clock above 0");
        assert!(probing(&SearchOptions { probe_limit: 2, ..SearchOptions::default() }).is_none());
        assert!(!deep.covers(&board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")), "castling rights");
    }

    #[test]
    fn slow_probes_raise_the_probe_depth() {
        let probing = probing(&SearchOptions::default()).expect("tables");
        let depths: Vec<i32> = std::iter::from_fn(|| probing.slow_down()).collect();
        assert_eq!(depths, [4, 10, 22, 46, 94, 100]);
        let rook = board("8/8/8/4k3/8/8/8/KR6 b - - 0 1");
        assert_eq!((probing.result(&rook, 99), probing.result(&rook, 100)), (None, Some(Wdl::Loss)));
    }

    #[test]
    fn scores_depend_on_the_fifty_move_rule() {
        let scores = |fifty_move_rule| {
            let probing = probing(&SearchOptions { fifty_move_rule, ..SearchOptions::default() }).expect("tables");
            [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win].map(|wdl| probing.score(wdl, 3))
        };
        assert_eq!(scores(true), [3 - TB_WIN, -2, 0, 2, TB_WIN - 3]);
        assert_eq!(scores(false), [3 - TB_WIN, 3 - TB_WIN, 0, TB_WIN - 3, TB_WIN - 3]);
    }

    /// The last move gives the rook away or repeats a position; the line is cut before it and extended to mate.
    #[test]
    fn lines_are_truncated_and_extended() {
        let probing = probing(&SearchOptions::default()).expect("tables");
        let game = Game::from_fen("8/8/8/4k3/8/8/8/KR6 w - - 0 1").expect("a valid FEN");
        for moves in ["b1b4 e5d5 b4d4 d5d4", "b1b4 e5d5 b4b1 d5e5"] {
            let mut line = PvLine::new();
            let mut board = game.board().clone();
            for text in moves.split(' ') {
                let mv = board.parse_uci(text, false).expect("a legal move");
                line.push(mv);
                board = board.after(mv);
            }
            probing.extend_line(&game, &mut line, None);
            let mut board = game.board().clone();
            let mut seen = vec![board.key()];
            for (index, &mv) in line.iter().enumerate() {
                assert!(board.is_legal(mv) && (index != 2 || board.uci(mv, false) != "b4d4"), "{moves}");
                board = board.after(mv);
                assert!(!seen.contains(&board.key()), "{moves} repeats {}", board.fen(false));
                seen.push(board.key());
            }
            assert!(board.in_check() && !board.has_legal_move(), "{moves} ends in {}", board.fen(false));
        }
    }

    #[test]
    fn single_slow_probes_do_not_count() {
        let mut since = SinceSlow::NEVER;
        assert!(!since.is_slow_again(true));
        (0..SinceSlow::NEAR).for_each(|_| assert!(!since.is_slow_again(false)));
        assert!(!since.is_slow_again(true), "as rare as waits for a CPU");
        assert!(since.is_slow_again(true));
    }
}
