//! Declarations of parameters in the source of the engine: `name: min..=max = default;`, with an optional `, off value` before the
//! semicolon.

use lento::search::params::Tunable;
use std::ops::{Range, RangeInclusive};

/// A line that declares a parameter.
struct Declaration<'a> {
    name: &'a str,
    range: RangeInclusive<i32>,
    default: i32,
    /// The place of the default in the line.
    place: Range<usize>,
}

/// The declaration of a parameter with this default.
pub fn declaration(tunable: &Tunable, default: i32) -> String {
    let Tunable { name, min, max, off, .. } = tunable;
    let off = off.map_or_else(String::new, |off| format!(", off {off}"));
    format!("    {name}: {min}..={max} = {default}{off};")
}

/// Replaces defaults in a source and keeps every other byte. Each parameter must be declared once, with a range that contains the value.
pub fn rewrite(text: &str, values: &[(&str, i32)]) -> Result<String, String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for &(name, value) in values {
        let declares = |line: &String| read(line).is_some_and(|declaration| declaration.name == name);
        let mut declaring = lines.iter_mut().filter(|line| declares(line));
        let line = declaring
            .next()
            .ok_or_else(|| format!("no line declares '{name}', expected one such as '{name}: 1..=8 = 3;'"))?;
        if declaring.next().is_some() {
            return Err(format!("more than one line declares '{name}'"));
        }
        let Some(Declaration { range, default, place, .. }) = read(line) else { continue };
        if !range.contains(&value) {
            return Err(format!("{value} for {name}, but the source allows {} to {}", range.start(), range.end()));
        }
        if default != value {
            line.replace_range(place, &value.to_string());
        }
    }
    Ok(lines.concat())
}

/// Parses a line; `None` if it declares no parameter.
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
    fn other_parameters_and_values_are_refused() {
        let error = |values| rewrite(SOURCE, values).unwrap_err();
        assert!(error(&[("null_base", 4)]).contains("'null_base'"));
        assert_eq!(error(&[("rfp_margin", 151)]), "151 for rfp_margin, but the source allows 30 to 150");
        let twice = format!("{SOURCE}    rfp_margin: 0..=1 = 1;\n");
        assert!(
            rewrite(&twice, &[("rfp_margin", 50)]).unwrap_err().contains("more than one line declares 'rfp_margin'")
        );
    }

    /// The real file, every parameter of it.
    #[test]
    fn the_source_of_the_engine_is_rewritten() {
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
