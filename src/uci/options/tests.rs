use super::declare::parse_interval;
use super::*;
use lento::engine::{AnalysisContempt, Sharing};
use lento::named::Named;
use lento::search::lbr::Lbr;
use lento::search::lmr::Helpers;
use std::time::Duration;

fn with_target<R>(test: impl FnOnce(&mut Target) -> R) -> R {
    let mut engine = Engine::new();
    let (mut protocol, mut writer) = (Protocol::default(), Writer::new(std::io::sink()));
    test(&mut Target { engine: &mut engine, protocol: &mut protocol, writer: &mut writer })
}

/// Everything options can change, except the log.
fn state(target: &Target) -> String {
    let engine = &target.engine;
    format!("{} {} {} {:?}", engine.threads(), engine.hash_mib(), engine.numa_policy(), &engine.settings)
}

#[test]
fn announcements() {
    let lines: Vec<String> = super::announcements(true).collect();
    for expected in [
        "option name Threads type spin default 1 min 1 max 1024",
        "option name Hash type spin default 16 min 1 max 33554432",
        "option name Clear Hash type button",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Ponder type check default false",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name Drawish Endings type check default false",
        "option name Debug Log File type string default <empty>",
        "option name NumaPolicy type string default auto",
        "option name SyzygyPath type string default <empty>",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        "option name SyzygyProbeLimit type spin default 7 min 0 max 7",
        "option name Syzygy50MoveRule type check default true",
        "option name HashFile type string default <empty>",
        "option name SaveHash type button",
        "option name AutoSave type spin default 0 min 0 max 10080",
        "option name UCI_AnalyseMode type check default false",
        "option name Analyse Mode type check default false",
        "option name Show WDL type check default false",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 1500 min 800 max 2800",
        "option name Contempt type spin default 0 min -100 max 100",
        "option name Analysis Contempt type combo default Off var Off var White var Black var Both",
        "option name Rebel P type spin default 50 min 0 max 200",
        "option name Rebel Extend type check default false",
        "option name Rebel Passed Pawns Margin type spin default 25 min 0 max 1000",
        "option name Rebel Killer Weight type spin default 10 min 0 max 100",
        "option name Rebel Bad Check type check default true",
        "option name UCI_EngineAbout type string default Lento 0.1.0 by the Lento authors, licence MIT OR Apache-2.0",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}");
    }
    assert!(lines.iter().all(|line| !line.starts_with("option name Rebel Killer Margin")));
    for (start, part) in [
        ("option name LBR type combo default reply var off var reply ", " var colour"),
        ("option name Stagger type combo default ", " var off var skip var offset"),
        ("option name LMR type combo default tuned ", " var off"),
    ] {
        assert!(lines.iter().any(|line| line.starts_with(start) && line.contains(part)), "{start}");
    }
}

#[test]
fn defaults_match_a_fresh_engine() {
    with_target(|target| {
        let fresh = state(target);
        for line in super::announcements(true) {
            let (name, kind) = line["option name ".len()..].split_once(" type ").unwrap();
            let default = kind
                .split_once(" default ")
                .map_or("", |(_, rest)| rest.split(" min ").next().unwrap().split(" var ").next().unwrap());
            assert_eq!(set(target, name, Some(default)), Ok(()));
            // Unset until it is sent, so that the limits of a search decide.
            target.engine.settings.analyse_mode = None;
            assert_eq!(state(target), fresh, "{name}");
        }
    });
}

#[test]
fn names_ignore_case_and_spaces() {
    for name in ["Move Overhead", "MoveOverhead", "move  overhead", "MOVEOVERHEAD"] {
        assert_eq!(find(name).map(|option| option.name.as_str()), Some("Move Overhead"));
    }
    for (plain, name) in [
        ("show wdl", "UCI_ShowWDL"),
        ("Analyse Mode", "UCI_AnalyseMode"),
        ("Limit Strength", "UCI_LimitStrength"),
        ("elo", "UCI_Elo"),
        ("Chess960", "UCI_Chess960"),
    ] {
        assert_eq!(find(plain).map(|option| option.name.as_str()), Some(name));
    }
    let error = with_target(|target| set(target, "DoesNotExist", None));
    assert!(error.is_err_and(|text| text.starts_with("unknown option \"DoesNotExist\"; known options are Threads, ")));
}

#[test]
fn values_are_applied() {
    let other = RecipeName::Off.name();
    with_target(|target| {
        for (name, value) in [
            ("threads", "2"),
            ("hash", "3"),
            ("multipv", "4"),
            ("ponder", "TRUE"),
            ("moveoverhead", "0"),
            ("uci_chess960", "true"),
            ("uci_showwdl", "true"),
            ("stagger", "SKIP"),
            ("sharedhistory", "Thread"),
            ("lbr", "Pair+Quiet"),
            ("lmr", other),
            ("drawishendings", "true"),
            ("uci_analysemode", "true"),
            ("uci_limitstrength", "true"),
            ("uci_elo", "1234"),
            ("contempt", "-30"),
            ("analysiscontempt", "BOTH"),
            ("hashfile", "/some where/my table"),
            ("autosave", "90s"),
            ("rebel p", "60"),
            ("rebelgain", "FALSE"),
            ("Rebel Gain Weight", "7"),
            ("Rebel Gain Margin", "33"),
        ] {
            assert_eq!(set(target, name, Some(value)), Ok(()), "{name}");
        }
        assert_eq!((target.engine.threads(), target.engine.hash_mib()), (2, 3));
        let settings = &target.engine.settings;
        assert_eq!((settings.search.multi_pv, settings.search.move_overhead), (4, 0));
        let protocol = &target.protocol;
        assert!(protocol.ponder && protocol.chess960 && protocol.show_wdl && settings.drawish_endings);
        assert!(
            settings.analyse_mode == Some(true)
                && protocol.hash_file.as_deref() == Some(Path::new("/some where/my table"))
        );
        assert_eq!((settings.strength.limited, settings.strength.elo, settings.contempt), (true, 1234, -30));
        assert_eq!(settings.analysis_contempt, AnalysisContempt::Both);
        assert_eq!(protocol.auto_save, Duration::from_secs(90));
        let rebel = &settings.lmr.rebel;
        let gain = rebel.lines[LINES.iter().position(|line| line.name == "Gain").unwrap()];
        assert_eq!((rebel.percent, gain.on, gain.weight, gain.margin), (60, false, 7, 33));
        assert_eq!(
            (settings.lmr.main.name(), settings.search.stagger.name(), settings.search.lbr.name()),
            (other, "skip", "pair+quiet")
        );
        assert_eq!(settings.search.shared_history, Sharing::Thread);
        assert_eq!((set(target, "LBR", Some("off")), target.engine.settings.search.lbr), (Ok(()), Lbr::OFF));
        assert_eq!(set(target, "Clear Hash", None), Ok(()));
    });
}

#[test]
fn invalid_values_are_quoted_and_change_nothing() {
    with_target(|target| {
        let before = state(target);
        for (name, value) in [
            ("Threads", "0"),
            ("Threads", "-4"),
            ("Threads", "1025"),
            ("Hash", "16.5"),
            ("Hash", "99999999999999999999999"),
            ("Hash", ""),
            ("MultiPV", "0"),
            ("UCI_Chess960", "maybe"),
            ("Stagger", "sideways"),
            ("Shared History", "core"),
            ("LMR", ""),
            ("LBR", "pair+pair"),
            ("Debug Log File", "/nonexistent/folder/x.log"),
            ("SyzygyPath", "/nonexistent/folder"),
            ("SyzygyProbeDepth", "0"),
            ("SyzygyProbeLimit", "8"),
            ("Syzygy50MoveRule", "50"),
            ("AutoSave", "-1"),
            ("AutoSave", "10081"),
            ("AutoSave", "0.5"),
            ("AutoSave", "604801s"),
            ("AutoSave", "18446744073709551615"),
            ("UCI_AnalyseMode", "on"),
            ("UCI_LimitStrength", "1500"),
            ("UCI_Elo", "-1500"),
            ("UCI_Elo", "1500.5"),
            ("Strength Seed", "2147483648"),
            ("Contempt", "-101"),
            ("Contempt", "101"),
            ("Contempt", "0.2"),
            ("Analysis Contempt", "None"),
            ("Rebel P", "201"),
            ("Rebel Gain", "yes"),
            ("Rebel Gain Weight", "-1"),
            ("UCI_EngineAbout", "Another engine"),
            ("NumaPolicy", ""),
            ("NumaPolicy", "everywhere"),
            ("NumaPolicy", "0:0"),
        ] {
            let error = set(target, name, Some(value)).expect_err(name);
            assert!(error.contains(&format!("{value:?}")) && error.contains(name), "{error}");
            assert_eq!(state(target), before);
        }
        let error = set(target, "Threads", Some("x"));
        assert_eq!(
            error,
            Err("option Threads expects a whole number from 1 to 1024, not \"x\"; value unchanged".into())
        );
    });
}

#[test]
fn options_are_described() {
    for option in OPTIONS.iter().chain(REBEL.iter()).chain(UNANNOUNCED.iter()) {
        assert!(option.meaning.ends_with('.') && !option.values.is_empty(), "{}", option.name);
    }
    assert!(help("UCI_hash").is_ok_and(|line| line.starts_with("Hash: 1 to 33554432 [default: 16]. Size of ")));
    assert!(
        help("rfp_margin")
            .is_ok_and(|line| line.starts_with("rfp_margin: 30 to 150 [default: 54]. A search parameter"))
    );
    assert!(help("go").is_err_and(|problem| problem.starts_with("unknown option \"go\"; ")));
}

#[test]
fn unannounced_options_are_accepted() {
    with_target(|target| {
        let before = state(target);
        for (name, value) in [
            ("UCI_Opponent", "GM 2800 human Gary Kasparov"),
            ("UCI_Opponent", ""),
            ("UCI_Variant", "chess"),
            ("UCI_Variant", "Chess960"),
        ] {
            assert_eq!((set(target, name, Some(value)), state(target)), (Ok(()), before.clone()), "{name}");
        }
        assert!(set(target, "UCI_Variant", Some("atomic")).is_err_and(|error| error.contains("\"atomic\"")));
        assert!(super::announcements(true).all(|line| !line.contains("UCI_Opponent") && !line.contains("UCI_Variant")));
    });
}

#[test]
fn numbers_fit_in_32_bits() {
    for line in super::announcements(true).filter(|line| line.contains(" type spin ")) {
        let numbers: Vec<i64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        assert!(numbers.iter().all(|&number| i32::try_from(number).is_ok()), "{line}");
    }
}

#[test]
fn intervals_are_minutes_or_seconds() {
    let seconds = |text| parse_interval(text, 10).map(|interval| interval.as_secs());
    for (text, expected) in [("0", 0), ("7", 420), ("10", 600), ("0s", 0), ("3s", 3), ("3 s", 3), ("600s", 600)] {
        assert_eq!(seconds(text), Some(expected), "{text}");
    }
    for text in ["", "s", "11", "601s", "1m", "-1s", "1.5", "0x1"] {
        assert_eq!(seconds(text), None, "{text}");
    }
}

#[test]
fn introduction_ends_with_uciok() {
    let (mut settings, offer): (_, Offer) = (Settings::default(), Box::new(Some));
    let text = introduction(&Evaluation::default(), &settings, &offer);
    assert!(text.contains("\ninfo string evaluation nnue "), "{text}");
    assert!(text.starts_with("id name Lento ") && text.ends_with("\nuciok"));
    assert_eq!(text.lines().filter(|line| line.starts_with("option name ")).count(), names().len());
    settings.lmr.helpers = Helpers::Recipe(RecipeName::Rebel);
    assert!(introduction(&Evaluation::default(), &settings, &offer).contains("\noption name Rebel P type spin"));
}
