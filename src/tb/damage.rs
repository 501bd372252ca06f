//! Why a table cannot be used.

use std::io;
use thiserror::Error;

#[derive(Debug, Error)]
pub(super) enum Damage {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("has the wrong magic {0:02x?}, expected {1:02x?}")]
    Magic([u8; 4], [u8; 4]),
    #[error("is damaged: {0} bytes, expected {1}")]
    Size(u64, u64),
    #[error("is damaged: invalid header")]
    Header,
    #[error("is damaged: checksum mismatch")]
    Checksum,
    #[error("is damaged: invalid values")]
    Values,
}
