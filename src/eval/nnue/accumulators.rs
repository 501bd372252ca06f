//! Lazily updated accumulators along the line being searched.

use super::change::Change;
use super::inputs::InputSet;
use super::inputs::features::View;
use super::inputs::threats::Pieces;
use super::network::Network;
use super::simd::{CacheLine, Isa, Kernel, Simd};
use crate::chess::fen::MAX_PIECES;
use crate::chess::{Bitboard, Board, Color, MoveDelta, Piece, Square};
use crate::huge_pages::HugeBox;
use crate::score::Score;
use arrayvec::ArrayVec;
use std::sync::Arc;

/// One thread's accumulators.
///
/// [`start`](Self::start) sets up the root at ply 0. Moves are only recorded; [`evaluate`](Self::evaluate) updates from the last computed
/// ply, or from the refresh cache if the king's view of the board has changed since.
pub struct Accumulators {
    network: Arc<Network>,
    simd: Simd,
    plies: Box<[Ply]>,
    /// Two rows per ply: White's and Black's.
    rows: HugeBox<[CacheLine]>,
    /// Refresh cache ("Finny tables", Luecx, 2023): the position of the last refresh of each view.
    cached_boards: Box<[[Bitboard; Piece::COUNT]]>,
    /// The accumulator of each cached position.
    cached_rows: HugeBox<[CacheLine]>,
    /// Threat inputs of the position being evaluated.
    threats: InputSet,
}

#[derive(Clone, Copy)]
struct Ply {
    /// The move that led here.
    change: Change,
    /// Each color's view of the board.
    views: [View; 2],
    /// Whether each color's row is up to date.
    computed: [bool; 2],
}

impl Accumulators {
    /// For a network and up to `positions` plies.
    pub fn new(network: Arc<Network>, simd: Simd, positions: usize) -> Self {
        let kings = &network.architecture().kings;
        let views = Color::ALL.map(|color| kings.view(color, Square::A1));
        let (rows, biases) = (2 * network.lines() * positions, network.biases());
        Self {
            // Empty boards.
            cached_boards: vec![[Bitboard::EMPTY; Piece::COUNT]; 4 * kings.count()].into(),
            cached_rows: HugeBox::from_fn(4 * kings.count() * biases.len(), |line| biases[line % biases.len()]),
            simd,
            plies: vec![Ply { change: Change::None, views, computed: [false; 2] }; positions].into(),
            rows: HugeBox::from_fn(rows, |_| CacheLine::ZERO),
            threats: InputSet::default(),
            network,
        }
    }

    /// Whether the accumulators are those of this network and instruction set.
    pub fn belong_to(&self, network: &Arc<Network>, simd: Simd) -> bool {
        Arc::ptr_eq(&self.network, network) && self.simd == simd
    }

    /// Sets up the root.
    pub fn start(&mut self, board: &Board) {
        let kings = &self.network.architecture().kings;
        let views = Color::ALL.map(|color| kings.view(color, board.king(color)));
        self.plies[0] = Ply { change: Change::None, views, computed: [false; 2] };
        for color in Color::ALL {
            self.refresh(board, 0, color);
        }
    }

    /// Records a legal move made at a ply.
    #[inline(always)]
    pub fn play(&mut self, ply: usize, delta: &MoveDelta) {
        let change = Change::of(delta);
        let mut views = self.plies[ply].views;
        let mover = delta.mover.color();
        if let Some(king) = change.king() {
            views[mover.index()] = self.network.architecture().kings.view(mover, king);
        }
        self.plies[ply + 1] = Ply { change, views, computed: [false; 2] };
    }

    /// Records a null move made at a ply.
    #[inline(always)]
    pub fn pass(&mut self, ply: usize) {
        self.plies[ply + 1] = Ply { change: Change::None, computed: [false; 2], ..self.plies[ply] };
    }

    /// Evaluation at a ply in centipawns, from the side to move's view.
    #[inline]
    pub fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        self.simd.run(Evaluate { accumulators: self, board, ply })
    }

    /// Brings a row up to date.
    #[inline(always)]
    fn update_row<I: Isa>(&mut self, isa: I, board: &Board, ply: usize, color: Color) {
        let side = color.index();
        let view = self.plies[ply].views[side];
        let mut first = ply;
        while !self.plies[first].computed[side] {
            // The root's rows are always up to date.
            first -= 1;
            if self.plies[first].views[side] != view {
                return self.refresh(board, ply, color);
            }
        }
        for next in first + 1..=ply {
            self.apply_change(isa, next, color, view);
        }
    }

    /// Updates a row from the previous ply.
    #[inline(always)]
    fn apply_change<I: Isa>(&mut self, isa: I, ply: usize, color: Color, view: View) {
        let lines = self.network.lines();
        let at = (2 * ply + color.index()) * lines;
        let (before, from_here) = self.rows.split_at_mut(at);
        let (out, from) = (&mut from_here[..lines], &before[at - 2 * lines..][..lines]);
        let row = |(piece, square)| self.network.feature(view.feature(piece, square));
        match self.plies[ply].change {
            Change::None => out.copy_from_slice(from),
            Change::Quiet { off, on } => isa.update(out, from, [row(on)], [row(off)]),
            Change::Capture { off, on } => isa.update(out, from, [row(on)], off.map(row)),
            Change::Castle { off, on } => isa.update(out, from, on.map(row), off.map(row)),
        }
        self.plies[ply].computed[color.index()] = true;
    }

    /// Recomputes a row from the refresh cache. The cached position usually differs by a few pieces only, which is far cheaper than
    /// adding all rows.
    fn refresh(&mut self, board: &Board, ply: usize, color: Color) {
        let view = self.plies[ply].views[color.index()];
        let index = view.index();
        let [mut adds, mut subs] = [(); 2].map(|()| ArrayVec::<u16, { MAX_PIECES as usize }>::new());
        for (piece, old) in Piece::ALL.into_iter().zip(&mut self.cached_boards[index]) {
            let new = board.pieces(piece.color(), piece.kind());
            let feature = |square| view.feature(piece, square) as u16;
            adds.extend((new & !*old).into_iter().map(feature));
            subs.extend((*old & !new).into_iter().map(feature));
            *old = new;
        }
        let lines = self.network.lines();
        let cached = &mut self.cached_rows[index * lines..][..lines];
        self.simd.run(Differences { row: cached, network: &self.network, adds: &adds, subs: &subs });
        self.rows[(2 * ply + color.index()) * lines..][..lines].copy_from_slice(cached);
        self.plies[ply].computed[color.index()] = true;
    }
}

/// Arguments of [`Accumulators::evaluate`].
struct Evaluate<'a> {
    accumulators: &'a mut Accumulators,
    board: &'a Board,
    ply: usize,
}

impl Kernel for Evaluate<'_> {
    type Output = Score;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Score {
        let Self { accumulators, board, ply } = self;
        for color in Color::ALL {
            accumulators.update_row(isa, board, ply, color);
        }
        let Accumulators { network, rows, threats, .. } = accumulators;
        if network.architecture().threats > 0 {
            threats.find(isa, &Pieces::from(board));
        }
        let side = board.side_to_move();
        let lines = network.lines();
        let rows = [side, !side].map(|color| &rows[(2 * ply + color.index()) * lines..][..lines]);
        network.output(isa, rows, side, threats.inputs(), network.output_bucket(board))
    }
}

/// Differences between two positions to add to an accumulator.
struct Differences<'a> {
    row: &'a mut [CacheLine],
    network: &'a Network,
    adds: &'a [u16],
    subs: &'a [u16],
}

impl Kernel for Differences<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        isa.apply(self.row, self.network.features(), self.adds, self.subs);
    }
}
