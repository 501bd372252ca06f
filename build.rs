//! Passes commit, compiler and network to the build.
//!
//! Release builds embed the commit and are rebuilt when it changes. Debug builds do not, to avoid recompilation. Outside of git
//! the commit is that of the source archive, or the value of `LENTO_COMMIT`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Hash and date, filled in by `git archive`.
const ARCHIVED: &str = "$Format:%H %cs$";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LENTO_COMMIT");
    println!("cargo::rerun-if-env-changed=LENTO_NETWORK");
    println!("cargo::rustc-env=LENTO_NETWORK={}", network().display());
    println!("cargo::rustc-env=LENTO_COMMIT={}", commit());
    println!("cargo::rustc-env=LENTO_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=LENTO_RUSTC={}", rustc().unwrap_or_else(|| "rustc of unknown version".into()));
    println!("cargo::rustc-env=LENTO_PROFILE={}", profile());
}

/// The network file: `LENTO_NETWORK`, relative to the package, or the default.
fn network() -> PathBuf {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let path = folder.join(env::var_os("LENTO_NETWORK").unwrap_or_else(|| "nets/default.lnn".into()));
    assert!(path.is_file(), "LENTO_NETWORK: '{}' is not a file; expected a network", path.display());
    path
}

/// `ea86e73, 2026-11-21`, or why it is unknown.
fn commit() -> String {
    if env::var("PROFILE").as_deref() != Ok("release") {
        return "debug build".into();
    }
    let found = from_environment().or_else(|| checked_out().inspect(|_| watch_head())).or_else(|| short(ARCHIVED));
    found.unwrap_or_else(|| "commit unknown".into())
}

/// The value of `LENTO_COMMIT`.
fn from_environment() -> Option<String> {
    let commit = env::var("LENTO_COMMIT").ok().filter(|commit| !commit.is_empty())?;
    assert!(!commit.contains('\n'), "LENTO_COMMIT: '{commit}'; expected one line, such as 'ea86e73, 2026-11-21'");
    Some(commit)
}

/// The short form of a hash and a date.
fn short(commit: &str) -> Option<String> {
    let (hash, date) = commit.split_once(' ')?;
    let is_hash = hash.len() >= 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| format!("{}, {date}", &hash[..7]))
}

/// The commit and its date in the committer's time zone, for reproducible builds.
fn checked_out() -> Option<String> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let top = git(&["rev-parse", "--show-toplevel"])?;
    // Ignore a surrounding repository with other sources.
    if Path::new(&top).canonicalize().ok()? != folder.canonicalize().ok()? {
        return None;
    }
    short(&git(&["log", "-1", "--no-show-signature", "--format=%H %cs"])?)
}

/// Rebuilds when `HEAD` changes. Missing files are not watched, as they would force a rebuild every time.
fn watch_head() {
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let path = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).is_file());
        if let Some(path) = path {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// `rustc 1.95.0`.
fn rustc() -> Option<String> {
    let version = output(Command::new(env::var_os("RUSTC")?).arg("--version"))?;
    Some(version.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

/// `debug`, `release`, or `release, pgo` for a profile-guided build.
fn profile() -> String {
    let is_guided = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("profile-use="));
    env::var("PROFILE").expect("set by cargo") + if is_guided { ", pgo" } else { "" }
}

fn git(args: &[&str]) -> Option<String> {
    output(Command::new("git").args(args))
}

/// The output of a successful command.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
