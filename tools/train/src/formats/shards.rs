//! Finds files of data and reads games.

use super::viri::{HEADER, PLY, TERMINATOR};
use super::{Place, StoredGame, in_file, lgp};
use indicatif::ProgressBar;
use lento_common::{inputs, progress};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kind of data files, by extension.
#[derive(Debug)]
pub struct FileKind {
    extensions: &'static [&'static str],
    description: &'static str,
}

/// The extension of packed games.
pub const PACKED: &str = "lgp";
/// The extension of written games in viriformat.
pub const PLAIN: &str = "vf";
pub const GAMES: FileKind = FileKind {
    extensions: &[PLAIN, "viri", PACKED],
    description: "games in viriformat (*.vf, *.viri) or packed (*.lgp)",
};
pub const PACKED_GAMES: FileKind = FileKind { extensions: &[PACKED], description: "packed games (*.lgp)" };
pub const POSITIONS: FileKind = FileKind { extensions: &["bf"], description: "positions in bulletformat (*.bf)" };

impl FileKind {
    /// Whether a file has an extension of this kind.
    pub fn names(&self, path: &Path) -> bool {
        path.extension().and_then(OsStr::to_str).is_some_and(|extension| self.extensions.contains(&extension))
    }

    /// The files of this kind in a folder, sorted by name.
    pub fn in_folder(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let paths = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
        let mut files = paths.collect::<io::Result<Vec<_>>>()?;
        files.retain(|file| self.names(file) && file.is_file());
        files.sort();
        Ok(files)
    }

    /// Expands folders to their files of this kind. Accepts files of any name, unless they are named as data of another kind. Fails for
    /// folders without such files, or with games both packed and unpacked.
    pub fn find(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        for path in paths {
            let io = |error| in_file(path, error);
            if !std::fs::metadata(path).map_err(io)?.is_dir() {
                if !self.names(path) && (GAMES.names(path) || POSITIONS.names(path)) {
                    return Err(in_file(path, format!("not data of this kind; expected {}", self.description)));
                }
                files.push(path.clone());
                continue;
            }
            let mut here = self.in_folder(path).map_err(io)?;
            if here.is_empty() {
                return Err(in_file(path, format!("no data in this folder; expected {}", self.description)));
            }
            let same = |pair: &&[PathBuf]| {
                is_packed(&pair[0]) != is_packed(&pair[1]) && pair[0].file_stem() == pair[1].file_stem()
            };
            if let Some([one, other]) = here.windows(2).find(same) {
                let (one, other) = (one.display(), other.display());
                return Err(format!("{one} and {other} contain the same games; expected one of them"));
            }
            files.append(&mut here);
        }
        Ok(files)
    }
}

/// Maximum plies of a game; the fifty-move rule ends every game earlier.
pub const MAX_PLIES: usize = 20_000;

/// Whether a file has the extension of packed games.
pub fn is_packed(path: &Path) -> bool {
    PACKED_GAMES.names(path)
}

/// Size of a file in bytes.
pub fn size(path: &Path) -> Result<u64, String> {
    std::fs::metadata(path).map(|metadata| metadata.len()).map_err(|error| in_file(path, error))
}

/// A progress bar for the bytes of files.
pub fn bar(files: &[PathBuf]) -> Result<ProgressBar, String> {
    let bytes = files.iter().map(|file| size(file)).sum::<Result<_, _>>()?;
    Ok(progress::bar(Some(bytes), "{bar:30} {bytes}/{total_bytes} {msg} [{elapsed}, {eta} left]"))
}

/// Iterates over the games of a file, up to the first error. Skips and records a truncated last game.
pub struct GameFile {
    source: Source,
    /// The truncated last game, once it has been reached.
    pub torn: Option<Place>,
}

enum Source {
    /// A file in viriformat and the place of the next game.
    Plain(BufReader<File>, Place),
    Packed(Box<lgp::Reader>),
}

impl GameFile {
    pub fn open(path: &Path) -> Result<Self, String> {
        let source = if is_packed(path) {
            Source::Packed(Box::new(lgp::Reader::open(path)?))
        } else {
            let reader = BufReader::with_capacity(1 << 16, inputs::open(path)?);
            Source::Plain(reader, Place { file: Arc::from(path), game: 1, offset: 0 })
        };
        Ok(Self { source, torn: None })
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        match &self.source {
            Source::Plain(_, next) => next.offset,
            Source::Packed(games) => games.bytes_read(),
        }
    }
}

impl Iterator for GameFile {
    type Item = Result<StoredGame, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Packed(games) => games.next(),
            Source::Plain(reader, next) => match read_game(reader, next) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.torn = Some(next.clone());
                    None
                }
                game => game.map_err(|error| format!("{next}: {error}")).transpose(),
            },
        }
    }
}

/// The next game of a file in viriformat; `None` at the end.
fn read_game(reader: &mut BufReader<File>, next: &mut Place) -> io::Result<Option<StoredGame>> {
    if reader.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut header = [0; HEADER];
    reader.read_exact(&mut header)?;
    let mut plies = Vec::new();
    loop {
        let mut ply = [0; PLY];
        reader.read_exact(&mut ply)?;
        if ply == TERMINATOR {
            break;
        }
        if plies.len() == MAX_PLIES {
            return Err(io::Error::other(format!("more than {MAX_PLIES} moves; expected games in viriformat")));
        }
        plies.push(ply);
    }
    let place = next.clone();
    next.game += 1;
    next.offset += (HEADER + PLY * (plies.len() + 1)) as u64;
    Ok(Some(StoredGame { place, header, plies, checked: None }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;
    use lento_testing::Folder;

    #[test]
    fn reads_folders_in_order_and_skips_truncated_games() {
        let folder = Folder::new("shards");
        let games = sample::games(5, 1);
        let torn = sample::bytes(&games[3..]);
        folder.write("b.viri", &torn[..torn.len() - 3]);
        folder.write("a.vf", &sample::bytes(&games[..3]));
        folder.write("notes.txt", b"not data");
        let files = ["a.vf", "b.viri"].map(|name| folder.at(name));
        assert_eq!(GAMES.find(&[folder.path().to_owned()]).unwrap(), files);
        let mut opened = files.each_ref().map(|file| GameFile::open(file).unwrap());
        let read: Vec<StoredGame> = opened.iter_mut().flatten().map(Result::unwrap).collect();
        assert_eq!(read.len(), 4);
        for (stored, game) in read.iter().zip(&games) {
            assert_eq!(stored.plies.len(), game.plies.len());
        }
        assert_eq!(read[3].place.to_string(), format!("{}: game 1 at byte 0", files[1].display()));
        let [whole, torn] = &opened;
        let place = torn.torn.as_ref().unwrap();
        assert_eq!((place.game, place.offset), (2, (HEADER + PLY * (games[3].plies.len() + 1)) as u64));
        assert_eq!((torn.bytes(), whole.bytes(), &whole.torn), (place.offset, size(&files[0]).unwrap(), &None));
    }

    #[test]
    fn invalid_files_are_errors() {
        let folder = Folder::new("nothing");
        let error = GAMES.find(&[folder.path().to_owned()]).unwrap_err();
        assert!(
            error.contains("no data in this folder; expected games in viriformat (*.vf, *.viri) or packed (*.lgp)"),
            "{error}"
        );
        let missing = folder.path().join("missing.vf");
        assert!(GAMES.find(std::slice::from_ref(&missing)).unwrap_err().contains("missing.vf"));
        let positions = folder.write("positions.bf", b"");
        let error = GAMES.find(std::slice::from_ref(&positions)).unwrap_err();
        assert!(error.contains("positions.bf: not data of this kind; expected games in viriformat"), "{error}");
        assert_eq!(POSITIONS.find(&[folder.path().to_owned()]).unwrap(), [positions]);
        let path = folder.write("noise.vf", &[7; 200_000]);
        let error = GameFile::open(&path).unwrap().next().unwrap().unwrap_err();
        assert!(error.contains("noise.vf: game 1 at byte 0: more than 20000 moves"), "{error}");
    }
}
