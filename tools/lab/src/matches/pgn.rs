//! Games as PGN.

use lento::chess::{Board, Color, File, Wing};
use lento::eval::wdl;
use lento::score::{Score, mate_distance};
use lento_common::play::record::Record;
use std::fmt::Write;

/// What the tags of a game say besides what the game itself tells.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'a> {
    /// The match.
    pub event: &'a str,
    /// The number of the pair and of the game in it, such as `17.2`.
    pub round: &'a str,
    /// The names of White and Black.
    pub players: [&'a str; 2],
}

/// Longest line of move text.
const WIDTH: usize = 100;

/// A game in PGN, with score, depth and time of each move as comments, and an empty line at the end.
pub fn write(record: &Record, tags: Tags) -> String {
    let mut text = String::new();
    let start = &record.start;
    let chess960 = is_chess960(start);
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", tags.event);
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", tags.round);
    tag("White", tags.players[0]);
    tag("Black", tags.players[1]);
    tag("Result", record.result.text());
    if chess960 {
        tag("Variant", "Chess960");
    }
    tag("SetUp", "1");
    tag("FEN", &start.fen(chess960));
    tag("PlyCount", &record.plies.len().to_string());
    tag("Termination", record.ending.text());
    text.push('\n');
    let mut column = 0;
    for word in words(record) {
        if column > 0 && column + 1 + word.len() > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        column += word.len();
        text.push_str(&word);
    }
    text.push_str("\n\n");
    text
}

/// Whether a king or rook that may still castle stands where it would not stand in chess.
fn is_chess960(start: &Board) -> bool {
    let home = |color| start.king(color).file() == File::E;
    let rooks = [(Wing::King, File::H), (Wing::Queen, File::A)];
    Color::ALL.into_iter().any(|color| {
        rooks.into_iter().any(|(wing, file)| {
            start.castling().has(color, wing) && !(home(color) && start.castling_rook(color, wing).file() == file)
        })
    })
}

/// The words of the move text.
fn words(record: &Record) -> Vec<String> {
    let mut board = record.start.clone();
    let mut words = Vec::new();
    for (index, ply) in record.plies.iter().enumerate() {
        let white = board.side_to_move() == Color::White;
        if white || index == 0 {
            words.push(format!("{}{}", board.fullmove_number(), if white { "." } else { "..." }));
        }
        words.push(board.san(ply.mv));
        words.push(format!(
            "{{{}/{} {:.3}s}}",
            score(ply.score, wdl::material(&board)),
            ply.depth,
            ply.time.as_secs_f64()
        ));
        board = board.after(ply.mv);
    }
    words.push(record.result.text().to_owned());
    words
}

/// A score as it is shown everywhere: in pawns, where one pawn means 50 % wins, or the distance to mate in moves.
fn score(score: Score, material: i32) -> String {
    match mate_distance(score) {
        Some(moves) if moves < 0 => format!("-M{}", -moves),
        Some(moves) => format!("+M{moves}"),
        None => format!("{:+.2}", f64::from(wdl::normalise(score, material)) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::score::mate_in;
    use lento_common::play::record::{Ending, GameResult, Ply};

    #[test]
    fn chess960_is_named_where_castling_differs() {
        let text = |fen: &str| {
            let start = Board::from_fen(fen).unwrap();
            let record = Record { start, plies: Vec::new(), result: GameResult::Draw, ending: Ending::Agreement };
            write(&record, Tags { event: "", round: "", players: ["", ""] })
        };
        let chess = text("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
        assert!(!chess.contains("Variant") && chess.contains(" b KQkq - "), "{chess}");
        for fen in ["r3k1r1/8/8/8/8/8/8/4K3 w gq - 0 1", "4k3/8/8/8/8/8/8/R4K1R w HA - 0 1"] {
            let shuffled = text(fen);
            assert!(shuffled.contains("[Variant \"Chess960\"]") && shuffled.contains(&fen[..20]), "{shuffled}");
        }
    }

    #[test]
    fn a_game_with_tags_numbers_and_comments() {
        let start = Board::from_fen("6k1/5ppp/8/8/8/8/r7/R5K1 b - - 0 30").unwrap();
        let mut board = start.clone();
        let mut plies = Vec::new();
        for (text, score) in [("a2c2", -12), ("a1a8", mate_in(3)), ("c2c8", -310), ("a8c8", mate_in(1))] {
            let mv = board.parse_uci(text, false).unwrap();
            plies.push(Ply { score, depth: 7, ..Ply::new(mv) });
            board = board.after(mv);
        }
        let record = Record { start, plies, result: GameResult::WhiteWins, ending: Ending::Checkmate };
        let tags = Tags { event: "a \"test\"", round: "1.1", players: ["new", "old"] };
        let text = write(&record, tags);
        assert!(text.contains("[Event \"a \\\"test\\\"\"]\n") && text.contains("[White \"new\"]\n"), "{text}");
        assert!(text.contains("[FEN \"6k1/5ppp/8/8/8/8/r7/R5K1 b - - 0 30\"]\n"), "{text}");
        let moves = text.split("\n\n").nth(1).unwrap().replace('\n', " ");
        let [first, third] = [-12, -310].map(|score| f64::from(wdl::normalise(score, 13)) / 100.0);
        let expected = format!(
            "30... Rc2 {{{first:+.2}/7 0.000s}} 31. Ra8+ {{+M2/7 0.000s}} Rc8 {{{third:+.2}/7 0.000s}} 32. Rxc8# \
             {{+M1/7 0.000s}} 1-0"
        );
        assert_eq!(moves, expected);
        assert!(text.ends_with("1-0\n\n"));
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }
}
