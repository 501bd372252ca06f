//! A file that is there only when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What is written before it gets its name. Dropped before that, it goes away and leaves an older file of the name alone. A
/// device or a pipe (`/dev/null`, `/dev/stdout`) is written as it stands.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// The hidden file beside it, unless it is a device.
    hidden: Option<PathBuf>,
    file: File,
}

fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

impl Draft {
    /// Begins a file of this name, so that what is in the way is known before the work that it is for.
    ///
    /// # Errors
    /// The name is that of a folder, or the folder it lies in cannot be written; the message has the name.
    pub fn create(path: &Path) -> Result<Self, String> {
        let refuse = |error: io::Error| named(path, &error);
        let there = path.metadata().ok();
        if there.as_ref().is_some_and(fs::Metadata::is_dir) || path.file_name().is_none() {
            return Err(refuse(io::Error::other("a folder; expected the name of a file")));
        }
        if there.is_some_and(|there| !there.is_file()) {
            let file = OpenOptions::new().write(true).open(path).map_err(refuse)?;
            return Ok(Self { path: path.to_owned(), hidden: None, file });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hidden = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&hidden).map_err(refuse)?;
        Ok(Self { path: path.to_owned(), hidden: Some(hidden), file })
    }

    /// Writes all of it; when it is on the disk it gets its name.
    ///
    /// # Errors
    /// The system refuses; the disk may be full.
    pub fn finish(mut self, text: &str) -> Result<(), String> {
        let mut write = || {
            self.file.write_all(text.as_bytes())?;
            if let Some(hidden) = &self.hidden {
                self.file.sync_all()?;
                fs::rename(hidden, &self.path)?;
            }
            Ok(())
        };
        write().map_err(|error| named(&self.path, &error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let folder = std::env::temp_dir().join(format!("lento-draft-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("out.json");
        fs::write(&path, "old").unwrap();
        drop(Draft::create(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let draft = Draft::create(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        draft.finish("new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        assert!(Draft::create(&folder).unwrap_err().contains("expected the name of a file"));
        let missing = Draft::create(&folder.join("missing/out.json")).unwrap_err();
        assert!(missing.contains("missing/out.json"), "{missing}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
