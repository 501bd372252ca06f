//! How user interfaces parse engine output, according to their sources or authors.
//!
//! Requirements common to all are checked for every line; an [`Interface`] holds the differences. Uses the standard library only,
//! since a unit test of the formats includes this file as well.

/// How an interface stores a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Exact,
    /// As a double, exact up to 2^53.
    Double,
    /// In 32 bits, with wraparound.
    Wraps,
    /// As 0 from 2^31 up.
    Zero,
    /// From 2^31 up, the whole line is dropped.
    LosesLine,
}

impl Kept {
    /// The number shown, or `None` if the line is dropped.
    pub fn keep(self, number: u64) -> Option<u64> {
        let is_small = i32::try_from(number).is_ok();
        match self {
            Self::Exact => Some(number),
            Self::Double => Some(number as f64 as u64),
            Self::Wraps => Some(number & u64::from(u32::MAX)),
            Self::Zero => Some(if is_small { number } else { 0 }),
            Self::LosesLine => is_small.then_some(number),
        }
    }
}

pub struct Interface {
    pub name: &'static str,
    pub nodes: Kept,
    pub nps: Kept,
    pub time: Kept,
    /// Whether an option is hidden from the user.
    hides: fn(&str) -> bool,
    /// Whether a PV line is used.
    uses: fn(&Info) -> bool,
    /// Prefix of messages shown to the user.
    pub shows: &'static str,
}

/// Parses and shows everything.
const PLAIN: Interface = Interface {
    name: "",
    nodes: Kept::Exact,
    nps: Kept::Exact,
    time: Kept::Exact,
    hides: |_| false,
    uses: |_| true,
    shows: "info string ",
};

fn is_hidden(name: &str) -> bool {
    name.starts_with("UCI_") && !["UCI_LimitStrength", "UCI_Elo"].contains(&name)
}

pub const INTERFACES: [Interface; 9] = [
    Interface { name: "Arena", ..PLAIN },
    Interface { name: "Cute Chess", hides: is_hidden, time: Kept::Zero, shows: "no message", ..PLAIN },
    Interface { name: "En Croissant", nodes: Kept::Wraps, shows: "no message", ..PLAIN },
    Interface {
        name: "Nibbler",
        nodes: Kept::Double,
        uses: |info| !info.is_bound && !info.pv.is_empty(),
        shows: "info string ERROR",
        ..PLAIN
    },
    Interface { name: "Scid", uses: |info| !info.pv.is_empty(), ..PLAIN },
    Interface { name: "DroidFish", hides: is_hidden, nps: Kept::LosesLine, time: Kept::LosesLine, ..PLAIN },
    Interface { name: "ChessBase", ..PLAIN },
    Interface { name: "Lichess external engine", uses: |info| info.has_score, shows: "no message", ..PLAIN },
    Interface { name: "Lichess bot", ..PLAIN },
];

/// A parsed `info` line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pub nodes: u64,
    pub nps: u64,
    pub time: u64,
    pub has_score: bool,
    pub is_bound: bool,
    pub pv: Vec<String>,
}

/// What an interface makes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Ignored, or not shown to the user.
    Nothing,
    /// An option offered to the user.
    Option(String),
    Info(Info),
    /// A message shown to the user.
    Message,
    /// `uciok`, `readyok` or `bestmove`.
    Answer,
}

impl Interface {
    /// Parses a line; fails on lines that no interface can read.
    pub fn read(&self, line: &str) -> Result<Seen, String> {
        let words: Vec<&str> = line.split(' ').collect();
        if words.iter().any(|word| word.is_empty()) && !line.starts_with("info string ") {
            return Err(format!("an empty line or extra space: {line:?}"));
        }
        let seen = match words[..] {
            ["uciok"] | ["readyok"] => Ok(Seen::Answer),
            ["id", "name" | "author", _, ..] => Ok(Seen::Nothing),
            ["bestmove", best] if is_move(best) => Ok(Seen::Answer),
            ["bestmove", best, "ponder", reply] if is_move(best) && is_move(reply) => Ok(Seen::Answer),
            ["option", ref rest @ ..] => {
                option(rest).map(|name| if (self.hides)(&name) { Seen::Nothing } else { Seen::Option(name) })
            }
            ["info", "string", _, ..] if line.starts_with(self.shows) => Ok(Seen::Message),
            ["info", "string", _, ..] => Ok(Seen::Nothing),
            ["info", ref rest @ ..] => info(rest).map(|info| self.keep(info)),
            _ => Err("not a line of the protocol".into()),
        };
        seen.map_err(|why| format!("{why}: {line:?}"))
    }

    fn keep(&self, info: Info) -> Seen {
        let kept = |kept: Kept, number| kept.keep(number);
        match (kept(self.nodes, info.nodes), kept(self.nps, info.nps), kept(self.time, info.time)) {
            (Some(nodes), Some(nps), Some(time)) if (self.uses)(&info) => Seen::Info(Info { nodes, nps, time, ..info }),
            _ => Seen::Nothing,
        }
    }
}

fn is_move(text: &str) -> bool {
    let bytes = text.as_bytes();
    let square = |at: usize| (b'a'..=b'h').contains(&bytes[at]) && (b'1'..=b'8').contains(&bytes[at + 1]);
    text == "0000"
        || (bytes.len() == 4 || bytes.len() == 5 && b"nbrq".contains(&bytes[4]))
            && text.is_ascii()
            && square(0)
            && square(2)
}

/// Parses the words after `info`; every key must have a value.
fn info(words: &[&str]) -> Result<Info, String> {
    let mut info = Info::default();
    let mut words = words.iter();
    while let Some(&key) = words.next() {
        let mut number = || {
            let word = words.next().ok_or_else(|| format!("nothing after {key}"))?;
            word.parse::<i64>().map_err(|_| format!("{word} after {key}"))
        };
        match key {
            "depth" | "seldepth" | "multipv" | "hashfull" | "tbhits" | "currmovenumber" => _ = number()?,
            "nodes" => info.nodes = number()? as u64,
            "nps" => info.nps = number()? as u64,
            "time" => info.time = number()? as u64,
            "cp" | "mate" => _ = number()?,
            "score" => info.has_score = true,
            "lowerbound" | "upperbound" => info.is_bound = true,
            "wdl" => return Err("wdl without the option".into()),
            "currmove" => _ = words.next().filter(|text| is_move(text)).ok_or("currmove without a move")?,
            "pv" => {
                info.pv = words.by_ref().map(|&text| text.to_owned()).collect();
                if info.pv.is_empty() || !info.pv.iter().all(|text| is_move(text)) {
                    return Err("a pv with an invalid move".into());
                }
            }
            _ => return Err(format!("unknown key {key}")),
        }
    }
    Ok(info)
}

/// Parses the words after `option`; returns the name.
fn option(words: &[&str]) -> Result<String, String> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for &word in words {
        match fields.last_mut() {
            _ if ["name", "type", "default", "min", "max", "var"].contains(&word) => fields.push((word, String::new())),
            Some((_, text)) => *text += &if text.is_empty() { word.to_owned() } else { format!(" {word}") },
            None => return Err("an option without a name".into()),
        }
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(key, text)| (*key, text.as_str())).collect();
    let number = |text: &str| text.parse::<i32>().map_err(|_| format!("{text} is not a 32-bit integer"));
    match fields[..] {
        _ if fields.iter().any(|(_, text)| text.is_empty()) => Err("a key without a value".into()),
        [("name", name), ("type", "button")] => Ok(name.into()),
        [("name", name), ("type", "string"), ("default", _)] => Ok(name.into()),
        [("name", name), ("type", "check"), ("default", "true" | "false")] => Ok(name.into()),
        [("name", name), ("type", "spin"), ("default", default), ("min", min), ("max", max)]
            if (number(min)?..=number(max)?).contains(&number(default)?) =>
        {
            Ok(name.into())
        }
        [("name", name), ("type", "combo"), ("default", _), ref choices @ ..]
            if choices.iter().all(|(key, _)| *key == "var") && choices.contains(&("var", fields[2].1)) =>
        {
            Ok(name.into())
        }
        _ => Err("a malformed option".into()),
    }
}
