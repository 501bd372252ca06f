//! How a rank introduces itself to rank 0, and what both must have in common.

use crate::wire::Reader;
use lento::eval::nnue;
use lento::internals::{processors, version};

/// The number of the messages' format. A change of the messages raises it.
const PROTOCOL: u64 = 1;

/// What a rank is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    pub protocol: u64,
    /// CPUs that it may use.
    pub cpus: u64,
    /// The fingerprint of its built-in network.
    pub network: u64,
    pub host: String,
    pub version: String,
    pub commit: String,
    /// The instruction set of its evaluation.
    pub instructions: String,
}

impl Hello {
    /// That of this process.
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

    /// Of another protocol only the number is read.
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

    /// Why a rank cannot take part in a search of this one. `sent` is whether rank 0 has sent its network.
    pub fn refusal(&self, other: &Self, sent: bool) -> Option<String> {
        if self.protocol != other.protocol {
            let (own, other) = (self.protocol, other.protocol);
            Some(format!("its messages are of version {other}, those of rank 0 of version {own}"))
        } else if self.version != other.version {
            Some(format!("it is Lento {}, rank 0 is Lento {}", other.build(), self.build()))
        } else if self.network != other.network && !sent {
            let (own, other) = (self.network, other.network);
            Some(format!(
                "its built-in network is {other:016x}, that of rank 0 {own:016x}; a network by EvalFile is sent to all"
            ))
        } else {
            None
        }
    }

    /// What differs without harm, for the user.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let differs = self.version == other.version && self.commit != other.commit;
        differs.then(|| format!("it is Lento {}, rank 0 is Lento {}", other.build(), self.build()))
    }

    fn build(&self) -> String {
        format!("{} ({})", self.version, self.commit)
    }

    /// Version, network and instructions.
    pub fn describe(&self) -> String {
        format!("{}, network {:016x}, {}", self.build(), self.network, self.instructions)
    }

    /// Host and CPUs of a rank, and what differs from this one.
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
    fn is_read_as_written() {
        let own = Hello::own("one");
        assert_eq!(Hello::from_bytes(&own.to_bytes()), Some(own.clone()));
        let later = Hello { protocol: PROTOCOL + 1, ..own.clone() };
        let read = Hello::from_bytes(&later.to_bytes()).expect("a protocol");
        assert_eq!((read.protocol, read.host.as_str()), (PROTOCOL + 1, ""));
        assert_eq!(Hello::from_bytes(&own.to_bytes()[..30]), None);
    }

    #[test]
    fn only_what_fits_together_is_accepted() {
        let own = Hello::own("one");
        let refusal = |other: &Hello, sent| own.refusal(other, sent).unwrap_or_default();
        assert_eq!(own.refusal(&own, false).or(own.difference(&own)), None);
        assert!(refusal(&Hello { protocol: 9, ..own.clone() }, true).contains("messages are of version 9"));
        assert!(refusal(&Hello { version: "0.0.9".into(), ..own.clone() }, true).contains("it is Lento 0.0.9 ("));
        let network = Hello { network: 0xab, ..own.clone() };
        assert!(refusal(&network, false).contains("network is 00000000000000ab, that of rank 0 "));
        assert_eq!(own.refusal(&network, true), None);
        let commit = Hello { commit: "abcdef0, 2026-01-01".into(), ..own.clone() };
        assert_eq!(own.refusal(&commit, false), None);
        assert!(own.difference(&commit).is_some_and(|text| text.contains("(abcdef0, 2026-01-01), rank 0 is Lento ")));
    }
}
