//! Parallel game pairs.

use super::adjudicate::Rules;
use super::game::play;
use super::limit::Limit;
use super::opening::{Book, OpeningArgs, Openings};
use super::player::Player;
use super::record::Record;
use super::setting::Setting;
use crate::inputs::in_file;
use crate::interrupt::Stop;
use crate::notice::notice;
use crate::ordered;
use std::error::Error;
use std::ops::ControlFlow;

/// Plays pairs of games.
#[derive(Debug)]
pub struct Arena {
    /// The start positions.
    pub openings: Openings,
    /// The limit of each move.
    pub limit: Limit,
    /// Adjudication rules.
    pub rules: Rules,
    /// Hash table of each player in MiB.
    pub hash: usize,
    /// Concurrent games.
    pub concurrency: usize,
}

/// Two games from one opening with reversed colors.
#[derive(Clone, Debug)]
pub struct GamePair {
    /// Number of the opening.
    pub number: u64,
    /// The games; the first player has White in the first.
    pub games: [Record; 2],
}

impl GamePair {
    /// Half points of the first player, 0 to 4.
    pub fn half_points(&self) -> u32 {
        let [white, black] = self.games.each_ref().map(|game| game.result.half_points());
        white + 2 - black
    }
}

impl Arena {
    /// Warns that games repeat if `count` exceeds the start positions and nothing else varies the games of players with these settings.
    pub fn warn_of_repeats(&self, count: u64, players: [&[Setting]; 2]) {
        let OpeningArgs { book, dfrc, endings, .. } = &self.openings.args;
        // A clock in nodes varies nothing.
        let by_clock = |settings: &[Setting]| {
            settings.iter().rfind(|setting| setting.sets("nodestime")).is_none_or(|setting| setting.value == "0")
        };
        let timed = matches!(self.limit, Limit::MoveTime(_) | Limit::Clock { .. }) && players.into_iter().any(by_clock);
        let positions = match &self.openings.book {
            Book::None => 1,
            Book::Positions(fens) => fens.len() as u64,
            Book::Polyglot(_) => return,
        };
        if count > positions && !timed && self.openings.random_plies() == 0 && dfrc + endings < 1.0 {
            let warning = format!("games repeat after opening {positions}; --random-plies varies them");
            match book {
                Some(book) => notice(in_file(book, warning)),
                None => notice(warning),
            }
        }
    }

    /// Plays a pair of games from each opening in `pairs`. The players' settings may depend on the number of the opening. `on_pair`
    /// receives the pairs in order. Both `on_pair` and `stop` can end the run, which discards unfinished pairs and all later ones.
    pub fn run(
        &self,
        players: impl Fn(u64) -> [Vec<Setting>; 2] + Sync,
        pairs: impl IntoIterator<Item = u64, IntoIter: Send>,
        stop: &Stop,
        on_pair: impl FnMut(GamePair) -> Result<ControlFlow<()>, Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        let work = |judge: &mut Player, number, stops: [&Stop; 2]| {
            let set_up = |settings: Vec<Setting>| {
                let player = Player::of_limit(&settings, self.hash, self.limit);
                player.map_err(|error| format!("cannot set up a player: {error}"))
            };
            let [one, other] = players(number).map(set_up);
            let (mut one, mut other) = (one?, other?);
            let opening = self.openings.get(number, judge);
            let play = |first: &mut Player, second: &mut Player| {
                play(&mut [first, second], &opening, self.limit, &self.rules, stops)
            };
            let games = play(&mut one, &mut other).and_then(|first| Some([first, play(&mut other, &mut one)?]));
            Ok(games.map(|games| GamePair { number, games }))
        };
        ordered::run(self.concurrency, pairs, stop, Openings::checker, work, on_pair)
    }
}

#[cfg(test)]
mod tests {
    use super::super::opening::OpeningArgs;
    use super::*;
    use crate::arguments::parse;
    use ControlFlow::{Break, Continue};

    fn arena(concurrency: usize) -> Arena {
        let args = OpeningArgs { seed: 5, ..parse(["openings"]).unwrap() };
        let openings = Openings::from_args(&args).unwrap();
        Arena { openings, limit: Limit::Nodes(150), rules: parse(["rules"]).unwrap(), hash: 1, concurrency }
    }

    fn weak() -> Vec<Setting> {
        vec!["LMR=off".parse().unwrap()]
    }

    fn scores(arena: &Arena, pairs: std::ops::Range<u64>, max: usize) -> Vec<(u64, u32)> {
        let mut all = Vec::new();
        let run = arena.run(
            |_| [vec![], weak()],
            pairs,
            &Stop::default(),
            |pair| {
                all.push((pair.number, pair.half_points()));
                Ok(if all.len() < max { Continue(()) } else { Break(()) })
            },
        );
        run.unwrap();
        all
    }

    #[test]
    fn pairs_are_ordered_and_independent_of_concurrency() {
        let serial = scores(&arena(1), 3..13, usize::MAX);
        assert_eq!(serial.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (3..13).collect::<Vec<_>>());
        assert_eq!(serial, scores(&arena(3), 3..13, usize::MAX));
        assert_eq!(serial[..4], scores(&arena(2), 3..u64::MAX, 4));
    }

    #[test]
    fn equal_players_split_every_pair_at_fixed_nodes() {
        let run = arena(2).run(
            |_| [vec![], vec![]],
            0..4,
            &Stop::default(),
            |pair| {
                assert_eq!(pair.half_points(), 2, "pair {}", pair.number);
                Ok(Continue(()))
            },
        );
        run.unwrap();
    }

    #[test]
    fn settings_may_depend_on_the_pair() {
        let all = scores(&arena(2), 0..6, usize::MAX);
        let mut each = Vec::new();
        // The players are swapped in odd pairs.
        let players = |number: u64| if number.is_multiple_of(2) { [vec![], weak()] } else { [weak(), vec![]] };
        let run = arena(3).run(players, 0..6, &Stop::default(), |pair| {
            let score = pair.half_points();
            each.push((pair.number, if pair.number.is_multiple_of(2) { score } else { 4 - score }));
            Ok(Continue(()))
        });
        run.unwrap();
        assert_eq!(each, all);
    }

    #[test]
    fn errors_end_the_run() {
        let invalid = Setting { name: "rfp_margin".to_owned(), value: "many".to_owned() };
        let players = |number| [vec![], if number == 2 { vec![invalid.clone()] } else { vec![] }];
        let mut pairs = 0;
        let run = arena(2).run(players, 0..9, &Stop::default(), |_| {
            pairs += 1;
            Ok(Continue(()))
        });
        assert!(run.unwrap_err().to_string().contains("many"));
        assert_eq!(pairs, 2, "pairs before the error count");
        let run = arena(1).run(|_| [vec![], vec![]], 0..9, &Stop::default(), |_| Err("a full disk".into()));
        assert_eq!(run.unwrap_err().to_string(), "a full disk");
    }

    #[test]
    fn stop_ends_the_run() {
        let stop = Stop::default();
        let mut numbers = Vec::new();
        // The number of pairs depends on thread timing: a pair is delivered with the first one, if finished before it.
        let run = arena(2).run(
            |_| [vec![], vec![]],
            0..u64::MAX,
            &stop,
            |pair| {
                numbers.push(pair.number);
                stop.request();
                Ok(Continue(()))
            },
        );
        run.unwrap();
        assert!(!numbers.is_empty());
        assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    }
}
