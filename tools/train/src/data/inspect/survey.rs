//! Counts of a data set.

use super::histogram::Histogram;
use crate::formats::{Filter, Rule, StoredGame, packed};
use bulletformat::ChessBoard;
use lento::chess::{Board, Color};
use lento::internals::endings;
use lento_common::play::GameResult;

/// Maximum score in centipawns; the last bin includes larger ones.
const SCORE_END: i32 = 2000;
/// Maximum ply; the last bin includes later ones.
const PLY_END: i32 = 400;
/// Maximum pieces of tablebases.
pub const TABLEBASE_PIECES: u32 = 7;

/// Indices of the histograms.
pub const SCORES: usize = 0;
pub const PIECES: usize = 1;
pub const PLIES: usize = 2;

/// Counts of games, or of single positions, for which "White" is the side to move.
#[derive(Clone, Debug)]
pub struct Survey {
    filter: Filter,
    pub are_games: bool,
    pub games: u64,
    /// Games by result: White wins, draw, Black wins.
    pub results: [u64; 3],
    /// Plies of the shortest and the longest game.
    pub plies: Option<(usize, usize)>,
    pub positions: u64,
    /// Positions excluded by the filter, by [`Rule`].
    pub excluded: [u64; Rule::NAMES.len()],
    /// Positions kept by the filter; the fields below count only these.
    pub kept: u64,
    pub histograms: [Histogram; 3],
    /// Kings by square, a1 to h8 from their own point of view.
    pub kings: [u64; 64],
    /// Positions by result: White wins, draw, Black wins.
    pub outcomes: [u64; 3],
    /// Endgames for which the evaluation has a rule.
    pub known_endings: u64,
    pub few_pieces: u64,
    keys: Vec<u64>,
    max_keys: usize,
}

/// The side whose scores and results are counted.
pub fn side(are_games: bool) -> &'static str {
    if are_games { "White" } else { "the side to move" }
}

impl Survey {
    /// An empty survey. Compares at most `max_keys` positions to find repetitions, at eight bytes each.
    pub fn new(filter: Filter, max_keys: usize, are_games: bool) -> Self {
        let side = side(are_games);
        let scores = format!("score of {side} in centipawns, up to {SCORE_END} and beyond");
        let plies = format!("plies played before, up to {PLY_END} and beyond");
        Self {
            filter,
            are_games,
            games: 0,
            results: [0; 3],
            plies: None,
            positions: 0,
            excluded: [0; Rule::NAMES.len()],
            kept: 0,
            histograms: [
                Histogram::new("scores", &scores, -SCORE_END..SCORE_END, 100),
                Histogram::new("pieces", "pieces on the board", 2..33, 1),
                Histogram::new("plies", &plies, 0..PLY_END, 20),
            ],
            kings: [0; 64],
            outcomes: [0; 3],
            known_endings: 0,
            few_pieces: 0,
            keys: Vec::new(),
            max_keys,
        }
    }

    pub fn add(&mut self, game: &StoredGame) -> Result<(), String> {
        let result = game.walk(|position| {
            self.positions += 1;
            match self.filter.rule_against(position) {
                Some(rule) => self.excluded[rule as usize] += 1,
                None => {
                    self.keep(&position.board, position.score, position.result);
                    self.histograms[PLIES].add(position.ply as i32);
                }
            }
        })?;
        self.games += 1;
        self.results[result.index()] += 1;
        self.count_plies(Some((game.plies.len(), game.plies.len())));
        Ok(())
    }

    fn count_plies(&mut self, plies: Option<(usize, usize)>) {
        let widest = |(low, high): (usize, usize), (min, max)| (low.min(min), high.max(max));
        self.plies = self.plies.into_iter().chain(plies).reduce(widest);
    }

    /// Counts a single position without the filter.
    pub fn add_packed(&mut self, position: &ChessBoard) {
        self.positions += 1;
        self.keep(&packed::board(position), position.score.into(), packed::result(position));
    }

    /// Counts a position kept by the filter. The score is from White's point of view.
    fn keep(&mut self, board: &Board, score: i32, result: GameResult) {
        let pieces = board.occupied().count();
        self.kept += 1;
        self.histograms[SCORES].add(score);
        self.histograms[PIECES].add(pieces as i32);
        for color in Color::ALL {
            self.kings[board.king(color).index() ^ (56 * color.index())] += 1;
        }
        self.outcomes[result.index()] += 1;
        self.known_endings += u64::from(endings::known(board).is_some());
        self.few_pieces += u64::from(pieces <= TABLEBASE_PIECES);
        if self.keys.len() < self.max_keys {
            self.keys.push(board.key());
        }
    }

    /// Adds the counts of a survey of later positions.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        self.known_endings += other.known_endings;
        self.few_pieces += other.few_pieces;
        add(&mut self.results, &other.results);
        add(&mut self.excluded, &other.excluded);
        add(&mut self.outcomes, &other.outcomes);
        add(&mut self.kings, &other.kings);
        for (sum, part) in self.histograms.iter_mut().zip(&other.histograms) {
            add(&mut sum.counts, &part.counts);
        }
        self.count_plies(other.plies);
        let free = self.max_keys.saturating_sub(self.keys.len());
        self.keys.extend(other.keys.iter().take(free));
    }

    /// The applicable histograms: single positions have no plies.
    pub fn histograms(&self) -> &[Histogram] {
        if self.are_games { &self.histograms } else { &self.histograms[..PLIES] }
    }

    /// Compares up to `max_keys` positions by pieces, side to move, castling rights and en passant. Returns the numbers of compared
    /// and of repeated positions.
    pub fn duplicates(&mut self) -> (u64, u64) {
        self.keys.sort_unstable();
        let repeated = self.keys.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        (self.keys.len() as u64, repeated)
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
    use crate::formats::GameFile;
    use crate::tests::sample;
    use lento::chess::Color;
    use lento_testing::Folder;

    #[test]
    fn totals_are_consistent() {
        let folder = Folder::new("stats-survey");
        let games = sample::games(12, 41);
        let mut twice = sample::bytes(&games);
        twice.extend(twice.clone());
        let path = folder.write("games.vf", &twice);
        let filter = Filter { max_score: 5000, skip_plies: 0, noisy: true };
        let mut survey = Survey::new(filter.clone(), usize::MAX, true);
        for game in GameFile::open(&path).unwrap() {
            survey.add(&game.unwrap()).unwrap();
        }
        let plies: u64 = games.iter().map(|game| game.plies.len() as u64).sum();
        assert_eq!((survey.games, survey.positions), (24, 2 * plies));
        assert_eq!(survey.results.iter().sum::<u64>(), 24);
        let wins = games.iter().filter(|game| game.result == GameResult::WhiteWins).count() as u64;
        assert_eq!(survey.results[0], 2 * wins);
        assert_eq!(survey.histograms[SCORES].total(), survey.kept);
        assert_eq!(survey.outcomes.iter().sum::<u64>(), survey.kept);
        assert_eq!((survey.histograms[PIECES].total(), survey.histograms[PLIES].total()), (survey.kept, survey.kept));
        assert_eq!(survey.kings.iter().sum::<u64>(), 2 * survey.kept);
        assert!(survey.kings[4] > 48, "kings start on e1 from their own point of view");
        assert_eq!(survey.excluded.iter().sum::<u64>(), survey.positions - survey.kept);
        let shortest = games.iter().map(|game| game.plies.len()).min();
        assert_eq!(survey.plies.map(|(shortest, _)| shortest), shortest);
        // All positions of the second half are repeated, and the start position in every game.
        let (compared, repeated) = survey.duplicates();
        assert_eq!(compared, survey.kept);
        assert!(repeated >= survey.kept / 2 + 11 && repeated < survey.kept);
        let mut some = Survey::new(filter, 100, true);
        some.add(&GameFile::open(&path).unwrap().next().unwrap().unwrap()).unwrap();
        assert!(some.duplicates().0 <= 100);
    }

    #[test]
    fn applies_the_filter() {
        let games = sample::games(30, 42);
        let folder = Folder::new("stats-filter");
        let path = folder.write("games.vf", &sample::bytes(&games));
        let mut survey = Survey::new(Filter { max_score: 300, skip_plies: 10, noisy: false }, 0, true);
        for game in GameFile::open(&path).unwrap() {
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
        let of_score = survey.histograms[SCORES].bins().find(|&(start, _)| start == 100).unwrap();
        assert_eq!(of_score.1, white);
        assert_eq!(
            survey.excluded[Rule::FirstPlies as usize],
            games.iter().map(|game| game.plies.len().min(10) as u64).sum::<u64>()
        );
        assert_eq!(survey.duplicates().0, 0);
    }

    #[test]
    fn merged_parts_equal_the_whole() {
        let folder = Folder::new("stats-merge");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(9, 43)));
        let mut whole = Survey::new(Filter::default(), 300, true);
        let mut sum = whole.clone();
        for game in GameFile::open(&path).unwrap().map(Result::unwrap) {
            whole.add(&game).unwrap();
            let mut part = Survey::new(Filter::default(), 300, true);
            part.add(&game).unwrap();
            sum.merge(&part);
        }
        assert!(whole.kept > 300 && sum.keys == whole.keys);
        assert_eq!(format!("{sum:?}"), format!("{whole:?}"));
    }

    #[test]
    fn single_positions_are_from_the_side_to_move() {
        let black = Board::from_fen("4k3/8/8/8/8/8/8/RR1K4 b - - 0 1").unwrap();
        let position = packed::pack(&black, 950, GameResult::WhiteWins);
        let mut survey = Survey::new(Filter::default(), 10, false);
        survey.add_packed(&position);
        survey.add_packed(&position);
        assert_eq!((survey.positions, survey.kept, survey.games), (2, 2, 0));
        assert_eq!((survey.outcomes, survey.duplicates().1), ([0, 0, 2], 1));
        assert_eq!((survey.kings[4], survey.kings[3]), (2, 2));
        assert_eq!(survey.histograms[SCORES].bins().find(|&(_, count)| count > 0).map(|(start, _)| start), Some(-1000));
        assert_eq!((survey.histograms[PIECES].bins().nth(2).unwrap().1, survey.histograms[PLIES].total()), (2, 0));
    }
}
