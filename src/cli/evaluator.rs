//! What evaluates, as the command line says it.

use crate::eval::nnue::{self, simd::Simd};
use crate::eval::{Evaluation, EvaluationKind, Model};
use std::path::PathBuf;

/// Which evaluation to use.
#[derive(clap::Args)]
pub struct EvaluatorArgs {
    /// What evaluates: nnue or classical
    #[arg(long, value_name = "KIND", default_value = EvaluationKind::default().name(), value_parser = kind)]
    evaluation: EvaluationKind,
    /// Network file instead of the network inside the program
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// Instruction set of the network's arithmetic instead of the fastest one that the processor has
    #[arg(long, value_name = "NAME", value_parser = simd)]
    simd: Option<Simd>,
    /// Count pawnless endings that are usually drawn, such as rook against rook, as draws
    #[arg(long)]
    drawish_endings: bool,
}

impl EvaluatorArgs {
    /// The evaluation that was asked for.
    ///
    /// # Errors
    /// The network file is not usable.
    pub fn evaluation(&self) -> Result<Evaluation, String> {
        let simd = self.simd.unwrap_or_default();
        let model = match (self.evaluation, &self.eval_file) {
            (EvaluationKind::Classical, _) => Model::Classical,
            (EvaluationKind::Nnue, None) => Model::Nnue(nnue::embedded(), simd),
            (EvaluationKind::Nnue, Some(path)) => {
                let network = nnue::load(path).map_err(|error| format!("--eval-file {}: {error}", path.display()))?;
                Model::Nnue(network, simd)
            }
        };
        Ok(Evaluation { drawish_endings: self.drawish_endings, ..model.into() })
    }
}

fn kind(name: &str) -> Result<EvaluationKind, String> {
    EvaluationKind::from_name(name).ok_or_else(|| format!("expected one of {}", EvaluationKind::NAMES.join(", ")))
}

fn simd(name: &str) -> Result<Simd, String> {
    Simd::named(name).ok_or_else(|| {
        let names: Vec<&str> = Simd::available().into_iter().map(Simd::name).collect();
        format!("this processor has {}", names.join(", "))
    })
}
