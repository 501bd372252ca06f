//! The first layer of the network along the current line of play, worked out only where it is asked for.

use super::change::Change;
use super::features::View;
use super::network::Network;
use super::refresh::Cache;
use super::simd::{Line, Simd};
use super::threats::{Men, Threats};
use crate::chess::{Board, Color, Move, Square};
use crate::score::Score;
use std::sync::Arc;

/// The accumulators of one thread.
///
/// [`start`](Self::start) sets up the position at ply 0. Each move only notes what it changes; [`evaluate`](Self::evaluate) works out
/// the accumulators on the way from the last position whose accumulators are known, or from the refresh cache where the
/// king has gone to where the board is seen otherwise.
pub struct Accumulators {
    network: Arc<Network>,
    simd: Simd,
    cache: Cache,
    plies: Box<[Ply]>,
    /// Two rows for each ply: White's and Black's.
    rows: Box<[Line]>,
    /// The threats of the position that is valued.
    threats: Threats,
}

/// What is known of a position of the line.
#[derive(Clone, Copy)]
struct Ply {
    /// What led here.
    change: Change,
    /// How each color sees the board.
    views: [View; 2],
    /// Whether the row of each color is worked out.
    known: [bool; 2],
}

impl Accumulators {
    /// Accumulators for a network and lines of play of so many positions.
    pub fn new(network: Arc<Network>, simd: Simd, positions: usize) -> Self {
        let kings = &network.architecture().kings;
        let views = Color::ALL.map(|color| kings.view(color, Square::A1));
        let rows = 2 * network.lines() * positions;
        Self {
            cache: Cache::new(&network),
            simd,
            plies: vec![Ply { change: Change::None, views, known: [false; 2] }; positions].into(),
            rows: vec![Line::ZERO; rows].into(),
            threats: Threats::default(),
            network,
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The instruction set.
    pub fn simd(&self) -> Simd {
        self.simd
    }

    /// A line of play begins with this position, at ply 0.
    pub fn start(&mut self, board: &Board) {
        let kings = &self.network.architecture().kings;
        let views = Color::ALL.map(|color| kings.view(color, board.king(color)));
        self.plies[0] = Ply { change: Change::None, views, known: [false; 2] };
        for color in Color::ALL {
            self.refresh(board, 0, color);
        }
    }

    /// A legal move is made in the position at a ply.
    #[inline(always)]
    pub fn play(&mut self, ply: usize, board: &Board, mv: Move) {
        let change = Change::of(board, mv);
        let mut views = self.plies[ply].views;
        let mover = board.side_to_move();
        if let Some(king) = Change::king(board, mv) {
            views[mover.index()] = self.network.architecture().kings.view(mover, king);
        }
        self.plies[ply + 1] = Ply { change, views, known: [false; 2] };
    }

    /// The turn is passed in the position at a ply.
    #[inline(always)]
    pub fn pass(&mut self, ply: usize) {
        self.plies[ply + 1] = Ply { change: Change::None, known: [false; 2], ..self.plies[ply] };
    }

    /// The value of the position at a ply in centipawns, from the view of the side to move.
    #[inline]
    pub fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        for color in Color::ALL {
            self.bring_up(board, ply, color);
        }
        let side = board.side_to_move();
        let bucket = self.network.output_bucket(board);
        if self.network.threat_lines() > 0 {
            self.simd.find_threats(&Men::from(board), &mut self.threats);
        }
        let accumulators = [side, !side].map(|color| self.row(ply, color));
        self.network.value(self.simd, accumulators, side, self.threats.inputs(), bucket)
    }

    /// Works out a row that is not known yet.
    #[inline(always)]
    fn bring_up(&mut self, board: &Board, ply: usize, color: Color) {
        let side = color.index();
        let view = self.plies[ply].views[side];
        let mut first = ply;
        while !self.plies[first].known[side] {
            // The root is always known.
            first -= 1;
            if self.plies[first].views[side] != view {
                return self.refresh(board, ply, color);
            }
        }
        for next in first + 1..=ply {
            self.step(next, color, view);
        }
    }

    /// Works out a row from that of the ply before.
    #[inline(always)]
    fn step(&mut self, ply: usize, color: Color, view: View) {
        let lines = self.network.lines();
        let at = (2 * ply + color.index()) * lines;
        let (before, from_here) = self.rows.split_at_mut(at);
        let (out, from) = (&mut from_here[..lines], &before[at - 2 * lines..][..lines]);
        let row = |(piece, square)| self.network.feature(view.feature(piece, square));
        match self.plies[ply].change {
            Change::None => out.copy_from_slice(from),
            Change::Quiet { off, on } => self.simd.update(out, from, [row(on)], [row(off)]),
            Change::Capture { off, on } => self.simd.update(out, from, [row(on)], off.map(row)),
            Change::Castle { off, on } => self.simd.update(out, from, on.map(row), off.map(row)),
        }
        self.plies[ply].known[color.index()] = true;
    }

    /// Works out a row from the cache.
    fn refresh(&mut self, board: &Board, ply: usize, color: Color) {
        let view = self.plies[ply].views[color.index()];
        let row = self.cache.refresh(&self.network, self.simd, board, view);
        let lines = row.len();
        self.rows[(2 * ply + color.index()) * lines..][..lines].copy_from_slice(row);
        self.plies[ply].known[color.index()] = true;
    }

    #[inline(always)]
    fn row(&self, ply: usize, color: Color) -> &[Line] {
        let lines = self.network.lines();
        &self.rows[(2 * ply + color.index()) * lines..][..lines]
    }
}
