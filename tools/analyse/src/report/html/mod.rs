//! A self-contained HTML page of analysed games, readable without scripts.
//!
//! All text of games goes through [`escape`] or, in the script's data, through [`data()`].

mod data;
mod game;

pub use data::{board, data};

use super::Study;
use lento::chess::Color;
use std::fmt::{Display, Write};

/// Files of a folder with their names.
macro_rules! files {
    ($folder:literal, $($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!($folder, $name)))),*]
    };
}
pub(crate) use files;

pub const PIECES: &str = include_str!("../../page/pieces.svg");
/// Shared with the analysis board of `lento serve --web`.
pub const STYLES: [(&str, &str); 2] = files!["../../page/", "base.css", "board.css"];
/// Modules in order of their dependencies at load time.
pub const MODULES: [(&str, &str); 7] =
    files!["../../page/", "dom.js", "text.js", "gestures.js", "board.js", "graph.js", "keys.js", "preview.js"];

pub const NAME: &str = concat!("Lento ", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Default)]
pub struct Page {
    games: usize,
    /// The players of the first game, for the title.
    players: String,
    /// Rows of the table of games.
    contents: String,
    articles: String,
}

impl Page {
    /// Maximum number of games, about what browsers handle well.
    pub const MAX_GAMES: usize = 1000;

    pub fn add(&mut self, study: &Study) {
        self.games += 1;
        let number = self.games;
        let [white, black] = Color::ALL.map(|color| escape(study.player(color)));
        let accuracy = study.sides.map(|side| side.map_or_else(|| "–".into(), |side| format!("{:.0}", side.accuracy)));
        self.contents += &fill(
            include_str!("row.html"),
            &[
                ("number", &number),
                ("white", &white),
                ("black", &black),
                ("result", &escape(&study.game.result)),
                ("accuracy", &accuracy.join(" : ")),
                ("moves", &study.game.moves.len().div_ceil(2)),
            ],
        );
        if number == 1 {
            self.players = format!("{white} - {black}");
        }
        self.articles += &game::section(study, number);
    }

    pub fn finish(self) -> String {
        let title = if self.games == 1 { self.players } else { format!("{} analysed games", self.games) };
        let contents = match self.games {
            1 => String::new(),
            _ => fill(include_str!("contents.html"), &[("title", &title), ("rows", &self.contents)]),
        };
        fill(
            include_str!("page.html"),
            &[
                ("name", &NAME),
                ("title", &title),
                ("style", &style(include_str!("report.css"))),
                ("pieces", &PIECES),
                ("contents", &contents),
                ("articles", &self.articles),
                ("script", &script(include_str!("report.js"))),
            ],
        )
    }
}

/// Replaces each `{{name}}` of a template by its value. Values are not searched for names.
pub fn fill(template: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut text = String::new();
    for part in template.split("{{") {
        let Some((name, behind)) = part.split_once("}}") else {
            text.push_str(part);
            continue;
        };
        let value = values.iter().find(|(known, _)| *known == name);
        let _ = write!(text, "{}{behind}", value.expect("a value for each name of a template").1);
    }
    text
}

/// Escapes text, also for attributes. Control characters become spaces.
pub fn escape(text: &str) -> String {
    let text = super::plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// The shared styles of pages, followed by a page's own.
pub fn style(own: &str) -> String {
    STYLES.iter().map(|(_, text)| *text).chain([own]).collect()
}

/// The shared modules and a page's own, joined: inline modules cannot import each other.
pub fn script(own: &str) -> String {
    let modules = MODULES.iter().map(|(_, text)| *text).chain([own]);
    let lines = modules.flat_map(str::lines).filter(|line| !line.starts_with("import "));
    lines.map(|line| line.strip_prefix("export ").unwrap_or(line).to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The top-level names of a module.
    fn defined(module: &str) -> impl Iterator<Item = &str> {
        module.lines().filter_map(|line| {
            let words: Vec<&str> = line.trim_start_matches("export ").splitn(3, ' ').collect();
            let is_definition = ["const", "let", "class", "function"].contains(words.first()?);
            is_definition.then(|| *words.get(1).expect("a name"))
        })
    }

    #[test]
    fn joined_modules_are_consistent() {
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
