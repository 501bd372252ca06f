//! Results of games, counted by material and score.

use crate::formats::StoredGame;
use lento::eval::wdl::{RANGE, material};
use std::ops::RangeInclusive;

/// Won, drawn and lost by the side to move.
pub type Results = [u64; 3];

/// The results of the positions with one amount of material and one score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Within [`RANGE`].
    pub material: i32,
    /// In internal centipawns, from the view of the side to move.
    pub score: i32,
    pub results: Results,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args)]
pub struct Limits {
    /// Leave out positions with a score beyond this many internal centipawns. They are decided, but for a few dead draws
    /// that no logistic curve expects and that would pull it away from where games are open
    #[arg(long, value_name = "CP", default_value_t = 400, value_parser = clap::value_parser!(i32).range(50..=5000))]
    pub max_score: i32,
    /// Leave out this many plies at the start of each game
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub min_ply: usize,
}

#[derive(Clone, Debug)]
pub struct WdlCounts {
    limits: Limits,
    /// By material, then score.
    cells: Vec<Results>,
    pub games: u64,
    /// Positions of all games, before the limits.
    pub positions: u64,
}

impl WdlCounts {
    pub fn new(limits: Limits) -> Self {
        Self { limits, cells: vec![[0; 3]; RANGE.count() * scores(limits)], games: 0, positions: 0 }
    }

    pub fn add_game(&mut self, game: &StoredGame) -> Result<(), String> {
        game.walk(|position| {
            self.positions += 1;
            if position.ply >= self.limits.min_ply {
                let side = position.board.side_to_move();
                self.add(position.score * side.sign(), material(&position.board), position.result.index_for(side));
            }
        })?;
        self.games += 1;
        Ok(())
    }

    /// Counts a position; `outcome` is 0 for a win of the side to move, 1 for a draw, 2 for a loss.
    pub fn add(&mut self, score: i32, material: i32, outcome: usize) {
        if score.abs() <= self.limits.max_score {
            let row = (material.clamp(*RANGE.start(), *RANGE.end()) - RANGE.start()) as usize;
            let column = (score + self.limits.max_score) as usize;
            self.cells[row * scores(self.limits) + column][outcome] += 1;
        }
    }

    pub fn results(&self) -> Results {
        sum(&self.cells)
    }

    /// The cells that are not empty, in ascending order of material and score.
    pub fn cells(&self) -> Vec<Cell> {
        let scores = -self.limits.max_score..=self.limits.max_score;
        let places = RANGE.flat_map(|material| scores.clone().map(move |score| (material, score)));
        let cells = places.zip(&self.cells).map(|((material, score), &results)| Cell { material, score, results });
        cells.filter(|cell| cell.results != [0; 3]).collect()
    }
}

pub fn sum<'a>(results: impl IntoIterator<Item = &'a Results>) -> Results {
    results.into_iter().fold([0; 3], |sum, one| std::array::from_fn(|index| sum[index] + one[index]))
}

/// Divides the range of the material into parts of about the same width.
pub fn bands(count: i32) -> Vec<RangeInclusive<i32>> {
    let (start, width) = (*RANGE.start(), RANGE.count() as i32);
    (0..count).map(|index| start + width * index / count..=start + width * (index + 1) / count - 1).collect()
}

fn scores(limits: Limits) -> usize {
    2 * limits.max_score as usize + 1
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::formats::Shards;
    use crate::tests::sample;
    use lento::chess::Color;
    use lento::eval::wdl::Model;
    use lento_testing::Folder;

    pub const LIMITS: Limits = Limits { max_score: 1000, min_ply: 0 };

    pub fn empty() -> WdlCounts {
        WdlCounts::new(LIMITS)
    }

    /// Results of this many positions with all material and scores up to 600.
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
    fn every_position_is_counted_from_the_view_of_its_side() {
        let games = sample::games(20, 61);
        let folder = Folder::new("wdl-counts");
        let path = folder.write("games.vf", &sample::bytes(&games));
        let limits = Limits { max_score: 400, min_ply: 5 };
        let mut counts = WdlCounts::new(limits);
        for game in Shards::new(vec![path]) {
            counts.add_game(&game.unwrap()).unwrap();
        }
        let (mut positions, mut expected) = (0, WdlCounts::new(limits));
        for game in &games {
            let mut board = game.start.clone();
            for (index, ply) in game.plies.iter().enumerate() {
                positions += 1;
                let points = match board.side_to_move() {
                    Color::White => game.result.half_points(),
                    Color::Black => 2 - game.result.half_points(),
                };
                if index >= 5 {
                    expected.add(ply.score, material(&board), 2 - points as usize);
                }
                board = board.after(ply.mv);
            }
        }
        assert_eq!((counts.games, counts.positions), (20, positions));
        assert_eq!(counts.cells(), expected.cells());
        let kept: u64 = counts.results().iter().sum();
        assert!(kept > 300 && kept < positions - 5 * 20, "{kept} of {positions}");
        let cells = counts.cells();
        assert_eq!(sum(cells.iter().map(|cell| &cell.results)), counts.results());
        assert!(cells.iter().all(|cell| cell.score.abs() <= 400));
        assert!(cells.is_sorted_by_key(|cell| (cell.material, cell.score)));
    }

    #[test]
    fn material_beyond_the_range_counts_at_its_ends() {
        let mut counts = WdlCounts::new(Limits { max_score: 100, min_ply: 0 });
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
}
