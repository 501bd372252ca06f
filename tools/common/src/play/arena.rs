//! Many pairs of games at once.

use super::adjudicate::Rules;
use super::game::{Seats, play};
use super::limit::Limit;
use super::opening::Openings;
use super::player::Player;
use super::record::{GameResult, Record};
use super::setting::Setting;
use crate::interrupt::Stop;
use crate::ordered;
use std::ops::ControlFlow;
use thiserror::Error;

/// How games are played.
#[derive(Clone, Debug)]
pub struct Arena {
    /// Where they begin.
    pub openings: Openings,
    /// What a move may cost.
    pub limit: Limit,
    /// When they are adjudicated.
    pub rules: Rules,
    /// The hash table of each player, in MiB.
    pub hash: usize,
    /// How many games run at the same time.
    pub concurrency: usize,
}

/// Games could not be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a player could not be set up: {0}")]
pub struct PlayError(String);

/// Two games from one opening, each player with White once.
#[derive(Clone, Debug)]
pub struct GamePair {
    /// The number of the opening.
    pub number: u64,
    /// The games; in the first one the first player has White.
    pub games: [Record; 2],
}

impl GamePair {
    /// The first player's half points: 0 to 4.
    pub fn half_points(&self) -> u32 {
        let [white, black] = self.games.each_ref().map(|game| game.result.half_points());
        white + 2 - black
    }

    /// The results of the first player: wins, draws and losses.
    pub fn wins_draws_losses(&self) -> [u64; 3] {
        let results = self.games.each_ref().map(|game| game.result);
        let count = |of: [GameResult; 2]| results.iter().zip(of).filter(|(result, of)| *result == of).count() as u64;
        [
            count([GameResult::WhiteWins, GameResult::BlackWins]),
            count([GameResult::Draw; 2]),
            count([GameResult::BlackWins, GameResult::WhiteWins]),
        ]
    }
}

impl Arena {
    /// Plays a pair of games from each of these openings, between fresh players. `on_pair` gets the finished pairs in the
    /// order of the openings, whichever was finished first; it can end the run, and so can `stop`. Pairs that
    /// are not finished then, and those that wait for one of them, are lost.
    ///
    /// # Errors
    /// A player cannot be set up.
    pub fn run<I>(
        &self,
        players: [&[Setting]; 2],
        pairs: I,
        stop: &Stop,
        on_pair: impl FnMut(GamePair) -> ControlFlow<()>,
    ) -> Result<(), PlayError>
    where
        I: IntoIterator<Item = u64, IntoIter: Send>,
    {
        let set_up = || Ok((self.players(players)?, Player::new(&[], 1)?));
        let work = |(players, judge): &mut ([Player; 2], Player), number, stops: [&Stop; 2]| {
            self.pair(number, players, judge, stops)
        };
        ordered::run(self.concurrency, pairs, stop, set_up, work, on_pair).map_err(PlayError)
    }

    /// As [`run`](Self::run), but each pair has players of its own, by its number.
    ///
    /// # Errors
    /// A player cannot be set up.
    pub fn run_each<I>(
        &self,
        players: impl Fn(u64) -> [Vec<Setting>; 2] + Sync,
        pairs: I,
        stop: &Stop,
        mut on_pair: impl FnMut(GamePair) -> ControlFlow<()>,
    ) -> Result<(), PlayError>
    where
        I: IntoIterator<Item = u64, IntoIter: Send>,
    {
        let work = |judge: &mut Player, number, stops: [&Stop; 2]| {
            let [one, other] = players(number);
            match self.players([&one, &other]) {
                Ok(mut players) => self.pair(number, &mut players, judge, stops).map(Ok),
                Err(error) => Some(Err(error)),
            }
        };
        let mut done = Ok(());
        let on_done = |pair: Result<GamePair, String>| match pair {
            Ok(pair) => on_pair(pair),
            Err(error) => {
                done = Err(error);
                ControlFlow::Break(())
            }
        };
        let run = ordered::run(self.concurrency, pairs, stop, || Player::new(&[], 1), work, on_done);
        run.and(done).map_err(PlayError)
    }

    /// Two players with these settings.
    fn players(&self, settings: [&[Setting]; 2]) -> Result<[Player; 2], String> {
        let [one, other] = settings.map(|settings| Player::new(settings, self.hash));
        Ok([one?, other?])
    }

    /// Plays both games from an opening. Nothing comes back when they are interrupted.
    fn pair(
        &self,
        number: u64,
        [one, other]: &mut [Player; 2],
        judge: &mut Player,
        stops: [&Stop; 2],
    ) -> Option<GamePair> {
        let opening = self.openings.get(number, judge);
        let first = play(Seats::Two([one, other]), &opening, self.limit, &self.rules, stops)?;
        let second = play(Seats::Two([other, one]), &opening, self.limit, &self.rules, stops)?;
        Some(GamePair { number, games: [first, second] })
    }
}

#[cfg(test)]
mod tests {
    use super::super::opening::OpeningArgs;
    use super::*;

    fn arena(concurrency: usize) -> Arena {
        let args = OpeningArgs { book: None, random_plies: None, dfrc: 0.0, max_imbalance: 250, seed: 5 };
        let openings = Openings::from_args(&args).unwrap();
        Arena { openings, limit: Limit::Nodes(150), rules: Rules::default(), hash: 1, concurrency }
    }

    fn scores(arena: &Arena, pairs: std::ops::Range<u64>, enough: usize) -> Vec<(u64, u32)> {
        let mut all = Vec::new();
        let weak: Setting = "LMR=off".parse().unwrap();
        let run = arena.run([&[], &[weak]], pairs, &Stop::default(), |pair| {
            let [wins, draws, losses] = pair.wins_draws_losses();
            assert_eq!((2 * wins + draws, wins + draws + losses), (u64::from(pair.half_points()), 2));
            all.push((pair.number, pair.half_points()));
            if all.len() < enough { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!(run, Ok(()));
        all
    }

    #[test]
    fn pairs_come_in_order_and_do_not_depend_on_concurrency() {
        let alone = scores(&arena(1), 3..13, usize::MAX);
        assert_eq!(alone.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (3..13).collect::<Vec<_>>());
        assert_eq!(alone, scores(&arena(3), 3..13, usize::MAX));
        assert_eq!(alone[..4], scores(&arena(2), 3..u64::MAX, 4));
    }

    #[test]
    fn equal_players_split_every_pair_at_fixed_nodes() {
        let run = arena(2).run([&[], &[]], 0..4, &Stop::default(), |pair| {
            assert_eq!(pair.half_points(), 2, "pair {}", pair.number);
            ControlFlow::Continue(())
        });
        assert_eq!(run, Ok(()));
    }

    #[test]
    fn players_of_their_own_play_as_those_of_all_pairs_do() {
        let weak: Setting = "LMR=off".parse().unwrap();
        let all = scores(&arena(2), 0..6, usize::MAX);
        let mut each = Vec::new();
        // In every other pair the players have changed places.
        let players = |number: u64| match number % 2 {
            0 => [vec![], vec![weak.clone()]],
            _ => [vec![weak.clone()], vec![]],
        };
        let run = arena(3).run_each(players, 0..6, &Stop::default(), |pair| {
            let score = pair.half_points();
            each.push((pair.number, if pair.number % 2 == 0 { score } else { 4 - score }));
            ControlFlow::Continue(())
        });
        assert_eq!((run, each), (Ok(()), all));
    }

    #[test]
    fn a_player_that_cannot_be_is_told() {
        let odd = Setting { name: "rfp_margin".to_owned(), value: "many".to_owned() };
        let players = |number| [vec![], if number == 2 { vec![odd.clone()] } else { vec![] }];
        let mut heard = 0;
        let run = arena(2).run_each(players, 0..9, &Stop::default(), |_| {
            heard += 1;
            ControlFlow::Continue(())
        });
        assert!(run.unwrap_err().to_string().contains("many"));
        assert_eq!(heard, 2, "what was finished before it counts");
    }

    #[test]
    fn a_stop_ends_the_run() {
        let stop = Stop::default();
        let mut heard = Vec::new();
        // Without the stop this run would have no end. How many pairs it still brings depends on the threads: those that were
        // finished before an earlier one are heard with it.
        let run = arena(2).run([&[], &[]], 0..u64::MAX, &stop, |pair| {
            heard.push(pair.number);
            stop.ask();
            ControlFlow::Continue(())
        });
        assert_eq!(run, Ok(()));
        assert!(!heard.is_empty());
        assert_eq!(heard, (0..heard.len() as u64).collect::<Vec<_>>());
    }
}
