//! Analysed games as one HTML page that needs nothing else: no file, no network, and no script to be read.
//!
//! All text of games goes through [`escape`] or, in the data for the script, through [`data`], so that it stays text.

mod board;
mod data;
mod game;

use super::Study;
use crate::chess::Color;
use std::fmt::Write;

const NAME: &str = concat!("Lento ", env!("CARGO_PKG_VERSION"));
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PIECES: &str = include_str!("pieces.svg");

/// A page that is being made, one game at a time.
#[derive(Debug, Default)]
pub struct Page {
    games: usize,
    /// The players of the first game.
    players: String,
    /// The rows of the list of games.
    contents: String,
    articles: String,
}

impl Page {
    /// The most games of a page: about as much as a browser likes to open.
    pub const MOST_GAMES: usize = 1000;

    /// Adds a game, unless there are [`MOST_GAMES`](Self::MOST_GAMES). Returns whether it was added.
    pub fn add(&mut self, study: &Study) -> bool {
        if self.games == Self::MOST_GAMES {
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
            study.game.plies.len().div_ceil(2),
        );
        if number == 1 {
            self.players = format!("{white} - {black}");
        }
        game::section(&mut self.articles, study, number);
        true
    }

    /// The page.
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
            "<footer>Analysed by {NAME}. Values are White's: +1.00 is a chance of 50 % to win, #5 a mate in 5.</footer>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        );
        text
    }
}

/// Text as text, also within attributes. Control characters are spaces.
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
