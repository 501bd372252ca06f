//! Blocks: the entries of a run of clusters.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | entries, 1 to 65536 |
//! | 4 | 4 | bytes of the content |
//! | 8 | | content |
//!
//! The plain content is 16 bytes per entry, key then data ([`Record::words`]). Shorter content is compressed with zstd,
//! after transposing it into columns: the lowest bytes of all keys, up to the highest bytes of all data.

use super::LoadError;
use crate::tt::{Record, Tt};
use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Read;

/// Clusters per block: 1 MiB of the table.
pub const CLUSTERS: usize = 1 << 14;

const MAX_ENTRIES: usize = CLUSTERS * Tt::CLUSTER_ENTRIES;
const ENTRY: usize = 16;

/// A block as it is stored.
pub struct Block {
    entries: usize,
    content: Vec<u8>,
}

/// Encodes up to 65536 entries, compressed if that is smaller.
pub fn encode(records: &[Record], compress: bool) -> Vec<u8> {
    let rows: Vec<[u8; ENTRY]> = records.iter().map(|record| row(record.words())).collect();
    let packed = compress.then(|| {
        let columns: Vec<u8> = (0..ENTRY).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
        compress_to_vec(&columns[..], CompressionLevel::Fastest)
    });
    let plain = rows.as_flattened();
    let content = packed.as_deref().filter(|packed| packed.len() < plain.len()).unwrap_or(plain);
    let head = [rows.len(), content.len()].map(|number| (number as u32).to_le_bytes());
    [head.as_flattened(), content].concat()
}

fn row([key, data]: [u64; 2]) -> [u8; ENTRY] {
    (u128::from(data) << 64 | u128::from(key)).to_le_bytes()
}

fn words(row: [u8; ENTRY]) -> [u64; 2] {
    let both = u128::from_le_bytes(row);
    [both as u64, (both >> 64) as u64]
}

impl Block {
    /// Reads a block.
    pub fn read(from: &mut impl Read) -> Result<Self, LoadError> {
        let [entries, size] = [super::read_u32(from)?, super::read_u32(from)?].map(|number| number as usize);
        if !(1..=MAX_ENTRIES).contains(&entries) || size > entries * ENTRY {
            return Err(LoadError::Damaged);
        }
        let mut content = vec![0; size];
        from.read_exact(&mut content)?;
        Ok(Self { entries, content })
    }

    /// The size in bytes of the content in the file.
    pub fn len(&self) -> usize {
        self.content.len()
    }

    /// Decodes the entries, without those that no search stores.
    pub fn records(&self) -> Result<Vec<Record>, LoadError> {
        let plain = self.entries * ENTRY;
        if self.content.len() == plain {
            let rows = self.content.as_chunks().0.iter();
            return Ok(rows.filter_map(|row| Record::from_words(words(*row))).collect());
        }
        let mut columns = Vec::with_capacity(plain);
        let unpacked = FrameDecoder::new().decode_all_to_vec(&self.content, &mut columns);
        if unpacked.is_err() || columns.len() != plain {
            return Err(LoadError::Damaged);
        }
        let row = |nth| std::array::from_fn(|column| columns[column * self.entries + nth]);
        Ok((0..self.entries).filter_map(|nth| Record::from_words(words(row(nth)))).collect())
    }
}
