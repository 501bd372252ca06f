//! Solves problems.

use super::parse::Problem;
use lento::chess::{Game, Move};
use lento::engine::{Engine, Output};
use lento::score::{Bound, Score, mate_distance};
use lento::search::limits::Limits;
use lento::search::report::Info;
use lento_common::interrupt::Stop;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The best move; `None` without legal moves.
    pub played: Option<Move>,
    pub solved: bool,
    /// Time from which the best line was a solution; only if solved.
    pub since: Option<Duration>,
    /// From the point of view of the side to move.
    pub score: Score,
    pub depth: i32,
    pub nodes: u64,
    pub elapsed: Duration,
}

impl Solution {
    pub fn to_record(&self, problem: &Problem) -> Value {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        json!({
            "id": problem.id,
            "fen": problem.board.fen(true),
            "played": self.played.map(|mv| problem.board.uci(mv, true)),
            "since_ns": self.since.map(nanoseconds),
            "score": self.score,
            "depth": self.depth,
            "nodes": self.nodes,
            "time_ns": nanoseconds(self.elapsed),
        })
    }

    pub fn from_record(problem: &Problem, record: &Value) -> Option<Self> {
        if record["id"] != problem.id.as_str() || record["fen"] != problem.board.fen(true).as_str() {
            return None;
        }
        let played = match record["played"].as_str() {
            Some(text) => Some(problem.board.parse_uci(text, true)?),
            None => None,
        };
        let number = |name: &str| record[name].as_i64().and_then(|number| i32::try_from(number).ok());
        let score = number("score")?;
        // The operations of the suite may have changed.
        let solved = problem.is_solved_by(played, score);
        Some(Self {
            played,
            solved,
            since: record["since_ns"].as_u64().filter(|_| solved).map(Duration::from_nanos),
            score,
            depth: number("depth")?,
            nodes: record["nodes"].as_u64()?,
            elapsed: Duration::from_nanos(record["time_ns"].as_u64()?),
        })
    }
}

impl Problem {
    /// Whether a move with a score is a solution. Mates need only be short enough, as several first moves may mate.
    pub fn is_solved_by(&self, mv: Option<Move>, score: Score) -> bool {
        let Some(mv) = mv.filter(|_| self.has_task()) else { return false };
        if let Some(mate) = self.mate {
            return mate_distance(score).is_some_and(|moves| (1..=mate).contains(&moves));
        }
        (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
    }

    /// The points of a move and the maximum; `None` without points.
    pub fn points(&self, mv: Option<Move>) -> Option<(u32, u32)> {
        let possible = self.points.iter().map(|&(_, points)| points).max()?;
        let earned = self.points.iter().find(|&&(rewarded, _)| Some(rewarded) == mv);
        Some((earned.map_or(0, |&(_, points)| points), possible))
    }
}

/// Searches a problem in a new game; `None` if stopped.
pub fn solve(engine: &mut Engine, problem: &Problem, limits: &Limits, stop: &Stop) -> Option<Solution> {
    engine.new_game();
    engine.game = Game::from(problem.board.clone());
    let start = Instant::now();
    let mut since = None;
    let outcome = engine.search_until(limits, &[], |_, output| {
        if let Some(Output::Info(info)) = output
            && info.bound != Bound::Upper
        {
            since = solved_since(since, problem, &info);
        }
        stop.check()
    });
    if stop.is_requested() {
        return None;
    }
    let (played, elapsed) = (outcome.best, start.elapsed());
    let (score, depth, nodes) = outcome.lines.first().map_or((0, 0, 0), |line| (line.score, line.depth, line.nodes));
    let solved = problem.is_solved_by(played, score);
    let since = solved.then(|| since.unwrap_or(elapsed));
    Some(Solution { played, solved, since, score, depth, nodes, elapsed })
}

/// The time from which the best line has been a solution.
fn solved_since(since: Option<Duration>, problem: &Problem, info: &Info) -> Option<Duration> {
    let solved = problem.is_solved_by(info.pv.first().copied(), info.score);
    solved.then(|| since.unwrap_or(info.elapsed))
}

#[cfg(test)]
mod tests {
    use super::super::parse::problems;
    use super::*;
    use lento::score::{mate_in, mated_in};

    fn problem(line: &str) -> Problem {
        problems(line).unwrap().remove(0)
    }

    #[test]
    fn best_moves_solve_and_avoided_moves_do_not() {
        let problem = problem("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8 Ra7; am O-O-O;");
        let solves = |text: &str| problem.is_solved_by(problem.board.parse_san(text), 0);
        assert!(solves("Ra8") && solves("Ra7"));
        assert!(!solves("Ra6") && !solves("O-O-O"));
        assert!(!problem.is_solved_by(None, 0));
    }

    #[test]
    fn any_other_move_avoids() {
        let problem = problem("4k3/8/8/8/8/8/8/R3K3 w Q - am O-O-O;");
        assert!(problem.is_solved_by(problem.board.parse_san("Ra6"), -500));
        assert!(!problem.is_solved_by(problem.board.parse_san("O-O-O"), 500));
    }

    #[test]
    fn moves_score_points() {
        let problem = problem("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8+; c0 \"Ra7=4, Ra8+=10\";");
        let earned = |text: &str| problem.points(problem.board.parse_san(text));
        assert_eq!([earned("Ra8"), earned("Ra7"), earned("Ra6")], [Some((10, 10)), Some((4, 10)), Some((0, 10))]);
        assert_eq!(problem.points(None), Some((0, 10)));
        assert_eq!(Problem { points: Vec::new(), ..problem }.points(None), None);
    }

    #[test]
    fn stop_ends_the_search() {
        let stop = Stop::default();
        stop.request();
        let limits = Limits { infinite: true, ..Limits::default() };
        assert!(solve(&mut Engine::new(), &problem("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;"), &limits, &stop).is_none());
    }

    #[test]
    fn mates_must_be_short_enough() {
        let problem = problem("7k/8/5K2/8/8/8/8/6Q1 w - - bm Qg7#; dm 2;");
        let mv = problem.board.parse_san("Kf7");
        assert!(problem.is_solved_by(mv, mate_in(3)) && problem.is_solved_by(mv, mate_in(1)));
        assert!(!problem.is_solved_by(mv, mate_in(5)) && !problem.is_solved_by(mv, mated_in(2)));
        assert!(!problem.is_solved_by(mv, 900));
    }

    #[test]
    fn changed_best_move_resets_the_time() {
        let problem = problem("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;");
        let mut since = None;
        for (ms, text, expected) in
            [(1, "Ra8", Some(1)), (2, "Ra8", Some(1)), (3, "Ra6", None), (4, "Ra8", Some(4)), (9, "Ra8", Some(4))]
        {
            let (elapsed, pv) = (Duration::from_millis(ms), problem.board.parse_san(text).into_iter().collect());
            let info = Info { elapsed, pv, ..Info::default() };
            since = solved_since(since, &problem, &info);
            assert_eq!(since, expected.map(Duration::from_millis), "after {ms} ms");
        }
    }

    #[test]
    fn engine_solves_easy_problems() {
        let mut engine = Engine::new();
        let limits = Limits { depth: Some(4), ..Limits::default() };
        let mate =
            solve(&mut engine, &problem("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;"), &limits, &Stop::default()).unwrap();
        assert!(mate.solved && mate.since.is_some_and(|since| since <= mate.elapsed));
        assert!(mate.nodes > 0 && mate.depth > 0);
        let wrong =
            solve(&mut engine, &problem("6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8#;"), &limits, &Stop::default()).unwrap();
        assert!(!wrong.solved && wrong.since.is_none() && wrong.played.is_some());
    }

    #[test]
    fn records_round_trip() {
        let text = "4k3/8/8/8/8/8/8/R3K2R w KQ - bm O-O Ra8;\n4k3/8/8/8/8/8/8/R3K2R w K - bm Ra8;";
        let problems = problems(text).unwrap();
        let solution = |played: Option<&str>, since: Option<u64>| {
            let played = played.and_then(|text| problems[0].board.parse_san(text));
            let solved = problems[0].is_solved_by(played, -31);
            let since = since.map(Duration::from_micros);
            Solution { played, solved, since, score: -31, depth: 9, nodes: 1 << 40, elapsed: Duration::from_nanos(7) }
        };
        for solution in [solution(Some("O-O"), Some(1500)), solution(Some("Ra2"), None), solution(None, None)] {
            let record = solution.to_record(&problems[0]);
            assert_eq!(Solution::from_record(&problems[0], &record), Some(solution));
            assert_eq!(Solution::from_record(&problems[1], &record), None, "another problem");
        }
        assert_eq!(Solution::from_record(&problems[0], &json!({"id": "line 1"})), None);
    }

    #[test]
    fn record_of_a_changed_problem_has_no_time_unless_solved() {
        let [old, new] = ["O-O", "Ra8"].map(|best| problem(&format!("4k3/8/8/8/8/8/8/R3K2R w KQ - bm {best};")));
        let (played, since) = (old.board.parse_san("O-O"), Some(Duration::from_millis(3)));
        let elapsed = Duration::from_millis(7);
        let solution = Solution { played, solved: true, since, score: 0, depth: 9, nodes: 1, elapsed };
        let restored = Solution::from_record(&new, &solution.to_record(&old));
        assert_eq!(restored, Some(Solution { solved: false, since: None, ..solution }));
    }
}
