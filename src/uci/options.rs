//! The UCI options. Each is declared once, to be announced, parsed and applied. `docs/options.md` describes them.

use super::rebel;
use super::slow::{self, Slow};
use super::words::quoted;
use super::writer::Writer;
use crate::engine::strength;
use crate::engine::{AnalysisContempt, CONTEMPT, Engine, Settings};
use crate::eval::{EvaluationKind, nnue};
use crate::search::lbr::Lbr;
use crate::search::lmr;
use crate::search::params::{TUNABLES, Tunable};
use crate::search::stagger::Stagger;
use crate::search::tablebase::MOST_PROBE_DEPTH;
use crate::smp::numa::policy::NumaPolicy;
use crate::tb::MAX_PIECES;
use crate::version;
use Kind::{Button, Check, Combo, Number, Pause, Spin, Text};
use std::path::Path;
use std::time::Duration;

/// What options are applied to.
pub struct Target<'a> {
    /// The engine, which must be idle.
    pub engine: &'a mut Engine,
    /// Messages and the debug log.
    pub writer: &'a mut Writer,
}

/// A UCI option.
struct UciOption {
    name: &'static str,
    kind: Kind,
}

/// What is left to do after applying a value, or the reason it was refused, which names what stays in use.
type Applied = Result<Option<Slow>, String>;

/// Option types, with defaults, bounds and setters.
enum Kind {
    /// An unsigned field of the settings, with its range.
    Number((u64, u64), fn(&mut Settings) -> &mut u64),
    /// A number with a custom setter.
    Spin { default: i64, range: (i64, i64), apply: fn(&mut Target, i64) -> Applied },
    /// A boolean field of the settings.
    Check(fn(&mut Settings) -> &mut bool),
    /// One of several words.
    Combo {
        default: fn() -> &'static str,
        choices: fn() -> &'static [&'static str],
        apply: fn(&mut Settings, &'static str),
    },
    /// A duration field of the settings, with its maximum in minutes: whole minutes, or seconds with the suffix `s`.
    Pause(u64, fn(&mut Settings) -> &mut Duration),
    /// An action without a value.
    Button(fn(&mut Target)),
    /// Any text.
    Text { default: &'static str, apply: fn(&mut Target, &str) -> Applied },
}

const fn option(name: &'static str, kind: Kind) -> UciOption {
    UciOption { name, kind }
}

/// All options, in announced order.
static OPTIONS: &[UciOption] = &[
    option("Threads", Spin { default: 1, range: (1, Engine::MAX_THREADS as i64), apply: set_threads }),
    option("Hash", Spin { default: Engine::DEFAULT_HASH as i64, range: (1, Engine::MAX_HASH as i64), apply: set_hash }),
    option("NumaPolicy", Text { default: "auto", apply: set_numa_policy }),
    option("Clear Hash", Button(|to| to.engine.clear_hash())),
    option("HashFile", Text { default: "<empty>", apply: set_hash_file }),
    // The parser replaces these two by commands.
    option("SaveHash", Button(|_| ())),
    option("LoadHash", Button(|_| ())),
    option("AutoSave", Pause(10_080, |settings| &mut settings.auto_save)),
    option("UCI_AnalyseMode", Check(|settings| &mut settings.analyse_mode)),
    option("MultiPV", Number((1, 256), |settings| &mut settings.search.multi_pv)),
    option("UCI_LimitStrength", Check(|settings| &mut settings.strength.limited)),
    option("UCI_Elo", Number(strength::ELO, |settings| &mut settings.strength.elo)),
    option("Strength Seed", Number((0, u32::MAX as u64), |settings| &mut settings.strength.seed)),
    option("Ponder", Check(|settings| &mut settings.ponder)),
    option("Move Overhead", Number((0, 5000), |settings| &mut settings.search.move_overhead)),
    option("nodestime", Number((0, 1_000_000), |settings| &mut settings.search.nodes_time)),
    option("UCI_Chess960", Check(|settings| &mut settings.chess960)),
    option("UCI_ShowWDL", Check(|settings| &mut settings.show_wdl)),
    option(
        "Stagger",
        Combo {
            default: || Stagger::default().name(),
            choices: || &Stagger::NAMES,
            apply: |settings, name| settings.search.stagger = Stagger::from_name(name).unwrap_or_default(),
        },
    ),
    option("Deterministic", Check(|settings| &mut settings.search.deterministic)),
    option(
        "LBR",
        Combo {
            default: || Lbr::default().name(),
            choices: || &Lbr::NAMES,
            apply: |settings, name| settings.search.lbr = Lbr::from_name(name).unwrap_or_default(),
        },
    ),
    option(
        "LMR",
        Combo { default: || lmr::TUNED, choices: lmr::names, apply: |settings, name| settings.lmr.main = name },
    ),
    option(
        "LMR Helpers",
        Combo {
            default: || lmr::helpers()[0],
            choices: lmr::helpers,
            apply: |settings, name| settings.lmr.helpers = name,
        },
    ),
    option("LMR Statistics", Check(|settings| &mut settings.lmr_statistics)),
    option(
        "Evaluation",
        Combo {
            default: || EvaluationKind::default().name(),
            choices: || &EvaluationKind::NAMES,
            apply: |settings, name| settings.evaluation = EvaluationKind::from_name(name).unwrap_or_default(),
        },
    ),
    option("EvalFile", Text { default: "<empty>", apply: set_network }),
    option("Drawish Endings", Check(|settings| &mut settings.drawish_endings)),
    option("Contempt", Spin { default: 0, range: CONTEMPT, apply: set_contempt }),
    option(
        "Analysis Contempt",
        Combo {
            default: || AnalysisContempt::NAMES[0],
            choices: || &AnalysisContempt::NAMES,
            apply: |settings, name| {
                settings.analysis_contempt = AnalysisContempt::from_name(name).unwrap_or_default();
            },
        },
    ),
    option("SyzygyPath", Text { default: "<empty>", apply: |to, folders| Ok(slow::open_tables(to.engine, folders)) }),
    option("SyzygyProbeDepth", Number((1, MOST_PROBE_DEPTH), |settings| &mut settings.search.probe_depth)),
    option("SyzygyProbeLimit", Number((0, MAX_PIECES as u64), |settings| &mut settings.search.probe_limit)),
    option("Syzygy50MoveRule", Check(|settings| &mut settings.search.fifty_move_rule)),
    option("UCI_EngineAbout", Text { default: version::ABOUT, apply: keep_about }),
    option("Debug Log File", Text { default: "<empty>", apply: set_log }),
];

fn set_threads(to: &mut Target, threads: i64) -> Applied {
    let done = to.engine.set_threads(threads as usize);
    done.map(|()| None).map_err(|error| format!("{error}; it stays at {}", to.engine.threads()))
}

fn set_hash(to: &mut Target, mib: i64) -> Applied {
    Ok(Some(slow::resize_hash(to.engine, mib as usize)))
}

fn set_numa_policy(to: &mut Target, text: &str) -> Applied {
    let policy = text.parse::<NumaPolicy>().map_err(|error| error.to_string());
    let done = policy.and_then(|policy| to.engine.set_numa_policy(policy));
    done.map(|()| None).map_err(|error| format!("{error}; it stays at {}", to.engine.numa_policy()))
}

fn set_hash_file(to: &mut Target, name: &str) -> Applied {
    to.engine.settings_mut().hash_file = (!name.is_empty()).then(|| name.into());
    Ok(None)
}

fn set_network(to: &mut Target, name: &str) -> Applied {
    let network = if name.is_empty() { Ok(nnue::embedded()) } else { nnue::load(Path::new(name)) };
    to.engine.set_network(network.map_err(|error| format!("{error}; the network stays as it was"))?);
    Ok(None)
}

fn set_contempt(to: &mut Target, contempt: i64) -> Applied {
    to.engine.settings_mut().contempt = contempt;
    Ok(None)
}

/// GUIs send back what was announced.
fn keep_about(_: &mut Target, text: &str) -> Applied {
    if text == version::ABOUT { Ok(None) } else { Err("read-only".into()) }
}

fn set_log(to: &mut Target, name: &str) -> Applied {
    to.writer.set_log(name).map(|()| None).map_err(|error| format!("{error}; the log stays as it was"))
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
    let value = value.unwrap_or("");
    if let Some(tunable) = tunable(name) {
        let Tunable { name, min, max, off, .. } = *tunable;
        let number = value.parse().ok().filter(|&number| tunable.allows(number));
        let off = off.map_or_else(String::new, |off| format!(", or {off} for off"));
        let number = number.ok_or_else(|| invalid(name, &format!("a whole number from {min} to {max}{off}"), value))?;
        return target.engine.set_param(name, number).map(|()| None);
    }
    match rebel::set(&mut target.engine.settings_mut().lmr.rebel, name, value) {
        Some(result) => result.map(|()| None),
        None => {
            let unknown = || format!("unknown option {}; known options are {}", quoted(name), names().join(", "));
            find(name).ok_or_else(unknown)?.set(target, value)
        }
    }
}

/// Whether there is an option or search parameter of this name.
pub fn exists(name: &str) -> bool {
    find(name).is_some() || tunable(name).is_some() || rebel::exists(name)
}

fn tunable(name: &str) -> Option<&'static Tunable> {
    TUNABLES.iter().find(|tunable| tunable.name == name)
}

/// The names of all options, in announced order.
pub fn names() -> Vec<&'static str> {
    OPTIONS.iter().map(|option| option.name).collect()
}

/// The `option` lines, in this order.
pub fn announcements() -> impl Iterator<Item = String> {
    OPTIONS.iter().map(UciOption::announcement)
}

pub(super) fn invalid(name: &str, expected: &str, value: &str) -> String {
    format!("option {name} expects {expected}, not {}; value unchanged", quoted(value))
}

/// The message for a valid value that could not be applied.
pub(super) fn refused(name: &str, value: Option<&str>, reason: &str) -> String {
    let name = find(name).map_or(name, |option| option.name);
    format!("option {name} cannot be set to {}: {reason}", quoted(value.unwrap_or("")))
}

/// Compares names, ignoring case and spaces.
pub fn same_name(a: &str, b: &str) -> bool {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
    };
    plain(a) == plain(b)
}

/// Finds an option by name, ignoring case and spaces.
fn find(name: &str) -> Option<&'static UciOption> {
    OPTIONS.iter().find(|option| same_name(option.name, name))
}

impl UciOption {
    fn announcement(&self) -> String {
        let settings = &mut Settings::default();
        let kind = match &self.kind {
            Spin { default, range: (min, max), .. } => format!("spin default {default} min {min} max {max}"),
            Number((min, max), place) => format!("spin default {} min {min} max {max}", place(settings)),
            Pause(most, place) => format!("spin default {} min 0 max {most}", place(settings).as_secs() / 60),
            Check(place) => format!("check default {}", place(settings)),
            Combo { default, choices, .. } => format!("combo default {} var {}", default(), choices().join(" var ")),
            Button(_) => "button".into(),
            Text { default, .. } => format!("string default {default}"),
        };
        format!("option name {} type {kind}", self.name)
    }

    /// The valid values, for messages.
    fn expected(&self) -> String {
        match &self.kind {
            Spin { range: (min, max), .. } => format!("a whole number from {min} to {max}"),
            Number((min, max), _) => format!("a whole number from {min} to {max}"),
            Pause(most, _) => format!("0 to {most} minutes, or seconds such as 30s"),
            Check(_) => "true or false".into(),
            Combo { choices, .. } => format!("one of {}", choices().join(", ")),
            Text { .. } | Button(_) => "nothing".into(),
        }
    }

    /// Parses and applies a value. Buttons ignore it.
    fn set(&self, target: &mut Target, value: &str) -> Result<Option<Slow>, String> {
        let bad = || invalid(self.name, &self.expected(), value);
        let refuse = |reason: String| refused(self.name, Some(value), &reason);
        let settings = target.engine.settings_mut();
        match &self.kind {
            Number((min, max), place) => {
                *place(settings) = value.parse().ok().filter(|n| (min..=max).contains(&n)).ok_or_else(bad)?;
            }
            Spin { range: (min, max), apply, .. } => {
                let number = value.parse().ok().filter(|n| (min..=max).contains(&n)).ok_or_else(bad)?;
                return apply(target, number).map_err(refuse);
            }
            Check(place) => *place(settings) = value.to_ascii_lowercase().parse().map_err(|_| bad())?,
            Combo { choices, apply, .. } => {
                let choice = choices().iter().find(|choice| choice.eq_ignore_ascii_case(value)).ok_or_else(bad)?;
                apply(settings, choice);
            }
            Pause(most, place) => *place(settings) = pause(value, *most).ok_or_else(bad)?,
            Button(apply) => apply(target),
            Text { apply, .. } => {
                return apply(target, if value == "<empty>" { "" } else { value }).map_err(refuse);
            }
        }
        Ok(None)
    }
}

/// Parses minutes (`10`) or seconds (`30s`), up to `most` minutes.
fn pause(value: &str, most: u64) -> Option<Duration> {
    let (number, unit) = value.strip_suffix('s').map_or((value, 60), |seconds| (seconds.trim_end(), 1));
    let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (seconds <= most * 60).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests;
