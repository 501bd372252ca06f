//! Runs searches of all variants, then games; journals each finished part.

use super::Args;
use super::measure::{Measured, measure};
use super::variants::{self, Variant};
use crate::elo::Pentanomial;
use crate::epd::{self, Problem, Solution};
use lento::engine::Engine;
use lento::internals::bench::POSITIONS;
use lento::internals::statistics::Counts;
use lento::search::limits::Limits;
use lento::search::lmr::RecipeName;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::play::{Arena, GamePair, Player, read_book};
use serde_json::{Value, json};
use std::error::Error;
use std::ops::ControlFlow;

/// The recipe without reductions, the baseline for savings.
const OFF: RecipeName = RecipeName::Off;

#[derive(Clone, Debug)]
pub struct VariantRow {
    pub variant: Variant,
    /// Whether the variant is only searched, as the baseline.
    pub baseline: bool,
    /// Searches of positions, in order.
    pub measured: Vec<Measured>,
    /// Solutions of problems, in order.
    pub solved: Vec<Solution>,
    pub games: Vec<Pentanomial>,
}

impl VariantRow {
    pub fn nodes(&self) -> u64 {
        self.measured.iter().map(|measured| measured.nodes).sum()
    }

    pub fn counts(&self) -> Counts {
        let sum = |index: usize| self.measured.iter().map(|measured| measured.counts[index]).sum();
        let [moves, reduced, plies, verified, confirmed] = [0, 1, 2, 3, 4].map(sum);
        Counts { moves, reduced, plies, verified, confirmed }
    }

    /// Ratio of a sum to that of another variant, over the positions that both have searched.
    pub fn ratio(&self, other: &Self, number: impl Fn(&Measured) -> f64) -> Option<f64> {
        let both = self.measured.len().min(other.measured.len());
        let sum = |row: &Self| row.measured[..both].iter().map(&number).sum::<f64>().max(1e-9);
        (both > 0).then(|| sum(self) / sum(other))
    }

    pub fn nodes_ratio(&self, other: &Self) -> Option<f64> {
        self.ratio(other, |measured| measured.nodes as f64)
    }
}

pub struct Session<'a> {
    pub args: &'a Args,
    pub positions: Vec<String>,
    pub problems: Vec<Problem>,
    /// Opponents; empty without games.
    pub against: Vec<Variant>,
    rows: Vec<VariantRow>,
    journal: Option<Journal>,
}

/// Callback after each finished part with the name of its variant.
pub type OnPart<'a> = &'a mut dyn FnMut(&Session, &str);

impl<'a> Session<'a> {
    /// Resumes the run of the journal, if any. At fixed depth, always searches the recipe without reductions.
    pub fn open(args: &'a Args) -> Result<Self, Box<dyn Error>> {
        let positions = match &args.positions {
            Some(file) => read_book(file)?,
            None => POSITIONS.iter().map(|&fen| fen.to_owned()).collect(),
        };
        let problems = args.suite.as_deref().map_or(Ok(Vec::new()), epd::read)?;
        let against = if args.pairs.is_some() { variants::recipes(&args.against)? } else { Vec::new() };
        let games = vec![Pentanomial::default(); against.len()];
        let row = |variant, baseline| {
            let (measured, solved, games) = (Vec::new(), Vec::new(), games.clone());
            VariantRow { variant, baseline, measured, solved, games }
        };
        let mut rows: Vec<VariantRow> = args.variants()?.into_iter().map(|variant| row(variant, false)).collect();
        if args.fixed_depth() && !rows.iter().any(|row| row.variant.recipe == OFF) {
            rows.push(row(Variant::of(OFF)?, true));
        }
        let mut session = Self { args, positions, problems, against, rows, journal: None };
        let journal = args.journal.as_deref();
        session.journal = Journal::resume(journal, || args.header(), |_, record| session.restore(record))?;
        Ok(session)
    }

    /// Restores a record of the journal; `None` if it is inconsistent. Skips records of other variants.
    fn restore(&mut self, record: &Value) -> Option<()> {
        let name = record["variant"].as_str()?;
        let Some(row) = self.rows.iter_mut().find(|row| row.variant.name == name) else { return Some(()) };
        match record["what"].as_str()? {
            "position" => {
                let fen = self.positions.get(row.measured.len())?;
                row.measured.push(Measured::from_record(fen, record)?);
            }
            "problem" => {
                let problem = self.problems.get(row.solved.len())?;
                row.solved.push(Solution::from_record(problem, &record["solution"])?);
            }
            "pair" => {
                let opponent = record["against"].as_str()?;
                let (pair, half_points) = (record["pair"].as_u64()?, record["half_points"].as_u64()?);
                let opponent = self.against.iter().position(|against| against.name == opponent);
                if let Some(opponent) = opponent.filter(|_| Some(pair) < self.args.pairs) {
                    let is_valid = pair == row.games[opponent].pairs() && half_points <= 4;
                    is_valid.then(|| row.games[opponent].add(half_points as u32))?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    pub fn rows(&self) -> impl Iterator<Item = &VariantRow> {
        self.rows.iter().filter(|row| !row.baseline)
    }

    /// The first variant, the reference of ratios.
    pub fn first(&self) -> &VariantRow {
        &self.rows[0]
    }

    /// The recipe without reductions, if it is searched.
    pub fn off(&self) -> Option<&VariantRow> {
        self.rows.iter().find(|row| row.variant.recipe == OFF)
    }

    /// Pairs of a variant against an opponent; none against itself.
    fn target_pairs(&self, row: &VariantRow, opponent: usize) -> u64 {
        let itself = row.variant.settings == self.against[opponent].settings;
        if row.baseline || itself { 0 } else { self.args.pairs.unwrap_or(0) }
    }

    /// Numbers of finished parts and of all parts.
    pub fn progress(&self) -> (u64, u64) {
        let (mut done, mut all) = (0, 0);
        for row in &self.rows {
            let problems = if row.baseline { 0 } else { self.problems.len() };
            // The baseline may have been a variant of an earlier run.
            done += (row.measured.len() + row.solved.len().min(problems)) as u64;
            all += (self.positions.len() + problems) as u64;
            for (opponent, results) in row.games.iter().enumerate() {
                let target_pairs = self.target_pairs(row, opponent);
                done += results.pairs().min(target_pairs);
                all += target_pairs;
            }
        }
        (done, all)
    }

    pub fn is_complete(&self) -> bool {
        let (done, all) = self.progress();
        done == all
    }

    /// Runs the unfinished parts. A stop interrupts searches and games.
    pub fn run(&mut self, arena: &Arena, stop: &Stop, on_part: OnPart) -> Result<(), Box<dyn Error>> {
        for row in 0..self.rows.len() {
            self.search(row, stop, on_part)?;
        }
        for row in 0..self.rows.len() {
            for opponent in 0..self.against.len() {
                self.play([row, opponent], arena, stop, on_part)?;
            }
        }
        Ok(())
    }

    /// Searches the remaining positions and problems with a variant.
    fn search(&mut self, row: usize, stop: &Stop, on_part: OnPart) -> Result<(), Box<dyn Error>> {
        let VariantRow { variant, baseline, measured, solved, .. } = &self.rows[row];
        let name = variant.name.clone();
        let positions = measured.len()..self.positions.len();
        let problems = solved.len()..if *baseline { 0 } else { self.problems.len() };
        if positions.is_empty() && problems.is_empty() {
            return Ok(());
        }
        let mut player = Player::new(Engine::new(), &variant.settings, self.args.conditions.hash as usize)?;
        for index in positions {
            let fen = &self.positions[index];
            let measured = measure(&mut player.engine, fen, self.args.budget(), stop)?;
            if stop.is_requested() {
                return Ok(());
            }
            keep(&mut self.journal, &measured.to_record(&name, fen))?;
            self.rows[row].measured.push(measured);
            on_part(self, &name);
        }
        let limits = Limits { nodes: Some(self.args.suite_nodes), ..Limits::default() };
        for index in problems {
            let problem = &self.problems[index];
            let Some(solution) = epd::solve(&mut player.engine, problem, &limits, stop) else { return Ok(()) };
            let record = json!({"what": "problem", "variant": name, "solution": solution.to_record(problem)});
            keep(&mut self.journal, &record)?;
            self.rows[row].solved.push(solution);
            on_part(self, &name);
        }
        Ok(())
    }

    fn play(
        &mut self,
        [row, opponent]: [usize; 2],
        arena: &Arena,
        stop: &Stop,
        on_part: OnPart,
    ) -> Result<(), Box<dyn Error>> {
        let rest = self.rows[row].games[opponent].pairs()..self.target_pairs(&self.rows[row], opponent);
        if rest.is_empty() || stop.is_requested() {
            return Ok(());
        }
        let [variant, against] = [self.rows[row].variant.clone(), self.against[opponent].clone()];
        let add = |pair: GamePair| {
            let half_points = pair.half_points();
            let record = json!({
                "what": "pair",
                "variant": variant.name,
                "against": against.name,
                "pair": pair.number,
                "half_points": half_points,
            });
            keep(&mut self.journal, &record)?;
            self.rows[row].games[opponent].add(half_points);
            on_part(self, &variant.name);
            Ok(ControlFlow::Continue(()))
        };
        arena.run(|_| [variant.settings.clone(), against.settings.clone()], rest, stop, add)
    }
}
