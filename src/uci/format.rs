//! Formats engine output, benches and statistics: pure functions, without the final line break.

use super::protocol::Protocol;
use lento::chess::{Board, Color, File, Move, Rank, Square};
use lento::eval::{Evaluation, Scaling, wdl};
use lento::internals::bench::{self, BenchEntry, POSITIONS};
use lento::internals::nnue::Trace;
use lento::internals::statistics::{Counts, LmrReport};
use lento::score::{Bound, Score, mate_distance};
use lento::search::report::{Info, Outcome, Progress, nps};
use std::fmt::{Display, Write};
use std::time::Duration;

/// An `info` line. `root` is the searched position, whose material scales the score.
pub fn info(root: &Board, info: &Info, protocol: &Protocol) -> String {
    let material = wdl::material(root);
    let Info { depth, seldepth, multipv, .. } = info;
    let score = score(info.score, material, info.bound);
    let mut line = format!("info depth {depth} seldepth {seldepth} multipv {multipv} {score}");
    if protocol.show_wdl {
        let [win, draw, loss] = wdl::wdl(info.score, material);
        let _ = write!(line, " wdl {win} {draw} {loss}");
    }
    let _ = write!(line, " {} pv", counters(info.nodes, info.hashfull, Some(info.tb_hits), info.elapsed));
    let mut board = root.clone();
    for &mv in &info.pv {
        debug_assert!(board.is_legal(mv), "illegal move in a line of play");
        if !board.is_legal(mv) {
            break;
        }
        let _ = write!(line, " {}", board.uci(mv, protocol.chess960));
        board = board.after(mv);
    }
    line
}

/// `score cp X`, where 100 is a win probability of 50 %, or `score mate X`, with its bound unless exact.
pub fn score(score: Score, material: i32, bound: Bound) -> String {
    let value = match mate_distance(score) {
        Some(moves) => format!("score mate {moves}"),
        None => format!("score cp {}", wdl::normalise(score, material)),
    };
    match bound {
        Bound::Exact => value,
        Bound::Lower => value + " lowerbound",
        Bound::Upper => value + " upperbound",
    }
}

fn counters(nodes: u64, hashfull: u32, tb_hits: Option<u64>, elapsed: Duration) -> String {
    let hits = tb_hits.map_or_else(String::new, |hits| format!(" tbhits {hits}"));
    let speed = nps(nodes, elapsed);
    format!("nodes {nodes} nps {speed} hashfull {hashfull}{hits} time {}", elapsed.as_millis())
}

/// The current move and the counters, for long iterations.
pub fn progress(root: &Board, progress: &Progress, protocol: &Protocol) -> String {
    let depth = progress.depth;
    let mv = root.uci(progress.current, protocol.chess960);
    let counters = counters(progress.nodes, progress.hashfull, None, progress.elapsed);
    format!("info depth {depth} currmove {mv} currmovenumber {}\ninfo depth {depth} {counters}", progress.number)
}

/// The `bestmove` line.
pub fn best_move(root: &Board, outcome: &Outcome, protocol: &Protocol) -> String {
    let Some(best) = outcome.best else { return "bestmove 0000".into() };
    let mut line = format!("bestmove {}", root.uci(best, protocol.chess960));
    if let Some(ponder) = outcome.ponder {
        let _ = write!(line, " ponder {}", root.after(best).uci(ponder, protocol.chess960));
    }
    line
}

/// The last line of `threat`: the opponent's move, or `0000` for none.
pub fn threat(root: &Board, best: Option<Move>, protocol: &Protocol) -> String {
    format!("threat {}", best.map_or_else(|| "0000".into(), |mv| root.uci(mv, protocol.chess960)))
}

/// The lines before `bestmove 0000`: the score, and why there is no move.
pub fn no_move(root: &Board, protocol: &Protocol) -> String {
    let (score, why) = if root.in_check() { ("mate 0", "checkmate") } else { ("cp 0", "stalemate") };
    format!("info depth 0 score {score}\ninfo string no legal move: {why} in {}", root.fen(protocol.chess960))
}

/// An `info string` line, with control characters replaced by spaces, and truncated.
pub fn message(text: impl Display) -> String {
    const MAX_LENGTH: usize = 600;
    let text = text.to_string();
    let clean: String = text.chars().take(MAX_LENGTH).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if text.chars().nth(MAX_LENGTH).is_some() { "..." } else { "" };
    format!("info string {clean}{more}")
}

/// An error as an `info string` line. Nibbler displays lines that start with `ERROR`.
pub fn error(problem: impl Display) -> String {
    message(format!("ERROR: {problem}"))
}

/// The output of `eval`: the terms, the static evaluation and its win probability.
pub fn evaluation(board: &Board, evaluation: &Evaluation, scaling: Scaling) -> String {
    let trace = Trace::new(&evaluation.network, evaluation.simd, board);
    let output = trace.value();
    let mut table = format!("{trace}\n\nnetwork output {output:+} internal centipawns, White's view");
    if let Some(name) = evaluation.drawish_ending(board) {
        let _ = write!(table, "\ndrawish ending {name}: scored as a draw");
    }
    let score = evaluation.value(board, scaling) * board.side_to_move().sign();
    let material = wdl::material(board);
    let shown = f64::from(wdl::normalise(score, material)) / 100.0;
    let [win, draw, loss] = wdl::wdl(score, material).map(|chance| f64::from(chance) / 10.0);
    format!(
        "{table}\n\
         static evaluation {score:+} internal centipawns, White's view: as the search sees it, \
         with fifty-move rule and known endings\n\
         shown as {shown:+.2} pawns, White's view, on UCI's scale: 1.00 is a 50 % chance of winning\n\
         White wins {win:.1} %, draws {draw:.1} %, loses {loss:.1} %"
    )
}

/// The output of `d`: the board with FEN, key and checkers.
pub fn diagram(board: &Board, chess960: bool) -> String {
    const EDGE: &str = " +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(EDGE);
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            let piece = board.piece_on(Square::new(file, rank)).map_or(' ', |piece| piece.letter());
            let _ = write!(text, " | {piece}");
        }
        let _ = write!(text, " | {}\n{EDGE}", rank.index() + 1);
    }
    let checkers: Vec<String> = board.checkers().into_iter().map(|square| square.to_string()).collect();
    let side = if board.side_to_move() == Color::White { "White" } else { "Black" };
    let (fen, key, checkers) = (board.fen(chess960), board.key(), checkers.join(" "));
    text += "   a   b   c   d   e   f   g   h\n\n";
    text + &format!("{side} to move\nFen: {fen}\nKey: {key:016X}\nCheckers: {checkers}")
}

/// Formats the result of a bench position.
pub fn bench_line(entry: &BenchEntry) -> String {
    let BenchEntry { number, fen, best, nodes, elapsed, .. } = entry;
    format!("{number:>2}/{} {nodes:>10} nodes {:>6} ms  {best:<7} {fen}", POSITIONS.len(), elapsed.as_millis())
}

/// Formats the bench total in the form testing frameworks parse.
pub fn bench_summary(entries: &[BenchEntry]) -> String {
    let (nodes, elapsed) = bench::total(entries);
    format!("{nodes} nodes {} nps", nps(nodes, elapsed))
}

/// Formats LMR statistics: totals, by depth and by move number.
pub fn lmr_table(report: &LmrReport) -> String {
    let LmrReport { recipe, depth, nodes, .. } = report;
    let mut text = format!("recipe {recipe} to depth {depth}: {nodes} nodes");
    let _ = match report.nodes_off {
        Some(off) => writeln!(text, ", {off} without reductions"),
        None => writeln!(text),
    };
    for measure in report.measures() {
        let value = measure.value.map_or("-".into(), |value| format!("{value:.2} {}", measure.unit));
        let _ = write!(text, "{:<18}{value:>12}", measure.name);
        if let (Some((low, high)), Some(place)) = (measure.healthy, measure.place()) {
            let _ = write!(text, "   {place} the healthy range, {low} to {high}");
        }
        text.push('\n');
    }
    lmr_rows(&mut text, "depth", &report.stats.lmr.by_depth());
    text.push('\n');
    lmr_rows(&mut text, "move", &report.stats.lmr.by_number());
    text
}

fn lmr_rows(text: &mut String, first: &str, rows: &[(String, Counts)]) {
    let _ = write!(text, "\n{first:>6}");
    for head in ["moves", "reduced %", "plies", "again %", "high %"] {
        let _ = write!(text, " {head:>10}");
    }
    for (name, counts) in rows {
        let _ = write!(text, "\n{name:>6} {:>10}", counts.moves);
        for measure in counts.measures() {
            let value = measure.value.map_or("-".into(), |value| format!("{value:.2}"));
            let _ = write!(text, " {value:>10}");
        }
    }
}

#[cfg(test)]
#[path = "../../tests/interfaces/models.rs"]
mod interfaces;

#[cfg(test)]
mod tests {
    use super::interfaces::{INTERFACES, Interface, Seen};
    use super::*;
    use lento::internals::statistics::SearchStats;
    use lento::score::{mate_in, mated_in};
    use lento::search::observer::Observer;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    fn sample(board: &Board, moves: &[&str]) -> Info {
        let line = Info { depth: 12, seldepth: 17, multipv: 2, score: -35, nodes: 3000, ..Info::default() };
        let mut info = Info { elapsed: Duration::from_millis(1500), hashfull: 42, tb_hits: 5, ..line };
        let mut board = board.clone();
        for text in moves {
            let mv = board.parse_uci(text, false).expect("a legal move");
            info.pv.push(mv);
            board = board.after(mv);
        }
        info
    }

    #[test]
    fn info_lines() {
        let board = Board::start();
        let plain = &Protocol::default();
        let mut sample = sample(&board, &["e2e4", "e7e5"]);
        let cp = wdl::normalise(-35, 78);
        assert_eq!(
            info(&board, &sample, plain),
            format!(
                "info depth 12 seldepth 17 multipv 2 score cp {cp} nodes 3000 nps 2000 hashfull 42 tbhits 5 time 1500 \
                 pv e2e4 e7e5"
            )
        );
        sample.score = mate_in(5);
        sample.bound = Bound::Lower;
        let line = info(&board, &sample, &Protocol { show_wdl: true, ..Protocol::default() });
        assert!(line.contains(" multipv 2 score mate 3 lowerbound wdl 1000 0 0 nodes 3000 "), "{line}");
    }

    /// The fields that an interface misreads in the lines of a search over `days` at `speed` nodes per second.
    fn misread(interface: &Interface, days: u64, speed: u64) -> Vec<&'static str> {
        let board = Board::start();
        let line_after = |elapsed| {
            let nodes = speed * elapsed + 1;
            let info = Info { nodes, elapsed: Duration::from_secs(elapsed), ..sample(&board, &["e2e4", "e7e5"]) };
            (super::info(&board, &info, &Protocol::default()), nodes)
        };
        let mut faults = Vec::new();
        for elapsed in (1..=24 * days).map(|hour| 3600 * hour) {
            let (line, nodes) = line_after(elapsed);
            match interface.read(&line).unwrap_or_else(|why| panic!("{}: {why}", interface.name)) {
                Seen::Info(info) => {
                    assert!(info.nps == speed, "{line}");
                    faults.extend((info.nodes != nodes).then_some("nodes"));
                    faults.extend((info.time != 1000 * elapsed).then_some("time"));
                }
                _ => faults.push("all"),
            }
        }
        faults.sort_unstable();
        faults.dedup();
        faults
    }

    /// `docs/playing.md` lists the interfaces that misread long searches.
    #[test]
    fn long_searches_are_read_as_documented() {
        const FAST: u64 = 5_000_000_000;
        const SLOW: u64 = 3_000_000;
        for interface in &INTERFACES {
            let (early, slow, fast): (&[_], &[_], &[_]) = match interface.name {
                "En Croissant" => (&["nodes"], &["nodes"], &["nodes"]),
                "Cute Chess" => (&[], &["time"], &["time"]),
                "Nibbler" => (&[], &[], &["nodes"]),
                "DroidFish" => (&[], &["all"], &["all"]),
                _ => (&[], &[], &[]),
            };
            let read = |days, speed| misread(interface, days, speed);
            assert_eq!((&read(24, SLOW)[..], &read(30, SLOW)[..], &read(30, FAST)[..]), (early, slow, fast));
        }
    }

    #[test]
    fn scores() {
        assert_eq!(score(0, 78, Bound::Upper), "score cp 0 upperbound");
        assert_eq!(score(mated_in(4), 78, Bound::Exact), "score mate -2");
    }

    #[test]
    fn castling_in_both_styles() {
        let board = Board::from_fen(CASTLING).expect("a good FEN");
        let sample = sample(&board, &["e1g1", "e8c8"]);
        let frc = &Protocol { chess960: true, ..Protocol::default() };
        assert!(info(&board, &sample, &Protocol::default()).ends_with(" pv e1g1 e8c8"));
        assert!(info(&board, &sample, frc).ends_with(" pv e1h1 e8a8"));
        let outcome = Outcome { best: Some(sample.pv[0]), ponder: Some(sample.pv[1]), lines: vec![] };
        assert_eq!(best_move(&board, &outcome, &Protocol::default()), "bestmove e1g1 ponder e8c8");
        assert_eq!(best_move(&board, &outcome, frc), "bestmove e1h1 ponder e8a8");
    }

    #[test]
    fn no_legal_move() {
        let outcome = Outcome { best: None, ponder: None, lines: vec![] };
        let mated = Board::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").expect("mate");
        assert_eq!(best_move(&mated, &outcome, &Protocol::default()), "bestmove 0000");
        assert!(
            no_move(&mated, &Protocol::default())
                .starts_with("info depth 0 score mate 0\ninfo string no legal move: checkmate in ")
        );
        let stuck = Board::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").expect("stalemate");
        assert!(
            no_move(&stuck, &Protocol::default())
                .starts_with("info depth 0 score cp 0\ninfo string no legal move: stalemate in ")
        );
    }

    #[test]
    fn progress_lines() {
        let board = Board::start();
        let current = board.parse_uci("g1f3", false).expect("a legal move");
        let state = Progress { depth: 9, current, number: 4, nodes: 500, elapsed: Duration::from_secs(2), hashfull: 7 };
        assert_eq!(
            progress(&board, &state, &Protocol::default()),
            "info depth 9 currmove g1f3 currmovenumber 4\ninfo depth 9 nodes 500 nps 250 hashfull 7 time 2000"
        );
    }

    #[test]
    fn scores_are_scaled_by_root_material() {
        for fen in ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", CASTLING] {
            let board = Board::from_fen(fen).expect("a good FEN");
            let mut sample = sample(&board, &[]);
            let material = wdl::material(&board);
            for score in [-1200, -1, 0, 40, 333] {
                sample.score = score;
                let cp = wdl::normalise(score, material);
                let [win, draw, loss] = wdl::wdl(score, material);
                let line = info(&board, &sample, &Protocol { show_wdl: true, ..Protocol::default() });
                assert!(line.contains(&format!(" score cp {cp} wdl {win} {draw} {loss} nodes ")), "{line}");
            }
        }
    }

    #[test]
    fn eval_ends_with_the_win_probability() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1").expect("a good FEN");
        let scaling = Scaling(1024);
        let evaluator = Evaluation::default();
        let text = evaluation(&board, &evaluator, scaling);
        let (table, rest) = text.split_once("\nstatic evaluation ").expect("the static evaluation");
        let (value, shown) = rest.split_once("\nshown as ").expect("the shown score");
        assert!(table.contains("<- counts here") && table.contains("Network"), "{table}");
        assert!(
            value.starts_with(&format!("{:+} internal centipawns, ", -evaluator.value(&board, scaling))),
            "{value}"
        );
        assert!(shown.starts_with('+') && shown.ends_with("White wins 100.0 %, draws 0.0 %, loses 0.0 %"), "{shown}");
    }

    #[test]
    fn messages_stay_on_one_line() {
        assert_eq!(message("a\nb\rc\0d"), "info string a b c d");
        let long = message("x".repeat(10_000));
        assert!(long.len() < 700 && long.ends_with("..."));
    }

    #[test]
    fn diagram_shows_pieces_fen_and_checkers() {
        let board = Board::from_fen("4k3/8/8/8/8/8/4r3/R3K3 w Q - 5 40").expect("a good FEN");
        let text = diagram(&board, false);
        assert!(text.contains("\n | R |   |   |   | K |   |   |   | 1\n"), "{text}");
        assert!(text.contains("Fen: 4k3/8/8/8/8/8/4r3/R3K3 w Q - 5 40\n"), "{text}");
        assert!(text.contains("White to move") && text.ends_with("Checkers: e2"), "{text}");
    }

    fn words(text: &str) -> Vec<Vec<&str>> {
        text.lines().map(|line| line.split_whitespace().collect()).collect()
    }

    #[test]
    fn reductions_by_depth_and_move_number() {
        let mut stats = SearchStats::default();
        for (reduction, confirmed) in [(2, None), (1, Some(false))] {
            stats.searched(5, 6, reduction, confirmed);
        }
        let text = lmr_table(&LmrReport { recipe: "tuned", depth: 9, nodes: 25, nodes_off: Some(100), stats });
        assert!(text.contains("nodes saved            75.00 %   above the healthy range, 40 to 60\n"), "{text}");
        assert!(words(&text).contains(&vec!["5-6", "2", "100.00", "1.50", "50.00", "0.00"]), "{text}");
    }
}
