//! Positions inside the searches of a game's moves.

use crate::formats::Filter;
use crate::formats::packed::RECORD;
use crate::gold::{Origin, record};
use crate::label::{Label, take_drawn};
use lento::chess::Board;
use lento::score::Score;
use lento::search::sample::Draw;
use lento_common::play::limit::Limit;
use lento_common::play::player::Player;
use lento_common::play::record::GameResult;
use lento_common::{mix, number};
use serde_json::{Value, json};

/// Which of them to keep beside the positions of the games.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Inside {
    /// Draw so many positions from inside the search of each move, and keep those that are quiet, each with the score of a search
    /// of its own, beside the games (*.bf)
    #[arg(long = "inside", value_name = "N", default_value_t = 0)]
    pub most: usize,
    /// Nodes of the search that gives such a position its score
    #[arg(long = "inside-nodes", value_name = "NODES", default_value_t = 300, value_parser = number::count::<u64>)]
    pub nodes: u64,
    /// The least remaining depth at which such a position was searched, in plies
    #[arg(long = "inside-depth", value_name = "PLIES", default_value_t = 2, value_parser = clap::value_parser!(i32).range(1..100))]
    pub depth: i32,
}

/// Not those that are noisy or decided: what is searched is static already.
const FILTER: Filter = Filter { max_score: 2000, skip_plies: 0, noisy: false };

impl Inside {
    /// As JSON; `None` when none are kept.
    pub fn to_json(self) -> Option<Value> {
        (self.most > 0).then(|| json!({"each": self.most, "nodes": self.nodes, "depth": self.depth}))
    }
}

/// Whoever draws the positions of one game.
pub struct Look {
    wanted: Inside,
    seed: u64,
    /// With their scores from White's view.
    found: Vec<(Board, Score)>,
    /// The nodes that their scores took.
    pub nodes: u64,
}

impl Look {
    /// A look at the game with this seed, which this player is about to play against itself.
    pub fn begin(wanted: Inside, player: &mut Player, seed: u64) -> Self {
        let mut look = Self { wanted, seed, found: Vec::new(), nodes: 0 };
        look.draw_next(player);
        look
    }

    /// The next search of this player is drawn from, in a way of its own.
    fn draw_next(&mut self, player: &mut Player) {
        let Inside { most, depth, .. } = self.wanted;
        self.seed = mix::seed(self.seed, 0);
        let draw = Draw { most, depth, seed: self.seed };
        player.engine().draw_nodes((most > 0).then_some(draw));
    }

    /// Scores what was drawn from the search that this player has just finished. It knows what that search has found, so that few nodes
    /// are worth more than by themselves.
    pub fn at(&mut self, player: &mut Player) {
        if self.wanted.most == 0 {
            return;
        }
        let engine = player.engine();
        for game in take_drawn(engine) {
            let Some(label) = Label::of(engine, &game, Limit::Nodes(self.wanted.nodes)) else { continue };
            self.nodes += label.nodes;
            if label.is_taken(game.board(), &FILTER) {
                self.found.push((game.board().clone(), label.score));
            }
        }
        self.draw_next(player);
    }

    /// What was found, in bulletformat, with the result of the game.
    pub fn records(&self, result: GameResult) -> Vec<[u8; RECORD]> {
        self.found.iter().map(|(board, score)| record(board, *score, result, Origin::Search)).collect()
    }
}
