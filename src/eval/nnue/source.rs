//! Where networks come from: the program carries one, and files hold others.

use super::network::{MAX_FILE_SIZE, Network, NetworkError};
use crate::files::open_regular;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// `nets/default.lnn`, whose origin `docs/nnue.md` tells, or what the build was given in its place.
static FILE: &[u8] = include_bytes!(env!("LENTO_NETWORK"));

static NETWORK: LazyLock<Arc<Network>> =
    LazyLock::new(|| Arc::new(Network::from_bytes(FILE).expect("the embedded network is good")));

/// The network that the program carries: one copy for everybody.
pub fn embedded() -> Arc<Network> {
    Arc::clone(&NETWORK)
}

/// Why a file gives no network.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is larger than the largest network.
    #[error("it is not usable: {0} bytes, expected at most {MAX_FILE_SIZE}")]
    TooLarge(u64),
    /// It is none that this engine can use.
    #[error("it is not usable: {0}")]
    Network(#[from] NetworkError),
}

/// The network in a file.
///
/// # Errors
/// The file cannot be read, or holds no network for this engine.
pub fn load(path: &Path) -> Result<Arc<Network>, LoadError> {
    let file = open_regular(path, OpenOptions::new().read(true))?;
    let size = file.metadata()?.len();
    if size > MAX_FILE_SIZE {
        return Err(LoadError::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    // A file may grow while it is read.
    file.take(MAX_FILE_SIZE).read_to_end(&mut bytes)?;
    Ok(Arc::new(Network::from_bytes(&bytes)?))
}
