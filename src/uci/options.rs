//! The UCI options. Each is declared once, to be announced, parsed and applied. `docs/options.md` describes them.

use super::format;
use super::words::quoted;
use super::writer::Writer;
use crate::engine::strength;
use crate::engine::{CONTEMPT, Engine, Settings};
use crate::eval::nnue;
use crate::hash_file::Progress;
use crate::named::Named;
use crate::search::lmr::Rebel;
use crate::search::lmr::rebel::LINES;
use crate::search::params::{TUNABLES, Tunable};
use crate::search::probing::MAX_PROBE_DEPTH;
use crate::smp::numa::policy::NumaPolicy;
use crate::tb::{MAX_PIECES, Tables};
use crate::tt::TtError;
use crate::version;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// What options are applied to.
pub struct Target<'a> {
    /// The engine, which must be idle.
    pub engine: &'a mut Engine,
    /// Messages and the debug log.
    pub writer: &'a mut Writer,
}

/// Work of an option that may take long, for any thread. Calls back with progress, and returns what applies the result.
pub type Slow = Box<dyn FnOnce(&mut dyn FnMut(Progress)) -> Apply + Send>;

/// Applies a result. An error names what stays in use.
pub type Apply = Box<dyn FnOnce(&mut Target) -> Result<(), String> + Send>;

/// What is left to do after applying a value, or the reason it was refused, which names what stays in use.
type Applied = Result<Option<Slow>, String>;

/// Parses and applies a value; `None` if it is invalid.
type Set = dyn Fn(&mut Target, &str) -> Option<Applied> + Send + Sync;

/// A UCI option.
struct UciOption {
    name: String,
    /// A second name to announce, where interfaces hide options that start with `UCI_`.
    plain: Option<&'static str>,
    /// Type, default and range, as announced.
    kind: String,
    /// The valid values, for messages.
    expected: String,
    set: Box<Set>,
}

fn option(
    name: &str,
    kind: String,
    expected: String,
    set: impl Fn(&mut Target, &str) -> Option<Applied> + Send + Sync + 'static,
) -> UciOption {
    UciOption { name: name.into(), plain: None, kind, expected, set: Box::new(set) }
}

impl UciOption {
    fn also(self, plain: &'static str) -> Self {
        Self { plain: Some(plain), ..self }
    }

    /// The names to announce.
    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.plain)
    }
}

/// A number within a range.
fn spin(
    name: &str,
    default: i64,
    range: (i64, i64),
    apply: impl Fn(&mut Target, i64) -> Applied + Send + Sync + 'static,
) -> UciOption {
    let (min, max) = range;
    let kind = format!("spin default {default} min {min} max {max}");
    option(name, kind, format!("a whole number from {min} to {max}"), move |to, value| {
        Some(apply(to, value.parse().ok().filter(|n| (min..=max).contains(n))?))
    })
}

/// A number in the settings, with its range.
fn number<T: TryFrom<i64> + TryInto<i64> + Copy>(
    name: &str,
    range: (i64, i64),
    place: impl Fn(&mut Settings) -> &mut T + Send + Sync + 'static,
) -> UciOption {
    let default = (*place(&mut Settings::default())).try_into().unwrap_or(range.0);
    spin(name, default, range, move |to, number| {
        if let Ok(number) = number.try_into() {
            *place(&mut to.engine.settings) = number;
        }
        Ok(None)
    })
}

/// A boolean field of the settings.
fn check<T: From<bool> + PartialEq>(
    name: &str,
    place: impl Fn(&mut Settings) -> &mut T + Send + Sync + 'static,
) -> UciOption {
    let kind = format!("check default {}", *place(&mut Settings::default()) == true.into());
    option(name, kind, "true or false".into(), move |to, value| {
        *place(&mut to.engine.settings) = value.to_ascii_lowercase().parse::<bool>().ok()?.into();
        Some(Ok(None))
    })
}

/// One of several words.
fn combo(
    name: &str,
    default: &str,
    choices: Vec<&'static str>,
    apply: impl Fn(&mut Settings, &'static str) + Send + Sync + 'static,
) -> UciOption {
    let kind = format!("combo default {default} var {}", choices.join(" var "));
    option(name, kind, format!("one of {}", choices.join(", ")), move |to, value| {
        apply(&mut to.engine.settings, choices.iter().find(|choice| choice.eq_ignore_ascii_case(value))?);
        Some(Ok(None))
    })
}

/// A field of the settings with named values.
fn named<T: Named>(name: &str, place: fn(&mut Settings) -> &mut T) -> UciOption {
    let default = place(&mut Settings::default()).name();
    combo(name, default, T::names(), move |settings, choice| {
        if let Ok(value) = T::from_name(choice) {
            *place(settings) = value;
        }
    })
}

/// A duration field of the settings: whole minutes up to a maximum, or seconds with the suffix `s`.
fn pause(name: &str, most: u64, place: fn(&mut Settings) -> &mut Duration) -> UciOption {
    let kind = format!("spin default {} min 0 max {most}", place(&mut Settings::default()).as_secs() / 60);
    option(name, kind, format!("0 to {most} minutes, or seconds such as 30s"), move |to, value| {
        *place(&mut to.engine.settings) = parse_pause(value, most)?;
        Some(Ok(None))
    })
}

/// An action without a value.
fn button(name: &str, apply: fn(&mut Target)) -> UciOption {
    option(name, "button".into(), String::new(), move |to, _| {
        apply(to);
        Some(Ok(None))
    })
}

/// Any text.
fn text(name: &str, default: &str, apply: fn(&mut Target, &str) -> Applied) -> UciOption {
    option(name, format!("string default {default}"), String::new(), move |to, value| {
        Some(apply(to, if value == "<empty>" { "" } else { value }))
    })
}

/// All options but those of the recipe `rebel`, in announced order.
static OPTIONS: LazyLock<Vec<UciOption>> = LazyLock::new(|| {
    vec![
        spin("Threads", 1, (1, Engine::MAX_THREADS as i64), set_threads),
        spin("Hash", Engine::DEFAULT_HASH as i64, (1, Engine::MAX_HASH as i64), set_hash),
        text("NumaPolicy", "auto", set_numa_policy),
        button("Clear Hash", |to| to.engine.clear_hash()),
        text("HashFile", "<empty>", set_hash_file),
        // The parser replaces these two by commands.
        button("SaveHash", |_| ()),
        button("LoadHash", |_| ()),
        pause("AutoSave", 10_080, |settings| &mut settings.auto_save),
        check("UCI_AnalyseMode", |settings| &mut settings.analyse_mode).also("Analyse Mode"),
        number("MultiPV", (1, 256), |settings| &mut settings.search.multi_pv),
        check("UCI_LimitStrength", |settings| &mut settings.strength.limited),
        number("UCI_Elo", (strength::ELO.0 as i64, strength::ELO.1 as i64), |settings| &mut settings.strength.elo),
        // DroidFish drops options with larger numbers.
        number("Strength Seed", (0, i32::MAX.into()), |settings| &mut settings.strength.seed),
        check("Ponder", |settings| &mut settings.ponder),
        number("Move Overhead", (0, 5000), |settings| &mut settings.search.move_overhead),
        number("nodestime", (0, 1_000_000), |settings| &mut settings.search.nodes_time),
        check("UCI_Chess960", |settings| &mut settings.chess960),
        check("UCI_ShowWDL", |settings| &mut settings.show_wdl).also("Show WDL"),
        named("Stagger", |settings| &mut settings.search.stagger),
        check("Deterministic", |settings| &mut settings.search.deterministic),
        named("LBR", |settings| &mut settings.search.lbr),
        named("LMR", |settings| &mut settings.lmr.main),
        named("LMR Helpers", |settings| &mut settings.lmr.helpers),
        check("LMR Statistics", |settings| &mut settings.lmr_statistics),
        named("Evaluation", |settings| &mut settings.evaluation),
        text("EvalFile", "<empty>", set_network),
        check("Drawish Endings", |settings| &mut settings.drawish_endings),
        number("Contempt", CONTEMPT, |settings| &mut settings.contempt),
        named("Analysis Contempt", |settings| &mut settings.analysis_contempt),
        text("SyzygyPath", "<empty>", set_tables),
        number("SyzygyProbeDepth", (1, MAX_PROBE_DEPTH as i64), |settings| &mut settings.search.probe_depth),
        number("SyzygyProbeLimit", (0, MAX_PIECES as i64), |settings| &mut settings.search.probe_limit),
        check("Syzygy50MoveRule", |settings| &mut settings.search.fifty_move_rule),
        text("UCI_EngineAbout", version::ABOUT, keep_about),
        text("Debug Log File", "<empty>", set_log),
    ]
});

/// The options of the LMR recipe `rebel`: for each starred line of its source a switch, a weight in 1/10 ply and, for
/// some, a margin in centipawns.
static REBEL: LazyLock<Vec<UciOption>> = LazyLock::new(|| {
    let mut all = vec![
        number("Rebel P", (0, Rebel::MAX_PERCENT.into()), |settings| &mut settings.lmr.rebel.percent),
        check("Rebel Extend", |settings| &mut settings.lmr.rebel.extends),
    ];
    for (index, line) in LINES.iter().enumerate() {
        let name = format!("Rebel {}", line.name);
        all.push(check(&name, move |settings| &mut settings.lmr.rebel.lines[index].on));
        all.push(number(&format!("{name} Weight"), (0, Rebel::MAX_WEIGHT.into()), move |settings| {
            &mut settings.lmr.rebel.lines[index].weight
        }));
        if line.margin().is_some() {
            all.push(number(&format!("{name} Margin"), (0, Rebel::MAX_MARGIN.into()), move |settings| {
                &mut settings.lmr.rebel.lines[index].margin
            }));
        }
    }
    all
});

/// Options that interfaces set without being offered them.
static UNASKED: LazyLock<Vec<UciOption>> = LazyLock::new(|| {
    let variants = vec!["chess", "standard", "chess960", "fischerandom", "fromposition"];
    vec![text("UCI_Opponent", "", |_, _| Ok(None)), combo("UCI_Variant", "chess", variants, |_, _| ())]
});

fn set_threads(to: &mut Target, threads: i64) -> Applied {
    let done = to.engine.set_threads(threads as usize);
    done.map(|()| None).map_err(|error| format!("{error}; it stays at {}", to.engine.threads()))
}

/// Resizes the table, which is taken from the engine meanwhile.
fn set_hash(to: &mut Target, mib: i64) -> Applied {
    let mut resize = to.engine.begin_resize(mib as usize);
    Ok(Some(Box::new(move |progress| {
        resize.run(&mut |ready| progress(Progress { done: (ready as u64) << 20, total: (mib as u64) << 20 }));
        Box::new(move |target| {
            target.engine.end_resize(resize).map_err(|error| match error {
                // The message already names the replacement.
                TtError::Lost { .. } => error.to_string(),
                _ => format!("{error}; keeping the old table"),
            })
        })
    })))
}

fn set_numa_policy(to: &mut Target, text: &str) -> Applied {
    let policy = text.parse::<NumaPolicy>();
    let done = policy.and_then(|policy| to.engine.set_numa_policy(policy));
    done.map(|()| None).map_err(|error| format!("{error}; it stays at {}", to.engine.numa_policy()))
}

fn set_hash_file(to: &mut Target, name: &str) -> Applied {
    to.engine.settings.hash_file = (!name.is_empty()).then(|| name.into());
    Ok(None)
}

fn set_network(to: &mut Target, name: &str) -> Applied {
    let network = if name.is_empty() { Ok(nnue::embedded()) } else { nnue::load(Path::new(name)) };
    to.engine.network = network.map_err(|error| format!("{error}; the network stays as it was"))?;
    Ok(None)
}

/// GUIs send back what was announced.
fn keep_about(_: &mut Target, text: &str) -> Applied {
    if text == version::ABOUT { Ok(None) } else { Err("read-only".into()) }
}

fn set_log(to: &mut Target, name: &str) -> Applied {
    to.writer.set_log(name).map(|()| None).map_err(|error| format!("{error}; the log stays as it was"))
}

/// Opens the tables in these folders and reports what was found. An empty list removes the tables at once.
fn set_tables(to: &mut Target, folders: &str) -> Applied {
    /// Maximum number of reported problems.
    const MAX_PROBLEMS: usize = 12;
    if folders.trim().is_empty() {
        to.engine.set_tables(None);
        return Ok(None);
    }
    let folders = folders.to_owned();
    Ok(Some(Box::new(move |_| {
        let opened = Tables::open(&folders);
        Box::new(move |Target { engine, writer }| {
            let tables = opened.map_err(|error| match engine.tables() {
                Some(old) => format!("{error}; keeping the {}", old.stock()),
                None => format!("{error}; no tablebases in use"),
            })?;
            let mut print = |text: &str| writer.print(&format::message(format!("SyzygyPath: {text}")));
            print(&tables.stock().to_string());
            let problems = &tables.stock().problems;
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
/// Search parameters ([`TUNABLES`]) are accepted by name, too, for tuning, but not announced.
pub fn set(target: &mut Target, name: &str, value: Option<&str>) -> Result<(), String> {
    match begin(target, name, value)? {
        Some(slow) => slow(&mut |_| ())(target).map_err(|reason| refused(name, value, &reason)),
        None => Ok(()),
    }
}

/// [`set`] that leaves the slow part of an option to the caller.
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
    let unknown = || format!("unknown option {}; known options are {}", quoted(name), names().join(", "));
    let option = find(name).ok_or_else(unknown)?;
    let applied = (option.set)(target, text).ok_or_else(|| invalid(&option.name, &option.expected))?;
    applied.map_err(|reason| refused(name, value, &reason))
}

/// Whether there is an option or search parameter of this name.
pub fn exists(name: &str) -> bool {
    find(name).is_some() || tunable(name).is_some()
}

fn tunable(name: &str) -> Option<&'static Tunable> {
    TUNABLES.iter().find(|tunable| tunable.name == name)
}

/// The names of the options but those of the recipe `rebel`, in announced order.
pub fn names() -> Vec<&'static str> {
    OPTIONS.iter().flat_map(UciOption::names).collect()
}

/// The `option` lines, with those of the recipe `rebel` if requested.
pub fn announcements(rebel: bool) -> impl Iterator<Item = String> {
    let all = OPTIONS.iter().chain(REBEL.iter().filter(move |_| rebel));
    all.flat_map(|option| option.names().map(|name| format!("option name {name} type {}", option.kind)))
}

/// The message for a valid value that could not be applied.
pub(super) fn refused(name: &str, value: Option<&str>, reason: &str) -> String {
    let name = find(name).map_or(name, |option| &option.name);
    format!("option {name} cannot be set to {}: {reason}", quoted(value.unwrap_or("")))
}

/// Compares names, ignoring case, spaces and the prefix `UCI_`.
pub fn same_name(a: &str, b: &str) -> bool {
    let plain = |name: &str| {
        let name: String = name.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
        name.strip_prefix("uci_").unwrap_or(&name).to_owned()
    };
    plain(a) == plain(b)
}

/// Finds an option by name, as [`same_name`] compares it.
fn find(name: &str) -> Option<&'static UciOption> {
    OPTIONS.iter().chain(REBEL.iter()).chain(UNASKED.iter()).find(|option| same_name(&option.name, name))
}

/// Parses minutes (`10`) or seconds (`30s`), up to `most` minutes.
fn parse_pause(value: &str, most: u64) -> Option<Duration> {
    let (number, unit) = value.strip_suffix('s').map_or((value, 60), |seconds| (seconds.trim_end(), 1));
    let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (seconds <= most * 60).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests;
