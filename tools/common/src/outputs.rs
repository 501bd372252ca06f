//! Checks before a long run that its results can be written.

use super::draft::{Draft, WriteError, real};
use super::inputs::in_file;
use std::collections::HashSet;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Checks that files can be written and that none is named twice or an input. Creates and changes nothing.
pub fn check(
    outputs: impl IntoIterator<Item = impl AsRef<Path>>,
    inputs: impl IntoIterator<Item = impl AsRef<Path>>,
) -> Result<(), Box<dyn Error>> {
    let mut paths: HashSet<PathBuf> = inputs.into_iter().filter_map(|path| real(path.as_ref()).ok()).collect();
    for path in outputs {
        let path = path.as_ref();
        // Opening a FIFO blocks until it has a reader.
        if path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            continue;
        }
        Draft::create(path)?;
        if !paths.insert(real(path)?) {
            return Err(in_file(path, "used for two files; expected another name").into());
        }
    }
    Ok(())
}

/// Creates a folder if necessary and checks that it is writable.
pub fn check_folder(folder: &Path) -> Result<(), WriteError> {
    if folder.exists() && !folder.is_dir() {
        return Err(WriteError::new(folder, io::Error::other("not a folder; expected the name of one")));
    }
    std::fs::create_dir_all(folder).map_err(|error| WriteError::new(folder, error))?;
    tempfile::tempfile_in(folder).map(drop).map_err(|error| WriteError::new(folder, error))
}

/// Adds the file name to an error.
pub fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

    #[test]
    fn checks_change_nothing() {
        let folder = Folder::new("outputs");
        let old = folder.write("old.md", b"old");
        let new = folder.path().join("new.md");
        check([&old, &new], [""; 0]).unwrap();
        let twice = check([&new, &old], [&folder.path().join("./old.md")]).unwrap_err();
        assert!(twice.to_string().contains("used for two files"));
        assert!(check([&new, &new], [""; 0]).is_err());
        check_folder(folder.path()).unwrap();
        assert_eq!(std::fs::read(&old).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("missing/new.md");
        assert!(check([&old, &missing], [""; 0]).unwrap_err().to_string().contains("missing"));
        assert!(check([folder.path()], [""; 0]).is_err());
        assert!(check_folder(&old.join("folder")).is_err());
        assert!(check_folder(&old).unwrap_err().to_string().contains("not a folder"));
    }
}
