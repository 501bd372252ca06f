//! EPD: positions with operations, here those that say what the solution is.

use lento::chess::{Board, Move};
use lento_common::epd::{self, Epd};
use thiserror::Error;

/// A position and what counts as its solution.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The operation `id`, or the place in the file.
    pub id: String,
    /// The position.
    pub board: Board,
    /// `bm`: the moves one of which is to be found; empty if none are named.
    pub best: Vec<Move>,
    /// `am`: the moves not to be played.
    pub avoid: Vec<Move>,
    /// `dm`: a mate in so many moves is to be found, whatever the first move.
    pub mate: Option<i32>,
    /// `c0`, or `c8` with `c9` or `c7`: what each move is worth; empty if nothing is said. Moves that are not named are
    /// worth nothing.
    pub points: Vec<(Move, u32)>,
}

/// Why a line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EpdError {
    /// It is no EPD.
    #[error(transparent)]
    Line(#[from] epd::EpdError),
    /// A text where a move is named is no legal move.
    #[error("{operation} \"{text}\": no legal move in SAN or UCI notation")]
    Move {
        /// The operation, such as `bm`.
        operation: &'static str,
        /// What stands there.
        text: String,
    },
    /// `dm` without a number of moves.
    #[error("dm \"{0}\", expected a number of moves from 1 on")]
    Mate(String),
    /// `c8` does not fit the moves that its points are for.
    #[error("c8 has points for {points} moves, but {operation} names {moves}")]
    Points {
        /// `c9` or `c7`.
        operation: &'static str,
        /// How many moves it names.
        moves: usize,
        /// How many points there are.
        points: usize,
    },
    /// Nothing says what the solution is.
    #[error("none of bm, am, dm and the points of c0 says what the solution is")]
    NoSolution,
}

impl Problem {
    /// Whether anything says what the solution is. A plain FEN does not.
    pub fn has_task(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty() || self.mate.is_some()
    }
}

/// Reads a whole file, every line of which must say what the solution is; lines that are empty or begin with `#` say nothing.
///
/// # Errors
/// The first line that cannot be read: its number from 1, and why.
pub fn problems(text: &str) -> Result<Vec<Problem>, (usize, EpdError)> {
    let with_task = |problem: Problem| if problem.has_task() { Ok(problem) } else { Err(EpdError::NoSolution) };
    lines(text).map(|(number, _, read)| read.and_then(with_task).map_err(|error| (number, error))).collect()
}

/// Reads the lines that say anything: the number of each from 1, its text, and what it says.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str, Result<Problem, EpdError>)> {
    let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| epd::has_content(line));
    lines.map(|(number, line)| (number, line, problem(line, number)))
}

/// Reads a line, which may be a FEN without operations; its number serves as name if it has none.
fn problem(line: &str, place: usize) -> Result<Problem, EpdError> {
    let epd = Epd::parse(line)?;
    let (board, find) = (&epd.board, |code: &str| epd.operand(code));
    let points = points(board, &find)?;
    let mut best = moves(board, "bm", find("bm"))?;
    let avoid = moves(board, "am", find("am"))?;
    let mate = match find("dm") {
        None => None,
        Some(text) => {
            let number = text.parse().ok().filter(|&number| number > 0);
            Some(number.ok_or_else(|| EpdError::Mate(text.to_owned()))?)
        }
    };
    if best.is_empty() && avoid.is_empty() && mate.is_none() {
        // Without a named solution it is what earns most.
        let most = points.iter().map(|&(_, points)| points).max();
        best.extend(points.iter().filter(|&&(_, points)| Some(points) == most).map(|&(mv, _)| mv));
    }
    let id = find("id").map_or_else(|| format!("line {place}"), |id| id.trim_matches('"').to_owned());
    Ok(Problem { id, board: epd.board, best, avoid, mate, points })
}

fn moves(board: &Board, operation: &'static str, list: Option<&str>) -> Result<Vec<Move>, EpdError> {
    words(list.unwrap_or("")).map(|text| legal(board, operation, text)).collect()
}

fn legal(board: &Board, operation: &'static str, text: &str) -> Result<Move, EpdError> {
    let mv = board.parse_san(text).or_else(|| board.parse_uci(text, false));
    mv.ok_or_else(|| EpdError::Move { operation, text: text.to_owned() })
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split([' ', ',']).filter(|text| !text.is_empty())
}

/// Points for moves, as the Strategic Test Suite and its like have them: `c0 "f5=10, Be5+=2"`, or `c8 "10 2"` with the
/// moves in `c9` (coordinates) or `c7` (SAN). Those operations are meant for comments of any kind, so what does not look
/// like points is none.
fn points<'a>(board: &Board, find: &impl Fn(&str) -> Option<&'a str>) -> Result<Vec<(Move, u32)>, EpdError> {
    let text = |code: &str| find(code).map_or("", |operand| operand.trim_matches('"'));
    // A promotion has a sign of equality of its own.
    let pair = |word: &'a str| word.rsplit_once('=').and_then(|(mv, points)| Some((mv, points.parse().ok()?)));
    if let Some(pairs) = words(text("c0")).map(pair).collect::<Option<Vec<(&str, u32)>>>()
        && !pairs.is_empty()
    {
        return pairs.into_iter().map(|(mv, points)| Ok((legal(board, "c0", mv)?, points))).collect();
    }
    let numbers = words(text("c8")).map(|word| word.parse().ok()).collect::<Option<Vec<u32>>>().unwrap_or_default();
    let named = ["c9", "c7"].into_iter().find(|code| !text(code).is_empty());
    let Some(operation) = named.filter(|_| !numbers.is_empty()) else { return Ok(Vec::new()) };
    let moves = moves(board, operation, Some(text(operation)))?;
    if moves.len() != numbers.len() {
        return Err(EpdError::Points { operation, moves: moves.len(), points: numbers.len() });
    }
    Ok(moves.into_iter().zip(numbers).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Result<Problem, EpdError> {
        problem(line, 7)
    }

    fn spelled(problem: &Problem, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&mv| problem.board.uci(mv, false)).collect()
    }

    #[test]
    fn best_and_avoided_moves() {
        let problem = one("4k3/8/8/8/8/8/8/R3K2R w KQ - bm O-O Ra8+; am h1h8; id \"castle; or not\";").unwrap();
        assert_eq!(spelled(&problem, &problem.best), ["e1g1", "a1a8"]);
        assert_eq!(spelled(&problem, &problem.avoid), ["h1h8"]);
        assert_eq!((problem.mate, problem.id.as_str()), (None, "castle; or not"));
        assert_eq!(problem.board.fen(false), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    }

    #[test]
    fn mates_without_moves_and_without_name() {
        let problem = one("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; pv \"Ra8#\"").unwrap();
        assert_eq!((problem.mate, problem.id.as_str()), (Some(1), "line 7"));
        assert!(problem.best.is_empty() && problem.avoid.is_empty());
    }

    /// Texts of moves with their points.
    fn paid(problem: &Problem) -> Vec<(String, u32)> {
        problem.points.iter().map(|&(mv, points)| (problem.board.san(mv), points)).collect()
    }

    #[test]
    fn points_for_moves() {
        let c0 = one("4k3/P7/8/8/8/8/8/R3K2R w KQ - bm O-O; c0 \"O-O=10, a8=Q+=7, Rb1=2\"; id \"x\";").unwrap();
        let expected = [("O-O", 10), ("a8=Q+", 7), ("Rb1", 2)].map(|(mv, points)| (mv.to_owned(), points));
        assert_eq!(paid(&c0), expected);
        for moves in ["c7 \"O-O a8=Q+ Rb1\"", "c9 \"e1g1 a7a8q a1b1\"", "c7 \"?\"; c9 \"e1g1 a7a8q a1b1\""] {
            let line = format!("4k3/P7/8/8/8/8/8/R3K2R w KQ - bm O-O; c0 \"a comment\"; {moves}; c8 \"10 7 2\";");
            assert_eq!(paid(&one(&line).unwrap()), expected, "{line}");
        }
    }

    #[test]
    fn what_earns_most_is_best_where_nothing_else_is_named() {
        let best = |operations: &str| {
            let problem = one(&format!("4k3/8/8/8/8/8/8/R3K2R w KQ - {operations}")).unwrap();
            spelled(&problem, &problem.best)
        };
        assert_eq!(best("c0 \"Ra8+=10, O-O=3, Rh8+=10\";"), ["a1a8", "h1h8"]);
        assert_eq!(best("bm O-O; c0 \"Ra8+=10, O-O=3\";"), ["e1g1"]);
        assert!(best("dm 3; c0 \"Ra8+=10\";").is_empty());
    }

    #[test]
    fn comments_are_no_points() {
        for comment in ["All win but e3 is best.", "", "Ra8=best", "=10x", "e8=Q", "10"] {
            let line = format!("4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; c0 \"{comment}\"; c8 \"x\"; c9 \"e1e2\";");
            assert!(one(&line).unwrap().points.is_empty(), "{comment}");
        }
    }

    #[test]
    fn clocks_as_operations_and_as_in_a_fen() {
        let fen = |line: &str| one(line).unwrap().board.fen(false);
        assert_eq!(fen("4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; hmvc 98; fmvn 120;"), "4k3/8/8/8/8/8/8/R3K3 w - - 98 120");
        assert_eq!(fen("4k3/8/8/8/8/8/8/R3K3  w -  - 97 119 bm Ra8;"), "4k3/8/8/8/8/8/8/R3K3 w - - 97 119");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |line: &str| one(line).unwrap_err().to_string();
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - bm Nf3;").contains("bm \"Nf3\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - am Ra8 Rz9;").contains("am \"Rz9\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - c0 \"Ra8=10, Nf3=2\";").contains("c0 \"Nf3\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - c8 \"10 2\"; c9 \"a1a8\";").contains("2 moves, but c9 names 1"));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - dm 0;").contains("dm \"0\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - dm soon;").contains("dm \"soon\""));
        assert_eq!(one("4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; id \"x;").unwrap_err(), epd::EpdError::Quotation.into());
        assert!(matches!(one("8/8/8/8/8/8/8/8 w - - bm e4;"), Err(EpdError::Line(epd::EpdError::Position(_)))));
        assert!(matches!(one("rubbish"), Err(EpdError::Line(epd::EpdError::Position(_)))));
    }

    #[test]
    fn fens_are_positions_without_a_task() {
        for line in
            ["4k3/8/8/8/8/8/8/R3K3 w Q - 3 40", "4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/R3K3 w Q - id \"x\";"]
        {
            assert!(!one(line).unwrap().has_task(), "{line}");
            assert_eq!(problems(line).unwrap_err(), (1, EpdError::NoSolution), "{line}");
        }
        assert_eq!(one("4k3/8/8/8/8/8/8/R3K3 w Q - 3 40").unwrap().board.fen(false), "4k3/8/8/8/8/8/8/R3K3 w Q - 3 40");
    }

    #[test]
    fn files_are_read_line_by_line() {
        let text = "# a comment\n\n4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8;\r\n4k3/8/8/8/8/8/8/R3K3 b - - bm Kd7;\n";
        let list = problems(text).unwrap();
        assert_eq!(list.iter().map(|problem| problem.id.as_str()).collect::<Vec<_>>(), ["line 3", "line 4"]);
        let (line, error) = problems(&text.replace("Kd7", "Kd1")).unwrap_err();
        assert_eq!(line, 4);
        assert!(matches!(error, EpdError::Move { operation: "bm", .. }));
    }
}
