//! `lento spsa`: tunes numbers of the search by self-play.

mod chart;
mod games;
mod optimiser;
mod parameter;
mod report;
mod schedule;
mod session;
mod source;

use lento::search::params::TUNABLES;
use lento_common::interrupt::Stop;
use lento_common::play::conditions::Conditions;
use lento_common::play::limit::Limit;
use lento_common::play::setting::Setting;
use lento_common::{draft, inputs, number, outputs, progress, summary};
use parameter::ParameterChoice;
use session::Session;
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What to tune, how, and by which games.
#[derive(clap::Args)]
#[command(after_help = names())]
pub struct Args {
    /// Parameters to tune: names, patterns such as lmr_*, or all, each with its own start and distance if wanted:
    /// rfp_margin:start=80,c=8. The start is the default, and c, how far the two sides lie from the value at the end of the
    /// run, a twentieth of the range but at least 0.5, unless given here
    #[arg(required = true, value_name = "PARAMETER")]
    parameters: Vec<ParameterChoice>,
    /// Iterations in all, those of the journal included
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    iterations: u64,
    /// Pairs of games in each iteration
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: u64,
    /// Limit for each move: nodes=N, soft=N (no new depth after so many nodes), depth=N, movetime=50ms, or a clock for the
    /// game, tc=SECONDS+SECONDS
    #[arg(long, default_value = "nodes=3000")]
    limit: Limit,
    /// An option or number of both players, such as nodestime=600; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Keep each finished iteration in this file, and go on from there when it exists. With more --iterations than before
    /// the run is prolonged
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Draw the course of each parameter into this file as SVG, now and then and at the end
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// At the end, put the values found into this source as defaults (src/search/params.rs); nothing else in it changes
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Print one JSON document at the end instead of the table: the settings, the parameters, the lines to paste
    #[arg(long)]
    json: bool,
    /// Iterations over which steps and distances shrink; after them they stay [default: that of the journal, else
    /// --iterations]
    #[arg(long, value_name = "N", help_heading = "GainSchedule", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    horizon: Option<u64>,
    /// Learning rate at the end: the step, in units of c, for each game that one side wins more than the other
    #[arg(long, value_name = "RATE", help_heading = "GainSchedule", default_value_t = 0.002, value_parser = parse_rate)]
    r_end: f64,
    /// How fast the steps shrink
    #[arg(long, value_name = "EXPONENT", help_heading = "GainSchedule", default_value_t = 0.602, value_parser = parse_exponent)]
    alpha: f64,
    /// How fast the distances shrink
    #[arg(long, value_name = "EXPONENT", help_heading = "GainSchedule", default_value_t = 0.101, value_parser = parse_exponent)]
    gamma: f64,
    /// Damps the first steps: this share of the horizon is added to the number of the iteration
    #[arg(long, value_name = "SHARE", help_heading = "GainSchedule", default_value_t = 0.1, value_parser = parse_exponent)]
    a_ratio: f64,
    #[command(flatten)]
    conditions: Conditions,
}

fn names() -> String {
    let names: Vec<&str> = TUNABLES.iter().map(|tunable| tunable.name).collect();
    format!("Parameters: {}", names.join(", "))
}

fn parse_rate(text: &str) -> Result<f64, String> {
    number::within(text, f64::MIN_POSITIVE..=10.0, "a number above 0 and up to 10")
}

fn parse_exponent(text: &str) -> Result<f64, String> {
    number::within(text, 0.0..=2.0, "a number from 0 to 2")
}

/// How often the picture is drawn anew.
const REDRAW: Duration = Duration::from_secs(10);

/// Tunes, and shows what came out. After Ctrl-C the iterations so far are kept.
///
/// # Errors
/// A file cannot be read or written, or does not fit; a player cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    outputs::check([&args.svg, &args.write].into_iter().flatten())?;
    let mut session = Session::open(args)?;
    // What cannot be written is better known before the games than after them.
    draw(args, &session)?;
    if let Some(path) = &args.write {
        rewritten(path, &session)?;
    }
    let finished = play(args, &mut session, &Stop::on_ctrl_c()?)?;
    draw(args, &session)?;
    if finished && let Some(path) = &args.write {
        draft::write(path, rewritten(path, &session)?.as_bytes())?;
    }
    show(args, &session, finished)?;
    Ok(summary::exit(finished))
}

/// Plays what is left to play; false if it was interrupted.
fn play(args: &Args, session: &mut Session, stop: &Stop) -> Result<bool, Box<dyn Error>> {
    let template = "{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]";
    let bar = progress::bar(Some(args.iterations), template);
    bar.set_position(session.spsa.iteration());
    bar.reset_eta();
    let mut drawn = Instant::now();
    while session.spsa.iteration() < args.iterations {
        let (before, mut finished) = (session.games(), 0_u64);
        let furthest = report::furthest(&session.spsa);
        let message = |finished| format!("{} games{furthest}", before + 2 * finished);
        bar.set_message(message(0));
        let played = session.step(stop, || {
            finished += 1;
            bar.set_message(message(finished));
        });
        if !played? {
            bar.finish_and_clear();
            return Ok(false);
        }
        bar.set_position(session.spsa.iteration());
        if drawn.elapsed() >= REDRAW {
            draw(args, session)?;
            drawn = Instant::now();
        }
    }
    bar.finish_and_clear();
    Ok(true)
}

fn draw(args: &Args, session: &Session) -> Result<(), Box<dyn Error>> {
    args.svg.as_deref().map_or(Ok(()), |path| session.draw(path, args.iterations))
}

/// The source with the values found.
fn rewritten(path: &Path, session: &Session) -> Result<String, Box<dyn Error>> {
    let text = inputs::read_utf8(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let names = session.spsa.parameters().iter().map(|parameter| parameter.tunable.name);
    let values: Vec<(&str, i32)> = names.zip(session.spsa.rounded()).collect();
    Ok(source::rewrite(&text, &values).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Prints what came out.
fn show(args: &Args, session: &Session, finished: bool) -> io::Result<()> {
    let (done, games, pairs) = (session.spsa.iteration(), session.games(), session.pairs);
    let mut out = io::stdout().lock();
    if args.json {
        let mut document = report::json(&session.spsa, &pairs);
        document["run"] = session.header.clone();
        document["iterations"] = done.into();
        document["games"] = games.into();
        document["pairs"] = pairs.to_vec().into();
        document["finished"] = finished.into();
        return writeln!(out, "{document:#}");
    }
    let rest = if finished { String::new() } else { format!(" of {}, interrupted", args.iterations) };
    writeln!(out, "{}\n{done} iterations{rest}, {games} games", report::text(&session.spsa, &pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_schedule_are_checked() {
        assert_eq!((parse_rate("0.002"), parse_exponent("0")), (Ok(0.002), Ok(0.0)));
        for text in ["", "x", "NaN", "inf", "-1", "0", "11"] {
            assert!(parse_rate(text).is_err(), "{text:?}");
        }
        for text in ["", "x", "NaN", "inf", "-0.1", "2.1"] {
            assert!(parse_exponent(text).is_err(), "{text:?}");
        }
    }
}
