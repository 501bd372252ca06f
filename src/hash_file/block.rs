//! The entries of a run of clusters.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `LENTOBLK` |
//! | 8 | 8 | number of the save, as in the header of the file |
//! | 16 | 8 | first cluster |
//! | 24 | 4 | entries, 1 to 65536 |
//! | 28 | 4 | bytes of the content as it is stored |
//! | 32 | 4 | packing: 0 plain, 1 zstd |
//! | 36 | 4 | CRC-32 of the content as it is stored |
//! | 40 | 4 | CRC-32 of the 40 bytes before |
//! | 44 | | content |
//!
//! The plain content is 16 bytes for each entry, its key and its data ([`Record::words`]). For zstd it is turned round: the lowest
//! bytes of all keys, then the next ones, up to the highest bytes of all data, since bytes of one kind are alike.

use super::{align, number};
use crate::tt::{Record, Tt};
use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// How many clusters make a block, of four entries each: a MiB of the table.
pub const CLUSTERS: usize = 1 << 14;
/// Bytes before the content.
pub const HEAD: usize = 44;
/// The most bytes of a content, which is never stored in more than it has when it is plain.
pub const LARGEST: usize = MOST_ENTRIES * ENTRY;

const MAGIC: [u8; 8] = *b"LENTOBLK";
const MOST_ENTRIES: usize = CLUSTERS * Tt::CLUSTER_ENTRIES;
const ENTRY: usize = 16;
const PLAIN: u32 = 0;
const ZSTD: u32 = 1;

/// What stands before the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    entries: usize,
    /// Bytes of the content as it is stored.
    pub stored: usize,
    packing: u32,
    sum: u32,
}

/// Writes a block of at least one entry and at most 65536, compressed where that makes it smaller.
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
    /// The head of a block of this save, if the bytes begin with one.
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
        let fits = (1..=MOST_ENTRIES).contains(&entries) && (1..=LARGEST).contains(&stored) && packing <= ZSTD;
        fits.then_some(Self { entries, stored, packing, sum })
    }

    /// Hands out the entries of the content that belongs to this head; those that no search stores are left out. Returns how many
    /// were left out.
    ///
    /// # Errors
    /// The content has changed since it was written.
    pub fn entries(&self, content: &[u8], mut take: impl FnMut(Record)) -> Result<u64, &'static str> {
        if crc32fast::hash(content) != self.sum {
            return Err("its checksum does not fit");
        }
        let mut left_out = 0;
        let mut take = |words| match Record::from_words(words) {
            Some(record) => take(record),
            None => left_out += 1,
        };
        let plain = self.entries * ENTRY;
        if self.packing == PLAIN {
            if content.len() != plain {
                return Err("it has not as many bytes as entries need");
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
