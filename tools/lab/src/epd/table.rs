//! Results as text and JSON.

use super::parse::Problem;
use super::solve::Solution;
use lento::eval::wdl;
use lento::score::{Bound, mate_distance};
use lento::search::report::nps;
use lento_common::notice::printable;
use lento_common::table::Row;
use lento_console::table::score;
use serde_json::{Value, json};
use std::time::Duration;

/// Widths of the columns after the id; text columns are negative.
const WIDTHS: [i32; 9] = [-20, -8, -9, 6, 9, 5, 7, 11, 9];

pub fn widths(problems: &[&Problem]) -> Vec<i32> {
    let id = problems.iter().map(|problem| printable(&problem.id).chars().count() as i32).fold(28, i32::max);
    [&[-id], &WIDTHS[..]].concat()
}

pub fn row(problem: &Problem, solution: &Solution) -> Row {
    let board = &problem.board;
    let (task, played) = (problem.has_task(), solution.played.map(|mv| board.san(mv)));
    let earned = problem.points(solution.played);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut row = Row::default();
    row.cell("id", "id", &problem.id, &*problem.id);
    row.data("fen", board.fen(false));
    row.cell("expected", "expected", expected(problem), task.then(|| expected(problem)));
    row.cell("played", "played", or_dash(played.clone()), played);
    row.cell("solved", "solved", verdict(problem, solution), task.then_some(solution.solved));
    let text = or_dash(earned.map(|(won, of)| format!("{won}/{of}")));
    row.cell("points", "points", text, earned.map(|(won, _)| won));
    row.data("points_possible", earned.map(|(_, possible)| possible));
    let after = solution.since.map(|since| since.as_secs_f64() * 1e3);
    row.cell("after", "solved_after_ms", or_dash(solution.since.map(ms)), after);
    row.cell("depth", "depth", solution.depth.to_string(), solution.depth);
    let score = score(solution.score, wdl::material(board), Bound::Exact);
    row.cell("score", "score", score.clone(), score);
    row.data("mate", mate_distance(solution.score));
    row.cell("nodes", "nodes", solution.nodes.to_string(), solution.nodes);
    row.cell("time", "time_ms", ms(solution.elapsed), solution.elapsed.as_secs_f64() * 1e3);
    row
}

/// Whether a problem is solved; mates with their length.
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

/// The solution of a problem: `dm 3`, `bm Nf3 e4`, `am Rd1`; `-` without a task.
fn expected(problem: &Problem) -> String {
    if !problem.has_task() {
        return "-".to_owned();
    }
    if let Some(mate) = problem.mate {
        return format!("dm {mate}");
    }
    let named = [("bm", &problem.best), ("am", &problem.avoid)].into_iter().filter(|(_, moves)| !moves.is_empty());
    let texts = named.map(|(code, moves)| {
        let moves: Vec<String> = moves.iter().map(|&mv| problem.board.san(mv)).collect();
        format!("{code} {}", moves.join(" "))
    });
    texts.collect::<Vec<_>>().join(", ")
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    pub searched: usize,
    /// Searched positions without a task.
    pub without_task: usize,
    pub solved: usize,
    pub nodes: u64,
    pub elapsed: Duration,
    /// Earned and possible points.
    pub points: (u64, u64),
}

impl Total {
    pub fn of<'a>(solved: impl IntoIterator<Item = (&'a Problem, &'a Solution)>) -> Self {
        let mut total = Self::default();
        for (problem, solution) in solved {
            let (won, possible) = problem.points(solution.played).unwrap_or_default();
            total.points.0 += u64::from(won);
            total.points.1 += u64::from(possible);
            total.searched += 1;
            total.without_task += usize::from(!problem.has_task());
            total.solved += usize::from(solution.solved);
            total.nodes += solution.nodes;
            total.elapsed += solution.elapsed;
        }
        total
    }

    /// The line below the table.
    pub fn line(&self, problems: usize) -> String {
        let Self { searched, without_task, solved, nodes, elapsed, points } = *self;
        let unsearched = problems.saturating_sub(searched);
        let rest = if unsearched > 0 { format!(" ({unsearched} of {problems} not searched)") } else { String::new() };
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

    /// The totals as JSON; points are null if none are possible.
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

#[cfg(test)]
mod tests {
    use super::super::parse::problems;
    use super::*;
    use lento::chess::Board;
    use lento::score::{Score, mate_in, mated_in};

    /// The solution by a move in SAN.
    fn solution(problem: &Problem, text: &str, score: Score) -> Solution {
        let played = problem.board.parse_san(text);
        let (solved, elapsed) = (problem.is_solved_by(played, score), Duration::from_millis(10));
        Solution { played, solved, since: None, score, depth: 9, nodes: 500, elapsed }
    }

    #[test]
    fn cells_show_expected_and_played_moves() {
        let problem = problems("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8 O-O-O; am Kf2; id \"one\";").unwrap().remove(0);
        assert_eq!(expected(&problem), "bm Ra8+ O-O-O, am Kf2");
        let [since, elapsed] = [12, 100].map(Duration::from_millis);
        let solution = Solution { since: Some(since), nodes: 12_345, elapsed, ..solution(&problem, "Ra8", 512) };
        let row = row(&problem, &solution);
        let score = score(512, wdl::material(&problem.board), Bound::Exact);
        let cells = ["one", "bm Ra8+ O-O-O, am Kf2", "Ra8+", "yes", "-", "12 ms", "9", &score, "12345", "100 ms"];
        assert_eq!(row.texts(), cells);
        assert_eq!((row.heads().len(), widths(&[&problem]).len()), (10, 10));
        let json = row.json();
        assert_eq!((json["played"].as_str(), json["solved_after_ms"].as_f64()), (Some("Ra8+"), Some(12.0)));
        assert_eq!(json["expected"].as_str(), Some("bm Ra8+ O-O-O, am Kf2"));
    }

    #[test]
    fn points_are_shown_and_summed() {
        let text = "4k3/8/8/8/8/8/8/R3K3 w Q - c0 \"Ra8+=10, Ra7=3\"; id \"a problem with a name of forty characters\";\n4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;";
        let problems = problems(text).unwrap();
        let solution = solution(&problems[0], "Ra7", 30);
        assert_eq!(row(&problems[0], &solution).texts()[4], "3/10");
        assert_eq!(row(&problems[1], &solution).texts()[4], "-");
        assert_eq!(widths(&[&problems[0], &problems[1]])[0], -41);
        let total = Total::of(problems.iter().map(|problem| (problem, &solution)));
        assert!(total.line(2).starts_with("0 of 2 solved, 3 of 10 points (30.0 %), 1000 nodes"), "{}", total.line(2));
        assert_eq!((&total.json()["points"], &total.json()["points_possible"]), (&json!(3), &json!(10)));
        assert_eq!(row(&problems[0], &solution).json()["points"], json!(3));
        assert_eq!(row(&problems[1], &solution).json()["points_possible"], Value::Null);
        assert_eq!(Total::default().json()["points"], Value::Null);
    }

    #[test]
    fn positions_without_a_task_are_not_counted_as_unsolved() {
        let problem = problems("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;").unwrap().remove(0);
        let problem = Problem { best: Vec::new(), ..problem };
        let solution = solution(&problem, "Ra8", 500);
        let row = row(&problem, &solution);
        assert_eq!(row.texts()[..5], ["line 1", "-", "Ra8+", "-", "-"]);
        let total = Total::of([(&problem, &solution)]);
        assert!(total.line(1).starts_with("0 of 0 solved, 1 without a task, 500 nodes"), "{}", total.line(1));
        assert_eq!((&row.json()["solved"], &total.json()["without_task"]), (&Value::Null, &json!(1)));
    }

    #[test]
    fn mates_show_their_length() {
        let problems = problems("7k/8/5K2/8/8/8/8/6Q1 w - - dm 2;\n7k/8/5K2/8/8/8/8/6Q1 w - - bm Kf7;").unwrap();
        let verdicts = |problem: &Problem, score| verdict(problem, &solution(problem, "Kf7", score));
        assert_eq!(
            [mate_in(3), mate_in(1), mate_in(5)].map(|score| verdicts(&problems[0], score)),
            ["mate in 2", "mate in 1", "no"]
        );
        assert_eq!(verdicts(&problems[1], mate_in(3)), "yes");
    }

    #[test]
    fn scores_are_in_pawns_or_moves() {
        let board = Board::start();
        let text = |value| score(value, wdl::material(&board), Bound::Exact);
        assert_eq!([mate_in(1), mate_in(5), mated_in(4)].map(text), ["#1", "#3", "#-2"]);
        // A pawn is a win in half of the games.
        let pawn = (0..1000).find(|&value| *text(value) >= *"+1.00").unwrap();
        let [won, _, _] = wdl::wdl(pawn, wdl::material(&board));
        assert!((485..=515).contains(&won), "{pawn} {won}");
        assert_eq!(text(0), "+0.00");
        assert_eq!(text(-pawn), text(pawn).replace('+', "-"));
    }

    #[test]
    fn totals_count_unsearched_problems() {
        let problem = problems("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;").unwrap().remove(0);
        let solutions = [(true, 1000), (false, 3000)].map(|(solved, nodes)| {
            let (since, elapsed) = (None, Duration::from_millis(500));
            Solution { played: None, solved, since, score: 0, depth: 1, nodes, elapsed }
        });
        let total = Total::of(solutions.iter().map(|solution| (&problem, solution)));
        assert_eq!(total.line(2), "1 of 2 solved, 4000 nodes, 1.0 s, 4000 nodes/s");
        assert_eq!(total.line(5), "1 of 2 solved (3 of 5 not searched), 4000 nodes, 1.0 s, 4000 nodes/s");
    }
}
