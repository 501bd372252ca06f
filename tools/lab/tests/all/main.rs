//! `lento-lab` from outside, in one program: each further one takes time to build.

#[path = "../../../tests/damage.rs"]
mod damage;
#[path = "../../../tests/documented.rs"]
mod documented;
#[cfg(unix)]
#[path = "../../../tests/driver.rs"]
#[allow(dead_code, reason = "each package uses its part")]
mod driver;
#[cfg(unix)]
#[path = "../../../tests/folder.rs"]
#[allow(dead_code, reason = "each package uses its part")]
mod folder;
#[path = "../../../tests/polyglot.rs"]
mod polyglot;

#[cfg(unix)]
mod abuse;
mod damaged;
mod factors;
mod matches;
mod recipes;
mod scaling;
#[path = "../../../tests/version.rs"]
mod version;

const PROGRAM: &str = env!("CARGO_BIN_EXE_lento-lab");
