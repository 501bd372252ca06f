//! The UCI options. Each is declared once, for announcement, parsing, help and the table of `docs/options.md`.

mod declare;

pub use self::declare::UciOption;
use self::declare::{button, check, combo, flag, interval, named, number, spin, text};
use super::format;
use super::protocol::Protocol;
use super::words::quoted;
use super::writer::Writer;
use lento::engine::numa::NumaPolicy;
use lento::engine::{CONTEMPT, Engine, Settings, strength};
use lento::eval::{Evaluation, nnue};
use lento::hash_file::Progress;
use lento::internals::version;
use lento::search::MAX_PROBE_DEPTH;
use lento::search::lmr::rebel::LINES;
use lento::search::lmr::{Rebel, RecipeName};
use lento::search::params::{TUNABLES, Tunable};
use lento::tb::{MAX_PIECES, Tables};
use lento::tt::TtError;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The state that options change.
pub struct Target<'a> {
    /// The engine, which must be idle.
    pub engine: &'a mut Engine,
    /// Protocol settings.
    pub protocol: &'a mut Protocol,
    /// Messages and the debug log.
    pub writer: &'a mut Writer,
}

/// The slow part of setting an option, for any thread. Reports progress, and returns a function that applies the result.
pub type Slow = Box<dyn FnOnce(&mut dyn FnMut(Progress)) -> Apply + Send>;

/// Applies a result. Errors name what stays in use.
pub type Apply = Box<dyn FnOnce(&mut Target) -> Result<(), String> + Send>;

/// Filters or changes an `option` line before it is announced.
pub type Offer = Box<dyn Fn(String) -> Option<String>>;

/// The slow part left after applying a value, if any; or why it was refused, and what stays in use.
type Applied = Result<Option<Slow>, String>;

/// All options except those of the recipe `rebel`, in announced order.
static OPTIONS: LazyLock<Vec<UciOption>> = LazyLock::new(|| {
    vec![
        spin("Threads", 1, (1, Engine::MAX_THREADS as i64), set_threads)
            .means("Number of search threads. Changing it keeps the hash table."),
        spin("Hash", Engine::DEFAULT_HASH as i64, (1, Engine::MAX_HASH as i64), set_hash)
            .means("Size of the hash table in MiB (docs/hash.md). If memory does not suffice, the old table is kept."),
        text("NumaPolicy", "auto", NumaPolicy::CHOICES, set_numa_policy).means(
            "How threads are bound to CPUs on machines with several NUMA nodes or with fast and slow cores \
             (docs/numa.md).",
        ),
        button("Clear Hash", |to| to.engine.clear_hash()).means("Clears the hash table."),
        text("HashFile", "<empty>", "a file name, or `<empty>`", set_hash_file)
            .means("File for SaveHash, LoadHash and AutoSave (docs/hash.md). Compressed if its name ends in .zst."),
        // The parser replaces these two by commands.
        button("SaveHash", |_| ()).means("Saves the hash table to HashFile, even during a search."),
        button("LoadHash", |_| ()).means("Loads HashFile into the hash table. The sizes need not match."),
        interval("AutoSave", 10_080, |protocol| &mut protocol.auto_save)
            .means("Minutes after which new results are saved to HashFile, also at the end; 0 disables it."),
        check("UCI_AnalyseMode", |settings| &mut settings.analyse_mode).means(
            "Keeps results when the position changes or a new game begins (docs/hash.md). Until it is sent, \
             `go infinite` is analysis.",
        ),
        check("Analyse Mode", |settings| &mut settings.analyse_mode)
            .means("The same option as UCI_AnalyseMode, for interfaces that hide names with `UCI_`."),
        number("MultiPV", (1, 256), |settings| &mut settings.search.multi_pv)
            .means("Number of principal variations to search and print."),
        check("UCI_LimitStrength", |settings| &mut settings.strength.limited)
            .means("Limits the strength to UCI_Elo, with human-like mistakes (docs/playing.md)."),
        number("UCI_Elo", (strength::ELO.0 as i64, strength::ELO.1 as i64), |settings| &mut settings.strength.elo)
            .means("Target strength with UCI_LimitStrength."),
        // DroidFish drops options with larger numbers.
        number("Strength Seed", (0, i32::MAX.into()), |settings| &mut settings.strength.seed)
            .means("Seed for the mistakes of limited strength; 0 draws a new one for each game."),
        flag("Ponder", |protocol| &mut protocol.ponder)
            .means("Declares that the GUI may let the engine think on the opponent's time."),
        number("Move Overhead", (0, 5000), |settings| &mut settings.search.move_overhead)
            .means("Milliseconds reserved per move for delays between engine and clock."),
        number("nodestime", (0, 1_000_000), |settings| &mut settings.search.nodes_time)
            .means("Nodes that count as one millisecond, for reproducible games; 0 uses wall-clock time."),
        flag("UCI_Chess960", |protocol| &mut protocol.chess960)
            .means("Writes castling as king takes rook, and FENs with the files of the rooks (Shredder-FEN)."),
        flag("UCI_ShowWDL", |protocol| &mut protocol.show_wdl).means(
            "Prints win, draw and loss probabilities in per mille with each score. 100 centipawns mean a 50 % chance \
             of winning.",
        ),
        flag("Show WDL", |protocol| &mut protocol.show_wdl)
            .means("The same option as UCI_ShowWDL, for interfaces that hide names with `UCI_`."),
        named("Stagger", |settings| &mut settings.search.stagger).means(
            "How helper threads vary their depths: not at all, by skipping some depths, or one ply deeper for every other \
             thread. Auto skips depths up to seven threads, in rounds (Deterministic) and in lento-cluster.",
        ),
        named("Shared History", |settings| &mut settings.search.shared_history).means(
            "Which threads share continuation and correction history: those on one last-level cache, or none \
             (docs/search.md).",
        ),
        named("Deterministic", |settings| &mut settings.search.deterministic).means(
            "Makes searches with several threads reproducible under depth and node limits, in rounds (true) or one thread \
             at a time (turns); slower (docs/search.md).",
        ),
        named("LBR", |settings| &mut settings.search.lbr)
            .means("Move ordering by Last Best Reply: off, by the previous move, or by a variant (docs/search.md)."),
        named("LMR", |settings| &mut settings.lmr.main).means("Recipe for late move reductions (docs/search.md)."),
        named("LMR Helpers", |settings| &mut settings.lmr.helpers)
            .means("Recipe of the helper threads: the same as the main thread, several in rotation, or a fixed one."),
        check("LMR Statistics", |settings| &mut settings.lmr_statistics)
            .means("Collects statistics on reductions for `lmrstats`. Searches are slightly slower."),
        text("EvalFile", "<empty>", "a network file, or `<empty>` for the embedded network", set_network)
            .means("Network file to use instead of the embedded network."),
        check("Drawish Endings", |settings| &mut settings.drawish_endings).means(
            "Scores pawnless endings that are usually drawn, such as rook against rook, as 0 and keeps searching.",
        ),
        number("Contempt", CONTEMPT, |settings| &mut settings.contempt)
            .means("Contempt in centipawns; negative prefers draws (docs/playing.md)."),
        named("Analysis Contempt", |settings| &mut settings.analysis_contempt).means(
            "Side whose contempt applies in analysis (UCI_AnalyseMode, or `go infinite` until that is sent). Both \
             means the side to move.",
        ),
        text("SyzygyPath", "<empty>", "directories, or `<empty>` for none", set_tables)
            .means("Directories with Syzygy tablebases, separated by `:` (`;` on Windows) (docs/tablebases.md)."),
        number("SyzygyProbeDepth", (1, MAX_PROBE_DEPTH as i64), |settings| &mut settings.search.probe_depth)
            .means("Minimum depth to probe at the piece limit. Positions with fewer pieces are always probed."),
        number("SyzygyProbeLimit", (0, MAX_PIECES as i64), |settings| &mut settings.search.probe_limit)
            .means("Maximum number of pieces to probe, kings included; below 3 disables probing."),
        check("Syzygy50MoveRule", |settings| &mut settings.search.fifty_move_rule)
            .means("Scores tablebase wins that the fifty-move rule prevents as draws."),
        text("UCI_EngineAbout", version::ABOUT, "only its default", keep_about)
            .means("Name, version, authors and licence. Read-only."),
        text("Debug Log File", "<empty>", "a writable file, or `<empty>`", set_log)
            .means("Appends all input and output to this file, with timestamps."),
    ]
});

/// The options of the LMR recipe `rebel`: for each starred line of its source a switch, a weight in 1/10 ply and, for
/// some, a margin in centipawns.
static REBEL: LazyLock<Vec<UciOption>> = LazyLock::new(|| {
    let mut all = vec![
        number("Rebel P", (0, Rebel::MAX_PERCENT.into()), |settings| &mut settings.lmr.rebel.percent)
            .means("Percentage of the sum of the lines that recipe rebel uses (docs/search.md)."),
        check("Rebel Extend", |settings| &mut settings.lmr.rebel.extends)
            .means("Lets recipe rebel extend moves with a negative sum by one ply (docs/search.md)."),
    ];
    for (index, line) in LINES.iter().enumerate() {
        let name = format!("Rebel {}", line.name);
        let on = check(&name, move |settings| &mut settings.lmr.rebel.lines[index].on);
        all.push(on.means("Uses this line of recipe rebel (docs/search.md)."));
        let weight = number(&format!("{name} Weight"), (0, Rebel::MAX_WEIGHT.into()), move |settings| {
            &mut settings.lmr.rebel.lines[index].weight
        });
        all.push(weight.means("Weight of this line of recipe rebel, in 1/10 ply (docs/search.md)."));
        if line.margin().is_some() {
            let margin = number(&format!("{name} Margin"), (0, Rebel::MAX_MARGIN.into()), move |settings| {
                &mut settings.lmr.rebel.lines[index].margin
            });
            all.push(margin.means("Margin of this line of recipe rebel, in centipawns (docs/search.md)."));
        }
    }
    all
});

/// Options accepted without being announced, since some interfaces set them anyway.
static UNANNOUNCED: LazyLock<Vec<UciOption>> = LazyLock::new(|| {
    let variants = vec!["chess", "standard", "chess960", "fischerandom", "fromposition"];
    let all =
        [text("UCI_Opponent", "", "any text", |_, _| Ok(None)), combo("UCI_Variant", "chess", variants, |_, _| ())];
    all.into_iter().map(|option| option.means("Accepted and ignored.")).collect()
});

fn set_threads(to: &mut Target, threads: i64) -> Applied {
    let result = to.engine.set_threads(threads as usize);
    result.map(|()| None).map_err(|error| format!("{error}; it stays at {}", to.engine.threads()))
}

/// Resizes the table, which is taken out of the engine meanwhile.
fn set_hash(to: &mut Target, mib: i64) -> Applied {
    if to.engine.has_hash(mib as usize) {
        return Ok(None);
    }
    let mut resize = to.engine.begin_resize(mib as usize);
    Ok(Some(Box::new(move |progress| {
        resize.run(&mut |ready| progress(Progress { done: (ready as u64) << 20, total: (mib as u64) << 20 }));
        Box::new(move |target| {
            target.engine.end_resize(resize).map_err(|error| match error {
                TtError::Lost(_) => error.to_string(),
                _ => format!("{error}; keeping the old table"),
            })
        })
    })))
}

fn set_numa_policy(to: &mut Target, text: &str) -> Applied {
    let policy = text.parse::<NumaPolicy>();
    let result = policy.and_then(|policy| to.engine.set_numa_policy(policy));
    result.map(|()| None).map_err(|error| format!("{error}; it stays at {}", to.engine.numa_policy()))
}

fn set_hash_file(to: &mut Target, name: &str) -> Applied {
    to.protocol.hash_file = (!name.is_empty()).then(|| name.into());
    Ok(None)
}

fn set_network(to: &mut Target, name: &str) -> Applied {
    let network = if name.is_empty() { Ok(nnue::embedded()) } else { nnue::load(Path::new(name)) };
    to.engine.network = network.map_err(|error| format!("{error}; the network is unchanged"))?;
    Ok(None)
}

/// GUIs send back what was announced.
fn keep_about(_: &mut Target, text: &str) -> Applied {
    if text == version::ABOUT { Ok(None) } else { Err("read-only".into()) }
}

fn set_log(to: &mut Target, name: &str) -> Applied {
    to.writer.set_log(name).map(|()| None).map_err(|error| format!("{error}; the log is unchanged"))
}

/// Opens the tables in these folders and reports what was found. An empty list removes the tables.
fn set_tables(to: &mut Target, folders: &str) -> Applied {
    const MAX_PROBLEMS: usize = 12;
    if folders.trim().is_empty() {
        to.engine.set_tables(None);
        return Ok(None);
    }
    let folders = folders.to_owned();
    Ok(Some(Box::new(move |_| {
        let opened = Tables::open(&folders);
        Box::new(move |Target { engine, writer, .. }| {
            let tables = opened.map_err(|error| match engine.tables() {
                Some(old) => format!("{error}; keeping the {}", old.summary()),
                None => format!("{error}; no tablebases in use"),
            })?;
            let mut print = |text: &str| writer.print(&format::message(format!("SyzygyPath: {text}")));
            print(&tables.summary().to_string());
            let problems = &tables.summary().problems;
            problems.iter().take(MAX_PROBLEMS).for_each(|problem| print(problem));
            if problems.len() > MAX_PROBLEMS {
                print(&format!("... and {} more problems", problems.len() - MAX_PROBLEMS));
            }
            engine.set_tables(Some(Arc::new(tables)));
            Ok(())
        })
    })))
}

/// Sets an option. If it is unknown or the value is refused, nothing changes.
///
/// Also accepts search parameters ([`TUNABLES`]), which are not announced, for tuning.
pub fn set(target: &mut Target, name: &str, value: Option<&str>) -> Result<(), String> {
    match begin(target, name, value)? {
        Some(slow) => slow(&mut |_| ())(target).map_err(|reason| refused(name, value, &reason)),
        None => Ok(()),
    }
}

/// [`set`] without the slow part, which is left to the caller.
pub fn begin(target: &mut Target, name: &str, value: Option<&str>) -> Result<Option<Slow>, String> {
    let text = value.unwrap_or("");
    let invalid =
        |name: &str, expected: &str| format!("option {name} expects {expected}, not {}; value unchanged", quoted(text));
    if let Some(tunable) = tunable(name) {
        let Tunable { name, min, max, off, .. } = *tunable;
        let number = text.parse().ok().filter(|&number| tunable.allows(number));
        let off = off.map_or_else(String::new, |off| format!(", or {off} for off"));
        let number = number.ok_or_else(|| invalid(name, &format!("a whole number from {min} to {max}{off}")))?;
        return target.engine.set_param(name, number).map(|()| None);
    }
    let option = find(name).ok_or_else(|| unknown(name))?;
    let applied = (option.set)(target, text).ok_or_else(|| invalid(&option.name, &option.expected()))?;
    applied.map_err(|reason| refused(name, value, &reason))
}

fn unknown(name: &str) -> String {
    format!("unknown option {}; known options are {}", quoted(name), names().join(", "))
}

/// Whether there is an option or search parameter of this name.
pub fn exists(name: &str) -> bool {
    find(name).is_some() || tunable(name).is_some()
}

fn tunable(name: &str) -> Option<&'static Tunable> {
    TUNABLES.iter().find(|tunable| tunable.name == name)
}

/// The names of [`all`] options.
pub fn names() -> Vec<&'static str> {
    all().iter().map(|option| option.name.as_str()).collect()
}

/// The options except those of the recipe `rebel`, in announced order.
pub fn all() -> &'static [UciOption] {
    &OPTIONS
}

/// Describes an option or search parameter in one line.
pub fn help(name: &str) -> Result<String, String> {
    if let Some(Tunable { name, min, max, default, .. }) = tunable(name) {
        return Ok(format!(
            "{name}: {min} to {max} [default: {default}]. A search parameter, see src/search/params.rs."
        ));
    }
    let UciOption { name, values, default, meaning, .. } = find(name).ok_or_else(|| unknown(name))?;
    let default = if default.is_empty() { String::new() } else { format!(" [default: {default}]") };
    Ok(format!("{name}: {values}{default}. {meaning}"))
}

/// The `option` lines, those of the recipe `rebel` only if requested.
pub fn announcements(rebel: bool) -> impl Iterator<Item = String> {
    let all = OPTIONS.iter().chain(REBEL.iter().filter(move |_| rebel));
    all.map(|UciOption { name, kind, .. }| format!("option name {name} type {kind}"))
}

/// Answers `uci`. Options of the recipe `rebel` are listed while it is in use.
pub fn introduction(evaluation: &Evaluation, settings: &Settings, offer: &Offer) -> String {
    let mut text = format!("id name Lento {}\nid author the Lento authors\n", env!("CARGO_PKG_VERSION"));
    let announced = announcements(settings.lmr.uses(RecipeName::Rebel)).filter_map(offer);
    text.extend(announced.map(|option| option + "\n"));
    text + &format::message(format!("evaluation {evaluation}")) + "\nuciok"
}

/// The message for a valid value that could not be applied.
pub(super) fn refused(name: &str, value: Option<&str>, reason: &str) -> String {
    let name = find(name).map_or(name, |option| &option.name);
    format!("option {name} cannot be set to {}: {reason}", quoted(value.unwrap_or("")))
}

/// Compares names ignoring case, spaces and the prefix `UCI_`.
pub fn same_name(a: &str, b: &str) -> bool {
    let plain = |name: &str| {
        let name: String = name.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
        name.strip_prefix("uci_").unwrap_or(&name).to_owned()
    };
    plain(a) == plain(b)
}

/// Finds an option by its [name](same_name).
fn find(name: &str) -> Option<&'static UciOption> {
    OPTIONS.iter().chain(REBEL.iter()).chain(UNANNOUNCED.iter()).find(|option| same_name(&option.name, name))
}

#[cfg(test)]
mod tests;
