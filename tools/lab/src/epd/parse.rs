//! Reads problems in EPD.

use lento::chess::{Board, Move};
use lento_common::epd::{self, Epd};
use lento_common::inputs;
use lento_uci::words::quoted;
use serde::Serialize;
use std::path::Path;

/// Maximum messages per file.
const MAX_MESSAGES: usize = 10;

/// Maximum stored characters of a skipped line.
const MAX_LINE: usize = 1000;

#[derive(Clone, Debug)]
pub struct Problem {
    /// The operation `id`, or the line number.
    pub id: String,
    pub board: Board,
    /// `bm`: solutions; may be empty.
    pub best: Vec<Move>,
    /// `am`: moves to avoid.
    pub avoid: Vec<Move>,
    /// `dm`: maximum moves to mate; any first move is a solution.
    pub mate: Option<i32>,
    /// `c0`, or `c8` with `c9` or `c7`: points for moves. Other moves score 0.
    pub points: Vec<(Move, u32)>,
}

impl Problem {
    /// Whether the problem has a solution. A FEN has none.
    pub fn has_task(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty() || self.mate.is_some()
    }
}

/// A line with an invalid position or operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    line: usize,
    text: String,
    reason: String,
}

/// Reads a file in which every line must be a problem.
pub fn read(file: &Path) -> Result<Vec<Problem>, String> {
    let text = inputs::read_text(file)?;
    problems(&text).map_err(|(line, error)| format!("{}:{line}: {error}", file.display()))
}

/// Parses lines that must be problems. Errors include the line number.
pub fn problems(text: &str) -> Result<Vec<Problem>, (usize, String)> {
    let with_task = |problem: Problem| {
        let missing = "no solution; expected bm, am, dm or points in c0";
        if problem.has_task() { Ok(problem) } else { Err(missing.to_owned()) }
    };
    lines(text).map(|(number, _, read)| read.and_then(with_task).map_err(|error| (number, error))).collect()
}

/// Reads the positions and invalid lines of a file. Fails if all lines are invalid.
pub fn read_some(file: &Path) -> Result<(Vec<Problem>, Vec<Skipped>), String> {
    let text = inputs::read_text(file)?;
    let (problems, skipped) = split(&text);
    match skipped.first() {
        Some(Skipped { line, text, reason }) if problems.is_empty() => {
            let file = file.display();
            Err(format!("{file}: no position in EPD or FEN in this file; {file}:{line}: {}: {reason}", quoted(text)))
        }
        None if problems.is_empty() => Err(inputs::in_file(file, "no position in EPD or FEN in this file")),
        _ => Ok((problems, skipped)),
    }
}

fn split(text: &str) -> (Vec<Problem>, Vec<Skipped>) {
    let (mut problems, mut skipped) = (Vec::new(), Vec::new());
    for (line, text, read) in lines(text) {
        match read {
            Ok(problem) => problems.push(problem),
            Err(reason) => {
                // In a file of another format, a line may be the whole file.
                let end = text.char_indices().nth(MAX_LINE).map_or(text.len(), |(end, _)| end);
                skipped.push(Skipped { line, text: text[..end].to_owned(), reason });
            }
        }
    }
    (problems, skipped)
}

pub fn messages(file: &Path, skipped: &[Skipped]) -> Vec<String> {
    let file = file.display();
    let message =
        |Skipped { line, text, reason }: &Skipped| format!("{file}:{line}: skipped {}: {reason}", quoted(text));
    let mut messages: Vec<String> = skipped.iter().take(MAX_MESSAGES).map(message).collect();
    if skipped.len() > MAX_MESSAGES {
        messages.push(format!("{file}: {} more lines skipped", skipped.len() - MAX_MESSAGES));
    }
    messages
}

/// Parses all lines with content. Returns line number, text and problem.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str, Result<Problem, String>)> {
    let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| epd::has_content(line));
    lines.map(|(number, line)| (number, line, problem(line, number)))
}

/// Parses a line of EPD or FEN. The line number is the default id.
fn problem(line: &str, number: usize) -> Result<Problem, String> {
    let epd = Epd::parse(line)?;
    let (board, find) = (&epd.board, |code: &str| epd.operand(code));
    let points = points(board, &find)?;
    let mut best = moves(board, "bm", find("bm"))?;
    let avoid = moves(board, "am", find("am"))?;
    let mate = find("dm").map(|text| {
        let moves = text.parse().ok().filter(|&moves| moves > 0);
        moves.ok_or_else(|| format!("dm {text:?}, expected a number of moves from 1"))
    });
    let mate = mate.transpose()?;
    if best.is_empty() && avoid.is_empty() && mate.is_none() {
        // The best moves are those with the most points.
        let max = points.iter().map(|&(_, points)| points).max();
        best.extend(points.iter().filter(|&&(_, points)| Some(points) == max).map(|&(mv, _)| mv));
    }
    let id = find("id").map_or_else(|| format!("line {number}"), |id| id.trim_matches('"').to_owned());
    Ok(Problem { id, board: epd.board, best, avoid, mate, points })
}

fn moves(board: &Board, operation: &'static str, list: Option<&str>) -> Result<Vec<Move>, String> {
    words(list.unwrap_or("")).map(|text| legal(board, operation, text)).collect()
}

fn legal(board: &Board, operation: &'static str, text: &str) -> Result<Move, String> {
    let mv = board.parse_san(text).or_else(|| board.parse_uci(text, false));
    mv.ok_or_else(|| format!("{operation} {text:?}: no legal move in SAN or UCI notation"))
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split([' ', ',']).filter(|text| !text.is_empty())
}

/// Points for moves as in the Strategic Test Suite: `c0 "f5=10, Be5+=2"`, or `c8 "10 2"` with the moves in `c9` (coordinates) or
/// `c7` (SAN). Ignores operations that contain comments.
fn points<'a>(board: &Board, find: &impl Fn(&str) -> Option<&'a str>) -> Result<Vec<(Move, u32)>, String> {
    let text = |code: &str| find(code).map_or("", |operand| operand.trim_matches('"'));
    // A promotion also contains "=".
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
        return Err(format!("c8 has points for {} moves, but {operation} names {}", numbers.len(), moves.len()));
    }
    Ok(moves.into_iter().zip(numbers).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Problem, String> {
        problem(line, 7)
    }

    fn uci_moves(problem: &Problem, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&mv| problem.board.uci(mv, false)).collect()
    }

    #[test]
    fn reads_best_and_avoided_moves() {
        let problem = parse("4k3/8/8/8/8/8/8/R3K2R w KQ - bm O-O Ra8+; am h1h8; id \"castle; or not\";").unwrap();
        assert_eq!(uci_moves(&problem, &problem.best), ["e1g1", "a1a8"]);
        assert_eq!(uci_moves(&problem, &problem.avoid), ["h1h8"]);
        assert_eq!((problem.mate, problem.id.as_str()), (None, "castle; or not"));
        assert_eq!(problem.board.fen(false), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    }

    #[test]
    fn reads_mates_without_moves_and_id() {
        let problem = parse("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; pv \"Ra8#\"").unwrap();
        assert_eq!((problem.mate, problem.id.as_str()), (Some(1), "line 7"));
        assert!(problem.best.is_empty() && problem.avoid.is_empty());
    }

    /// Moves in SAN with their points.
    fn points_in_san(problem: &Problem) -> Vec<(String, u32)> {
        problem.points.iter().map(|&(mv, points)| (problem.board.san(mv), points)).collect()
    }

    #[test]
    fn reads_points() {
        let c0 = parse("4k3/P7/8/8/8/8/8/R3K2R w KQ - bm O-O; c0 \"O-O=10, a8=Q+=7, Rb1=2\"; id \"x\";").unwrap();
        let expected = [("O-O", 10), ("a8=Q+", 7), ("Rb1", 2)].map(|(mv, points)| (mv.to_owned(), points));
        assert_eq!(points_in_san(&c0), expected);
        for moves in ["c7 \"O-O a8=Q+ Rb1\"", "c9 \"e1g1 a7a8q a1b1\"", "c7 \"?\"; c9 \"e1g1 a7a8q a1b1\""] {
            let line = format!("4k3/P7/8/8/8/8/8/R3K2R w KQ - bm O-O; c0 \"a comment\"; {moves}; c8 \"10 7 2\";");
            assert_eq!(points_in_san(&parse(&line).unwrap()), expected, "{line}");
        }
    }

    #[test]
    fn most_points_are_best_without_bm() {
        let best = |operations: &str| {
            let problem = parse(&format!("4k3/8/8/8/8/8/8/R3K2R w KQ - {operations}")).unwrap();
            uci_moves(&problem, &problem.best)
        };
        assert_eq!(best("c0 \"Ra8+=10, O-O=3, Rh8+=10\";"), ["a1a8", "h1h8"]);
        assert_eq!(best("bm O-O; c0 \"Ra8+=10, O-O=3\";"), ["e1g1"]);
        assert!(best("dm 3; c0 \"Ra8+=10\";").is_empty());
    }

    #[test]
    fn comments_are_not_points() {
        for comment in ["All win but e3 is best.", "", "Ra8=best", "=10x", "e8=Q", "10"] {
            let line = format!("4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; c0 \"{comment}\"; c8 \"x\"; c9 \"e1e2\";");
            assert!(parse(&line).unwrap().points.is_empty(), "{comment}");
        }
    }

    #[test]
    fn reads_counters_of_epd_and_fen() {
        let fen = |line: &str| parse(line).unwrap().board.fen(false);
        assert_eq!(fen("4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; hmvc 98; fmvn 120;"), "4k3/8/8/8/8/8/8/R3K3 w - - 98 120");
        assert_eq!(fen("4k3/8/8/8/8/8/8/R3K3  w -  - 97 119 bm Ra8;"), "4k3/8/8/8/8/8/8/R3K3 w - - 97 119");
    }

    #[test]
    fn errors_quote_invalid_operations() {
        let message = |line: &str| parse(line).unwrap_err();
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - bm Nf3;").contains("bm \"Nf3\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - am Ra8 Rz9;").contains("am \"Rz9\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - c0 \"Ra8=10, Nf3=2\";").contains("c0 \"Nf3\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - c8 \"10 2\"; c9 \"a1a8\";").contains("2 moves, but c9 names 1"));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - dm 0;").contains("dm \"0\""));
        assert!(message("4k3/8/8/8/8/8/8/R3K3 w - - dm soon;").contains("dm \"soon\""));
        assert_eq!(message("4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; id \"x;"), "unterminated quotation mark");
        assert!(parse("8/8/8/8/8/8/8/8 w - - bm e4;").is_err() && parse("rubbish").is_err());
    }

    #[test]
    fn fens_have_no_task() {
        for line in
            ["4k3/8/8/8/8/8/8/R3K3 w Q - 3 40", "4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/R3K3 w Q - id \"x\";"]
        {
            assert!(!parse(line).unwrap().has_task(), "{line}");
            assert!(
                problems(line).is_err_and(|(number, error)| number == 1 && error.contains("no solution; expected bm")),
                "{line}"
            );
        }
        assert_eq!(
            parse("4k3/8/8/8/8/8/8/R3K3 w Q - 3 40").unwrap().board.fen(false),
            "4k3/8/8/8/8/8/8/R3K3 w Q - 3 40"
        );
    }

    #[test]
    fn errors_have_line_numbers() {
        let text = "# a comment\n\n4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8;\r\n4k3/8/8/8/8/8/8/R3K3 b - - bm Kd7;\n";
        let list = problems(text).unwrap();
        assert_eq!(list.iter().map(|problem| problem.id.as_str()).collect::<Vec<_>>(), ["line 3", "line 4"]);
        let (line, error) = problems(&text.replace("Kd7", "Kd1")).unwrap_err();
        assert_eq!(line, 4);
        assert!(error.contains("bm \"Kd1\""), "{error}");
    }

    #[test]
    fn invalid_lines_are_skipped_with_messages() {
        let text = "4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;\n\nrubbish\n4k3/8/8/8/8/8/8/R3K3 w Q - bm Nf3;\n4k3/8/8/8/8/8/8/R3K3 w Q -\n";
        let (problems, skipped) = split(text);
        assert_eq!(problems.iter().map(Problem::has_task).collect::<Vec<_>>(), [true, false]);
        let lines = messages(Path::new("suite.epd"), &skipped);
        assert!(lines[0].starts_with("suite.epd:3: skipped \"rubbish\": "), "{lines:?}");
        assert!(lines[1].starts_with("suite.epd:4: ") && lines[1].contains("bm \"Nf3\""), "{lines:?}");
        assert_eq!((lines.len(), skipped[0].line), (2, 3));
        let many = vec![skipped[0].clone(); 14];
        let lines = messages(Path::new("suite.epd"), &many);
        assert_eq!((lines.len(), lines[10].as_str()), (11, "suite.epd: 4 more lines skipped"));
    }
}
