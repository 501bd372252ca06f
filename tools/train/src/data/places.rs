//! Where a tool writes what it makes of each file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Whether an output means a folder: one that is there, or a name that ends with '/'.
pub fn is_folder(output: &Path) -> bool {
    output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Each file with the one that is made of it in this folder, which is made, too: of the same name with this extension.
///
/// # Errors
/// Two files would become the same one, or the folder cannot be made.
pub fn in_folder(files: Vec<PathBuf>, folder: &Path, extension: &str) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let mut sources: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut places = Vec::new();
    for file in files {
        let output = folder.join(file.file_name().unwrap_or_default()).with_extension(extension);
        if let Some(other) = sources.insert(output.clone(), file.clone()) {
            let (other, file, output) = (other.display(), file.display(), output.display());
            return Err(format!("{other} and {file} would both become {output}; expected files of different names"));
        }
        places.push((file, output));
    }
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(places)
}

/// Each file with the one that is made of it: in a folder, or a file where there is only one.
///
/// # Errors
/// Those of [`in_folder`], or several files are to become one.
pub fn one_each(files: Vec<PathBuf>, output: &Path, extension: &str) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    if is_folder(output) {
        return in_folder(files, output, extension);
    }
    match <[PathBuf; 1]>::try_from(files) {
        Ok([file]) => Ok(vec![(file, output.to_owned())]),
        Err(files) => Err(format!(
            "--output {}: {} files are to be written; expected a folder, or a name that ends with '/'",
            output.display(),
            files.len()
        )),
    }
}
