//! `lento data convert`: converts games to positions.

use super::show;
use super::writer::{Order, PositionWriter};
use crate::formats::packed::{RECORD, pack, to_bytes};
use crate::formats::shards::GAMES;
use crate::formats::viri::PLY;
use crate::formats::{Filter, Place, Rule, StoredGame, decode, lgp, shards};
use crate::report::Report;
use lento_common::interrupt::Stop;
use lento_common::threads::Threads;
use lento_common::{outputs, progress};
use lento_console::Done;
use std::collections::HashSet;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
#[command(mut_arg("memory", |arg| arg.requires("shuffle")))]
pub struct ConvertArgs {
    /// Games, viriformat or packed: files, or folders with *.vf, *.viri and *.lgp files
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Write the positions to this file (bulletformat, *.bf), which appears when it is complete
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Shuffle the positions [default: order of the games]
    #[arg(long)]
    shuffle: bool,
    #[command(flatten)]
    order: Order,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
    /// Write each position only once, by pieces, side to move, castling rights and en passant. Needs up to 31 bytes of memory
    /// per position written
    #[arg(long)]
    dedupe: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    filter: Filter,
}

/// Converts games. Ctrl-C leaves no file.
pub fn convert(args: &ConvertArgs) -> Done {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let mut conversion = Conversion::default();
    let files = GAMES.find(&args.data)?;
    outputs::check([&args.output], &files)?;
    let writer = PositionWriter::new(&args.output, args.shuffle, args.order, max_positions(&files)?)?;
    let written = conversion.write(args, files, writer, &stop)?;
    let mut report = conversion.report(&args.filter, written.unwrap_or_default());
    report.speed("positions", conversion.positions, start.elapsed());
    show(report, args.json, written.is_none().then_some(&args.output))
}

/// An upper bound of the number of positions in files; `None` for pipes.
fn max_positions(files: &[PathBuf]) -> Result<Option<u64>, String> {
    let positions = |file: &PathBuf| {
        let plies =
            if shards::is_packed(file) { lgp::Reader::open(file)?.plies } else { shards::size(file)? / PLY as u64 };
        Ok(file.is_file().then_some(plies))
    };
    files.iter().map(positions).sum()
}

/// Counts of a conversion.
#[derive(Default)]
struct Conversion {
    seen: HashSet<u64>,
    games: u64,
    positions: u64,
    /// By [`Rule`].
    excluded: [u64; Rule::NAMES.len()],
    repeated: u64,
    /// Skipped truncated games.
    torn: Vec<Place>,
}

impl Conversion {
    /// Writes the positions of the files and returns their number; `None`, and no file, if stopped.
    fn write(
        &mut self,
        args: &ConvertArgs,
        files: Vec<PathBuf>,
        mut writer: PositionWriter,
        stop: &Stop,
    ) -> Result<Option<u64>, Box<dyn Error>> {
        let work = |games: &[StoredGame]| Ok((games.len() as u64, select(games, &args.filter)?));
        let (finished, torn) = decode::run(files, args.threads.count(), stop, work, |(games, (kept, excluded))| {
            self.games += games;
            self.positions += kept.len() as u64 + excluded.iter().sum::<u64>();
            self.excluded.iter_mut().zip(excluded).for_each(|(sum, count)| *sum += count);
            for (record, key) in kept {
                if args.dedupe && !self.seen.insert(key) {
                    self.repeated += 1;
                } else {
                    writer.push(record)?;
                }
            }
            Ok(writer.count)
        })?;
        self.torn = torn;
        if !finished {
            return Ok(None);
        }
        if let (0, [torn, ..]) = (self.games, &self.torn[..]) {
            return Err(format!("{torn}: truncated, and there is no other game").into());
        }
        let bar = progress::bar(Some(writer.count), "{bar:30} {human_pos}/{human_len} written [{elapsed}, {eta} left]");
        let written = writer.finish(stop, |count| bar.set_position(count))?;
        bar.finish_and_clear();
        Ok(written)
    }

    fn report(&self, filter: &Filter, written: u64) -> Report {
        let Self { games, positions, excluded, repeated, .. } = *self;
        let kept = positions - excluded.iter().sum::<u64>() - repeated;
        let mut report = Report::default();
        report.count("games", "games", games, "");
        report.count("positions", "positions", positions, "");
        for ([label, _], excluded) in Rule::NAMES.iter().zip(excluded) {
            report.share(&format!("  {label}"), excluded, positions);
        }
        report.field("dropped", Rule::counts_to_json(excluded));
        report.part("  repeated", "repeated", repeated, positions);
        report.part("kept", "kept", kept, positions);
        report.part("written", "written", written, positions);
        report.field("filter", filter.to_json());
        report.torn(&self.torn);
        report
    }
}

/// Records and keys of positions, and the numbers of others by [`Rule`].
type Selected = (Vec<([u8; RECORD], u64)>, [u64; Rule::NAMES.len()]);

/// Selects positions of games.
fn select(games: &[StoredGame], filter: &Filter) -> Result<Selected, String> {
    let (mut kept, mut excluded) = Selected::default();
    for game in games {
        game.walk(|position| match filter.rule_against(position) {
            Some(rule) => excluded[rule as usize] += 1,
            None => {
                let record = to_bytes(&pack(&position.board, position.score, position.result));
                kept.push((record, position.board.key()));
            }
        })?;
    }
    // Results wait for those of earlier games.
    kept.shrink_to_fit();
    Ok((kept, excluded))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::tests::sample;
    use lento_testing::Folder;
    use std::os::fd::AsRawFd;

    #[test]
    fn positions_of_pipes_are_not_counted() {
        let folder = Folder::new("convert-pipe");
        let file = folder.write("games.vf", &sample::bytes(&sample::games(2, 5)));
        let size = shards::size(&file).unwrap();
        let (reader, _writer) = std::io::pipe().unwrap();
        let pipe = PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd()));
        assert_eq!(max_positions(std::slice::from_ref(&file)), Ok(Some(size / PLY as u64)));
        assert_eq!(max_positions(&[file, pipe]), Ok(None));
    }
}
