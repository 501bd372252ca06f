//! An analysis as JSON.

use super::analyse::Found;
use crate::chess::{Board, Move};
use crate::eval::wdl;
use crate::score::{Bound, mate_distance};
use crate::search::report::{Info, nps};
use serde_json::{Value, json};

/// What `--json` prints, for the help.
pub const SCHEMA: &str = "\
With --json one document is printed when the search has ended:
  fen, threads, hash_mib  what was searched, and with what
  iterations              every line of play that was told, in order
  lines                   the lines behind the best move, best first
  best, ponder            {san, uci}, or null when there is no such move
  nodes, nps, time_ms     totals
Each line of play in iterations and lines has:
  depth, seldepth         plies
  multipv                 rank of the line, from 1
  score                   {cp}, centipawns from the view of the side to move,
                          100 for a chance of 50 % to win, or {mate}, moves
                          to mate, negative when mated
  wdl                     chances to win, draw and lose, per mille
  bound                   exact, lower or upper
  nodes, nps, time_ms     so far
  hashfull                use of the hash table, per mille
  pv, san                 the moves, in UCI and in SAN";

/// The search, apart from its result.
pub struct Search<'a> {
    /// The position.
    pub root: &'a Board,
    /// Castling as the king taking its rook.
    pub chess960: bool,
    /// Threads.
    pub threads: usize,
    /// Hash table in MiB.
    pub hash_mib: usize,
    /// Everything that was told, in order.
    pub told: &'a [Info],
}

impl Search<'_> {
    /// The document.
    pub fn document(&self, found: &Found) -> Value {
        let outcome = &found.outcome;
        let lines = |infos: &[Info]| infos.iter().map(|info| self.line(info)).collect::<Vec<_>>();
        let ponder = outcome.best.zip(outcome.ponder).map(|(best, ponder)| self.named(&self.root.after(best), ponder));
        json!({
            "fen": self.root.fen(self.chess960),
            "threads": self.threads,
            "hash_mib": self.hash_mib,
            "iterations": lines(self.told),
            "lines": lines(&outcome.lines),
            "best": outcome.best.map(|best| self.named(self.root, best)),
            "ponder": ponder,
            "nodes": found.nodes(),
            "nps": nps(found.nodes(), found.elapsed),
            "time_ms": found.elapsed.as_millis() as u64,
        })
    }

    fn named(&self, board: &Board, mv: Move) -> Value {
        json!({ "san": board.san(mv), "uci": board.uci(mv, self.chess960) })
    }

    fn line(&self, info: &Info) -> Value {
        let mut board = self.root.clone();
        let (mut uci, mut san) = (Vec::new(), Vec::new());
        for &mv in &info.pv {
            uci.push(board.uci(mv, self.chess960));
            san.push(board.san(mv));
            board = board.after(mv);
        }
        let material = wdl::material(self.root);
        let score = match mate_distance(info.score) {
            Some(moves) => json!({ "mate": moves }),
            None => json!({ "cp": wdl::normalise(info.score, material) }),
        };
        let bound = match info.bound {
            Bound::Exact => "exact",
            Bound::Lower => "lower",
            Bound::Upper => "upper",
        };
        json!({
            "depth": info.depth,
            "seldepth": info.seldepth,
            "multipv": info.multipv,
            "score": score,
            "wdl": wdl::wdl(info.score, material),
            "bound": bound,
            "nodes": info.nodes,
            "nps": nps(info.nodes, info.elapsed),
            "hashfull": info.hashfull,
            "time_ms": info.elapsed.as_millis() as u64,
            "pv": uci,
            "san": san,
        })
    }
}
