//! Documentation: links and named files exist, images are small, results state date and commit.

use lento_uci::options::{self, UciOption};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Maximum image size in bytes.
const MAX_IMAGE_BYTES: u64 = 100_000;

/// Prefixes of paths in the repository.
const PREFIXES: [&str; 8] = ["src/", "tests/", "tools/", "docs/", "nets/", "benches/", "examples/", ".ci/"];

/// All files with an extension below a folder, except in build outputs, hidden folders and external data.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !(name.starts_with('.') || ["target", "shared", "vendor"].contains(&name.as_str())) {
                found.extend(files(&path, ending));
            }
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Lines outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// Link targets, and text in backticks.
fn links_and_code(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut links, mut code) = (Vec::new(), Vec::new());
    // A link may span two lines.
    let text = prose(text).collect::<Vec<_>>().join("\n");
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            code.push(part.to_owned());
        }
    }
    for (index, _) in text.match_indices("](") {
        let rest = &text[index + 2..];
        if let Some(end) = rest.find(')') {
            links.push(rest[..end].to_owned());
        }
    }
    (links, code)
}

/// Anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Broken links of a page.
fn broken_links(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page");
    let folder = page.parent().expect("a folder");
    let mut broken = Vec::new();
    for link in links_and_code(&text).0 {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
        let target = if path.is_empty() { page.to_owned() } else { folder.join(path) };
        if !target.exists() {
            broken.push(format!("{}: no file {link}", page.display()));
        } else if !heading.is_empty() {
            let text = fs::read_to_string(&target).unwrap_or_default();
            if !prose(&text).any(|line| line.starts_with('#') && anchor(line) == heading) {
                broken.push(format!("{}: no heading {link}", page.display()));
            }
        }
    }
    broken
}

fn root() -> &'static Path {
    Path::new(crate::data::ROOT)
}

#[test]
fn links_have_targets() {
    let pages = files(root(), "md");
    assert!(pages.iter().any(|page| page.ends_with("README.md")) && pages.len() > 5, "{pages:?}");
    let broken: Vec<String> = pages.iter().flat_map(|page| broken_links(page)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn named_files_exist() {
    let results = root().join("docs/results");
    let mut missing = Vec::new();
    // Results and the changelog refer to older versions, whose files may have moved.
    for page in files(root(), "md").iter().filter(|page| !page.starts_with(&results) && !page.ends_with("CHANGELOG.md"))
    {
        let text = fs::read_to_string(page).expect("a page");
        for name in links_and_code(&text).1 {
            if PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !root().join(&name).exists() {
                missing.push(format!("{}: `{name}`", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The table of UCI options, from their declarations.
fn table_of_options() -> String {
    let mut table = "| Option | Values | Default | What it does |\n|---|---|---|---|\n".to_owned();
    for UciOption { name, values, default, meaning, .. } in options::all() {
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        let mut parts = meaning.split("(docs/");
        let mut linked = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (page, rest) = part.split_once(')').expect("a closing parenthesis");
            linked += &format!("([{page}]({page})){rest}");
        }
        table += &format!("| `{name}` | {values} | {default} | {linked} |\n");
    }
    table
}

#[test]
fn options_page_is_up_to_date() {
    let page = root().join("docs/options.md");
    let old = fs::read_to_string(&page).expect("the page");
    let start = old.find("| Option |").expect("the table");
    let end = old.rfind(" |\n").expect("the end of the table") + " |\n".len();
    let new = format!("{}{}{}", &old[..start], table_of_options(), &old[end..]);
    if env::var_os("LENTO_WRITE").is_some() {
        fs::write(&page, new).expect("the page can be written");
    } else {
        assert!(
            old == new,
            "docs/options.md differs from the declarations in src/uci/options.rs. To update it:\n\
             LENTO_WRITE=1 cargo test --test all options_page_is_up_to_date"
        );
    }
}

#[test]
fn images_are_small_and_used() {
    let mut shown = BTreeSet::new();
    for page in files(root(), "md") {
        let folder = page.parent().expect("a folder");
        let links = links_and_code(&fs::read_to_string(&page).expect("a page")).0;
        shown.extend(links.iter().filter_map(|link| folder.join(link).canonicalize().ok()));
    }
    let images = files(&root().join("docs"), "svg");
    assert!(!images.is_empty());
    for image in images {
        let bytes = fs::metadata(&image).expect("an image").len();
        assert!(bytes <= MAX_IMAGE_BYTES, "{}: {bytes} bytes, maximum {MAX_IMAGE_BYTES}: sample", image.display());
        assert!(shown.contains(&image.canonicalize().expect("a path")), "{} is not used on any page", image.display());
    }
}

#[test]
fn results_state_date_and_commit() {
    let pages = files(&root().join("docs/results"), "md");
    assert!(pages.len() > 1, "{pages:?}");
    for page in pages.iter().filter(|page| !page.ends_with("README.md")) {
        let text = fs::read_to_string(page).expect("a page");
        let recorded = text.lines().find(|line| line.starts_with("Recorded ")).unwrap_or_default();
        let date = recorded.split(|c: char| c.is_ascii_whitespace() || c == ',').any(|word| {
            word.len() == 10
                && word.bytes().enumerate().all(|(index, byte)| match index {
                    4 | 7 => byte == b'-',
                    _ => byte.is_ascii_digit(),
                })
        });
        assert!(date && recorded.contains("commit"), "{}: 'Recorded on DATE in commit ID'", page.display());
        assert!(text.contains("```sh"), "{}: no command", page.display());
    }
}

#[test]
fn broken_links_are_found() {
    let folder = std::env::temp_dir().join(format!("lento-documents-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("target")).unwrap();
    fs::write(folder.join("target/built.md"), "[gone](gone.md)").unwrap();
    fs::create_dir_all(folder.join("vendor")).unwrap();
    fs::write(folder.join("vendor/package.md"), "[gone](gone.md)").unwrap();
    fs::write(folder.join("other.md"), "# A `name`, and more\n```\n# no heading\n```\n").unwrap();
    let page = folder.join("page.md");
    fs::write(
        &page,
        "[here](other.md) [heading](other.md#a-name-and-more) [web](https://a.b/c)\n[gone](gone.md) ![none](a/b.svg)\n\
         ```\n[code](code.md)\n```\n[broken\nline](later.md) [code](other.md#no-heading)\n",
    )
    .unwrap();
    let names: Vec<String> =
        broken_links(&page).iter().map(|fault| fault.rsplit(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(names, ["gone.md", "a/b.svg", "later.md", "other.md#no-heading"]);
    assert_eq!(files(&folder, "md"), [folder.join("other.md"), page]);
    fs::remove_dir_all(&folder).unwrap();
}
