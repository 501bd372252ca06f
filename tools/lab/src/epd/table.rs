//! Results as lines of a table and as JSON.

use super::parse::Problem;
use super::solve::Solution;
use lento::chess::Move;
use lento::score::{Score, mate_distance};
use lento::search::report::nps;
use serde_json::{Value, json};
use std::time::Duration;

/// How wide the table is.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Width of the names.
    id: usize,
    /// Whether points have a column.
    points: bool,
}

impl Layout {
    /// Wide enough for these problems.
    pub fn of<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> Self {
        problems.into_iter().fold(Self { id: 28, points: false }, |layout, problem| Self {
            id: layout.id.max(problem.id.chars().count()),
            points: layout.points || !problem.points.is_empty(),
        })
    }

    /// What stands above the lines.
    pub fn header(self) -> String {
        self.row(&["id", "expected", "played", "solved", "points", "after", "depth", "score", "nodes", "time"])
    }

    /// The result of one problem.
    pub fn line(self, problem: &Problem, solution: &Solution) -> String {
        let earned = problem.points(solution.played).map_or_else(|| "-".to_owned(), |(won, of)| format!("{won}/{of}"));
        self.row(&[
            &problem.id,
            &expected(problem),
            &played(problem, solution),
            &verdict(problem, solution),
            &earned,
            &solution.since.map_or_else(|| "-".to_owned(), ms),
            &solution.depth.to_string(),
            &score(solution.score),
            &solution.nodes.to_string(),
            &ms(solution.elapsed),
        ])
    }

    fn row(self, cells: &[&str; 10]) -> String {
        let [id, expected, played, solved, points, after, depth, score, nodes, time] = cells;
        let points = if self.points { format!(" {points:>6}") } else { String::new() };
        format!(
            "{id:<width$} {expected:<20} {played:<8} {solved:<9}{points} {after:>9} {depth:>5} {score:>7} {nodes:>11} \
             {time:>9}",
            width = self.id
        )
    }
}

/// Whether a problem is solved; where a mate was to be found, in how many moves.
fn verdict(problem: &Problem, solution: &Solution) -> String {
    match mate_distance(solution.score).filter(|_| problem.mate.is_some()) {
        Some(moves) if solution.solved => format!("mate in {moves}"),
        _ if !problem.has_task() => "-".to_owned(),
        _ => if solution.solved { "yes" } else { "no" }.to_owned(),
    }
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

/// What solves a problem: `dm 3`, `bm Nf3 e4`, `am Rd1`. Without `bm`, what earns most stands there; `-` where there is no task.
fn expected(problem: &Problem) -> String {
    if !problem.has_task() {
        return "-".to_owned();
    }
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
    /// How many of these are positions without a task.
    pub without_task: usize,
    /// How many were solved.
    pub solved: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub elapsed: Duration,
    /// Points earned, and those that could be earned.
    pub points: (u64, u64),
}

impl Total {
    /// Adds a result.
    pub fn add(&mut self, problem: &Problem, solution: &Solution) {
        let (won, possible) = problem.points(solution.played).unwrap_or_default();
        self.points.0 += u64::from(won);
        self.points.1 += u64::from(possible);
        self.searched += 1;
        self.without_task += usize::from(!problem.has_task());
        self.solved += usize::from(solution.solved);
        self.nodes += solution.nodes;
        self.elapsed += solution.elapsed;
    }

    /// The line below the table; `of` is how many problems there are.
    pub fn line(&self, of: usize) -> String {
        let Self { searched, without_task, solved, nodes, elapsed, points } = *self;
        let rest = if searched < of { format!(" ({} of {of} not searched)", of - searched) } else { String::new() };
        let points = match points {
            (_, 0) => String::new(),
            (won, possible) => {
                format!(", {won} of {possible} points ({:.1} %)", 100.0 * won as f64 / possible as f64)
            }
        };
        let (seconds, nps) = (elapsed.as_secs_f64(), nps(nodes, elapsed));
        let tasks = searched - without_task;
        let without = if without_task > 0 { format!(", {without_task} without a task") } else { String::new() };
        format!("{solved} of {tasks} solved{without}{rest}{points}, {nodes} nodes, {seconds:.1} s, {nps} nodes/s")
    }

    /// The sums as JSON; points are null where there are none to earn.
    pub fn json(&self) -> Value {
        let (won, possible) = self.points;
        json!({
            "searched": self.searched,
            "without_task": self.without_task,
            "solved": self.solved,
            "points": (possible > 0).then_some(won),
            "points_possible": (possible > 0).then_some(possible),
            "total_nodes": self.nodes,
            "total_time_ms": self.elapsed.as_secs_f64() * 1e3,
        })
    }
}

/// A result as JSON.
pub fn json(problem: &Problem, solution: &Solution) -> Value {
    let points = problem.points(solution.played);
    json!({
        "id": problem.id,
        "fen": problem.board.fen(false),
        "expected": problem.has_task().then(|| expected(problem)),
        "played": solution.played.map(|mv| problem.board.san(mv)),
        "solved": problem.has_task().then_some(solution.solved),
        "solved_after_ms": solution.since.map(|since| since.as_secs_f64() * 1e3),
        "points": points.map(|(won, _)| won),
        "points_possible": points.map(|(_, possible)| possible),
        "mate": mate_distance(solution.score),
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
    use lento::score::{mate_in, mated_in};

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
        let plain = Layout::of([&problem]).line(&problem, &solution);
        let words: Vec<&str> = plain.split_whitespace().collect();
        assert_eq!(words[0], "one");
        assert_eq!(words[words.len() - 9..], ["Ra8+", "yes", "12", "ms", "9", "+5.12", "12345", "100", "ms"]);
        let json = json(&problem, &solution);
        assert_eq!((json["played"].as_str(), json["solved_after_ms"].as_f64()), (Some("Ra8+"), Some(12.0)));
        assert_eq!(json["expected"].as_str(), Some("bm Ra8+ O-O-O, am Kf2"));
    }

    #[test]
    fn points_have_a_column_and_a_sum() {
        let text = "4k3/8/8/8/8/8/8/R3K3 w Q - c0 \"Ra8+=10, Ra7=3\"; id \"a problem with a name of forty characters\";\n4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;";
        let problems = problems(text).unwrap();
        let played = problems[0].board.parse_san("Ra7");
        let elapsed = Duration::from_millis(10);
        let solution = Solution { played, solved: false, since: None, score: 30, depth: 9, nodes: 500, elapsed };
        let cells = |problem: &Problem, all: &[Problem]| {
            let line = Layout::of(all).line(problem, &solution);
            assert_eq!(line.chars().count(), Layout::of(all).header().chars().count(), "{line}");
            line.split_whitespace().skip_while(|word| *word != "no").take(3).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(cells(&problems[0], &problems), "no 3/10 -");
        assert_eq!(cells(&problems[1], &problems), "no - -");
        assert_eq!(cells(&problems[1], &problems[1..]), "no - 9");
        let mut total = Total::default();
        problems.iter().for_each(|problem| total.add(problem, &solution));
        assert!(total.line(2).starts_with("0 of 2 solved, 3 of 10 points (30.0 %), 1000 nodes"), "{}", total.line(2));
        assert_eq!((&total.json()["points"], &total.json()["points_possible"]), (&json!(3), &json!(10)));
        assert_eq!(json(&problems[0], &solution)["points"], json!(3));
        assert_eq!(json(&problems[1], &solution)["points_possible"], Value::Null);
        assert_eq!(Total::default().json()["points"], Value::Null);
    }

    #[test]
    fn positions_without_a_task_are_neither_solved_nor_missed() {
        let problem = super::super::parse::lines("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").next().unwrap().2.unwrap();
        let played = problem.board.parse_san("Ra8");
        let solved = problem.is_solved_by(played, 500);
        let elapsed = Duration::from_millis(10);
        let solution = Solution { played, solved, since: None, score: 500, depth: 9, nodes: 500, elapsed };
        let line = Layout::of([&problem]).line(&problem, &solution);
        assert_eq!(line.split_whitespace().collect::<Vec<_>>()[..6], ["line", "1", "-", "Ra8+", "-", "-"], "{line}");
        let mut total = Total::default();
        total.add(&problem, &solution);
        assert!(total.line(1).starts_with("0 of 0 solved, 1 without a task, 500 nodes"), "{}", total.line(1));
        assert_eq!((&json(&problem, &solution)["solved"], &total.json()["without_task"]), (&Value::Null, &json!(1)));
    }

    #[test]
    fn mates_say_in_how_many_moves() {
        let problems = problems("7k/8/5K2/8/8/8/8/6Q1 w - - dm 2;\n7k/8/5K2/8/8/8/8/6Q1 w - - bm Kf7;").unwrap();
        let verdicts = |problem: &Problem, score| {
            let (solved, elapsed) = (problem.is_solved_by(problem.board.parse_san("Kf7"), score), Duration::ZERO);
            let played = problem.board.parse_san("Kf7");
            verdict(problem, &Solution { played, solved, since: None, score, depth: 3, nodes: 9, elapsed })
        };
        assert_eq!(
            [mate_in(3), mate_in(1), mate_in(5)].map(|score| verdicts(&problems[0], score)),
            ["mate in 2", "mate in 1", "no"]
        );
        assert_eq!(verdicts(&problems[1], mate_in(3)), "yes");
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
            let solution = Solution { played: None, solved, since, score: 0, depth: 1, nodes, elapsed };
            total.add(&problems("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;").unwrap()[0], &solution);
        }
        assert_eq!(total.line(2), "1 of 2 solved, 4000 nodes, 1.0 s, 4000 nodes/s");
        assert_eq!(total.line(5), "1 of 2 solved (3 of 5 not searched), 4000 nodes, 1.0 s, 4000 nodes/s");
    }
}
