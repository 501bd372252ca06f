//! Tablebases in the search: the order of the root's moves, results of nodes below it, lines played on to the mate.

use super::job::{Event, Job, SearchOptions};
use super::probe::SearchProbe;
use super::report::PvLine;
use super::root::RootMove;
use super::worker::Search;
use crate::chess::{Board, CastlingRights, Game, Move};
use crate::score::{Bound, DRAW, Score, TB_WIN, is_mate, tablebase_distance};
use crate::smp::sync::{AtomicI32, Ordering};
use crate::tb::{RootRank, Tables, Wdl};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What a win is worth that the fifty-move rule makes a draw of: a little more than a draw.
const CURSED: Score = 2;
/// The greatest depth from which nodes are looked up, in plies.
pub const MOST_PROBE_DEPTH: u64 = 100;
/// Looking up a node may take this long before fewer nodes are looked up.
const SLOW: Duration = Duration::from_millis(4);
/// A stop waits this long for the order of the root's moves.
const STOP_WAITS: Duration = Duration::from_millis(5);
/// The longest that an iteration plays its lines on.
const MOST_FOR_LINES: Duration = Duration::from_millis(100);

/// What a search does with tables, shared by its threads.
pub struct Probing {
    tables: Arc<Tables>,
    /// The most men on a board that is looked up.
    men: u32,
    fifty_moves: bool,
    /// Boards with so many men are looked up from this depth on, in plies.
    asked_depth: i32,
    /// The same for all boards, once storage has been slow.
    depth: AtomicI32,
    /// Whether the time that looking up takes may change anything.
    sees_time: bool,
    roots: OnceLock<Option<Roots>>,
}

/// What tables say of the root's moves.
pub struct Roots {
    /// For each move of the job.
    ranks: Box<[RootRank]>,
    /// By distance, and not by the result alone.
    by_distance: bool,
}

impl Probing {
    /// How a search with these options uses tables; `None` if it does not use them at all.
    pub fn new(tables: &Arc<Tables>, options: &SearchOptions) -> Option<Self> {
        let men = tables.most_men().min(options.probe_limit as u32);
        let asked_depth = options.probe_depth as i32;
        (men > 2).then(|| Self {
            tables: Arc::clone(tables),
            men,
            fifty_moves: options.fifty_move_rule,
            asked_depth,
            depth: AtomicI32::new(asked_depth),
            sees_time: !options.deterministic,
            roots: OnceLock::new(),
        })
    }

    /// Whether tables may know a position.
    fn covers(&self, board: &Board) -> bool {
        board.occupied().count() <= self.men && board.castling() == CastlingRights::NONE
    }

    /// What a result is worth so many plies from the root.
    fn score(&self, wdl: Wdl, ply: usize) -> Score {
        match wdl.ruled(self.fifty_moves) {
            Wdl::Loss => ply as Score - TB_WIN,
            Wdl::BlessedLoss => DRAW - CURSED,
            Wdl::Draw => DRAW,
            Wdl::CursedWin => DRAW + CURSED,
            Wdl::Win => TB_WIN - ply as Score,
        }
    }

    /// What tables say of the root's moves, worked out by the thread that asks first, while the others wait. Also says how
    /// many moves this thread has looked up.
    pub(super) fn roots(&self, job: &Job) -> (Option<&Roots>, u64) {
        let mut hits = 0;
        let roots = self.roots.get_or_init(|| {
            let roots = self.look_up(job);
            hits = roots.as_ref().map_or(0, |roots| roots.ranks.len() as u64);
            roots
        });
        (roots.as_ref(), hits)
    }

    /// By the tables of distances, or of results where those are missing; not at all when that takes too long.
    fn look_up(&self, job: &Job) -> Option<Roots> {
        if !self.covers(job.game.board()) {
            return None;
        }
        let most = job.control.bounds().filter(|_| self.sees_time).map(|bounds| bounds.hard / 4);
        let goes_on = || {
            let elapsed = job.control.elapsed();
            !(job.control.is_stopped() && elapsed > STOP_WAITS
                || most.is_some_and(|most| elapsed > most.max(STOP_WAITS)))
        };
        let all = |rank: &dyn Fn(Move) -> Option<RootRank>| -> Option<Box<[RootRank]>> {
            job.root_moves.iter().map(|&mv| rank(mv).filter(|_| goes_on())).collect()
        };
        let game = &job.game;
        let by_distance = all(&|mv| self.tables.rank_by_distance(game, mv)).map(|ranks| (ranks, true));
        let ranked =
            by_distance.or_else(|| Some((all(&|mv| self.tables.rank_by_result(game, mv, self.fifty_moves))?, false)));
        let Some((ranks, by_distance)) = ranked else {
            if !goes_on() {
                job.tell(Event::Note("tablebases are too slow to order the moves of this position".into()));
            }
            return None;
        };
        Some(Roots { ranks, by_distance })
    }

    /// The rank of the move with this number, and what it is worth.
    pub(super) fn root_move(&self, roots: &Roots, index: usize) -> (i32, Score) {
        roots.ranks.get(index).map_or((0, DRAW), |rank| (rank.rank, self.score(rank.wdl, 0)))
    }

    /// The most men on a board that is looked up below the root. Where distances have put the moves in order, or there is
    /// nothing to win, results below would say the same of all of them.
    pub(super) fn men_below(&self, roots: Option<&Roots>) -> u32 {
        let settled = roots.is_some_and(|roots| roots.by_distance || !roots.ranks.iter().any(|rank| rank.rank > 0));
        if settled { 0 } else { self.men }
    }

    /// The result of a node.
    fn result(&self, board: &Board, depth: i32) -> Option<Wdl> {
        let needed = self.depth.load(Ordering::Relaxed);
        let counts = needed > self.asked_depth || board.occupied().count() == self.men;
        if counts && depth < needed || board.halfmove_clock() > 0 || board.castling() != CastlingRights::NONE {
            return None;
        }
        self.tables.wdl(board)
    }

    /// Storage is slow: from now on fewer nodes are looked up. Returns the least depth from now on if that is news.
    #[cold]
    fn slow_down(&self) -> Option<i32> {
        let raise =
            |depth: i32| (depth < MOST_PROBE_DEPTH as i32).then_some((2 * depth + 2).min(MOST_PROBE_DEPTH as i32));
        self.depth.fetch_update(Ordering::Relaxed, Ordering::Relaxed, raise).ok().and_then(raise)
    }

    /// Cuts a line where a move gives away what tables say of it, and plays it on to the mate where they know how, as long as
    /// there is time and room.
    fn play_on(&self, root: &Game, line: &mut PvLine, until: Option<Instant>) {
        let late = || until.is_some_and(|until| Instant::now() >= until);
        let sign = |board: &Board| {
            let known = self.covers(board).then(|| self.tables.wdl(board)).flatten();
            known.map(|wdl| wdl.ruled(self.fifty_moves).value() / 2)
        };
        let mut board = root.board().clone();
        for index in 0..line.len() {
            if late() {
                return;
            }
            let after = board.after(line[index]);
            let lost = index > 0 && sign(&board).zip(sign(&after)).is_some_and(|(before, after)| before != -after);
            if lost {
                line.truncate(index);
                break;
            }
            board = after;
        }
        while !line.is_full()
            && !late()
            && !board.is_fifty_move_draw()
            && sign(&board).is_some_and(|sign| sign != 0)
            && let Some(mv) = self.tables.best_by_distance(&board)
        {
            line.push(mv);
            board = board.after(mv);
        }
    }
}

impl<P: SearchProbe> Search<'_, P> {
    /// What tables say of a node with few enough men, as a score and how it is to be understood.
    #[inline(never)]
    pub(super) fn probe_tablebases(&mut self, board: &Board, ply: usize, depth: i32) -> Option<(Score, Bound)> {
        let probing = self.job.probing.as_ref()?;
        let start = probing.sees_time.then(Instant::now);
        let wdl = probing.result(board, depth)?;
        self.count_tb_hits(1);
        if start.is_some_and(|start| start.elapsed() > SLOW)
            && let Some(depth) = probing.slow_down()
        {
            let text = format!("tablebases are slow; in this search they are asked from depth {depth} on");
            self.job.tell(Event::Note(text));
        }
        let score = probing.score(wdl, ply);
        let bound = match tablebase_distance(score) {
            None => Bound::Exact,
            Some(_) if score > DRAW => Bound::Lower,
            Some(_) => Bound::Upper,
        };
        Some((score, bound))
    }

    /// Plays the lines found so far on where tables know how they go on, and tells of tables that have gone wrong. What was
    /// played on before is taken over where a line begins the same.
    pub(super) fn play_lines_on(&mut self, before: &[RootMove]) {
        let Some(probing) = &self.job.probing else { return };
        for trouble in probing.tables.take_news() {
            self.job.tell(Event::Note(trouble));
        }
        let control = &self.job.control;
        let until = probing.sees_time.then(|| {
            let share = (control.elapsed() / 4).clamp(Duration::from_millis(5), MOST_FOR_LINES);
            Instant::now() + control.bounds().map_or(share, |bounds| share.min(bounds.hard / 50))
        });
        for line in &mut self.lines {
            let score = line.shown();
            if !is_mate(score) && tablebase_distance(score).is_some() {
                if let Some(longer) = before.iter().find(|other| other.pv.starts_with(&line.pv)) {
                    line.pv.clone_from(&longer.pv);
                }
                probing.play_on(&self.job.game, &mut line.pv, until);
            }
        }
    }
}
