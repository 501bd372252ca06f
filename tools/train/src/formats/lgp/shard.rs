//! Files of packed games: header, coded games, checksum.

use super::codec::Codec;
use super::coder::{Coder, Decoder, Encoder};
use crate::formats::{Place, StoredGame, in_file};
use lento_common::inputs::{self, MAX_BYTES};
use std::path::Path;
use std::sync::Arc;

const MAGIC: &[u8; 3] = b"LGP";
const VERSION: u8 = 1;
const HEADER: usize = 16;
const CHECKSUM: usize = 4;
const MAX_GAMES: u64 = 1 << 24;

/// Packs games into the bytes of a file. `path` is for messages. Fails if a game is invalid or there are too many for [`Reader`].
pub fn pack(path: &Path, games: impl IntoIterator<Item = Result<StoredGame, String>>) -> Result<Vec<u8>, String> {
    let (mut codec, mut encoder) = (Codec::new(), Encoder::new());
    let (mut count, mut plies) = (0, 0);
    let too_many = |count, plies| {
        let expected = "expected fewer, in several files";
        in_file(path, format!("{count} games with {plies} plies are too many for a packed file; {expected}"))
    };
    for game in games {
        let game = game?;
        codec.encode(&mut encoder, &game)?;
        count += 1;
        plies += game.plies.len() as u64;
        // Does not read the rest of a long file.
        header(count, plies, encoder.len()).ok_or_else(|| too_many(count, plies))?;
    }
    let coded = encoder.finish();
    let mut bytes = header(count, plies, coded.len() as u64).ok_or_else(|| too_many(count, plies))?;
    bytes.extend(coded);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    Ok(bytes)
}

/// The header of a file, given the bytes of the coded games; `None` if [`Reader`] would reject the file.
pub(super) fn header(games: u64, plies: u64, coded: u64) -> Option<Vec<u8>> {
    if games > MAX_GAMES || coded > MAX_BYTES - (HEADER + CHECKSUM) as u64 {
        return None;
    }
    let mut bytes = [MAGIC, &[VERSION][..]].concat();
    for number in [games, plies, coded] {
        bytes.extend(u32::try_from(number).ok()?.to_le_bytes());
    }
    Some(bytes)
}

/// Iterates over the games of a file. Ends after an error.
pub struct Reader {
    decoder: Decoder,
    codec: Codec,
    path: Arc<Path>,
    /// Number of the next game, from 1.
    next: u64,
    pub games: u64,
    /// Plies of the games not yet decoded.
    pub plies: u64,
}

impl Reader {
    /// Reads a file and verifies its checksum.
    pub fn open(path: &Path) -> Result<Self, String> {
        Self::new(inputs::read(path)?, path).map_err(|reason| in_file(path, reason))
    }

    pub(super) fn new(mut bytes: Vec<u8>, path: &Path) -> Result<Self, String> {
        let found = bytes.len();
        if !bytes.starts_with(MAGIC) && !MAGIC.starts_with(&bytes) {
            return Err("not packed games; expected a file that starts with LGP".to_owned());
        }
        if let Some(&version) = bytes.get(MAGIC.len()).filter(|&&version| version != VERSION) {
            return Err(format!("packed games of version {version}; expected version {VERSION}"));
        }
        let number = |at: usize| Some(u64::from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)));
        let numbers = [4, 8, 12].map(number);
        let [Some(games), Some(plies), Some(coded)] = numbers else {
            return Err(format!("{found} bytes, expected at least {}: truncated", HEADER + CHECKSUM));
        };
        let expected = (HEADER + CHECKSUM) as u64 + coded;
        if found as u64 != expected {
            return Err(format!("{found} bytes, expected {expected}: truncated or damaged"));
        }
        let (content, checksum) = bytes.split_last_chunk().expect("the length was verified");
        let (found, expected) = (crc32fast::hash(content), u32::from_le_bytes(*checksum));
        if found != expected {
            return Err(format!("damaged: checksum {found:08x}, expected {expected:08x}"));
        }
        if games > MAX_GAMES {
            return Err(format!("{games} games, expected at most {MAX_GAMES}"));
        }
        bytes.truncate(bytes.len() - CHECKSUM);
        let (decoder, codec) = (Decoder::new(bytes, HEADER), Codec::new());
        Ok(Self { decoder, codec, path: Arc::from(path), next: 1, games, plies })
    }

    pub fn bytes_read(&self) -> u64 {
        self.decoder.read as u64
    }

    fn decode(&mut self, place: Place) -> Result<StoredGame, String> {
        let game = self.codec.decode(&mut self.decoder, place)?;
        let too_many = || "more plies than stated".to_owned();
        self.plies = self.plies.checked_sub(game.plies.len() as u64).ok_or_else(too_many)?;
        if self.decoder.is_beyond() {
            return Err("the games end too early".to_owned());
        }
        if self.next == self.games && (self.plies > 0 || !self.decoder.is_at_end()) {
            return Err(format!("{} plies and some bytes remain after the last game", self.plies));
        }
        Ok(game)
    }
}

impl Iterator for Reader {
    type Item = Result<StoredGame, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next > self.games {
            return None;
        }
        let place = Place { file: self.path.clone(), game: self.next, offset: self.bytes_read() };
        let game = self.decode(place.clone());
        self.next = if game.is_ok() { self.next + 1 } else { u64::MAX };
        Some(game.map_err(|reason| format!("{place}: {reason}")))
    }
}
