//! Opening, reading and writing the files that a user names.

pub mod draft;
pub mod lines;
pub mod position;

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file. Whatever the name stands for, this neither waits nor gives a file without end.
///
/// # Errors
/// It cannot be opened, or is no regular file: a folder, a FIFO, a device, a socket.
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    // Asked before opening, since that alone has effects on some devices.
    if let Ok(metadata) = path.metadata() {
        expect_regular(metadata.file_type())?;
    }
    let file = without_waiting(options).open(path)?;
    // Asked again, since another file may have taken the name.
    expect_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// All bytes of a file that was opened, at most so many.
///
/// # Errors
/// The system refuses, or there are more.
pub fn read(file: File, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("more than {} MiB; expected a smaller file", most >> 20));
    if file.metadata()?.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // A pipe does not say how much is to come, and a file may grow.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The text of a regular file of at most so many bytes.
///
/// # Errors
/// Those of [`open_regular`] and [`read`], or it is no UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read(open_regular(path, OpenOptions::new().read(true))?, most)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// Refuses what is no regular file.
fn expect_regular(kind: FileType) -> io::Result<()> {
    let found = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        _ => "a FIFO, a device or a socket",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {found}, expected a regular file")))
}

/// Opening a FIFO waits for its other end unless told not to.
#[cfg(unix)]
fn without_waiting(options: &OpenOptions) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = options.clone();
    options.custom_flags(libc::O_NONBLOCK);
    options
}

#[cfg(not(unix))]
fn without_waiting(options: &OpenOptions) -> OpenOptions {
    options.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_missing_files_are_refused() {
        let folder = std::env::temp_dir();
        let error = open_regular(&folder, OpenOptions::new().read(true)).unwrap_err();
        assert_eq!(error.to_string(), "it is a folder, expected a regular file");
        let missing = folder.join("lento-no-such-file");
        let error = open_regular(&missing, OpenOptions::new().read(true)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn larger_files_are_refused() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(read_text(&path, 10).unwrap_err().to_string().contains("expected a smaller file"));
        assert!(read_text(&path, 1 << 20).unwrap().contains("[package]"));
    }

    /// `/dev/zero` has no end; a FIFO without another end would wait for ever.
    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_fifos_are_refused() {
        let fifo = std::env::temp_dir().join(format!("lento-fifo-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()));
        for path in [Path::new("/dev/zero"), Path::new("/dev/full"), &fifo] {
            for options in [OpenOptions::new().read(true), OpenOptions::new().append(true).create(true)] {
                let error = open_regular(path, options).unwrap_err();
                assert_eq!(error.to_string(), "it is a FIFO, a device or a socket, expected a regular file");
                // Opened all the same, as if it had taken the name just now, it does not wait either.
                let _ = without_waiting(options).open(path);
            }
        }
        std::fs::remove_file(fifo).unwrap();
    }
}
