//! Internals for Lento's own programs, which may change in any version.

pub use crate::chess::zobrist::split_mix;
pub use crate::search::threads::{Partners, ThreadResult, Threads};
pub use crate::smp::abort_on_panic;
pub use crate::smp::numa::placement::PlaceUsage;
pub use crate::smp::numa::topology::{Node, Topology};

/// Fixed benchmark positions.
pub mod bench {
    pub use crate::bench::*;
}

/// Endgames evaluated without the network.
pub mod endings {
    pub use crate::eval::endings::known;
}

/// Opening, reading and writing files named by the user.
pub mod files {
    pub use crate::files::*;
}

/// Memory in huge pages.
pub mod huge_pages {
    pub use crate::huge_pages::*;
}

/// Compiled recipes of late move reductions.
pub mod lmr {
    pub use crate::search::lmr::PLY;
    pub use crate::search::lmr::compiled::Lmr;
    pub use crate::search::lmr::recipe::Facts;
}

/// Memory of the system.
pub mod memory {
    pub use crate::tt::memory::*;
}

/// The layers of a network and their computation.
pub mod nnue {
    pub use crate::eval::nnue::accumulators::Accumulators;
    pub use crate::eval::nnue::architecture::{Architecture, Layer, MAX_HIDDEN, MAX_OUTPUTS, Numbers};
    pub use crate::eval::nnue::format::{MAX_NAME, Parts, Sum, checksum};
    pub use crate::eval::nnue::inputs::InputSet;
    pub use crate::eval::nnue::simd::{CacheLine, LANES, Simd};
    pub use crate::eval::nnue::trace::Trace;
    pub use crate::eval::nnue::units::{QA, QB, SCALE};
}

/// CPUs of the process; affinity and priority of threads.
pub mod processors {
    pub use crate::processors::*;
}

/// Counters of a search.
pub mod statistics {
    pub use crate::search::statistics::*;
}

/// Version and build information.
pub mod version {
    pub use crate::version::*;
}
