use super::*;
use crate::elo::Pentanomial;
use lento::internals::statistics::Counts;
use lento_common::arguments::parse;
use lento_testing::Folder;
use serde_json::json;

const POSITIONS: &str = "\
r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7
r2q1rk1/1b2bppp/p1n1pn2/1p6/3P4/1BN2N2/PP2QPPP/R1BR2K1 w - - 4 13
8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/3K2P1/3B4/4n3 w - - 0 1
";

const SUITE: &str = "\
6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id \"mate\";
r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - am Bxf7+; id \"no gift\";
";

fn args(words: &str) -> Result<Args, String> {
    parse(["recipes"].into_iter().chain(words.split_whitespace()))
}

/// A small run in a folder.
fn small(folder: &Folder, more: &str) -> Args {
    let positions = folder.write("positions.epd", POSITIONS.as_bytes());
    let suite = folder.write("suite.epd", SUITE.as_bytes());
    let (positions, suite) = (positions.display(), suite.display());
    let common =
        format!("--positions {positions} --depth 5 --suite {suite} --suite-nodes 500 --hash 1 --limit nodes=60");
    args(&format!("{more} {common}")).unwrap()
}

fn arena(args: &Args) -> lento_common::play::Arena {
    args.conditions.arena(args.limit, [&[], &[]]).unwrap()
}

fn run_completely(args: &Args) -> Session<'_> {
    let mut session = Session::open(args).unwrap();
    session.run(&arena(args), &Stop::default(), &mut |_, _| ()).unwrap();
    assert!(session.is_complete());
    session
}

/// Reproducible results of a variant: name, nodes, counts, solutions, games.
type Reproducible = (String, Vec<u64>, Counts, Vec<(bool, u64)>, Vec<Pentanomial>);

/// The reproducible results of all variants.
fn reproducible(session: &Session) -> Vec<Reproducible> {
    let row = |row: &session::VariantRow| {
        let nodes = row.measured.iter().map(|measured| measured.nodes).collect();
        let solved = row.solved.iter().map(|solution| (solution.solved, solution.nodes)).collect();
        (row.variant.name.clone(), nodes, row.counts(), solved, row.games.clone())
    };
    session.rows().map(row).collect()
}

#[test]
fn reads_arguments_and_quotes_invalid_ones() {
    let run_args = args("Tuned off --nodes 4000 --pairs 9 --against rebel --against off --hash 3").unwrap();
    let session = Session::open(&run_args).unwrap();
    assert_eq!(run_args.budget(), Limit::Nodes(4000));
    assert_eq!(session.positions, lento::internals::bench::POSITIONS);
    assert_eq!(session.against.iter().map(|against| against.name.as_str()).collect::<Vec<_>>(), ["rebel", "off"]);
    assert_eq!(session.rows().count(), 2);
    let default = args("").unwrap();
    let session = Session::open(&default).unwrap();
    assert_eq!((default.budget(), session.against.len()), (Limit::Depth(12), 0));
    assert_eq!(session.rows().count(), RecipeName::ALL.len());
    assert_eq!(args("--switches rebel").unwrap().variants().unwrap().len(), 21);
    for (words, part) in [
        ("magic", "'magic'"),
        ("--switches mediocre", "no switches"),
        ("--depth 0", "'0'"),
        ("--depth 5 --nodes 100", "cannot be used with"),
        ("--suite-nodes 100", "--suite"),
        ("--pairs 2 --against magic", "expected one of"),
    ] {
        let error = args(words).err().unwrap_or_else(|| panic!("{words:?} is accepted"));
        assert!(error.contains(part), "{words}: {error}");
    }
}

#[test]
fn baseline_may_have_been_a_variant() {
    let folder = Folder::new("lab-baseline");
    let journal = folder.path().join("journal");
    let with = |names: &str| small(&folder, &format!("{names} --journal {}", journal.display()));
    assert_eq!(run_completely(&with("tuned off")).progress(), (10, 10));
    // Three positions for both recipes, two problems for one.
    assert_eq!(Session::open(&with("tuned")).unwrap().progress(), (8, 8));
}

#[test]
fn interrupted_run_resumes_to_the_same_result() {
    let folder = Folder::new("lab-resumed");
    let what = "tuned guide-log --pairs 2 --against tuned --against mediocre";
    let run_args = small(&folder, what);
    let whole = run_completely(&run_args);
    let journal = folder.path().join("journal");
    let journaled = small(&folder, &format!("{what} --journal {}", journal.display()));
    // Interrupts searches of the first and the second variant, the suite and the games.
    for parts in [1, 5, 10, 14, 16] {
        let mut session = Session::open(&journaled).unwrap();
        let before = session.progress().0;
        let stop = Stop::default();
        let stopping = &mut |session: &Session, _: &str| {
            if session.progress().0 >= parts {
                stop.request();
            }
        };
        session.run(&arena(&journaled), &stop, stopping).unwrap();
        let (done, all) = session.progress();
        assert!(done >= before && (parts..all).contains(&done), "{before} {done} of {all}");
    }
    let resumed = run_completely(&journaled);
    assert_eq!(reproducible(&resumed), reproducible(&whole));
    // Three positions for two recipes and the baseline, two problems for both recipes, games except tuned against itself.
    assert_eq!(resumed.progress(), (9 + 4 + 6, 19));
    let lines = std::fs::read_to_string(&journal).unwrap().lines().count();
    assert_eq!(lines, 1 + 19);
    let pairs = |row: &session::VariantRow| row.games.iter().map(Pentanomial::pairs).collect::<Vec<_>>();
    assert_eq!(resumed.rows().map(pairs).collect::<Vec<_>>(), [[0, 2], [2, 2]]);

    drop(resumed);

    // Fewer recipes can resume the run; other settings cannot.
    let fewer = small(&folder, &format!("guide-log --pairs 1 --journal {}", journal.display()));
    assert_eq!(Session::open(&fewer).unwrap().progress(), (3 + 3 + 2 + 1, 9));
    for (other, part) in [("--seed 2", "its seed is 1, not 2"), ("--random-plies 4", "random_plies")] {
        let changed = small(&folder, &format!("{other} --journal {}", journal.display()));
        let error = Session::open(&changed).err();
        assert!(error.is_some_and(|error| error.to_string().contains(part)), "{other}");
    }
    std::fs::write(folder.path().join("positions.epd"), POSITIONS.replace("w - - 0 7", "w - - 1 7")).unwrap();
    let error = Session::open(&journaled).err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("journal:2: this record does not belong to the run")));
}

#[test]
fn json_has_all_results() {
    let folder = Folder::new("lab-json");
    let run_args = small(&folder, "tuned off guide-log --pairs 1 --against off");
    let session = run_completely(&run_args);
    let (table, json) = (report::table(&session), report::json(&session));
    let variants = json["variants"].as_array().unwrap();
    let first = &variants[0];
    assert_eq!(
        (&first["variant"], &first["nodes_ratio"], &first["time_ratio"]),
        (&json!("tuned"), &json!(1.0), &json!(1.0))
    );
    assert_eq!((&first["games_against_off"], &first["suite_searched"]), (&json!(2), &json!(2)));
    assert!(first["saved_percent"].as_f64().is_some_and(|saved| (1.0..100.0).contains(&saved)), "{first}");
    assert!(first["reduced_percent"].as_f64().is_some_and(|reduced| reduced > 1.0));
    assert_eq!(json["conditions"]["seed"], 1);
    let text = table::text(&table);
    assert_eq!((text.lines().count(), variants.len()), (1 + 3, 3));
    assert!(text.contains("Elo against off"), "{text}");
}

#[test]
fn page_and_pictures_show_all_variants() {
    let folder = Folder::new("lab-page");
    let (page_file, pictures_folder) = (folder.at("lmr.md"), folder.at("lmr"));
    std::fs::create_dir(&pictures_folder).unwrap();
    let (page_file, pictures_folder) = (page_file.display(), pictures_folder.display());
    let words = format!("tuned off madchess --pairs 1 --markdown {page_file} --pictures {pictures_folder}");
    let run_args = small(&folder, &words);
    let session = run_completely(&run_args);
    let pictures = picture::all(&session).unwrap();
    let files: Vec<&str> = pictures.iter().map(|picture| picture.file.as_str()).collect();
    assert_eq!(files, ["nodes.svg", "elo-tuned.svg", "surface-tuned.svg", "surface-off.svg", "surface-madchess.svg"]);
    assert_eq!(pictures[0].svg.matches("<rect").count(), 1 + 3, "the background and a bar each");
    assert_eq!(pictures[1].svg.matches("<circle").count(), 2, "tuned does not play itself");
    let page = report::markdown(&session, &pictures).unwrap();
    assert!(page.starts_with("# Late move reductions"), "{page}");
    for part in [
        "| madchess | 5.0 | ",
        "![Nodes, depth=5](lmr/nodes.svg)",
        "3 positions",
        "positions `positions.epd`",
        "seed 1",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains(" ms") && !page.contains(&folder.path().display().to_string()), "{page}");
    assert_eq!(page.lines().filter(|line| line.starts_with('|')).count(), 2 + 3);
}

#[test]
fn node_budget_compares_depths() {
    let folder = Folder::new("lab-nodes");
    let positions = folder.write("positions.epd", POSITIONS.as_bytes());
    let words = format!("off tuned --nodes 3000 --hash 1 --positions {}", positions.display());
    let run_args = args(&words).unwrap();
    let json = report::json(&run_completely(&run_args));
    let variants = json["variants"].as_array().unwrap();
    assert!(variants[0]["depth"].as_f64() < variants[1]["depth"].as_f64(), "{json}");
    assert!(variants.iter().all(|variant| variant["saved_percent"].is_null() && variant["nodes_ratio"].is_null()));
}
