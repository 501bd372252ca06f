//! What pages of reports share with the analysis board of `lento serve --web`: modules, styles and pieces.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../page/", $name)))),*]
    };
}

pub const PIECES: &str = include_str!("../../page/pieces.svg");
pub const STYLES: [(&str, &str); 2] = files!["base.css", "board.css"];
/// A module comes after those that it needs while it is read.
pub const MODULES: [(&str, &str); 7] =
    files!["dom.js", "text.js", "gestures.js", "board.js", "graph.js", "keys.js", "preview.js"];

/// The styles of a page, its own last.
pub fn style(own: &str) -> String {
    STYLES.iter().map(|(_, text)| *text).chain([own]).collect()
}

/// The modules of a page as one, its own last: modules within a page cannot import each other.
pub fn script(own: &str) -> String {
    let modules = MODULES.iter().map(|(_, text)| *text).chain([own]);
    let lines = modules.flat_map(str::lines).filter(|line| !line.starts_with("import "));
    lines.map(|line| line.strip_prefix("export ").unwrap_or(line).to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The names that a module defines for all.
    fn defined(module: &str) -> impl Iterator<Item = &str> {
        module.lines().filter_map(|line| {
            let words: Vec<&str> = line.trim_start_matches("export ").splitn(3, ' ').collect();
            let is_definition = ["const", "let", "class", "function"].contains(words.first()?);
            is_definition.then(|| *words.get(1).expect("a name"))
        })
    }

    #[test]
    fn joined_modules_mean_the_same() {
        let pages = [include_str!("report.js"), include_str!("../../tree/export/page.js")];
        for own in pages {
            let mut known = HashSet::new();
            for module in MODULES.iter().map(|(_, text)| *text).chain([own]) {
                for name in defined(module) {
                    assert!(known.insert(name), "{name} is defined twice");
                }
            }
            for line in MODULES.iter().map(|(_, text)| *text).chain([own]).flat_map(str::lines) {
                let Some(names) = line.strip_prefix("import ") else { continue };
                let (names, file) = names.split_once(" from ").expect("one line, with names");
                let file = file.trim_matches(['"', ';', '.', '/']);
                assert!(
                    MODULES.iter().any(|(name, _)| name.trim_end_matches(".js") == file.trim_end_matches(".js")),
                    "{line}"
                );
                for name in names.trim_matches(['{', '}', ' ']).split(", ") {
                    assert!(known.contains(name), "{line}: {name}");
                }
            }
        }
        assert!(!script(pages[0]).contains("\nimport ") && !script(pages[0]).contains("\nexport "));
    }
}
