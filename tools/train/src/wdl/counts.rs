//! Counts results of games by material and score, and compares them with a model.

use crate::formats::Position;
use lento::eval::wdl::{Model, RANGE, material};
use std::ops::RangeInclusive;

/// Wins, draws and losses of the side to move.
pub type Results = [u64; 3];

/// Results of the positions with the same material and score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Material within [`RANGE`].
    pub material: i32,
    /// Score in internal centipawns from the point of view of the side to move.
    pub score: i32,
    pub results: Results,
}

/// Score, material and outcome of a position, as counted by [`WdlCounts::add`].
pub fn facts(position: &Position) -> (i32, i32, usize) {
    let side = position.board.side_to_move();
    (position.score * side.sign(), material(&position.board), position.result.index_for(side))
}

#[derive(Clone, Debug)]
pub struct WdlCounts {
    /// Larger scores are excluded.
    max_score: i32,
    /// All cells in ascending order of material and score.
    cells: Vec<Cell>,
    pub games: u64,
    /// Positions of all games, including excluded ones.
    pub positions: u64,
}

impl WdlCounts {
    pub fn new(max_score: i32) -> Self {
        let cell = |material, score| Cell { material, score, results: [0; 3] };
        let cells = RANGE.flat_map(|material| (-max_score..=max_score).map(move |score| cell(material, score)));
        Self { max_score, cells: cells.collect(), games: 0, positions: 0 }
    }

    /// Counts a position; `outcome` is 0 for a win of the side to move, 1 for a draw and 2 for a loss.
    pub fn add(&mut self, score: i32, material: i32, outcome: usize) {
        self.positions += 1;
        if score.abs() <= self.max_score {
            let row = material.clamp(*RANGE.start(), *RANGE.end()) - RANGE.start();
            let index = row * (2 * self.max_score + 1) + score + self.max_score;
            self.cells[index as usize].results[outcome] += 1;
        }
    }

    pub fn results(&self) -> Results {
        sum(&self.cells)
    }

    /// The nonempty cells in ascending order of material and score.
    pub fn cells(&self) -> Vec<Cell> {
        self.cells.iter().filter(|cell| cell.results != [0; 3]).copied().collect()
    }
}

pub fn sum(cells: &[Cell]) -> Results {
    cells.iter().fold([0; 3], |sum, cell| std::array::from_fn(|index| sum[index] + cell.results[index]))
}

/// Divides the range of material into parts of similar width.
pub fn bands(count: i32) -> Vec<RangeInclusive<i32>> {
    let (start, width) = (*RANGE.start(), RANGE.count() as i32);
    (0..count).map(|index| start + width * index / count..=start + width * (index + 1) / count - 1).collect()
}

/// Positions with similar scores.
#[derive(Clone, Debug, PartialEq)]
pub struct Frequency {
    /// Lowest score.
    pub start: i32,
    /// Highest score plus 1.
    pub end: i32,
    pub results: Results,
    /// Expected numbers of results by the model.
    pub expected: [f64; 3],
}

impl Frequency {
    pub fn positions(&self) -> u64 {
        self.results.iter().sum()
    }

    /// Observed shares of won, drawn and lost positions.
    pub fn observed(&self) -> [f64; 3] {
        self.results.map(|count| count as f64 / self.positions().max(1) as f64)
    }

    /// Predicted shares by the model.
    pub fn predicted(&self) -> [f64; 3] {
        self.expected.map(|count| count / self.positions().max(1) as f64)
    }

    pub fn middle(&self) -> f64 {
        f64::from(self.start + self.end - 1) / 2.0
    }
}

/// Frequencies by score in ranges of a width, aligned around zero; omits empty ranges.
pub fn frequencies(cells: &[Cell], model: &Model, width: i32) -> Vec<Frequency> {
    let mut all: Vec<Frequency> = Vec::new();
    let mut cells = cells.to_vec();
    cells.sort_by_key(|cell| cell.score);
    for Cell { material, score, results } in cells {
        let start = (score + width / 2).div_euclid(width) * width - width / 2;
        if all.last().is_none_or(|last| last.start != start) {
            all.push(Frequency { start, end: start + width, results: [0; 3], expected: [0.0; 3] });
        }
        let Some(frequency) = all.last_mut() else { continue };
        let positions = results.iter().sum::<u64>() as f64;
        for (index, chance) in model.chances(score, material).into_iter().enumerate() {
            frequency.results[index] += results[index];
            frequency.expected[index] += positions * chance;
        }
    }
    all
}

/// Mean error of the share of won games over the positions.
pub fn error(frequencies: &[Frequency]) -> f64 {
    let positions: u64 = frequencies.iter().map(Frequency::positions).sum();
    let error = |frequency: &Frequency| (frequency.results[0] as f64 - frequency.expected[0]).abs();
    frequencies.iter().map(error).sum::<f64>() / positions.max(1) as f64
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::formats::GameFile;
    use crate::tests::sample;
    use lento::chess::Color;
    use lento_testing::Folder;

    pub fn empty() -> WdlCounts {
        WdlCounts::new(1000)
    }

    /// Random results of positions with any material and scores up to 600.
    pub fn counts(model: &Model, positions: usize, seed: u64) -> WdlCounts {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut counts = empty();
        for _ in 0..positions {
            let (material, score) = (random.i32(RANGE), random.i32(-600..=600));
            let [win, draw, _] = model.chances(score, material);
            let place = random.f64();
            counts.add(score, material, usize::from(place >= win) + usize::from(place >= win + draw));
        }
        counts
    }

    #[test]
    fn counts_positions_from_the_side_to_move() {
        let games = sample::games(20, 61);
        let folder = Folder::new("wdl-counts");
        let path = folder.write("games.vf", &sample::bytes(&games));
        let mut counts = WdlCounts::new(400);
        for game in GameFile::open(&path).unwrap() {
            let count = |position: &Position| {
                let (score, material, outcome) = facts(position);
                counts.add(score, material, outcome);
            };
            game.unwrap().walk(count).unwrap();
        }
        let (mut positions, mut expected) = (0, WdlCounts::new(400));
        for game in &games {
            let mut board = game.start.clone();
            for ply in &game.plies {
                positions += 1;
                let points = match board.side_to_move() {
                    Color::White => game.result.half_points(),
                    Color::Black => 2 - game.result.half_points(),
                };
                expected.add(ply.score, material(&board), 2 - points as usize);
                board = board.after(ply.mv);
            }
        }
        assert_eq!(counts.positions, positions);
        assert_eq!(counts.cells(), expected.cells());
        let kept: u64 = counts.results().iter().sum();
        assert!(kept > 300 && kept < positions, "{kept} of {positions}");
        let cells = counts.cells();
        assert_eq!(sum(&cells), counts.results());
        assert!(cells.iter().all(|cell| cell.score.abs() <= 400));
        assert!(cells.is_sorted_by_key(|cell| (cell.material, cell.score)));
    }

    #[test]
    fn material_is_clamped_to_the_range() {
        let mut counts = WdlCounts::new(100);
        for (score, material) in [(100, 0), (-100, 200), (101, 40), (-101, 40)] {
            counts.add(score, material, 1);
        }
        let cell = |material, score| Cell { material, score, results: [0, 1, 0] };
        assert_eq!(counts.cells(), [cell(*RANGE.start(), 100), cell(*RANGE.end(), -100)]);
    }

    #[test]
    fn bands_cover_the_range() {
        for count in [1, 4, 10] {
            let bands = bands(count);
            assert_eq!(bands.len() as i32, count);
            assert!(bands.iter().cloned().flatten().eq(RANGE), "{bands:?}");
        }
    }

    const MODEL: Model = Model { a: [100.0, 40.0, 0.0, 0.0], b: [60.0, 10.0, 0.0, 0.0] };

    #[test]
    fn frequencies_group_positions_by_score() {
        let mut counts = empty();
        for (score, material, outcome) in
            [(-25, 20, 2), (-26, 20, 1), (24, 70, 0), (25, 20, 0), (74, 78, 1), (0, 20, 1)]
        {
            counts.add(score, material, outcome);
        }
        let all = frequencies(&counts.cells(), &MODEL, 50);
        let found: Vec<_> = all.iter().map(|f| (f.start, f.end, f.results)).collect();
        assert_eq!(found, [(-75, -25, [0, 1, 0]), (-25, 25, [1, 1, 1]), (25, 75, [1, 1, 0])]);
        let chances = MODEL.chances(25, 20).into_iter().zip(MODEL.chances(74, 78));
        for (predicted, (a, b)) in all[2].predicted().into_iter().zip(chances) {
            assert!((predicted - (a + b) / 2.0).abs() < 1e-12);
        }
        assert_eq!((all[2].observed(), all[1].middle()), ([0.5, 0.5, 0.0], -0.5));
        assert!(frequencies(&[], &MODEL, 50).is_empty() && error(&[]) == 0.0);
    }

    #[test]
    fn error_is_small_only_for_the_true_model() {
        let cells = self::counts(&MODEL, 300_000, 81).cells();
        let error = |model| super::error(&frequencies(&cells, model, 50));
        assert!(error(&MODEL) < 0.004, "{}", error(&MODEL));
        let other = Model { a: [60.0, 0.0, 0.0, 0.0], ..MODEL };
        assert!(error(&other) > 0.03, "{}", error(&other));
    }
}
