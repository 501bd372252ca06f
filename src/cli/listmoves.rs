//! `lento listmoves`.

use super::Done;
use super::setup::{self, EvaluatorArgs, Setup};
use crate::chess::Board;
use crate::engine::Engine;
use crate::engine::listing::ListedMove;
use crate::search::MAX_DEPTH;
use crate::search::limits::Limits;
use crate::search::lmr;
use crate::uci::listing::{COLUMNS, Cell, DEFAULT_DEPTH, listing};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::process::ExitCode;

/// Columns and JSON fields, for the help.
const HELP: &str = "\
The moves are listed in search order. Columns, and fields with --json:
  rank                    place in the order, from 1
  move                    the move; with --json uci and san
  best                    whether it is the best move in the hash table
  victim, attacker        for a capture: the piece taken, the piece that takes
  promotion               the piece promoted to
  killer                  whether it was the last quiet move to fail high here
  history                 sum of the histories: negative if it failed
                          more often than it succeeded
  continuation            the part from continuation history
  lbr                     whether it is the Last Best Reply
  see                     static exchange evaluation in centipawns
  reduction               late move reduction in plies
Without --depth or --nodes there is no search, so the histories are empty.";

/// Arguments of `lento listmoves`.
#[derive(clap::Args)]
#[command(after_long_help = HELP)]
pub struct Args {
    /// Moves to play first, in UCI or SAN: e4 e5 Nf3
    pub moves: Vec<String>,
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
    /// Search to this depth first
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: Option<i32>,
    /// Search this many nodes first
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Search from this many moves earlier; below the root there are also replies and continuations
    #[arg(long, value_name = "MOVES", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub back: u8,
    /// Depth for reductions
    #[arg(long, value_name = "DEPTH", default_value_t = DEFAULT_DEPTH,
          value_parser = clap::value_parser!(i32).range(1..=i64::from(MAX_DEPTH)))]
    pub reductions: i32,
    /// Late move reduction recipe, as in the option LMR
    #[arg(long, value_name = "NAME", default_value = lmr::TUNED, value_parser = super::amounts::recipe)]
    pub lmr: &'static str,
    #[command(flatten)]
    pub evaluator: EvaluatorArgs,
    /// Print one JSON document instead of the table; see `--help` for its fields
    #[arg(long)]
    pub json: bool,
}

/// Searches if requested, and lists the moves.
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
        return Err(format!("--back {back}: expected --depth or --nodes, too").into());
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
