//! Reports of analysed games: pure functions from games to text.

pub mod accuracy;
pub mod annotate;
pub mod files;
pub mod graph;
pub mod html;
pub mod value;
pub mod write;

use crate::database::Analysis;
use crate::pgn::{Comment, PgnGame};
use accuracy::{Judged, Side};
use lento::chess::{Board, Color, Game, Move, Verdict};
use lento::score::DRAW;
use value::Value;

/// Maximum plies of a shown line.
pub const LINE_PLIES: usize = 10;

#[derive(Clone, Debug)]
pub struct AnalysedGame {
    pub pgn: PgnGame,
    /// The analysis before each move and after the last.
    pub analyses: Vec<Option<Analysis>>,
}

/// A game with everything the reports need.
pub struct Study<'a> {
    pub game: &'a PgnGame,
    analyses: &'a [Option<Analysis>],
    /// The positions before each move and after the last.
    pub boards: Vec<Board>,
    /// The value of each position, if analysed.
    pub values: Vec<Option<Value>>,
    /// The assessment of each move; `None` unless the positions before and after it were analysed.
    pub moves: Vec<Option<Judged>>,
    /// Statistics of White and Black; `None` without assessed moves.
    pub sides: [Option<Side>; 2],
}

impl<'a> Study<'a> {
    pub fn new(AnalysedGame { pgn: game, analyses }: &'a AnalysedGame) -> Self {
        let mut past = Game::from(game.start.clone());
        let mut boards = vec![game.start.clone()];
        for ply in &game.moves {
            ply.play(&mut past);
            boards.push(past.board().clone());
        }
        let mut study = Self { game, analyses, boards, values: Vec::new(), moves: Vec::new(), sides: [None, None] };
        let value = |(board, analysis): (&Board, &Option<Analysis>)| {
            let best = analysis.as_ref()?.lines.first()?;
            Some(Value::new(board, best.score))
        };
        study.values = study.boards.iter().zip(analyses).map(value).collect();
        if let (Some(last), Some(board)) = (study.values.last_mut(), study.boards.last()) {
            // A finished game has the value of its result.
            match past.verdict() {
                Some(Verdict::Checkmate) => *last = Some(Value::checkmate(!board.side_to_move())),
                Some(_) => *last = Some(Value::new(board, DRAW)),
                None => {}
            }
        }
        study.moves = (0..game.moves.len()).map(|at| accuracy::judge(&study, at)).collect();
        // Without a value after it, only the better moves are judged.
        study.sides = Color::ALL.map(|color| {
            let own = (0..game.moves.len())
                .filter(|&at| study.boards[at].side_to_move() == color && study.values[at + 1].is_some());
            Side::new(own.filter_map(|at| study.moves[at].as_ref()))
        });
        study
    }

    pub fn analysis(&self, at: usize) -> Option<&'a Analysis> {
        self.analyses[at].as_ref()
    }

    /// The engine's line, if the played move is much worse.
    pub fn better_line(&self, at: usize) -> Option<&'a [Move]> {
        self.moves[at].as_ref().filter(|judged| judged.loss >= accuracy::DUBIOUS)?;
        Some(&self.analysis(at)?.lines.first()?.pv)
    }

    /// The file's comment on a move.
    pub fn comment(&self, at: usize) -> Comment {
        self.game.moves[at].remarks.comment.as_deref().map_or_else(Comment::default, Comment::new)
    }

    /// The player's clock after a move, if known.
    pub fn clock(&self, at: usize) -> Option<String> {
        self.comment(at).clock
    }

    /// A tag's value, unless missing or unknown.
    pub fn tag(&self, name: &str) -> Option<&'a str> {
        self.game.tag(name).filter(|value| !value.trim_matches(['?', '.', '-', ' ']).is_empty())
    }

    pub fn player(&self, color: Color) -> &'a str {
        let name = if color == Color::White { "White" } else { "Black" };
        self.tag(name).unwrap_or(name)
    }
}

/// A move in SAN, or `--` for a null move, optionally numbered: `12. Nf3` or `12... Nf6`.
pub fn san(board: &Board, mv: impl Into<Option<Move>>, numbered: bool) -> String {
    let dots = if board.side_to_move() == Color::White { "." } else { "..." };
    let number = if numbered { format!("{}{dots} ", board.fullmove_number()) } else { String::new() };
    number + &mv.into().map_or_else(|| "--".into(), |mv| board.san(mv))
}

/// The legal prefix of a line in SAN with move numbers, at most [`LINE_PLIES`].
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

/// Plain text on one line, with control characters and runs of spaces replaced by single spaces.
fn plain(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
