//! Checks the answers.

use super::model::{Model, Search};

/// Maximum length of a line, in bytes.
const MAX_LENGTH: usize = 20_000;

/// Counts of answers so far.
#[derive(Default)]
pub struct Checker {
    pub best_moves: usize,
    pub readyoks: usize,
    uciok: usize,
    displays: usize,
    pub infos: usize,
    /// Info lines of the current search.
    latest: usize,
}

impl Checker {
    /// Checks a line of output.
    pub fn check(&mut self, line: &str, model: &Model) -> Result<(), String> {
        if line.len() > MAX_LENGTH || line.chars().any(char::is_control) {
            return Err(format!("overlong or unprintable line: {:?}", line.chars().take(200).collect::<String>()));
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["readyok"] => self.readyoks += 1,
            ["uciok"] => self.uciok += 1,
            ["Fen:", ..] => self.display(&line["Fen: ".len()..], model)?,
            ["bestmove", ..] | ["threat", _] => self.best_move(&words, line, model)?,
            ["info", "depth", ..] => self.info(&words, line, model)?,
            _ => {}
        }
        Ok(())
    }

    /// Checks that everything requested was answered.
    pub fn conclude(&self, model: &Model) -> Result<(), String> {
        let counts = [
            ("bestmove or threat", self.best_moves, model.searches.len()),
            ("readyok", self.readyoks, model.readyoks),
            ("uciok", self.uciok, model.uciok),
            ("Fen:", self.displays, model.displays.len()),
        ];
        match counts.into_iter().find(|(_, found, expected)| found != expected) {
            None => Ok(()),
            Some((what, found, expected)) => Err(format!("{found} lines with {what} in total, expected {expected}")),
        }
    }

    fn display(&mut self, fen: &str, model: &Model) -> Result<(), String> {
        let expected = model.displays.get(self.displays).ok_or("a board without `d`")?;
        self.displays += 1;
        if fen == expected { Ok(()) } else { Err(format!("the board shows {fen}, expected {expected}")) }
    }

    fn best_move(&mut self, words: &[&str], line: &str, model: &Model) -> Result<(), String> {
        let search = model.searches.get(self.best_moves).ok_or_else(|| format!("{line:?} without a go"))?;
        self.best_moves += 1;
        let infos = std::mem::take(&mut self.latest);
        let fen = search.root.fen(true);
        let (best, ponder) = match *words {
            [_, best] => (best, None),
            [_, best, "ponder", ponder] => (best, Some(ponder)),
            _ => return Err(format!("malformed: {line:?}")),
        };
        if words[0] != search.answer {
            return Err(format!("{line:?}, expected {}", search.answer));
        }
        if best == "0000" {
            if search.answer == "bestmove" && infos != 1 {
                return Err(format!("{infos} info lines without a legal move in {fen}, expected one"));
            }
            return if search.legal.is_empty() && ponder.is_none() { Ok(()) } else { Err(format!("no move in {fen}")) };
        }
        if !search.legal.iter().any(|legal| legal == best) {
            return Err(format!("{best} in {fen}, expected one of {}", search.legal.join(" ")));
        }
        match ponder {
            None => Ok(()),
            Some(ponder) => check_pv(search, &[best, ponder]),
        }
    }

    fn info(&mut self, words: &[&str], line: &str, model: &Model) -> Result<(), String> {
        let search = model.searches.get(self.best_moves).ok_or_else(|| format!("{line:?} without a go"))?;
        self.infos += 1;
        self.latest += 1;
        let nodes =
            words.iter().skip_while(|&&word| word != "nodes").nth(1).and_then(|nodes| nodes.parse::<u64>().ok());
        if let (Some(nodes), Some(limit)) = (nodes, search.nodes)
            && nodes > limit.max(1)
        {
            return Err(format!("more than {limit} nodes: {line:?}"));
        }
        match words.iter().position(|&word| word == "pv") {
            None => Ok(()),
            Some(index) => check_pv(search, &words[index + 1..]),
        }
    }
}

/// Checks that a PV is legal.
fn check_pv(search: &Search, moves: &[&str]) -> Result<(), String> {
    let Some(mut board) = search.cozy.clone() else { return Ok(()) };
    for (index, text) in moves.iter().enumerate() {
        if !board.play(text, search.chess960) {
            let line = moves.join(" ");
            return Err(format!("move {} of {line} is not legal after {}", index + 1, search.root.fen(true)));
        }
    }
    Ok(())
}
