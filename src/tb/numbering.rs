//! Indexing of positions: maps each position of a table's material to a number, equal for mirror images.
//!
//! Pieces are grouped: first the leading group (two kings, three unique pieces, or the pawns of the side with fewer), then the
//! other side's pawns, then pieces of the same type and color. Mirroring brings the leading group into one part of the board.
//! Each group is numbered among its placements on the remaining squares; the group numbers combine in mixed radix.

use super::material::Material;
use arrayvec::ArrayVec;
use std::sync::LazyLock;

/// Maximum number of pieces in a table, kings included.
pub const MAX_PIECES: usize = 7;

/// A value per piece, in table order.
pub(super) type PerPiece<T> = ArrayVec<T, MAX_PIECES>;

/// Maximum number of pawns in the leading group.
const MAX_LEADING: usize = 5;

/// Distance above the a1-h8 diagonal, negative below it.
fn above_diagonal(square: usize) -> i32 {
    (square / 8) as i32 - (square % 8) as i32
}

/// The square mirrored at the a1-h8 diagonal.
fn transposed(square: usize) -> usize {
    (square / 8) | (square % 8) << 3
}

/// Maps of squares and placements to numbers.
struct Maps {
    /// `choose[k][n]`: binomial coefficient n over k.
    choose: [[u64; 65]; 8],
    /// Squares of the triangle a1-d1-d4: those below the diagonal first.
    triangle: [usize; 64],
    /// Squares below the a1-h8 diagonal.
    below: [usize; 64],
    /// Pairs of kings: by the triangle number of the first and the square of the second.
    kings: [[usize; 64]; 10],
    /// Squares of pawns, greatest at the edge and on the second rank; the leading pawn has the greatest.
    pawn: [usize; 64],
    /// By number of leading pawns and square of the first: first index of its placements within the file.
    lead: [[u64; 64]; MAX_LEADING + 1],
    /// By number of leading pawns and file of the first: number of placements.
    lead_size: [[u64; 4]; MAX_LEADING + 1],
}

static MAPS: LazyLock<Maps> = LazyLock::new(Maps::new);

impl Maps {
    fn new() -> Self {
        let mut maps = Self {
            choose: [[0; 65]; 8],
            triangle: [0; 64],
            below: [0; 64],
            kings: [[0; 64]; 10],
            pawn: [0; 64],
            lead: [[0; 64]; MAX_LEADING + 1],
            lead_size: [[0; 4]; MAX_LEADING + 1],
        };
        for n in 0..=64 {
            maps.choose[0][n] = 1;
            for k in 1..8.min(n + 1) {
                maps.choose[k][n] = maps.choose[k - 1][n - 1] + maps.choose[k][n - 1];
            }
        }
        let below = (0..64).filter(|&square| above_diagonal(square) < 0);
        below.clone().enumerate().for_each(|(number, square)| maps.below[square] = number);
        let diagonal = (0..64).filter(|&square| above_diagonal(square) == 0);
        let triangle: Vec<usize> = below.chain(diagonal).filter(|square| square % 8 < 4).collect();
        triangle.iter().enumerate().for_each(|(number, &square)| maps.triangle[square] = number);
        maps.number_kings(&triangle);
        maps.number_pawns();
        maps
    }

    /// Pairs with both kings on the diagonal come last.
    fn number_kings(&mut self, triangle: &[usize]) {
        let mut number = 0;
        for both_on_diagonal in [false, true] {
            for (place, &first) in triangle.iter().enumerate() {
                for second in 0..64 {
                    let apart = (first % 8).abs_diff(second % 8) > 1 || (first / 8).abs_diff(second / 8) > 1;
                    let (on, above) = (above_diagonal(first) == 0, above_diagonal(second));
                    if apart && !(on && above > 0) && (on && above == 0) == both_on_diagonal {
                        self.kings[place][second] = number;
                        number += 1;
                    }
                }
            }
        }
        debug_assert_eq!(number, KINGS as usize, "number of king pairs");
    }

    fn number_pawns(&mut self) {
        let squares = (0..4).flat_map(|file| (1..7).map(move |rank| (file, 8 * rank + file)));
        for ((_, square), left) in squares.clone().zip((2..=48).rev().step_by(2)) {
            self.pawn[square] = left - 1;
            self.pawn[square ^ 7] = left - 2;
        }
        for pawns in 1..=MAX_LEADING {
            for (file, square) in squares.clone() {
                self.lead[pawns][square] = self.lead_size[pawns][file];
                self.lead_size[pawns][file] += self.choose[pawns - 1][self.pawn[square]];
            }
        }
    }
}

/// Placements of two kings, up to symmetry.
const KINGS: u64 = 462;
/// Placements of three distinct pieces, up to symmetry.
const THREE: u64 = 31_332;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leading {
    Kings,
    Three,
    Pawns,
}

/// Numbering of a table's positions, or of those with the leading pawn on one file.
pub(super) struct Numbering {
    /// Piece codes in file order: 1 for pawn to 6 for king, plus 8 for the lesser side.
    pub pieces: PerPiece<u8>,
    leading: Leading,
    /// Whether the second group also consists of pawns.
    more_pawns: bool,
    /// Size and factor of each group.
    groups: PerPiece<(usize, u64)>,
    pub size: u64,
}

impl Numbering {
    /// Numbering for pieces in this order. `order` holds the positions of the leading group and of the second pawn group among the
    /// factors, 15 for none; `file` is the leading pawn's, 0 to 3. `None` if inconsistent.
    pub(super) fn new(material: Material, pieces: PerPiece<u8>, order: [u8; 2], file: usize) -> Option<Self> {
        let pawns = material.pawns();
        let (leading, together) = match () {
            () if pawns != [0, 0] => (Leading::Pawns, 1),
            () if material.has_single_piece() => (Leading::Three, 3),
            () => (Leading::Kings, 2),
        };
        let more_pawns = pawns[0] > 0 && pawns[1] > 0;
        let mut lengths: PerPiece<usize> = PerPiece::new();
        for index in 0..pieces.len() {
            let joins = index > 0 && (index < together || pieces[index] == pieces[index - 1]);
            match lengths.last_mut() {
                Some(last) if joins => *last += 1,
                _ => lengths.push(1),
            }
        }
        let first = *lengths.first()?;
        if leading == Leading::Pawns && (pieces[0] & 7 != 1 || first > MAX_LEADING)
            || more_pawns && (lengths.len() < 2 || pieces[first] & 7 != 1)
            || leading != Leading::Pawns && first != together
        {
            return None;
        }
        let mut groups: PerPiece<(usize, u64)> = lengths.iter().map(|&length| (length, 0)).collect();
        let fixed = if more_pawns { 2 } else { 1 };
        let mut free = 64 - lengths[..fixed].iter().sum::<usize>();
        let (mut next, mut size, mut place) = (fixed, 1_u64, 0);
        while next < groups.len() || place <= usize::from(order[0]) || more_pawns && place <= usize::from(order[1]) {
            let (group, ways) = if place == usize::from(order[0]) {
                let ways = match leading {
                    Leading::Pawns => MAPS.lead_size[first][file],
                    Leading::Three => THREE,
                    Leading::Kings => KINGS,
                };
                (0, ways)
            } else if more_pawns && place == usize::from(order[1]) {
                (1, MAPS.choose.get(lengths[1])?[48 - first])
            } else {
                let length = *lengths.get(next)?;
                next += 1;
                free -= length;
                (next - 1, MAPS.choose.get(length)?[free + length])
            };
            groups[group].1 = size;
            size = size.checked_mul(ways)?;
            place += 1;
        }
        Some(Self { pieces, leading, more_pawns, groups, size })
    }

    /// Index of a position, given its squares in the order of [`pieces`](Self::pieces), leading pawn first.
    pub(super) fn number(&self, squares: &mut PerPiece<usize>) -> u64 {
        if squares[0] % 8 > 3 {
            squares.iter_mut().for_each(|square| *square ^= 7);
        }
        let first = self.groups[0].0;
        let lead = match self.leading {
            Leading::Pawns => {
                let pawns = &mut squares[..first];
                pawns[1..].sort_unstable_by_key(|&square| MAPS.pawn[square]);
                let others = pawns.iter().enumerate().skip(1);
                MAPS.lead[first][pawns[0]]
                    + others.map(|(nth, &square)| MAPS.choose[nth][MAPS.pawn[square]]).sum::<u64>()
            }
            Leading::Three | Leading::Kings => self.lead_of_pieces(squares),
        };
        let mut number = lead * self.groups[0].1;
        let mut start = first;
        for (index, &(length, weight)) in self.groups.iter().enumerate().skip(1) {
            let (before, rest) = squares.split_at_mut(start);
            let group = &mut rest[..length];
            group.sort_unstable();
            // Pawns have 48 squares, from index 8.
            let base = if index == 1 && self.more_pawns { 8 } else { 0 };
            let ways = group.iter().enumerate().map(|(nth, &square)| {
                let taken = before.iter().filter(|&&other| other < square).count();
                MAPS.choose[nth + 1][square.saturating_sub(taken + base)]
            });
            number += ways.sum::<u64>() * weight;
            start += length;
        }
        number
    }

    /// Number of a leading group without pawns; mirrors all pieces.
    fn lead_of_pieces(&self, squares: &mut PerPiece<usize>) -> u64 {
        if squares[0] / 8 > 3 {
            squares.iter_mut().for_each(|square| *square ^= 56);
        }
        let off = squares[..self.groups[0].0].iter().position(|&square| above_diagonal(square) != 0);
        if off.is_some_and(|off| above_diagonal(squares[off]) > 0) {
            squares.iter_mut().for_each(|square| *square = transposed(*square));
        }
        if self.leading == Leading::Kings {
            return MAPS.kings[MAPS.triangle[squares[0]]][squares[1]] as u64;
        }
        let [a, b, c] = [squares[0], squares[1], squares[2]];
        // Skip squares already taken.
        let less_b = usize::from(b > a);
        let less_c = usize::from(c > a) + usize::from(c > b);
        let number = match off {
            Some(0) => (MAPS.triangle[a] * 63 + b - less_b) * 62 + c - less_c,
            Some(1) => (6 * 63 + a / 8 * 28 + MAPS.below[b]) * 62 + c - less_c,
            Some(2) => 6 * 63 * 62 + 4 * 28 * 62 + (a / 8 * 7 + b / 8 - less_b) * 28 + MAPS.below[c],
            _ => 6 * 63 * 62 + 4 * 28 * 62 + 4 * 7 * 28 + (a / 8 * 7 + b / 8 - less_b) * 6 + c / 8 - less_c,
        };
        number as u64
    }

    /// Moves the leading pawn to the front and returns its file, 0 to 3.
    pub(super) fn lead_file(pawns: &mut [usize]) -> usize {
        let leading = (0..pawns.len()).max_by_key(|&index| MAPS.pawn[pawns[index]]).unwrap_or(0);
        pawns.swap(0, leading);
        let file = pawns[0] % 8;
        file.min(7 - file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Numbering of a table with pieces in this order, e.g. `KQk`.
    fn numbering(name: &str, letters: &str, order: [u8; 2], file: usize) -> Numbering {
        let code = |letter: char| {
            let kind = "pnbrqk".find(letter.to_ascii_lowercase()).expect("a piece") as u8 + 1;
            if letter.is_uppercase() { kind } else { kind + 8 }
        };
        let material = Material::parse(name).expect("material");
        Numbering::new(material, letters.chars().map(code).collect(), order, file).expect("a valid order")
    }

    /// Random distinct squares.
    fn squares(random: &mut fastrand::Rng, pieces: &[u8]) -> PerPiece<usize> {
        let mut squares = PerPiece::new();
        while squares.len() < pieces.len() {
            let pawn = pieces[squares.len()] & 7 == 1;
            let square = if pawn { random.usize(8..56) } else { random.usize(0..64) };
            if !squares.contains(&square) {
                squares.push(square);
            }
        }
        squares
    }

    /// The least of all mirror images, with pieces of a type sorted.
    fn canonical(pieces: &[u8], squares: &[usize], pawns: bool) -> Vec<(u8, usize)> {
        let images = (0..if pawns { 2 } else { 8 }).map(|image| {
            let mirrored = |square: usize| {
                let square = square ^ if image & 1 == 0 { 0 } else { 7 } ^ if image & 2 == 0 { 0 } else { 56 };
                if image & 4 == 0 { square } else { transposed(square) }
            };
            let mut placed: Vec<_> =
                pieces.iter().copied().zip(squares.iter().map(|&square| mirrored(square))).collect();
            placed.sort_unstable();
            placed
        });
        images.min().expect("an image")
    }

    /// Positions share an index only if they are mirror images; images mirrored on both axes share it; all are in range.
    #[test]
    fn indices_are_unique_up_to_symmetry() {
        let mut random = fastrand::Rng::with_seed(3);
        for (name, letters, order) in [
            ("KQvK", "KQk", [0, 15]),
            ("KQQvK", "KkQQ", [1, 15]),
            ("KRBvK", "BKkR", [0, 15]),
            ("KRRvKBB", "kKbbRR", [2, 15]),
            ("KQRBvKNN", "QkKRBnn", [1, 15]),
            ("KPvK", "PkK", [1, 15]),
            ("KPPvKP", "pPPkK", [1, 0]),
            ("KPPPPvK", "PPPPKk", [0, 15]),
            ("KRPPvKPP", "PPppKRk", [2, 1]),
            ("KRPPPvKR", "PPPRrkK", [0, 15]),
        ] {
            let pawns = name.contains('P');
            let mut seen: HashMap<(usize, u64), Vec<(u8, usize)>> = HashMap::new();
            for _ in 0..4000 {
                let pieces = numbering(name, letters, order, 0).pieces;
                let mut squares = squares(&mut random, &pieces);
                let position = canonical(&pieces, &squares, pawns);
                let leading = if pawns { pieces.iter().take_while(|&&piece| piece == pieces[0]).count() } else { 0 };
                let number = |squares: &mut PerPiece<usize>| {
                    let file = if pawns { Numbering::lead_file(&mut squares[..leading]) } else { 0 };
                    let numbering = numbering(name, letters, order, file);
                    let number = numbering.number(squares);
                    assert!(number < numbering.size, "{name} {squares:?}");
                    (file, number)
                };
                // Other mirror images may differ where the leading piece is ambiguous: of two mirrored pawns the left one leads, and
                // nothing is mirrored at the diagonal if all leading pieces are on it.
                let mirror = if pawns { 7 } else { 63 };
                let mut mirrored: PerPiece<usize> = squares.iter().map(|square| square ^ mirror).collect();
                let twins = pawns && squares[..leading].iter().any(|square| squares[..leading].contains(&(square ^ 7)));
                let at = number(&mut squares);
                // Adjacent kings have no index.
                let kings: Vec<usize> = position.iter().filter(|piece| piece.0 & 7 == 6).map(|piece| piece.1).collect();
                let apart = (kings[0] % 8).abs_diff(kings[1] % 8) > 1 || (kings[0] / 8).abs_diff(kings[1] / 8) > 1;
                if apart {
                    assert!(twins || number(&mut mirrored) == at, "{name} {position:?}");
                    assert_eq!(*seen.entry(at).or_insert_with(|| position.clone()), position, "{name}");
                }
            }
        }
    }

    #[test]
    fn sizes_match_the_format() {
        assert_eq!(numbering("KQvK", "KQk", [0, 15], 0).size, THREE);
        assert_eq!(numbering("KQQvK", "KkQQ", [0, 15], 0).size, KINGS * 62 * 61 / 2);
        assert_eq!([0, 1, 2, 3].map(|file| numbering("KPvK", "PkK", [0, 15], file).size), [6 * 63 * 62; 4]);
        assert!(
            Numbering::new(Material::parse("KQvK").expect("material"), PerPiece::from_iter([6, 5, 14]), [9, 15], 0)
                .is_none()
        );
    }
}
