//! The embedded network and network files.

use super::network::{MAX_FILE_SIZE, Network, NetworkError};
use crate::files::open_regular;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// `nets/default.lnn` (see `docs/nnue.md`) unless overridden at build time.
static FILE: &[u8] = include_bytes!(env!("LENTO_NETWORK"));

static NETWORK: LazyLock<Arc<Network>> =
    LazyLock::new(|| Arc::new(Network::from_bytes(FILE).expect("the embedded network is valid")));

/// The embedded network, shared by all users.
pub fn embedded() -> Arc<Network> {
    Arc::clone(&NETWORK)
}

/// Why a network file cannot be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// Cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Larger than any network.
    #[error("not a usable network: {0} bytes, expected at most {MAX_FILE_SIZE}")]
    TooLarge(u64),
    /// Invalid or unsupported.
    #[error("not a usable network: {0}")]
    Network(#[from] NetworkError),
}

/// Loads a network file.
///
/// # Errors
/// The file cannot be read or is not a usable network.
pub fn load(path: &Path) -> Result<Arc<Network>, LoadError> {
    let file = open_regular(path, OpenOptions::new().read(true))?;
    let size = file.metadata()?.len();
    if size > MAX_FILE_SIZE {
        return Err(LoadError::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    // The file may grow while it is read.
    file.take(MAX_FILE_SIZE).read_to_end(&mut bytes)?;
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}
