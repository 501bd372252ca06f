//! What a game has given, as a line of the journal.

use crate::formats::packed::{self, RECORD};
use serde_json::{Value, json};

/// The positions of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crop {
    /// The game's number.
    pub number: u64,
    /// Its positions.
    pub records: Vec<[u8; RECORD]>,
    /// Nodes searched for it all.
    pub nodes: u64,
}

impl Crop {
    /// For the journal: the positions as one text of hexadecimal digits.
    pub fn to_json(&self) -> Value {
        let digits: String = self.records.iter().flatten().map(|byte| format!("{byte:02x}")).collect();
        json!({"game": self.number, "nodes": self.nodes, "positions": digits})
    }

    /// What [`to_json`](Self::to_json) has written; `None` when it is something else.
    pub fn from_json(value: &Value) -> Option<Self> {
        let digits = value["positions"].as_str()?.as_bytes();
        let (pairs, []) = digits.as_chunks::<2>() else { return None };
        let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>()?;
        let (records, []) = bytes.as_chunks::<RECORD>() else { return None };
        records.iter().try_for_each(|record| packed::from_bytes(record).map(drop)).ok()?;
        Some(Self { number: value["game"].as_u64()?, nodes: value["nodes"].as_u64()?, records: records.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_crop_comes_back() {
        let records = sample::positions(1, 5).iter().take(4).map(packed::to_bytes).collect();
        let crop = Crop { number: 7, records, nodes: 50_123 };
        assert_eq!(Crop::from_json(&crop.to_json()), Some(crop.clone()));
        assert_eq!(Crop::from_json(&Crop::default().to_json()), Some(Crop::default()));
        let whole = crop.to_json()["positions"].as_str().unwrap().to_owned();
        for positions in [&whole[1..], &whole[2..], &whole.replacen('0', "x", 1), &"ff".repeat(RECORD)] {
            let mut broken = crop.to_json();
            broken["positions"] = positions.into();
            assert_eq!(Crop::from_json(&broken), None, "{positions}");
        }
    }
}
