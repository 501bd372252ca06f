//! Results as lines of a table and as JSON.

use super::parse::Problem;
use super::solve::Solution;
use lento::chess::Move;
use lento::search::report::nps;
use lento::search::score::{Score, mate_distance};
use serde_json::{Value, json};
use std::time::Duration;

/// What stands above the lines.
pub fn header() -> String {
    row(&["id", "expected", "played", "solved", "after", "depth", "score", "nodes", "time"])
}

/// The result of one problem.
pub fn line(problem: &Problem, solution: &Solution) -> String {
    let verdict = if solution.solved { "yes" } else { "no" };
    row(&[
        &problem.id,
        &expected(problem),
        &played(problem, solution),
        verdict,
        &solution.since.map_or_else(|| "-".to_owned(), ms),
        &solution.depth.to_string(),
        &score(solution.score),
        &solution.nodes.to_string(),
        &ms(solution.elapsed),
    ])
}

fn row(cells: &[&str; 9]) -> String {
    let [id, expected, played, solved, after, depth, score, nodes, time] = cells;
    format!("{id:<28} {expected:<20} {played:<8} {solved:<6} {after:>9} {depth:>5} {score:>7} {nodes:>11} {time:>9}")
}

fn ms(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// Pawns with two decimals, or `#3` for a mate in three.
fn score(score: Score) -> String {
    match mate_distance(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

fn san(problem: &Problem, moves: &[Move]) -> String {
    moves.iter().map(|&mv| problem.board.san(mv)).collect::<Vec<_>>().join(" ")
}

/// What solves a problem: `dm 3`, `bm Nf3 e4`, `am Rd1`.
fn expected(problem: &Problem) -> String {
    if let Some(mate) = problem.mate {
        return format!("dm {mate}");
    }
    let named = [("bm", &problem.best), ("am", &problem.avoid)];
    let named = named.into_iter().filter(|(_, moves)| !moves.is_empty());
    named.map(|(code, moves)| format!("{code} {}", san(problem, moves))).collect::<Vec<_>>().join(", ")
}

fn played(problem: &Problem, solution: &Solution) -> String {
    solution.played.map_or_else(|| "-".to_owned(), |mv| problem.board.san(mv))
}

/// Sums over the problems that were searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// How many were searched.
    pub searched: usize,
    /// How many were solved.
    pub solved: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub elapsed: Duration,
}

impl Total {
    /// Adds a result.
    pub fn add(&mut self, solution: &Solution) {
        self.searched += 1;
        self.solved += usize::from(solution.solved);
        self.nodes += solution.nodes;
        self.elapsed += solution.elapsed;
    }

    /// The line below the table; `of` is how many problems there are.
    pub fn line(&self, of: usize) -> String {
        let Self { searched, solved, nodes, elapsed } = *self;
        let rest = if searched < of { format!(" ({} of {of} not searched)", of - searched) } else { String::new() };
        let seconds = elapsed.as_secs_f64();
        format!("{solved} of {searched} solved{rest}, {nodes} nodes, {seconds:.1} s, {} nodes/s", nps(nodes, elapsed))
    }
}

/// A result as JSON.
pub fn json(problem: &Problem, solution: &Solution) -> Value {
    json!({
        "id": problem.id,
        "fen": problem.board.fen(false),
        "expected": expected(problem),
        "played": solution.played.map(|mv| problem.board.san(mv)),
        "solved": solution.solved,
        "solved_after_ms": solution.since.map(|since| since.as_secs_f64() * 1e3),
        "score": score(solution.score),
        "depth": solution.depth,
        "nodes": solution.nodes,
        "time_ms": solution.elapsed.as_secs_f64() * 1e3,
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse::problems;
    use super::*;
    use lento::search::score::{mate_in, mated_in};

    #[test]
    fn cells_say_what_was_expected_and_found() {
        let problem = problems("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8 O-O-O; am Kf2; id \"one\";").unwrap().remove(0);
        assert_eq!(expected(&problem), "bm Ra8+ O-O-O, am Kf2");
        let solution = Solution {
            played: problem.board.parse_san("Ra8"),
            solved: true,
            since: Some(Duration::from_millis(12)),
            score: 512,
            depth: 9,
            nodes: 12_345,
            elapsed: Duration::from_millis(100),
        };
        let line = line(&problem, &solution);
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], "one");
        assert_eq!(words[words.len() - 9..], ["Ra8+", "yes", "12", "ms", "9", "+5.12", "12345", "100", "ms"]);
        let json = json(&problem, &solution);
        assert_eq!((json["played"].as_str(), json["solved_after_ms"].as_f64()), (Some("Ra8+"), Some(12.0)));
        assert_eq!(json["expected"].as_str(), Some("bm Ra8+ O-O-O, am Kf2"));
    }

    #[test]
    fn scores_in_pawns_and_moves() {
        assert_eq!([0, -7, 1234].map(score), ["+0.00", "-0.07", "+12.34"]);
        assert_eq!([mate_in(1), mate_in(5), mated_in(4)].map(score), ["#1", "#3", "#-2"]);
    }

    #[test]
    fn totals_tell_what_was_left_out() {
        let mut total = Total::default();
        for (solved, nodes) in [(true, 1000), (false, 3000)] {
            let (since, elapsed) = (None, Duration::from_millis(500));
            total.add(&Solution { played: None, solved, since, score: 0, depth: 1, nodes, elapsed });
        }
        assert_eq!(total.line(2), "1 of 2 solved, 4000 nodes, 1.0 s, 4000 nodes/s");
        assert_eq!(total.line(5), "1 of 2 solved (3 of 5 not searched), 4000 nodes, 1.0 s, 4000 nodes/s");
    }
}
