//! Parses the arguments of `go`.

use super::words::{Words, quoted};
use lento::chess::{Board, Move, perft};
use lento::search::limits::Limits;

/// A parsed `go`. Root moves stay text, since parsing them needs the position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The limits.
    pub limits: Limits,
    /// The words after `searchmoves`.
    pub search_moves: Vec<String>,
    /// The words after `avoidmoves`.
    pub avoid_moves: Vec<String>,
}

impl Go {
    /// The root moves to search, empty for all. `problems` receives illegal moves, and `avoidmoves` that leave no move.
    pub fn root_moves(&self, board: &Board, chess960: bool, problems: &mut Vec<String>) -> Vec<Move> {
        let mut parse = |keyword: &str, texts: &[String]| {
            let mut moves = Vec::new();
            for text in texts {
                match board.parse_uci(text, chess960) {
                    Some(mv) => moves.push(mv),
                    None => problems.push(format!("`{keyword}` {} is not a legal move here; ignored", quoted(text))),
                }
            }
            moves
        };
        let wanted = parse("searchmoves", &self.search_moves);
        let avoided = parse("avoidmoves", &self.avoid_moves);
        if avoided.is_empty() {
            return wanted;
        }
        let mut left = if wanted.is_empty() { board.legal_moves().to_vec() } else { wanted.clone() };
        left.retain(|mv| !avoided.contains(mv));
        if left.is_empty() {
            let all = quoted(&self.avoid_moves.join(" "));
            problems.push(format!("`avoidmoves` {all} leaves no move to search; ignored"));
            return wanted;
        }
        left
    }
}

/// A limit with a number: keyword, minimum and maximum, and setter. Smaller values are errors, larger ones are clamped.
type Limit = (&'static str, (i64, i64), fn(&mut Limits, i64));

const ANY: (i64, i64) = (i64::MIN, i64::MAX);

/// Times may be negative: GUIs send such clocks when they lag.
const LIMITS: &[Limit] = &[
    ("depth", (0, i32::MAX as i64), |limits, n| limits.depth = Some(n as i32)),
    ("nodes", (0, i64::MAX), |limits, n| limits.nodes = Some(n as u64)),
    ("movetime", ANY, |limits, n| limits.movetime = Some(n)),
    ("wtime", ANY, |limits, n| limits.clock[0] = Some(n)),
    ("btime", ANY, |limits, n| limits.clock[1] = Some(n)),
    ("winc", ANY, |limits, n| limits.increment[0] = Some(n)),
    ("binc", ANY, |limits, n| limits.increment[1] = Some(n)),
    // Zero means sudden death, as if absent.
    ("movestogo", (0, u32::MAX as i64), |limits, n| limits.moves_to_go = (n > 0).then_some(n as u32)),
    ("mate", (1, u32::MAX as i64), |limits, n| limits.mate = Some(n as u32)),
];

/// Keywords without a number, or with a parser of their own.
const OTHERS: [&str; 5] = ["infinite", "ponder", "searchmoves", "avoidmoves", "perft"];

fn known() -> impl Iterator<Item = &'static str> {
    LIMITS.iter().map(|&(word, ..)| word).chain(OTHERS)
}

fn is_known(word: &str) -> bool {
    known().any(|known| word.eq_ignore_ascii_case(known))
}

/// Parses limits in any order. The last duplicate counts; invalid limits are reported and skipped. Also returns the
/// depth of `perft`, which is an error if invalid.
pub fn parse(words: &mut Words, problems: &mut Vec<String>) -> Result<(Go, Option<u32>), String> {
    let mut go = Go::default();
    let mut perft = None;
    let mut unknown: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        if let Some(&(limit, range, set)) = LIMITS.iter().find(|(limit, ..)| word.eq_ignore_ascii_case(limit)) {
            match number(limit, range, words) {
                Ok(n) => set(&mut go.limits, n),
                Err(problem) => problems.push(problem),
            }
            continue;
        }
        match word.to_ascii_lowercase().as_str() {
            "infinite" => go.limits.infinite = true,
            "ponder" => go.limits.ponder = true,
            "searchmoves" => moves("searchmoves", &mut go.search_moves, words, problems),
            "avoidmoves" => moves("avoidmoves", &mut go.avoid_moves, words, problems),
            "perft" => perft = Some(number("perft", PERFT, words)),
            _ => unknown.push(word),
        }
    }
    if !unknown.is_empty() {
        let (unknown, known) = (quoted(&unknown.join(" ")), known().collect::<Vec<_>>().join(", "));
        problems.push(format!("skipped {unknown} in `go`: not a limit; known limits are {known}"));
    }
    Ok((go, perft.transpose()?.map(|depth| depth as u32)))
}

/// The range of depths for perft, in plies.
pub(super) const PERFT: (i64, i64) = (0, perft::MAX_DEPTH as i64);

/// Parses the number after `word`, clamped to the maximum. A missing, too small or malformed number is an error; a keyword
/// in its place is not consumed.
pub(super) fn number(word: &str, (min, max): (i64, i64), words: &mut Words) -> Result<i64, String> {
    let found = words.take_if(|text| !is_known(text)).unwrap_or("");
    // Scripts send times such as `1500.0`.
    let whole = match found.split_once('.') {
        Some((whole, part)) if min == i64::MIN && part.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        _ => found,
    };
    saturating(whole).filter(|&n| n >= min).map(|n| n.min(max)).ok_or_else(|| {
        let at_least = if min == i64::MIN { String::new() } else { format!(" of at least {min}") };
        format!("`{word}` expects a whole number{at_least}, not {}; ignored", quoted(found))
    })
}

/// Parses an integer of any length, saturating at 64 bits.
fn saturating(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let limit = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(limit))
}

/// Consumes the words before the next limit as moves.
fn moves(keyword: &str, moves: &mut Vec<String>, words: &mut Words, problems: &mut Vec<String>) {
    let before = moves.len();
    while let Some(mv) = words.take_if(|word| !is_known(word)) {
        moves.push(mv.to_ascii_lowercase());
    }
    if moves.len() == before {
        problems.push(format!("`{keyword}` expects moves such as e2e4; ignored"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Go, Vec<String>) {
        let mut problems = Vec::new();
        match parse(&mut Words::new(text), &mut problems) {
            Ok((go, None)) => (go, problems),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn limits_in_any_order_and_case() {
        let (go, problems) =
            read("btime 2000 ponder WTIME 1000 winc 5 binc 6 movestogo 7 Depth 8 nodes 9 mate 2 movetime 3");
        let expected = Limits {
            depth: Some(8),
            nodes: Some(9),
            movetime: Some(3),
            clock: [Some(1000), Some(2000)],
            increment: [Some(5), Some(6)],
            moves_to_go: Some(7),
            mate: Some(2),
            ponder: true,
            ..Limits::default()
        };
        assert_eq!((go.limits, problems), (expected, vec![]));
    }

    #[test]
    fn searchmoves_in_any_order() {
        for text in ["searchmoves e2e4 A7A8Q depth 3", "depth 3 searchmoves e2e4 a7a8q"] {
            let (go, problems) = read(text);
            assert_eq!(go.search_moves, ["e2e4", "a7a8q"], "{text}");
            assert_eq!((go.limits.depth, problems), (Some(3), vec![]));
        }
        let (go, problems) = read("depth 2 searchmoves infinite");
        assert_eq!((go.search_moves.len(), go.limits.depth, go.limits.infinite), (0, Some(2), true));
        assert_eq!(problems, ["`searchmoves` expects moves such as e2e4; ignored"]);
    }

    #[test]
    fn avoidmoves_are_excluded() {
        let board = Board::start();
        let left = |text: &str| {
            let (go, mut problems) = read(text);
            let moves = go.root_moves(&board, false, &mut problems);
            (moves.iter().map(|&mv| board.uci(mv, false)).collect::<Vec<_>>(), problems)
        };
        let (moves, problems) = left("avoidmoves E2E4 d2d4 depth 3");
        assert!(moves.len() == 18 && !moves.contains(&"e2e4".into()) && !moves.contains(&"d2d4".into()), "{moves:?}");
        assert_eq!(problems, [""; 0]);
        assert_eq!(left("searchmoves a2a3 e2e4 avoidmoves e2e4").0, ["a2a3"]);
        assert_eq!(left("avoidmoves e2e5").0, [""; 0]);
        let (moves, problems) = left("avoidmoves a2a3 e2e5 searchmoves a2a3");
        assert_eq!((moves, problems.len()), (vec!["a2a3".into()], 2));
        assert_eq!(problems[1], "`avoidmoves` \"a2a3 e2e5\" leaves no move to search; ignored");
    }

    #[test]
    fn missing_numbers_do_not_consume_the_next_limit() {
        let (go, problems) = read("depth nodes 5");
        assert_eq!((go.limits.depth, go.limits.nodes), (None, Some(5)));
        assert_eq!(problems, ["`depth` expects a whole number of at least 0, not \"\"; ignored"]);
        let (go, problems) = read("depth x nodes 5 movetime");
        assert_eq!((go.limits.depth, go.limits.nodes, go.limits.movetime), (None, Some(5), None));
        assert_eq!(problems[1], "`movetime` expects a whole number, not \"\"; ignored");
    }

    #[test]
    fn numbers_saturate_and_clocks_may_be_negative() {
        let (go, problems) = read("nodes 99999999999999999999 depth 99999999999 wtime -500 binc -99999999999999999999");
        assert_eq!(problems, [""; 0]);
        assert_eq!((go.limits.nodes, go.limits.depth), (Some(i64::MAX as u64), Some(i32::MAX)));
        assert_eq!((go.limits.clock[0], go.limits.increment[1]), (Some(-500), Some(i64::MIN)));
        let (go, problems) = read("movetime 1500.0 wtime 60000.5");
        assert_eq!((go.limits.movetime, go.limits.clock[0], problems), (Some(1500), Some(60_000), vec![]));
        let (go, problems) = read("nodes -1 mate -2 depth 1.5 movestogo 0");
        assert_eq!((go.limits, problems.len()), (Limits::default(), 3));
        assert_eq!(saturating("-"), None);
    }

    #[test]
    fn unknown_words_are_reported_once() {
        let (go, problems) = read("foo depth 2 bar");
        assert_eq!(go.limits.depth, Some(2));
        assert!(problems.len() == 1 && problems[0].starts_with("skipped \"foo bar\" in `go`"), "{problems:?}");
    }

    #[test]
    fn perft_depth_is_returned() {
        let mut problems = Vec::new();
        assert_eq!(parse(&mut Words::new("perft 5"), &mut problems), Ok((Go::default(), Some(5))));
        assert_eq!(problems, [""; 0]);
        let error = parse(&mut Words::new("perft -1"), &mut problems);
        assert_eq!(error, Err("`perft` expects a whole number of at least 0, not \"-1\"; ignored".into()));
    }

    #[test]
    fn finite_searches() {
        for (text, ends) in [
            ("", false),
            ("infinite", false),
            ("depth 3", true),
            ("depth 3 infinite", false),
            ("ponder wtime 5", false),
            ("btime 5", true),
            ("winc 5", false),
            ("movetime 5", true),
            ("nodes 5", true),
            ("mate 5", true),
        ] {
            assert_eq!(read(text).0.limits.is_finite(false), ends, "{text}");
        }
        assert!(read("ponder wtime 5").0.limits.is_finite(true) && !read("ponder").0.limits.is_finite(true));
    }
}
