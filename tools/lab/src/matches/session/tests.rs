use super::*;
use crate::elo::EloModel;
use crate::tests::arena;
use lento_testing::Folder;

const PAIRS: Goal = Goal { pairs: 8, sprt: None };

fn open(goal: Goal, folder: &Folder) -> Session {
    let names = ["new", "old"].map(str::to_owned);
    let pgn = folder.at("pgn");
    Session::open(goal, Some(&folder.at("journal")), || Ok(json!({"test": 1})), Some((&pgn, names))).unwrap()
}

/// Plays up to `max` more pairs.
fn play(session: &mut Session, concurrency: usize, max: usize) {
    let (stop, mut pairs) = (Stop::default(), 0);
    let weak: Setting = "lmp_base=1".parse().unwrap();
    let played = session.play(&arena(concurrency), &[vec![], vec![weak]], &stop, |_| {
        pairs += 1;
        if pairs == max {
            stop.request();
        }
    });
    played.unwrap();
}

fn whole(goal: Goal, concurrency: usize) -> Tally {
    let mut session = Session::open(goal, None, || Ok(Value::Null), None).unwrap();
    play(&mut session, concurrency, usize::MAX);
    assert!(session.is_over());
    session.tally
}

/// The tags of a PGN file.
fn tags(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect()
}

#[test]
fn result_is_independent_of_concurrency_and_interruptions() {
    let expected = whole(PAIRS, 1);
    assert_eq!((expected.results.pairs(), expected.wins_draws_losses.iter().sum()), (8, 16_u64));
    let half_points: u64 = expected.results.counts.iter().zip(0..).map(|(count, points)| count * points).sum();
    assert_eq!(2 * expected.wins_draws_losses[0] + expected.wins_draws_losses[1], half_points);
    assert!(expected.plies > 0 && expected.nodes >= expected.plies);
    assert_eq!(expected.endings.values().sum::<u64>(), 16);
    assert_eq!(whole(PAIRS, 2), expected);

    let folder = Folder::new("resume");
    let pgn = folder.at("pgn");
    let mut part = open(PAIRS, &folder);
    // On one thread, because with more any number of pairs may finish before the first.
    play(&mut part, 1, 3);
    let stored = part.tally.results.pairs();
    assert!((3..8).contains(&stored) && !part.is_over(), "{stored}");
    let earlier = part.elapsed();
    drop(part);

    let mut rest = open(PAIRS, &folder);
    assert_eq!(rest.tally.results.pairs(), stored);
    assert_eq!(tags(&pgn).iter().filter(|line| line.starts_with("[Round ")).count() as u64, 2 * stored);
    play(&mut rest, 2, usize::MAX);
    assert_eq!(rest.tally, expected);
    assert!(rest.elapsed() > rest.earlier && rest.earlier > Duration::ZERO && rest.earlier <= earlier);
    let saved = std::fs::read_to_string(&pgn).unwrap();
    drop(rest);

    // The match is complete, with the same games.
    let again = open(PAIRS, &folder);
    assert!(again.is_over());
    let rewritten = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(rewritten.lines().count(), saved.lines().count());
    let rounds: Vec<String> = tags(&pgn).into_iter().filter(|line| line.starts_with("[Round ")).collect();
    assert_eq!((rounds.len(), &*rounds[0], &*rounds[15]), (16, "[Round \"1.1\"]", "[Round \"8.2\"]"));
}

#[test]
fn verdict_ends_new_and_resumed_matches() {
    let sprt = Sprt::new(-200.0, 200.0, 0.3, 0.3, EloModel::Logistic).unwrap();
    let tested = Goal { pairs: 8, sprt: Some(sprt) };
    let expected = whole(tested, 1);
    assert!(sprt.verdict(&expected.results).is_some() && expected.results.pairs() < 8, "{expected:?}");
    assert_eq!(whole(tested, 3), expected);

    // The journal has more pairs than the test needs.
    let folder = Folder::new("sprt");
    play(&mut open(PAIRS, &folder), 2, usize::MAX);
    let session = open(tested, &folder);
    assert!(session.is_over());
    assert_eq!(session.tally, expected);
    drop(session);
    // The journal has fewer pairs than requested.
    let mut more = open(Goal { pairs: 9, sprt: None }, &folder);
    play(&mut more, 1, usize::MAX);
    assert_eq!(more.tally.results.pairs(), 9);
}

#[test]
fn invalid_journal_is_an_error_and_leaves_the_pgn_file() {
    let folder = Folder::new("damaged");
    let pgn = &folder.write("pgn", b"unchanged");
    let names = || ["new", "old"].map(str::to_owned);
    let error = |header: Value| {
        let opened = Session::open(PAIRS, Some(&folder.at("journal")), || Ok(header), Some((pgn, names())));
        opened.err().expect("an error").to_string()
    };
    let journal = || Journal::open(&folder.at("journal"), &json!({"seed": 1})).unwrap().0;
    drop(journal());
    assert!(error(json!({"seed": 2})).contains("its seed is 1, not 2"));
    assert_eq!(std::fs::read_to_string(pgn).unwrap(), "unchanged");

    journal().append(&json!({"pair": 0, "games": []})).unwrap();
    assert!(error(json!({"seed": 1})).ends_with(":2: this record does not belong to the run"));
}
