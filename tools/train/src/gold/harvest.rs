//! From a game to positions of the gold set.

use super::journal::Crop;
use super::set::{Origin, record};
use crate::formats::packed::RECORD;
use crate::formats::{Filter, Position};
use crate::label::{Label, take_drawn};
use fastrand::Rng;
use lento::chess::{Color, Game};
use lento::search::sample::Draw;
use lento_common::interrupt::Stop;
use lento_common::mix;
use lento_common::play::arena::Arena;
use lento_common::play::game::{Seats, play};
use lento_common::play::limit::Limit;
use lento_common::play::player::Player;
use lento_common::play::record::{GameResult, Record};
use lento_common::play::setting::Setting;

/// What is taken of each game, and how it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The most positions of a game, by [`Origin`].
    pub most: [usize; 2],
    /// What the search that gives a position its score may cost.
    pub label: Limit,
    /// What decides everything random.
    pub seed: u64,
}

/// Games of the set begin with moves at random, and what follows at once is not chess yet.
const FILTER: Filter = Filter { max_score: 2000, skip_plies: 2, noisy: false };
/// Nodes of the searches from whose trees positions are drawn.
const DRAWN_FROM: Limit = Limit::Nodes(5000);
/// How many positions are drawn from a tree, of which one is taken.
const DRAWN: usize = 4;
/// The least remaining depth of a node that may be drawn, in plies.
const LEAST_DEPTH: i32 = 4;
/// Nodes after which most of what is not quiet shows.
const GLANCE: u64 = 1000;

/// Who works on a game.
pub struct Hands {
    /// Plays it.
    player: Player,
    /// Chooses the opening.
    judge: Player,
    /// Draws positions and gives them their scores, each as if there were no other.
    labeller: Player,
}

impl Hands {
    /// Players with these settings.
    ///
    /// # Errors
    /// A setting cannot be applied, or is one with which searches do not repeat; or a hash table cannot be allocated.
    pub fn new(settings: &[Setting], hash: usize) -> Result<Self, String> {
        let [mut player, labeller] = [Player::new(settings, hash)?, Player::new(settings, hash)?];
        let threads = player.engine().threads();
        if threads > 1 {
            return Err(format!("Threads={threads}: a gold set is made by searches of one thread"));
        }
        Ok(Self { player, judge: Player::new(&[], 1)?, labeller })
    }
}

/// What one game gives; `None` when it is interrupted.
pub struct Harvest<'a> {
    plan: Plan,
    hands: &'a mut Hands,
    stops: [&'a Stop; 2],
    crop: Crop,
}

impl<'a> Harvest<'a> {
    /// Plays the game with this number and takes its positions: which, depends on the plan, the arena and the number alone.
    pub fn reap(plan: Plan, arena: &Arena, hands: &'a mut Hands, number: u64, stops: [&'a Stop; 2]) -> Option<Crop> {
        let opening = arena.openings.get(number, &mut hands.judge);
        let game = play(Seats::Alone(&mut hands.player), &opening, arena.limit, &arena.rules, stops)?;
        let nodes = game.plies.iter().map(|ply| ply.nodes).sum();
        let mut harvest = Self { plan, hands, stops, crop: Crop { number, nodes, records: Vec::new() } };
        // Another sequence than that of the opening.
        let mut rng = Rng::with_seed(!mix::seed(plan.seed, number));
        let mut positions = positions(&game);
        for (origin, most) in Origin::ALL.into_iter().zip(plan.most) {
            rng.shuffle(&mut positions);
            let enough = harvest.crop.records.len() + most;
            for position in &positions {
                if harvest.crop.records.len() >= enough {
                    break;
                }
                let record = match origin {
                    Origin::Game => harvest.of_game(position)?,
                    Origin::Search => harvest.of_search(position, rng.u64(..))?,
                };
                harvest.crop.records.extend(record);
            }
        }
        Some(harvest.crop)
    }

    /// The position itself, if it is quiet; `None` when interrupted.
    fn of_game(&mut self, position: &Position) -> Option<Option<[u8; RECORD]>> {
        if !FILTER.keeps(position) {
            return Some(None);
        }
        self.labelled(&Game::from(position.board.clone()), position.result, Origin::Game)
    }

    /// A quiet position from the tree of a search of this one; `None` when interrupted.
    fn of_search(&mut self, position: &Position, seed: u64) -> Option<Option<[u8; RECORD]>> {
        let engine = self.hands.labeller.engine();
        engine.draw_nodes(Some(Draw { most: DRAWN, depth: LEAST_DEPTH, seed }));
        self.judge(&Game::from(position.board.clone()), DRAWN_FROM)?;
        for game in take_drawn(self.hands.labeller.engine()) {
            let glance = self.judge(&game, Limit::Nodes(GLANCE))?;
            if !glance.is_taken(game.board(), &FILTER) {
                continue;
            }
            let record = self.labelled(&game, position.result, Origin::Search)?;
            if record.is_some() {
                return Some(record);
            }
        }
        Some(None)
    }

    /// The position with the score of a long search, if that finds it quiet.
    fn labelled(&mut self, game: &Game, result: GameResult, origin: Origin) -> Option<Option<[u8; RECORD]>> {
        let label = self.judge(game, self.plan.label)?;
        let taken = label.is_taken(game.board(), &FILTER);
        Some(taken.then(|| record(game.board(), label.score, result, origin)))
    }

    /// Searches a position that has a legal move, with nothing known before. `None` when interrupted.
    fn judge(&mut self, game: &Game, limit: Limit) -> Option<Label> {
        if self.stops.iter().any(|stop| stop.asked()) {
            return None;
        }
        self.hands.labeller.new_game();
        let label = Label::of(self.hands.labeller.engine(), game, limit)?;
        self.crop.nodes += label.nodes;
        Some(label)
    }
}

/// The positions of a game in which a move was played.
fn positions(game: &Record) -> Vec<Position> {
    let mut board = game.start.clone();
    let mut positions = Vec::with_capacity(game.plies.len());
    for (number, ply) in game.plies.iter().enumerate() {
        let white = if board.side_to_move() == Color::White { ply.score } else { -ply.score };
        let next = board.after(ply.mv);
        positions.push(Position { board, score: white, result: game.result, mv: ply.mv, ply: number });
        board = next;
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packed;
    use lento_common::play::adjudicate::Rules;
    use lento_common::play::opening::{OpeningArgs, Openings};

    fn arena() -> Arena {
        let args = OpeningArgs { book: None, random_plies: None, dfrc: 0.3, max_imbalance: 250, seed: 9 };
        let openings = Openings::from_args(&args).unwrap();
        Arena { openings, limit: Limit::soft(40), rules: Rules::default(), hash: 1, concurrency: 1 }
    }

    #[test]
    fn a_game_gives_the_same_quiet_positions_whatever_came_before_it() {
        let plan = Plan { most: [5, 2], label: Limit::Nodes(300), seed: 4 };
        let (stop, mut hands) = (Stop::default(), Hands::new(&[], 1).unwrap());
        let mut reap = |number| Harvest::reap(plan, &arena(), &mut hands, number, [&stop; 2]).unwrap();
        let crops = [reap(3), reap(8), reap(3)];
        assert_eq!(crops[0], crops[2]);
        assert_ne!(crops[0].records, crops[1].records);
        for crop in &crops {
            let positions: Vec<_> = crop.records.iter().map(|record| packed::from_bytes(record).unwrap()).collect();
            let count = |origin| positions.iter().filter(|position| Origin::of(position) == origin).count();
            assert_eq!(Origin::ALL.map(count), [5, 2]);
            for position in &positions {
                let board = packed::board(position).unwrap();
                assert!(!board.in_check() && position.score.abs() <= 2000, "{}", board.fen(true));
            }
            assert!(crop.nodes > 7 * 300, "{}", crop.nodes);
        }
    }

    #[test]
    fn an_interrupted_game_gives_nothing() {
        let plan = Plan { most: [5, 2], label: Limit::Nodes(300), seed: 4 };
        let (go_on, stop, mut hands) = (Stop::default(), Stop::default(), Hands::new(&[], 1).unwrap());
        stop.ask();
        assert_eq!(Harvest::reap(plan, &arena(), &mut hands, 3, [&go_on, &stop]), None);
    }
}
