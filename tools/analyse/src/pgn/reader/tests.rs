mod nonstandard;

use super::*;

fn read(text: &str) -> Vec<Reading> {
    let mut reader = Reader::new(text.as_bytes());
    std::iter::from_fn(|| reader.next_game().unwrap()).collect()
}

/// The only game of a text: moves in SAN, result, problems.
fn one(text: &str) -> (String, String, Vec<String>) {
    let readings = read(text);
    assert_eq!(readings.len(), 1, "{text}");
    let game = readings[0].game.as_ref().expect("a game");
    let mut board = game.start.clone();
    let mut words = Vec::new();
    for played in &game.moves {
        words.push(played.mv.map_or_else(|| "--".into(), |mv| board.san(mv)));
        board = played.after(&board);
    }
    (words.join(" "), game.result.clone(), readings[0].problems.iter().map(Problem::to_string).collect())
}

#[test]
fn skips_everything_around_the_main_line() {
    let plain = ("e4 e5 Nf3 Nc6".to_owned(), "1-0".to_owned(), Vec::<String>::new());
    for text in [
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "[Event \"x\"]\n\n1.e4 e5 2.Nf3 Nc6 1-0\n",
        "[Result \"1-0\"]\r\n\r\n1.e4 e5\r\n2.Nf3 Nc6\r\n",
        "\u{feff}[Event \"x\"]\n1.e4 {a (comment] 1-0} e5 (1...c5 2.Nf3 (2.Nc3 *) 2...d6) 2.Nf3!? $14 Nc6 +- ; 0-1\n% 2.d4\n1-0",
        "e4 e5\nNf3 Nc6 1-0",
        "e2e4 e7e5 g1f3 b8c6 1-0",
        "{of the file}\n[Event \"x\"] 1.e4 e5 2.Nf3 Nc6 1-0 {behind it}",
    ] {
        assert_eq!(one(text), plain, "{text}");
    }
}

#[test]
fn keeps_annotations() {
    let games = read(
        "[Event \"x\"]\n{before} 1.e4! {[%clk 1:00:01] best} e5 $2 $14 {+0.10/9 0.1s} ; really\n2.Nf3 {one} {two} * {end}\n{alone}",
    );
    let game = games[0].game.as_ref().unwrap();
    let comments: Vec<Option<&str>> = game.moves.iter().map(|played| played.remarks.comment.as_deref()).collect();
    assert_eq!(comments, [Some("[%clk 1:00:01] best"), Some("+0.10/9 0.1s really"), Some("one two end")]);
    assert_eq!(game.comment.as_deref(), Some("before"));
    let nags = game.moves.iter().map(|played| &played.remarks.nags[..]).collect::<Vec<_>>();
    assert_eq!(nags, [&[1][..], &[2, 14], &[]]);
}

/// A variation in SAN, without move numbers.
fn shown(board: &Board, variation: &Variation) -> String {
    let (mut board, mut words) = (board.clone(), Vec::new());
    words.extend(variation.comment.iter().map(|comment| format!("{{{comment}}}")));
    for played in &variation.moves {
        let PgnMove { mv, remarks } = played;
        words.push(mv.map_or_else(|| "--".into(), |mv| board.san(mv)));
        words.extend(remarks.nags.iter().map(|nag| format!("${nag}")));
        words.extend(remarks.comment.iter().map(|comment| format!("{{{comment}}}")));
        words.extend(remarks.variations.iter().map(|inner| shown(&board, inner)));
        board = played.after(&board);
    }
    format!("({})", words.join(" "))
}

#[test]
fn keeps_variations() {
    for (text, expected, problem) in [
        ("1.e4 e5 (1...c5 2.Nf3 (2.Nc3 *) 2...d6) *", "(c5 Nf3 (Nc3) d6)", None),
        ("1.e4 e5 ({a} 1...c5! {b} 2.Nf3 $14) (1...e6) {c} *", "({a} c5 $1 {b} Nf3 $14) (e6)", None),
        ("1.e4 e5 (1...c5 2.-- d6 3.Z0) *", "(c5 -- d6 --)", None),
        ("1.e4 e5 (1...c5 (1...d5 (1...Nf6)) *", "(c5 (d5 (Nf6)))", Some("unterminated variation")),
        (
            "1.e4 e5 (1...c5 2.Nf9 d6 (2...e6) 3.d4) (1...d5) *",
            "(c5) (d5)",
            Some("illegal move \"Nf9\" in rnbqkbnr/pp1ppppp/"),
        ),
        ("1.e4 e5 ({only words}) () *", "", None),
        ("1.e4 e5 stray (1...c5 (1...d5) 2.Nf3) *", "(c5 (d5) Nf3)", Some("\"stray\" is not a move; skipped")),
        ("1.e4 e5 2.d4 Bb4+ (2...d6 (2...Qf6 (2...Nc6))) 3.c3 *", "(d6 (Qf6 (Nc6)))", None),
        ("1.e4 e5 2.d4 Bb4+ (2...Bb4 3.-- a6) *", "(Bb4+)", Some("illegal move \"--\" in")),
    ] {
        let readings = read(text);
        let (game, problems) = (readings[0].game.as_ref().unwrap(), &readings[0].problems);
        let mut board = game.start.clone();
        let mut all = Vec::new();
        for played in &game.moves {
            all.extend(played.remarks.variations.iter().map(|variation| shown(&board, variation)));
            board = played.after(&board);
        }
        assert_eq!(all.join(" "), expected, "{text}");
        assert!(problems.len() == usize::from(problem.is_some()), "{text}: {problems:?}");
        assert!(problem.is_none_or(|problem| problems[0].text.contains(problem)), "{text}: {problems:?}");
    }
    assert_eq!(
        read("1.e4 e5 ({only words}) *")[0].game.as_ref().unwrap().moves[1].remarks.comment.as_deref(),
        Some("only words")
    );
    // Any nesting depth.
    let deep = format!("1.e4 {} *", "(1.d4 ".repeat(100_000));
    let reading = read(&deep).remove(0);
    assert!(
        reading.problems.iter().any(|problem| problem.text.contains("nested more than 64 deep")),
        "{:?}",
        reading.problems
    );
}

#[test]
fn separates_games() {
    let results =
        |text: &str| -> Vec<String> { read(text).into_iter().map(|reading| reading.game.unwrap().result).collect() };
    assert_eq!(results("1.e4 e5 1-0 1.d4 d5 0-1 1.c4 *"), ["1-0", "0-1", "*"]);
    assert_eq!(results("[Event \"a\"]\n1.e4 e5\n[Event \"b\"]\n[Result \"0-1\"]\n1.d4\n"), ["*", "0-1"]);
    assert_eq!(results("[Event \"a\"]\n\n[Event \"b\"]\n\n1.e4 *"), ["*", "*"], "a game without moves");
    assert_eq!(results("[Event \"a\"]\n[Result \"1-0\"]\n1.e4 e5 *"), ["1-0"]);
    assert_eq!(results("[Event \"a\"]\n\n1.e4 (1.d4\n[Event \"b\"]\n\n1.e4 1/2"), ["*", "1/2-1/2"]);
    assert_eq!(results("[Event \"a\"]\n\n1.e4 {open\n[Event \"b\"]\n\n1.e4 1-0"), ["*", "1-0"]);
    assert_eq!(
        results("[Event \"a\"]\n; a comment\n[Result \"1-0\"]\n{another one} [Event \"b\"]\n1.e4"),
        ["1-0", "*"]
    );
    assert!(results("").is_empty() && results("\n\n% nothing\n{nothing}\n").is_empty());
    let numbers: Vec<u64> = read("[Event \"a\"]\n\n1.e4 *\n\n[Event \"b\"]\n*").iter().map(|r| r.number).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn illegal_moves_end_the_game_and_are_quoted() {
    let (moves, result, problems) = one("[Event \"x\"]\n\n1.e4 e5\n2.Nf4 Nc6 3.d4 1-0");
    assert_eq!((moves.as_str(), result.as_str(), problems.len()), ("e4 e5", "1-0", 1));
    assert!(problems[0].starts_with("game 1, line 4: illegal move \"Nf4\" in rnbqkbnr/pppp1ppp/"), "{problems:?}");
    for (text, part) in [
        ("[FEN \"8/8/8/8\"]\n1.e4 *", "4 ranks, expected 8"),
        ("[Variant \"Atomic\"]\n1.e4 *", "variant \"atomic\""),
        ("[Event \"x\"]\n1.e5 *", "illegal move \"e5\" in rnbqkbnr/"),
        ("what is this?", "\"what\" is not a game"),
        ("\u{0}\u{1}\u{2}binary \u{7f}", "is not a game"),
    ] {
        let readings = read(text);
        assert!(readings.len() == 1 && readings[0].game.is_none(), "{text}");
        assert!(readings[0].problems[0].to_string().contains(part), "{:?}", readings[0].problems);
    }
}

#[test]
fn null_moves_are_read_except_in_check() {
    for null in ["--", "Z0", "null", "Pass", "@@@@", "0000", "1...--", "1...0000"] {
        let expected = ("e4 -- d4 d5".to_owned(), "1-0".to_owned(), Vec::<String>::new());
        assert_eq!(one(&format!("1.e4 {null} 2.d4 d5 1-0")), expected, "{null}");
    }
    let (moves, result, problems) = one("1.e4 e5 2.-- f6 3.Qh5+ -- 4.Qxe8 1-0");
    assert_eq!((moves.as_str(), result.as_str(), problems.len()), ("e4 e5 -- f6 Qh5+", "1-0", 1));
    assert!(
        problems[0].contains("illegal move \"--\" in rnbqkbnr/pppp2pp/5p2/4p2Q/")
            && problems[0].ends_with(" (the side to move is in check); using the 5 moves before it"),
        "{problems:?}"
    );
}

#[test]
fn custom_starts_and_chess960_are_read() {
    let game = |text: &str| read(text).remove(0).game.unwrap();
    let ending = game("[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n1.a8(Q)+ *");
    assert!(ending.moves.len() == 1 && !ending.chess960);
    for variant in ["Chess960", "fischerandom", "chess 960", "Fischerandom", "", "Standard"] {
        let text = format!(
            "[FEN \"nbbrknrq/pppppppp/8/8/8/8/PPPPPPPP/NBBRKNRQ w KQkq - 0 1\"]\n[Variant \"{variant}\"]\n1.Ne3 Ne6 2.O-O *"
        );
        let game = game(&text);
        assert!(
            game.chess960 && game.moves.len() == 3 && game.moves[2].mv.is_some_and(lento::chess::Move::is_castle),
            "{variant}"
        );
    }
}

#[test]
fn set_up_0_means_the_initial_position() {
    let (moves, _, problems) = one("[SetUp \"0\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n1.e4 e5 *");
    assert_eq!((moves.as_str(), problems.len()), ("e4 e5", 0));
}

#[test]
fn stray_words_are_skipped() {
    let (moves, result, problems) =
        one("[Event \"x\"]\n{first} stray 1.♙e4 e5 2.♗c4 and more Nc6 3.Qh5 Nf6 4.Qxf7mate 1-0");
    assert_eq!((moves.as_str(), result.as_str()), ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", "1-0"));
    let words: Vec<&str> = problems.iter().filter_map(|problem| problem.split('"').nth(1)).collect();
    assert!(words == ["stray", "and", "more"] && problems[0].ends_with("is not a move; skipped"), "{problems:?}");
    let (moves, _, problems) = one("[Event \"x\"]\n1.e2–e4, e7-e5. 2.♗c4 Nf6 3.d3 Bc5 4.Nf3 0–0 5.O–O N×e4 6.d×e4 *");
    assert_eq!((moves.as_str(), problems.len()), ("e4 e5 Bc4 Nf6 d3 Bc5 Nf3 O-O O-O Nxe4 dxe4", 0));
    // Brackets are no tags of another game.
    let (moves, result, problems) = one("[Event \"x\"]\n1.e4 [%clk 0:01] e5 2.Nf3\n[2.Nc3 Nf6] Nc6 1-0");
    assert_eq!((moves.as_str(), result.as_str(), problems.len()), ("e4 e5 Nf3 Nc6", "1-0", 2));
    assert!(problems[0].ends_with("\"[%clk 0:01]\" is not a move; skipped"), "{problems:?}");
    // Unreadable moves are not skipped, since later moves depend on them.
    let (moves, _, problems) = one("[Event \"x\"]\n1.e4 e5 2.Sf3 Sc6 3.d4 *");
    assert!(moves == "e4 e5" && problems[0].contains("illegal move \"Sf3\""), "{problems:?}");
}

#[test]
fn enforces_limits() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(MAX_PLIES / 4 + 1);
    let readings = read(&shuffle);
    assert_eq!(readings[0].game.as_ref().unwrap().moves.len(), MAX_PLIES);
    assert!(readings[0].problems[0].text.contains("more than 20000 moves"));
    let comments = format!("e4 {}", format!("{{{}}} ", "x".repeat(1 << 15)).repeat(1 << 10));
    let readings = read(&comments);
    assert!(readings[0].game.as_ref().unwrap().moves[0].remarks.comment.as_ref().unwrap().len() <= MAX_TEXT);
    assert!(readings[0].problems[0].text.contains("bytes of tags, comments and variations"));
    for [first, second] in [["a", "\n"], ["é", ""]] {
        let whole = first.repeat((1 << 16) / first.len());
        let long = format!("{{{whole}{second}more}}");
        let readings = read(&format!("{long}\n[Event \"x\"]\n\n{{start}} 1. e4 {long} 1... e5 {{short}}"));
        let game = readings[0].game.as_ref().unwrap();
        let comments: Vec<_> = game.moves.iter().map(|played| played.remarks.comment.as_deref()).collect();
        assert_eq!((game.comment.as_deref(), &comments[..]), (Some("start"), &[Some(&*whole), Some("short")][..]));
        assert!(readings[0].problems[0].text.contains("a comment of more than 65536 bytes"));
    }
}

proptest::proptest! {
    /// Any input is read to its end.
    #[test]
    fn reads_arbitrary_bytes(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
        let mut reader = Reader::new(&bytes[..]);
        while reader.next_game().unwrap().is_some() {}
        proptest::prop_assert_eq!(reader.bytes(), bytes.len() as u64);
    }

    #[test]
    fn reads_arbitrary_words(picks in proptest::collection::vec(0..24_usize, 0..60)) {
        const WORDS: [&str; 24] = [
            "e4", "e5", "Nf3", "Nc6", "1.", "12...", "(", ")", "{", "}", "; x\n", "\n", "[Event \"x\"]\n", "[", "$7", "!?", "1-0", "*",
            "--", "O-O", "\n% x\n", "\"", "[FEN \"8/8\"]", "\u{feff}",
        ];
        let text: Vec<&str> = picks.iter().map(|&pick| WORDS[pick]).collect();
        for reading in read(&text.join(" ")) {
            if let Some(game) = reading.game {
                let mut board = game.start;
                for played in game.moves {
                    proptest::prop_assert!(played.mv.map_or(!board.in_check(), |mv| board.is_legal(mv)));
                    board = played.after(&board);
                }
            }
        }
    }
}
