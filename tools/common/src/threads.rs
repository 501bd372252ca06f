//! Threads of work whose result does not depend on their number.

use lento::internals::processors;

/// The `--threads` option.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Threads {
    /// Threads; they do not change the result [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// The number of threads.
    pub fn count(self) -> usize {
        self.threads.map_or_else(processors::count, usize::from)
    }
}
