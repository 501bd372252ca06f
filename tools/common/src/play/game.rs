//! Playing a game.

use super::adjudicate::{Adjudicator, Rules};
use super::limit::Limit;
use super::player::Player;
use super::record::{Ending, GameResult, Record, by_rules};
use crate::interrupt::Stop;
use lento::chess::Game;

/// Plays a game between White and Black, or of one player against itself; `None` if it is interrupted.
pub fn play(
    players: &mut [&mut Player],
    start: &Game,
    limit: Limit,
    rules: &Rules,
    stops: [&Stop; 2],
) -> Option<Record> {
    let mut game = start.clone();
    let mut adjudicator = Adjudicator::new(rules);
    let (base, increment) = limit.clock().unwrap_or_default();
    let mut clocks = [base; 2];
    let mut plies = Vec::new();
    let count = players.len();
    players.iter_mut().for_each(|player| player.engine.new_game());
    let (result, ending) = loop {
        if let Some(verdict) = game.verdict() {
            break by_rules(&game, verdict);
        }
        let side = game.board().side_to_move();
        let clock = &mut clocks[side.index()];
        let ply = players[side.index() % count].search(&game, limit, *clock, &stops);
        if stops.iter().any(|stop| stop.is_requested()) {
            return None;
        }
        if limit.clock().is_some() {
            match clock.checked_sub(ply.time) {
                Some(left) => *clock = left + increment,
                None => break (GameResult::lost_by(side), Ending::Time),
            }
        }
        plies.push(ply);
        let result = adjudicator.adjudicate(&ply, side, game.board().fullmove_number());
        game.play(ply.mv);
        let result = result.or_else(|| adjudicator.probe(game.board()));
        if let Some(result) = result.filter(|_| game.verdict().is_none()) {
            break result;
        }
    };
    Some(Record { start: start.board().clone(), plies, result, ending })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse;
    use lento::chess::Verdict;
    use lento::engine::Engine;
    use std::time::Duration;

    fn game(limit: Limit, fen: &str) -> Record {
        let mut players = [(); 2].map(|()| Player::new(Engine::new(), &[], 1).unwrap());
        let [white, black] = &mut players;
        play(
            &mut [white, black],
            &Game::from_fen(fen).unwrap(),
            limit,
            &parse(["rules"]).unwrap(),
            [&Stop::default(), &Stop::default()],
        )
        .unwrap()
    }

    #[test]
    fn games_end_by_the_rules_and_are_reproducible_at_fixed_nodes() {
        let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
        let record = game(Limit::Nodes(500), fen);
        assert_eq!(
            (record.result, record.ending, record.plies.len()),
            (GameResult::WhiteWins, Ending::Rules(Verdict::Checkmate), 1)
        );

        let long =
            [(); 2].map(|()| game(Limit::Nodes(200), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        let moves = long.each_ref().map(|record| record.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>());
        assert!(moves[0].len() > 20);
        assert_eq!(moves[0], moves[1]);
    }

    #[test]
    fn record_round_trips_through_json() {
        let record = game(Limit::Nodes(100), "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w KQkq - 0 1");
        let again = Record::from_json(&record.to_json()).unwrap();
        assert_eq!((again.result, again.ending, again.plies.len()), (record.result, record.ending, record.plies.len()));
        for (one, other) in again.plies.iter().zip(&record.plies) {
            assert_eq!((one.mv, one.score, one.depth, one.nodes), (other.mv, other.score, other.depth, other.nodes));
        }
        let mut broken = record.to_json();
        broken["moves"] = "e2e5".into();
        assert!(Record::from_json(&broken).is_none());
    }

    #[test]
    fn expired_clock_loses() {
        let limit = Limit::Clock { base: Duration::from_nanos(1), increment: Duration::ZERO };
        let record = game(limit, "6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1");
        assert_eq!((record.result, record.ending), (GameResult::WhiteWins, Ending::Time));
    }
}
