//! From words to games.

use super::comment::Comment;
use super::lexer::{Lexer, Token};
use super::word::{Word, parse};
use super::{Flaw, PgnGame, PgnMove, Problem, Reading};
use crate::chess::Board;
use std::io::{self, BufRead};

/// More moves than any game by the rules has.
const MOST_MOVES: usize = 20_000;
/// More bytes of tags and comments of a game are left out.
const MOST_WORDS: usize = 1 << 24;

/// Reads the games of a file, one at a time.
#[derive(Debug)]
pub struct Reader<R> {
    lexer: Lexer<R>,
    /// The tag that has ended the game before it, and its line.
    pending: Option<(Token, u64)>,
    games: u64,
}

/// A game of which a part is read.
struct Draft {
    number: u64,
    line: u64,
    tags: Vec<(String, String)>,
    /// Where the game stands; `None` before its first word, and where there is no such game.
    board: Option<Board>,
    start: Option<Board>,
    chess960: bool,
    moves: Vec<PgnMove>,
    result: Option<&'static str>,
    problems: Vec<Problem>,
    /// How many variations are open.
    depth: u32,
    /// Whether the moves have begun.
    begun: bool,
    /// Whether what follows cannot be played.
    over: bool,
    /// Bytes of tags and comments.
    words: usize,
}

impl<R: BufRead> Reader<R> {
    /// The games of what is read.
    pub fn new(reader: R) -> Self {
        Self { lexer: Lexer::new(reader), pending: None, games: 0 }
    }

    /// How many bytes have been read.
    pub fn bytes(&self) -> u64 {
        self.lexer.bytes()
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next_game(&mut self) -> io::Result<Option<Reading>> {
        let mut draft: Option<Draft> = None;
        loop {
            let (token, line) = match self.pending.take() {
                Some(pending) => pending,
                None => match self.lexer.token()? {
                    Some(token) => (token, self.lexer.line()),
                    None => return Ok(draft.map(Draft::finish)),
                },
            };
            // What stands alone between games, as a comment of the file, is no game.
            if draft.is_none() && !matches!(token, Token::Tag(..) | Token::Word(_)) {
                continue;
            }
            if draft.as_ref().is_some_and(|draft| draft.begun) && matches!(token, Token::Tag(..)) {
                self.pending = Some((token, line));
                return Ok(draft.map(Draft::finish));
            }
            let draft_now = draft.get_or_insert_with(|| {
                self.games += 1;
                Draft::new(self.games, line)
            });
            draft_now.take(token, line);
            if draft_now.result.is_some() {
                return Ok(draft.map(Draft::finish));
            }
        }
    }
}

impl Draft {
    fn new(number: u64, line: u64) -> Self {
        Self {
            number,
            line,
            tags: Vec::new(),
            board: None,
            start: None,
            chess960: false,
            moves: Vec::new(),
            result: None,
            problems: Vec::new(),
            depth: 0,
            begun: false,
            over: false,
            words: 0,
        }
    }

    fn complain(&mut self, line: u64, flaw: Flaw) {
        const MOST: usize = 16;
        if self.problems.len() < MOST {
            self.problems.push(Problem { game: self.number, line, flaw });
        }
    }

    /// Whether there is room for so much more text.
    fn has_room(&mut self, bytes: usize, line: u64) -> bool {
        // Every tag and comment costs something, even if it is empty.
        let fits = |words| words <= MOST_WORDS;
        let before = self.words;
        self.words = before.saturating_add(bytes + 64);
        if fits(before) && !fits(self.words) {
            self.complain(line, Flaw::Words(MOST_WORDS));
        }
        fits(self.words)
    }

    fn take(&mut self, token: Token, line: u64) {
        match token {
            Token::Tag(name, value) => {
                if self.has_room(name.len() + value.len(), line) {
                    self.tags.push((name, value));
                }
            }
            Token::Open => self.depth += 1,
            Token::Close => self.depth = self.depth.saturating_sub(1),
            Token::UnclosedComment => self.complain(line, Flaw::Comment),
            _ if self.depth > 0 => {}
            Token::Comment(text) => self.comment(&text, line),
            Token::Nag(nag) => self.nag(nag),
            Token::Word(word) => self.word(&word, line),
        }
    }

    fn comment(&mut self, text: &str, line: u64) {
        if self.over || self.moves.is_empty() || !self.has_room(text.len(), line) {
            return;
        }
        let Comment { text, clock } = Comment::new(text);
        let Some(last) = self.moves.last_mut() else { return };
        if !text.is_empty() {
            let before = last.comment.take().map_or_else(String::new, |before| before + " ");
            last.comment = Some(before + &text);
        }
        last.clock = clock.or(last.clock.take());
    }

    fn nag(&mut self, nag: u8) {
        const MOST: usize = 16;
        if let Some(last) = self.moves.last_mut().filter(|last| !self.over && last.nags.len() < MOST) {
            last.nags.push(nag);
        }
    }

    fn word(&mut self, word: &str, line: u64) {
        if !self.begun {
            self.begin(line);
        }
        match Word::new(word) {
            Word::Result(result) => self.result = Some(result),
            Word::Glyph(nag) => self.nag(nag),
            Word::Nothing => {}
            _ if self.over => {}
            Word::Null(text) => {
                let used = self.moves.len();
                self.stop(line, Flaw::Null { text: text.into(), used });
            }
            Word::Move(text, nag) => self.play(text, nag, line),
        }
    }

    /// The moves are going to begin: from where?
    fn begin(&mut self, line: u64) {
        self.begun = true;
        let tag =
            |name: &str| self.tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        let variant = tag("Variant").map_or_else(String::new, |variant| variant.to_ascii_lowercase());
        let fen = tag("FEN").filter(|fen| !fen.trim().is_empty());
        let named = variant.contains("960") || variant.contains("fischer") || variant.contains("frc");
        let usual = ["", "?", "-", "standard", "chess", "classic", "normal", "from position", "orthodox"];
        if !named && !usual.contains(&variant.trim()) {
            return self.stop(line, Flaw::Variant(variant));
        }
        match fen.map_or_else(|| Ok(Board::start()), |fen| Board::from_fen(fen)) {
            Ok(board) => {
                self.chess960 = named;
                self.start = Some(board.clone());
                self.board = Some(board);
            }
            Err(error) => self.stop(line, Flaw::Fen(error.to_string())),
        }
    }

    /// Nothing after this is used.
    fn stop(&mut self, line: u64, flaw: Flaw) {
        self.complain(line, flaw);
        self.over = true;
    }

    fn play(&mut self, text: &str, nag: Option<u8>, line: u64) {
        let Some(board) = &self.board else { return };
        let Some(mv) = parse(board, text, self.chess960) else {
            let (fen, used) = (board.fen(self.chess960), self.moves.len());
            if used == 0 {
                (self.board, self.start) = (None, None);
            }
            let flaw = match used {
                0 if self.tags.is_empty() => Flaw::NoGame(text.into()),
                0 => Flaw::FirstMove { text: text.into(), fen },
                _ => Flaw::Move { text: text.into(), fen, used },
            };
            return self.stop(line, flaw);
        };
        if self.moves.len() == MOST_MOVES {
            return self.stop(line, Flaw::Length(MOST_MOVES));
        }
        self.board = Some(board.after(mv));
        self.moves.push(PgnMove { mv, nags: nag.into_iter().collect(), comment: None, clock: None });
    }

    fn finish(mut self) -> Reading {
        if !self.begun {
            self.begin(self.line);
        }
        if self.depth > 0 {
            self.complain(self.line, Flaw::Variation);
        }
        let said = self.tags.iter().find(|(name, _)| name.eq_ignore_ascii_case("Result"));
        let said = said.and_then(|(_, value)| match Word::new(value.trim()) {
            Word::Result(result) => Some(result),
            _ => None,
        });
        let result = self.result.or(said).unwrap_or("*").to_owned();
        let (tags, chess960, moves) = (self.tags, self.chess960, self.moves);
        let game = self.start.map(|start| PgnGame { tags, chess960, start, moves, result });
        Reading { number: self.number, line: self.line, game, problems: self.problems }
    }
}

#[cfg(test)]
mod tests;
