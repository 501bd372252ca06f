//! Every program checks the CPU at startup.

use std::fs;
use std::path::Path;

#[test]
fn every_program_checks_the_cpu() {
    let root = Path::new(crate::data::ROOT);
    let tools = fs::read_dir(root.join("tools")).unwrap().map(|entry| entry.unwrap().path().join("src/main.rs"));
    let mains: Vec<_> = tools.filter(|path| path.is_file()).chain([root.join("src/player/main.rs")]).collect();
    assert_eq!(mains.len(), 6, "{mains:?}");
    for path in mains {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\nlento_console::instructions::check_at_start!();\n"), "{}", path.display());
    }
}
