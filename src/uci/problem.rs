//! Errors in input lines.

use std::borrow::Cow;
use std::fmt;

/// Input quoted in a message: in double quotes, control characters escaped, truncated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quoted(String);

impl Quoted {
    /// Maximum number of characters.
    const MAX_LENGTH: usize = 80;

    /// Quotes a text.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The unquoted text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(Self::MAX_LENGTH) {
            None => write!(f, "{:?}", self.0),
            Some((end, _)) => write!(f, "{:?}...", &self.0[..end]),
        }
    }
}

/// Why an option could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The name is unknown.
    #[error("unknown option {0}; known options are {1}")]
    Unknown(Quoted, String),
    /// The value is invalid.
    #[error("option {name} expects {expected}, not {value}; value unchanged")]
    Value {
        /// The option's name.
        name: Cow<'static, str>,
        /// The valid values.
        expected: String,
        /// The given value; may be empty.
        value: Quoted,
    },
    /// The value is valid but cannot be applied.
    #[error("option {name} cannot be set to {value}: {reason}")]
    Refused {
        /// The option's name.
        name: Cow<'static, str>,
        /// The given value.
        value: Quoted,
        /// Why it cannot be applied.
        reason: String,
    },
}

impl OptionError {
    /// An invalid value.
    pub fn value(name: impl Into<Cow<'static, str>>, expected: String, value: &str) -> Self {
        Self::Value { name: name.into(), expected, value: Quoted::new(value) }
    }
}

/// Why a line was rejected or partly skipped. Each message quotes the input and states what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No command in the line.
    #[error("unknown command {0}; `help` lists the commands")]
    UnknownCommand(Quoted),
    /// Unknown words before the command.
    #[error("skipped {0} before `{1}`: not a command; `help` lists the commands")]
    Skipped(Quoted, &'static str),
    /// Extra words after a command.
    #[error("skipped {1} after `{0}`: expected the end of the line")]
    Trailing(&'static str, Quoted),
    /// `debug` without on or off.
    #[error("`debug` expects on or off, not {0}")]
    Debug(Quoted),
    /// Bad arguments of `listmoves`.
    #[error("`listmoves` expects depth N or the end of the line, not {0}")]
    ListMoves(Quoted),
    /// `lmrstats` without statistics.
    #[error("`lmrstats` expects a previous search with the option LMR Statistics on")]
    NotCounted,
    /// `savehash`, `loadhash` or `AutoSave` without a file.
    #[error("`{0}` expects the name of a file, or one in the option HashFile, which is empty")]
    NoHashFile(&'static str),
    /// A number is missing or invalid.
    #[error("`{word}` expects a whole number{}, not {found}; ignored", at_least(*.min))]
    Number {
        /// The keyword before the number.
        word: &'static str,
        /// The invalid number; empty if missing.
        found: Quoted,
        /// The smallest valid number.
        min: i64,
    },
    /// Unknown words in `go`.
    #[error("skipped {0} in `go`: not a limit; known limits are {1}")]
    UnknownLimits(Quoted, String),
    /// `searchmoves` without a move.
    #[error("`searchmoves` expects moves such as e2e4, not {0}; ignored")]
    NoSearchMoves(Quoted),
    /// `position` without a position.
    #[error("`position` expects startpos or fen, not {0}; position unchanged")]
    NoPosition(Quoted),
    /// Unexpected words after `position startpos`.
    #[error("`position startpos` expects the word moves or the end of the line, not {0}; position unchanged")]
    NoMoves(Quoted),
    /// An invalid FEN.
    #[error("{0}; position unchanged")]
    Fen(String),
    /// An illegal move in `position`.
    #[error("move {number} of `position` {text} is not legal in {fen}; expected {example}; position unchanged")]
    IllegalMove {
        /// The move's index, from 1.
        number: usize,
        /// The move as given.
        text: Quoted,
        /// The position before the move.
        fen: String,
        /// A legal move there.
        example: String,
    },
    /// An illegal move in `searchmoves`.
    #[error("`searchmoves` {0} is not a legal move here; ignored")]
    IllegalSearchMove(Quoted),
    /// `setoption` without a name.
    #[error("`setoption` expects name <option> value <value>, not {0}")]
    NoOptionName(Quoted),
}

/// States the minimum, if there is one.
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
        assert_eq!(long.chars().count(), Quoted::MAX_LENGTH + 2 + 3);
        assert!(long.ends_with("\"..."));
    }

    #[test]
    fn number_messages_state_the_minimum() {
        let number = Problem::Number { word: "depth", found: Quoted::new("x"), min: 1 };
        assert_eq!(number.to_string(), "`depth` expects a whole number of at least 1, not \"x\"; ignored");
        let clock = Problem::Number { word: "wtime", found: Quoted::new(""), min: i64::MIN };
        assert_eq!(clock.to_string(), "`wtime` expects a whole number, not \"\"; ignored");
    }
}
