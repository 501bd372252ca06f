//! Description that a rank sends to rank 0 when it joins, and the compatibility check.

use crate::wire::Reader;
use lento::eval::nnue;
use lento::internals::{processors, version};

/// Version of the message format; raise it when a message changes.
const PROTOCOL: u64 = 1;

/// Description of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankInfo {
    pub protocol: u64,
    /// Usable CPUs.
    pub cpus: u64,
    /// Fingerprint of the built-in network.
    pub network: u64,
    pub host: String,
    pub version: String,
    pub commit: String,
    /// Instruction set of the evaluation.
    pub instructions: String,
}

impl RankInfo {
    /// Describes this process.
    pub fn own(host: &str) -> Self {
        Self {
            protocol: PROTOCOL,
            cpus: processors::count() as u64,
            network: nnue::embedded().fingerprint(),
            host: host.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: version::COMMIT.into(),
            instructions: version::runs().into(),
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = [self.protocol, self.cpus, self.network];
        let mut bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend([&*self.host, &self.version, &self.commit, &self.instructions].join("\n").bytes());
        bytes
    }

    /// Of another protocol only the version is read.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader(bytes);
        let protocol = reader.u64()?;
        if protocol != PROTOCOL {
            return Some(Self { protocol, ..Self::default() });
        }
        let (cpus, network) = (reader.u64()?, reader.u64()?);
        let text = String::from_utf8_lossy(reader.0);
        let mut words = text.split('\n').map(str::to_owned);
        let mut word = || words.next();
        let (host, version, commit, instructions) = (word()?, word()?, word()?, word()?);
        Some(Self { protocol, cpus, network, host, version, commit, instructions })
    }

    /// Why a rank cannot take part. `sent` is whether rank 0 has sent its network.
    pub fn refusal(&self, other: &Self, sent: bool) -> Option<String> {
        if self.protocol != other.protocol {
            let (own, other) = (self.protocol, other.protocol);
            Some(format!("it uses message format {other}, rank 0 uses {own}"))
        } else if self.version != other.version {
            Some(format!("it runs Lento {}, rank 0 runs Lento {}", other.build(), self.build()))
        } else if self.network != other.network && !sent {
            let (own, other) = (self.network, other.network);
            Some(format!(
                "its built-in network is {other:016x}, rank 0 has {own:016x}; with EvalFile all ranks use one network"
            ))
        } else {
            None
        }
    }

    /// Harmless differences, for the user.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let differs = self.version == other.version && self.commit != other.commit;
        differs.then(|| format!("it runs Lento {}, rank 0 runs Lento {}", other.build(), self.build()))
    }

    fn build(&self) -> String {
        format!("{} ({})", self.version, self.commit)
    }

    /// Build, network and instruction set.
    pub fn describe(&self) -> String {
        format!("{}, network {:016x}, {}", self.build(), self.network, self.instructions)
    }

    /// CPUs of a rank, and where it differs from this one.
    pub fn describe_other(&self, other: &Self) -> String {
        let mut parts = vec![format!("{} CPUs", other.cpus)];
        if self.build() != other.build() {
            parts.push(other.build());
        }
        if self.network != other.network {
            parts.push(format!("network {:016x}", other.network));
        }
        if self.instructions != other.instructions {
            parts.push(other.instructions.clone());
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let own = RankInfo::own("one");
        assert_eq!(RankInfo::from_bytes(&own.to_bytes()), Some(own.clone()));
        let later = RankInfo { protocol: PROTOCOL + 1, ..own.clone() };
        let read = RankInfo::from_bytes(&later.to_bytes()).expect("a protocol");
        assert_eq!((read.protocol, read.host.as_str()), (PROTOCOL + 1, ""));
        assert_eq!(RankInfo::from_bytes(&own.to_bytes()[..30]), None);
    }

    #[test]
    fn incompatible_ranks_are_refused() {
        let own = RankInfo::own("one");
        let refusal = |other: &RankInfo, sent| own.refusal(other, sent).unwrap_or_default();
        assert_eq!(own.refusal(&own, false).or(own.difference(&own)), None);
        assert!(refusal(&RankInfo { protocol: 9, ..own.clone() }, true).contains("message format 9"));
        assert!(refusal(&RankInfo { version: "0.0.9".into(), ..own.clone() }, true).contains("it runs Lento 0.0.9 ("));
        let network = RankInfo { network: 0xab, ..own.clone() };
        assert!(refusal(&network, false).contains("network is 00000000000000ab, rank 0 has "));
        assert_eq!(own.refusal(&network, true), None);
        let commit = RankInfo { commit: "abcdef0, 2026-01-01".into(), ..own.clone() };
        assert_eq!(own.refusal(&commit, false), None);
        assert!(own.difference(&commit).is_some_and(|text| text.contains("(abcdef0, 2026-01-01), rank 0 runs Lento ")));
    }
}
