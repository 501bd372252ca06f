use super::*;
use crate::cases::cases;
use crate::database::Line;
use crate::pgn::{PgnMove, Reader, Remarks, Variation};
use lento::chess::fen::START;
use lento::score::{Score, mate_in};
use lento_console::setup::Setup;
use proptest::prelude::*;
use std::time::Duration;

/// An analysis with these lines.
fn analysis(lines: Vec<Line>) -> Analysis {
    Analysis { depth: 12, seldepth: 20, nodes: 20_000, time: Duration::from_millis(15), lines }
}

/// A game from a FEN and moves in SAN.
fn game(fen: &str, moves: &str) -> AnalysedGame {
    let start = Board::from_fen(fen).unwrap();
    let moves = Setup::default().moves(&start, moves).unwrap();
    let moves: Vec<PgnMove> = moves.into_iter().map(|mv| PgnMove::from(Some(mv))).collect();
    let analyses = vec![None; moves.len() + 1];
    let pgn = PgnGame { tags: Vec::new(), chess960: false, start, comment: None, moves, result: "*".into() };
    AnalysedGame { pgn, analyses }
}

/// Sets the lines of a position, each a score of the side to move with moves in SAN.
fn found(game: &mut AnalysedGame, at: usize, lines: &[(Score, &str)]) {
    let root = game.pgn.moves[..at].iter().fold(game.pgn.start.clone(), |board, ply| ply.after(&board));
    let line = |&(score, moves): &(Score, &str)| Line { score, pv: Setup::default().moves(&root, moves).unwrap() };
    game.analyses[at] = Some(analysis(lines.iter().map(line).collect()));
}

/// The HTML page of these games.
fn page(studies: &[Study]) -> String {
    let mut page = html::Page::default();
    studies.iter().for_each(|study| page.add(study));
    page.finish()
}

/// Fool's mate with an analysis of each position but the last.
fn fools_mate() -> AnalysedGame {
    let mut game = game(START, "f3 e5 g4 Qh4");
    found(&mut game, 0, &[(20, "e4 e5 Nf3")]);
    found(&mut game, 1, &[(50, "e5 e4 d5"), (30, "d5")]);
    found(&mut game, 2, &[(-50, "e4 Nf6 Nc3 Bc5 Bc4 Nc6 d3 d6 Na4 Bb6 c3 Ne7")]);
    found(&mut game, 3, &[(mate_in(1), "Qh4"), (20, "d5")]);
    game.pgn.result = "0-1".into();
    game
}

/// A side is not perfect because only its best moves are judged.
#[test]
fn sides_need_the_positions_after_their_moves() {
    let mut game = fools_mate();
    found(&mut game, 0, &[(20, "f3 e5")]);
    (game.analyses[1], game.analyses[3]) = (None, None);
    assert_eq!(Study::new(&game).sides, [None, None]);
}

#[test]
fn moves_are_assessed_by_their_loss() {
    let game = fools_mate();
    let study = Study::new(&game);
    let marks: Vec<_> = study.moves.iter().map(|judged| judged.unwrap().mark).collect();
    assert_eq!(marks[1..], [None, Some(accuracy::Mark::Blunder), Some(accuracy::Mark::Good)]);
    assert_eq!(study.values[4], Some(Value::checkmate(Color::Black)));
    let [white, black] = study.sides.map(Option::unwrap);
    assert_eq!((black.accuracy, black.centipawns, black.moves), (100.0, 0.0, 2));
    assert!(white.accuracy < 60.0 && white.marks[2] == 1, "{white:?}");
    assert_eq!(study.better_line(2).map(<[Move]>::len), Some(12));
    assert!(study.better_line(1).is_none() && study.better_line(3).is_none());
}

/// The last position of a drawn game is a draw, whatever its score.
#[test]
fn repetitions_are_draws() {
    let mut game = game(START, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8");
    (0..=8).for_each(|at| found(&mut game, at, &[(300, "")]));
    let values = Study::new(&game).values;
    assert_eq!((values[4], values[8]), (Some(Value::new(&game.pgn.start, 300)), Some(Value::new(&game.pgn.start, 0))));
}

#[test]
fn games_without_analyses_are_reported() {
    let game = game(START, "e4 e5");
    let study = Study::new(&game);
    assert!(study.sides.iter().all(Option::is_none) && study.moves.iter().all(Option::is_none));
    assert!(annotate::pgn(&study).ends_with("\n\n1. e4 e5 *\n\n"));
    assert!(graph::svg(&study).is_ok() && page(&[study]).contains(">e4</a>"));
}

/// Positions without analysis must not look like wins for Black.
#[test]
fn graphs_have_gaps_between_analysed_positions() {
    let mut game = game(START, "e4 e5 Nf3 Nc6 Bc4 Nf6");
    for at in [1, 2, 5] {
        found(&mut game, at, &[(10, "")]);
    }
    let page = page(&[Study::new(&game)]);
    let gaps: Vec<&str> =
        page.split("<rect class=\"gap\" ").skip(1).map(|gap| gap.split(" height").next().unwrap()).collect();
    assert_eq!(gaps, ["x=\"0\" width=\"1\"", "x=\"2\" width=\"4\""]);
}

#[test]
fn empty_games_are_reported() {
    for fen in [START, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        let game = game(fen, "");
        let study = Study::new(&game);
        assert!(annotate::pgn(&study).ends_with("\n\n*\n\n"));
        assert!(graph::svg(&study).is_ok() && page(&[study]).contains("class=\"moves\""));
    }
}

#[test]
fn annotated_pgn_has_evaluations_and_marks() {
    let mut game = fools_mate();
    let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    game.pgn.tags =
        vec![tag("White", "A \"B\" \\ C"), tag("ECO", "A00"), tag("Annotator", "Me"), tag("WhiteAccuracy", "1")];
    game.pgn.moves[0].remarks.comment = Some("[%clk 0:01:02] weak} \n {but [%eval 9] [not] lost".into());
    game.pgn.moves[1].remarks.nags = vec![13, 3];
    game.pgn.moves[2].remarks.nags = vec![13];
    let study = Study::new(&game);
    let text = annotate::pgn(&study);
    let (tags, moves) = text.split_once("\n\n").unwrap();
    let accuracy = study.sides.map(|side| format!("{:.1}", side.unwrap().accuracy));
    assert_eq!(
        tags,
        format!(
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A \\\"B\\\" \\\\ C\"]\n[Black \"?\"]\n\
             [Result \"0-1\"]\n[ECO \"A00\"]\n[PlyCount \"4\"]\n[Annotator \"Me\"]\n[WhiteAccuracy \"{}\"]\n\
             [BlackAccuracy \"{}\"]",
            accuracy[0], accuracy[1]
        )
    );
    let values: Vec<String> = study.values.iter().flatten().filter_map(Value::pgn).collect();
    assert_eq!(
        moves.replace('\n', " ").trim_end(),
        format!(
            "1. f3 $2 {{[%eval {},12] [%clk 0:01:02] weak) (but [not] lost}} (1. e4 e5 2. Nf3 {{[%eval {}]}}) \
             1... e5 $13 $3 {{[%eval {},12]}} 2. g4 $4 $13 {{[%eval #-1,12]}} (2. e4 Nf6 3. Nc3 Bc5 4. Bc4 Nc6 5. d3 d6 6. Na4 Bb6 \
             {{[%eval {}]}}) 2... Qh4# $1 0-1",
            values[1], values[0], values[2], values[2]
        )
    );
    assert!(text.lines().all(|line| line.chars().count() <= 79), "{text}");
    assert!(text.ends_with("0-1\n\n"));
}

#[test]
fn chess960_games_round_trip() {
    let mut game = game("r3k1r1/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w GAga - 3 9", "O-O O-O-O");
    game.pgn.chess960 = true;
    let text = annotate::pgn(&Study::new(&game));
    assert!(
        text.contains(
            "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"r3k1r1/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w GAga - 3 9\"]\n"
        ),
        "{text}"
    );
    assert!(text.ends_with("\n\n9. O-O O-O-O *\n\n"), "{text}");
}

/// A line starting with `%` is skipped by readers, and `[` looks like a tag.
#[test]
fn movetext_lines_do_not_start_with_percent_or_bracket() {
    for start in 0..90 {
        let mut game = game(START, "e4");
        game.pgn.moves[0].remarks.comment = Some(format!("{} %gone [x] %{} end", "a".repeat(start), "b ".repeat(40)));
        let text = annotate::pgn(&Study::new(&game));
        let moves = text.split_once("\n\n").unwrap().1;
        assert!(moves.lines().all(|line| !line.starts_with(['%', '['])), "{text}");
    }
}

#[test]
fn text_is_escaped_in_html() {
    const EVIL: &str = "</script><script>alert('x')</script><img src=x onerror=\"alert(1)\">&amp;";
    let mut game = fools_mate();
    for name in ["Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO", "Opening", EVIL] {
        game.pgn.tags.push((name.into(), EVIL.into()));
    }
    game.pgn.result = EVIL.into();
    game.pgn.comment = Some(EVIL.into());
    for ply in &mut game.pgn.moves {
        ply.remarks.comment = Some(format!("{EVIL} [%clk {EVIL}]"));
    }
    let study = || Study::new(&game);
    for page in [page(&[study()]), page(&[study(), study()])] {
        assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;") && page.contains("&amp;amp;"));
        for part in ["<script>alert", "<img", "</script><script>", "='x'"] {
            assert!(!page.contains(part), "{part}");
        }
        // The page's script and the data of each game.
        let games = page.matches("<article").count();
        assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (games + 1, games + 1));
    }
    assert!(!graph::svg(&study()).unwrap().contains("<script"));
}

#[test]
fn pages_are_self_contained() {
    let game = fools_mate();
    let page = page(&[Study::new(&game)]);
    // The SVG namespace is not fetched.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "url(", "src=", "@import", "<link", "fetch(", "import "] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn page_data_is_correct() {
    let game = fools_mate();
    let page = page(&[Study::new(&game)]);
    let json = page.split("<script type=\"application/json\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data["start"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    assert_eq!(data["moves"][0], "f2.f3P");
    assert_eq!(data["positions"].as_array().map(Vec::len), Some(5));
    assert_eq!(data["positions"][3][6][0], serde_json::json!(["#-1", "2... Qh4#", "d8.h4q"]));
    assert_eq!(data["positions"][4], serde_json::json!(["#", 0.0]));
    for id in 1..=4 {
        assert!(page.contains(&format!("id=\"g1-{id}\" href=\"#g1-{id}\"")));
    }
}

/// A long game of knight moves with a blunder at each.
fn long(plies: usize) -> AnalysedGame {
    let mut game = game(START, &"Nf3 Nf6 Ng1 Ng8 ".repeat(plies / 4));
    for at in 0..plies {
        let (score, best) = if at % 4 < 2 { (500, ["e4", "e5"]) } else { (-500, ["d4", "d5"]) };
        found(&mut game, at, &[(score, best[at % 2])]);
    }
    game
}

#[test]
fn graphs_and_pages_stay_small() {
    let game = long(4000);
    let study = Study::new(&game);
    let graph = graph::svg(&study).unwrap();
    assert!(graph.len() <= 100_000 && graph.trim_end().ends_with("</svg>"), "{}", graph.len());
    let games: Vec<AnalysedGame> = (0..100).map(|_| long(80)).collect();
    let page = page(&games.iter().map(Study::new).collect::<Vec<_>>());
    assert!(page.len() < 4_000_000, "{}", page.len());
}

/// Parses one game, without problems.
fn reread(text: &str) -> PgnGame {
    let mut reader = Reader::new(text.as_bytes());
    let reading = reader.next_game().unwrap().unwrap();
    assert_eq!((reading.problems, reader.next_game().unwrap().is_none()), (Vec::new(), true), "{text}");
    reading.game.unwrap()
}

#[test]
fn written_games_are_read_back() {
    let mut game = fools_mate();
    game.pgn.tags = vec![("White".into(), "A \"B\" \\ C] [".into()), ("fen".into(), "not used".into())];
    game.pgn.moves[0].remarks.comment =
        Some("A long comment: (with) brackets, $9 a sign; and more, so that its line has to be broken.".into());
    game.pgn.moves[1].remarks.nags = vec![13, 3];
    let read = reread(&annotate::pgn(&Study::new(&game)));
    let tag = |name| read.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!((tag("White"), tag("FEN"), tag("Result")), (Some("A \"B\" \\ C] ["), None, Some("0-1")));
    let written = game.pgn.moves[0].remarks.comment.as_deref().unwrap();
    let comment = read.moves[0].remarks.comment.as_deref().unwrap();
    assert!(comment.starts_with("[%eval ") && comment.ends_with(written), "{comment}");
    let nags: Vec<_> = read.moves.iter().map(|ply| ply.remarks.nags.clone()).collect();
    assert_eq!(nags, [vec![2], vec![13, 3], vec![4], vec![1]]);
}

/// The positions of the main line, played with another library.
fn replay(text: &str, board: &Board) -> Vec<String> {
    let mut board = cozy_chess::Board::from_fen(&board.fen(true), true).unwrap();
    let (_, moves) = text.split_once("\n\n").unwrap();
    let (mut comment, mut depth, mut outside) = (false, 0, String::new());
    for c in moves.chars() {
        match c {
            '{' => comment = true,
            '}' => comment = false,
            _ if comment => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            c if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let mut positions = Vec::new();
    for word in outside.split_whitespace() {
        if word.starts_with('$') || word.starts_with(|c: char| c.is_ascii_digit()) || word == "*" {
            continue;
        }
        let mv = cozy_chess::util::parse_san_move(&board, word).unwrap_or_else(|_| panic!("{word} in {board}"));
        board.play(mv);
        positions.push(format!("{board:#}"));
    }
    positions
}

/// A random variation with nested ones and null moves.
fn other(board: &Board, random: &mut fastrand::Rng, depth: usize) -> Variation {
    let comment = |random: &mut fastrand::Rng, text: &str| random.bool().then(|| text.to_owned());
    let (mut line, mut moves) = (board.clone(), Vec::new());
    let intro = comment(random, "Also [%csl Ge4] possible:");
    for at in 0..random.usize(1..6) {
        let legal = line.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = (at == 0 || line.in_check() || random.u8(..5) > 0).then(|| legal[random.usize(0..legal.len())]);
        let nags = if random.u8(..4) == 0 { vec![random.u8(1..140)] } else { Vec::new() };
        let within = if depth > 0 { random.usize(0..2) } else { 0 };
        let variations = (0..within).map(|_| other(&line, random, depth - 1)).collect();
        let comment = comment(random, "(a [%eval 0.1] thought)");
        moves.push(PgnMove { mv, remarks: Remarks { nags, comment, variations } });
        match mv {
            Some(mv) => line = line.after(mv),
            None => line.pass(),
        }
    }
    Variation { comment: intro, moves }
}

#[test]
fn annotations_of_the_file_are_kept() {
    const FILE: &str = "[Event \"x\"]\n{Before [%csl Ga1]} 1. f3 $2 $13 {weak} ({or} 1. e4! e5 (1... c5 2. Nf3 (2. -- d6) 2... d6 {Sicilian}) 2. Nf3 \
        {well}) (1. d4) 1... e5 {[%clk 1:00:00]} 2. g4 $4 (2. e4) Qh4# {mate} 0-1 {It was short.}";
    let read = reread(FILE);
    let mut game = fools_mate();
    game.pgn.comment = read.comment.clone();
    for (ply, read) in game.pgn.moves.iter_mut().zip(&read.moves) {
        ply.remarks = read.remarks.clone();
    }
    let text = annotate::pgn(&Study::new(&game));
    let moves = text.split_once("\n\n").unwrap().1.replace('\n', " ");
    let mut rest = moves.as_str();
    for part in [
        "{Before [%csl Ga1]} 1. f3 $2 $13 {[%eval ",
        "] weak} ({or} 1. e4 $1 e5 (1... c5 2. Nf3 (2. -- d6) 2... d6 {Sicilian}) 2. Nf3 {well}) (1. d4) 1... e5 {[%eval ",
        "] [%clk 1:00:00]} 2. g4 $4 {[%eval #-1,12]} (2. e4) (2. e4 Nf6 3. Nc3 ",
        "]}) 2... Qh4# $1 {mate It was short.} 0-1",
    ] {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in {rest:?} of {text}"));
        rest = &rest[at + part.len()..];
    }
    assert!(page(&[Study::new(&game)]).contains("<bdi>Before</bdi></p>"));
}

#[test]
fn clocks_are_shown_if_present() {
    let mut game = fools_mate();
    assert!(!page(&[Study::new(&game)]).contains("class=\"seat"));
    game.pgn.moves[0].remarks.comment = Some("[%clk 0:59:58]".into());
    game.pgn.moves[1].remarks.comment = Some("[%clk 0:59:<b>]".into());
    game.pgn.moves[2].remarks.comment = Some("slow [%clk 0:58:00.5]".into());
    let page = page(&[Study::new(&game)]);
    for part in [
        "<div class=\"seat w\"><bdi>White</bdi><span class=\"clock\">0:58:00.5</span>",
        "<span class=\"clock\">–</span>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("\"clocks\":[\"0:59:58\",null,\"0:58:00.5\",null],\"first\":\"w\""));
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn written_moves_match_another_library(seed in any::<u64>(), fen in prop::sample::select(vec![
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        "2r1kr2/8/8/8/8/8/8/1R2K1R1 b GBfc - 0 40",
    ]), comment in prop_oneof![
        "[ -~äöü]{0,120}",
        // Used to be broken into lines starting with `%`.
        Just("((ä9Xü;üüPuä%ö?ahü'<4".to_owned()),
    ]) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut game = game(fen, "");
        game.pgn.chess960 = !fen.contains("KQkq");
        let mut board = game.pgn.start.clone();
        let mut expected = Vec::new();
        for _ in 0..random.usize(0..80) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.usize(0..moves.len())];
            let mut line = || Line { score: random.i32(-400..400), pv: vec![moves[random.usize(0..moves.len())]] };
            let before = Some(analysis(vec![line(), line()]));
            let comment = random.bool().then(|| comment.clone());
            let variations = (0..random.usize(0..2)).map(|_| other(&board, &mut random, 3)).collect();
            game.pgn.moves.push(PgnMove { mv: Some(mv), remarks: Remarks { comment, variations, ..Remarks::default() } });
            game.analyses.insert(game.pgn.moves.len() - 1, before);
            board = board.after(mv);
            let shown = cozy_chess::Board::from_fen(&board.fen(true), true);
            expected.push(shown.map_or_else(|error| error.to_string(), |board| format!("{board:#}")));
        }
        let text = annotate::pgn(&Study::new(&game));
        let place = |text: &String| text.split(' ').take(3).collect::<Vec<_>>().join(" ");
        let read = reread(&text);
        let all = |moves: &[PgnMove]| moves.iter().map(|ply| ply.mv).collect::<Vec<_>>();
        let played: Vec<_> = game.pgn.moves.iter().map(|ply| ply.mv).collect();
        prop_assert_eq!(all(&read.moves), played, "{}", text);
        // The file's variations come first and are complete.
        for (read, ply) in read.moves.iter().zip(&game.pgn.moves) {
            let others = &ply.remarks.variations;
            prop_assert_eq!(&read.remarks.variations[..others.len()], &others[..], "{}", text);
        }
        // Annotating again changes nothing.
        let again = PgnGame { moves: read.moves, tags: read.tags, ..game.pgn.clone() };
        let again = AnalysedGame { pgn: again, analyses: game.analyses.clone() };
        prop_assert_eq!(&annotate::pgn(&Study::new(&again)), &text);
        prop_assert_eq!((read.start, read.chess960, read.result), (game.pgn.start.clone(), game.pgn.chess960, game.pgn.result.clone()));
        let replayed: Vec<String> = replay(&text, &game.pgn.start).iter().map(place).collect();
        prop_assert_eq!(replayed, expected.iter().map(place).collect::<Vec<_>>(), "{}", text);
    }
}
