//! Evaluation trace: the contribution of each piece, and each output bucket.

use super::change::Placed;
use super::inputs::InputSet;
use super::inputs::threats::Pieces;
use super::network::Network;
use super::simd::Simd;
use crate::chess::{Board, File, PieceType, Rank, Square};
use crate::score::Score;
use std::fmt;

/// Network trace of a position, printed by `lento eval`. All values are centipawns from White's view.
#[derive(Clone, Debug)]
pub struct Trace {
    pieces: Vec<(Placed, Option<Score>)>,
    /// Value by output bucket.
    pub buckets: Vec<Score>,
    /// The bucket in use.
    pub bucket: usize,
    network: String,
}

impl Trace {
    /// Traces a position.
    pub fn new(network: &Network, simd: Simd, board: &Board) -> Self {
        let bucket = network.output_bucket(board);
        let pieces: Vec<Placed> =
            board.occupied().into_iter().filter_map(|square| Some((board.piece_on(square)?, square))).collect();
        let value = |left_out: Option<Square>, bucket| {
            let present = || pieces.iter().copied().filter(|&(_, square)| Some(square) != left_out);
            let threats = InputSet::new(&present().collect::<Pieces>());
            let side = board.side_to_move();
            let inputs = [side, !side].map(|color| {
                let view = network.architecture().kings.view(color, board.king(color));
                present().map(|(piece, square)| view.feature(piece, square) as u16).collect::<Vec<_>>()
            });
            network.value(simd, inputs.each_ref().map(Vec::as_slice), side, threats.inputs(), bucket) * side.sign()
        };
        let whole = value(None, bucket);
        let worth =
            |(piece, square): Placed| (piece.kind() != PieceType::King).then(|| whole - value(Some(square), bucket));
        Self {
            pieces: pieces.iter().map(|&piece| (piece, worth(piece))).collect(),
            buckets: (0..network.architecture().outputs).map(|bucket| value(None, bucket)).collect(),
            bucket,
            network: network.to_string(),
        }
    }

    /// Value of the position.
    pub fn value(&self) -> Score {
        self.buckets[self.bucket]
    }

    /// Loss of value without the piece on a square; `None` for kings and empty squares.
    pub fn worth(&self, square: Square) -> Option<Score> {
        self.pieces.iter().find(|((_, at), _)| *at == square)?.1
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let edge = format!(" {}+", "+-------".repeat(8));
        for rank in Rank::ALL.into_iter().rev() {
            writeln!(f, "{edge}")?;
            let on = |file| self.pieces.iter().find(|((_, square), _)| *square == Square::new(file, rank));
            let letters = File::ALL.map(|file| on(file).map_or(' ', |((piece, _), _)| piece.letter()));
            let worths = File::ALL.map(|file| on(file).and_then(|(_, worth)| *worth));
            letters.iter().try_for_each(|letter| write!(f, " |   {letter}  "))?;
            writeln!(f, " |")?;
            for worth in worths {
                write!(f, " | {:>5}", worth.map_or_else(String::new, |worth| format!("{worth:+}")))?;
            }
            writeln!(f, " | {}", rank.index() + 1)?;
        }
        writeln!(f, "{edge}\n     a       b       c       d       e       f       g       h\n")?;
        writeln!(f, "Each piece: the change of the value without it, in centipawns from White's view.\n")?;
        writeln!(f, "{:<8}{:>8}", "bucket", "value")?;
        for (index, value) in self.buckets.iter().enumerate() {
            let mark = if index == self.bucket { "  <- counts here" } else { "" };
            writeln!(f, "{index:<8}{value:>+8}{mark}")?;
        }
        write!(f, "\nNetwork {}", self.network)
    }
}
