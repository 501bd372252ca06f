//! Annotations of a move.

use super::request::{Fields, RequestError};
use crate::pgn::{Part, append, is_clock, parts};
use crate::report::write::comment_words;
use lento::chess::Square;
use serde_json::Value;

/// Maximum NAGs of a move, as in the PGN reader.
const MAX_NAGS: usize = 16;
/// Maximum number of arrows, and of circles, of a position.
const MAX_SHAPES: usize = 256;
/// Maximum shapes per command, which is not wrapped.
const SHAPES_PER_COMMAND: usize = 5;
/// Shapes: command in comments, field of a node, and an example with its color letter.
const SHAPES: [(&str, &str, &str); 2] = [("csl", "circles", "Gd4"), ("cal", "arrows", "Ge2e4")];
type Test = fn(&str) -> bool;
/// Values: command in comments, field of a node, description, and validation.
const VALUES: [(&str, &str, &str, Test); 2] =
    [("eval", "eval", "an evaluation such as 0.35,24", is_eval), ("clk", "clock", "a time such as 0:05:00", is_clock)];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Without commands that have their own fields.
    pub comment: Option<String>,
    /// Comment before the move.
    pub before: Option<String>,
    pub nags: Vec<u8>,
    /// By kind, as in [`SHAPES`].
    shapes: [Vec<String>; 2],
    /// By kind, as in [`VALUES`].
    values: [Option<String>; 2],
}

fn is_shape(text: &str, example: &str) -> bool {
    let (color, squares) = text.split_at_checked(1).unwrap_or_default();
    let is_square = |pair: &[u8]| str::from_utf8(pair).is_ok_and(|square| square.parse::<Square>().is_ok());
    color.chars().all(|c| c.is_ascii_uppercase())
        && 1 + squares.len() == example.len()
        && squares.as_bytes().chunks(2).all(is_square)
}

/// In pawns from White's view, possibly with the depth.
fn is_eval(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-#.,/".contains(c))
}

/// Text without braces, which PGN cannot contain. Keeps line breaks, except in commands; in PGN they become spaces.
fn plain(text: &str) -> String {
    let text = text.replace('{', "(").replace('}', ")").replace(|c: char| c.is_control() && c != '\n', " ");
    let part = |part| match part {
        Part::Text(text) => text.to_owned(),
        Part::Command(command) => format!(" [%{}] ", command.replace('\n', " ")),
    };
    let text: String = parts(&text).into_iter().map(part).collect();
    let lines = text.split('\n').map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

impl Notes {
    /// Adds a comment of a file. Moves the first command of each kind to its field.
    pub fn add_comment(&mut self, text: &str) {
        let mut rest = String::new();
        for part in parts(&plain(text)) {
            match part {
                Part::Text(text) => rest += text,
                Part::Command(command) => {
                    if !self.take_command(command) {
                        rest += &format!("[%{command}]");
                    }
                }
            }
        }
        append(&mut self.comment, &plain(&rest));
    }

    pub fn add_before(&mut self, text: &str) {
        append(&mut self.before, &plain(text));
    }

    /// Moves a command to its field. Returns false if it has none.
    fn take_command(&mut self, command: &str) -> bool {
        let (name, operand) = command.split_once(' ').unwrap_or((command, ""));
        if let Some(((.., example), own)) = SHAPES.iter().zip(&mut self.shapes).find(|(kind, _)| kind.0 == name) {
            let shapes: Vec<&str> = operand.split(',').map(str::trim).collect();
            return shapes.iter().all(|shape| is_shape(shape, example)) && add_shapes(own, &shapes);
        }
        let value = VALUES.iter().zip(&mut self.values).find(|(kind, _)| kind.0 == name);
        let Some(((.., is_valid), own)) = value.filter(|(_, own)| own.is_none()) else { return false };
        *own = Some(operand.to_owned()).filter(|operand| is_valid(operand));
        own.is_some()
    }

    pub fn add_nags(&mut self, nags: &[u8]) {
        for &nag in nags {
            if self.nags.len() < MAX_NAGS && !self.nags.contains(&nag) {
                self.nags.push(nag);
            }
        }
    }

    /// Adds the notes of a node of the page.
    pub fn parse(&mut self, node: Fields) -> Result<(), RequestError> {
        for nag in node.list("nags")? {
            let number = nag.as_u64().and_then(|nag| u8::try_from(nag).ok());
            let number =
                number.ok_or_else(|| RequestError::expected(node.name("nags"), nag, "numbers from 0 to 255"))?;
            self.add_nags(&[number]);
        }
        for ((_, field, example), own) in SHAPES.iter().zip(&mut self.shapes) {
            let shapes = node.texts(field)?;
            if let Some(wrong) = shapes.iter().find(|shape| !is_shape(shape, example)) {
                let expected = format!("a list of shapes such as {example}");
                return Err(RequestError::expected(node.name(field), &(*wrong).into(), &expected));
            }
            if !add_shapes(own, &shapes) {
                let text = format!("{} shapes; expected up to {MAX_SHAPES}", shapes.len());
                return Err(RequestError::new("too-large", node.name(field), text));
            }
        }
        for ((_, field, expected, is_valid), own) in VALUES.iter().zip(&mut self.values) {
            let Some(text) = node.text(field)? else { continue };
            if !is_valid(text) {
                return Err(RequestError::expected(node.name(field), &text.into(), expected));
            }
            own.get_or_insert_with(|| text.to_owned());
        }
        self.add_comment(node.text("comment")?.unwrap_or_default());
        self.add_before(node.text("before")?.unwrap_or_default());
        Ok(())
    }

    /// Adds the fields to a node for the page.
    pub fn write(&self, node: &mut Value) {
        let texts = [("comment", &self.comment), ("before", &self.before)];
        for (name, text) in texts.into_iter().chain(VALUES.iter().map(|kind| kind.1).zip(&self.values)) {
            if let Some(text) = text {
                node[name] = text.as_str().into();
            }
        }
        for ((_, field, _), shapes) in SHAPES.iter().zip(&self.shapes) {
            if !shapes.is_empty() {
                node[*field] = shapes.as_slice().into();
            }
        }
        if !self.nags.is_empty() {
            node["nags"] = self.nags.as_slice().into();
        }
    }

    /// The words of the comment with its commands.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for ((name, ..), shapes) in SHAPES.iter().zip(&self.shapes) {
            words.extend(shapes.chunks(SHAPES_PER_COMMAND).map(|shapes| format!("[%{name} {}]", shapes.join(","))));
        }
        for ((name, ..), text) in VALUES.iter().zip(&self.values) {
            words.extend(text.iter().map(|text| format!("[%{name} {text}]")));
        }
        words.extend(comment_words(self.comment.as_deref(), true));
        words
    }
}

/// Adds new shapes. Returns false and adds none if there would be too many.
fn add_shapes(to: &mut Vec<String>, shapes: &[&str]) -> bool {
    let fits = to.len() + shapes.len() <= MAX_SHAPES;
    for shape in shapes.iter().filter(|_| fits) {
        if !to.iter().any(|known| known == shape) {
            to.push((*shape).to_owned());
        }
    }
    fits
}
