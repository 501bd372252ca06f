//! Safe access to user-supplied paths.

pub mod draft;

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file. Folders, FIFOs, devices and sockets are refused without blocking.
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    // Check before opening, which has side effects on some devices.
    if let Ok(metadata) = path.metadata() {
        expect_regular(metadata.file_type())?;
    }
    let file = open(path, options)?;
    // Check again, as the path may have been replaced.
    expect_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a file of at most `most` bytes.
pub fn read(file: File, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("more than {} MiB; expected a smaller file", most >> 20));
    if file.metadata()?.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The size of a pipe is unknown, and a file may grow.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

fn expect_regular(kind: FileType) -> io::Result<()> {
    let found = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        _ => "a FIFO, a device or a socket",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {found}, expected a regular file")))
}

/// Does not wait for the other end of a FIFO.
fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let options = &mut options.clone();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_folders_and_missing_files() {
        let folder = std::env::temp_dir();
        let error = open_regular(&folder, OpenOptions::new().read(true)).unwrap_err();
        assert_eq!(error.to_string(), "it is a folder, expected a regular file");
        let missing = folder.join("lento-no-such-file");
        let error = open_regular(&missing, OpenOptions::new().read(true)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn rejects_large_files() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let read = |most| read(File::open(&path).unwrap(), most);
        assert!(read(10).unwrap_err().to_string().contains("expected a smaller file"));
        assert!(read(1 << 20).unwrap().starts_with(b"[workspace]"));
    }

    /// `/dev/zero` never ends; opening a FIFO without a writer would block.
    #[cfg(target_os = "linux")]
    #[test]
    fn rejects_devices_and_fifos() {
        let fifo = std::env::temp_dir().join(format!("lento-fifo-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()));
        for path in [Path::new("/dev/zero"), Path::new("/dev/full"), &fifo] {
            for options in [OpenOptions::new().read(true), OpenOptions::new().append(true).create(true)] {
                let error = open_regular(path, options).unwrap_err();
                assert_eq!(error.to_string(), "it is a FIFO, a device or a socket, expected a regular file");
                // Opening without the check does not block either.
                let _ = open(path, options);
            }
        }
        std::fs::remove_file(fifo).unwrap();
    }
}
