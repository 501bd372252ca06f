//! Parser: tokens to games.

use super::level::Level;
use super::lexer::{Lexer, Token};
use super::word::{Word, parse};
use super::{Flaw, PgnGame, Problem, Reading, VariationMove};
use lento::chess::Board;
use std::io::{self, BufRead};

/// More than in any game under the fifty-move rule.
const MAX_PLIES: usize = 20_000;
/// Limit on tags, comments and variations of a game, in bytes.
const MAX_TEXT: usize = 1 << 24;
/// Limit on nested variations.
const MAX_NESTING: usize = 64;

/// Reads the games of a file one at a time.
#[derive(Debug)]
pub struct Reader<R> {
    lexer: Lexer<R>,
    /// First tag of the next game, and its line.
    pending: Option<(Token, u64)>,
    games: u64,
}

/// A game being parsed.
struct Draft {
    number: u64,
    line: u64,
    tags: Vec<(String, String)>,
    /// `None` before the first word, and if the game is invalid.
    start: Option<Board>,
    chess960: bool,
    main: Level,
    /// Open variations, outermost first.
    variations: Vec<Level>,
    /// Number of open variations being skipped.
    skipped: u32,
    result: Option<&'static str>,
    problems: Vec<Problem>,
    /// Whether the movetext has begun.
    begun: bool,
    /// Bytes of tags, comments and variations.
    text_bytes: usize,
}

impl<R: BufRead> Reader<R> {
    /// Reads games from `reader`.
    pub fn new(reader: R) -> Self {
        Self { lexer: Lexer::new(reader), pending: None, games: 0 }
    }

    /// Bytes read.
    pub fn bytes(&self) -> u64 {
        self.lexer.bytes()
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read.
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
            // Ignore text between games, such as a file comment.
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
                // A comment on the line of the result belongs to the game.
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
            skipped: 0,
            result: None,
            problems: Vec::new(),
            begun: false,
            text_bytes: 0,
        }
    }

    fn report(&mut self, line: u64, flaw: Flaw) {
        const MAX: usize = 16;
        if self.problems.len() < MAX {
            self.problems.push(Problem { game: self.number, line, flaw });
        }
    }

    /// Whether more text fits into the limit.
    fn has_room(&mut self, bytes: usize, line: u64) -> bool {
        // Count even empty tags and comments.
        let fits = |bytes| bytes <= MAX_TEXT;
        let before = self.text_bytes;
        self.text_bytes = before.saturating_add(bytes + 64);
        if fits(before) && !fits(self.text_bytes) {
            self.report(line, Flaw::Text(MAX_TEXT));
        }
        fits(self.text_bytes)
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
            Token::UnclosedComment => self.report(line, Flaw::Comment),
            _ if self.skipped > 0 => {}
            Token::Comment(text) => self.comment(&text, line),
            Token::Nag(nag) => self.nag(nag),
            Token::Word(word) => self.word(&word, line),
        }
    }

    /// The innermost open line.
    fn level(&mut self) -> &mut Level {
        self.variations.last_mut().unwrap_or(&mut self.main)
    }

    fn open(&mut self, line: u64) {
        let variation = if self.skipped == 0 { self.level().variation() } else { None };
        match variation {
            Some(variation) if self.variations.len() < MAX_NESTING => self.variations.push(variation),
            Some(_) => {
                self.report(line, Flaw::Nested(MAX_NESTING));
                self.skipped += 1;
            }
            None => self.skipped += 1,
        }
    }

    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if let Some(variation) = self.variations.pop() {
            self.level().add_variation(variation);
        }
    }

    fn comment(&mut self, text: &str, line: u64) {
        if !text.is_empty() && !self.level().over && self.has_room(text.len(), line) {
            self.level().add_comment(text);
        }
    }

    fn nag(&mut self, nag: u8) {
        const MAX: usize = 16;
        let level = self.level();
        if !level.over
            && let Some(remarks) = level.remarks()
            && remarks.nags.len() < MAX
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
            Word::Result(_) | Word::Ignored => {}
            Word::Glyph(nag) => self.nag(nag),
            _ if self.level().over => {}
            Word::Null(text) if in_variation => self.play_in_variation(text, None, line),
            Word::Null(text) => {
                let used = self.main.len();
                self.stop(line, Flaw::Null { text: text.into(), used });
            }
            Word::Move(text, nag) if in_variation => self.play_in_variation(text, nag, line),
            Word::Move(text, nag) => self.play(text, nag, line),
        }
    }

    /// Sets up the start position before the first move.
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

    /// Ignores the rest of the main line.
    fn stop(&mut self, line: u64, flaw: Flaw) {
        self.report(line, flaw);
        self.main.over = true;
    }

    /// Plays a move of the main line.
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
        if used == MAX_PLIES {
            return self.stop(line, Flaw::Length(MAX_PLIES));
        }
        self.main.play(Some(mv), nag);
    }

    /// Plays a move of a variation, which may be a null move.
    fn play_in_variation(&mut self, text: &str, nag: Option<u8>, line: u64) {
        let chess960 = self.chess960;
        let Some(board) = self.level().board() else { return };
        let mv = parse(board, text, chess960);
        let passes = mv.is_none() && matches!(Word::new(text), Word::Null(_)) && !board.in_check();
        if mv.is_none() && !passes {
            let flaw = Flaw::InVariation { text: text.into(), fen: board.fen(chess960) };
            self.report(line, flaw);
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
        if self.skipped > 0 || !self.variations.is_empty() {
            self.report(self.line, Flaw::Variation);
            self.skipped = 0;
            while !self.variations.is_empty() {
                self.close();
            }
        }
        let tagged = self.tags.iter().find(|(name, _)| name.eq_ignore_ascii_case("Result"));
        let tagged = tagged.and_then(|(_, value)| match Word::new(value.trim()) {
            Word::Result(result) => Some(result),
            _ => None,
        });
        let result = self.result.or(tagged).unwrap_or("*").to_owned();
        let (tags, chess960, (comment, moves)) = (self.tags, self.chess960, self.main.main_line());
        let game = self.start.map(|start| PgnGame { tags, chess960, start, comment, moves, result });
        Reading { number: self.number, game, problems: self.problems }
    }
}

#[cfg(test)]
mod tests;
