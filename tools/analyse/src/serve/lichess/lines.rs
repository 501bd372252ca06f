//! Search results as UCI lines for the broker.

use lento::chess::Board;
use lento::score::Bound;
use lento::search::report::{Info, Outcome};
use lento_uci::format;
use lento_uci::protocol::Protocol;
use std::time::Duration;

/// Maximum moves of a line that the broker forwards.
const MAX_PV: usize = 30;

/// Castling as king takes rook, whatever the variant.
fn protocol() -> Protocol {
    Protocol { chess960: true, ..Protocol::default() }
}

/// The lines of a search with its counters; `None` unless all are exact and have moves.
pub fn infos(board: &Board, lines: &[Info], nodes: u64, elapsed: Duration) -> Option<String> {
    let is_whole = |line: &Info| line.bound == Bound::Exact && !line.pv.is_empty();
    if lines.is_empty() || !lines.iter().all(is_whole) {
        return None;
    }
    let lines = lines.iter().zip(1..).map(|(line, multipv)| {
        let pv = line.pv.iter().copied().take(MAX_PV).collect();
        format::info(board, &Info { multipv, nodes, elapsed, pv, ..line.clone() }, &protocol()) + "\n"
    });
    Some(lines.collect())
}

pub fn best_move(board: &Board, outcome: &Outcome) -> String {
    match outcome.best {
        Some(_) => format::best_move(board, outcome, &protocol()) + "\n",
        None => "bestmove (none)\n".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::score::mated_in;
    use lento_console::setup::Setup;

    #[test]
    fn only_complete_exact_lines_are_sent() {
        let board = Board::start();
        let shuffle = Setup::default().moves(&board, &"Nf3 Nf6 Ng1 Ng8 ".repeat(13)).expect("legal moves");
        let line = |moves: usize, bound: Bound| {
            let pv = shuffle[..moves].iter().copied().collect();
            Info { depth: 7, seldepth: 9, hashfull: 1, bound, pv, ..Info::default() }
        };
        let infos = |lines: &[Info]| infos(&board, lines, 10, Duration::from_secs(2));
        let counters = "nodes 10 nps 5 hashfull 1 tbhits 0 time 2000";
        assert_eq!(
            infos(&[line(2, Bound::Exact), line(2, Bound::Exact)]),
            Some(format!(
                "info depth 7 seldepth 9 multipv 1 score cp 0 {counters} pv g1f3 g8f6\n\
                 info depth 7 seldepth 9 multipv 2 score cp 0 {counters} pv g1f3 g8f6\n"
            ))
        );
        assert_eq!(infos(&[line(2, Bound::Exact), line(2, Bound::Lower)]), None);
        assert_eq!(infos(&[line(2, Bound::Exact), line(0, Bound::Exact)]), None);
        assert_eq!(infos(&[]), None);
        let text = infos(&[Info { score: mated_in(6), ..line(50, Bound::Exact) }]).expect("a line");
        assert_eq!((text.matches("g1f3").count(), text.contains("score mate -3 ")), (8, true));
        assert_eq!(text.split(" pv ").nth(1).map(|moves| moves.split(' ').count()), Some(30));
        assert_eq!(best_move(&board, &Outcome::new(Vec::new())), "bestmove (none)\n");
        let outcome = Outcome::new(vec![line(2, Bound::Exact)]);
        assert_eq!(best_move(&board, &outcome), "bestmove g1f3 ponder g8f6\n");
    }
}
