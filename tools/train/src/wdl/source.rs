//! Reads and replaces the coefficients in the engine's source: `const A: Coefficients = [1.0, 2.0, 3.0, 4.0];`, and `B` likewise.

use lento::eval::wdl::{Coefficients, Model};
use std::ops::Range;

/// Coefficients are rounded to three decimals.
const PRECISION: f64 = 1e3;
const NAMES: [&str; 2] = ["A", "B"];

/// The coefficients rounded as in the source.
pub fn rounded(model: &Model) -> Model {
    // Adding 0 turns -0 into 0.
    let round = |powers: Coefficients| powers.map(|power| (power * PRECISION).round() / PRECISION + 0.0);
    Model { a: round(model.a), b: round(model.b) }
}

pub fn declarations(model: &Model) -> String {
    let line = |(name, powers): (&str, &Coefficients)| format!("const {name}: Coefficients = {powers:?};");
    NAMES.into_iter().zip([&model.a, &model.b]).map(line).collect::<Vec<_>>().join("\n")
}

/// Reads the coefficients of a source.
pub fn read(text: &str) -> Result<Model, String> {
    let [a, b] = NAMES.map(|name| {
        let inside = &text[find(text, name)?];
        let numbers: Option<Vec<f64>> = inside.split(',').map(|number| number.trim().parse().ok()).collect();
        numbers
            .and_then(|numbers| Coefficients::try_from(numbers).ok())
            .ok_or_else(|| format!("'[{inside}]' for {name}; expected four numbers such as '[1.0, 2.0, 3.0, 4.0]'"))
    });
    Ok(Model { a: a?, b: b? })
}

/// Replaces the coefficients of a source and keeps all other bytes.
pub fn rewrite(text: &str, model: &Model) -> Result<String, String> {
    read(text)?;
    let mut written = text.to_owned();
    for (name, powers) in NAMES.into_iter().zip([&model.a, &model.b]) {
        let place = find(&written, name)?;
        written.replace_range(place, format!("{powers:?}").trim_matches(['[', ']']));
    }
    Ok(written)
}

/// The range between the brackets of a declaration.
fn find(text: &str, name: &str) -> Result<Range<usize>, String> {
    let head = format!("const {name}: Coefficients = [");
    let (mut found, mut start) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if let Some((inside, _)) = line.strip_prefix(&head).and_then(|rest| rest.split_once("];")) {
            found.push(start + head.len()..start + head.len() + inside.len());
        }
        start += line.len();
    }
    match &found[..] {
        [range] => Ok(range.clone()),
        [] => Err(format!("no line starts with '{head}'; expected src/eval/wdl.rs of the engine")),
        more => Err(format!("{} lines start with '{head}'; expected one", more.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::eval::wdl::FITTED;

    const SOURCE: &str = "//! const A: Coefficients = [9.0];\nconst A: Coefficients = [1.5, -2.0, 0.0, 4.25];\r\n\
                          /// B\nconst B: Coefficients = [5, 6, 7, 8]; // as measured\nfn a() {}\n";
    const MODEL: Model = Model { a: [0.5, -1.0, 2.125, -0.001], b: [100.0, 0.0, 0.0, 1e-3] };

    #[test]
    fn rewrite_changes_only_numbers() {
        assert_eq!(read(SOURCE), Ok(Model { a: [1.5, -2.0, 0.0, 4.25], b: [5.0, 6.0, 7.0, 8.0] }));
        let written = rewrite(SOURCE, &MODEL).unwrap();
        let expected = SOURCE
            .replace("1.5, -2.0, 0.0, 4.25", "0.5, -1.0, 2.125, -0.001")
            .replace("5, 6, 7, 8", "100.0, 0.0, 0.0, 0.001");
        assert_eq!(written, expected);
        assert_eq!(read(&written), Ok(MODEL));
        assert_eq!(rewrite(&written, &MODEL), Ok(written.clone()));
        assert_eq!(read(&declarations(&MODEL)), Ok(MODEL));
    }

    #[test]
    fn other_sources_are_errors() {
        let error = |text: &str| rewrite(text, &MODEL).unwrap_err();
        assert!(error("fn main() {}").starts_with("no line starts with 'const A: Coefficients = ['"));
        let twice = SOURCE.to_owned() + "const B: Coefficients = [1, 2, 3, 4];\n";
        assert!(error(&twice).starts_with("2 lines start with 'const B: "));
        for bad in ["5, 6, 7", "5, 6, 7, x", ""] {
            let error = error(&SOURCE.replace("5, 6, 7, 8", bad));
            assert!(error.starts_with(&format!("'[{bad}]' for B; expected four numbers")), "{error}");
        }
    }

    #[test]
    fn rounds_without_negative_zero() {
        let model = rounded(&Model { a: [1.23456, -0.0001, 7.0, -2.0005], b: [0.0; 4] });
        assert_eq!(declarations(&model).lines().next(), Some("const A: Coefficients = [1.235, 0.0, 7.0, -2.001];"));
        assert_eq!(rounded(&model), model);
    }

    /// The real file.
    #[test]
    fn reads_and_rewrites_the_source_of_the_engine() {
        let source = include_str!("../../../../src/eval/wdl.rs");
        assert_eq!(read(source), Ok(FITTED));
        assert_eq!(rewrite(source, &FITTED).as_deref(), Ok(source));
        let written = rewrite(source, &MODEL).unwrap();
        assert_eq!(read(&written), Ok(MODEL));
        let differs = |(before, after): &(&str, &str)| before != after;
        assert_eq!(source.lines().zip(written.lines()).filter(differs).count(), 2);
        // The formatter does not change such lines.
        assert!(declarations(&MODEL).lines().all(|line| line.len() <= 120));
    }
}
