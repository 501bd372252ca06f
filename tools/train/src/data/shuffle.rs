//! `lento data shuffle`: shuffles any number of positions.

use super::show;
use super::writer::{Order, PositionWriter};
use crate::formats::packed::{self, to_bytes};
use crate::formats::shards::POSITIONS;
use crate::report::Report;
use lento_common::interrupt::Stop;
use lento_common::progress;
use lento_console::Done;
use std::path::PathBuf;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Positions in bulletformat: files, or folders with *.bf files. The result depends on their order
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Write the positions to this file, which appears when it is complete; may be an input
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    order: Order,
    /// Print a JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// Shuffles positions. Ctrl-C leaves no file.
pub fn run(args: &Args) -> Done {
    let stop = Stop::on_ctrl_c()?;
    let start = Instant::now();
    let files = POSITIONS.find(&args.data)?;
    let count = packed::count_all(&files)?;
    let mut writer = PositionWriter::new(&args.output, true, args.order, Some(count))?;
    // Each position is read once and written once.
    let bar = progress::bar(Some(2 * count), "{bar:30} {percent} % {msg} [{elapsed}, {eta} left]");
    bar.set_message("read");
    for position in packed::positions(&files) {
        writer.push(to_bytes(&position?))?;
        if writer.count.is_multiple_of(1 << 14) {
            if stop.is_requested() {
                break;
            }
            bar.set_position(writer.count);
        }
    }
    bar.set_message("written");
    let read = writer.count;
    let progress = |written| bar.set_position(read + written);
    let written = if stop.is_requested() { None } else { writer.finish(&stop, progress)? };
    bar.finish_and_clear();
    let mut report = Report::default();
    report.count("files", "files", files.len() as u64, "");
    report.count("positions", "positions", count, "");
    report.count("written", "written", written.unwrap_or_default(), "");
    report.speed("positions", count, start.elapsed());
    report.field("seed", args.order.seed);
    show(report, args.json, written.is_none().then_some(&args.output))
}
