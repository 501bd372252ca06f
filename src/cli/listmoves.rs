//! `lento listmoves`.

use super::evaluator::EvaluatorArgs;
use super::{Done, setup::Setup};
use crate::chess::{Board, Game, PieceType};
use crate::engine::Engine;
use crate::search::MAX_DEPTH;
use crate::search::limits::Limits;
use crate::search::listing::ListedMove;
use crate::search::lmr;
use crate::uci::listing::{USUAL_DEPTH, listing};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::process::ExitCode;

/// What the columns mean, for the help.
const COLUMNS: &str = "\
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
#[command(after_long_help = COLUMNS)]
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
    let (first, later) = args.setup.course(&args.moves.join(" "))?;
    let games: Vec<Game> = std::iter::once(first).chain(later).collect();
    let mut engine = Engine::new();
    engine.set_evaluation(args.evaluator.evaluation()?);
    engine.settings_mut().lmr.main = args.lmr;
    let &Args { reductions: depth, back, .. } = args;
    let last = games.len() - 1;
    if args.depth.is_some() || args.nodes.is_some() {
        let before = last.checked_sub(usize::from(back));
        let before =
            before.ok_or_else(|| format!("--back {back}: expected at most the number of moves given, {last}"))?;
        engine.set_game(games[before].clone());
        engine.search_blocking(&Limits { depth: args.depth, nodes: args.nodes, ..Limits::default() }, |_| ());
    } else if back > 0 {
        return Err(format!("--back {back}: expected --depth or --nodes with it").into());
    }
    engine.set_game(games[last].clone());
    let moves = engine.list_moves(depth);
    let (board, chess960) = (engine.game().board(), args.setup.chess960);
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{:#}", document(board, &moves, depth, chess960))?;
    } else {
        writeln!(out, "{}", listing(board, &moves, depth, chess960))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The listing as JSON.
fn document(board: &Board, moves: &[ListedMove], depth: i32, chess960: bool) -> Value {
    let name = |kind: Option<PieceType>| kind.map(PieceType::name);
    let row = |(index, ranked): (usize, &ListedMove)| {
        json!({
            "rank": index + 1,
            "uci": board.uci(ranked.mv, chess960),
            "san": board.san(ranked.mv),
            "best": ranked.best,
            "victim": name(ranked.victim),
            "attacker": name(ranked.attacker),
            "promotion": name(ranked.promotion),
            "killer": ranked.killer,
            "history": ranked.history,
            "continuation": ranked.continuation,
            "lbr": ranked.reply,
            "see": ranked.see,
            "reduction": ranked.reduction,
        })
    };
    json!({
        "fen": board.fen(chess960),
        "reduction_depth": depth,
        "moves": moves.iter().enumerate().map(row).collect::<Vec<_>>(),
        "legal_moves": moves.len(),
    })
}
