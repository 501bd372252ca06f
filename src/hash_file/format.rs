//! The format, little-endian: a header, blocks, and a CRC-32 of everything before it (4 bytes).
//!
//! Header: `LENTOHSH`; version, 2 (4 bytes); fingerprint (8); completed depth in plies (4); sizes of the three texts (4 each); engine,
//! evaluation, position as after `position` (UTF-8).
//!
//! Block, for each 16384 clusters with entries: number of entries (4), 1 to 65536; size of the content (4); content. Content shorter than
//! its entries is compressed with zstd after transposition: the lowest bytes of all keys first, the highest bytes of all entries last.
//!
//! Entry: the full key (8), then from the lowest bit move 16, score 16, evaluation 16 (0: none, else plus 32768), depth 8 (plus 8), bound 2
//! (1 upper, 2 lower, 3 exact), PV flag 1, and 5 bits of age, counted down from 0 modulo 32 with each search since.

use super::HashFileError;
use crate::tt::{Record, Tt};
use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, ErrorKind, Read};

const MAGIC: [u8; 8] = *b"LENTOHSH";
const VERSION: u32 = 2;
/// Maximum size of a text, in bytes; longer ones are truncated.
const MAX_TEXT: usize = 100_000;
/// Clusters per block, 1 MiB of the table.
pub(super) const CLUSTERS: usize = 1 << 14;
const MAX_ENTRIES: usize = CLUSTERS * Tt::CLUSTER_ENTRIES;

/// Identifies the engine and evaluation of keys and scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name and version of the engine.
    pub engine: String,
    /// Name of the evaluation.
    pub evaluation: String,
    /// Hash that is equal for engines with the same keys and scores.
    pub fingerprint: u64,
}

/// The searched position and its depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The position as in the UCI command: `startpos` or `fen ...`, optionally with `moves`. Empty without a search.
    pub position: String,
    /// The completed depth, in plies.
    pub depth: u32,
}

pub(super) fn encode_header(identity: &Identity, origin: &Origin) -> Vec<u8> {
    let texts = [&identity.engine, &identity.evaluation, &origin.position];
    let texts = texts.map(|text| &text.as_bytes()[..text.floor_char_boundary(MAX_TEXT)]);
    let sizes = texts.map(|text| (text.len() as u32).to_le_bytes());
    let (version, fingerprint, depth) =
        (VERSION.to_le_bytes(), identity.fingerprint.to_le_bytes(), origin.depth.to_le_bytes());
    [&MAGIC[..], &version, &fingerprint, &depth, sizes.as_flattened(), &texts.concat()].concat()
}

pub(super) fn read_header(from: &mut impl Read) -> Result<(Identity, Origin), HashFileError> {
    match read(from) {
        Ok(MAGIC) => {}
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error.into()),
        _ => return Err(HashFileError::Refused("it is not a hash file: it does not begin with LENTOHSH".into())),
    }
    let version = read_u32(from)?;
    if version != VERSION {
        let why = format!("it is a hash file of version {version}, expected version {VERSION}");
        return Err(HashFileError::Refused(why));
    }
    let fingerprint = u64::from_le_bytes(read(from)?);
    let depth = read_u32(from)?;
    let sizes = [read_u32(from)?, read_u32(from)?, read_u32(from)?];
    let mut text = |size: u32| {
        let mut bytes = vec![0; size as usize];
        from.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| HashFileError::damaged())
    };
    if sizes.iter().any(|&size| size as usize > MAX_TEXT) {
        return Err(HashFileError::damaged());
    }
    let [engine, evaluation, position] = [text(sizes[0])?, text(sizes[1])?, text(sizes[2])?];
    Ok((Identity { engine, evaluation, fingerprint }, Origin { position, depth }))
}

/// A block as stored in the file.
pub(super) struct Block {
    entries: usize,
    pub content: Vec<u8>,
}

impl Block {
    /// Encodes up to 65536 entries, compressed if that is smaller.
    pub(super) fn encode(records: &[Record], compress: bool) -> Vec<u8> {
        let rows: Vec<[u8; Record::BYTES]> = records.iter().map(|record| record.to_bytes()).collect();
        let packed = compress.then(|| {
            let column = |column| rows.iter().map(move |row| row[column]);
            compress_to_vec(&(0..Record::BYTES).flat_map(column).collect::<Vec<_>>()[..], CompressionLevel::Fastest)
        });
        let plain = rows.as_flattened();
        let content = packed.as_deref().filter(|packed| packed.len() < plain.len()).unwrap_or(plain);
        let header = [rows.len(), content.len()].map(|number| (number as u32).to_le_bytes());
        [header.as_flattened(), content].concat()
    }

    pub(super) fn read(from: &mut impl Read) -> Result<Self, HashFileError> {
        let [entries, size] = [read_u32(from)?, read_u32(from)?].map(|number| number as usize);
        if !(1..=MAX_ENTRIES).contains(&entries) || size > entries * Record::BYTES {
            return Err(HashFileError::damaged());
        }
        let mut content = vec![0; size];
        from.read_exact(&mut content)?;
        Ok(Self { entries, content })
    }

    /// Decodes the entries, without invalid ones.
    pub(super) fn records(&self) -> Result<Vec<Record>, HashFileError> {
        let plain = self.entries * Record::BYTES;
        if self.content.len() == plain {
            return Ok(self.content.as_chunks().0.iter().filter_map(|row| Record::from_bytes(*row)).collect());
        }
        let mut columns = Vec::with_capacity(plain);
        let unpacked = FrameDecoder::new().decode_all_to_vec(&self.content, &mut columns);
        if unpacked.is_err() || columns.len() != plain {
            return Err(HashFileError::damaged());
        }
        let row = |nth| std::array::from_fn(|column| columns[column * self.entries + nth]);
        Ok((0..self.entries).filter_map(|nth| Record::from_bytes(row(nth))).collect())
    }
}

fn read<const BYTES: usize>(from: &mut impl Read) -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn read_u32(from: &mut impl Read) -> io::Result<u32> {
    read(from).map(u32::from_le_bytes)
}
