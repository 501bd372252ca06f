//! The shared test data, which lives outside the repository.

use std::path::PathBuf;

/// Where the data folder is: `LENTO_DATA`, else `shared/data` next to the repository.
fn folder() -> PathBuf {
    match std::env::var_os("LENTO_DATA") {
        Some(folder) => folder.into(),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")),
    }
}

/// The text of a file of the data folder. Where it is missing, says so and gives nothing: the test is then skipped.
pub fn data(name: &str) -> Option<String> {
    let path = folder().join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            println!("skipped: {} ({error}); LENTO_DATA names the data folder", path.display());
            None
        }
    }
}
