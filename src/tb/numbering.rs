//! The numbers of positions: each position of a table's material has one, those that mirror each other the same.
//!
//! The pieces come in groups: first the leading one, two kings, three single pieces, or the pawns of the side that has
//! fewer, then the other side's pawns, then pieces of the same kind and color. The leading group is brought to one part of
//! the board by mirroring. Each group has a number among all ways to set it up on the squares that those before it leave, and
//! the number of the position is made of these as a number is made of digits.

use super::material::Material;
use arrayvec::ArrayVec;

/// The most men on a board for which tables exist.
pub const MOST_MEN: usize = 7;

/// For each piece a value, in the order of the table.
pub type PerMan<T> = ArrayVec<T, MOST_MEN>;

/// The most pawns that lead.
const MOST_LEADING: usize = 5;

/// How far a square lies above the long diagonal, negative below it.
const fn above_diagonal(square: usize) -> i32 {
    (square / 8) as i32 - (square % 8) as i32
}

/// The square mirrored on the long diagonal.
const fn transposed(square: usize) -> usize {
    (square / 8) | (square % 8) << 3
}

/// `CHOOSE[k][n]`: how many ways there are to choose k of n squares.
static CHOOSE: [[u64; 65]; 8] = CHOICES;

/// The same for other constants, which cannot read a static.
const CHOICES: [[u64; 65]; 8] = choose();

const fn choose() -> [[u64; 65]; 8] {
    let mut table = [[0; 65]; 8];
    let mut n = 0;
    while n <= 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k < 8 && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
}

/// The numbers of squares and of pairs of squares.
struct Maps {
    /// Of the triangle a1, d1, d4: first what lies below the diagonal, then the diagonal.
    triangle: [usize; 64],
    /// Of what lies below the long diagonal.
    below: [usize; 64],
    /// Of two kings, the first one in the triangle, by its number there.
    kings: [[usize; 64]; 10],
    /// Of pawns: greatest at the edge and on the second rank. The leading pawn has the greatest.
    pawn: [usize; 64],
    /// For so many leading pawns and the square of the leading one, how many ways come before it in its part of the table.
    lead: [[u64; 64]; MOST_LEADING + 1],
    /// For so many leading pawns and the file of the leading one, how many ways there are.
    lead_size: [[u64; 4]; MOST_LEADING + 1],
}

static MAPS: Maps = Maps::new();

impl Maps {
    const fn new() -> Self {
        let mut maps = Self {
            triangle: [0; 64],
            below: [0; 64],
            kings: [[0; 64]; 10],
            pawn: [0; 64],
            lead: [[0; 64]; MOST_LEADING + 1],
            lead_size: [[0; 4]; MOST_LEADING + 1],
        };
        maps.number_squares();
        maps.number_kings();
        maps.number_pawns();
        maps
    }

    const fn number_squares(&mut self) {
        let (mut square, mut below, mut triangle, mut diagonal) = (0, 0, 0, 6);
        while square < 64 {
            let above = above_diagonal(square);
            if above < 0 {
                self.below[square] = below;
                below += 1;
            }
            if square % 8 < 4 && above < 0 {
                self.triangle[square] = triangle;
                triangle += 1;
            } else if square % 8 < 4 && above == 0 {
                self.triangle[square] = diagonal;
                diagonal += 1;
            }
            square += 1;
        }
    }

    /// Pairs of which both stand on the diagonal come last.
    const fn number_kings(&mut self) {
        let (mut number, mut both_diagonal) = (0, 0);
        while both_diagonal < 2 {
            let mut place = 0;
            while place < 10 {
                let first = self.triangle_square(place);
                let mut second = 0;
                while second < 64 {
                    let apart = (first % 8).abs_diff(second % 8) > 1 || (first / 8).abs_diff(second / 8) > 1;
                    let (on, above) = (above_diagonal(first) == 0, above_diagonal(second));
                    let last = on && above == 0;
                    if apart && !(on && above > 0) && last == (both_diagonal == 1) {
                        self.kings[place][second] = number;
                        number += 1;
                    }
                    second += 1;
                }
                place += 1;
            }
            both_diagonal += 1;
        }
        assert!(number == KINGS as usize, "a fact of chess");
    }

    /// The square of the triangle with this number.
    const fn triangle_square(&self, number: usize) -> usize {
        let mut square = 0;
        while square % 8 > 3 || above_diagonal(square) > 0 || self.triangle[square] != number {
            square += 1;
        }
        square
    }

    const fn number_pawns(&mut self) {
        let (mut file, mut left) = (0, 48);
        while file < 4 {
            let mut rank = 1;
            while rank < 7 {
                self.pawn[8 * rank + file] = left - 1;
                self.pawn[8 * rank + 7 - file] = left - 2;
                left -= 2;
                rank += 1;
            }
            file += 1;
        }
        let mut pawns = 1;
        while pawns <= MOST_LEADING {
            let mut file = 0;
            while file < 4 {
                let (mut rank, mut ways) = (1, 0);
                while rank < 7 {
                    let square = 8 * rank + file;
                    self.lead[pawns][square] = ways;
                    ways += CHOICES[pawns - 1][self.pawn[square]];
                    rank += 1;
                }
                self.lead_size[pawns][file] = ways;
                file += 1;
            }
            pawns += 1;
        }
    }
}

/// Ways to set up two kings, but for mirroring.
const KINGS: u64 = 462;
/// Ways to set up three different pieces, but for mirroring.
const THREE: u64 = 31_332;

/// What leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leading {
    Kings,
    Three,
    Pawns,
}

/// How the positions of a table are numbered, or of the part of it where the leading pawn stands on one file.
#[derive(Debug)]
pub struct Numbering {
    /// The pieces in their order, as the file writes them: 1 for a pawn to 6 for a king, 8 more for the second side's.
    pub pieces: PerMan<u8>,
    leading: Leading,
    /// The second group is pawns as well.
    more_pawns: bool,
    /// For each group how many pieces it has, and what its number is multiplied with.
    groups: PerMan<(usize, u64)>,
    /// How many numbers there are.
    pub size: u64,
}

/// Where in the sequence of groups, by weight, the leading group and the second group of pawns come. 15 is nowhere.
pub type Order = [u8; 2];

impl Numbering {
    /// The numbering for pieces in this order; `file` is the leading pawn's, 0 to 3. None if they do not fit together.
    pub fn new(material: Material, pieces: PerMan<u8>, order: Order, file: usize) -> Option<Self> {
        let pawns = material.pawns();
        let leading = match () {
            () if pawns != [0, 0] => Leading::Pawns,
            () if material.has_single_piece() => Leading::Three,
            () => Leading::Kings,
        };
        let more_pawns = pawns[0] > 0 && pawns[1] > 0;
        let mut lengths: PerMan<usize> = PerMan::new();
        let together = match leading {
            Leading::Pawns => 1,
            Leading::Three => 3,
            Leading::Kings => 2,
        };
        for index in 0..pieces.len() {
            let joins = index > 0 && (index < together || pieces[index] == pieces[index - 1]);
            match lengths.last_mut() {
                Some(last) if joins => *last += 1,
                _ => lengths.push(1),
            }
        }
        let first = *lengths.first()?;
        if leading == Leading::Pawns && (pieces[0] & 7 != 1 || first > MOST_LEADING)
            || more_pawns && (lengths.len() < 2 || pieces[first] & 7 != 1)
            || leading != Leading::Pawns && first != together
        {
            return None;
        }
        let mut groups: PerMan<(usize, u64)> = lengths.iter().map(|&length| (length, 0)).collect();
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
                (1, CHOOSE.get(lengths[1])?[48 - first])
            } else {
                let length = *lengths.get(next)?;
                next += 1;
                free -= length;
                (next - 1, CHOOSE.get(length)?[free + length])
            };
            groups[group].1 = size;
            size = size.checked_mul(ways)?;
            place += 1;
        }
        Some(Self { pieces, leading, more_pawns, groups, size })
    }

    /// The number of the position with the pieces on these squares, in the order of [`pieces`](Self::pieces). The leading pawn
    /// is the first one.
    pub fn number(&self, squares: &mut PerMan<usize>) -> u64 {
        if squares[0] % 8 > 3 {
            squares.iter_mut().for_each(|square| *square ^= 7);
        }
        let first = self.groups[0].0;
        let lead = match self.leading {
            Leading::Pawns => {
                let pawns = &mut squares[..first];
                pawns[1..].sort_unstable_by_key(|&square| MAPS.pawn[square]);
                let others = pawns.iter().enumerate().skip(1);
                MAPS.lead[first][pawns[0]] + others.map(|(nth, &square)| CHOOSE[nth][MAPS.pawn[square]]).sum::<u64>()
            }
            Leading::Three | Leading::Kings => self.lead_of_pieces(squares),
        };
        let mut number = lead * self.groups[0].1;
        let mut start = first;
        for (index, &(length, weight)) in self.groups.iter().enumerate().skip(1) {
            let (before, rest) = squares.split_at_mut(start);
            let group = &mut rest[..length];
            group.sort_unstable();
            // Pawns have 48 squares, from 8 on.
            let base = if index == 1 && self.more_pawns { 8 } else { 0 };
            let ways = group.iter().enumerate().map(|(nth, &square)| {
                let taken = before.iter().filter(|&&other| other < square).count();
                CHOOSE[nth + 1][square.saturating_sub(taken + base)]
            });
            number += ways.sum::<u64>() * weight;
            start += length;
        }
        number
    }

    /// The number of a leading group without pawns, for which all pieces are mirrored.
    fn lead_of_pieces(&self, squares: &mut PerMan<usize>) -> u64 {
        if squares[0] / 8 > 3 {
            squares.iter_mut().for_each(|square| *square ^= 56);
        }
        let first = self.groups[0].0.min(if self.leading == Leading::Three { 3 } else { 2 });
        let off = squares[..first].iter().position(|&square| above_diagonal(square) != 0);
        if off.is_some_and(|off| above_diagonal(squares[off]) > 0) {
            squares.iter_mut().for_each(|square| *square = transposed(*square));
        }
        if self.leading == Leading::Kings {
            return MAPS.kings[MAPS.triangle[squares[0]]][squares[1]] as u64;
        }
        let [a, b, c] = [squares[0], squares[1], squares[2]];
        // Squares that are taken do not count for those after them.
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

    /// The square of the leading pawn among these, which is brought to the front, as a file from 0 to 3.
    pub fn lead_file(pawns: &mut [usize]) -> usize {
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

    /// The numbering of a table whose pieces come in this order, as in `KQk`.
    fn numbering(name: &str, letters: &str, order: Order, file: usize) -> Numbering {
        let code = |letter: char| {
            let kind = "pnbrqk".find(letter.to_ascii_lowercase()).expect("a piece") as u8 + 1;
            if letter.is_uppercase() { kind } else { kind + 8 }
        };
        let material = Material::parse(name).expect("material");
        Numbering::new(material, letters.chars().map(code).collect(), order, file).expect("a good order")
    }

    /// Squares that differ, from a generator.
    fn squares(random: &mut fastrand::Rng, pieces: &[u8]) -> PerMan<usize> {
        let mut squares = PerMan::new();
        while squares.len() < pieces.len() {
            let pawn = pieces[squares.len()] & 7 == 1;
            let square = if pawn { random.usize(8..56) } else { random.usize(0..64) };
            if !squares.contains(&square) {
                squares.push(square);
            }
        }
        squares
    }

    /// The position as the least of its mirror images, pieces of a kind in order.
    fn canonical(pieces: &[u8], squares: &[usize], pawns: bool) -> Vec<(u8, usize)> {
        let images = (0..if pawns { 2 } else { 8 }).map(|image| {
            let mirrored = |square: usize| {
                let square = square ^ if image & 1 == 0 { 0 } else { 7 } ^ if image & 2 == 0 { 0 } else { 56 };
                if image & 4 == 0 { square } else { transposed(square) }
            };
            let mut men: Vec<_> = pieces.iter().copied().zip(squares.iter().map(|&square| mirrored(square))).collect();
            men.sort_unstable();
            men
        });
        images.min().expect("an image")
    }

    /// Positions have the same number only if they mirror each other, and those mirrored on both axes have the same; all numbers
    /// lie in range.
    #[test]
    fn numbers_tell_positions_apart_but_for_mirroring() {
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
                let number = |squares: &mut PerMan<usize>| {
                    let file = if pawns { Numbering::lead_file(&mut squares[..leading]) } else { 0 };
                    let numbering = numbering(name, letters, order, file);
                    let number = numbering.number(squares);
                    assert!(number < numbering.size, "{name} {squares:?}");
                    (file, number)
                };
                // Mirrored it may have another one where it is not clear what leads: of pawns that mirror each other the left
                // one does. Nor is anything mirrored on the diagonal where all leading pieces stand on it.
                let mirror = if pawns { 7 } else { 63 };
                let mut mirrored: PerMan<usize> = squares.iter().map(|square| square ^ mirror).collect();
                let twins = pawns && squares[..leading].iter().any(|square| squares[..leading].contains(&(square ^ 7)));
                let at = number(&mut squares);
                // Kings that touch have no number of their own.
                let kings: Vec<usize> = position.iter().filter(|man| man.0 & 7 == 6).map(|man| man.1).collect();
                let apart = (kings[0] % 8).abs_diff(kings[1] % 8) > 1 || (kings[0] / 8).abs_diff(kings[1] / 8) > 1;
                if apart {
                    assert!(twins || number(&mut mirrored) == at, "{name} {position:?}");
                    assert_eq!(*seen.entry(at).or_insert_with(|| position.clone()), position, "{name}");
                }
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_format() {
        assert_eq!(numbering("KQvK", "KQk", [0, 15], 0).size, THREE);
        assert_eq!(numbering("KQQvK", "KkQQ", [0, 15], 0).size, KINGS * 62 * 61 / 2);
        assert_eq!([0, 1, 2, 3].map(|file| numbering("KPvK", "PkK", [0, 15], file).size), [6 * 63 * 62; 4]);
        assert!(
            Numbering::new(Material::parse("KQvK").expect("material"), PerMan::from_iter([6, 5, 14]), [9, 15], 0)
                .is_none()
        );
    }
}
