//! UCI sessions.

use crate::harness::{START, Session, count, field};
use lento_uci::options;

const KING_AND_PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";

#[test]
fn uci_lists_options() {
    let mut session = Session::start();
    session.send("uci");
    let lines = session.read_until("uciok");
    assert!(lines[0].starts_with("id name Lento ") && lines[1].starts_with("id author "));
    assert!(lines.contains(&"option name Threads type spin default 1 min 1 max 1024".into()));
    assert!(lines.contains(&"option name Debug Log File type string default <empty>".into()));
    let names = lines.iter().filter_map(|line| Some(line.strip_prefix("option name ")?.split_once(" type ")?.0));
    assert!(names.eq(options::all().iter().map(|option| option.name.as_str())), "{lines:#?}");
    assert_eq!(count(&lines, "info string evaluation nnue "), 1);
    session.send("ISREADY\r");
    assert_eq!(session.read_until("readyok").len(), 1);
}

#[test]
fn search_reports_each_depth_and_answers_once() {
    let mut session = Session::ready();
    session.send("position startpos moves e2e4\ngo depth 7");
    let lines = session.read_until("bestmove");
    let infos: Vec<&String> = lines.iter().filter(|line| line.contains(" pv ")).collect();
    for name in ["depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "tbhits", "time", "pv"] {
        assert!(infos.iter().all(|line| field(line, name).is_some()), "{name}: {infos:#?}");
    }
    let depths: Vec<i32> = infos.iter().filter_map(|line| field(line, "depth")?.parse().ok()).collect();
    assert!(depths.is_sorted() && depths.last() == Some(&7), "{depths:?}");
    let last = infos.last().expect("a PV");
    assert!(!last.contains("bound"), "the last line is not exact: {last}");
    let best = lines.last().expect("a line");
    assert_eq!(field(last, "pv"), field(best, "bestmove"));
    assert!(session.sync().is_empty());
}

#[test]
fn isready_is_answered_while_searching() {
    let mut session = Session::ready();
    session.send("go infinite");
    for _ in 0..20 {
        assert_eq!(count(&session.sync(), "bestmove"), 0);
    }
    session.send("stop");
    session.best_move();
}

#[test]
fn commands_after_go_run_in_order() {
    let mut session = Session::ready();
    session.send(&format!(
        "position startpos\ngo infinite\nposition fen {KING_AND_PAWN}\nsetoption name MultiPV value 2\ngo depth 4\nd\nposition startpos"
    ));
    // All input is read before the first search ends, so the board waits for the second search.
    session.sync();
    session.send("stop");
    let first = session.read_until("bestmove");
    assert!(first.iter().all(|line| field(line, "multipv").is_none_or(|rank| rank == "1")));
    let second = session.read_until("bestmove");
    assert!(second.iter().any(|line| field(line, "multipv") == Some("2")));
    let best = field(second.last().expect("a line"), "bestmove").expect("a move").to_owned();
    assert!(best.starts_with('e'), "{best} is not a move of king or pawn");
    assert!(session.read_until("Checkers:").contains(&format!("Fen: {KING_AND_PAWN}")));
    assert_eq!(session.fen(), START);
}

#[test]
fn flip_mirrors_the_position_after_the_search() {
    let mut session = Session::ready();
    session.send(&format!("position fen {KING_AND_PAWN}\nflip"));
    assert_eq!(session.fen(), "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1");
    session.send("flip\nflip\nflip");
    assert_eq!(session.fen(), KING_AND_PAWN);
    session.send("position startpos moves e2e4\ngo infinite\nflip\ncompiler\nd\nisready");
    let meanwhile = session.read_until("readyok");
    assert_eq!(count(&meanwhile, "Fen: ") + count(&meanwhile, "Lento "), 0);
    session.send("stop");
    let after = session.read_until("Checkers:");
    let position = |start: &str| after.iter().position(|line| line.starts_with(start)).expect(start);
    assert!(position("bestmove") < position("Lento ") && position("Lento ") < position("Fen: "), "{after:#?}");
    assert_eq!(after[position("Fen: ")], "Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    session.send("go depth 3");
    session.best_move();
}

#[test]
fn compiler_prints_the_version() {
    let version = crate::harness::lines(&crate::harness::run(&["--version"]));
    let mut session = Session::ready();
    session.send("compiler");
    assert_eq!(session.read_until("evaluation "), version);
}

#[test]
fn engine_about_is_read_only() {
    let mut session = Session::start();
    session.send("uci");
    let lines = session.read_until("uciok");
    let about = lines.iter().find_map(|line| line.strip_prefix("option name UCI_EngineAbout type string default "));
    let about = about.expect("the option").to_owned();
    // GUIs send back the default.
    session.send(&format!("setoption name UCI_EngineAbout value {about}"));
    assert_eq!(session.sync(), [""; 0]);
    session.send("setoption name UCI_EngineAbout value Fritz");
    assert!(
        session
            .read_until("info string ERROR")
            .iter()
            .any(|line| line.contains("\"Fritz\"") && line.contains("read-only"))
    );
}

#[test]
fn go_and_stop_in_one_write() {
    let mut session = Session::ready();
    for _ in 0..50 {
        session.send("position startpos\ngo infinite\nstop");
        session.best_move();
    }
    assert!(session.sync().is_empty());
}

#[test]
fn stop_takes_effect_before_queued_commands() {
    let mut session = Session::ready();
    session.send(&format!("position startpos\ngo infinite\nposition fen {KING_AND_PAWN}\nisready"));
    session.read_until("readyok");
    session.send("stop");
    session.best_move();
    assert_eq!(session.fen(), KING_AND_PAWN);
    // `stop` ends every search requested before it, queued ones included; each is answered.
    session.send("go infinite\nposition startpos\ngo infinite\ngo ponder wtime 1000 btime 1000\nstop");
    for _ in 0..3 {
        session.best_move();
    }
    assert!(session.sync().is_empty());
}

#[test]
fn repeated_go_and_stop() {
    let mut session = Session::ready();
    for round in 0..60 {
        session.send("go infinite");
        if round % 3 == 0 {
            session.read_until("info depth");
        }
        session.send("stop\nstop");
        session.best_move();
    }
    assert!(session.sync().is_empty());
}

#[test]
fn end_of_input_ends_search_and_program() {
    let mut session = Session::ready();
    session.send("go infinite");
    session.read_until("info depth");
    session.end_input();
    let (lines, status) = session.wait();
    assert_eq!(count(&lines, "bestmove "), 1);
    assert!(status.success());
}

#[test]
fn end_of_input_is_processed_last() {
    let mut session = Session::start();
    session.write(format!("go infinite\nposition fen {KING_AND_PAWN}\ngo depth 90\ngo perft 2\nd").as_bytes());
    session.end_input();
    let (lines, status) = session.wait();
    assert_eq!(count(&lines, "bestmove "), 2);
    assert!(lines.contains(&format!("Fen: {KING_AND_PAWN}")), "{lines:#?}");
    assert!(status.success());
    let mut session = Session::start();
    session.end_input();
    assert!(session.wait().1.success());
}

#[test]
fn wait_finishes_searches_before_the_end_of_input() {
    let mut session = Session::start();
    session.send("position startpos\ngo depth 6\ngo depth 7\nwait\nquit\ngo depth 2");
    session.end_input();
    let (lines, status) = session.wait();
    assert_eq!(count(&lines, "bestmove "), 2);
    assert!(lines.iter().any(|line| field(line, "depth") == Some("7")), "{lines:#?}");
    assert!(status.success());
    // `wait` does not apply to infinite searches.
    let mut session = Session::start();
    session.send("go infinite\nwait");
    session.end_input();
    assert_eq!(count(&session.wait().0, "bestmove "), 1);
}

#[test]
fn quit_during_a_search() {
    let mut session = Session::ready();
    session.send("go infinite");
    session.read_until("info depth");
    session.send("quit");
    let (lines, status) = session.wait();
    assert_eq!(count(&lines, "bestmove "), 1);
    assert!(status.success());
}

#[test]
fn refused_positions_keep_the_previous_one() {
    let mut session = Session::ready();
    let good = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1";
    session.send("position startpos moves d2d4");
    for (line, quoted) in [
        ("position", "\"\""),
        ("position fen", "empty"),
        ("position fen 8/8/8/8 w - - 0 1", "8/8/8/8 w - - 0 1"),
        ("position fen 4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "in check"),
        ("position startpos e2e4 e7e5", "\"e2e4 e7e5\""),
        ("position startpos moves e2e4 e2e4", "move 2 of `position` \"e2e4\""),
        ("position startpos moves O-O", "\"O-O\""),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e2e4", "'e2e4' after the move number"),
        ("position startpos moves e2e4 f7f6 d1h5 0000", "\"0000\" is not legal: the side to move is in check"),
        ("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1 moves h8g8", "\"h8g8\""),
    ] {
        session.send(line);
        let lines = session.sync();
        assert_eq!(lines.len(), 1, "{line}: {lines:#?}");
        assert!(lines[0].starts_with("info string ERROR: ") && lines[0].contains(quoted), "{line}: {}", lines[0]);
        assert_eq!(session.fen(), good, "{line}");
    }
    session.send("go depth 3");
    let best = session.best_move();
    assert!(best.ends_with(['5', '6']), "{best} is not a first move of Black");
}

#[test]
fn invalid_values_are_quoted_and_ignored() {
    let mut session = Session::ready();
    for (line, quoted) in [
        ("setoption name Hash value 0", "\"0\""),
        ("setoption name Hash value 16.5", "\"16.5\""),
        ("setoption name Threads value many", "\"many\""),
        ("setoption name MultiPV value 257", "\"257\""),
        ("setoption name UCI_Chess960 value maybe", "\"maybe\""),
        ("setoption name LBR value triple", "\"triple\""),
        ("setoption name Optimism value 5", "\"Optimism\""),
        ("setoption name Contempt value 101", "\"101\""),
        ("setoption Hash 5", "\"Hash 5\""),
        ("debug maybe", "\"maybe\""),
        ("xyzzy", "\"xyzzy\""),
        ("go depth x nodes 100", "\"x\""),
    ] {
        session.send(line);
        if line.starts_with("go") {
            assert!(session.read_until("bestmove")[0].contains(quoted));
            continue;
        }
        let lines = session.sync();
        assert_eq!(lines.len(), 1, "{line}: {lines:#?}");
        assert!(lines[0].starts_with("info string ERROR: ") && lines[0].contains(quoted), "{line}: {}", lines[0]);
    }
    session.send("setoption name multipv value 1\nsetoption name moveoverhead value 20\nSETOPTION NAME Clear Hash");
    assert!(session.sync().is_empty());
}

#[test]
fn lbr_variants_are_listed_and_used() {
    let mut session = Session::start();
    session.send("uci");
    let names = "var off var reply var pair var two-plies var quiet";
    let announced = format!("option name LBR type combo default reply {names}");
    assert_eq!(count(&session.read_until("uciok"), &announced), 1);
    // Nodes of the first search of a new game.
    let mut nodes = |value: &str| {
        session.send(&format!("setoption name LBR value {value}\nucinewgame\nposition startpos\ngo depth 9"));
        let lines = session.read_until("bestmove");
        assert_eq!(count(&lines, "info string ERROR"), 0, "{value}: {lines:#?}");
        let last = lines.iter().rev().find_map(|line| field(line, "nodes")).expect("a node count");
        last.to_owned()
    };
    let (reply, off, colour) = (nodes("reply"), nodes("off"), nodes("two-plies+quiet+colour"));
    assert!(reply != off && reply != colour && off != colour, "{reply}, {off}, {colour}");
    assert_eq!((nodes("REPLY"), nodes("Off")), (reply, off));
}

#[test]
fn hash_larger_than_memory_is_refused() {
    let mut session = Session::ready();
    session.send("setoption name Hash value 33554432\nposition startpos\ngo depth 4");
    // Accepted if the machine can provide 32 TiB.
    let lines = session.read_until("bestmove");
    assert!(count(&lines, "info string ERROR: ") <= 1);
    session.sync();
    assert!(session.is_alive());
}

#[test]
fn go_before_position_searches_the_start_position() {
    let mut session = Session::start();
    session.send("go depth 2");
    let lines = session.read_until("bestmove");
    assert!(lines[0].starts_with("info string no position given"), "{}", lines[0]);
    session.send("go depth 2");
    assert_eq!(count(&session.read_until("bestmove"), "info string"), 0);
}

#[test]
fn positions_without_legal_moves_are_answered() {
    let mut session = Session::ready();
    for (fen, why, score) in [(MATED, "checkmate", "mate 0"), (STALEMATE, "stalemate", "cp 0")] {
        session.send(&format!("position fen {fen}\ngo depth 5"));
        let lines = session.read_until("bestmove");
        assert!(lines.contains(&format!("info depth 0 score {score}")), "{lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("info string") && line.contains(why)), "{lines:#?}");
        assert_eq!(lines.last().map(String::as_str), Some("bestmove 0000"));
        session.send("go infinite");
        session.read_until("info depth 0 ");
        assert_eq!(count(&session.settle(), "bestmove"), 0);
        session.send("stop");
        assert_eq!(session.best_move(), "0000");
    }
}

#[test]
fn infinite_withholds_the_answer() {
    let mut session = Session::ready();
    session.send(&format!("position fen {BACK_RANK}\ngo infinite depth 3"));
    let lines = [session.read_until("info depth 3 "), session.settle()].concat();
    assert_eq!(count(&lines, "bestmove"), 0);
    session.send("stop");
    assert_eq!(session.best_move(), "a1a8");
}

#[test]
fn ponder_waits_for_ponderhit_or_stop() {
    let mut session = Session::ready();
    for end in ["ponderhit", "stop"] {
        // Far deeper than the clock allows.
        session.send("position startpos moves e2e4 e7e5\ngo ponder wtime 10 btime 10");
        assert_eq!(count(&session.read_until("info depth 14 "), "bestmove"), 0);
        session.send(end);
        session.best_move();
    }
    // A finished ponder search answers at once on `ponderhit`, also if both come in one write.
    session.send("go ponder depth 1");
    let lines = [session.read_until("info depth 1 "), session.settle()].concat();
    assert_eq!(count(&lines, "bestmove"), 0);
    session.send("ponderhit");
    session.best_move();
    session.send("go ponder movetime 50\nponderhit");
    session.best_move();
    session.send("ponderhit\nstop");
    assert!(session.sync().is_empty());
}

#[test]
fn searchmoves_are_respected() {
    let mut session = Session::ready();
    session.send("position startpos\ngo searchmoves a2a3 h2h4 depth 4");
    assert!(["a2a3", "h2h4"].contains(&session.best_move().as_str()));
    session.send("go depth 3 searchmoves e2e5 b2b3");
    let lines = session.read_until("bestmove");
    assert!(lines[0].starts_with("info string ERROR: ") && lines[0].contains("\"e2e5\""), "{}", lines[0]);
    assert_eq!(field(&lines[lines.len() - 1], "bestmove"), Some("b2b3"));
}

#[test]
fn mates_are_found_and_reported() {
    let mut session = Session::ready();
    session.send(&format!("position fen {BACK_RANK}\ngo mate 1"));
    let lines = session.read_until("bestmove a1a8");
    assert!(lines.iter().any(|line| line.contains(" score mate 1 ")), "{lines:#?}");
    // Every king move allows mate by a rook.
    session.send("position fen 7k/8/8/8/8/1r6/r7/5K2 w - - 0 1\ngo depth 8");
    let lines = session.read_until("bestmove");
    assert!(lines.iter().any(|line| line.contains(" score mate -1 ")), "{lines:#?}");
}

#[test]
fn multipv_lines_are_sorted_and_distinct() {
    let mut session = Session::ready();
    session.send("setoption name MultiPV value 4\nposition startpos\ngo depth 6");
    let lines = session.read_until("bestmove");
    let last: Vec<&String> = lines.iter().filter(|line| line.contains(" pv ")).collect();
    let last = &last[last.len() - 4..];
    let ranks: Vec<&str> = last.iter().filter_map(|line| field(line, "multipv")).collect();
    assert_eq!(ranks, ["1", "2", "3", "4"]);
    let scores: Vec<i32> = last.iter().filter_map(|line| field(line, "cp")?.parse().ok()).collect();
    assert!(scores.len() == 4 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let mut moves: Vec<&str> = last.iter().filter_map(|line| field(line, "pv")).collect();
    assert_eq!(field(&lines[lines.len() - 1], "bestmove"), Some(moves[0]));
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 4);
    // MultiPV above the number of legal moves.
    session.send("setoption name MultiPV value 256\nposition fen 7k/8/8/8/8/8/8/K7 w - - 0 1\ngo depth 2");
    let lines = session.read_until("bestmove");
    assert!(lines.iter().all(|line| field(line, "multipv") != Some("4")), "{lines:#?}");
}

#[test]
fn castling_notation_follows_uci_chess960() {
    let mut session = Session::ready();
    let position = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (on, short, long) in [("false", "e1g1", "e8c8"), ("true", "e1h1", "e8a8")] {
        session.send(&format!("setoption name UCI_Chess960 value {on}\n{position}\ngo depth 2 searchmoves {short}"));
        assert_eq!(session.best_move(), short);
        session.send(&format!("{position} moves {short}\ngo depth 2 searchmoves {long}"));
        assert_eq!(session.best_move(), long);
    }
    // Chess960 castling with an inner rook and a king that stays on its square.
    session.send("position fen 4k3/8/8/8/8/8/8/1R4KR w HB - 0 1\ngo depth 2 searchmoves g1h1");
    assert_eq!(session.best_move(), "g1h1");
    assert_eq!(session.fen(), "4k3/8/8/8/8/8/8/1R4KR w HB - 0 1");
}

#[test]
fn wdl_sums_to_1000() {
    let mut session = Session::ready();
    session.send("setoption name UCI_ShowWDL value true\nposition startpos\ngo depth 3");
    for line in session.read_until("bestmove").iter().filter(|line| line.contains(" pv ")) {
        let words: Vec<&str> = line.split(' ').skip_while(|word| *word != "wdl").skip(1).take(3).collect();
        let sum: u32 = words.iter().map(|word| word.parse::<u32>().expect("a number")).sum();
        assert_eq!((words.len(), sum), (3, 1000), "{line}");
    }
}

#[test]
fn perft_counts_and_can_be_stopped() {
    let mut session = Session::ready();
    session.send("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -\ngo perft 3");
    let lines = session.read_until("Nodes searched: ");
    assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 97862"));
    assert_eq!(lines.iter().filter(|line| line.contains(": ") && line.len() < 12).count(), 48);
    session.send("go perft 4294967295\nstop\nperft 1");
    session.read_until("Nodes searched: 48");
    session.send("perft 13");
    assert_eq!(count(&session.sync(), "Nodes searched"), 0);
    session.send("stop\ngo depth 2");
    session.best_move();
    session.send("perft 4\nquit");
    let (output, status) = session.wait();
    assert_eq!(output.last().map(String::as_str), Some("Nodes searched: 4085603"), "perft finishes before `quit`");
    assert!(status.success());
    let mut session = Session::ready();
    session.send("perft 13\nquit\nquit");
    assert!(session.wait().1.success(), "a second `quit` ends perft");
}

#[test]
fn bench_ends_with_nodes_and_speed() {
    let mut session = Session::ready();
    session.send("bench 2");
    let last = session.read_until("38/38").len() + 1;
    assert_eq!(last, 39);
    let line = session.line_within(crate::harness::TIMEOUT).expect("the summary");
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!((words[1], words[3]), ("nodes", "nps"));
    assert!(words[0].parse::<u64>().is_ok_and(|nodes| nodes > 38));
}

#[test]
fn board_evaluation_and_help_are_printed() {
    let mut session = Session::ready();
    session.send("position startpos moves e2e4\nd\neval\nhelp");
    let lines = session.read_until("help [option]: ");
    assert!(lines.contains(&"Black to move".into()));
    assert!(lines.iter().any(|line| line.starts_with("setoption name <option>")));
}

#[test]
fn malformed_input_is_survived() {
    let mut session = Session::ready();
    session.write(b"\xff\xfe\x80\x80\xc0\xaf\n\0\n\n   \n\xef\xbb\xbfisready\n");
    let lines = session.read_until("readyok");
    assert_eq!(count(&lines, "info string ERROR: "), 2, "{lines:#?}");
    let mut long = b"position startpos moves".to_vec();
    long.extend(b" g1f3 g8f6 f3g1 f6g8".repeat(2000));
    long.extend(b"\ngo depth 2\n");
    session.write(&long);
    session.best_move();
    session.write(&[b'x'; 1_000_000]);
    session.send("");
    assert!(session.sync()[0].len() < 1000);
}
