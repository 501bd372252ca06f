//! `lento perft`.

use super::{Done, setup::Setup};
use crate::chess::perft;
use crate::uci::task::{Message, Task, TaskEvent, TaskOutput};
use crossbeam::channel::unbounded;
use std::io::{self, Write};
use std::process::ExitCode;

/// Arguments of `lento perft`.
#[derive(clap::Args)]
pub struct Args {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)))]
    pub depth: u32,
    /// The position.
    #[command(flatten)]
    pub setup: Setup,
}

/// Prints perft per root move and the total; one thread, no hashing.
pub fn run(args: &Args) -> Done {
    let game = args.setup.game("")?;
    let (inbox, printed) = unbounded();
    let _task = Task::perft(TaskOutput { id: 0, inbox }, game.board().clone(), args.depth, args.setup.chess960)?;
    let mut out = io::stdout();
    while let Ok(Message::Task(_, TaskEvent::Line(line))) = printed.recv() {
        writeln!(out, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}
