//! `--version` of a program.

use lento::version::{LONG, SHORT};
use std::path::Path;
use std::process::Command;

#[test]
fn the_version_names_the_commit_as_the_player_does() {
    let name = Path::new(crate::PROGRAM).file_stem().expect("a name").to_string_lossy();
    for (arg, version) in [("-V", SHORT), ("--version", LONG.as_str())] {
        let output = Command::new(crate::PROGRAM).arg(arg).output().expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), format!("{name} {version}"));
    }
}
