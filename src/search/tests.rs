//! Tests of the search, and jobs for the tests of other modules.

use super::control::Control;
use super::job::{Job, SearchOptions, Shared};
use super::limits::Limits;
use super::lmr::{Choice, LmrSet};
use super::params::Params;
use super::results::Results;

use crate::chess::Game;
use crate::eval::Model;
use crate::smp::counters::Counters;
use crate::smp::slots::CpuSlots;
use crate::sync::channel::unbounded;
use crate::tt::Tt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A job on one thread to depth 7, with a table of 1 MiB and the classical evaluation.
pub fn job(fen: &str, lmr: &Choice) -> Job {
    let game = Game::from_fen(fen).unwrap();
    let params = Params::default();
    let limits = Limits { depth: Some(7), ..Limits::default() };
    Job {
        root_moves: game.board().legal_moves().to_vec(),
        limits,
        options: SearchOptions::default(),
        resumed: OnceLock::from(None),
        shared: Shared {
            tt: Arc::new(Tt::new(1, 1).unwrap()),
            lmr: Arc::new(LmrSet::compile(lmr, &params)),
            params: Arc::new(params),
            evaluation: Model::Classical.into(),
            corrections: Arc::default(),
        },
        control: Control::new(
            &limits,
            game.board().side_to_move(),
            &SearchOptions::default(),
            &Params::default(),
            Instant::now(),
        ),
        probing: None,
        counters: Counters::new(1),
        results: Results::new(1),
        lockstep: None,
        cpu_slots: CpuSlots::new(1),
        events: unbounded().0,
        game,
    }
}
