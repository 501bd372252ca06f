//! A self-contained HTML page of analysed games, readable without scripts.
//!
//! All text of games goes through [`escape`] or, in the script's data, through [`data`].

mod board;
mod data;
mod game;

use super::Study;
use lento::chess::Color;
use std::fmt::Write;

const NAME: &str = concat!("Lento ", env!("CARGO_PKG_VERSION"));
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PIECES: &str = include_str!("pieces.svg");

/// A page under construction.
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

    /// Adds a game unless the page is full. Returns whether it was added.
    pub fn add(&mut self, study: &Study) -> bool {
        if self.games == Self::MAX_GAMES {
            return false;
        }
        self.games += 1;
        let number = self.games;
        let [white, black] = Color::ALL.map(|color| escape(study.player(color)));
        let accuracy = study.sides.map(|side| side.map_or_else(|| "–".into(), |side| format!("{:.0}", side.accuracy)));
        let _ = writeln!(
            self.contents,
            "<tr><td><a href=\"#g{number}\">{number}</a></td><td><a href=\"#g{number}\"><bdi>{white}</bdi></a></td>\
             <td><a href=\"#g{number}\"><bdi>{black}</bdi></a></td><td>{}</td><td>{} : {}</td><td>{}</td></tr>",
            escape(&study.game.result),
            accuracy[0],
            accuracy[1],
            study.game.moves.len().div_ceil(2),
        );
        if number == 1 {
            self.players = format!("{white} - {black}");
        }
        game::section(&mut self.articles, study, number);
        true
    }

    /// The finished HTML.
    pub fn finish(self) -> String {
        let title = if self.games == 1 { self.players } else { format!("{} analysed games", self.games) };
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'\">\n\
             <meta name=\"generator\" content=\"{NAME}\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             {PIECES}"
        );
        if self.games != 1 {
            let _ = write!(
                text,
                "<nav id=\"contents\"><h1>{title}</h1>\n<table><thead><tr><th></th><th>White</th><th>Black</th>\
                 <th>Result</th><th>Accuracy</th><th>Moves</th></tr></thead><tbody>\n{}</tbody></table></nav>\n",
                self.contents
            );
        }
        text.push_str(&self.articles);
        let _ = write!(
            text,
            "<footer>Analysed by {NAME}. Values are from White's view: +1.00 is a 50 % chance of winning, #5 a mate in 5.</footer>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        );
        text
    }
}

/// Escapes text, also for attributes. Control characters become spaces.
fn escape(text: &str) -> String {
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
