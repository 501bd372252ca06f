//! PGN comments: text and embedded commands.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// Human-readable text; engine output is dropped.
    pub text: String,
    /// Time of `[%clk ...]`, if valid.
    pub clock: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    Text(&'a str),
    /// Contents of `[%...]`, such as `clk 1:05:23`.
    Command(&'a str),
}

/// Whether a text is a clock time, such as `0:05:00`.
pub fn is_clock(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'))
}

/// Splits a comment into segments, none of which is empty text.
pub fn parts(mut text: &str) -> Vec<Part<'_>> {
    let command = |text| {
        let (before, rest) = str::split_once(text, "[%")?;
        rest.split_once(']').map(|(command, behind)| (before, command, behind))
    };
    let mut parts = Vec::new();
    while let Some((before, inside, behind)) = command(text) {
        parts.extend([Part::Text(before), Part::Command(inside)]);
        text = behind;
    }
    parts.push(Part::Text(text));
    parts.retain(|part| *part != Part::Text(""));
    parts
}

/// Appends to a comment, unless empty.
pub fn append(to: &mut Option<String>, text: &str) {
    match to {
        _ if text.is_empty() => {}
        Some(before) => *before += &format!(" {text}"),
        None => *to = Some(text.to_owned()),
    }
}

impl Comment {
    /// Parses a comment. Drops commands such as `[%eval 0.3]`, leading measurements such as `+0.13/12 0.29s`, and lists of
    /// `key=value`.
    pub fn new(text: &str) -> Self {
        let (mut kept, mut clock) = (String::new(), None);
        for part in parts(text) {
            match part {
                Part::Text(text) => kept.push_str(text),
                Part::Command(command) => {
                    let time = command.strip_prefix("clk").map(str::trim).filter(|time| is_clock(time));
                    clock = time.map(str::to_owned).or(clock);
                }
            }
        }
        let words: Vec<&str> = kept.split_whitespace().collect();
        let kept = words.join(" ");
        Self { text: without_measurements(&kept).to_owned(), clock }
    }
}

/// The text after score, depth and time; empty for a list of `key=value`.
fn without_measurements(text: &str) -> &str {
    let pair = |piece: &str| {
        let piece = piece.trim();
        piece.is_empty() || piece == "book" || piece.split_once('=').is_some_and(|(key, _)| !key.contains(' '))
    };
    if text == "book" || (text.contains('=') && text.split([',', ';']).all(pair)) {
        return "";
    }
    let (first, rest) = text.split_once([' ', ',']).unwrap_or((text, ""));
    let is_number = |text: &str| !text.is_empty() && text.parse::<f64>().is_ok();
    let is_score = |text: &str| {
        let magnitude = text.trim_start_matches(['+', '-']).trim_start_matches(['M', '#']);
        is_number(magnitude) && (text.contains('.') || magnitude.len() < text.len())
    };
    let measured = first.split_once('/').is_some_and(|(score, depth)| is_score(score) && is_number(depth));
    if !measured {
        return text;
    }
    let rest = rest.trim_start();
    let (time, behind) = rest.split_once([' ', ',']).unwrap_or((rest, ""));
    let behind = if time.strip_suffix('s').is_some_and(is_number) { behind } else { rest };
    behind.trim_start_matches([',', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_comment() {
        for text in ["", "a", "[%clk 1]", "a[%clk 1] b [%csl Ga1][%x", "[%", "]", "[%]", "ä[%ü]ö"] {
            let whole: String = parts(text)
                .into_iter()
                .map(|part| match part {
                    Part::Text(text) => text.to_owned(),
                    Part::Command(command) => format!("[%{command}]"),
                })
                .collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn keeps_human_text() {
        for (text, kept, clock) in [
            ("A good move.", "A good move.", None),
            ("[%eval 0.23] [%clk 1:05:23]", "", Some("1:05:23")),
            ("before [%clk 0:01] after", "before after", Some("0:01")),
            ("[%clk soon]", "", None),
            ("+0.13/12 0.29s", "", None),
            ("+M1/127 0.003s, Black mates", "Black mates", None),
            ("-M18/13 0.14s", "", None),
            ("0.00/10 a draw", "a draw", None),
            ("book, mb=+0+0+0+0+0,", "", None),
            ("d=33, sd=50, pv=e4 e5 Nf3, tb=0,", "", None),
            ("1/2 is fair", "1/2 is fair", None),
            ("better is e8=Q", "better is e8=Q", None),
            ("[%unclosed", "[%unclosed", None),
        ] {
            assert_eq!(Comment::new(text), Comment { text: kept.into(), clock: clock.map(String::from) }, "{text}");
        }
    }
}
