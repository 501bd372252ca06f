//! Words of a line, and their quoting.

const MAX_QUOTED: usize = 80;

/// Quotes input for a message: in double quotes, control characters escaped, truncated.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}...", &text[..end]),
    }
}

/// Iterates over the words of a line.
///
/// Words are separated by any white space, including a trailing carriage return.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// Starts at the first word.
    pub fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    /// The unread part, trimmed.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Consumes the unread part.
    pub fn take_rest(&mut self) -> &'a str {
        std::mem::take(&mut self.rest)
    }

    /// Consumes the next word if it satisfies a condition.
    pub fn take_if(&mut self, condition: impl FnOnce(&str) -> bool) -> Option<&'a str> {
        let mut ahead = *self;
        let word = ahead.next().filter(|word| condition(word))?;
        *self = ahead;
        Some(word)
    }

    /// Consumes words through `end`, or to the end of the line. Returns the text before it, and whether it was found.
    pub fn until(&mut self, end: &str) -> (&'a str, bool) {
        let before = self.rest;
        loop {
            let length = before.len() - self.rest.len();
            match self.next() {
                None => return (before, false),
                Some(word) if word.eq_ignore_ascii_case(end) => return (before[..length].trim_end(), true),
                Some(_) => {}
            }
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_truncated_and_escaped() {
        assert_eq!(quoted("a\0\u{1b}b\""), r#""a\0\u{1b}b\"""#);
        let long = quoted(&"ä".repeat(1000));
        assert_eq!(long.chars().count(), MAX_QUOTED + 2 + 3);
        assert!(long.ends_with("\"..."));
    }

    #[test]
    fn words_are_separated_by_any_white_space() {
        assert_eq!(Words::new("\t go   depth\t3 \r").collect::<Vec<_>>(), ["go", "depth", "3"]);
        assert_eq!(Words::new(" \t ").next(), None);
    }

    #[test]
    fn rest_keeps_inner_spaces() {
        let mut words = Words::new("value  a  b ");
        words.next();
        assert_eq!(words.rest(), "a  b");
    }

    #[test]
    fn until_stops_after_the_word() {
        let mut words = Words::new("a  b MOVES c");
        assert_eq!(words.until("moves"), ("a  b", true));
        assert_eq!(words.rest(), "c");
        assert_eq!(words.until("moves"), ("c", false));
        assert_eq!(Words::new("moves c").until("moves"), ("", true));
    }

    #[test]
    fn take_if_consumes_only_matches() {
        let mut words = Words::new("a b");
        assert_eq!(words.take_if(|word| word == "b"), None);
        assert_eq!(words.take_if(|word| word == "a"), Some("a"));
        assert_eq!(words.rest(), "b");
    }
}
