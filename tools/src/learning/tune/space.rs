//! What is tuned: every weight of the evaluation, in one row of numbers.
//!
//! A weight has an index: first the linear weights in the order of their structure, then king danger, then initiative. A
//! linear weight has two values, middlegame and endgame, the others one; the values lie in the same order.

use super::source::{Numbers, WeightSource, WeightSourceError};
use lento::eval::classical::Pair;
use lento::eval::classical::weights::{DANGER, Danger, INITIATIVE, Initiative, WEIGHTS, Weights};
use std::mem::offset_of;
use std::ops::Range;

/// How many linear weights there are.
pub const LINEAR: usize = size_of::<Weights>() / size_of::<Pair>();
/// How many weights of king danger.
pub const DANGERS: usize = size_of::<Danger>() / size_of::<i32>();
/// How many weights of the initiative.
pub const INITIATIVES: usize = size_of::<Initiative>() / size_of::<i32>();
/// How many weights together.
pub const WEIGHT_COUNT: usize = LINEAR + DANGERS + INITIATIVES;
/// How many values together.
pub const VALUE_COUNT: usize = WEIGHT_COUNT + LINEAR;

/// The linear weights that make up a king's shelter, which is also a part of its danger.
pub const SHELTER: Range<usize> =
    offset_of!(Weights, shelter) / size_of::<Pair>()..offset_of!(Weights, threat_by_pawn) / size_of::<Pair>();
/// Among the weights of king danger: that of the shelter.
pub const DANGER_OF_SHELTER: usize = offset_of!(Danger, shelter) / size_of::<i32>();

/// How far apart two places in memory are, in elements.
fn distance<T, U>(element: &T, table: &U) -> usize {
    (std::ptr::from_ref(element).addr() - std::ptr::from_ref(table).addr()) / size_of::<T>()
}

/// The index of a linear weight.
#[inline]
pub fn linear_index(weight: &'static Pair) -> usize {
    distance(weight, &WEIGHTS)
}

/// The place of a weight among those of king danger.
#[inline]
pub fn danger_index(weight: &'static i32) -> usize {
    distance(weight, &DANGER)
}

/// The place of a weight among those of the initiative.
#[inline]
pub fn initiative_index(weight: &'static i32) -> usize {
    distance(weight, &INITIATIVE)
}

/// Where the values of a weight lie.
pub fn values_of(weight: usize) -> Range<usize> {
    if weight < LINEAR { 2 * weight..2 * weight + 2 } else { LINEAR + weight..LINEAR + weight + 1 }
}

/// A field of the structures: one weight or a table of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The field's name; `danger.` or `initiative.` before it where it is no linear weight.
    pub name: String,
    /// Its weights.
    pub weights: Range<usize>,
}

impl Group {
    /// The name of one of its weights, for people.
    pub fn weight_name(&self, weight: usize) -> String {
        const KINDS: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];
        let index = weight - self.weights.start;
        let field = self.name.rsplit('.').next().unwrap_or_default();
        match field {
            _ if self.weights.len() == 1 => self.name.clone(),
            _ if self.name.starts_with("squares.") => {
                format!("{}.{}{}", self.name, (b'a' + (index % 4) as u8) as char, index / 4 + 1)
            }
            "material" | "threat_by_minor" | "threat_by_rook" | "attacker" | "safe_check" => {
                format!("{}[{}]", self.name, KINDS[index])
            }
            "shelter" | "storm" => format!("{}[{}][{}]", self.name, index / 8, index % 8),
            _ => format!("{}[{index}]", self.name),
        }
    }
}

/// The weights by name, and their values in the source.
#[derive(Clone, Debug)]
pub struct Space {
    /// All fields, in order.
    pub groups: Vec<Group>,
    /// The values in the source.
    pub start: Vec<f64>,
}

impl Space {
    /// The weights of the evaluation that this program was built with.
    ///
    /// # Errors
    /// The source is not laid out as expected.
    pub fn built_in() -> Result<Self, WeightSourceError> {
        WeightSource::built_in().numbers().map(|numbers| Self::of(&numbers))
    }

    fn of(numbers: &Numbers) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut add = |name: String, count: usize| {
            let start = groups.last().map_or(0, |group| group.weights.end);
            groups.push(Group { name, weights: start..start + count });
        };
        let mut start = Vec::with_capacity(VALUE_COUNT);
        for (name, pairs) in &numbers.linear {
            add(name.clone(), pairs.len());
            start.extend(pairs.iter().flatten().map(|&value| f64::from(value)));
        }
        for (part, fields) in [("danger", &numbers.danger), ("initiative", &numbers.initiative)] {
            for (name, values) in fields {
                add(format!("{part}.{name}"), values.len());
                start.extend(values.iter().map(|&value| f64::from(value)));
            }
        }
        Self { groups, start }
    }

    /// Values rounded, by field, as the source has them.
    pub fn numbers(&self, values: &[f64]) -> Numbers {
        let mut numbers = Numbers::default();
        let rounded = |weight: usize| values[values_of(weight)].iter().map(|value| value.round() as i32);
        for group in &self.groups {
            let all = || group.weights.clone().flat_map(rounded);
            if let Some(name) = group.name.strip_prefix("danger.") {
                numbers.danger.push((name.to_owned(), all().collect()));
            } else if let Some(name) = group.name.strip_prefix("initiative.") {
                numbers.initiative.push((name.to_owned(), all().collect()));
            } else {
                let flat: Vec<i32> = all().collect();
                let pairs = flat.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
                numbers.linear.push((group.name.clone(), pairs));
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_indices_and_values_belong_together() {
        let space = Space::built_in().unwrap();
        assert_eq!(space.start.len(), VALUE_COUNT);
        assert_eq!(space.groups.last().unwrap().weights.end, WEIGHT_COUNT);
        let w = &WEIGHTS;
        for (name, index, value) in [
            ("material[rook]", linear_index(&w.material[3]), w.material[3]),
            ("squares.knight.b1", linear_index(&w.squares[1][1]), w.squares[1][1]),
            ("squares.king.d8", linear_index(&w.squares[5][31]), w.squares[5][31]),
            ("passed[6]", linear_index(&w.passed[6]), w.passed[6]),
            ("storm[2][3]", linear_index(&w.storm[2][3]), w.storm[2][3]),
            ("tempo", linear_index(&w.tempo), w.tempo),
        ] {
            let group = space.groups.iter().find(|group| group.weights.contains(&index)).unwrap();
            assert_eq!(group.weight_name(index), name);
            assert_eq!(space.start[values_of(index)], [value.mg(), value.eg()].map(f64::from), "{name}");
        }
        let hit = LINEAR + danger_index(&DANGER.hit);
        assert_eq!(space.start[values_of(hit)], [f64::from(DANGER.hit)]);
        let base = LINEAR + DANGERS + initiative_index(&INITIATIVE.base);
        assert_eq!(space.start[values_of(base)], [f64::from(INITIATIVE.base)]);
        assert!(SHELTER.contains(&linear_index(&w.shelter[0][0])) && SHELTER.contains(&linear_index(&w.king_to_pawn)));
        assert!(!SHELTER.contains(&linear_index(&w.threat_by_pawn)));
        assert_eq!(space.numbers(&space.start), WeightSource::built_in().numbers().unwrap());
    }
}
