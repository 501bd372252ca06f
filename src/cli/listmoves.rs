//! `lento listmoves`.

use super::Done;
use super::evaluator::EvaluatorArgs;
use super::setup::{self, Setup};
use crate::chess::Board;
use crate::engine::Engine;
use crate::search::MAX_DEPTH;
use crate::search::limits::Limits;
use crate::search::listing::ListedMove;
use crate::search::lmr;
use crate::uci::listing::{COLUMNS, Cell, USUAL_DEPTH, listing};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::process::ExitCode;

/// What the columns mean, for the help.
const HELP: &str = "\
The moves are listed as one thread would try them. Columns, and fields with --json:
  rank                    place in the order, from 1
  move                    the move; with --json uci and san
  best                    whether it is the best move in the hash table
  victim, attacker        for a capture: the piece taken, the piece that takes
  promotion               what the pawn becomes
  killer                  whether it was the last quiet move to fail high here
  history                 what the histories say: below zero when it was tried
                          in vain more often than it succeeded
  continuation            the part of that which belongs to the moves before
  lbr                     whether it is the Last Best Reply
  see                     what exchanges on its target square win, centipawns
  reduction               plies that the first look at it is less deep
Without --depth or --nodes nothing is searched first, and little is known.";

/// What to list.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// Moves to play first, in UCI or SAN: e4 e5 Nf3
    pub moves: Vec<String>,
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
    /// Search first, so many plies deep
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: Option<i32>,
    /// Search first, so many nodes
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Search the position so many moves before the listed one: only below a root are there replies and continuations
    #[arg(long, value_name = "MOVES", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub back: u8,
    /// Depth that reductions are shown for
    #[arg(long, value_name = "DEPTH", default_value_t = USUAL_DEPTH,
          value_parser = clap::value_parser!(i32).range(1..=i64::from(MAX_DEPTH)))]
    pub reductions: i32,
    /// Recipe of late move reductions; the option LMR lists them
    #[arg(long, value_name = "NAME", default_value = lmr::TUNED, value_parser = super::bench::recipe)]
    pub lmr: &'static str,
    #[command(flatten)]
    pub evaluator: EvaluatorArgs,
    /// Print one JSON document instead of the table; `--help` tells its fields
    #[arg(long)]
    pub json: bool,
}

/// Searches, if that is wanted, and lists the moves.
pub fn run(args: &Args) -> Done {
    let &Args { reductions: depth, back, setup: ref start, .. } = args;
    let moves = args.moves.join(" ");
    let game = start.game(&moves)?;
    let mut engine = Engine::new();
    engine.set_evaluation(args.evaluator.evaluation()?);
    engine.settings_mut().lmr.main = args.lmr;
    if args.depth.is_some() || args.nodes.is_some() {
        let words: Vec<&str> = setup::words(&moves).collect();
        let few = || format!("--back {back}: expected at most the number of moves given, {}", words.len());
        let before = words.len().checked_sub(back.into()).ok_or_else(few)?;
        engine.set_game(start.game(&words[..before].join(" "))?);
        engine.search_blocking(&Limits { depth: args.depth, nodes: args.nodes, ..Limits::default() }, |_| ());
    } else if back > 0 {
        return Err(format!("--back {back}: expected --depth or --nodes with it").into());
    }
    engine.set_game(game);
    let (moves, board) = (engine.list_moves(depth), engine.game().board());
    let text = if args.json {
        format!("{:#}", document(board, &moves, depth, start.chess960))
    } else {
        listing(board, &moves, depth, start.chess960)
    };
    writeln!(io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

/// The listing as JSON.
fn document(board: &Board, moves: &[ListedMove], depth: i32, chess960: bool) -> Value {
    let row = |(rank, listed): (usize, &ListedMove)| {
        let mv = listed.mv;
        let mut row = json!({ "rank": rank, "uci": board.uci(mv, chess960), "san": board.san(mv) });
        for (name, cell) in COLUMNS {
            row[name] = match cell(board, listed) {
                Cell::Mark(holds) => holds.into(),
                Cell::Name(name) => name.into(),
                Cell::Number(number) => number.into(),
            };
        }
        row
    };
    let rows: Vec<Value> = (1..).zip(moves).map(row).collect();
    json!({ "fen": board.fen(chess960), "reduction_depth": depth, "moves": rows, "legal_moves": moves.len() })
}
