//! PGN tokens.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// `[name "value"]`.
    Tag(String, String),
    /// A move, a null move, or other text without spaces.
    Move(String),
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(&'static str),
    /// `$5`, or a suffix or symbol such as `!?`.
    Nag(u8),
    /// `{...}`, or `;...` up to the end of the line.
    Comment(String),
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `{...` without a closing brace before the next game or the end of the file.
    UnclosedComment,
}
