//! Eight bitboards side by side.

/// Eight 64-bit lanes.
pub trait U64x8: Copy {
    /// Proof that the CPU has the instructions, without which there are no values.
    type Isa: Copy;

    fn new(isa: Self::Isa, lanes: [u64; 8]) -> Self;
    fn to_array(self) -> [u64; 8];
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Shifts each lane left by the other's lane, below 64.
    fn shl(self, by: Self) -> Self;
    /// Shifts each lane right by the other's lane, below 64.
    fn shr(self, by: Self) -> Self;
    /// Swaps lanes `i` and `i ^ INDEX`, for 1, 2 or 4.
    fn swap_lanes<const INDEX: usize>(self) -> Self;
    /// Takes the other's lanes where `MASK` is set.
    fn blend<const MASK: u8>(self, other: Self) -> Self;
    /// Mask of the nonzero lanes.
    fn nonzero(self) -> u8;

    /// Writes for each square the sum of the weights of the sets that contain it. The rest of the list is unspecified.
    #[inline(always)]
    fn compress<const N: usize>(_isa: Self::Isa, squares: u64, sets: [(u64, u8); N], list: &mut [u8; 64]) {
        let mut rest = squares;
        for sum in list.iter_mut().take(squares.count_ones() as usize) {
            let square = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            *sum = sets.iter().fold(0, |sum, (set, weight)| sum + (set >> square & 1) as u8 * weight);
        }
    }
}

impl U64x8 for [u64; 8] {
    type Isa = ();

    #[inline(always)]
    fn new((): (), lanes: [u64; 8]) -> Self {
        lanes
    }

    #[inline(always)]
    fn to_array(self) -> [u64; 8] {
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
    fn shl(self, by: Self) -> Self {
        std::array::from_fn(|index| self[index] << by[index])
    }

    #[inline(always)]
    fn shr(self, by: Self) -> Self {
        std::array::from_fn(|index| self[index] >> by[index])
    }

    #[inline(always)]
    fn swap_lanes<const INDEX: usize>(self) -> Self {
        std::array::from_fn(|index| self[index ^ INDEX])
    }

    #[inline(always)]
    fn blend<const MASK: u8>(self, other: Self) -> Self {
        std::array::from_fn(|index| if MASK >> index & 1 != 0 { other[index] } else { self[index] })
    }

    #[inline(always)]
    fn nonzero(self) -> u8 {
        (0..8).fold(0, |any, index| any | u8::from(self[index] != 0) << index)
    }
}
