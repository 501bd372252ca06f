//! Reports of analysed games: pure functions from a game to text. Nothing here searches, reads or writes files.

pub mod accuracy;
pub mod annotate;
pub mod files;
pub mod graph;
pub mod html;
pub mod value;
mod wrapped;

use super::game::{AnalysedGame, Analysis};
use crate::chess::{Board, Color, Game, Move, Verdict};
use crate::pgn::Comment;
use crate::score::DRAW;
use accuracy::{Judged, Side};
use value::Value;

/// How much worse than the engine's choice a move has to be for its line to be shown in the move's place: a loss of winning chances,
/// from 0 to 1.
pub const SHOW_BETTER: f64 = accuracy::DUBIOUS;
/// The most plies of a line that is shown.
pub const LINE_PLIES: usize = 10;

/// A game with everything that reports say of it.
pub struct Study<'a> {
    /// The game.
    pub game: &'a AnalysedGame,
    /// The positions: before each move, and after the last.
    pub boards: Vec<Board>,
    /// What each position is worth; `None` where it was not analysed.
    pub values: Vec<Option<Value>>,
    /// What is to be said of each move; `None` where the position before it or after it was not analysed.
    pub moves: Vec<Option<Judged>>,
    /// White and Black; `None` for a side without a move of which something is to be said.
    pub sides: [Option<Side>; 2],
}

impl<'a> Study<'a> {
    /// Works out what is to be said of a game.
    pub fn new(game: &'a AnalysedGame) -> Self {
        let mut past = Game::from(game.start.clone());
        let mut boards = vec![game.start.clone()];
        for ply in &game.plies {
            past.play(ply.mv);
            boards.push(past.board().clone());
        }
        let mut study = Self { game, boards, values: Vec::new(), moves: Vec::new(), sides: [None, None] };
        study.values = (0..study.boards.len()).map(|at| study.value(at)).collect();
        if let (Some(last), Some(board)) = (study.values.last_mut(), study.boards.last()) {
            // The rules say what the end of a game is worth.
            match past.verdict() {
                Some(Verdict::Checkmate) => *last = Some(Value::checkmate(!board.side_to_move())),
                Some(Verdict::Stalemate) => *last = Some(Value::new(board, DRAW)),
                Some(_) if last.is_none() => *last = Some(Value::new(board, DRAW)),
                _ => {}
            }
        }
        study.moves = (0..game.plies.len()).map(|at| accuracy::judge(&study, at)).collect();
        study.sides = Color::ALL.map(|color| Side::new(study.judged(color)));
        study
    }

    /// What was found of a position.
    pub fn analysis(&self, at: usize) -> Option<&'a Analysis> {
        match self.game.plies.get(at) {
            Some(ply) => ply.before.as_ref(),
            None => self.game.last.as_ref(),
        }
    }

    fn value(&self, at: usize) -> Option<Value> {
        let best = self.analysis(at)?.lines.first()?;
        Some(Value::new(&self.boards[at], best.score))
    }

    /// What is to be said of the moves of a color, in order.
    fn judged(&self, color: Color) -> impl Iterator<Item = &Judged> {
        let own = self.boards.iter().zip(&self.moves).filter(move |(board, _)| board.side_to_move() == color);
        own.filter_map(|(_, judged)| judged.as_ref())
    }

    /// The engine's line where the move that was played is much worse.
    pub fn better_line(&self, at: usize) -> Option<&'a [Move]> {
        self.moves[at].as_ref().filter(|judged| judged.loss >= SHOW_BETTER)?;
        Some(&self.analysis(at)?.lines.first()?.pv)
    }

    /// What the file says of a move, for people.
    pub fn said(&self, at: usize) -> Comment {
        self.game.plies[at].remarks.comment.as_deref().map_or_else(Comment::default, Comment::new)
    }

    /// What the clock of the player showed after a move, if the file says so.
    pub fn clock(&self, at: usize) -> Option<String> {
        let is_time = |text: &String| {
            (1..=16).contains(&text.len()) && text.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'))
        };
        self.said(at).clock.filter(is_time)
    }

    /// The value of a tag of the file, unless it says that it does not know.
    pub fn tag(&self, name: &str) -> Option<&'a str> {
        let known = |value: &&str| !value.trim_matches(['?', '.', '-', ' ']).is_empty();
        self.game
            .tags
            .iter()
            .find(|(tag, _)| tag.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .filter(known)
    }

    /// The name of a player.
    pub fn player(&self, color: Color) -> &'a str {
        match color {
            Color::White => self.tag("White").unwrap_or("White"),
            Color::Black => self.tag("Black").unwrap_or("Black"),
        }
    }
}

/// A move in SAN, or `--` for none; with its number, `12. Nf3` or `12... Nf6`.
fn san(board: &Board, mv: impl Into<Option<Move>>, numbered: bool) -> String {
    let dots = if board.side_to_move() == Color::White { "." } else { "..." };
    let number = if numbered { format!("{}{dots} ", board.fullmove_number()) } else { String::new() };
    number + &mv.into().map_or_else(|| "--".into(), |mv| board.san(mv))
}

/// The first moves of a line in SAN, each with its number where it has one; no further than they are legal.
fn san_words(board: &Board, line: &[Move]) -> Vec<String> {
    let (mut board, mut words) = (board.clone(), Vec::new());
    for &mv in line.iter().take(LINE_PLIES) {
        if !board.is_legal(mv) {
            break;
        }
        let numbered = words.is_empty() || board.side_to_move() == Color::White;
        words.push(san(&board, mv, numbered));
        board = board.after(mv);
    }
    words
}

/// One line of plain text: control characters are spaces, and several spaces are one.
fn plain(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
