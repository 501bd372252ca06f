//! The weights as the engine's source has them: names and values to begin with, and new values in their place.
//!
//! Two files hold the numbers: `weights.rs`, and `pst.rs` for the tables by square. They are built into this program, so
//! that they are those of the evaluation it tunes.

use super::arrange::Nested;
use std::fmt;
use std::ops::Range;
use thiserror::Error;

/// `weights.rs` as built in.
pub const WEIGHTS: &str = include_str!("../../../../src/eval/classical/weights.rs");
/// `pst.rs` as built in.
pub const SQUARES: &str = include_str!("../../../../src/eval/classical/pst.rs");

/// The tables of `pst.rs` in the order of the weights.
const TABLES: [&str; 6] = ["PAWN", "KNIGHT", "BISHOP", "ROOK", "QUEEN", "KING"];

/// The source is not laid out as expected.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the source of the weights has {found} at line {line}; expected {expected}")]
pub struct WeightSourceError {
    found: String,
    line: usize,
    expected: &'static str,
}

/// A value in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// `O`: a pair of zeros where the weight has no use.
    Nothing,
    /// `s(mg, eg)`.
    Pair(i32, i32),
    /// A number by itself.
    Number(i32),
    /// The tables of the other file.
    Elsewhere(String),
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("O"),
            Self::Pair(mg, eg) => write!(f, "s({mg}, {eg})"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Elsewhere(path) => f.write_str(path),
        }
    }
}

/// A named value and where it stands.
#[derive(Clone, Debug)]
struct Field {
    name: String,
    value: Nested<Leaf>,
    span: Range<usize>,
}

/// All fields of both files.
#[derive(Clone, Debug)]
struct Fields {
    linear: Vec<Field>,
    danger: Vec<Field>,
    initiative: Vec<Field>,
    /// Middlegame and endgame table for each kind.
    squares: Vec<Field>,
}

/// Named values of weights, in the order of the structures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The linear weights: field, and a pair for each of its weights. The tables by square are six fields.
    pub linear: Vec<(String, Vec<[i32; 2]>)>,
    /// King danger.
    pub danger: Vec<(String, Vec<i32>)>,
    /// Initiative.
    pub initiative: Vec<(String, Vec<i32>)>,
}

/// Both files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightSource {
    /// `weights.rs`.
    pub weights: String,
    /// `pst.rs`.
    pub squares: String,
}

impl WeightSource {
    /// The files as built in.
    pub fn built_in() -> Self {
        Self { weights: WEIGHTS.to_owned(), squares: SQUARES.to_owned() }
    }

    /// The values in the files.
    ///
    /// # Errors
    /// The files are not laid out as expected.
    pub fn numbers(&self) -> Result<Numbers, WeightSourceError> {
        let fields = self.fields()?;
        let mut numbers = Numbers::default();
        for field in &fields.linear {
            if matches!(field.value, Nested::Leaf(Leaf::Elsewhere(_))) {
                for table in &fields.squares {
                    let name = format!("{}.{}", field.name, table.name.to_lowercase());
                    let of: Vec<i32> = table.value.leaves().into_iter().map(number).collect();
                    let (mg, eg) = of.split_at(of.len() / 2);
                    numbers.linear.push((name, mg.iter().zip(eg).map(|(&mg, &eg)| [mg, eg]).collect()));
                }
            } else {
                numbers.linear.push((field.name.clone(), field.value.leaves().into_iter().map(pair).collect()));
            }
        }
        let single = |fields: &[Field]| {
            let of = |field: &Field| field.value.leaves().into_iter().map(number).collect();
            fields.iter().map(|field| (field.name.clone(), of(field))).collect()
        };
        numbers.danger = single(&fields.danger);
        numbers.initiative = single(&fields.initiative);
        Ok(numbers)
    }

    /// The files with other values. Everything else stays; lines break as rustfmt breaks them.
    ///
    /// # Errors
    /// The files are not laid out as expected.
    pub fn with(&self, numbers: &Numbers) -> Result<Self, WeightSourceError> {
        let fields = self.fields()?;
        let mut new = numbers.linear.iter();
        let (mut weights, mut squares) = (Vec::new(), Vec::new());
        for field in &fields.linear {
            if !matches!(field.value, Nested::Leaf(Leaf::Elsewhere(_))) {
                weights.push(renewed(field, new.next().map_or(&[], |(_, pairs)| pairs)));
                continue;
            }
            for (table, (_, pairs)) in fields.squares.iter().zip(new.by_ref()) {
                let by_phase: Vec<i32> = [0, 1].iter().flat_map(|&phase| pairs.iter().map(move |p| p[phase])).collect();
                squares.push(renumbered(table, &by_phase));
            }
        }
        let single = fields.danger.iter().zip(&numbers.danger).chain(fields.initiative.iter().zip(&numbers.initiative));
        weights.extend(single.map(|(field, (_, new))| renumbered(field, new)));
        Ok(Self { weights: replace(&self.weights, &weights), squares: replace(&self.squares, &squares) })
    }

    fn fields(&self) -> Result<Fields, WeightSourceError> {
        let structure = |name: &str, kind: &str| {
            let opening = format!("pub static {name}: {kind} =");
            let mut cursor = Cursor::after(&self.weights, &opening)?;
            cursor.structure(kind)
        };
        let table = |name: &&str| {
            let mut cursor = Cursor::after(&self.squares, &format!("const {name}: [Half; 2] ="))?;
            cursor.field(name, true)
        };
        Ok(Fields {
            linear: structure("WEIGHTS", "Weights")?,
            danger: structure("DANGER", "Danger")?,
            initiative: structure("INITIATIVE", "Initiative")?,
            squares: TABLES.iter().map(table).collect::<Result<_, _>>()?,
        })
    }
}

fn pair(leaf: &Leaf) -> [i32; 2] {
    match *leaf {
        Leaf::Pair(mg, eg) => [mg, eg],
        _ => [0, 0],
    }
}

fn number(leaf: &Leaf) -> i32 {
    match *leaf {
        Leaf::Number(number) => number,
        _ => 0,
    }
}

/// A field with other pairs. What has no use stays as it is.
fn renewed(field: &Field, pairs: &[[i32; 2]]) -> Field {
    let mut pairs = pairs.iter();
    let mut renew = |leaf: &Leaf| match (pairs.next(), leaf) {
        (Some([0, 0]), Leaf::Nothing) | (None, _) => leaf.clone(),
        (Some(&[mg, eg]), _) => Leaf::Pair(mg, eg),
    };
    Field { value: field.value.map(&mut renew), ..field.clone() }
}

/// A field with other numbers.
fn renumbered(field: &Field, numbers: &[i32]) -> Field {
    let mut numbers = numbers.iter();
    let mut renew = |leaf: &Leaf| numbers.next().map_or_else(|| leaf.clone(), |&number| Leaf::Number(number));
    Field { value: field.value.map(&mut renew), ..field.clone() }
}

/// The text with the fields' values in their places; fields come in the order of the text.
fn replace(text: &str, fields: &[Field]) -> String {
    let (mut new, mut end) = (String::new(), 0);
    for Field { value, span, .. } in fields {
        let line = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let indent = text[line..].len() - text[line..].trim_start_matches(' ').len();
        new += &text[end..span.start];
        new += &value.arrange(indent, span.start - line);
        end = span.end;
    }
    new + &text[end..]
}

/// Reads the little Rust that the tables are written in.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Behind the words that declare a value.
    fn after(text: &'a str, words: &str) -> Result<Self, WeightSourceError> {
        match text.find(words) {
            Some(at) => Ok(Self { text, at: at + words.len() }),
            None => Err(Self { text, at: text.len() }.wrong("a declaration of every table")),
        }
    }

    fn wrong(&self, expected: &'static str) -> WeightSourceError {
        let found = self.text[self.at..].lines().next().map_or("its end".to_owned(), |line| format!("{line:?}"));
        WeightSourceError { found, line: self.text[..self.at].matches('\n').count() + 1, expected }
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let space = rest.len() - rest.trim_start().len();
            self.at += space;
            if !rest[space..].starts_with("//") {
                return;
            }
            self.at += rest[space..].find('\n').unwrap_or(rest.len() - space);
        }
    }

    /// Takes this text if it comes next.
    fn take(&mut self, text: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn expect(&mut self, text: &str, expected: &'static str) -> Result<(), WeightSourceError> {
        if self.take(text) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    /// Takes what consists of these characters.
    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip();
        let rest = &self.text[self.at..];
        let word = &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn number(&mut self) -> Result<i32, WeightSourceError> {
        let wrong = self.wrong("a number");
        self.word(|c| c == '-' || c.is_ascii_digit()).parse().map_err(|_| wrong)
    }

    /// `Kind { name: value, … }`.
    fn structure(&mut self, kind: &str) -> Result<Vec<Field>, WeightSourceError> {
        self.expect(kind, "the structure's name")?;
        self.expect("{", "'{'")?;
        let mut fields = Vec::new();
        while !self.take("}") {
            let name = self.word(|c| c == '_' || c.is_ascii_alphanumeric());
            self.expect(":", "':' after a field's name")?;
            fields.push(self.field(name, kind != "Weights")?);
            if !self.take(",") {
                self.expect("}", "',' or '}'")?;
                break;
            }
        }
        Ok(fields)
    }

    /// A value, of numbers or of pairs.
    fn field(&mut self, name: &str, numbers: bool) -> Result<Field, WeightSourceError> {
        self.skip();
        let start = self.at;
        let value = self.value(numbers)?;
        Ok(Field { name: name.to_owned(), value, span: start..self.at })
    }

    fn value(&mut self, numbers: bool) -> Result<Nested<Leaf>, WeightSourceError> {
        if !self.take("[") {
            return Ok(Nested::Leaf(self.leaf(numbers)?));
        }
        let mut values = Vec::new();
        while !self.take("]") {
            values.push(self.value(numbers)?);
            if !self.take(",") {
                self.expect("]", "',' or ']'")?;
                break;
            }
        }
        Ok(Nested::Array(values))
    }

    fn leaf(&mut self, numbers: bool) -> Result<Leaf, WeightSourceError> {
        if numbers {
            return Ok(Leaf::Number(self.number()?));
        }
        if self.take("s(") {
            let mg = self.number()?;
            self.expect(",", "',' between the numbers of a pair")?;
            let eg = self.number()?;
            self.expect(")", "')' after a pair")?;
            return Ok(Leaf::Pair(mg, eg));
        }
        let wrong = self.wrong("s(…, …), O or a path");
        match self.word(|c| c == '_' || c == ':' || c.is_ascii_alphanumeric()) {
            "" => Err(wrong),
            "O" => Ok(Leaf::Nothing),
            path => Ok(Leaf::Elsewhere(path.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::eval::classical::pair::Pair;
    use lento::eval::classical::weights::{DANGER, INITIATIVE, WEIGHTS as LINEAR};
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn find<T: Clone>(fields: &[(String, Vec<T>)], name: &str) -> Vec<T> {
        fields.iter().find(|(field, _)| field == name).map(|(_, values)| values.clone()).unwrap()
    }

    #[test]
    fn the_source_is_understood() {
        let numbers = WeightSource::built_in().numbers().unwrap();
        let both = |pairs: &[Pair]| pairs.iter().map(|pair| [pair.mg(), pair.eg()]).collect::<Vec<_>>();
        assert_eq!(find(&numbers.linear, "material"), both(&LINEAR.material));
        assert_eq!(find(&numbers.linear, "queen_mobility"), both(&LINEAR.queen_mobility));
        assert_eq!(find(&numbers.linear, "storm"), both(LINEAR.storm.as_flattened()));
        assert_eq!(find(&numbers.linear, "squares.king"), both(&LINEAR.squares[5]));
        assert_eq!(numbers.linear.last().unwrap(), &("tempo".to_owned(), both(&[LINEAR.tempo])));
        let count: usize = numbers.linear.iter().map(|(_, pairs)| pairs.len()).sum();
        assert_eq!(count, size_of_val(&LINEAR) / size_of::<Pair>());
        assert_eq!(find(&numbers.danger, "safe_check"), DANGER.safe_check);
        assert_eq!(find(&numbers.initiative, "base"), [INITIATIVE.base]);
        let count = |fields: &[(String, Vec<i32>)]| fields.iter().map(|(_, values)| values.len()).sum::<usize>();
        assert_eq!(count(&numbers.danger), size_of_val(&DANGER) / 4);
        assert_eq!(count(&numbers.initiative), size_of_val(&INITIATIVE) / 4);
    }

    #[test]
    fn the_same_numbers_give_the_same_text() {
        let source = WeightSource::built_in();
        assert_eq!(source.with(&source.numbers().unwrap()).unwrap(), source);
    }

    /// Other values of up to this size.
    fn scrambled(numbers: &Numbers, size: i32, random: &mut fastrand::Rng) -> Numbers {
        let mut numbers = numbers.clone();
        for (_, pairs) in &mut numbers.linear {
            pairs.iter_mut().flatten().for_each(|value| *value = random.i32(-size..=size));
        }
        for (_, values) in numbers.danger.iter_mut().chain(&mut numbers.initiative) {
            values.iter_mut().for_each(|value| *value = random.i32(-size..=size));
        }
        numbers
    }

    /// What rustfmt makes of a text; nothing where there is no rustfmt.
    fn formatted(text: &str) -> Option<String> {
        let config = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2024", "--config-path", config])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(text.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        output.status.success().then(|| String::from_utf8(output.stdout).ok())?
    }

    #[test]
    fn new_numbers_are_found_again_and_formatted_as_rustfmt_does() {
        let source = WeightSource::built_in();
        let start = source.numbers().unwrap();
        let mut random = fastrand::Rng::with_seed(5);
        for size in [3, 30, 99, 300, 3000] {
            let numbers = scrambled(&start, size, &mut random);
            let new = source.with(&numbers).unwrap();
            assert_eq!(new.numbers().unwrap(), numbers, "{size}");
            for text in [&new.weights, &new.squares] {
                let Some(formatted) = formatted(text) else { continue };
                for (ours, theirs) in text.lines().zip(formatted.lines()) {
                    assert_eq!(ours, theirs, "{size}");
                }
            }
            let words =
                |text: &str| text.lines().filter(|line| line.contains("//")).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&new.weights), words(&source.weights), "comments stay");
        }
    }

    #[test]
    fn other_text_is_refused() {
        let mut source = WeightSource::built_in();
        source.weights = source.weights.replace("tempo: s(", "tempo: s(1; ");
        let error = source.numbers().unwrap_err().to_string();
        assert!(error.contains("\"; ") && error.contains("expected ','"), "{error}");
        source.weights = "fn main() {}".to_owned();
        assert!(source.numbers().unwrap_err().to_string().contains("declaration"));
    }
}
