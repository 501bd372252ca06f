//! Reads input files without blocking on devices or FIFOs.

use lento::internals::files;
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::path::Path;

/// Maximum size of an input file read into memory: 2 GiB.
pub const MAX_BYTES: u64 = 1 << 31;

/// An error message that names the file.
pub fn in_file(path: &Path, error: impl Display) -> String {
    format!("{}: {error}", path.display())
}

/// Opens a file for reading. Accepts FIFOs only if they are open already (`/dev/stdin`, `/dev/fd/63`), as opening another blocks
/// until it has a writer.
///
/// # Errors
/// I/O errors, or `path` is a folder, a device or a FIFO.
pub fn open(path: &Path) -> Result<File, String> {
    let io = |error: io::Error| in_file(path, error);
    let kind = path.metadata().map_err(io)?.file_type();
    if kind.is_dir() {
        return Err(in_file(path, "a folder; expected a file"));
    }
    let is_open = ["/dev/stdin", "/dev/fd", "/proc/self/fd"].iter().any(|open| path.starts_with(open));
    if kind.is_file() || is_open || path == Path::new("/dev/null") {
        return File::open(path).map_err(io);
    }
    Err(in_file(path, "not a regular file; expected a file, or a pipe as /dev/stdin"))
}

/// Reads a file of at most 2 GiB.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    files::read(open(path)?, MAX_BYTES).map_err(|error| in_file(path, error))
}

/// CRC-32 of a file in eight hexadecimal digits; `None` for other than regular files, which can be read only once.
pub fn checksum(path: &Path) -> Option<String> {
    let bytes = path.is_file().then(|| read(path).ok())??;
    Some(format!("{:08x}", crc32fast::hash(&bytes)))
}

/// Reads a text file without its byte order mark. Replaces invalid UTF-8, as in old files, with U+FFFD.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read(path)?;
    Ok(String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).into_owned())
}

/// Reads a text file that must be UTF-8.
pub fn read_utf8(path: &Path) -> Result<String, String> {
    String::from_utf8(read(path)?).map_err(|error| in_file(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

    #[test]
    fn reads_files_only() {
        let folder = Folder::new("inputs");
        let path = folder.write("text", b"\xef\xbb\xbfM\xfcller");
        assert_eq!(read_text(&path).unwrap(), "M\u{fffd}ller");
        assert!(open(folder.path()).unwrap_err().contains("a folder"));
        assert!(open(&folder.path().join("missing")).unwrap_err().contains("missing: "));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn rejects_devices_and_reads_open_pipes() {
        use std::io::Write;
        use std::os::fd::AsRawFd;
        assert!(read(Path::new("/dev/zero")).unwrap_err().contains("not a regular file"));
        assert!(read(Path::new("/dev/null")).unwrap().is_empty());
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"through the pipe").unwrap();
        drop(writer);
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(read_text(Path::new(&path)).unwrap(), "through the pipe");
    }
}
