//! What can be wrong with a line.

use std::borrow::Cow;
use std::fmt;

/// A piece of input inside a message: in double quotes, control characters escaped, cut where it grows long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoted(String);

impl Quoted {
    /// More characters than this are cut.
    const LONGEST: usize = 80;

    /// The text to quote.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(Self::LONGEST) {
            None => write!(f, "{:?}", self.0),
            Some((end, _)) => write!(f, "{:?}...", &self.0[..end]),
        }
    }
}

/// Why an option could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("no option is called {0}; the options are {1}")]
    Unknown(Quoted, String),
    /// The value is none the option takes.
    #[error("option {name} expects {expected}, not {value}; it keeps its value")]
    Value {
        /// The option.
        name: Cow<'static, str>,
        /// What it takes.
        expected: String,
        /// What was given; empty when nothing was.
        value: Quoted,
    },
    /// The value is one the option takes, but it cannot be applied.
    #[error("option {name} cannot be set to {value}: {reason}")]
    Refused {
        /// The option.
        name: Cow<'static, str>,
        /// What was given.
        value: Quoted,
        /// What stands in the way.
        reason: String,
    },
}

impl OptionError {
    /// The value is none the option takes.
    pub fn value(name: impl Into<Cow<'static, str>>, expected: String, value: &str) -> Self {
        Self::Value { name: name.into(), expected, value: Quoted::new(value) }
    }
}

/// Why a line, or a part of it, was not obeyed. Each message quotes the input and says what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No word of the line is a command.
    #[error("unknown command {0}; `help` lists the commands")]
    UnknownCommand(Quoted),
    /// Words before the command.
    #[error("skipped {0} before `{1}`: not a command; `help` lists the commands")]
    Skipped(Quoted, &'static str),
    /// Words after a command that has nothing more to be told.
    #[error("skipped {1} after `{0}`: nothing more is expected there")]
    Trailing(&'static str, Quoted),
    /// `debug` wants to know which.
    #[error("`debug` expects on or off, not {0}")]
    Debug(Quoted),
    /// `listmoves` knows only one word to follow it.
    #[error("`listmoves` expects depth N or the end of the line, not {0}")]
    ListMoves(Quoted),
    /// `lmrstats` has nothing to show.
    #[error("`lmrstats` expects a search with the option LMR Statistics on before it; nothing has been counted")]
    NotCounted,
    /// `savehash`, `loadhash` or `AutoSave` without a file.
    #[error("`{0}` expects the name of a file, or one in the option HashFile, which is empty")]
    NoHashFile(&'static str),
    /// A number is missing or cannot be used.
    #[error("`{word}` expects a whole number{}, not {found}; ignored", at_least(*.min))]
    Number {
        /// The word the number belongs to.
        word: &'static str,
        /// What stands in its place; empty at the end of the line.
        found: Quoted,
        /// The least value that has a meaning.
        min: i64,
    },
    /// Words in `go` that are neither limits nor moves.
    #[error("skipped {0} in `go`: not a limit; known limits are {1}")]
    UnknownLimits(Quoted, String),
    /// `searchmoves` without a move.
    #[error("`searchmoves` expects moves such as e2e4, not {0}; ignored")]
    NoSearchMoves(Quoted),
    /// `position` is followed by something else than a position.
    #[error("`position` expects startpos or fen, not {0}; the position stays")]
    NoPosition(Quoted),
    /// Something other than `moves` follows the start position.
    #[error("`position startpos` expects the word moves or the end of the line, not {0}; the position stays")]
    NoMoves(Quoted),
    /// The FEN cannot be used.
    #[error("{0}; the position stays")]
    Fen(String),
    /// A move of `position` is not legal where it stands.
    #[error("move {number} of `position` {text} is not legal in {fen}; expected {example}; the position stays")]
    IllegalMove {
        /// The place of the move, from 1.
        number: usize,
        /// The move as given.
        text: Quoted,
        /// The position before it.
        fen: String,
        /// What would be legal there.
        example: String,
    },
    /// A move of `searchmoves` is not legal.
    #[error("`searchmoves` {0} is not a legal move here; ignored")]
    IllegalSearchMove(Quoted),
    /// `setoption` without a name.
    #[error("`setoption` expects name <option> value <value>, not {0}")]
    NoOptionName(Quoted),
}

/// The lower end of a range in words, when there is one worth naming.
fn at_least(min: i64) -> String {
    if min == i64::MIN { String::new() } else { format!(" of at least {min}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_cut_and_escaped() {
        assert_eq!(Quoted::new("a\0\u{1b}b\"").to_string(), r#""a\0\u{1b}b\"""#);
        let long = Quoted::new(&"ä".repeat(1000)).to_string();
        assert_eq!(long.chars().count(), Quoted::LONGEST + 2 + 3);
        assert!(long.ends_with("\"..."));
    }

    #[test]
    fn messages_quote_and_say_what_is_expected() {
        let number = Problem::Number { word: "depth", found: Quoted::new("x"), min: 1 };
        assert_eq!(number.to_string(), "`depth` expects a whole number of at least 1, not \"x\"; ignored");
        let clock = Problem::Number { word: "wtime", found: Quoted::new(""), min: i64::MIN };
        assert_eq!(clock.to_string(), "`wtime` expects a whole number, not \"\"; ignored");
    }
}
