//! Staggered depths: keeping the threads of a Lazy SMP search from doing the same work at the same time.

/// How helper threads choose the depths of their iterations. Thread 0 never skips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stagger {
    /// All threads search every depth; timing alone makes them differ.
    Off,
    /// Helpers skip iterations by a pattern of runs, each thread with its own run length and phase (the scheme that
    /// Stockfish used from 2016 to 2019).
    #[default]
    Skip,
    /// Every other helper searches one ply deeper than the iteration says (Texel).
    Offset,
}

impl Stagger {
    /// The names that the UCI option offers, in the order of [`ALL`](Self::ALL).
    pub const NAMES: [&'static str; 3] = ["off", "skip", "offset"];
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Off, Self::Skip, Self::Offset];

    /// The name of this way.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The way of this name, without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name().eq_ignore_ascii_case(name))
    }

    /// The depth that a thread searches in iteration `depth`, or `None` when it skips the iteration.
    pub fn depth(self, thread: usize, depth: i32) -> Option<i32> {
        match self {
            _ if thread == 0 => Some(depth),
            Self::Off => Some(depth),
            Self::Offset => Some(depth + (thread % 2) as i32),
            Self::Skip => {
                let (run, phase) = Self::run_and_phase(thread - 1);
                ((depth + phase) / run % 2 == 0).then_some(depth)
            }
        }
    }

    /// Runs grow by one after as many helpers as two runs are long, so that all phases of a run are taken before the
    /// next run: (1,0) (1,1) (2,0) (2,1) (2,2) (2,3) (3,0) ... and round again after twenty.
    fn run_and_phase(helper: usize) -> (i32, i32) {
        let mut index = (helper % 20) as i32;
        let mut run = 1;
        while index >= 2 * run {
            index -= 2 * run;
            run += 1;
        }
        (run, index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_thread_searches_every_depth() {
        for way in Stagger::ALL {
            for depth in 1..50 {
                assert_eq!(way.depth(0, depth), Some(depth));
            }
            assert_eq!(Stagger::from_name(way.name()), Some(way));
        }
        assert_eq!(Stagger::from_name("SKIP"), Some(Stagger::Skip));
        assert_eq!(Stagger::from_name("x"), None);
    }

    #[test]
    fn skipping_helpers_search_half_of_the_depths_and_cover_each() {
        for thread in 1..=20 {
            let searched = (1..=240).filter(|&depth| Stagger::Skip.depth(thread, depth).is_some()).count();
            assert_eq!(searched, 120, "thread {thread}");
        }
        for depth in 1..60 {
            assert!((1..=4).any(|thread| Stagger::Skip.depth(thread, depth).is_some()));
        }
    }

    #[test]
    fn offset_helpers_alternate() {
        assert_eq!(Stagger::Offset.depth(1, 7), Some(8));
        assert_eq!(Stagger::Offset.depth(2, 7), Some(7));
    }
}
