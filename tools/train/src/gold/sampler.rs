//! Plays games and samples their positions for a gold set.

use crate::formats::packed::{self, RECORD};
use crate::formats::{Filter, Position};
use fastrand::Rng;
use lento::chess::Game;
use lento::engine::{Engine, Output};
use lento::score::Bound;
use lento_common::interrupt::Stop;
use lento_common::mix;
use lento_common::play::{Arena, Limit, Openings, Player, Record, Setting, play};
use serde_json::{Value, json};
use std::time::Duration;

/// Skips the first plies, which follow random moves.
const FILTER: Filter = Filter { max_score: 2000, skip_plies: 2, noisy: false };

/// Sampled positions of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GamePositions {
    pub number: u64,
    pub records: Vec<[u8; RECORD]>,
    /// Nodes of all searches.
    pub nodes: u64,
}

impl GamePositions {
    /// A journal record, with the positions in hexadecimal.
    pub fn to_json(&self) -> Value {
        let digits: String = self.records.iter().flatten().map(|byte| format!("{byte:02x}")).collect();
        json!({"game": self.number, "nodes": self.nodes, "positions": digits})
    }

    pub fn from_json(value: &Value) -> Option<Self> {
        let digits = value["positions"].as_str()?.as_bytes();
        let (pairs, []) = digits.as_chunks::<2>() else { return None };
        let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>()?;
        let (records, []) = bytes.as_chunks::<RECORD>() else { return None };
        records.iter().try_for_each(|record| packed::from_bytes(record).map(drop)).ok()?;
        Some(Self { number: value["game"].as_u64()?, nodes: value["nodes"].as_u64()?, records: records.to_vec() })
    }
}

/// Plays a game and labels its positions.
pub struct Sampler {
    player: Player,
    /// Checks openings.
    checker: Player,
    /// Scores positions, each with an empty table.
    labeller: Player,
}

impl Sampler {
    pub fn new(settings: &[Setting], arena: &Arena) -> Result<Self, String> {
        let player = Player::of_limit(settings, arena.hash, arena.limit)?;
        let labeller = Player::new(Engine::new(), settings, arena.hash)?;
        let threads = player.engine.threads();
        if threads > 1 {
            return Err(format!("Threads={threads}: a gold set needs searches on one thread"));
        }
        Ok(Self { player, checker: Openings::checker()?, labeller })
    }

    /// Plays a game and samples up to `each` of its positions, scored by searches with the limit `label`. The result depends only on
    /// the arguments. `None` if interrupted.
    pub fn sample_game(
        &mut self,
        each: usize,
        label: Limit,
        arena: &Arena,
        number: u64,
        stops: [&Stop; 2],
    ) -> Option<GamePositions> {
        let opening = arena.openings.get(number, &mut self.checker);
        let game = play(&mut [&mut self.player], &opening, arena.limit, &arena.rules, stops)?;
        let nodes = game.plies.iter().map(|ply| ply.nodes).sum();
        let mut sampled = GamePositions { number, nodes, records: Vec::new() };
        // Independent of the opening.
        let mut rng = Rng::with_seed(!mix::seed(arena.openings.args.seed, number));
        let mut candidates = positions(&game);
        rng.shuffle(&mut candidates);
        for position in candidates.into_iter().filter(|position| FILTER.keeps(position)) {
            if sampled.records.len() >= each {
                break;
            }
            let (label, nodes) = self.label(&position, label, stops)?;
            sampled.nodes += nodes;
            if FILTER.keeps(&label) {
                sampled.records.push(packed::to_bytes(&packed::pack(&label.board, label.score, label.result)));
            }
        }
        Some(sampled)
    }

    /// The position with score and best move of a search with an empty table, and the nodes of the search. The score is the last exact
    /// one. `None` without a legal move or if interrupted.
    fn label(&mut self, position: &Position, limit: Limit, stops: [&Stop; 2]) -> Option<(Position, u64)> {
        self.labeller.engine.new_game();
        let engine = &mut self.labeller.engine;
        engine.game = Game::from(position.board.clone());
        let side = position.board.side_to_move();
        let mut exact = None;
        let outcome = engine.search_until(&limit.args(side, Duration::ZERO), &[], |_, output| {
            if let Some(Output::Info(info)) = output
                && info.bound == Bound::Exact
                && info.multipv == 1
            {
                exact = Some(info.score);
            }
            stops.iter().try_for_each(|stop| stop.check())
        });
        if stops.iter().any(|stop| stop.is_requested()) {
            return None;
        }
        let line = outcome.lines.first();
        let score = exact.or(line.map(|line| line.score)).unwrap_or_default() * side.sign();
        Some((Position { score, mv: outcome.best?, ..position.clone() }, line.map_or(0, |line| line.nodes)))
    }
}

/// The positions of a game in which a move was played.
fn positions(game: &Record) -> Vec<Position> {
    let mut board = game.start.clone();
    let mut positions = Vec::with_capacity(game.plies.len());
    for (number, ply) in game.plies.iter().enumerate() {
        let score = ply.score * board.side_to_move().sign();
        let next = board.after(ply.mv);
        positions.push(Position { board, score, result: game.result, mv: ply.mv, ply: number });
        board = next;
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;
    use lento::chess::Board;
    use lento_common::arguments::parse;
    use lento_common::play::{GameResult, OpeningArgs};

    fn arena() -> Arena {
        let args = OpeningArgs { dfrc: 0.3, seed: 9, ..parse(["openings"]).unwrap() };
        let openings = Openings::from_args(&args).unwrap();
        Arena { openings, limit: Limit::soft(40), rules: parse(["rules"]).unwrap(), hash: 1, concurrency: 1 }
    }

    #[test]
    fn sampled_positions_are_quiet_and_depend_only_on_the_game() {
        let (stop, mut sampler) = (Stop::default(), Sampler::new(&[], &arena()).unwrap());
        let mut sample = |number| sampler.sample_game(5, Limit::Nodes(300), &arena(), number, [&stop; 2]).unwrap();
        let games = [sample(3), sample(8), sample(3)];
        assert_eq!(games[0], games[2]);
        assert_ne!(games[0].records, games[1].records);
        for game in &games {
            let positions: Vec<_> = game.records.iter().map(|record| packed::from_bytes(record).unwrap()).collect();
            assert!(positions.iter().all(|position| position.extra == [0; 3]) && positions.len() == 5);
            for position in &positions {
                let board = packed::board(position);
                assert!(!board.in_check() && position.score.abs() <= 2000, "{}", board.fen(true));
            }
            assert!(game.nodes > 5 * 300, "{}", game.nodes);
        }
    }

    #[test]
    fn label_is_the_score_of_the_first_line() {
        // Only exd5 wins: any other move loses the pawn or the rook.
        let board = Board::from_fen("4k3/7p/8/3q4/4P3/8/8/4K2R w - - 0 1").unwrap();
        let mv = board.parse_uci("e4d5", false).unwrap();
        let position = Position { board, score: 0, result: GameResult::Draw, mv, ply: 9 };
        let mut sampler = Sampler::new(&["MultiPV=3".parse().unwrap()], &arena()).unwrap();
        let (label, _) = sampler.label(&position, Limit::Depth(4), [&Stop::default(); 2]).unwrap();
        assert!(label.mv == mv && label.score > 200, "{}", label.score);
    }

    #[test]
    fn interrupted_game_gives_none() {
        let (other, stop, mut sampler) = (Stop::default(), Stop::default(), Sampler::new(&[], &arena()).unwrap());
        stop.request();
        assert_eq!(sampler.sample_game(5, Limit::Nodes(300), &arena(), 3, [&other, &stop]), None);
    }

    #[test]
    fn journal_record_round_trips() {
        let records = sample::positions(1, 5).iter().take(4).map(packed::to_bytes).collect();
        let game = GamePositions { number: 7, records, nodes: 50_123 };
        assert_eq!(GamePositions::from_json(&game.to_json()), Some(game.clone()));
        assert_eq!(GamePositions::from_json(&GamePositions::default().to_json()), Some(GamePositions::default()));
        let whole = game.to_json()["positions"].as_str().unwrap().to_owned();
        for positions in [&whole[1..], &whole[2..], &whole.replacen('0', "x", 1), &"ff".repeat(RECORD)] {
            let mut broken = game.to_json();
            broken["positions"] = positions.into();
            assert_eq!(GamePositions::from_json(&broken), None, "{positions}");
        }
    }
}
