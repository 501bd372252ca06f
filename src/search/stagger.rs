//! Staggered depths of the threads of a Lazy SMP search.

use crate::named::named_enum;

named_enum! {
    /// How helper threads choose their depths. Thread 0 searches every depth.
    pub enum Stagger {
        /// [`Off`](Self::Off) from eight threads on, otherwise [`Skip`](Self::Skip).
        #[default]
        Auto = "auto",
        /// All threads search every depth and differ by timing alone.
        Off = "off",
        /// Helpers alternate runs of searched and skipped iterations, each with its own run length and phase (Stockfish, 2016 to
        /// 2019).
        Skip = "skip",
        /// Every other helper searches one ply deeper than the iteration (Texel).
        Offset = "offset",
    }
}

impl Stagger {
    /// Number of threads from which timing alone gives enough variation (`docs/results/threads.md`).
    const MANY: usize = 8;

    /// Resolves `Auto` for a number of threads. If threads see each other's results `delayed`, they skip depths to avoid duplicate
    /// work.
    pub(crate) fn of_threads(self, threads: usize, delayed: bool) -> Self {
        match self {
            Self::Auto if threads >= Self::MANY && !delayed => Self::Off,
            Self::Auto => Self::Skip,
            other => other,
        }
    }

    /// The depth that a thread searches in iteration `depth`; `None` if it skips the iteration.
    pub fn depth(self, thread: usize, depth: i32) -> Option<i32> {
        match self {
            _ if thread == 0 => Some(depth),
            Self::Auto | Self::Off => Some(depth),
            Self::Offset => Some(depth + (thread % 2) as i32),
            Self::Skip => {
                // All phases of a run come before the next length: (1,0) (1,1) (2,0) (2,1) (2,2) (2,3) (3,0) ... and repeat
                // after twenty helpers.
                let (mut run, mut phase) = (1, ((thread - 1) % 20) as i32);
                while phase >= 2 * run {
                    phase -= 2 * run;
                    run += 1;
                }
                ((depth + phase) / run % 2 == 0).then_some(depth)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::Named;

    #[test]
    fn main_thread_searches_every_depth() {
        for &(_, scheme) in Stagger::ALL {
            for depth in 1..50 {
                assert_eq!(scheme.depth(0, depth), Some(depth));
            }
            assert_eq!(Stagger::from_name(scheme.name()), Ok(scheme));
        }
        assert_eq!(Stagger::from_name("SKIP"), Ok(Stagger::Skip));
        assert_eq!(Stagger::from_name("x"), Err("expected one of auto, off, skip, offset".into()));
    }

    #[test]
    fn auto_skips_depths_with_few_threads_or_delayed_results() {
        for (threads, delayed, expected) in
            [(2, false, Stagger::Skip), (7, false, Stagger::Skip), (8, false, Stagger::Off), (64, true, Stagger::Skip)]
        {
            assert_eq!(Stagger::Auto.of_threads(threads, delayed), expected);
            assert_eq!(Stagger::Offset.of_threads(threads, delayed), Stagger::Offset);
        }
    }

    #[test]
    fn skipping_helpers_search_half_of_all_depths() {
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
