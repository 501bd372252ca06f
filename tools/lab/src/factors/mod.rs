//! `lento factors`: what many settings are worth, all measured by the same games.
//!
//! This is a factorial design. In each pair of games every factor, a setting that is new, is given by lot to one of the two
//! players. What each is worth follows from all pairs, by least squares.

mod design;
mod factor;
mod regression;
mod report;
mod session;

use crate::ideas;
use design::Design;
use factor::Factor;
use lento_common::interrupt::Stop;
use lento_common::notice::notice;
use lento_common::play::conditions::Conditions;
use lento_common::play::limit::Limit;
use lento_common::play::setting::Setting;
use lento_common::{draft, outputs, progress, summary};
use session::Session;
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// More factors than this are not measured at once.
const MOST: usize = 200;

const EXAMPLES: &str = "\
Two numbers, and two more that are only changed together, by 2000 pairs of games:
  lento factors lmr_pv=-600 iir_depth=5 rfp_depth=8,rfp_margin=90 --pairs 2000 --journal factors.jsonl

Every idea of the search switched off, all in the same games:
  lento factors --ideas --pairs 4000 --journal ideas.jsonl --markdown ideas.md --svg ideas.svg";

/// What to measure, and how to play.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What is new, as NAME=VALUE: an option of the engine or a number of its search, such as rfp_margin=80, or several of
    /// them that go together, with commas between
    #[arg(value_name = "FACTOR")]
    factor: Vec<Factor>,
    /// More factors: the lines of this file, without what follows a #
    #[arg(long, value_name = "FILE")]
    factors: Option<PathBuf>,
    /// Ideas of the search to switch off, by a part of their names; every idea without a part; may be repeated
    #[arg(long, value_name = "PART", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    ideas: Vec<String>,
    /// List the factors and their settings, and play nothing
    #[arg(long)]
    list: bool,
    /// An option or number of both players, such as nodestime=600; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// What a move may cost: nodes=5000 (exactly), soft=5000 (to the end of the iteration), depth=8, movetime=50ms, or a
    /// clock in seconds, tc=2+0.02
    #[arg(long, default_value = "nodes=5000")]
    limit: Limit,
    /// Pairs of games for all factors together: one opening, each player with White once
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Keep finished pairs in this file; the same command goes on where it ended, even when it was killed. With more --pairs
    /// than before the run is prolonged
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write the table as a page in Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Draw the table as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON document at the end instead of the table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    conditions: Conditions,
}

impl Args {
    /// Which factors there are, and who has them.
    fn design(&self) -> Result<Design, String> {
        let mut factors = self.factor.clone();
        if let Some(path) = &self.factors {
            factors.extend(factor::read(path)?);
        }
        if !self.ideas.is_empty() {
            let off = |idea: &&ideas::Idea| Ok(Factor { name: idea.name.to_owned(), settings: idea.settings()? });
            factors.extend(ideas::chosen(&self.ideas)?.iter().map(off).collect::<Result<Vec<_>, String>>()?);
        }
        match factors.len() {
            0 => Err("no factor to measure; expected settings such as rfp_margin=80, --factors FILE or --ideas".into()),
            1..=MOST => Ok(Design::new(factors, self.set.clone(), self.conditions.openings.seed)),
            many => Err(format!("{many} factors; expected up to {MOST}")),
        }
    }
}

/// Plays, and tells what each factor is worth. After Ctrl-C the table shows what there is.
///
/// # Errors
/// A factor, the openings or a file are not usable, or a player cannot be set up.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let design = args.design()?;
    if args.list {
        write!(io::stdout(), "{}", report::list(design.factors()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let arena = args.conditions.arena(args.limit, [&design.settings(), &args.set])?;
    outputs::check([&args.markdown, &args.svg].into_iter().flatten())?;
    let stop = Stop::on_ctrl_c()?;
    let mut session = Session::open(args, design)?;
    if let Some(shared) = report::shared(session.design()) {
        notice(shared);
    }
    let bar = progress::bar(Some(args.pairs), "{bar:30} {pos}/{len} pairs {msg} [{elapsed}, {eta} left]");
    bar.set_position(session.pairs());
    bar.set_message(report::line(&session));
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    session.play(&arena, &stop, |session| {
        bar.set_position(session.pairs());
        if !bar.is_hidden() {
            bar.set_message(report::line(session));
        }
    })?;
    bar.finish_and_clear();
    if let Some(path) = &args.markdown {
        draft::write(path, report::markdown(args, &session).as_bytes())?;
    }
    if let Some(path) = &args.svg {
        draft::write(path, report::svg(&session)?.as_bytes())?;
    }
    summary::show(args.json, || report::json(args, &session), || report::text(&session))?;
    Ok(summary::exit(session.is_over()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::arguments::parse;
    use lento_common::scratch::Folder;

    fn names(words: &str) -> Result<Vec<String>, String> {
        let args: Args = parse(std::iter::once("factors").chain(words.split_whitespace()))?;
        Ok(args.design()?.factors().iter().map(|factor| factor.name.clone()).collect())
    }

    #[test]
    fn factors_come_from_words_files_and_ideas() {
        let folder = Folder::new("factors");
        let file = folder.write("list", b"# two\nrfp_margin=80 # wide\r\n\n  rfp_depth = 8, rfp_margin = 90\n");
        let listed = names(&format!("--factors {} --ideas=ProbCut lmr_pv=-600", file.display())).unwrap();
        assert_eq!(listed, ["lmr_pv=-600", "rfp_margin=80", "rfp_depth=8,rfp_margin=90", "ProbCut"]);
        assert_eq!(names("--ideas lmr_pv=-600").unwrap().len(), ideas::IDEAS.len() + 1);
    }

    #[test]
    fn what_cannot_be_is_quoted() {
        let folder = Folder::new("factors-bad");
        let bad = folder.write("bad", b"rfp_margin=80\nrfp_margn=80\n");
        let empty = folder.write("empty", b"# nothing\n");
        let from = |file: &PathBuf| format!("--factors {}", file.display());
        for (words, part) in [
            ("rfp_margin", "\"rfp_margin\""),
            ("rfp_margn=80", "\"rfp_margn\"; did you mean rfp_margin?"),
            ("rfp_margin=9", "rfp_margin=9"),
            ("rfp_depth=8,rfp_margin", "\"8,rfp_margin\""),
            ("rfp_margin=80,", "\"80,\""),
            ("LMR=off,lmr=tuned", "\"lmr\" twice"),
            ("--ideas=telepathy", "\"telepathy\""),
            ("", "no factor"),
            (&from(&bad), "bad:2: "),
            (&from(&bad), "\"rfp_margn\""),
            (&from(&empty), "empty: no factor"),
            (&from(&empty.join("missing")), "missing"),
            (&"rfp_margin=80 ".repeat(201), "201 factors"),
            ("rfp_margin=80 --pairs 0", "'0'"),
        ] {
            let error = names(words).err().unwrap_or_else(|| panic!("{words} is accepted"));
            assert!(error.contains(part), "{words}: {error}");
        }
    }
}
