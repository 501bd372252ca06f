//! The file header: identity and origin of the entries.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LENTOHSH` |
//! | 8 | 4 | version of the format, 2 |
//! | 12 | 8 | fingerprint of keys and scores ([`Identity::fingerprint`]) |
//! | 20 | 4 | depth reached |
//! | 24 | 12 | bytes of the three texts, 4 each |
//! | 36 | | engine, evaluation, position: UTF-8 |

use super::{LoadError, read_u32};
use std::io::{ErrorKind, Read};

const MAGIC: [u8; 8] = *b"LENTOHSH";
const VERSION: u32 = 2;
/// Maximum size of a text, in bytes; longer ones are truncated.
const MAX_TEXT: usize = 100_000;

/// What keys and scores belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name and version of the engine.
    pub engine: String,
    /// Name of the evaluation.
    pub evaluation: String,
    /// Equal for engines with the same keys and scores.
    pub fingerprint: u64,
}

/// What was searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The position as in the UCI command: `startpos` or `fen ...`, optionally with `moves`. Empty without a search.
    pub position: String,
    /// The completed depth, in plies.
    pub depth: u32,
}

/// Encodes a header.
pub fn encode(identity: &Identity, origin: &Origin) -> Vec<u8> {
    let texts = [&identity.engine, &identity.evaluation, &origin.position];
    let texts = texts.map(|text| &text.as_bytes()[..text.floor_char_boundary(MAX_TEXT)]);
    let sizes = texts.map(|text| (text.len() as u32).to_le_bytes());
    let (version, fingerprint, depth) =
        (VERSION.to_le_bytes(), identity.fingerprint.to_le_bytes(), origin.depth.to_le_bytes());
    [&MAGIC[..], &version, &fingerprint, &depth, sizes.as_flattened(), &texts.concat()].concat()
}

/// Reads a header.
pub fn read(from: &mut impl Read) -> Result<(Identity, Origin), LoadError> {
    let mut magic = [0; 8];
    match from.read_exact(&mut magic) {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error.into()),
        _ if magic != MAGIC => return Err(LoadError::Magic),
        _ => {}
    }
    let version = read_u32(from)?;
    if version != VERSION {
        return Err(LoadError::Version { found: version, expected: VERSION });
    }
    let fingerprint = u64::from(read_u32(from)?) | u64::from(read_u32(from)?) << 32;
    let depth = read_u32(from)?;
    let sizes = [read_u32(from)?, read_u32(from)?, read_u32(from)?];
    let mut text = |size: u32| {
        let mut bytes = vec![0; size as usize];
        from.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| LoadError::Damaged)
    };
    if sizes.iter().any(|&size| size as usize > MAX_TEXT) {
        return Err(LoadError::Damaged);
    }
    let [engine, evaluation, position] = [text(sizes[0])?, text(sizes[1])?, text(sizes[2])?];
    Ok((Identity { engine, evaluation, fingerprint }, Origin { position, depth }))
}
