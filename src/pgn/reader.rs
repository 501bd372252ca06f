//! From words to games.

use super::level::Level;
use super::lexer::{Lexer, Token};
use super::word::{Word, parse};
use super::{Flaw, PgnGame, Problem, Reading, VariationMove};
use crate::chess::Board;
use std::io::{self, BufRead};

/// More moves than any game by the rules has.
const MOST_MOVES: usize = 20_000;
/// More bytes of tags, comments and variations of a game are left out.
const MOST_WORDS: usize = 1 << 24;
/// A variation within so many others is left out.
const MOST_NESTED: usize = 64;

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
    /// `None` before the first word of the game, and where there is no such game.
    start: Option<Board>,
    chess960: bool,
    main: Level,
    /// The variations that are open, each within the one before it.
    variations: Vec<Level>,
    /// How many variations are open that are left out.
    left_out: u32,
    result: Option<&'static str>,
    problems: Vec<Problem>,
    /// Whether the moves have begun.
    begun: bool,
    /// Bytes of tags, comments and variations.
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
                // What is said behind the result is said of the game, if it begins in the same line.
                while self.lexer.comment_follows()
                    && let Some(token) = self.lexer.token()?
                {
                    draft_now.take(token, self.lexer.line());
                }
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
            start: None,
            chess960: false,
            main: Level::default(),
            variations: Vec::new(),
            left_out: 0,
            result: None,
            problems: Vec::new(),
            begun: false,
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
            Token::Open => self.open(line),
            Token::Close => self.close(),
            Token::UnclosedComment => self.complain(line, Flaw::Comment),
            _ if self.left_out > 0 => {}
            Token::Comment(text) => self.comment(&text, line),
            Token::Nag(nag) => self.nag(nag),
            Token::Word(word) => self.word(&word, line),
        }
    }

    /// The line that is being read.
    fn level(&mut self) -> &mut Level {
        self.variations.last_mut().unwrap_or(&mut self.main)
    }

    /// A variation begins.
    fn open(&mut self, line: u64) {
        let variation = if self.left_out == 0 { self.level().variation() } else { None };
        match variation {
            Some(variation) if self.variations.len() < MOST_NESTED => self.variations.push(variation),
            Some(_) => {
                self.complain(line, Flaw::Nested(MOST_NESTED));
                self.left_out += 1;
            }
            None => self.left_out += 1,
        }
    }

    /// A variation ends.
    fn close(&mut self) {
        if self.left_out > 0 {
            self.left_out -= 1;
        } else if let Some(variation) = self.variations.pop() {
            self.level().add(variation);
        }
    }

    fn comment(&mut self, text: &str, line: u64) {
        if !text.is_empty() && !self.level().over && self.has_room(text.len(), line) {
            self.level().say(text);
        }
    }

    fn nag(&mut self, nag: u8) {
        const MOST: usize = 16;
        let level = self.level();
        if !level.over
            && let Some(remarks) = level.remarks()
            && remarks.nags.len() < MOST
        {
            remarks.nags.push(nag);
        }
    }

    fn word(&mut self, word: &str, line: u64) {
        if !self.begun {
            self.begin(line);
        }
        let in_variation = !self.variations.is_empty();
        match Word::new(word) {
            Word::Result(result) if !in_variation => self.result = Some(result),
            Word::Result(_) | Word::Nothing => {}
            Word::Glyph(nag) => self.nag(nag),
            _ if self.level().over => {}
            Word::Null(text) if in_variation => self.vary(text, None, line),
            Word::Null(text) => {
                let used = self.main.len();
                self.stop(line, Flaw::Null { text: text.into(), used });
            }
            Word::Move(text, nag) if in_variation => self.vary(text, nag, line),
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
                self.main.begin(board);
            }
            Err(error) => self.stop(line, Flaw::Fen(error.to_string())),
        }
    }

    /// Nothing of the main line after this is used.
    fn stop(&mut self, line: u64, flaw: Flaw) {
        self.complain(line, flaw);
        self.main.over = true;
    }

    /// A move of the main line.
    fn play(&mut self, text: &str, nag: Option<u8>, line: u64) {
        let (used, chess960) = (self.main.len(), self.chess960);
        let Some(board) = self.main.board() else { return };
        let Some(mv) = parse(board, text, chess960) else {
            let fen = board.fen(chess960);
            if used == 0 {
                self.start = None;
            }
            let flaw = match used {
                0 if self.tags.is_empty() => Flaw::NoGame(text.into()),
                0 => Flaw::FirstMove { text: text.into(), fen },
                _ => Flaw::Move { text: text.into(), fen, used },
            };
            return self.stop(line, flaw);
        };
        if used == MOST_MOVES {
            return self.stop(line, Flaw::Length(MOST_MOVES));
        }
        self.main.play(Some(mv), nag);
    }

    /// A move of a variation, where the turn may be passed.
    fn vary(&mut self, text: &str, nag: Option<u8>, line: u64) {
        let chess960 = self.chess960;
        let Some(board) = self.level().board() else { return };
        let mv = parse(board, text, chess960);
        let passes = mv.is_none() && matches!(Word::new(text), Word::Null(_)) && !board.in_check();
        if mv.is_none() && !passes {
            let flaw = Flaw::InVariation { text: text.into(), fen: board.fen(chess960) };
            self.complain(line, flaw);
            self.level().over = true;
        } else if self.has_room(size_of::<VariationMove>(), line) {
            self.level().play(mv, nag);
        } else {
            self.level().over = true;
        }
    }

    fn finish(mut self) -> Reading {
        if !self.begun {
            self.begin(self.line);
        }
        if self.left_out > 0 || !self.variations.is_empty() {
            self.complain(self.line, Flaw::Variation);
            self.left_out = 0;
            while !self.variations.is_empty() {
                self.close();
            }
        }
        let said = self.tags.iter().find(|(name, _)| name.eq_ignore_ascii_case("Result"));
        let said = said.and_then(|(_, value)| match Word::new(value.trim()) {
            Word::Result(result) => Some(result),
            _ => None,
        });
        let result = self.result.or(said).unwrap_or("*").to_owned();
        let (tags, chess960, (comment, moves)) = (self.tags, self.chess960, self.main.main_line());
        let game = self.start.map(|start| PgnGame { tags, chess960, start, comment, moves, result });
        Reading { number: self.number, line: self.line, game, problems: self.problems }
    }
}

#[cfg(test)]
mod tests;
