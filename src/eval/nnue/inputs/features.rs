//! Piece-square inputs, seen from each side.

use crate::chess::{Color, Piece, Square};

/// Inputs per king bucket: six own and six enemy piece types on 64 squares.
pub const INPUTS: usize = 768;
/// King squares after mirroring to files a to d.
pub const KING_SQUARES: usize = 32;

/// King buckets: for each square of files a to d, rank by rank from the own back rank, the bucket whose weights it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KingBuckets {
    map: [u8; KING_SQUARES],
    count: usize,
}

impl KingBuckets {
    /// Layouts known to [`named`](Self::named).
    pub const NAMES: [&str; 3] = ["one", "three", "six"];

    /// Buckets by this map; `None` unless the numbers are contiguous from 0.
    pub fn new(map: [u8; KING_SQUARES]) -> Option<Self> {
        let count = map.iter().map(|&bucket| usize::from(bucket) + 1).max().unwrap_or(1);
        let gapless = (0..count).all(|wanted| map.iter().any(|&bucket| usize::from(bucket) == wanted));
        gapless.then_some(Self { map, count })
    }

    /// A layout by name.
    pub fn named(name: &str) -> Option<Self> {
        // One digit per square, a1 to d1 first.
        let digits: &[u8; KING_SQUARES] = match name {
            "one" => b"00000000000000000000000000000000",
            "three" => b"00110011222222222222222222222222",
            "six" => b"00112233445544555555555555555555",
            _ => return None,
        };
        Self::new(digits.map(|digit| digit - b'0'))
    }

    /// Number of buckets.
    #[inline(always)]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Bucket of each king square.
    pub const fn map(&self) -> &[u8; KING_SQUARES] {
        &self.map
    }

    /// A side's view with its king on a square.
    #[inline(always)]
    pub fn view(&self, side: Color, king: Square) -> View {
        let ranks = 56 * side.index();
        let mirror = if king.index() & 7 >= 4 { 7 } else { 0 };
        let flip = (ranks ^ mirror) as u8;
        let seen = king.index() ^ usize::from(flip);
        View { side, flip, bucket: self.map[seen / 8 * 4 + seen % 8 % 4] }
    }
}

/// A side's view of the board: seen from its own end, mirrored so that its king is on files a to d, with a king bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    side: Color,
    /// XOR mask for squares.
    flip: u8,
    bucket: u8,
}

impl View {
    /// Index of a piece's input: its row of feature weights.
    #[inline(always)]
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        let enemy = usize::from(piece.color() != self.side);
        let piece = (enemy * 6 + piece.kind().index()) * 64;
        usize::from(self.bucket) * INPUTS + piece + (square.index() ^ usize::from(self.flip))
    }

    /// Index of the view: four per bucket.
    #[inline(always)]
    pub fn index(self) -> usize {
        (usize::from(self.bucket) * 2 + usize::from(self.flip & 7 != 0)) * 2 + self.side.index()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::PieceType;

    #[test]
    fn inputs_are_distinct() {
        for king in [Square::A1, Square::H8] {
            for side in Color::ALL {
                let view = KingBuckets::named("one").unwrap().view(side, king);
                let mut seen = [false; INPUTS];
                for piece in Piece::ALL {
                    for index in 0..64 {
                        let feature = view.feature(piece, Square::from_index(index));
                        assert!(!std::mem::replace(&mut seen[feature], true), "{piece:?} {index}");
                    }
                }
            }
        }
    }

    #[test]
    fn views_of_mirrored_and_flipped_boards_agree() {
        let (pawn, knight) = (Piece::new(Color::White, PieceType::Pawn), Piece::new(Color::Black, PieceType::Knight));
        let turned = |piece: Piece| Piece::new(!piece.color(), piece.kind());
        for name in KingBuckets::NAMES {
            let buckets = KingBuckets::named(name).unwrap();
            for king in 0..64 {
                let views = [0, 7, 56, 63].map(|flip: usize| {
                    let side = if flip >= 56 { Color::Black } else { Color::White };
                    (flip, buckets.view(side, Square::from_index(king ^ flip)))
                });
                for piece in [pawn, knight] {
                    for square in 0..64 {
                        let features = views.map(|(flip, view)| {
                            let piece = if flip >= 56 { turned(piece) } else { piece };
                            view.feature(piece, Square::from_index(square ^ flip))
                        });
                        assert_eq!(features, [features[0]; 4], "{name} {king} {square}");
                    }
                }
            }
        }
    }

    #[test]
    fn layouts_are_contiguous() {
        for (name, count) in KingBuckets::NAMES.into_iter().zip([1, 3, 6]) {
            assert_eq!(KingBuckets::named(name).unwrap().count(), count);
        }
        assert_eq!(KingBuckets::new(std::array::from_fn(|square| square as u8)).unwrap().count(), KING_SQUARES);
        assert_eq!(KingBuckets::named("two"), None);
        assert_eq!(KingBuckets::new([2; KING_SQUARES]), None);
    }
}
