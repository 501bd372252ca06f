//! The games of many files, one after the other.

use super::game::{HEADER, PLY, StoredGame, TERMINATOR};
use super::{DataError, Place, lgp};
use lento_common::inputs;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Data of one kind.
#[derive(Debug)]
pub struct FileKind {
    /// How the names of its files end.
    pub extensions: &'static [&'static str],
    /// The same in words.
    pub names: &'static str,
    /// What the files hold.
    pub what: &'static str,
}

/// How the names of packed games end.
pub const PACKED: &str = "lgp";
/// Games.
pub const GAMES: FileKind = FileKind {
    extensions: &["vf", "viri", PACKED],
    names: "*.vf, *.viri or *.lgp",
    what: "games in viriformat (*.vf, *.viri) or packed (*.lgp)",
};
/// Packed games alone.
pub const PACKED_GAMES: FileKind = FileKind { extensions: &[PACKED], names: "*.lgp", what: "packed games (*.lgp)" };
/// Single positions.
pub const POSITIONS: FileKind =
    FileKind { extensions: &["bf"], names: "*.bf", what: "positions in bulletformat (*.bf)" };

impl FileKind {
    /// Whether a file is named as such data.
    pub fn names(&self, path: &Path) -> bool {
        path.extension().and_then(OsStr::to_str).is_some_and(|extension| self.extensions.contains(&extension))
    }

    /// The files that some paths mean: a file is itself, whatever its name unless that is for another kind; a folder is its files
    /// of this kind in the order of their names.
    ///
    /// # Errors
    /// A path cannot be read, a file is named as data of another kind, or a folder holds no such file, or games twice: packed and not.
    pub fn find(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
        let mut files = Vec::new();
        for path in paths {
            let io = |error| DataError::Io { path: path.clone(), error };
            if !std::fs::metadata(path).map_err(io)?.is_dir() {
                if !self.names(path) && (GAMES.names(path) || POSITIONS.names(path)) {
                    return Err(DataError::Kind { path: path.clone(), expected: self.what });
                }
                files.push(path.clone());
                continue;
            }
            let mut here = Vec::new();
            for entry in std::fs::read_dir(path).map_err(io)? {
                let file = entry.map_err(io)?.path();
                if file.is_file() && self.names(&file) {
                    here.push(file);
                }
            }
            if here.is_empty() {
                return Err(DataError::Empty { path: path.clone(), expected: self.names });
            }
            here.sort();
            let same = |[one, other]: &&[PathBuf; 2]| {
                is_packed(one) != is_packed(other) && one.file_stem() == other.file_stem()
            };
            if let Some([one, other]) = here.array_windows().find(same) {
                return Err(DataError::Twice { one: one.clone(), other: other.clone() });
            }
            files.append(&mut here);
        }
        Ok(files)
    }
}

/// A game of more moves is none: the fifty-move rule ends every game before.
pub const MAX_PLIES: usize = 20_000;

/// The files with games that some paths mean; see [`FileKind::find`].
///
/// # Errors
/// Those of [`FileKind::find`].
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    GAMES.find(paths)
}

/// Whether a file is named as packed games.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == PACKED)
}

/// How many bytes some files have together.
///
/// # Errors
/// A file cannot be looked at.
pub fn size(files: &[PathBuf]) -> Result<u64, DataError> {
    files.iter().try_fold(0, |sum, path| {
        let metadata = std::fs::metadata(path).map_err(|error| DataError::Io { path: path.clone(), error })?;
        Ok(sum + metadata.len())
    })
}

/// The games of some files, in order. A last game that was not written whole is left out and remembered.
pub struct Shards {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<Open>,
    torn: Vec<Place>,
    finished: u64,
}

enum Open {
    Plain(Shard),
    Packed(Box<lgp::Reader>),
}

impl Open {
    /// How many bytes have been read.
    fn position(&self) -> u64 {
        match self {
            Self::Plain(shard) => shard.next.offset,
            Self::Packed(games) => games.bytes_read(),
        }
    }
}

/// A file in viriformat.
struct Shard {
    reader: BufReader<File>,
    next: Place,
}

impl Shards {
    /// The games of these files.
    pub fn new(files: Vec<PathBuf>) -> Self {
        Self { files: files.into_iter(), open: None, torn: Vec::new(), finished: 0 }
    }

    /// The games so far that were not written whole: each the last of its file.
    pub fn torn(&self) -> &[Place] {
        &self.torn
    }

    /// How many bytes have been read.
    pub fn bytes(&self) -> u64 {
        self.finished + self.open.as_ref().map_or(0, Open::position)
    }

    /// The next game of the open file; `None` at its end.
    fn next_here(&mut self) -> Result<Option<StoredGame>, DataError> {
        let shard = match &mut self.open {
            None => return Ok(None),
            Some(Open::Packed(games)) => return games.next().transpose(),
            Some(Open::Plain(shard)) => shard,
        };
        match shard.read() {
            Ok(game) => Ok(game),
            Err(ShardError::Torn) => {
                self.torn.push(shard.next.clone());
                Ok(None)
            }
            Err(ShardError::TooLong) => {
                let reason = format!("more than {MAX_PLIES} moves; expected games in viriformat");
                Err(DataError::Corrupt { place: shard.next.clone(), reason })
            }
            Err(ShardError::Io(error)) => Err(DataError::Io { path: shard.next.file.to_path_buf(), error }),
        }
    }

    /// Opens the next file; `false` after the last.
    fn open_next(&mut self) -> Result<bool, DataError> {
        self.finished = self.bytes();
        self.open = None;
        let Some(path) = self.files.next() else { return Ok(false) };
        if is_packed(&path) {
            self.open = Some(Open::Packed(Box::new(lgp::Verified::read(&path)?.into_games(&path))));
            return Ok(true);
        }
        let file = inputs::open(&path).map_err(|error| DataError::Io { path: path.clone(), error })?;
        let next = Place { file: Arc::from(Path::new(&path)), game: 1, offset: 0 };
        self.open = Some(Open::Plain(Shard { reader: BufReader::with_capacity(1 << 16, file), next }));
        Ok(true)
    }
}

impl Iterator for Shards {
    type Item = Result<StoredGame, DataError>;

    /// The next game. After an error the rest of its file is left out.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_here() {
                Ok(Some(game)) => return Some(Ok(game)),
                Ok(None) => {}
                Err(error) => {
                    self.open = None;
                    return Some(Err(error));
                }
            }
            match self.open_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

enum ShardError {
    /// The file ends within a game.
    Torn,
    TooLong,
    Io(io::Error),
}

impl Shard {
    /// The next game; `None` when the file ends after the last one.
    fn read(&mut self) -> Result<Option<StoredGame>, ShardError> {
        let mut header = [0; HEADER];
        match read_whole(&mut self.reader, &mut header)? {
            0 => return Ok(None),
            HEADER => {}
            _ => return Err(ShardError::Torn),
        }
        let mut plies = Vec::new();
        loop {
            let mut ply = [0; PLY];
            if read_whole(&mut self.reader, &mut ply)? < PLY {
                return Err(ShardError::Torn);
            }
            if ply == TERMINATOR {
                break;
            }
            if plies.len() == MAX_PLIES {
                return Err(ShardError::TooLong);
            }
            plies.push(ply);
        }
        let place = self.next.clone();
        self.next.game += 1;
        self.next.offset += (HEADER + PLY * (plies.len() + 1)) as u64;
        Ok(Some(StoredGame { place, header, plies, checked: None }))
    }
}

/// Fills a buffer as far as the file goes, and says how far.
fn read_whole(reader: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ShardError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ShardError::Io(error)),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use lento_common::scratch::Folder;

    #[test]
    fn folders_are_read_in_order_and_torn_games_left_out() {
        let folder = Folder::new("shards");
        let games = sample::games(5, 1);
        let torn = sample::bytes(&games[3..]);
        folder.write("b.viri", &torn[..torn.len() - 3]);
        folder.write("a.vf", &sample::bytes(&games[..3]));
        folder.write("notes.txt", b"not data");
        let files = find(&[folder.path().to_owned()]).unwrap();
        assert_eq!(files, [folder.path().join("a.vf"), folder.path().join("b.viri")]);
        let mut shards = Shards::new(files.clone());
        let read: Vec<StoredGame> = shards.by_ref().map(Result::unwrap).collect();
        assert_eq!(read.len(), 4);
        for (stored, game) in read.iter().zip(&games) {
            assert_eq!(stored.plies.len(), game.plies.len());
        }
        assert_eq!(read[3].place.to_string(), format!("{}: game 1 at byte 0", files[1].display()));
        let [place] = shards.torn() else { panic!("one torn game, found {:?}", shards.torn()) };
        assert_eq!((place.game, place.offset), (2, (HEADER + PLY * (games[3].plies.len() + 1)) as u64));
        assert_eq!(shards.bytes(), size(&files[..1]).unwrap() + place.offset);
    }

    #[test]
    fn what_is_no_data_is_refused() {
        let folder = Folder::new("nothing");
        let error = find(&[folder.path().to_owned()]).unwrap_err().to_string();
        assert!(error.contains("no data here; expected files named *.vf, *.viri or *.lgp"), "{error}");
        let missing = folder.path().join("missing.vf");
        assert!(find(std::slice::from_ref(&missing)).unwrap_err().to_string().contains("missing.vf"));
        let positions = folder.write("positions.bf", b"");
        let error = find(std::slice::from_ref(&positions)).unwrap_err().to_string();
        assert!(error.contains("positions.bf: not data of this kind; expected games in viriformat"), "{error}");
        assert_eq!(POSITIONS.find(&[folder.path().to_owned()]).unwrap(), [positions]);
        let path = folder.write("noise.vf", &[7; 200_000]);
        let error = Shards::new(vec![path]).next().unwrap().unwrap_err().to_string();
        assert!(error.contains("noise.vf: game 1 at byte 0: more than 20000 moves"), "{error}");
    }
}
