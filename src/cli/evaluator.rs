//! Arguments that select the evaluation.

use crate::eval::nnue::{self, simd::Simd};
use crate::eval::{Evaluation, EvaluationKind, Model};
use std::path::PathBuf;

/// Selects the evaluation.
#[derive(clap::Args)]
pub struct EvaluatorArgs {
    /// Evaluation: nnue or classical
    #[arg(long, value_name = "KIND", default_value = EvaluationKind::default().name(), value_parser = kind)]
    evaluation: EvaluationKind,
    /// Network file instead of the embedded one
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// Instruction set for the network instead of the fastest available one
    #[arg(long, value_name = "NAME", value_parser = simd)]
    simd: Option<Simd>,
    /// Score drawish pawnless endings, such as rook against rook, as draws
    #[arg(long)]
    drawish_endings: bool,
}

impl EvaluatorArgs {
    /// The selected evaluation.
    ///
    /// # Errors
    /// The network file cannot be loaded.
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
        format!("expected one of {}", names.join(", "))
    })
}
