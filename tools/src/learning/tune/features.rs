//! What the evaluation sees in a position, kept small: 28 bytes and three for each weight in use.

use super::space::{DANGER_OF_SHELTER, INITIATIVES, LINEAR, SHELTER, danger_index, initiative_index, linear_index};
use crate::learning::formats::Position;
use lento::chess::{Board, Color};
use lento::eval::classical::material::FULL_PHASE;
use lento::eval::classical::tracer::{Summary, Tracer};
use lento::eval::classical::{DRAWISH, FADE, FULL_SCALE, Pair, observe};

/// A position apart from its lists of weights.
#[derive(Clone, Debug)]
pub struct PositionRow {
    /// Where its lists begin.
    start: u32,
    /// How many entries there are for linear weights, White's use minus Black's.
    linear: u16,
    /// How many entries follow for the danger to White's and to Black's king; none where there is no attack.
    danger: [u16; 2],
    /// How often the weights of the initiative count.
    pub initiative: [i8; INITIATIVES],
    /// How much of the middlegame sum counts: by phase, drawish ending and fifty-move rule.
    pub mg: f32,
    /// How much of the endgame sum counts.
    pub eg: f32,
    /// The player's score, in centipawns from White's view.
    pub score: i16,
    /// White's half points.
    pub half_points: u8,
    /// Whether the position is kept apart to check the result.
    pub validation: bool,
}

/// Many positions.
#[derive(Clone, Debug, Default)]
pub struct FeatureChunk {
    /// The positions.
    pub rows: Vec<PositionRow>,
    /// The entries' weights. In the lists of danger, [`LINEAR`] and more is a weight of king danger, and less is a weight of
    /// the shelter that the danger depends on.
    weights: Vec<u16>,
    /// How often each counts.
    counts: Vec<i8>,
}

/// A position with its lists.
#[derive(Clone, Copy, Debug)]
pub struct Features<'a> {
    /// The position.
    pub row: &'a PositionRow,
    weights: &'a [u16],
    counts: &'a [i8],
}

impl<'a> Features<'a> {
    /// The linear weights in use, and how often White uses each more than Black.
    #[inline]
    pub fn linear(&self) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        self.part(0, self.row.linear)
    }

    /// The weights of the danger to a color's king.
    #[inline]
    pub fn danger(&self, color: usize) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let before = self.row.linear + if color == 0 { 0 } else { self.row.danger[0] };
        self.part(before, self.row.danger[color])
    }

    #[inline]
    fn part(&self, start: u16, count: u16) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let range = usize::from(start)..usize::from(start) + usize::from(count);
        let weights = self.weights[range.clone()].iter();
        weights.zip(&self.counts[range]).map(|(&weight, &count)| (usize::from(weight), f64::from(count)))
    }
}

impl FeatureChunk {
    /// A position with its lists.
    #[inline]
    pub fn features(&self, index: usize) -> Features<'_> {
        let row = &self.rows[index];
        let count = usize::from(row.linear + row.danger[0] + row.danger[1]);
        let range = row.start as usize..row.start as usize + count;
        Features { row, weights: &self.weights[range.clone()], counts: &self.counts[range] }
    }

    /// How many bytes the positions take.
    pub fn bytes(&self) -> usize {
        self.rows.len() * size_of::<PositionRow>() + self.weights.len() * (size_of::<u16>() + size_of::<i8>())
    }

    /// Gives back what was reserved in vain.
    pub fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.weights.shrink_to_fit();
        self.counts.shrink_to_fit();
    }

    /// Adds an entry; more than a byte can count becomes several.
    fn push(&mut self, weight: u16, mut count: i32) {
        while count != 0 {
            let part = count.clamp(i32::from(i8::MIN), i32::from(i8::MAX));
            self.weights.push(weight);
            self.counts.push(part as i8);
            count -= part;
        }
    }
}

/// Listens to an evaluation and writes down which weights it uses.
pub struct Extractor {
    /// How often each linear weight is used, White's use minus Black's, where `stamps` says that it is of this position.
    sums: Vec<i32>,
    stamps: Vec<u32>,
    stamp: u32,
    /// The linear weights in use, in the order of their first use.
    used: Vec<u16>,
    shelter: [Vec<(u16, i32)>; 2],
    danger: [Vec<(u16, i32)>; 2],
    initiative: [i8; INITIATIVES],
    summary: Summary,
}

impl Extractor {
    /// One that has heard nothing yet.
    pub fn new() -> Self {
        Self {
            sums: vec![0; LINEAR],
            stamps: vec![0; LINEAR],
            stamp: 0,
            used: Vec::new(),
            shelter: Default::default(),
            danger: Default::default(),
            initiative: [0; INITIATIVES],
            summary: Summary::default(),
        }
    }

    /// Adds a position to a chunk; says no where a known ending takes the place of all weights.
    pub fn extract(&mut self, position: &Position, validation: bool, chunk: &mut FeatureChunk) -> bool {
        self.listen(&position.board);
        if self.summary.ending.is_some() {
            return false;
        }
        let start = chunk.weights.len();
        for &weight in &self.used {
            chunk.push(weight, self.sums[usize::from(weight)]);
        }
        let linear = chunk.weights.len() - start;
        let mut danger = [0; 2];
        for (color, entries) in danger.iter_mut().enumerate() {
            let before = chunk.weights.len();
            if !self.danger[color].is_empty() {
                for &(weight, count) in self.danger[color].iter().chain(&self.shelter[color]) {
                    chunk.push(weight, count);
                }
            }
            *entries = (chunk.weights.len() - before) as u16;
        }
        let [mg, eg] = factors(&position.board, &self.summary);
        chunk.rows.push(PositionRow {
            start: start as u32,
            linear: linear as u16,
            danger,
            initiative: self.initiative,
            mg: mg as f32,
            eg: eg as f32,
            score: position.score as i16,
            half_points: position.result.half_points() as u8,
            validation,
        });
        true
    }

    fn listen(&mut self, board: &Board) {
        self.stamp = self.stamp.wrapping_add(1);
        self.used.clear();
        self.shelter.iter_mut().chain(&mut self.danger).for_each(Vec::clear);
        self.initiative = [0; INITIATIVES];
        observe(board, self);
    }
}

impl Tracer for Extractor {
    fn weight(&mut self, color: Color, weight: &'static Pair, count: i32) {
        if count == 0 {
            return;
        }
        let index = linear_index(weight);
        if self.stamps[index] != self.stamp {
            self.stamps[index] = self.stamp;
            self.sums[index] = 0;
            self.used.push(index as u16);
        }
        self.sums[index] += count * color.sign();
        if SHELTER.contains(&index) {
            self.shelter[color.index()].push((index as u16, count));
        }
    }

    fn danger(&mut self, color: Color, weight: &'static i32, count: i32) {
        let index = danger_index(weight);
        // How often the shelter counts follows from the shelter's own weights, which may change.
        if index != DANGER_OF_SHELTER && count != 0 {
            self.danger[color.index()].push(((LINEAR + index) as u16, count));
        }
    }

    fn initiative(&mut self, weight: &'static i32, count: i32) {
        self.initiative[initiative_index(weight)] = count as i8;
    }

    fn summary(&mut self, summary: &Summary) {
        self.summary = *summary;
    }
}

/// How much the middlegame and the endgame sum count in the score.
fn factors(board: &Board, summary: &Summary) -> [f64; 2] {
    let [fade, clock] = [FADE, board.halfmove_clock().min(100) as i32].map(f64::from);
    let left = (fade - clock) / fade;
    let phase = f64::from(summary.phase) / f64::from(FULL_PHASE);
    let scale = f64::from(summary.scale) / f64::from(FULL_SCALE);
    let mg = if summary.scale < DRAWISH { scale } else { 1.0 };
    [left * phase * mg, left * (1.0 - phase) * scale]
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::learning::sample;
    use lento::eval::Classical;

    /// The positions of random games with what the evaluation in play says, from White's view, and their features.
    pub fn positions(games: usize, seed: u64) -> (Vec<(Board, i32)>, FeatureChunk) {
        let (mut boards, mut chunk) = (Vec::new(), FeatureChunk::default());
        let mut extractor = Extractor::new();
        let mut evaluator = Classical::default();
        for (number, game) in sample::games(games, seed).into_iter().enumerate() {
            let mut board = game.start.clone();
            for (index, ply) in game.plies.iter().enumerate() {
                let score = evaluator.evaluate(&board) * board.side_to_move().sign();
                let position = Position { board: board.clone(), score, result: game.result, mv: ply.mv, ply: index };
                if extractor.extract(&position, number % 10 == 9, &mut chunk) {
                    boards.push((board.clone(), score));
                }
                board = board.after(ply.mv);
            }
        }
        (boards, chunk)
    }
}
