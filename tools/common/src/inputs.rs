//! Reading input files without waiting for devices or FIFOs.

use lento::files;
use std::fs::File;
use std::io;
use std::path::Path;

/// Larger files are refused: 2 GiB.
const MOST: u64 = 1 << 31;

/// Opens a file for reading. Of FIFOs only open ones (`/dev/stdin`, `/dev/fd/63`) are accepted: opening another would wait for a
/// writer.
///
/// # Errors
/// I/O errors, or the path is a folder, a device or a FIFO.
pub fn open(path: &Path) -> io::Result<File> {
    let kind = path.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::Error::other("a folder; expected a file"));
    }
    let is_open = ["/dev/stdin", "/dev/fd", "/proc/self/fd"].iter().any(|open| path.starts_with(open));
    if kind.is_file() || is_open || path == Path::new("/dev/null") {
        return File::open(path);
    }
    Err(io::Error::other("not a regular file; expected a file, or a pipe as /dev/stdin"))
}

/// Reads a file of at most 2 GiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    files::read(open(path)?, MOST)
}

/// Reads a text file. Invalid UTF-8, as in old files, becomes replacement characters.
pub fn read_text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8(read(path)?).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Reads a text file that must be UTF-8.
pub fn read_utf8(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Folder;

    #[test]
    fn files_are_read_and_nothing_else() {
        let folder = Folder::new("inputs");
        let path = folder.write("text", b"M\xfcller");
        assert_eq!(read_text(&path).unwrap(), "M\u{fffd}ller");
        assert!(open(folder.path()).unwrap_err().to_string().contains("a folder"));
        assert_eq!(open(&folder.path().join("missing")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_refused_and_open_pipes_are_read() {
        use std::io::Write;
        use std::os::fd::AsRawFd;
        assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().contains("not a regular file"));
        assert!(read(Path::new("/dev/null")).unwrap().is_empty());
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"through the pipe").unwrap();
        drop(writer);
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(read_text(Path::new(&path)).unwrap(), "through the pipe");
    }
}
