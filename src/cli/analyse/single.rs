//! Analyses a single position without a database.

use super::Args;
use super::search::search;
use super::show::Show;
use crate::cli::Done;
use crate::cli::document::document;
use crate::cli::interrupt::Interrupt;
use crate::cli::table::summary;
use crate::engine::Output;
use std::io::{self, Write};
use std::process::ExitCode;

/// Searches with live output, then prints the best move. Ctrl-C ends the search early.
pub fn run(args: &Args) -> Done {
    let game = args.setup.game(&args.moves)?;
    let root = game.board().clone();
    let mut engine = args.engine()?;
    engine.set_game(game);
    let (chess960, limits) = (args.setup.chess960, args.limits());
    let mut interrupt = Interrupt::watch()?;
    let mut out = io::stdout();
    if args.json {
        let mut infos = Vec::new();
        let found = search(&mut engine, &limits, &mut interrupt, |news| {
            if let Some(Output::Info(info)) = news {
                infos.push(info.clone());
            }
            Ok(())
        })?;
        writeln!(out, "{:#}", document(&engine, &infos, &found))?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{}", root.fen(chess960))?;
    writeln!(out, "{}\n", args.conditions(&engine))?;
    let mut show = Show::new(&root, args.multipv > 1);
    writeln!(out, "{}", show.table.header())?;
    let found = search(&mut engine, &limits, &mut interrupt, |news| show.update(news))?;
    show.end(&found.outcome)?;
    writeln!(out, "\n{}", summary(&root, &found, chess960))?;
    Ok(ExitCode::SUCCESS)
}
