use super::*;

fn clean(line: &str) -> Command {
    let read = parse(line);
    assert_eq!(read.problems, [""; 0], "{line}");
    read.command.unwrap_or_else(|| panic!("{line}: no command"))
}

fn problem(line: &str) -> String {
    let mut read = parse(line);
    assert_eq!((read.command, read.problems.len()), (None, 1), "{line}");
    read.problems.remove(0)
}

#[test]
fn commands_in_any_case_and_spacing() {
    for (line, command) in [
        ("uci", Command::Uci),
        ("UCI", Command::Uci),
        ("\t isready \r\n", Command::IsReady),
        ("ucinewgame", Command::NewGame),
        ("stop", Command::Stop),
        ("PonderHit", Command::PonderHit),
        ("quit", Command::Quit),
        ("\u{feff}uci", Command::Uci),
        ("debug  ON", Command::Debug(true)),
        ("debug off", Command::Debug(false)),
        ("register name X code Y", Command::Register),
        ("d", Command::Display),
        ("Flip", Command::Flip),
        ("compiler", Command::Compiler),
        ("eval", Command::Eval),
        ("listmoves", Command::ListMoves(10)),
        ("ListMoves DEPTH 7", Command::ListMoves(7)),
        ("listmoves depth 99999999999999999999", Command::ListMoves(MAX_DEPTH)),
        ("lmrstats", Command::LmrStats(false)),
        ("lmrstats OFF", Command::LmrStats(true)),
        ("savehash", Command::SaveHash(None, false)),
        ("savehash <empty> zstd", Command::SaveHash(None, true)),
        ("SaveHash zstd", Command::SaveHash(Some("zstd".into()), false)),
        ("savehash my  file ZSTD", Command::SaveHash(Some("my  file".into()), true)),
        ("loadhash", Command::LoadHash(None)),
        ("loadhash /tmp/a b.zst", Command::LoadHash(Some("/tmp/a b.zst".into()))),
        ("setoption name SaveHash", Command::SaveHash(None, false)),
        ("setoption name load hash value x", Command::LoadHash(None)),
        ("help", Command::Help(None)),
        ("help move  overhead", Command::Help(Some("move  overhead".into()))),
        ("wait", Command::Wait),
        ("bench", Command::Bench(BENCH_DEPTH)),
        ("bench 5", Command::Bench(5)),
        ("perft 4", Command::Perft(4)),
        ("go perft 4", Command::Perft(4)),
    ] {
        assert_eq!(clean(line), command);
    }
}

#[test]
fn usage_lines_start_with_their_keywords() {
    for usage in usage() {
        let word = usage.split([' ', ':']).next().expect("a word");
        let ParsedLine { command, problems } = parse(word);
        assert!(command.is_some() || !problems[0].starts_with("unknown command"), "{word}");
    }
}

#[test]
fn empty_lines_and_comments_are_ignored() {
    for line in ["", "  \t ", "\r\n", "# go infinite", "xboard"] {
        assert_eq!(parse(line), ParsedLine::default());
    }
}

#[test]
fn unknown_words_before_a_command_are_skipped_and_reported() {
    let read = parse("joho  foo debug on");
    assert_eq!(read.command, Some(Command::Debug(true)));
    assert_eq!(read.problems, ["skipped \"joho  foo\" before `debug`: not a command; `help` lists the commands"]);
    // Lento's own keywords are recognised only as the first word.
    assert_eq!(problem("a b c d eval"), "unknown command \"a b c d eval\"; `help` lists the commands");
}

#[test]
fn trailing_words_are_reported_and_skipped() {
    let read = parse("ucinewgame ucinewgame");
    assert_eq!(read.command, Some(Command::NewGame));
    assert_eq!(read.problems, ["skipped \"ucinewgame\" after `ucinewgame`: expected the end of the line"]);
}

#[test]
fn limits_beside_perft_are_reported() {
    let read = parse("go perft 4 searchmoves e2e4");
    assert_eq!(read.command, Some(Command::Perft(4)));
    assert_eq!(read.problems, ["`go perft` counts all moves to its depth; other limits ignored"]);
}

#[test]
fn option_names_and_values_may_contain_spaces() {
    let set = |name: &str, value: Option<&str>| Command::SetOption(name.into(), value.map(String::from));
    assert_eq!(clean("setoption name Hash value 64"), set("Hash", Some("64")));
    assert_eq!(clean("SetOption NAME Move  Overhead VALUE 10"), set("Move  Overhead", Some("10")));
    assert_eq!(clean("setoption name Clear Hash"), set("Clear Hash", None));
    assert_eq!(
        clean("setoption name Debug Log File value /tmp/a  b.log "),
        set("Debug Log File", Some("/tmp/a  b.log"))
    );
    assert_eq!(clean("setoption name Hash value"), set("Hash", Some("")));
    for line in ["setoption", "setoption Hash 5", "setoption name", "setoption value 16", "setoption name value 16"] {
        assert!(problem(line).starts_with("`setoption` expects name "), "{line}");
    }
}

#[test]
fn positions() {
    let at = |fen: Option<&str>, moves: &[&str]| {
        Command::Position(Position { fen: fen.map(String::from), moves: moves.iter().map(|&mv| mv.into()).collect() })
    };
    assert_eq!(clean("position startpos"), at(None, &[]));
    assert_eq!(clean("position STARTPOS Moves e2e4 e7e5"), at(None, &["e2e4", "e7e5"]));
    assert_eq!(clean("position fen a  b w moves"), at(Some("a  b w"), &[]));
    assert_eq!(clean("position fen x moves a1a2"), at(Some("x"), &["a1a2"]));
    assert_eq!(clean("position fen"), at(Some(""), &[]));
    for (line, expected) in [
        ("position", "`position` expects startpos or fen, not \"\""),
        ("position moves e2e4", "`position` expects startpos or fen, not \"moves e2e4\""),
        ("position startpos e2e4 e7e5", "expects the word moves or the end of the line, not \"e2e4 e7e5\""),
        ("position startpos startpos moves e2e4", "expects the word moves or the end of the line, not \"startpos\""),
    ] {
        assert!(problem(line).contains(expected), "{}", problem(line));
    }
}

#[test]
fn invalid_arguments_are_quoted() {
    for (line, expected) in [
        ("debug maybe", "`debug` expects on or off, not \"maybe\""),
        ("foo", "unknown command \"foo\"; `help` lists the commands"),
        ("perft x", "`perft` expects a whole number of at least 0, not \"x\"; ignored"),
        ("bench 0", "`bench` expects a whole number of at least 1, not \"0\"; ignored"),
        ("listmoves deep 3", "`listmoves` expects depth N or the end of the line, not \"deep 3\""),
        ("listmoves depth", "`depth` expects a whole number of at least 1, not \"\"; ignored"),
        ("listmoves depth x", "`depth` expects a whole number of at least 1, not \"x\"; ignored"),
        ("listmoves depth 0", "`depth` expects a whole number of at least 1, not \"0\"; ignored"),
    ] {
        assert_eq!(problem(line), expected);
    }
    let read = parse("listmoves depth 5 please");
    assert_eq!(read.command, Some(Command::ListMoves(5)));
    assert_eq!(read.problems, ["skipped \"please\" after `listmoves`: expected the end of the line"]);
}

/// Random bytes mixed with random words of the protocol.
#[test]
fn random_bytes_do_not_panic() {
    let mut random = fastrand::Rng::with_seed(1);
    let vocabulary = "position startpos fen moves go depth searchmoves e2e4 name value setoption bench perft -1 \
                      99999999999999999999 \u{feff} \u{85} ゴ é";
    let vocabulary: Vec<&str> = vocabulary.split(' ').collect();
    let mut commands = 0;
    for _ in 0..20_000 {
        let mut line = Vec::new();
        for _ in 0..random.u8(..12) {
            if random.bool() {
                line.extend((0..random.u8(..9)).map(|_| random.u8(..)));
            } else {
                line.extend_from_slice(vocabulary[random.usize(..vocabulary.len())].as_bytes());
            }
            if random.u8(..4) != 0 {
                line.push(b" \t\r\0"[random.usize(..4)]);
            }
        }
        let text = String::from_utf8_lossy(&line);
        let read = parse(&text);
        commands += usize::from(read.command.is_some());
        for problem in read.problems {
            assert!(!problem.to_string().contains(['\n', '\r', '\0']), "{text:?}");
        }
    }
    assert!(commands > 1000, "only {commands} lines had a command");
}

#[test]
fn invalid_positions_are_rejected_as_a_whole() {
    let set_up = |text: &str| match clean(text) {
        Command::Position(position) => position.set_up(false).map(|game| game.board().fen(false)),
        other => panic!("{other:?}"),
    };
    let fen = set_up("position startpos moves e2e4 e7e5 g1f3");
    assert_eq!(fen, Ok("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2".into()));
    let error = set_up("position startpos moves e2e4 e2e4").expect_err("an illegal move");
    assert!(error.starts_with("move 2 of `position` \"e2e4\" is not a legal move in rnbqkbnr/"), "{error}");
    assert!(error.contains(" b ") && error.contains("; expected a move such as "), "{error}");
    assert!(set_up("position fen x").is_err_and(|error| error.contains('x')));
}
