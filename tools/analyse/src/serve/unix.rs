//! The Unix socket for JSON lines.

use lento_console::notice::notice;
use std::fs::{Permissions, remove_file, set_permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use tokio::net::UnixListener;

/// A socket accessible only to this user, removed on drop.
pub struct Bound(PathBuf);

impl Bound {
    /// Creates the socket, replacing one without a listening process.
    pub fn new(path: &Path) -> Result<(Self, UnixListener), String> {
        let refuse = |error: std::io::Error| format!("{}: {error}", path.display());
        let is_socket = path.symlink_metadata().is_ok_and(|data| data.file_type().is_socket());
        if is_socket && UnixStream::connect(path).is_err() {
            remove_file(path).map_err(refuse)?;
        }
        let listener = UnixListener::bind(path).map_err(refuse)?;
        let bound = Self(path.to_owned());
        set_permissions(path, Permissions::from_mode(0o600)).map_err(refuse)?;
        notice(format_args!("JSON lines on {}", path.display()));
        Ok((bound, listener))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = remove_file(&self.0);
    }
}
