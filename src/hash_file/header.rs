//! The file header: identity of the entries, origin, and sizes.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LENTOHSH` |
//! | 8 | 4 | version of the format, 1 |
//! | 12 | 4 | bytes of the header, a multiple of 4096 |
//! | 16 | 8 | save id, repeated in every block |
//! | 24 | 8 | bytes of the file |
//! | 32 | 8 | blocks |
//! | 40 | 8 | entries |
//! | 48 | 8 | clusters of the table, of 64 bytes |
//! | 56 | 8 | identity hash ([`Identity::meaning`]) |
//! | 64 | 4 | depth reached |
//! | 68 | 12 | bytes of the three texts, 4 each |
//! | 80 | | engine, evaluation, position: UTF-8 |
//! | last 4 | 4 | CRC-32 of all preceding bytes |

use super::{ALIGNMENT, align, number};
use crate::files::position::read_at;
use std::fs::File;
use std::io;
use thiserror::Error;

const MAGIC: [u8; 8] = *b"LENTOHSH";
const VERSION: u32 = 1;
/// Maximum size of a header.
const MAX_BYTES: u32 = 1 << 20;
/// Maximum size of a text, in bytes; longer ones are truncated.
const MAX_TEXT: usize = 100_000;

/// What keys and scores belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name and version of the engine.
    pub engine: String,
    /// Name of the evaluation.
    pub evaluation: String,
    /// Hash that is equal for engines with the same keys and scores.
    pub meaning: u64,
}

/// What was searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The position as in the UCI command: `startpos` or `fen ...`, optionally with `moves`. Empty without a search.
    pub position: String,
    /// The completed depth, in plies.
    pub depth: u32,
}

/// A file header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The save id.
    pub id: u64,
    /// Size of the file in bytes.
    pub length: u64,
    pub blocks: u64,
    pub entries: u64,
    /// Clusters of the saved table.
    pub clusters: u64,
    pub identity: Identity,
    pub origin: Origin,
}

/// Why a file is not a readable hash file.
#[derive(Debug, Error)]
pub enum HeaderError {
    /// A read error.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The magic number is wrong.
    #[error("it is not a hash file: it does not begin with LENTOHSH")]
    Magic,
    /// An unsupported version.
    #[error("it is a hash file of version {0}, expected version {VERSION}")]
    Version(u32),
    /// A damaged header.
    #[error("its header is damaged; expected a hash file as `savehash` writes it")]
    Damaged,
}

impl Header {
    /// Encodes the header. Its size depends only on the texts.
    pub fn encode(&self) -> Vec<u8> {
        let cut = |text: &str| text[..text.floor_char_boundary(MAX_TEXT)].to_owned();
        let texts = [&self.identity.engine, &self.identity.evaluation, &self.origin.position].map(|text| cut(text));
        let mut bytes = Vec::with_capacity(ALIGNMENT);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 4]);
        for number in [self.id, self.length, self.blocks, self.entries, self.clusters, self.identity.meaning] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.origin.depth.to_le_bytes());
        texts.iter().for_each(|text| bytes.extend((text.len() as u32).to_le_bytes()));
        texts.iter().for_each(|text| bytes.extend(text.as_bytes()));
        bytes.extend([0; 4]);
        align(&mut bytes);
        let size = (bytes.len() as u32).to_le_bytes();
        bytes[12..16].copy_from_slice(&size);
        let end = bytes.len() - 4;
        let sum = crc32fast::hash(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&sum);
        bytes
    }

    /// Reads a header and returns it with its size.
    pub fn read(file: &File) -> Result<(Self, u64), HeaderError> {
        let mut start = [0; 16];
        read_at(file, &mut start, 0).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => HeaderError::Magic,
            _ => error.into(),
        })?;
        if !start.starts_with(&MAGIC) {
            return Err(HeaderError::Magic);
        }
        let [version, size] = [8, 12].map(|at| u32::from_le_bytes(std::array::from_fn(|byte| start[at + byte])));
        if version != VERSION {
            return Err(HeaderError::Version(version));
        }
        if size == 0 || size > MAX_BYTES || !size.is_multiple_of(ALIGNMENT as u32) {
            return Err(HeaderError::Damaged);
        }
        let mut bytes = vec![0; size as usize];
        read_at(file, &mut bytes, 0).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => HeaderError::Damaged,
            _ => error.into(),
        })?;
        let (bytes, sum) = bytes.split_at(bytes.len() - 4);
        if crc32fast::hash(bytes).to_le_bytes() != sum {
            return Err(HeaderError::Damaged);
        }
        let header = Self::decode(bytes).ok_or(HeaderError::Damaged)?;
        Ok((header, size.into()))
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut at = 16;
        let mut long = || number(bytes, &mut at).map(u64::from_le_bytes);
        let [id, length, blocks, entries, clusters, meaning] = [long()?, long()?, long()?, long()?, long()?, long()?];
        let mut word = || number(bytes, &mut at).map(u32::from_le_bytes);
        let (depth, sizes) = (word()?, [word()?, word()?, word()?]);
        let mut text = |size: u32| {
            let text = bytes.get(at..at.checked_add(size as usize)?)?;
            at += text.len();
            String::from_utf8(text.to_vec()).ok()
        };
        let [engine, evaluation, position] = [text(sizes[0])?, text(sizes[1])?, text(sizes[2])?];
        let identity = Identity { engine, evaluation, meaning };
        Some(Self { id, length, blocks, entries, clusters, identity, origin: Origin { position, depth } })
    }
}
