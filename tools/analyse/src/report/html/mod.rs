//! A self-contained HTML page of analysed games, readable without scripts.
//!
//! All text of games goes through [`escape`] or, in the script's data, through [`data()`].

mod data;
mod game;
mod shared;

pub use data::{board, data};
pub use shared::{MODULES, PIECES, STYLES, script, style};

use super::Study;
use lento::chess::Color;
use std::fmt::{Display, Write};

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
    let mut escaped = String::with_capacity(text.len());
    for c in super::plain(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
