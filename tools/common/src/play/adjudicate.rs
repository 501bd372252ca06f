//! Adjudication of decided games.

use super::record::{Ending, GameResult, Ply};
use lento::chess::{Board, CastlingRights, Color};
use lento::score::Score;
use lento::tb::{Tables, Wdl};
use std::sync::Arc;

/// Adjudication rules.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Adjudication")]
pub struct Rules {
    /// A game is won when both sides agree on this score, in internal centipawns
    #[arg(long, value_name = "CP", default_value_t = 700, value_parser = clap::value_parser!(i32).range(1..))]
    pub resign: i32,
    /// Consecutive plies for --resign
    #[arg(long, value_name = "PLIES", default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..))]
    pub resign_plies: u32,
    /// A game is drawn when no score exceeds this, in internal centipawns
    #[arg(long, value_name = "CP", default_value_t = 8, value_parser = clap::value_parser!(i32).range(0..))]
    pub draw: i32,
    /// Consecutive plies for --draw
    #[arg(long, value_name = "PLIES", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..))]
    pub draw_plies: u32,
    /// First move of the game at which --draw applies
    #[arg(long, value_name = "MOVE", default_value_t = 40)]
    pub draw_from: u32,
    /// A game of this many plies is drawn
    #[arg(long, value_name = "PLIES", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_plies: u32,
    /// Folders with Syzygy tablebases that decide games, separated as in the option SyzygyPath
    #[arg(long, value_name = "PATH", value_parser = tablebases, conflicts_with = "play_out")]
    pub syzygy: Option<Tablebases>,
    /// Play until the rules of chess or --max-plies end the game
    #[arg(long, conflicts_with_all = ["resign", "resign_plies", "draw", "draw_plies", "draw_from"])]
    pub play_out: bool,
}

/// Tablebases that decide games.
#[derive(Clone, Debug)]
pub struct Tablebases {
    /// The folders as given.
    pub folders: String,
    tables: Arc<Tables>,
}

fn tablebases(folders: &str) -> Result<Tablebases, String> {
    let tables = Tables::open(folders)?;
    Ok(Tablebases { folders: folders.to_owned(), tables: Arc::new(tables) })
}

impl Tablebases {
    /// Result of a position given its halfmove clock. `None` if castling rights are left, if tables are missing, or if the result
    /// depends on a single ply, as distances may be off by one.
    fn result(&self, board: &Board) -> Option<Wdl> {
        if board.castling() != CastlingRights::NONE || board.occupied().count() > self.tables.summary().max_pieces {
            return None;
        }
        let wdl = self.tables.wdl(board)?;
        let clock = board.halfmove_clock() as i32;
        match wdl {
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => Some(Wdl::Draw),
            Wdl::Win | Wdl::Loss if clock == 0 => Some(wdl),
            Wdl::Win | Wdl::Loss => match self.tables.dtz(board)?.abs() + clock {
                ..100 => Some(wdl),
                100 | 101 => None,
                _ => Some(Wdl::Draw),
            },
        }
    }
}

/// Adjudicates a game.
#[derive(Clone, Debug)]
pub struct Adjudicator<'a> {
    rules: &'a Rules,
    plies: u32,
    /// Consecutive plies with a winning score, by color.
    winning: [u32; 2],
    /// Consecutive plies with a drawn score.
    level: u32,
}

impl<'a> Adjudicator<'a> {
    /// Starts a game.
    pub fn new(rules: &'a Rules) -> Self {
        Self { rules, plies: 0, winning: [0; 2], level: 0 }
    }

    /// Counts a ply played by `side`. Returns the result if it decides the game.
    pub fn adjudicate(&mut self, ply: &Ply, side: Color, move_number: u32) -> Option<(GameResult, Ending)> {
        let rules = self.rules;
        let score: Score = ply.score * side.sign();
        self.plies += 1;
        let count = |run: u32, continues: bool| if continues { run + 1 } else { 0 };
        self.winning = [count(self.winning[0], score >= rules.resign), count(self.winning[1], score <= -rules.resign)];
        self.level = count(self.level, score.abs() <= rules.draw);
        if !rules.play_out {
            for (run, result) in self.winning.into_iter().zip([GameResult::WhiteWins, GameResult::BlackWins]) {
                if run >= rules.resign_plies {
                    return Some((result, Ending::Resignation));
                }
            }
            if self.level >= rules.draw_plies && move_number >= rules.draw_from {
                return Some((GameResult::Draw, Ending::Agreement));
            }
        }
        (self.plies >= rules.max_plies).then_some((GameResult::Draw, Ending::Length))
    }

    /// The result by tablebases, if they contain the position.
    pub fn probe(&self, board: &Board) -> Option<(GameResult, Ending)> {
        let side = board.side_to_move();
        let result = match self.rules.syzygy.as_ref()?.result(board)? {
            Wdl::Win => GameResult::lost_by(!side),
            Wdl::Loss => GameResult::lost_by(side),
            _ => GameResult::Draw,
        };
        Some((result, Ending::Tablebases))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse;
    use lento::chess::Board;

    fn defaults() -> Rules {
        parse(["rules"]).unwrap()
    }

    /// The ply at which scores from White's point of view end a game, and the result.
    fn adjudicated(rules: &Rules, scores: impl IntoIterator<Item = Score>) -> Option<(usize, GameResult, Ending)> {
        let mut adjudicator = Adjudicator::new(rules);
        let mv = Board::start().legal_moves()[0];
        scores.into_iter().enumerate().find_map(|(index, score)| {
            let side = if index % 2 == 0 { Color::White } else { Color::Black };
            let ply = Ply { score: score * side.sign(), ..Ply::new(mv) };
            let (result, ending) = adjudicator.adjudicate(&ply, side, index as u32 / 2 + 1)?;
            Some((index + 1, result, ending))
        })
    }

    #[test]
    fn wins_need_consecutive_scores_of_both_sides() {
        let rules = defaults();
        assert_eq!(adjudicated(&rules, [700; 9]), Some((6, GameResult::WhiteWins, Ending::Resignation)));
        assert_eq!(adjudicated(&rules, [-31_000; 9]), Some((6, GameResult::BlackWins, Ending::Resignation)));
        assert_eq!(adjudicated(&rules, [700, 700, 700, 700, 700, 699, 700, 700, 700]), None);
        assert_eq!(adjudicated(&rules, [800, -800, 800, -800, 800, -800, 800, -800]), None);
    }

    #[test]
    fn tablebases_respect_the_fifty_move_rule() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let rules = Rules { syzygy: Some(tablebases(folder).unwrap()), ..defaults() };
        for (fen, result) in [
            ("8/8/8/4k3/8/8/8/R3K3 w - - 0 1", Some(GameResult::WhiteWins)),
            ("8/8/8/4k3/8/8/8/R3K3 b - - 0 1", Some(GameResult::WhiteWins)),
            ("8/8/8/4K3/8/8/8/r3k3 w - - 20 90", Some(GameResult::BlackWins)),
            ("8/8/8/4k3/8/8/8/R3K3 w - - 90 120", Some(GameResult::Draw)),
            ("8/8/8/4k3/8/8/8/R3K3 w Q - 0 1", None),
            ("8/8/8/4k3/8/8/8/R3K2R w - - 0 1", None),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let expected = result.map(|result| (result, Ending::Tablebases));
            assert_eq!(Adjudicator::new(&rules).probe(&board), expected, "{fen}");
            assert_eq!(Adjudicator::new(&defaults()).probe(&board), None);
        }
    }

    #[test]
    fn draws_need_enough_plies_and_moves() {
        let rules = defaults();
        assert_eq!(adjudicated(&rules, [0; 100]), Some((79, GameResult::Draw, Ending::Agreement)));
        let late = std::iter::repeat_n(50, 90).chain([-8; 20]);
        assert_eq!(adjudicated(&rules, late), Some((100, GameResult::Draw, Ending::Agreement)));
        let long = Rules { play_out: true, max_plies: 150, ..defaults() };
        assert_eq!(adjudicated(&long, [0; 200]), Some((150, GameResult::Draw, Ending::Length)));
        assert_eq!(adjudicated(&long, [5000; 200]), Some((150, GameResult::Draw, Ending::Length)));
    }
}
