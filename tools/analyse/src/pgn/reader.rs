//! Parser: tokens to games.

use super::lexer::{Lexer, MAX_COMMENT};
use super::word::{self, Token, parse};
use super::{PgnGame, PgnMove, Problem, Reading, Variation, append, names_chess960, tag};
use lento::chess::{Board, Game};
use std::fmt::Display;
use std::io::{self, BufRead};

/// Limit on plies, above any game under the fifty-move rule.
const MAX_PLIES: usize = 20_000;
/// Limit on tags, comments and variations of a game, in bytes.
const MAX_TEXT: usize = 1 << 24;
/// Limit on nested variations.
const MAX_NESTING: usize = 64;
/// Limit on reported problems of a game, and on NAGs of a move.
const MAX_LISTED: usize = 16;

/// Reads the games of a file one at a time.
#[derive(Debug)]
pub struct Reader<R> {
    lexer: Lexer<R>,
    /// A token put back, and its line.
    pending: Option<(Token, u64)>,
    games: u64,
    /// Line of the last token.
    line: u64,
    state: State,
}

/// The game being parsed.
#[derive(Debug, Default)]
struct State {
    tags: Vec<(String, String)>,
    chess960: bool,
    /// Whether the first move is illegal.
    invalid: bool,
    result: Option<&'static str>,
    problems: Vec<Problem>,
    /// Bytes of tags, comments and variations.
    text_bytes: usize,
    /// Whether the game ended within a variation.
    unterminated: bool,
}

impl<R: BufRead> Reader<R> {
    pub fn new(reader: R) -> Self {
        Self { lexer: Lexer::new(reader), pending: None, games: 0, line: 0, state: State::default() }
    }

    pub fn bytes(&self) -> u64 {
        self.lexer.lines.bytes
    }

    pub fn next_game(&mut self) -> io::Result<Option<Reading>> {
        // Ignores text between games, such as a comment on the file, before tags.
        let mut main = Variation::default();
        while let Some((token, line)) = self.token()? {
            match token {
                Token::Tag(..) | Token::Move(_) | Token::Result(_) => {
                    let main = if matches!(token, Token::Tag(..)) { Variation::default() } else { main };
                    self.pending = Some((token, line));
                    self.games += 1;
                    self.state = State::default();
                    return self.game(line, main).map(Some);
                }
                Token::Comment(text) if !text.is_empty() && self.has_room(text.len()) => main.add_comment(&text),
                _ => {}
            }
        }
        Ok(None)
    }

    /// The next token and its line.
    fn token(&mut self) -> io::Result<Option<(Token, u64)>> {
        match self.pending.take() {
            Some(pending) => Ok(Some(pending)),
            None => Ok(self.lexer.token()?.map(|token| (token, self.lexer.line.number))),
        }
    }
}

impl Variation {
    fn add_nag(&mut self, nag: u8) {
        if let Some(last) = self.moves.last_mut().filter(|last| last.remarks.nags.len() < MAX_LISTED) {
            last.remarks.nags.push(nag);
        }
    }

    /// Appends a comment to the last move, or before the first.
    fn add_comment(&mut self, text: &str) {
        let comment = match self.moves.last_mut() {
            Some(last) => &mut last.remarks.comment,
            None => &mut self.comment,
        };
        append(comment, text);
    }

    /// Adds a variation to the last move; if it has no moves, only its comment.
    fn add_variation(&mut self, variation: Self) {
        if variation.moves.is_empty() {
            variation.comment.iter().for_each(|comment| self.add_comment(comment));
        } else if let Some(last) = self.moves.last_mut() {
            last.remarks.variations.push(variation);
        }
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads a game after the comment before its first token.
    fn game(&mut self, first_line: u64, mut main: Variation) -> io::Result<Reading> {
        let start_line = self.lexer.line_begun().map(|offset| (offset, first_line));
        self.line = first_line;
        while let Some((token, line)) = self.token()? {
            let is_event = |name: &str| name.eq_ignore_ascii_case("Event");
            match token {
                // A second Event tag starts the next game.
                Token::Tag(name, value) if !is_event(&name) || tag(&self.state.tags, &name).is_none() => {
                    self.line = line;
                    if self.has_room(name.len() + value.len()) {
                        self.state.tags.push((name, value));
                    }
                }
                // Tags may follow.
                Token::Comment(text) => self.comment(&mut main, &text),
                token => {
                    self.pending = Some((token, line));
                    break;
                }
            }
        }
        let start = self.start();
        self.moves(&mut main, start.clone(), 0)?;
        // A comment on the line of the result belongs to the game.
        while self.state.result.is_some() && self.lexer.comment_follows() {
            if let Some(Token::Comment(text)) = self.next()? {
                self.comment(&mut main, &text);
            }
        }
        if self.state.unterminated {
            self.line = first_line;
            self.report("unterminated variation");
        }
        let tagged = tag(&self.state.tags, "Result").and_then(|value| word::result(value.trim()));
        // The tag of an unfinished movetext may have a result.
        let ended = self.state.result;
        let result = ended.filter(|&result| result != "*").or(tagged).or(ended).unwrap_or("*").to_owned();
        let State { tags, chess960, invalid, problems, .. } = std::mem::take(&mut self.state);
        let (game, Variation { comment, moves }) = (start.filter(|_| !invalid), main);
        let game = game.map(|start| PgnGame { tags, chess960, start, comment, moves, result });
        Ok(Reading { number: self.games, game, start: start_line, problems })
    }

    fn report(&mut self, problem: impl Display) {
        if self.state.problems.len() < MAX_LISTED {
            let text = problem.to_string();
            self.state.problems.push(Problem { game: self.games, line: self.line, text });
        }
    }

    /// Whether more text fits into the limit.
    fn has_room(&mut self, bytes: usize) -> bool {
        // Count even empty tags and comments.
        let fits = |bytes| bytes <= MAX_TEXT;
        let before = self.state.text_bytes;
        self.state.text_bytes = before.saturating_add(bytes + 64);
        if fits(before) && !fits(self.state.text_bytes) {
            self.report(format_args!(
                "more than {MAX_TEXT} bytes of tags, comments and variations; the rest is skipped"
            ));
        }
        fits(self.state.text_bytes)
    }

    /// The next token of the movetext; `None` at the end of the game.
    fn next(&mut self) -> io::Result<Option<Token>> {
        let Some((token, line)) = self.token()? else { return Ok(None) };
        if matches!(token, Token::Tag(..)) {
            self.pending = Some((token, line));
            return Ok(None);
        }
        self.line = line;
        if token == Token::UnclosedComment {
            self.report("unterminated comment");
        }
        if std::mem::take(&mut self.lexer.is_truncated) {
            self.report(format_args!("a comment of more than {MAX_COMMENT} bytes; the rest of it is skipped"));
        }
        Ok(Some(token))
    }

    fn comment(&mut self, line: &mut Variation, text: &str) {
        if !text.is_empty() && self.has_room(text.len()) {
            line.add_comment(text);
        }
    }

    /// Skips a variation after its opening parenthesis.
    fn skip(&mut self) -> io::Result<()> {
        let mut open = 1_u64;
        while open > 0 {
            match self.next()? {
                Some(Token::Open) => open += 1,
                Some(Token::Close) => open -= 1,
                Some(_) => {}
                None => {
                    self.state.unterminated = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The start position; `None` if its tags are invalid or not supported.
    fn start(&mut self) -> Option<Board> {
        let variant = tag(&self.state.tags, "Variant").unwrap_or("").to_ascii_lowercase();
        let named = names_chess960(&variant);
        let usual = ["", "?", "-", "standard", "chess", "classic", "normal", "from position", "orthodox"];
        if !named && !usual.contains(&variant.trim()) {
            self.report(format_args!("unsupported variant {variant:?}, expected chess or Chess960; game skipped"));
            return None;
        }
        // `[SetUp "0"]` disables the tag `FEN`.
        let is_enabled = tag(&self.state.tags, "SetUp").is_none_or(|value| value.trim() != "0");
        let fen = tag(&self.state.tags, "FEN").filter(|fen| is_enabled && !fen.trim().is_empty());
        let board = fen.map_or_else(|| Ok(Board::start()), Board::from_fen);
        self.state.chess960 = named || board.as_ref().is_ok_and(Board::needs_chess960);
        board.inspect_err(|error| self.report(format_args!("tag FEN: {error}; game skipped"))).ok()
    }

    /// Parses the main line, at depth 0, or a variation up to its end.
    fn moves(&mut self, line: &mut Variation, start: Option<Board>, depth: usize) -> io::Result<()> {
        // The position before the last move, and the current one; `None` once the rest of the line is ignored.
        let (mut before, mut board) = (None, start);
        while let Some(token) = self.next()? {
            match token {
                Token::Open => match before.clone().filter(|_| board.is_some()) {
                    Some(before) if depth < MAX_NESTING => {
                        let mut variation = Variation::default();
                        self.moves(&mut variation, Some(before), depth + 1)?;
                        line.add_variation(variation);
                    }
                    Some(_) => {
                        self.report(format_args!("variation nested more than {MAX_NESTING} deep; skipped"));
                        self.skip()?;
                    }
                    None => self.skip()?,
                },
                Token::Close if depth > 0 => return Ok(()),
                Token::Comment(text) if board.is_some() => self.comment(line, &text),
                Token::Nag(nag) if board.is_some() => line.add_nag(nag),
                Token::Result(result) if depth == 0 => {
                    self.state.result = Some(result);
                    return Ok(());
                }
                Token::Move(text) => {
                    if let Some(at) = board.take() {
                        let used = line.moves.len();
                        board = self.play(line, &at, &text, depth == 0);
                        // A skipped word is not a move.
                        if line.moves.len() > used {
                            before = Some(at);
                        }
                    }
                }
                _ => {}
            }
        }
        self.state.unterminated |= depth > 0;
        Ok(())
    }

    /// Plays a move or null move. Returns the position after it; `None` ends the line.
    fn play(&mut self, line: &mut Variation, board: &Board, text: &str, main: bool) -> Option<Board> {
        let is_null = word::is_null_move(text);
        let used = line.moves.len();
        let mv = if is_null { None } else { parse(board, text, self.state.chess960) };
        let names_no_game = main && used == 0 && self.state.tags.is_empty();
        if mv.is_none() && !is_null && !word::looks_like_move(text) && !names_no_game {
            self.report(format_args!("{text:?} is not a move; skipped"));
            return Some(board.clone());
        }
        let refused = is_null.then(|| Game::from(board.clone()).passed().err());
        if mv.is_none() && refused != Some(None) {
            let reason = refused.flatten().map_or_else(String::new, |reason| format!(" ({reason})"));
            let illegal = format!("illegal move {text:?} in {}{reason}", board.fen(self.state.chess960));
            self.report(match used {
                _ if !main => format!("{illegal}; rest of the variation skipped"),
                0 if self.state.tags.is_empty() => {
                    format!("{text:?} is not a game, expected tags such as [Event \"...\"] or moves")
                }
                0 => format!("{illegal}; game skipped"),
                _ => format!("{illegal}; using the {used} moves before it"),
            });
            self.state.invalid |= main && used == 0;
            return None;
        }
        if main && used == MAX_PLIES {
            self.report(format_args!("more than {MAX_PLIES} moves; the rest is skipped"));
            return None;
        }
        if !main && !self.has_room(size_of::<PgnMove>()) {
            return None;
        }
        let played = PgnMove::from(mv);
        let after = played.after(board);
        line.moves.push(played);
        Some(after)
    }
}

#[cfg(test)]
mod tests;
