//! The result as a page.

use super::figures::Figures;
use super::measure::Budget;
use super::picture::Picture;
use super::session::Session;
use super::{Args, report};
use lento::search::statistics::LmrReport;
use lento_common::play::adjudicate::Rules;
use std::fmt::Write;
use std::path::{Component, Path};

/// Lines of a command are broken after so many characters.
const WIDE: usize = 100;

/// The page: what was measured and how, the command, the numbers, the pictures. It holds no absolute times: those belong to
/// the machine.
pub fn markdown(args: &Args, session: &Session, figures: &[Figures], pictures: &[Picture]) -> String {
    let mut page = match args.switches {
        None => "# Late move reductions: the recipes compared\n\n".to_owned(),
        Some(recipe) => format!("# Late move reductions: the parts of `{recipe}`\n\n"),
    };
    if !session.is_complete() {
        let (done, all) = session.progress();
        let _ = writeln!(page, "**Not finished: {done} of {all} pieces.**\n");
    }
    page += &subject(args, session);
    let _ = writeln!(page, "This page is written by\n\n```sh\n{}\n```\n", command(args));
    page += "## Numbers\n\n";
    page += &report::markdown_table(figures);
    page += &legend(session);
    if let (false, Some(folder)) = (pictures.is_empty(), &args.pictures) {
        page += "\n## Pictures\n";
        let beside = args.markdown.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        for Picture { file, title, .. } in pictures {
            let _ = writeln!(page, "\n![{title}]({})", link(beside, &folder.join(file)));
        }
    }
    page
}

/// What was measured, and how.
fn subject(args: &Args, session: &Session) -> String {
    let (plan, first) = (session.plan(), &session.first().variant.name);
    let mut text = match args.switches {
        None => {
            "A recipe says which late moves are searched less deep, and by how much; the option `LMR` chooses one.\n"
                .into()
        }
        Some(recipe) => {
            format!(
                "The recipe `{recipe}` as it is, and without each of its parts in turn. A row names what was set.\n"
            )
        }
    };
    let positions = match args.positions.as_deref().and_then(Path::file_name) {
        Some(name) => format!("the {} positions of `{}`", plan.positions.len(), name.display()),
        None => format!("the {} positions of `lento bench`", plan.positions.len()),
    };
    let budget = match plan.budget {
        Budget::Depth(depth) => format!("to depth {depth}"),
        Budget::Nodes(nodes) => format!("with {nodes} nodes each"),
    };
    let _ = writeln!(
        text,
        "\n- Searches: {positions}, {budget}, on one thread, with a hash table of {} MiB, each as the first of a new game.\n\
         \x20 Ratios are those to the first row, `{first}`.",
        plan.hash
    );
    if let Some(name) = args.suite.as_deref().and_then(Path::file_name) {
        let (count, nodes) = (plan.problems.len(), plan.suite_nodes);
        let _ = writeln!(text, "- Suite: the {count} problems of `{}`, with {nodes} nodes each.", name.display());
    }
    if plan.pairs > 0 {
        let names = plan.against.iter().map(|against| format!("`{}`", against.name)).collect::<Vec<_>>().join(", ");
        let book = match args.conditions.openings.book.as_deref().and_then(Path::file_name) {
            Some(name) => format!("openings from `{}`", name.display()),
            None => "random openings".to_owned(),
        };
        let _ = writeln!(
            text,
            "- Games: up to {} pairs against {names}, `{}` a move, {book}, seed {}. A pair is one\n\
             \x20 opening, each side with White once. A positive number says that the variant is the stronger one; the error is that\n\
             \x20 of 95 % confidence, by pairs.",
            plan.pairs, args.limit, args.conditions.openings.seed
        );
    }
    if let Some(per_cent) = plan.only_changed {
        let _ = writeln!(text, "- Left out of the games: what needs nodes within {per_cent} % of the first row's.");
    }
    text + "\n"
}

/// What the columns mean, and what the guide calls healthy.
fn legend(session: &Session) -> String {
    let mut text = "\n\
        *Nodes* are those of all positions; *Reduced* is the share of moves that were searched less deep at first, *Plies*\n\
        by how much on average, *Again* the share of them that failed high and were searched again at full depth, *High* the\n\
        share of these that failed high again, "
        .to_owned();
    text += match session.off() {
        Some(_) => "*Saved* the nodes saved against `off`, which reduces nothing.\n",
        None => "*Saved* is counted only where the depth is fixed.\n",
    };
    let healthy = LmrReport::default().measures().into_iter().filter_map(|measure| {
        measure.healthy.map(|(low, high)| format!("{} {low} to {high} {}", measure.name, measure.unit))
    });
    let _ = writeln!(
        text,
        "\nThe Chess Programming Guide (\"Late Move Reductions\") calls healthy:\n{}.",
        healthy.collect::<Vec<_>>().join(", ")
    );
    text
}

/// A path as the page may show it: where it was given from a root, that belongs to the machine.
fn shown(path: &Path) -> String {
    match path.file_name() {
        Some(name) if path.has_root() => Path::new(name).display().to_string(),
        _ => path.display().to_string(),
    }
}

/// Where a file lies, seen from a folder.
fn link(from: &Path, to: &Path) -> String {
    let parts = |path: &Path| {
        let names = path.components().filter(|part| *part != Component::CurDir);
        names.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let (from, to) = (parts(from), parts(to));
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..", from.len() - common);
    up.chain(to[common..].iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

/// The command that repeats the run.
fn command(args: &Args) -> String {
    let mut words = vec!["lento recipes".to_owned()];
    words.extend(args.names.iter().map(|&name| name.to_owned()));
    words.extend(args.switches.map(|name| format!("--switches {name}")));
    let mut flag = |name: &str, value: Option<String>| words.extend(value.map(|value| format!("--{name} {value}")));
    let path = |path: &Option<_>| path.as_ref().map(|path: &std::path::PathBuf| shown(path));
    flag("positions", path(&args.positions));
    match args.budget() {
        Budget::Depth(depth) => flag("depth", Some(depth.to_string())),
        Budget::Nodes(nodes) => flag("nodes", Some(nodes.to_string())),
    }
    flag("suite", path(&args.suite));
    flag("suite-nodes", args.suite.as_ref().map(|_| args.suite_nodes.to_string()));
    flag("hash", Some(args.conditions.hash.to_string()));
    if let Some(pairs) = args.pairs {
        flag("pairs", Some(pairs.to_string()));
        flag("limit", Some(args.limit.to_string()));
        args.against.iter().for_each(|name| flag("against", Some((*name).to_owned())));
        flag("only-changed", args.only_changed.map(|per_cent| per_cent.to_string()));
        let openings = &args.conditions.openings;
        flag("book", path(&openings.book));
        flag("random-plies", openings.random_plies.map(|plies| plies.to_string()));
        flag("dfrc", Some(openings.dfrc).filter(|share| *share > 0.0).map(|share| share.to_string()));
        flag("max-imbalance", Some(openings.max_imbalance).filter(|most| *most != 250).map(|most| most.to_string()));
        flag("seed", Some(openings.seed.to_string()));
        adjudication(&args.conditions.rules).into_iter().for_each(|(name, value)| flag(name, Some(value)));
    }
    flag("markdown", path(&args.markdown));
    flag("pictures", path(&args.pictures));
    broken(&words)
}

/// The flags of the rules that are not as usual.
fn adjudication(rules: &Rules) -> Vec<(&'static str, String)> {
    let values = |rules: &Rules| {
        [
            ("resign", rules.resign.to_string()),
            ("resign-plies", rules.resign_plies.to_string()),
            ("draw", rules.draw.to_string()),
            ("draw-plies", rules.draw_plies.to_string()),
            ("draw-from", rules.draw_from.to_string()),
            ("max-plies", rules.max_plies.to_string()),
        ]
    };
    let pairs = values(rules).into_iter().zip(values(&Rules::default()));
    let mut flags: Vec<_> = pairs.filter(|(here, usual)| here != usual).map(|(here, _)| here).collect();
    if let Some(judge) = &rules.syzygy {
        flags.push(("syzygy", judge.folders.clone()));
    }
    if rules.play_out {
        flags.push(("play-out", String::new()));
    }
    flags
}

/// Words as a command of several lines.
fn broken(words: &[String]) -> String {
    let (mut text, mut length) = (String::new(), 0);
    for (index, word) in words.iter().map(|word| word.trim_end()).enumerate() {
        let wide = word.chars().count();
        if index == 0 {
            length = wide;
        } else if length + 1 + wide > WIDE {
            text += " \\\n    ";
            length = 4 + wide;
        } else {
            text.push(' ');
            length += 1 + wide;
        }
        text += word;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::arguments::parse;

    #[test]
    fn links_are_seen_from_the_page() {
        let link = |from: &str, to: &str| link(Path::new(from), Path::new(to));
        assert_eq!(link("docs", "docs/lmr/nodes.svg"), "lmr/nodes.svg");
        assert_eq!(link("", "lmr/nodes.svg"), "lmr/nodes.svg");
        assert_eq!(link("./docs", "pictures/nodes.svg"), "../pictures/nodes.svg");
        assert_eq!(
            (shown(Path::new("docs/lmr.md")), shown(Path::new("/tmp/x/lmr.md"))),
            ("docs/lmr.md".into(), "lmr.md".into())
        );
    }

    #[test]
    fn the_command_is_the_one_that_was_given() {
        for words in [
            "recipes tuned mediocre --depth 9 --hash 16 --markdown docs/lmr.md --pictures docs/lmr",
            "recipes --switches rebel --nodes 5000 --suite wac.epd --suite-nodes 700 --hash 8 --pairs 20 --limit depth=3 \
             --against tuned --against off --book book.epd --seed 3 --resign 900 --play-out --markdown lmr.md",
            "recipes --switches tuned --positions some.epd --depth 12 --hash 8 --pairs 7 --limit nodes=2500 --against rebel \
             --only-changed 2.5 --random-plies 4 --dfrc 0.5 --max-imbalance 90 --seed 1 --markdown lmr.md",
        ] {
            let args: Args = parse(words.split_whitespace()).unwrap();
            let text = command(&args);
            assert!(text.lines().all(|line| line.chars().count() <= WIDE + 2), "{text}");
            let again = text.replace("\\\n", " ");
            let again = again.split_whitespace().skip_while(|word| *word != "recipes").collect::<Vec<_>>();
            assert_eq!(again, words.split_whitespace().collect::<Vec<_>>());
        }
    }
}
