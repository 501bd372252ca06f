//! Playing the games of a data set, in their order.

use lento_common::interrupt::Stop;
use lento_common::ordered;
use lento_common::play::arena::Arena;
use lento_common::play::game::{Seats, play};
use lento_common::play::player::Player;
use lento_common::play::record::Record;
use lento_common::play::setting::Setting;
use std::error::Error;
use std::ops::{ControlFlow, Range};

/// Plays the games with these numbers, several at once, by a player with these settings, and passes them to `on_game` in the order of
/// their numbers. Each game depends on its number alone.
///
/// # Errors
/// A player cannot be set up, or `on_game` fails.
pub fn run(
    arena: &Arena,
    settings: &[Setting],
    numbers: Range<u64>,
    stop: &Stop,
    mut on_game: impl FnMut(&Record) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let set_up = || Ok((Player::new(settings, arena.hash)?, Player::new(&[], 1)?));
    let work = |(player, judge): &mut (Player, Player), number, stops: [&Stop; 2]| {
        let opening = arena.openings.get(number, judge);
        play(Seats::Alone(player), &opening, arena.limit, &arena.rules, stops)
    };
    let mut kept = Ok(());
    ordered::run::<_, _, _, String>(arena.concurrency, numbers, stop, set_up, work, |game| {
        kept = on_game(&game);
        if kept.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::play::adjudicate::Rules;
    use lento_common::play::limit::Limit;
    use lento_common::play::opening::{OpeningArgs, Openings};

    fn arena(concurrency: usize) -> Arena {
        let args = OpeningArgs { book: None, random_plies: None, dfrc: 0.3, max_imbalance: 250, seed: 9 };
        let openings = Openings::from_args(&args).unwrap();
        Arena { openings, limit: Limit::soft(60), rules: Rules::default(), hash: 1, concurrency }
    }

    fn games(numbers: Range<u64>, concurrency: usize) -> Vec<String> {
        let mut games = Vec::new();
        let keep = |record: &Record| {
            let moves: Vec<u16> = record.plies.iter().map(|ply| ply.mv.word()).collect();
            games.push(format!("{} {moves:?} {:?}", record.start.fen(true), record.result));
            Ok(())
        };
        run(&arena(concurrency), &[], numbers, &Stop::default(), keep).unwrap();
        games
    }

    #[test]
    fn games_depend_on_their_number_alone() {
        let all = games(0..12, 1);
        assert_eq!(all.len(), 12);
        assert_eq!(all, games(0..12, 3));
        assert_eq!(all[7..], games(7..12, 2));
    }

    #[test]
    fn an_error_ends_the_run() {
        let mut count = 0;
        let fail = |_: &Record| {
            count += 1;
            Err("the disk is full".into())
        };
        let error = run(&arena(2), &[], 0..u64::MAX, &Stop::default(), fail).unwrap_err();
        assert_eq!((error.to_string().as_str(), count), ("the disk is full", 1));
    }
}
