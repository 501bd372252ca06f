//! Eight sets of squares side by side.

/// Eight 64-bit numbers, as registers of an instruction set hold them. Only where the processor has those instructions is one made.
pub trait Eight: Copy {
    /// One of these numbers.
    fn new(numbers: [u64; 8]) -> Self;
    /// The numbers.
    fn numbers(self) -> [u64; 8];
    /// Bits that both have.
    fn and(self, other: Self) -> Self;
    /// Bits that one has.
    fn or(self, other: Self) -> Self;
    /// Each number shifted up by as much as the other's number says, below 64.
    fn up(self, by: Self) -> Self;
    /// Each number shifted down.
    fn down(self, by: Self) -> Self;
    /// At each index the number whose index is xored with 1, 2, or 4.
    fn exchange<const INDEX: usize>(self) -> Self;
    /// The other's numbers where `MASK` has their index, and these elsewhere.
    fn blend<const MASK: u8>(self, other: Self) -> Self;
    /// The indices of the numbers that are not zero.
    fn any(self) -> u8;

    /// Lists, for each of these squares, the sum of the numbers of all sets that have it. What follows on the list is without meaning.
    #[inline(always)]
    fn list<const N: usize>(squares: u64, sets: [(u64, u8); N], list: &mut [u8; 64]) {
        let mut rest = squares;
        for number in list.iter_mut().take(squares.count_ones() as usize) {
            let square = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            *number = sets.iter().fold(0, |sum, (set, number)| sum + (set >> square & 1) as u8 * number);
        }
    }
}

impl Eight for [u64; 8] {
    #[inline(always)]
    fn new(numbers: [u64; 8]) -> Self {
        numbers
    }

    #[inline(always)]
    fn numbers(self) -> [u64; 8] {
        self
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|index| self[index] & other[index])
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        std::array::from_fn(|index| self[index] | other[index])
    }

    #[inline(always)]
    fn up(self, by: Self) -> Self {
        std::array::from_fn(|index| self[index] << by[index])
    }

    #[inline(always)]
    fn down(self, by: Self) -> Self {
        std::array::from_fn(|index| self[index] >> by[index])
    }

    #[inline(always)]
    fn exchange<const INDEX: usize>(self) -> Self {
        std::array::from_fn(|index| self[index ^ INDEX])
    }

    #[inline(always)]
    fn blend<const MASK: u8>(self, other: Self) -> Self {
        std::array::from_fn(|index| if MASK >> index & 1 != 0 { other[index] } else { self[index] })
    }

    #[inline(always)]
    fn any(self) -> u8 {
        (0..8).fold(0, |any, index| any | u8::from(self[index] != 0) << index)
    }
}
