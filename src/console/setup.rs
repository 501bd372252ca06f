//! Arguments shared by several tasks: start position, evaluation and numbers. Errors state what is expected.

use super::units;
use clap::Args;
use lento::chess::{Board, Game, Move};
use lento::engine::Engine;
use lento::eval::Evaluation;
use lento::eval::nnue;
use lento::internals::nnue::Simd;
use std::path::PathBuf;
use std::time::Duration;

/// The start position.
#[derive(Args, Clone, Debug, Default)]
pub struct Setup {
    /// Position in FEN, X-FEN or Shredder-FEN, in quotes [default: the start position]
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Use Chess960 notation: castling as king takes rook, and Shredder-FEN
    #[arg(long)]
    pub chess960: bool,
}

impl Setup {
    /// Plays moves, each in UCI or SAN, from the start position. Skips move numbers.
    pub fn game(&self, moves: &str) -> Result<Game, String> {
        let mut game = match &self.fen {
            None => Game::start(),
            Some(fen) => Game::from_fen(fen).map_err(|error| error.to_string())?,
        };
        self.moves(game.board(), moves)?.into_iter().for_each(|mv| game.play(mv));
        Ok(game)
    }

    /// Parses consecutive moves, each in UCI or SAN. Skips move numbers.
    pub fn moves(&self, board: &Board, moves: &str) -> Result<Vec<Move>, String> {
        let mut board = board.clone();
        let parse = |text| {
            let mv = board.read_move(text, self.chess960)?;
            board.play(mv);
            Ok(mv)
        };
        words(moves).map(parse).collect()
    }

    /// The legal moves except the avoided ones, each in UCI or SAN; no moves if none is avoided. Errors name `option`.
    pub fn moves_without(&self, board: &Board, option: &str, avoided: &str) -> Result<Vec<Move>, String> {
        let excluded: Vec<Move> =
            words(avoided).map(|text| board.read_move(text, self.chess960)).collect::<Result<_, _>>()?;
        if excluded.is_empty() {
            return Ok(excluded);
        }
        let mut moves = board.legal_moves().to_vec();
        moves.retain(|mv| !excluded.contains(mv));
        if moves.is_empty() {
            return Err(format!("{option} {avoided:?} leaves no move in {}", board.fen(self.chess960)));
        }
        Ok(moves)
    }
}

/// The moves in a text, without move numbers such as in `1.e4` or `12...Nf6`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let moves = text.split(|c: char| c.is_whitespace() || c == ',').map(|word| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.starts_with('.') { rest.trim_start_matches('.') } else { word }
    });
    moves.filter(|word| !word.is_empty())
}

/// Selects the evaluation.
#[derive(clap::Args)]
pub struct EvaluatorArgs {
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
    pub fn evaluation(&self) -> Result<Evaluation, String> {
        let simd = self.simd.unwrap_or_default();
        let network = match &self.eval_file {
            None => nnue::embedded(),
            Some(path) => nnue::load(path).map_err(|error| format!("--eval-file {}: {error}", path.display()))?,
        };
        Ok(Evaluation { simd, drawish_endings: self.drawish_endings, ..network.into() })
    }
}

fn simd(name: &str) -> Result<Simd, String> {
    let names = || Simd::available().into_iter().map(Simd::name).collect::<Vec<_>>().join(", ");
    Simd::named(name).ok_or_else(|| format!("expected one of {}", names()))
}

fn within(text: &str, max: usize, what: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=max).contains(number));
    number.ok_or_else(|| format!("expected {what} from 1 to {max}"))
}

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    within(text, Engine::MAX_THREADS, "a number of threads")
}

/// Parses a hash table size in MiB.
pub fn hash(text: &str) -> Result<usize, String> {
    within(text, Engine::MAX_HASH, "the size of the hash table, in MiB,")
}

/// Parses a number of repetitions.
pub fn repetitions(text: &str) -> Result<usize, String> {
    within(text, 1000, "a number of repetitions")
}

/// Parses a positive time.
pub fn positive_time(text: &str) -> Result<Duration, String> {
    let time = units::parse_time(text)?;
    if time.is_zero() { Err("expected a time above zero, such as 30s".into()) } else { Ok(time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> String {
        Setup::default().game(moves).map_or_else(|error| error, |game| game.board().fen(false))
    }

    #[test]
    fn moves_in_both_notations_with_and_without_numbers() {
        let expected = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
        for moves in [
            "e2e4 e7e5 g1f3 b8c6 f1b5",
            "e4 e5 Nf3 Nc6 Bb5",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
            "1.e4 e5 2.Nf3 2...Nc6 3.f1b5",
            "e4,e5,Nf3,Nc6, Bb5",
        ] {
            assert_eq!(after(moves), expected, "{moves}");
        }
    }

    #[test]
    fn illegal_moves_and_invalid_positions_are_rejected() {
        assert!(after("e4 e4").starts_with("\"e4\" is not a legal move in rnbqkbnr/pppppppp/8/8/4P3/"));
        let setup = Setup { fen: Some("8/8".into()), chess960: false };
        assert!(setup.game("").is_err());
    }

    #[test]
    fn castling_is_not_a_move_number() {
        let setup = Setup { fen: Some("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".into()), chess960: false };
        let game = setup.game("O-O 0-0-0").expect("both sides may castle");
        assert_eq!(game.board().fen(false), "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
    }

    #[test]
    fn numbers_are_range_checked() {
        assert_eq!((threads("16"), hash("33554432"), repetitions("1")), (Ok(16), Ok(33_554_432), Ok(1)));
        for text in ["", "0", "1025", "-1", "1.5", "two"] {
            assert!(threads(text).is_err_and(|error| error.contains("expected a number of threads from 1 to 1024")));
        }
        assert!(positive_time("0s").is_err() && positive_time("soon").is_err() && positive_time("1ms").is_ok());
    }
}
