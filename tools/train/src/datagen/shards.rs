//! Writes games to shards.

use crate::formats::shards::{GAMES, PACKED, PLAIN};
use crate::formats::{GameFile, lgp, viri};
use lento_common::draft::Draft;
use lento_common::outputs::named;
use lento_common::play::Record;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A folder of shards filled in order: `00000.vf`, `00001.vf` and so on. Full shards may be packed: `00000.lgp`.
pub struct ShardWriter {
    folder: PathBuf,
    /// Games in a full shard.
    size: u64,
    /// Games in all shards.
    pub games: u64,
    packs: bool,
    /// The shard being filled, if a game has been appended.
    current: Option<File>,
}

impl ShardWriter {
    /// Opens the folder and removes a truncated game. Packs full shards if `packs`; keeps packed ones. Fails if a shard is damaged.
    pub fn open(folder: &Path, size: u64, packs: bool) -> Result<Self, Box<dyn Error>> {
        let mut shards = Self { folder: folder.to_owned(), size, games: 0, packs, current: None };
        loop {
            let shard = shards.games / size;
            let packed = shards.path(shard, PACKED);
            if packed.exists() {
                let games = lgp::Reader::open(&packed)?.games;
                if games != size {
                    return Err(format!("{}: damaged: {games} games, expected {size}", packed.display()).into());
                }
                // An earlier run may not have removed the unpacked one.
                shards.remove(shard)?;
                shards.games += size;
                continue;
            }
            let path = shards.path(shard, PLAIN);
            let io = |error| named(&path, &error);
            let later = shards.later(shard).map_err(|error| named(folder, &error))?;
            if !path.exists() {
                let missing = |later: PathBuf| format!("{}: missing, but {} exists", path.display(), later.display());
                return later.map_or(Ok(shards), |later| Err(missing(later).into()));
            }
            let mut stored = GameFile::open(&path)?;
            let games = stored.by_ref().try_fold(0, |games, game| game.map(|_| games + 1))?;
            let (complete, is_torn) = (stored.bytes(), stored.torn.is_some());
            if games > size || games == size && is_torn || games < size && later.is_some() {
                let (path, found) = (path.display(), path.metadata().map_err(io)?.len());
                return Err(format!("{path}: damaged: {games} games in {found} bytes, expected {size} games").into());
            }
            if games < size {
                // Verifies the games before appending; readers verify full shards.
                let mut stored = GameFile::open(&path)?.take(games as usize);
                stored.try_for_each(|game| game?.walk(|_| {}).map(drop))?;
            }
            if is_torn {
                OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(complete)).map_err(io)?;
            }
            shards.games += games;
            if games < size {
                return Ok(shards);
            }
            if packs {
                shards.pack(shard)?;
            }
        }
    }

    /// A shard of the folder later than `shard`. Files of other names are ignored.
    fn later(&self, shard: u64) -> io::Result<Option<PathBuf>> {
        let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
        Ok(GAMES.in_folder(&self.folder)?.into_iter().rfind(|path| number(path) > Some(shard)))
    }

    /// Packs a full shard. At least one form of it exists at any time.
    fn pack(&self, shard: u64) -> Result<(), Box<dyn Error>> {
        let (path, packed) = (self.path(shard, PLAIN), self.path(shard, PACKED));
        let draft = Draft::create(&packed)?;
        draft.finish(&lgp::pack(&packed, GameFile::open(&path)?)?)?;
        Ok(self.remove(shard)?)
    }

    fn remove(&self, shard: u64) -> io::Result<()> {
        let path = self.path(shard, PLAIN);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(&path, &error)),
            _ => Ok(()),
        }
    }

    fn path(&self, shard: u64, extension: &str) -> PathBuf {
        self.folder.join(format!("{shard:05}.{extension}"))
    }

    /// Appends a game and returns its size in bytes. Fails if the format cannot store it.
    pub fn append(&mut self, record: &Record) -> Result<usize, Box<dyn Error>> {
        if self.games.is_multiple_of(self.size) {
            self.current = None;
        }
        let path = self.path(self.games / self.size, PLAIN);
        let file = match &mut self.current {
            Some(file) => file,
            None => {
                let file = OpenOptions::new().create(true).append(true).open(&path);
                self.current.insert(file.map_err(|error| named(&path, &error))?)
            }
        };
        let bytes = viri::to_bytes(record)?;
        // A single write, so that at most the last game can be truncated.
        file.write_all(&bytes).map_err(|error| named(&path, &error))?;
        self.games += 1;
        if self.packs && self.games.is_multiple_of(self.size) {
            self.current = None;
            self.pack(self.games / self.size - 1)?;
        }
        Ok(bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::viri::{HEADER, PLY};
    use lento::chess::Board;
    use lento_common::play::{Ending, GameResult, Ply};
    use lento_console::setup::Setup;
    use lento_testing::Folder;
    use std::time::SystemTime;
    use viriformat::dataformat::{Game, WDL};

    /// A game that starts with Black: e5 at +30 for Black, then Nf3 at +12 for White.
    fn record() -> Record {
        let start = Board::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
        let moves = Setup::default().moves(&start, "e5 Nf3").unwrap().into_iter().zip([30, 12]);
        let plies = moves.map(|(mv, score)| Ply { score, ..Ply::new(mv) }).collect();
        Record { start, plies, result: GameResult::BlackWins, ending: Ending::Resignation }
    }

    #[test]
    fn scores_are_stored_from_whites_point_of_view() {
        let bytes = viri::to_bytes(&record()).unwrap();
        assert_eq!(bytes.len(), HEADER + 3 * PLY);
        let game = Game::deserialise_from(&mut bytes.as_slice(), Vec::new()).unwrap();
        let scores: Vec<i16> = game.moves.iter().map(|(_, score)| score.get()).collect();
        assert_eq!(scores, [-30, 12]);
        assert_eq!(game.outcome(), WDL::Loss);
    }

    #[test]
    fn fills_and_resumes_shards() {
        let folder = Folder::new("shards");
        let mut shards = ShardWriter::open(folder.path(), 3, false).unwrap();
        assert_eq!(shards.games, 0);
        for _ in 0..5 {
            shards.append(&record()).unwrap();
        }
        let size = |shard: u64| std::fs::metadata(folder.at(&format!("{shard:05}.vf"))).unwrap().len();
        assert_eq!([size(0), size(1)], [132, 88]);

        // The truncated last game is removed.
        OpenOptions::new().write(true).open(folder.at("00001.vf")).unwrap().set_len(80).unwrap();
        let mut shards = ShardWriter::open(folder.path(), 3, false).unwrap();
        assert_eq!((shards.games, size(1)), (4, 44));
        for _ in 0..3 {
            shards.append(&record()).unwrap();
        }
        assert_eq!([size(0), size(1), size(2)], [132, 132, 44]);
        // Full shards are not written to.
        let (full, time) = (folder.at("00000.vf"), SystemTime::UNIX_EPOCH);
        OpenOptions::new().write(true).open(&full).unwrap().set_modified(time).unwrap();
        assert_eq!(ShardWriter::open(folder.path(), 3, false).unwrap().games, 7);
        assert_eq!(std::fs::metadata(&full).unwrap().modified().unwrap(), time);
        folder.write("other.vf", b"");
        std::fs::remove_file(folder.at("00001.vf")).unwrap();
        let error = ShardWriter::open(folder.path(), 3, false).err().unwrap().to_string();
        assert!(error.contains("00001.vf: missing, but ") && error.contains("00002.vf"), "{error}");
    }
}
