//! Checks, before a long run, that its results can be written.

use super::draft::{Draft, WriteError, folder};
use std::io;
use std::path::{Path, PathBuf};

/// Checks that files can be written, without creating or changing any.
pub fn check<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), WriteError> {
    for path in files {
        // Opening a FIFO would wait for its reader.
        if path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            continue;
        }
        Draft::create(path)?;
    }
    Ok(())
}

/// Refuses an output that is also an input or another output, by any path.
pub fn expect_distinct<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), String> {
    let mut taken: Vec<PathBuf> = inputs.into_iter().map(real).collect();
    for path in outputs {
        let real = real(path);
        if taken.contains(&real) {
            return Err(format!("{}: used for two files; expected another name", path.display()));
        }
        taken.push(real);
    }
    Ok(())
}

/// The path without links, also of a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    let missing = || Some(folder(path).canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(missing).unwrap_or_else(|| path.to_owned())
}

/// Creates a folder if necessary and checks that files can be written into it.
pub fn check_folder(folder: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(folder).map_err(|error| WriteError::new(folder, error))?;
    tempfile::tempfile_in(folder).map(drop).map_err(|error| WriteError::new(folder, error))
}

/// Adds the name of the file to an error.
pub fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

    #[test]
    fn trying_changes_nothing() {
        let folder = Folder::new("outputs");
        let old = folder.write("old.md", b"old");
        check([&old, &folder.path().join("new.md")]).unwrap();
        check_folder(folder.path()).unwrap();
        assert_eq!(std::fs::read(&old).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("missing/new.md");
        assert!(check([&old, &missing]).unwrap_err().to_string().contains("missing"));
        assert!(check([&folder.path().to_owned()]).is_err());
        assert!(check_folder(&old.join("folder")).is_err());
    }
}
