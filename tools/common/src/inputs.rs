//! Files that are read: what never ends, or never begins, is no file.

use lento::files;
use std::fs::File;
use std::io;
use std::path::Path;

/// More bytes than this are not read into memory: 2 GiB.
const MOST: u64 = 1 << 31;

/// Opens a file for reading. A pipe is taken where it is open already (`/dev/stdin`, `/dev/fd/63`): to open any other would wait
/// for a writer who may never come.
///
/// # Errors
/// The system refuses, or it is a folder, a device or a pipe.
pub fn open(path: &Path) -> io::Result<File> {
    let kind = path.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::Error::other("a folder; expected a file"));
    }
    if kind.is_file() || is_open_pipe(path, kind) || path == Path::new("/dev/null") {
        return File::open(path);
    }
    Err(io::Error::other("no regular file; expected a file, or a pipe as /dev/stdin"))
}

#[cfg(unix)]
fn is_open_pipe(path: &Path, kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let open =
        path == Path::new("/dev/stdin") || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.starts_with(folder));
    open && kind.is_fifo()
}

#[cfg(not(unix))]
fn is_open_pipe(_: &Path, _: std::fs::FileType) -> bool {
    false
}

/// The bytes of a file that fits into memory.
///
/// # Errors
/// Those of [`open`], or it is too large.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    files::read(open(path)?, MOST)
}

/// The text of a file that fits into memory. Bytes that are no UTF-8, as in names in old files, become question marks.
///
/// # Errors
/// Those of [`read`].
pub fn read_text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8(read(path)?).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The text of a file that fits into memory, every byte as it is there.
///
/// # Errors
/// Those of [`read`], or it is no UTF-8.
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
        assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().contains("no regular file"));
        assert!(read(Path::new("/dev/null")).unwrap().is_empty());
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"through the pipe").unwrap();
        drop(writer);
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(read_text(Path::new(&path)).unwrap(), "through the pipe");
    }
}
