//! `lento data vary`: makes positions a few random moves away from others, scored by a network.

use super::show;
use super::writer::{Order, PositionWriter};
use crate::formats::in_file;
use crate::formats::packed::{self, RECORD, board, pack, to_bytes};
use crate::formats::shards::POSITIONS;
use crate::objective::expectation;
use crate::report::Report;
use bulletformat::ChessBoard;
use lento::chess::Board;
use lento::eval::nnue::{embedded, load};
use lento::internals::nnue::{Accumulators, Simd};
use lento_common::interrupt::Stop;
use lento_common::play::GameResult;
use lento_common::threads::Threads;
use lento_common::{mix, number, ordered, outputs, progress};
use lento_console::Done;
use std::iter;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Variations per unit of work.
const CHUNK: usize = 8192;
/// Maximum random moves.
const MAX_STEPS: usize = 16;

#[derive(clap::Args)]
pub struct Args {
    /// Positions in bulletformat: files, or folders with *.bf files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Write the shuffled positions to this file (bulletformat, *.bf), which appears when it is complete
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Network whose static evaluation becomes the score [default: embedded network]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Variations per position, 1 to 16 random moves away; fewer if they are in check or over
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::count::<u16>)]
    each: u16,
    /// Exclude scores beyond this, in internal centipawns
    #[arg(long, value_name = "CP", default_value_t = 2000, value_parser = number::count::<u16>)]
    max_score: u16,
    /// Centipawns per factor e in the odds to win. Results are drawn with the odds of the score, so that training with any
    /// `--wdl` and the same scale learns the score
    #[arg(long, value_name = "CP", default_value_t = 100, value_parser = number::count::<u16>)]
    scale: u16,
    #[command(flatten)]
    order: Order,
    #[command(flatten)]
    threads: Threads,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// Varies positions. Ctrl-C leaves no file.
pub fn run(args: &Args) -> Done {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let network = args
        .network
        .as_deref()
        .map_or_else(|| Ok(embedded()), |path| load(path).map_err(|error| in_file(path, error)))?;
    let files = POSITIONS.find(&args.data)?;
    outputs::check([&args.output], files.iter().chain(&args.network))?;
    let read = packed::count_all(&files)?;
    let max_positions = read.checked_mul(args.each.into()).ok_or_else(|| format!("--each {}: too many", args.each))?;
    let mut writer = PositionWriter::new(&args.output, true, args.order, Some(max_positions))?;
    let bar = progress::bar(Some(read), "{bar:30} {percent} % {per_sec} [{elapsed}, {eta} left]");
    let mut positions = packed::positions(&files);
    let length = chunk_length(args.each);
    let chunks = iter::from_fn(|| {
        let chunk = positions.by_ref().take(length).collect::<Result<Vec<_>, _>>();
        Some(chunk).filter(|chunk| !chunk.as_ref().is_ok_and(Vec::is_empty))
    });
    let set_up = || Ok(Accumulators::new(Arc::clone(&network), Simd::best(), 1));
    let work = |accumulators: &mut Accumulators, (first, chunk): (u64, Result<Vec<_>, _>), _: [&Stop; 2]| {
        let positions = chunk?;
        Ok(Some((positions.len() as u64, vary(args, accumulators, &positions, first))))
    };
    let on_done = |(read, records): (u64, Vec<[u8; RECORD]>)| {
        records.into_iter().try_for_each(|record| writer.push(record))?;
        bar.inc(read);
        Ok(ControlFlow::Continue(()))
    };
    ordered::run(args.threads.count(), (0..).step_by(length).zip(chunks), &stop, set_up, work, on_done)?;
    bar.finish_and_clear();
    let written = if stop.is_requested() { None } else { writer.finish(&stop, |_| ())? };
    let mut report = Report::default();
    report.count("positions", "positions", read, "");
    report.count("written", "written", written.unwrap_or_default(), "");
    report.speed("positions", written.unwrap_or_default(), start.elapsed());
    report.field("seed", args.order.seed);
    show(report, args.json, written.is_none().then_some(&args.output))
}

/// Positions per unit of work.
fn chunk_length(each: u16) -> usize {
    CHUNK.div_ceil(each.into())
}

/// Variations of positions in order; `first` is the number of the first position.
fn vary(args: &Args, accumulators: &mut Accumulators, positions: &[ChessBoard], first: u64) -> Vec<[u8; RECORD]> {
    let mut records = Vec::with_capacity(positions.len() * usize::from(args.each));
    for (position, number) in positions.iter().zip(first..) {
        let mut random = fastrand::Rng::with_seed(mix::seed(args.order.seed, number));
        let root = board(position);
        for _ in 0..args.each {
            let varied = walk(&root, &mut random);
            records.extend(varied.and_then(|board| scored(args, accumulators, &board, &mut random)));
        }
    }
    records
}

/// A position after random legal moves, half of the time up to three; `None` if it is in check or over.
fn walk(root: &Board, random: &mut fastrand::Rng) -> Option<Board> {
    let steps = match random.usize(..4) {
        0 | 1 => random.usize(1..=3),
        2 => random.usize(4..=8),
        _ => random.usize(9..=MAX_STEPS),
    };
    let mut board = root.clone();
    for _ in 0..steps {
        let moves = board.legal_moves();
        board = board.after(*random.choice(&moves)?);
    }
    (!board.in_check() && !board.legal_moves().is_empty()).then_some(board)
}

/// A position with its static evaluation and a result drawn with its odds; `None` beyond the maximum score.
fn scored(
    args: &Args,
    accumulators: &mut Accumulators,
    board: &Board,
    random: &mut fastrand::Rng,
) -> Option<[u8; RECORD]> {
    accumulators.start(board);
    let value = accumulators.evaluate(board, 0) * board.side_to_move().sign();
    let wins = random.f64() < expectation(f64::from(value) / f64::from(args.scale));
    let result = if wins { GameResult::WhiteWins } else { GameResult::BlackWins };
    (value.unsigned_abs() <= args.max_score.into()).then(|| to_bytes(&pack(board, value, result)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, value};
    use crate::tests::sample::positions;
    use lento_common::arguments::parse;

    #[test]
    fn many_variations_need_little_memory() {
        let args: Args = parse(["vary", "in.bf", "--output", "out.bf", "--each", "65535"]).unwrap();
        assert!(chunk_length(args.each) == 1 && chunk_length(1000) < 10);
    }

    #[test]
    fn variations_have_scores_of_the_network_and_results_of_their_odds() {
        let args: Args = parse(["vary", "in.bf", "--output", "out.bf", "--each", "4", "--scale", "300"]).unwrap();
        let (network, positions) = (embedded(), positions(12, 31));
        let mut accumulators = Accumulators::new(Arc::clone(&network), Simd::best(), 1);
        let records = vary(&args, &mut accumulators, &positions, 0);
        let (mut wins, mut expected) = (0.0, 0.0);
        for record in &records {
            let position = packed::from_bytes(record).unwrap();
            assert!(!board(&position).in_check());
            let sample = Sample::new(&position, network.architecture());
            assert_eq!(i32::from(position.score), value(&network, &sample));
            wins += f64::from(position.result) / 2.0;
            expected += expectation(f64::from(position.score) / 300.0);
        }
        let count = records.len() as f64;
        assert!(
            count > 2.0 * positions.len() as f64 && (wins - expected).abs() < 2.0 * count.sqrt(),
            "{wins} {expected}"
        );
        // Variations do not depend on earlier positions.
        assert!(records.ends_with(&vary(&args, &mut accumulators, &positions[100..], 100)));
    }
}
