//! The course of a run: every variant measured, then every suite solved, then the games, each piece kept when it is finished.

use super::measure::{Budget, Measured, measure};
use super::variants::Variant;
use crate::elo::Pentanomial;
use crate::epd::{Problem, record, solve};
use lento::search::limits::Limits;
use lento::search::statistics::Counts;
use lento_common::interrupt::Stop;
use lento_common::journal::{Journal, keep};
use lento_common::play::arena::Arena;
use lento_common::play::player::Player;
use serde_json::{Value, json};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// The name of the recipe that reduces nothing, against which savings are counted.
pub const OFF: &str = "off";

/// What is done with each variant.
#[derive(Clone, Debug)]
pub struct LabPlan {
    /// What the search of a position may cost.
    pub budget: Budget,
    /// The hash table, in MiB.
    pub hash: usize,
    /// The positions.
    pub positions: Vec<String>,
    /// The problems; none without a suite.
    pub problems: Vec<Problem>,
    /// Nodes for each problem.
    pub suite_nodes: u64,
    /// Pairs of games against each opponent; none without games.
    pub pairs: u64,
    /// The opponents.
    pub against: Vec<Variant>,
    /// A variant whose nodes differ from those of the first row by less than so many per cent plays no games.
    pub only_changed: Option<f64>,
}

/// A variant and what is known of it.
#[derive(Clone, Debug)]
pub struct VariantRow {
    /// The variant.
    pub variant: Variant,
    /// Whether it was asked for; otherwise it is only searched, as the baseline.
    pub shown: bool,
    /// The positions searched, in their order.
    pub measured: Vec<Measured>,
    /// The problems tried, in their order.
    pub solved: Vec<solve::Solution>,
    /// Results against each opponent.
    pub games: Vec<Pentanomial>,
}

impl VariantRow {
    /// Nodes of the first so many positions.
    pub fn nodes(&self, positions: usize) -> u64 {
        self.measured[..positions].iter().map(|measured| measured.nodes).sum()
    }

    /// Time of the first so many positions.
    pub fn elapsed(&self, positions: usize) -> Duration {
        self.measured[..positions].iter().map(|measured| measured.elapsed).sum()
    }

    /// What reductions did in all positions.
    pub fn counts(&self) -> Counts {
        self.measured.iter().fold(Counts::default(), |mut sum, measured| {
            sum.add(&measured.counts);
            sum
        })
    }
}

/// A run in progress.
pub struct Session {
    plan: LabPlan,
    rows: Vec<VariantRow>,
    journal: Option<Journal>,
}

/// Hears of each finished piece, with the name of its variant.
pub type OnPiece<'a> = &'a mut dyn FnMut(&Session, &str);

impl Session {
    /// Takes up what the journal (a file and its header) holds. Where depth is fixed, the recipe without reductions is searched
    /// in any case.
    ///
    /// # Errors
    /// The journal cannot be read or is that of another run.
    pub fn open(
        plan: LabPlan,
        variants: Vec<Variant>,
        journal: Option<(&Path, Value)>,
    ) -> Result<Self, Box<dyn Error>> {
        let games = vec![Pentanomial::default(); plan.against.len()];
        let row =
            |variant, shown| VariantRow { variant, shown, measured: vec![], solved: vec![], games: games.clone() };
        let mut rows: Vec<VariantRow> = variants.into_iter().map(|variant| row(variant, true)).collect();
        let has_off = rows.iter().any(|row| row.variant.name == OFF);
        if !has_off && matches!(plan.budget, Budget::Depth(_)) {
            rows.push(row(Variant::of(OFF)?, false));
        }
        let mut session = Self { plan, rows, journal: None };
        if let Some((path, header)) = journal {
            let (journal, records) = Journal::open(path, &header)?;
            for (number, record) in records.iter().enumerate() {
                let damaged = || format!("{}:{}: no record of this run", path.display(), number + 2);
                session.take(record).ok_or_else(damaged)?;
            }
            session.journal = Some(journal);
        }
        Ok(session)
    }

    /// Takes a record of the journal; `None` when it does not fit. What is not asked for this time stays in the journal.
    fn take(&mut self, record: &Value) -> Option<()> {
        let name = record["variant"].as_str()?;
        let Some(row) = self.rows.iter_mut().find(|row| row.variant.name == name) else { return Some(()) };
        match record["what"].as_str()? {
            "position" => {
                let fen = self.plan.positions.get(row.measured.len())?;
                row.measured.push(Measured::from_record(fen, record)?);
            }
            "problem" => {
                let problem = self.plan.problems.get(row.solved.len())?;
                row.solved.push(record::read(problem, &record["solution"])?);
            }
            "pair" => {
                let opponent = record["against"].as_str()?;
                let (pair, half_points) = (record["pair"].as_u64()?, record["half_points"].as_u64()?);
                let opponent = self.plan.against.iter().position(|against| against.name == opponent);
                if let Some(opponent) = opponent.filter(|_| pair < self.plan.pairs) {
                    let fits = pair == row.games[opponent].pairs() && half_points <= 4;
                    fits.then(|| row.games[opponent].add(half_points as u32))?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// What is done.
    pub fn plan(&self) -> &LabPlan {
        &self.plan
    }

    /// The variants asked for.
    pub fn rows(&self) -> impl Iterator<Item = &VariantRow> {
        self.rows.iter().filter(|row| row.shown)
    }

    /// The first variant, with which the others are compared.
    pub fn first(&self) -> &VariantRow {
        &self.rows[0]
    }

    /// The recipe without reductions, if it is searched.
    pub fn off(&self) -> Option<&VariantRow> {
        self.rows.iter().find(|row| row.variant.name == OFF)
    }

    /// Whether a variant plays no games because its search is too much like that of the first row.
    pub fn is_left_out(&self, row: &VariantRow) -> bool {
        let all = self.plan.positions.len();
        let (Some(least), first) = (self.plan.only_changed, self.first()) else { return false };
        if row.variant == first.variant || row.measured.len() < all || first.measured.len() < all {
            return false;
        }
        let (here, there) = (row.nodes(all) as f64, first.nodes(all).max(1) as f64);
        100.0 * (here / there - 1.0).abs() < least
    }

    /// How many pairs a variant plays against an opponent. Nobody plays against itself: that says nothing.
    pub fn wanted(&self, row: &VariantRow, opponent: usize) -> u64 {
        let itself = row.variant.settings == self.plan.against[opponent].settings;
        if !row.shown || itself || self.is_left_out(row) { 0 } else { self.plan.pairs }
    }

    /// How many pieces are finished, and how many there are.
    pub fn progress(&self) -> (u64, u64) {
        let LabPlan { positions, problems, .. } = &self.plan;
        let (mut done, mut all) = (0, 0);
        for row in &self.rows {
            let problems = if row.shown { problems.len() } else { 0 };
            done += (row.measured.len() + row.solved.len()) as u64;
            all += (positions.len() + problems) as u64;
            for (opponent, results) in row.games.iter().enumerate() {
                let wanted = self.wanted(row, opponent);
                done += results.pairs().min(wanted);
                all += wanted;
            }
        }
        (done, all)
    }

    /// Whether everything is finished.
    pub fn is_complete(&self) -> bool {
        let (done, all) = self.progress();
        done == all
    }

    /// Does what is not finished yet. A stop is obeyed between positions, in a problem and in a game.
    ///
    /// # Errors
    /// A player cannot be set up, or the journal cannot be written.
    pub fn run(&mut self, arena: &Arena, stop: &Stop, on_piece: OnPiece) -> Result<(), Box<dyn Error>> {
        for row in 0..self.rows.len() {
            self.measure(row, stop, on_piece)?;
        }
        for row in 0..self.rows.len() {
            self.solve(row, stop, on_piece)?;
        }
        for row in 0..self.rows.len() {
            for opponent in 0..self.plan.against.len() {
                self.play([row, opponent], arena, stop, on_piece)?;
            }
        }
        Ok(())
    }

    fn measure(&mut self, row: usize, stop: &Stop, on_piece: OnPiece) -> Result<(), Box<dyn Error>> {
        let VariantRow { variant, measured, .. } = &self.rows[row];
        let (name, rest) = (variant.name.clone(), measured.len()..self.plan.positions.len());
        if rest.is_empty() || stop.asked() {
            return Ok(());
        }
        let mut player = Player::new(&variant.settings, self.plan.hash)?;
        for index in rest {
            if stop.asked() {
                break;
            }
            let fen = &self.plan.positions[index];
            let measured = measure(player.engine(), fen, self.plan.budget)?;
            keep(&mut self.journal, &measured.to_record(&name, fen))?;
            self.rows[row].measured.push(measured);
            on_piece(self, &name);
        }
        Ok(())
    }

    fn solve(&mut self, row: usize, stop: &Stop, on_piece: OnPiece) -> Result<(), Box<dyn Error>> {
        let VariantRow { variant, shown, solved, .. } = &self.rows[row];
        let (name, rest) = (variant.name.clone(), solved.len()..self.plan.problems.len());
        if !shown || rest.is_empty() || stop.asked() {
            return Ok(());
        }
        let mut player = Player::new(&variant.settings, self.plan.hash)?;
        let limits = Limits { nodes: Some(self.plan.suite_nodes), ..Limits::default() };
        for index in rest {
            let problem = &self.plan.problems[index];
            let Some(solution) = solve::solve(player.engine(), problem, &limits, stop) else { break };
            let solution_record = record::write(problem, &solution);
            let record = json!({"what": "problem", "variant": name, "solution": solution_record});
            keep(&mut self.journal, &record)?;
            self.rows[row].solved.push(solution);
            on_piece(self, &name);
        }
        Ok(())
    }

    fn play(
        &mut self,
        [row, opponent]: [usize; 2],
        arena: &Arena,
        stop: &Stop,
        on_piece: OnPiece,
    ) -> Result<(), Box<dyn Error>> {
        let wanted = self.wanted(&self.rows[row], opponent);
        let rest = self.rows[row].games[opponent].pairs()..wanted;
        if rest.is_empty() || stop.asked() {
            return Ok(());
        }
        let [one, other] = [self.rows[row].variant.clone(), self.plan.against[opponent].clone()];
        arena.run(
            |_| [one.settings.clone(), other.settings.clone()],
            rest,
            stop,
            |pair| {
                let half_points = pair.half_points();
                let record = json!({
                    "what": "pair",
                    "variant": one.name,
                    "against": other.name,
                    "pair": pair.number,
                    "half_points": half_points,
                });
                keep(&mut self.journal, &record)?;
                self.rows[row].games[opponent].add(half_points);
                on_piece(self, &one.name);
                Ok(ControlFlow::Continue(()))
            },
        )
    }
}
