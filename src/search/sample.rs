//! Positions inside the trees of searches, drawn at random.

use super::probe::SearchProbe;
use crate::chess::Board;
use crate::chess::zobrist::split_mix;
use crate::smp::sync::Mutex;

/// Which nodes of a search to draw from, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The most positions that each thread draws.
    pub most: usize,
    /// The least remaining depth of their nodes, in plies.
    pub depth: i32,
    /// What decides which.
    pub seed: u64,
}

/// What the threads of a search draw: each node below the root whose moves are searched, and which is deep enough, is as likely as
/// any other of its thread. A position comes up once for each node it has been.
pub struct NodeSample {
    wanted: Draw,
    drawn: Mutex<Vec<Board>>,
}

impl NodeSample {
    /// Nothing has been drawn yet.
    pub fn new(wanted: Draw) -> Self {
        Self { wanted, drawn: Mutex::new(Vec::new()) }
    }

    /// What a thread draws.
    pub fn sampler(&self, thread: usize) -> Sampler<'_> {
        let mut state = self.wanted.seed ^ thread as u64;
        Sampler { sample: self, state: split_mix(&mut state), met: 0, drawn: Vec::with_capacity(self.wanted.most) }
    }

    /// What has been drawn since the last time. No thread may be searching.
    pub fn take(&self) -> Vec<Board> {
        std::mem::take(&mut self.drawn.lock())
    }
}

/// The probe of one thread. What it has drawn is handed over when it goes.
pub struct Sampler<'a> {
    sample: &'a NodeSample,
    state: u64,
    /// How many nodes could have been drawn so far.
    met: u64,
    drawn: Vec<Board>,
}

impl SearchProbe for Sampler<'_> {
    /// Keeps each of the nodes so far with the same chance, however many will come (Vitter's algorithm R).
    fn searched_first(&mut self, board: &Board, ply: usize, depth: i32) {
        let Draw { most, depth: least, .. } = self.sample.wanted;
        if ply == 0 || depth < least {
            return;
        }
        self.met += 1;
        if self.drawn.len() < most {
            self.drawn.push(board.clone());
            return;
        }
        // The high half of the product is a number below `met`.
        let place = (u128::from(split_mix(&mut self.state)) * u128::from(self.met)) >> 64;
        if let Some(old) = self.drawn.get_mut(place as usize) {
            *old = board.clone();
        }
    }
}

impl Drop for Sampler<'_> {
    fn drop(&mut self) {
        self.sample.drawn.lock().append(&mut self.drawn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;

    #[test]
    fn every_node_is_as_likely_as_any_other() {
        let boards = Game::start().board().legal_moves().iter().map(|&mv| Board::start().after(mv)).collect::<Vec<_>>();
        let mut counts = vec![0; boards.len()];
        for seed in 0..1000 {
            let sample = NodeSample::new(Draw { most: 5, depth: 4, seed });
            let mut sampler = sample.sampler(0);
            for board in &boards {
                sampler.searched_first(board, 1, 4);
                // Not these: the root, and what is near the horizon.
                sampler.searched_first(&Board::start(), 0, 9);
                sampler.searched_first(&Board::start(), 2, 3);
            }
            drop(sampler);
            let drawn = sample.take();
            assert!(drawn.len() == 5 && sample.take().is_empty());
            for board in drawn {
                counts[boards.iter().position(|other| *other == board).expect("one of them")] += 1;
            }
        }
        assert!(counts.iter().all(|count| (190..310).contains(count)), "{counts:?}");
    }
}
