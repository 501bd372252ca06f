//! Nested arrays, laid out as rustfmt does it: in one line if that fits, else one element to a line. (Plain numbers that
//! need more than one line would share lines, but no table has so many.)

/// The longest line (`max_width` in rustfmt.toml).
const WIDTH: usize = 120;
/// One step of indentation.
const STEP: usize = 4;

/// A number, pair or name, or an array of such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nested<Leaf> {
    /// One that is no array.
    Leaf(Leaf),
    /// An array.
    Array(Vec<Self>),
}

impl<Leaf> Nested<Leaf> {
    /// Every leaf, in order.
    pub fn leaves(&self) -> Vec<&Leaf> {
        match self {
            Self::Leaf(leaf) => vec![leaf],
            Self::Array(values) => values.iter().flat_map(Self::leaves).collect(),
        }
    }

    /// The same with other leaves, which are made in order.
    pub fn map<Other>(&self, make: &mut impl FnMut(&Leaf) -> Other) -> Nested<Other> {
        match self {
            Self::Leaf(leaf) => Nested::Leaf(make(leaf)),
            Self::Array(values) => Nested::Array(values.iter().map(|value| value.map(make)).collect()),
        }
    }
}

impl<Leaf: ToString> Nested<Leaf> {
    /// The text of a value that begins at `column` of a line indented by `indent`, with one character after it.
    pub fn arrange(&self, indent: usize, column: usize) -> String {
        let line = self.line();
        let Self::Array(values) = self else { return line };
        if column + line.len() < WIDTH {
            return line;
        }
        let inner = indent + STEP;
        let element = |value: &Self| format!("{}{},\n", " ".repeat(inner), value.arrange(inner, inner));
        let body: String = values.iter().map(element).collect();
        format!("[\n{body}{}]", " ".repeat(indent))
    }

    /// All in one line.
    fn line(&self) -> String {
        match self {
            Self::Leaf(leaf) => leaf.to_string(),
            Self::Array(values) => format!("[{}]", values.iter().map(Self::line).collect::<Vec<_>>().join(", ")),
        }
    }
}
