//! Searches that are watched.

use super::Engine;
use crate::search::limits::Limits;
use crate::search::probe::SearchProbe;
use crate::search::report::Outcome;
use crate::smp::observe;
use crossbeam::channel::unbounded;
use std::io;
use std::time::Instant;

impl Engine {
    /// Searches to the end on one thread, as the options say, and tells a probe what the search does. The thread has learned
    /// nothing before, and what it learns is lost; the table stays. Something in `limits` has to limit the search.
    ///
    /// # Errors
    /// The system refuses to start a thread.
    pub fn observe(&mut self, limits: &Limits, probe: impl SearchProbe + Send) -> io::Result<Outcome> {
        let start = Instant::now();
        let root_moves = self.begin(&[]);
        if root_moves.is_empty() {
            return Ok(self.nothing_to_search(None));
        }
        let mut job = self.job(limits, self.game.clone(), root_moves, 1, start);
        // Nobody listens to the news.
        job.events = unbounded().0;
        Ok(Outcome::new(observe::observe(&job, probe)?.lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::search::lbr::{Lbr, LbrStats};
    use crate::search::probe::{NoProbe, Scouted};

    fn depth(depth: i32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    #[test]
    fn being_watched_changes_nothing() {
        let mut engine = Engine::new();
        for lbr in [Lbr::Off, Lbr::default()] {
            engine.settings_mut().search.lbr = lbr;
            let mut one = |watched: bool| {
                engine.new_game();
                let outcome = match watched {
                    false => engine.search_blocking(&depth(8), |_| ()),
                    true => engine.observe(&depth(8), LbrStats::default()).expect("a thread"),
                };
                (outcome.lines[0].nodes, outcome.lines[0].pv.clone(), outcome.best, outcome.ponder)
            };
            assert_eq!(one(true), one(false), "{}", lbr.name());
        }
    }

    #[test]
    fn probes_are_told_of_replies_and_of_scouted_moves() {
        #[derive(Default)]
        struct Scouts(u64);
        impl SearchProbe for Scouts {
            fn scouted(&mut self, what: Scouted) {
                assert!(what.number > 1 && what.depth > 0);
                self.0 += 1;
            }
        }
        let mut engine = Engine::new();
        let (mut scouts, mut replies, mut none) = (Scouts::default(), LbrStats::default(), LbrStats::default());
        let nodes = engine.observe(&depth(7), &mut scouts).expect("a thread").lines[0].nodes;
        assert!(scouts.0 > 0 && scouts.0 < nodes, "{} of {nodes}", scouts.0);
        engine.new_game();
        engine.observe(&depth(7), &mut replies).expect("a thread");
        let LbrStats { asked, first_matches, second_matches, best, cutoffs } = replies;
        let counts = [nodes, asked, first_matches, second_matches, best, cutoffs, 0];
        assert!(counts.is_sorted_by(|more, fewer| more > fewer), "{counts:?}");
        engine.settings_mut().search.lbr = Lbr::Off;
        engine.observe(&depth(7), &mut none).expect("a thread");
        assert_eq!(none, LbrStats::default());
    }

    #[test]
    fn the_engine_goes_on_as_before() {
        let mut engine = Engine::new();
        engine.set_game(Game::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").expect("a FEN"));
        assert_eq!(engine.observe(&depth(5), NoProbe).expect("a thread").best, None, "stalemate");
        engine.set_game(Game::start());
        engine.observe(&depth(5), NoProbe).expect("a thread");
        assert!(!engine.is_searching());
        engine.set_hash(2).expect("the table is free again");
        assert!(engine.search_blocking(&depth(3), |_| ()).best.is_some());
    }
}
