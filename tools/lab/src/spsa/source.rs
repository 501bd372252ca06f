//! The declarations of the parameters as the source of the engine holds them: `name: min..=max = default;`, where
//! `, off value` may stand before the semicolon.

use lento::search::params::Tunable;
use std::ops::{Range, RangeInclusive};
use thiserror::Error;

/// Why new defaults cannot be written into a source.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeclarationError {
    /// The parameter is not declared there.
    #[error("no line declares '{0}', expected one such as '{0}: 1..=8 = 3;'")]
    Missing(String),
    /// The parameter is declared more than once.
    #[error("more than one line declares '{0}'")]
    Twice(String),
    /// The source allows other values.
    #[error("{value} for {name}, but the source allows {min} to {max}")]
    Range {
        /// The parameter.
        name: String,
        /// The value to write.
        value: i32,
        /// The smallest value that the source allows.
        min: i32,
        /// The largest value that the source allows.
        max: i32,
    },
}

/// A line that declares a parameter.
struct Declaration<'a> {
    name: &'a str,
    range: RangeInclusive<i32>,
    default: i32,
    /// Where the default stands in the line.
    place: Range<usize>,
}

/// The line that declares a parameter with this default.
pub fn declaration(tunable: &Tunable, default: i32) -> String {
    let Tunable { name, min, max, off, .. } = tunable;
    let off = off.map_or_else(String::new, |off| format!(", off {off}"));
    format!("    {name}: {min}..={max} = {default}{off};")
}

/// Puts new defaults into a source. Every other byte stays.
///
/// # Errors
/// A parameter is not declared exactly once, or its declaration does not allow the value.
pub fn rewrite(text: &str, values: &[(&str, i32)]) -> Result<String, DeclarationError> {
    let mut changes = Vec::new();
    for &(name, value) in values {
        let mut start = 0;
        let mut found = None;
        for line in text.split_inclusive('\n') {
            if let Some(declaration) = read(line).filter(|declaration| declaration.name == name) {
                if found.is_some() {
                    return Err(DeclarationError::Twice(name.to_owned()));
                }
                let place = start + declaration.place.start..start + declaration.place.end;
                found = Some((declaration, place));
            }
            start += line.len();
        }
        let (declaration, place) = found.ok_or_else(|| DeclarationError::Missing(name.to_owned()))?;
        if !declaration.range.contains(&value) {
            let (min, max) = (*declaration.range.start(), *declaration.range.end());
            return Err(DeclarationError::Range { name: name.to_owned(), value, min, max });
        }
        if declaration.default != value {
            changes.push((place, value));
        }
    }
    changes.sort_by_key(|(place, _)| place.start);
    let (mut written, mut end) = (String::with_capacity(text.len()), 0);
    for (place, value) in changes {
        written.push_str(&text[end..place.start]);
        written.push_str(&value.to_string());
        end = place.end;
    }
    written.push_str(&text[end..]);
    Ok(written)
}

/// Reads a line if it declares a parameter.
fn read(line: &str) -> Option<Declaration<'_>> {
    let (head, _) = line.split_once(';')?;
    let (name, rest) = head.split_once(':')?;
    let (range, tail) = rest.rsplit_once(" = ")?;
    let default = tail.split(',').next()?;
    let (min, max) = range.split_once("..=")?;
    let number = |text: &str| text.trim().replace('_', "").parse::<i32>().ok();
    let start = head.len() - tail.trim_start().len();
    Some(Declaration {
        name: name.trim(),
        range: number(min)?..=number(max)?,
        default: number(default)?,
        place: start..start + default.trim().len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::search::params::TUNABLES;

    const SOURCE: &str = "tunables! {\n    /// About rfp_margin: 30..=150 = 76, roughly.\n    rfp_margin: 30..=150 = 76;\n\
                          \r\n    order_killer: 0..=60_000 = 16_000; // rfp_margin\n\tlmr_pv : -3072..=1024 =  -1024 ;\n    rfp_depth: 4..=12 = 9, off 0;\n}\n";

    #[test]
    fn only_the_numbers_change() {
        let written =
            rewrite(SOURCE, &[("lmr_pv", 7), ("rfp_margin", 101), ("rfp_depth", 10), ("order_killer", 16_001)])
                .unwrap();
        let expected = SOURCE
            .replace("= 76;", "= 101;")
            .replace("= 16_000;", "= 16001;")
            .replace("=  -1024 ;", "=  7 ;")
            .replace("= 9, off 0;", "= 10, off 0;");
        assert_eq!(written, expected);
        assert_eq!(rewrite(SOURCE, &[("order_killer", 16_000), ("lmr_pv", -1024)]).unwrap(), SOURCE);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = |values| rewrite(SOURCE, values).unwrap_err().to_string();
        assert!(error(&[("null_base", 4)]).contains("'null_base'"));
        assert_eq!(error(&[("rfp_margin", 151)]), "151 for rfp_margin, but the source allows 30 to 150");
        let twice = format!("{SOURCE}    rfp_margin: 0..=1 = 1;\n");
        assert_eq!(rewrite(&twice, &[("rfp_margin", 50)]), Err(DeclarationError::Twice("rfp_margin".to_owned())));
    }

    /// The real file, every parameter of it.
    #[test]
    fn the_engine_s_source_is_understood() {
        let source = include_str!("../../../../src/search/params.rs");
        let same: Vec<_> = TUNABLES.iter().map(|tunable| (tunable.name, tunable.default)).collect();
        assert_eq!(rewrite(source, &same).as_deref(), Ok(source));
        let ends: Vec<_> = TUNABLES.iter().map(|tunable| (tunable.name, tunable.max)).collect();
        let written = rewrite(source, &ends).unwrap();
        assert_eq!(written.lines().count(), source.lines().count());
        for tunable in TUNABLES {
            let line = declaration(tunable, tunable.max);
            assert!(written.lines().any(|written| written == line), "{line}");
        }
        let changed = source.lines().zip(written.lines()).filter(|(before, after)| before != after).count();
        let expected = TUNABLES.iter().filter(|tunable| tunable.default != tunable.max).count();
        assert_eq!(changed, expected);
    }
}
