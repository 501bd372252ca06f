//! Blocks: the entries of a run of clusters.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LENTOBLK` |
//! | 8 | 8 | save id, as in the file's header |
//! | 16 | 8 | first cluster |
//! | 24 | 4 | entries, 1 to 65536 |
//! | 28 | 4 | bytes of the stored content |
//! | 32 | 4 | packing: 0 plain, 1 zstd |
//! | 36 | 4 | CRC-32 of the stored content |
//! | 40 | 4 | CRC-32 of the preceding 40 bytes |
//! | 44 | | content |
//!
//! The plain content is 16 bytes per entry, key then data ([`Record::words`]). For zstd it is transposed into columns:
//! the lowest bytes of all keys, up to the highest bytes of all data, which compress better.

use super::{align, number};
use crate::tt::{Record, Tt};
use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// Clusters per block, of four entries each: 1 MiB of the table.
pub const CLUSTERS: usize = 1 << 14;
/// Size of the block header.
pub const HEAD: usize = 44;
/// Maximum size of the stored content, which never exceeds the plain one.
pub const MAX_BYTES: usize = MAX_ENTRIES * ENTRY;

const MAGIC: [u8; 8] = *b"LENTOBLK";
const MAX_ENTRIES: usize = CLUSTERS * Tt::CLUSTER_ENTRIES;
const ENTRY: usize = 16;
const PLAIN: u32 = 0;
const ZSTD: u32 = 1;

/// A block header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    entries: usize,
    /// Size of the stored content.
    pub stored: usize,
    packing: u32,
    sum: u32,
}

/// Encodes a block of 1 to 65536 entries, compressed if that is smaller.
pub fn encode(bytes: &mut Vec<u8>, id: u64, first: usize, records: &[Record], compress: bool) {
    bytes.clear();
    bytes.resize(HEAD, 0);
    let words = records.iter().map(|record| record.words());
    let packed = compress.then(|| {
        let rows: Vec<[u8; ENTRY]> = words.clone().map(row).collect();
        let turned: Vec<u8> = (0..ENTRY).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
        compress_to_vec(&turned[..], CompressionLevel::Fastest)
    });
    let packing = match packed.filter(|packed| packed.len() < records.len() * ENTRY) {
        Some(packed) => {
            bytes.extend(packed);
            ZSTD
        }
        None => {
            words.for_each(|words| bytes.extend(row(words)));
            PLAIN
        }
    };
    let (head, content) = bytes.split_at_mut(HEAD);
    let numbers = [records.len() as u32, content.len() as u32, packing, crc32fast::hash(content)];
    head[..8].copy_from_slice(&MAGIC);
    head[8..16].copy_from_slice(&id.to_le_bytes());
    head[16..24].copy_from_slice(&(first as u64).to_le_bytes());
    for (place, number) in head[24..40].as_chunks_mut().0.iter_mut().zip(numbers) {
        *place = number.to_le_bytes();
    }
    let sum = crc32fast::hash(&head[..40]).to_le_bytes();
    head[40..].copy_from_slice(&sum);
    align(bytes);
}

fn row([key, data]: [u64; 2]) -> [u8; ENTRY] {
    let mut row = [0; ENTRY];
    row[..8].copy_from_slice(&key.to_le_bytes());
    row[8..].copy_from_slice(&data.to_le_bytes());
    row
}

impl Head {
    /// Decodes the header of a block of this save.
    pub fn decode(bytes: &[u8], id: u64) -> Option<Self> {
        let head: &[u8; HEAD] = bytes.first_chunk()?;
        if head[..8] != MAGIC
            || head[8..16] != id.to_le_bytes()
            || crc32fast::hash(&head[..40]).to_le_bytes() != head[40..]
        {
            return None;
        }
        let mut at = 24;
        let mut word = || number(head, &mut at).map(u32::from_le_bytes);
        let [entries, stored, packing, sum] = [word()?, word()?, word()?, word()?];
        let (entries, stored) = (entries as usize, stored as usize);
        let fits = (1..=MAX_ENTRIES).contains(&entries) && (1..=MAX_BYTES).contains(&stored) && packing <= ZSTD;
        fits.then_some(Self { entries, stored, packing, sum })
    }

    /// Passes the entries to `take` and returns the number of invalid ones, which are skipped.
    ///
    /// # Errors
    /// The content is damaged.
    pub fn entries(&self, content: &[u8], mut take: impl FnMut(Record)) -> Result<u64, &'static str> {
        if crc32fast::hash(content) != self.sum {
            return Err("its checksum does not match");
        }
        let mut left_out = 0;
        let mut take = |words| match Record::from_words(words) {
            Some(record) => take(record),
            None => left_out += 1,
        };
        let plain = self.entries * ENTRY;
        if self.packing == PLAIN {
            if content.len() != plain {
                return Err("its size does not match its number of entries");
            }
            for row in content.as_chunks::<ENTRY>().0 {
                take(words(*row));
            }
            return Ok(left_out);
        }
        let mut turned = Vec::with_capacity(plain);
        let unpacked = FrameDecoder::new().decode_all_to_vec(content, &mut turned);
        if unpacked.is_err() || turned.len() != plain {
            return Err("it cannot be decompressed");
        }
        for nth in 0..self.entries {
            take(words(std::array::from_fn(|column| turned[column * self.entries + nth])));
        }
        Ok(left_out)
    }
}

fn words(row: [u8; ENTRY]) -> [u64; 2] {
    let (key, data) = (row.first_chunk(), row.last_chunk());
    [key, data].map(|half: Option<&[u8; 8]>| half.map_or(0, |half| u64::from_le_bytes(*half)))
}
