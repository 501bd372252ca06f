//! What is counted of a data set.

use super::histogram::Histogram;
use crate::formats::packed;
use crate::formats::{DataError, Filter, Rule, StoredGame};
use bulletformat::ChessBoard;
use lento::chess::{Board, Color, fen::FenError};
use lento::eval::classical::{FULL_PHASE, known_ending, phase};
use lento_common::play::record::GameResult;
use lento_common::summary;

/// Scores are counted in steps of this many centipawns.
pub const SCORE_STEP: i32 = 100;
/// Scores beyond this are counted with the last step.
pub const SCORE_END: i32 = 2000;
/// Plies are counted in steps of this many.
pub const PLY_STEP: i32 = 20;
/// Later plies are counted with the last step.
pub const PLY_END: i32 = 400;
/// Positions with so few pieces are in the tables of the exact endings.
pub const TABLEBASE_PIECES: u32 = 7;

/// The sums. Where single positions are counted and not games, "White" is the side to move.
#[derive(Clone, Debug)]
pub struct Survey {
    filter: Filter,
    /// Games.
    pub games: u64,
    /// Games won by White, drawn, won by Black.
    pub results: [u64; 3],
    /// Moves in the shortest and the longest game.
    pub plies: Option<(usize, usize)>,
    /// Positions of all games.
    pub positions: u64,
    /// Positions that each rule of the filter leaves out, in the order of [`Rule::ALL`].
    pub refused: [u64; Rule::ALL.len()],
    /// Positions that the filter takes. All that follows is of these.
    pub kept: u64,
    /// By score from White's view.
    pub scores: Histogram,
    /// By phase: 0 without pieces to 24 with all.
    pub phases: Histogram,
    /// By pieces on the board.
    pub pieces: Histogram,
    /// By the number of plies played before; nothing where positions are no longer in games.
    pub ply: Histogram,
    /// By the squares of both kings, each seen from its own side: a1 to h8.
    pub kings: [u64; 64],
    /// By the game's result: White has won, drawn, Black has won.
    pub outcomes: [u64; 3],
    /// Endings that the evaluation knows, and from which no weights are learned.
    pub known_endings: u64,
    /// Positions of seven pieces or fewer.
    pub few_pieces: u64,
    keys: Vec<u64>,
    room: usize,
}

/// How many positions have occurred before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicates {
    /// The positions that were compared: all, or the first of them.
    pub compared: u64,
    /// Those that had occurred before.
    pub repeated: u64,
}

impl Survey {
    /// Nothing counted yet. No more than `room` positions are compared with each other, at eight bytes each.
    pub fn new(filter: Filter, room: usize) -> Self {
        Self {
            filter,
            games: 0,
            results: [0; 3],
            plies: None,
            positions: 0,
            refused: [0; Rule::ALL.len()],
            kept: 0,
            scores: Histogram::new(-SCORE_END, SCORE_END, SCORE_STEP),
            phases: Histogram::new(0, FULL_PHASE + 1, 1),
            pieces: Histogram::new(2, 33, 1),
            ply: Histogram::new(0, PLY_END, PLY_STEP),
            kings: [0; 64],
            outcomes: [0; 3],
            known_endings: 0,
            few_pieces: 0,
            keys: Vec::new(),
            room,
        }
    }

    /// Counts a game.
    ///
    /// # Errors
    /// It is none.
    pub fn add(&mut self, game: &StoredGame) -> Result<(), DataError> {
        let result = game.walk(|position| {
            self.positions += 1;
            match self.filter.refuses(position) {
                Some(rule) => self.refused[rule as usize] += 1,
                None => {
                    self.keep(&position.board, position.score, position.result);
                    self.ply.add(position.ply as i32);
                }
            }
        })?;
        self.games += 1;
        self.results[result.index()] += 1;
        let (plies, (shortest, longest)) = (game.plies.len(), self.plies.unwrap_or((usize::MAX, 0)));
        self.plies = Some((shortest.min(plies), longest.max(plies)));
        Ok(())
    }

    /// Counts a single position; all are kept.
    ///
    /// # Errors
    /// The position is impossible.
    pub fn add_packed(&mut self, position: &ChessBoard) -> Result<(), FenError> {
        let board = packed::board(position)?;
        self.positions += 1;
        self.keep(&board, position.score.into(), packed::result(position));
        Ok(())
    }

    /// Counts a position that is kept. The score is White's.
    fn keep(&mut self, board: &Board, score: i32, result: GameResult) {
        let pieces = board.occupied().count();
        self.kept += 1;
        self.scores.add(score);
        self.phases.add(phase(board));
        self.pieces.add(pieces as i32);
        for color in Color::ALL {
            self.kings[board.king(color).index() ^ (56 * color.index())] += 1;
        }
        self.outcomes[result.index()] += 1;
        self.known_endings += u64::from(known_ending(board).is_some());
        self.few_pieces += u64::from(pieces <= TABLEBASE_PIECES);
        if self.keys.len() < self.room {
            self.keys.push(board.key());
        }
    }

    /// Counts what another survey has counted, after what was counted here.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        self.known_endings += other.known_endings;
        self.few_pieces += other.few_pieces;
        add(&mut self.results, &other.results);
        add(&mut self.refused, &other.refused);
        add(&mut self.outcomes, &other.outcomes);
        add(&mut self.kings, &other.kings);
        self.scores.merge(&other.scores);
        self.phases.merge(&other.phases);
        self.pieces.merge(&other.pieces);
        self.ply.merge(&other.ply);
        self.plies = match (self.plies, other.plies) {
            (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
            (one, another) => one.or(another),
        };
        let room = self.room.saturating_sub(self.keys.len());
        self.keys.extend(other.keys.iter().take(room));
    }

    /// Whether games were counted, and not single positions.
    pub fn is_of_games(&self) -> bool {
        self.games > 0 || self.positions == 0
    }

    /// Moves in a game on average.
    pub fn average_plies(&self) -> f64 {
        summary::share(self.positions, self.games)
    }

    /// Compares the positions. They count as the same where pieces, side to move, castling rights and en passant are.
    pub fn duplicates(&mut self) -> Duplicates {
        self.keys.sort_unstable();
        let repeated = self.keys.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        Duplicates { compared: self.keys.len() as u64, repeated }
    }
}

fn add(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Shards;
    use crate::sample;
    use lento::chess::Color;
    use lento_common::scratch::Folder;

    #[test]
    fn everything_is_counted_once() {
        let folder = Folder::new("stats-survey");
        let games = sample::games(12, 41);
        let mut twice = sample::bytes(&games);
        twice.extend(twice.clone());
        let path = folder.write("games.vf", &twice);
        let filter = Filter { max_score: 5000, skip_plies: 0, noisy: true };
        let mut survey = Survey::new(filter.clone(), usize::MAX);
        for game in Shards::new(vec![path.clone()]) {
            survey.add(&game.unwrap()).unwrap();
        }
        let plies: u64 = games.iter().map(|game| game.plies.len() as u64).sum();
        assert_eq!((survey.games, survey.positions), (24, 2 * plies));
        assert_eq!(survey.results.iter().sum::<u64>(), 24);
        let wins = games.iter().filter(|game| game.result == GameResult::WhiteWins).count() as u64;
        assert_eq!(survey.results[0], 2 * wins);
        assert_eq!((survey.scores.total(), survey.phases.total()), (survey.kept, survey.kept));
        assert_eq!(survey.outcomes.iter().sum::<u64>(), survey.kept);
        assert_eq!((survey.pieces.total(), survey.ply.total()), (survey.kept, survey.kept));
        assert_eq!(survey.kings.iter().sum::<u64>(), 2 * survey.kept);
        assert!(survey.kings[4] > 48, "both kings of each start position are on e1, as they see it");
        assert_eq!(survey.refused.iter().sum::<u64>(), survey.positions - survey.kept);
        let shortest = games.iter().map(|game| game.plies.len()).min();
        assert_eq!(survey.plies.map(|(shortest, _)| shortest), shortest);
        // All positions of the second half have occurred, and the start position in every game.
        let Duplicates { compared, repeated } = survey.duplicates();
        assert_eq!(compared, survey.kept);
        assert!(repeated >= survey.kept / 2 + 11 && repeated < survey.kept);
        let mut some = Survey::new(filter, 100);
        some.add(&Shards::new(vec![path]).next().unwrap().unwrap()).unwrap();
        assert!(some.duplicates().compared <= 100);
    }

    #[test]
    fn the_filter_and_the_kinds_of_positions_count() {
        let games = sample::games(30, 42);
        let folder = Folder::new("stats-filter");
        let path = folder.write("games.vf", &sample::bytes(&games));
        let mut survey = Survey::new(Filter { max_score: 300, skip_plies: 10, noisy: false }, 0);
        for game in Shards::new(vec![path]) {
            survey.add(&game.unwrap()).unwrap();
        }
        let (mut kept, mut few, mut white) = (0, 0, 0);
        for game in &games {
            let mut board = game.start.clone();
            for (number, ply) in game.plies.iter().enumerate() {
                if number >= 10 && ply.score.abs() <= 300 && ply.mv.is_quiet() && !board.in_check() {
                    kept += 1;
                    few += u64::from(board.occupied().count() <= 7);
                    let score = ply.score * Color::sign(board.side_to_move());
                    white += u64::from((100..200).contains(&score));
                }
                board = board.after(ply.mv);
            }
        }
        assert_eq!((survey.kept, survey.few_pieces), (kept, few));
        assert!(survey.known_endings <= survey.few_pieces + kept / 10);
        let of_score = survey.scores.bins().find(|bin| bin.start == 100).unwrap();
        assert_eq!(of_score.count, white);
        assert_eq!(
            survey.refused[Rule::FirstPlies as usize],
            games.iter().map(|game| game.plies.len().min(10) as u64).sum::<u64>()
        );
        assert_eq!(survey.duplicates().compared, 0);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let folder = Folder::new("stats-merge");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(9, 43)));
        let mut whole = Survey::new(Filter::default(), 300);
        let mut sum = whole.clone();
        for game in Shards::new(vec![path]).map(Result::unwrap) {
            whole.add(&game).unwrap();
            let mut part = Survey::new(Filter::default(), 300);
            part.add(&game).unwrap();
            sum.merge(&part);
        }
        assert!(whole.kept > 300 && sum.keys == whole.keys);
        assert_eq!(format!("{sum:?}"), format!("{whole:?}"));
    }

    #[test]
    fn single_positions_are_the_side_to_moves() {
        let black = Board::from_fen("4k3/8/8/8/8/8/8/RR1K4 b - - 0 1").unwrap();
        let position = packed::pack(&black, 950, GameResult::WhiteWins);
        let mut survey = Survey::new(Filter::default(), 10);
        survey.add_packed(&position).unwrap();
        survey.add_packed(&position).unwrap();
        assert_eq!((survey.positions, survey.kept, survey.games), (2, 2, 0));
        assert_eq!((survey.outcomes, survey.duplicates().repeated), ([0, 0, 2], 1));
        assert_eq!((survey.kings[4], survey.kings[3]), (2, 2));
        assert_eq!(survey.scores.bins().find(|bin| bin.count > 0).map(|bin| bin.start), Some(-1000));
        assert_eq!((survey.pieces.bins().nth(2).unwrap().count, survey.ply.total()), (2, 0));
    }
}
