//! A window into the search for those who measure it.

/// What became of one scouted move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scouted {
    /// Depth of the node, in plies.
    pub depth: i32,
    /// Number of the move in its node, from 1.
    pub number: usize,
    /// Plies by which the move was searched less deep; 0 or below: not reduced.
    pub reduction: i32,
    /// Whether the reduced search failed high and was verified at full depth.
    pub verified: bool,
    /// Whether the verification failed high as well.
    pub confirmed: bool,
}

/// Is told what late move reductions do. The default does nothing.
pub trait SearchProbe {
    /// The first move of a node of this depth is going to be searched.
    #[inline(always)]
    fn searched_first(&mut self, _depth: i32) {}

    /// A move after the first has been searched.
    #[inline(always)]
    fn scouted(&mut self, _move: Scouted) {}
}

/// Sees nothing and costs nothing: what play uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl SearchProbe for NoProbe {}

impl<P: SearchProbe> SearchProbe for &mut P {
    #[inline(always)]
    fn searched_first(&mut self, depth: i32) {
        (**self).searched_first(depth);
    }

    #[inline(always)]
    fn scouted(&mut self, what: Scouted) {
        (**self).scouted(what);
    }
}
