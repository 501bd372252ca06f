//! `lento spsa`: tunes search parameters by self-play.

mod chart;
mod optimiser;
mod parameter;
mod report;
mod session;

use crate::document::merged;
use lento::search::params::TUNABLES;
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::play::{Conditions, Limit, Setting};
use lento_common::{draft, inputs, number, outputs, progress, summary};
use lento_console::Done;
use parameter::ParameterChoice;
use serde_json::json;
use session::Session;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = names())]
pub struct Args {
    /// Parameters to tune: names, patterns such as lmr_*, or all, each with an optional start and distance, as in
    /// rfp_margin:start=80,c=8. The start defaults to the built-in value; c, the distance of the two sides from the value at
    /// the end of the run, to a twentieth of the range but at least 0.5
    #[arg(required = true, value_name = "PARAMETER")]
    parameters: Vec<ParameterChoice>,
    /// Iterations including those in the journal
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    iterations: u64,
    /// Game pairs per iteration
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: u64,
    /// Limit per move: nodes=N, soft=N (no new iteration after N nodes), depth=N, movetime=50ms, or a clock,
    /// tc=SECONDS+SECONDS
    #[arg(long, default_value = "nodes=3000")]
    limit: Limit,
    /// Engine option or search parameter of both players, such as nodestime=600; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Store finished iterations in this file; the same command resumes the run, and more --iterations extend it
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Draw the values of each parameter over time as SVG, during the run and at the end
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// At the end, write the values as defaults into this source file (src/search/params.rs)
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Print a JSON document with settings, parameters and source lines instead of the table
    #[arg(long)]
    json: bool,
    /// Iterations over which steps and distances decrease [default: as in the journal, else --iterations]
    #[arg(long, value_name = "N", help_heading = "Schedule", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    horizon: Option<u64>,
    /// Final learning rate: step per net win, in units of c
    #[arg(long, value_name = "RATE", help_heading = "Schedule", default_value_t = 0.002, value_parser = parse_rate)]
    r_end: f64,
    #[command(flatten)]
    conditions: Conditions,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    number::within(text, f64::MIN_POSITIVE..=10.0, "a number above 0 and up to 10")
}

fn names() -> String {
    let names: Vec<&str> = TUNABLES.iter().map(|tunable| tunable.name).collect();
    format!("Parameters: {}", names.join(", "))
}

/// Interval between pictures.
const REDRAW: Duration = Duration::from_secs(10);

/// Tunes and prints the result. Ctrl-C ends the run with the iterations so far.
pub fn run(args: &Args) -> Done {
    outputs::check([&args.journal, &args.svg, &args.write].into_iter().flatten(), &args.conditions.openings.book)?;
    let mut session = Session::open(args)?;
    // Detects errors before the games.
    draw(args, &session)?;
    if let Some(path) = &args.write {
        rewritten(path, &session)?;
    }
    let played = play(args, &mut session, &Stop::on_ctrl_c()?);
    // Iterations before an error count.
    if played.is_err() && session.spsa.iteration == 0 {
        return Ok(summary::exit(played?));
    }
    let document =
        || merged(report::json(&session.spsa, &session.pairs, args.iterations), json!({ "run": session.header }));
    let shown = summary::show(args.json, document, || report::text(&session.spsa, &session.pairs, args.iterations));
    let drawn = draw(args, &session);
    if let (Ok(true), Some(path)) = (&played, &args.write) {
        draft::write(path, rewritten(path, &session)?.as_bytes())?;
    }
    shown?;
    drawn?;
    Ok(summary::exit(played?))
}

/// Plays the remaining iterations; false if interrupted.
fn play(args: &Args, session: &mut Session, stop: &Stop) -> Result<bool, Box<dyn Error>> {
    let template = "{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]";
    let bar = progress::resumed(Some(args.iterations), session.spsa.iteration, template);
    let mut drawn = Instant::now();
    while session.spsa.iteration < args.iterations {
        let (mut games, furthest) = (session.pairs.games(), report::furthest(&session.spsa));
        bar.set_message(format!("{games} games{furthest}"));
        let played = session.step(stop, || {
            games += 2;
            bar.set_message(format!("{games} games{furthest}"));
        })?;
        if !played {
            break;
        }
        bar.set_position(session.spsa.iteration);
        if drawn.elapsed() >= REDRAW {
            if let Err(error) = draw(args, session) {
                bar.suspend(|| notice(error));
            }
            drawn = Instant::now();
        }
    }
    bar.finish_and_clear();
    Ok(session.spsa.iteration >= args.iterations)
}

fn draw(args: &Args, session: &Session) -> Result<(), Box<dyn Error>> {
    let Some(path) = &args.svg else { return Ok(()) };
    let picture = chart::svg(&session.spsa.parameters, &session.values, args.iterations, session.pairs.games())?;
    Ok(draft::write(path, picture.as_bytes())?)
}

fn rewritten(path: &Path, session: &Session) -> Result<String, String> {
    let text = inputs::read_utf8(path)?;
    report::rewrite(&text, &session.spsa).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_rates_are_errors() {
        assert_eq!(parse_rate("0.002"), Ok(0.002));
        for text in ["", "x", "NaN", "inf", "-1", "0", "11"] {
            assert!(parse_rate(text).is_err(), "{text:?}");
        }
    }
}
