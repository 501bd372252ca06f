//! Models ends of games and results.

use super::coder::Coder;
use super::logistic::{Binary, Rate, bucket, starts};
use lento::chess::{Board, Color};
use lento_common::play::GameResult;

const RATE: Rate = Rate { first: 0.3, slow_down: 0.17, min: 0.003 };
const STEPS: [i32; 15] = [0, 4, 8, 12, 20, 40, 80, 160, 300, 500, 699, 799, 999, 1199, 1499];
const CLASSES: usize = STEPS.len() + 1;

/// Previous plies of a game.
#[derive(Default)]
pub struct Past {
    /// The last scores from White's point of view, latest first.
    scores: [i32; 10],
    plies: usize,
    /// Keys of the positions since the last irreversible move.
    keys: Vec<u64>,
}

impl Past {
    /// Records a position and its score in centipawns from White's point of view.
    pub fn add(&mut self, board: &Board, score: i32) {
        self.scores.copy_within(0..9, 1);
        self.scores[0] = score;
        self.plies += 1;
        if board.halfmove_clock() == 0 {
            self.keys.clear();
        }
        self.keys.push(board.key());
    }

    /// Number of earlier occurrences of a position, at most 3.
    fn occurrences(&self, board: &Board) -> usize {
        if board.halfmove_clock() < 4 {
            return 0;
        }
        self.keys.iter().filter(|&&key| key == board.key()).count().min(3)
    }
}

pub struct Endings {
    continues: Binary<1>,
    result: Binary<2>,
}

const CONTINUES_ROWS: [usize; 5] = starts([2 * CLASSES * 4, CLASSES * 8, 128, CLASSES * 8]);

impl Endings {
    pub fn new() -> Self {
        Self { continues: Binary::new(CONTINUES_ROWS[4], RATE), result: Binary::new(3 * 2 * CLASSES + 32, RATE) }
    }

    /// Codes whether the game continues in a position with legal moves.
    pub fn code_continues<C: Coder>(&mut self, coder: &mut C, past: &Past, board: &Board, continues: bool) -> bool {
        let sizes = past.scores.map(i32::abs);
        let max = sizes.into_iter().fold(0, i32::max);
        let min_of = |plies| sizes[..plies].iter().copied().fold(i32::MAX, i32::min);
        let ply = bucket(past.plies as i32, [0, 9, 39, 49, 89, 199, 398]);
        let early = bucket(past.plies as i32, [0, 5, 9]);
        let clock = bucket(board.halfmove_clock() as i32, [3, 9, 19, 49, 97, 98, 99]);
        let pieces = bucket(board.occupied().count() as i32, [2, 3, 4]);
        let same = usize::from(past.scores[..6].iter().all(|score| score.signum() == past.scores[0].signum()));
        let rows = [
            (same * CLASSES + bucket(min_of(6), STEPS)) * 4 + early,
            bucket(max, STEPS) * 8 + ply,
            (past.occurrences(board) * 8 + clock) * 4 + pieces,
            bucket(min_of(4), STEPS) * 8 + ply,
        ];
        let rows = std::array::from_fn::<_, 4, _>(|index| CONTINUES_ROWS[index] + rows[index]);
        self.continues.code(coder, &rows, 0, continues)
    }

    /// Codes the result of a game that ends in a position; `is_over` if there is no legal move.
    pub fn code_result<C: Coder>(
        &mut self,
        coder: &mut C,
        past: &Past,
        board: &Board,
        is_over: bool,
        result: GameResult,
    ) -> GameResult {
        let score = past.scores[0];
        let class = bucket(score.abs(), STEPS) + CLASSES * usize::from(score < 0);
        let rules = match (is_over, board.in_check()) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2 + usize::from(board.side_to_move() == Color::Black),
        };
        let drawish = usize::from(board.halfmove_clock() >= 100) + 2 * past.occurrences(board).min(2);
        let rows = [class + 2 * CLASSES * rules.min(2), 6 * CLASSES + rules * 8 + drawish];
        if self.result.code(coder, &rows, 0, result == GameResult::Draw) {
            return GameResult::Draw;
        }
        let white = self.result.code(coder, &rows, 1, result == GameResult::WhiteWins);
        if white { GameResult::WhiteWins } else { GameResult::BlackWins }
    }
}
