//! Safe access to user-supplied paths, and atomic file replacement.

use std::fs::{self, File, FileType, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Opens a regular file. Rejects folders, FIFOs, devices and sockets without blocking.
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

/// Reads a file of at most `max` bytes.
pub fn read(file: File, max: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("more than {} MiB; expected a smaller file", max >> 20));
    if file.metadata()?.len() > max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The size of a pipe is unknown, and a file may grow.
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large()) } else { Ok(bytes) }
}

fn expect_regular(kind: FileType) -> io::Result<()> {
    let found = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        _ => "a FIFO, a device or a socket",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {found}, expected a regular file")))
}

/// Opens a file, without waiting for the other end of a FIFO.
fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let options = &mut options.clone();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK);
    options.open(path)
}

/// Most files that [`raise_open_limit`] allows; macOS refuses more.
#[cfg(unix)]
const MAX_OPEN: libc::rlim_t = 10_240;

/// Number of files that the process may have open, and how far it may raise that; 0 if unknown.
#[cfg(unix)]
pub(crate) fn open_limit() -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes only the limit. On failure nothing changes.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    limit
}

/// Lets the process have as many files open as the system allows, often only 1024 by default. Does nothing on Windows.
pub fn raise_open_limit() {
    #[cfg(unix)]
    {
        let limit = open_limit();
        let raised = libc::rlimit { rlim_cur: limit.rlim_max.min(MAX_OPEN), ..limit };
        if limit.rlim_cur < raised.rlim_cur {
            // SAFETY: the call reads the limit. On failure nothing changes.
            unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const raised) };
        }
    }
}

/// A file being written, renamed to its final name when finished. Dropping a draft removes it and keeps any older file. A killed
/// process leaves a hidden `.part` file behind, which the next draft of that name removes unless a writer has locked it.
///
/// Devices and pipes are written in place, since renaming would replace them, and so is `/dev/stdout`, even if it is a file. Symbolic
/// links stay: the file behind them is replaced.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// The hidden file; `None` for a device.
    hidden: Option<PathBuf>,
    writer: BufWriter<File>,
}

/// A file could not be written.
#[derive(Debug, Error)]
#[error("{}: {error}", path.display())]
pub struct WriteError {
    path: PathBuf,
    error: io::Error,
}

impl WriteError {
    /// An I/O error at a path.
    pub fn new(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), error }
    }
}

impl Draft {
    /// Starts a draft. Fails early if the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let path = &behind_links(path);
        let failed = |error| WriteError::new(path, error);
        if path.file_name().is_none() || path.is_dir() {
            return Err(failed(io::Error::other("a folder; expected the name of a file")));
        }
        let (hidden, file) = if path == STDOUT {
            (None, stdout().map_err(failed)?)
        } else if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            (None, File::options().write(true).open(path).map_err(failed)?)
        } else {
            remove_abandoned(path, SUFFIX);
            let (hidden, file) = create_locked(path, SUFFIX).map_err(failed)?;
            // A private file stays private.
            let _ = path.metadata().and_then(|older| file.set_permissions(older.permissions()));
            (Some(hidden), file)
        };
        Ok(Self { path: path.to_owned(), hidden, writer: BufWriter::with_capacity(1 << 18, file) })
    }

    /// Like [`create`](Self::create), but rejects devices and FIFOs.
    pub fn create_regular(path: &Path) -> Result<Self, WriteError> {
        if let Ok(metadata) = path.metadata() {
            expect_regular(metadata.file_type()).map_err(|error| WriteError::new(path, error))?;
        }
        Self::create(path)
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// Appends bytes, syncs to disk and renames the file.
    pub fn finish(mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let mut finish = || {
            self.writer.write_all(bytes)?;
            self.writer.flush()?;
            if let Some(hidden) = &self.hidden {
                self.writer.get_ref().sync_all()?;
                fs::rename(hidden, &self.path)?;
            }
            Ok(())
        };
        finish().map_err(|error| WriteError::new(&self.path, error))?;
        self.hidden = None;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(hidden) = &self.hidden {
            let _ = fs::remove_file(hidden);
        }
    }
}

const STDOUT: &str = "/dev/stdout";

/// Standard output. Opening [`STDOUT`] instead would start at the beginning of the file.
fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    return Ok(std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?.into());
    #[cfg(not(unix))]
    Err(io::ErrorKind::NotFound.into())
}

/// The file that a path names, beyond symbolic links.
fn behind_links(path: &Path) -> PathBuf {
    if path == STDOUT || !path.is_symlink() {
        return path.to_owned();
    }
    // The file behind a link need not exist yet. Links of descriptors name none.
    let named = || Some(path.parent()?.join(path.read_link().ok()?)).filter(|_| !path.exists());
    path.canonicalize().ok().or_else(named).unwrap_or_else(|| path.to_owned())
}

/// Renames a file to the first of `NAME.old`, `NAME.old2` and so on that does not exist. Returns the new path.
pub fn set_aside(path: &Path) -> Result<PathBuf, WriteError> {
    let path = &behind_links(path);
    let (mut older, mut number) = (path.with_added_extension("old"), 1);
    while older.symlink_metadata().is_ok() {
        number += 1;
        older = path.with_added_extension(format!("old{number}"));
    }
    fs::rename(path, &older).map_err(|error| WriteError::new(&older, error))?;
    Ok(older)
}

/// Suffix of hidden files.
const SUFFIX: &str = ".part";

/// Prefix of the names of hidden files beside a file.
fn prefix(path: &Path) -> String {
    format!(".{}.", path.file_name().unwrap_or_default().display())
}

/// Creates a hidden file beside a file, named after it, and locked while in use.
pub fn create_locked(path: &Path, suffix: &str) -> io::Result<(PathBuf, File)> {
    loop {
        // Random, as process ids may coincide between containers.
        let token = RandomState::new().hash_one(());
        let path = path.with_file_name(format!("{}{token:016x}{suffix}", prefix(path)));
        let file = File::create_new(&path)?;
        // Without lock support files are never removed; with it, another process may have removed this one before it was locked.
        if file.lock().is_err() || path.exists() {
            return Ok((path, file));
        }
    }
}

/// Removes hidden files left beside a file by killed processes.
pub fn remove_abandoned(path: &Path, suffix: &str) {
    let prefix = prefix(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let token = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(suffix));
        if token.is_some_and(|token| token.len() == 16 && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
            && let Ok(file) = open_regular(&entry.path(), File::options().read(true).write(true))
            && file.try_lock().is_ok()
        {
            // Remove while locked, so that a process that has just created the file notices.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file atomically.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    Draft::create(path)?.finish(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

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
        let read = |max| read(File::open(&path).unwrap(), max);
        assert!(read(10).unwrap_err().to_string().contains("expected a smaller file"));
        assert!(read(1 << 20).unwrap().starts_with(b"[workspace]"));
    }

    /// `/dev/zero` never ends; opening a FIFO without a writer would block.
    #[cfg(target_os = "linux")]
    #[test]
    fn rejects_devices_and_fifos() {
        let folder = Folder::new("fifo");
        let fifo = folder.at("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()));
        for path in [Path::new("/dev/zero"), Path::new("/dev/full"), &fifo] {
            for options in [OpenOptions::new().read(true), OpenOptions::new().append(true).create(true)] {
                let error = open_regular(path, options).unwrap_err();
                assert_eq!(error.to_string(), "it is a FIFO, a device or a socket, expected a regular file");
                // Opening without the check does not block either.
                let _ = open(path, options);
            }
        }
    }

    #[test]
    fn files_appear_when_finished() {
        let folder = Folder::new("draft");
        let path = folder.write("out.json", b"old");
        let begin = || {
            let mut draft = Draft::create(&path).unwrap();
            draft.write(b"new").unwrap();
            draft
        };
        let state = || (fs::read(&path).unwrap(), folder.names().len());
        drop(begin());
        assert_eq!(state(), (b"old".into(), 1));
        let draft = begin();
        assert_eq!(state(), (b"old".into(), 2));
        draft.finish(b"er").unwrap();
        assert_eq!(state(), (b"newer".into(), 1));
        for (path, part) in
            [(folder.path(), "expected the name of a file"), (&folder.at("missing/out"), "missing/out: ")]
        {
            let error = Draft::create(path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn removes_abandoned_drafts() {
        const ABANDONED: &str = ".out.json.0123456789abcdef.part";
        let folder = Folder::new("abandoned");
        let path = folder.at("out.json");
        for name in [
            ABANDONED,
            ".out.json.0123456789abcdefx.part",
            ".out.json.0123456789abcdef.parts",
            ".other.json.0123456789abcdef.part",
        ] {
            folder.write(name, b"old");
        }
        let locked = File::create_new(folder.at(".out.json.1123456789abcdef.part")).unwrap();
        locked.lock().unwrap();
        write(&path, b"new").unwrap();
        let left = folder.names();
        assert_eq!(left.len(), 5, "{left:?}");
        assert!(!left.contains(&ABANDONED.into()) && left.contains(&"out.json".into()));
        drop(locked);
        // Another test may be spawning a process, which holds open files until it execs.
        let removed = || {
            write(&path, b"newer").unwrap();
            folder.names().len() == 4
        };
        let wait = || {
            std::thread::sleep(std::time::Duration::from_millis(10));
            false
        };
        assert!((0..100).any(|_| removed() || wait()));
    }

    #[test]
    fn regular_drafts_reject_folders() {
        let error = Draft::create_regular(&std::env::temp_dir()).unwrap_err().to_string();
        assert!(error.contains("it is a folder, expected a regular file"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_in_place() {
        use std::os::fd::AsRawFd;
        let (reader, pipe) = io::pipe().unwrap();
        write(Path::new(&format!("/dev/fd/{}", pipe.as_raw_fd())), b"through the pipe").unwrap();
        drop(pipe);
        assert_eq!(io::read_to_string(reader).unwrap(), "through the pipe");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new("permissions");
        let path = folder.write("private", b"old");
        let mode = || path.metadata().unwrap().permissions().mode() & 0o777;
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode()), (b"new".into(), 0o640));
    }

    #[cfg(unix)]
    #[test]
    fn links_stay() {
        let folder = Folder::new("links");
        let (target, link) = (folder.write("target", b"old"), folder.at("link"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let draft = Draft::create(&link).unwrap();
        let older = set_aside(&link).unwrap();
        draft.finish(b"new").unwrap();
        assert_eq!([&older, &link].map(|path| fs::read(path).unwrap()), [b"old".to_vec(), b"new".to_vec()]);
        assert!(link.is_symlink() && folder.names() == ["link", "target", "target.old"], "{:?}", folder.names());
    }

    #[cfg(unix)]
    #[test]
    fn links_to_new_files_stay() {
        let folder = Folder::new("new-link");
        let link = folder.at("link");
        std::os::unix::fs::symlink("target", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink() && fs::read(folder.at("target")).unwrap() == b"new");
    }
}
