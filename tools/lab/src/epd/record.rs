//! Results as records of a journal.

use super::parse::Problem;
use super::solve::Solution;
use serde_json::{Value, json};
use std::time::Duration;

/// A result, with what tells the problem from others.
pub fn write(problem: &Problem, solution: &Solution) -> Value {
    json!({
        "id": problem.id,
        "fen": problem.board.fen(true),
        "played": solution.played.map(|mv| problem.board.uci(mv, true)),
        "since_ns": solution.since.map(nanoseconds),
        "score": solution.score,
        "depth": solution.depth,
        "nodes": solution.nodes,
        "time_ns": nanoseconds(solution.elapsed),
    })
}

/// Half a thousand years fit.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The result that a record holds, if it is one of this problem.
pub fn read(problem: &Problem, record: &Value) -> Option<Solution> {
    if record["id"] != problem.id.as_str() || record["fen"] != problem.board.fen(true).as_str() {
        return None;
    }
    let played = match record["played"].as_str() {
        Some(text) => Some(problem.board.parse_uci(text, true)?),
        None => None,
    };
    let number = |name: &str| record[name].as_i64().and_then(|number| i32::try_from(number).ok());
    let score = number("score")?;
    Some(Solution {
        played,
        // The suite says what solves it, whatever it said before.
        solved: problem.is_solved_by(played, score),
        since: record["since_ns"].as_u64().map(Duration::from_nanos),
        score,
        depth: number("depth")?,
        nodes: record["nodes"].as_u64()?,
        elapsed: Duration::from_nanos(record["time_ns"].as_u64()?),
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse::problems;
    use super::*;

    #[test]
    fn results_come_back_as_they_were() {
        let text = "4k3/8/8/8/8/8/8/R3K2R w KQ - bm O-O Ra8;\n4k3/8/8/8/8/8/8/R3K2R w K - bm Ra8;";
        let problems = problems(text).unwrap();
        let solution = |played: Option<&str>, since: Option<u64>| {
            let played = played.and_then(|text| problems[0].board.parse_san(text));
            let solved = problems[0].is_solved_by(played, -31);
            let since = since.map(Duration::from_micros);
            Solution { played, solved, since, score: -31, depth: 9, nodes: 1 << 40, elapsed: Duration::from_nanos(7) }
        };
        for kept in [solution(Some("O-O"), Some(1500)), solution(Some("Ra2"), None), solution(None, None)] {
            let record = write(&problems[0], &kept);
            assert_eq!(read(&problems[0], &record), Some(kept));
            assert_eq!(read(&problems[1], &record), None, "another problem");
        }
        assert_eq!(read(&problems[0], &json!({"id": "line 1"})), None);
    }
}
