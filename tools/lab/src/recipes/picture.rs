//! Pictures of recipes, searches and games.

use super::session::Session;
use crate::rows::{HEADING, NAMES, NORMAL, PLOT, ROW, SMALL, elo, middle, render};
use lento::internals::lmr::{Facts, Lmr, PLY};
use lento::named::Named;
use lento::search::lmr::{Rebel, RecipeName};
use lento::search::params::Params;
use lento_common::chart::label;
use plotters::prelude::{BLUE, Color, RGBColor, Rectangle, WHITE};
use plotters::style::text_anchor::HPos;
use std::error::Error;

pub struct Picture {
    pub file: String,
    pub title: String,
    pub svg: String,
}

/// Depths in plies and move numbers of a surface, from 1.
const DEPTHS: i32 = 32;
const NUMBERS: i32 = 64;
const CELL: i32 = 10;
/// Reduction of the darkest cells in plies.
const DARKEST: i32 = 10;
/// Plies between two shades; finer ones are hardly visible and need larger files.
const SHADE: f64 = 0.25;

/// All pictures of a run: nodes, Elo against each opponent and the table of each recipe.
pub fn all(session: &Session) -> Result<Vec<Picture>, Box<dyn Error>> {
    let mut pictures = Vec::new();
    let mut add = |file: String, title: String, svg| pictures.push(Picture { file, title, svg });
    if session.rows().any(|row| row.nodes() > 0) {
        let title = format!("Nodes, {}", session.args.budget());
        let svg = nodes(session, &title)?;
        add("nodes.svg".into(), title, svg);
    }
    for (opponent, against) in session.against.iter().enumerate() {
        let played = session.rows().filter(|row| row.games[opponent].pairs() > 0);
        let points: Vec<_> = played.map(|row| (row.variant.name.as_str(), row.games[opponent].elo())).collect();
        if !points.is_empty() {
            let title = format!("Elo against {}, with the error of 95 % confidence", against.name);
            let svg = elo(&points, &title)?;
            add(format!("elo-{}.svg", against.name), title, svg);
        }
    }
    let mut recipes: Vec<RecipeName> = session.rows().map(|row| row.variant.recipe).collect();
    recipes.dedup();
    for recipe in recipes {
        let name = recipe.name();
        let title = format!("Reductions by {name}: quiet moves, before all corrections");
        let svg = surface(recipe, &title)?;
        add(format!("surface-{name}.svg"), title, svg);
    }
    Ok(pictures)
}

/// The reduction of a quiet move in plies, before corrections.
fn plies(lmr: &Lmr, depth: i32, number: i32) -> f64 {
    let number = number as usize;
    if !lmr.applies(Facts::NONE, depth, number) {
        return 0.0;
    }
    f64::from(lmr.reduction(lmr.base(true, depth, number), false)) / f64::from(PLY)
}

/// The color of a reduction: white for none, darker with each ply.
fn color(plies: f64) -> RGBColor {
    const STOPS: [[f64; 3]; 3] = [[255.0, 250.0, 205.0], [65.0, 160.0, 190.0], [8.0, 25.0, 90.0]];
    if plies <= 0.0 {
        return WHITE;
    }
    let position = (plies / f64::from(DARKEST)).min(1.0) * 2.0;
    let (from, share) = if position < 1.0 { (0, position) } else { (1, position - 1.0) };
    let mixed = [0, 1, 2].map(|part| STOPS[from][part] * (1.0 - share) + STOPS[from + 1][part] * share);
    let [red, green, blue] = mixed.map(|part| part.round() as u8);
    RGBColor(red, green, blue)
}

/// The table of a recipe: a cell per depth and move number, and a scale.
fn surface(recipe: RecipeName, title: &str) -> Result<String, Box<dyn Error>> {
    let lmr = Lmr::compile(recipe.recipe(&Params::default(), &Rebel::default()));
    let (left, bottom) = (56, HEADING + DEPTHS * CELL);
    let right = left + NUMBERS * CELL;
    render((right + 150, bottom + 50), title, |canvas| {
        let cells = |x: i32, y: i32, count: i32, plies| {
            let ends = [(x, y), (x + count * CELL, y + CELL)];
            canvas.draw(&Rectangle::new(ends, color(plies).filled()))
        };
        for depth in 1..=DEPTHS {
            // Draws runs of equal cells as one, for a small file.
            let shade = |number| (plies(&lmr, depth, number) / SHADE).round() * SHADE;
            let row: Vec<f64> = (1..=NUMBERS).map(shade).collect();
            let mut x = left;
            for run in row.chunk_by(|a, b| a == b) {
                let count = run.len() as i32;
                cells(x, bottom - depth * CELL, count, run[0])?;
                x += count * CELL;
            }
        }
        for mark in (1..=NUMBERS).filter(|mark| *mark == 1 || mark % 8 == 0) {
            let middle = mark * CELL - CELL / 2;
            label(canvas, &mark.to_string(), (left + middle, bottom + 12), HPos::Center, SMALL)?;
            if mark <= DEPTHS {
                label(canvas, &mark.to_string(), (left - 6, bottom - middle), HPos::Right, SMALL)?;
            }
        }
        let counted = if lmr.recipe.counts_quiets { "number of the quiet move" } else { "number of the move" };
        label(canvas, counted, ((left + right) / 2, bottom + 32), HPos::Center, NORMAL)?;
        label(canvas, "depth", (left - 6, HEADING - 10), HPos::Right, NORMAL)?;
        for step in 0..=DARKEST {
            let y = HEADING + (DARKEST - step) * (CELL + 6);
            cells(right + 20, y, 1, f64::from(step))?;
            let text = if step == DARKEST { format!("{step} plies or more") } else { step.to_string() };
            label(canvas, &text, (right + 36, y + CELL / 2), HPos::Left, SMALL)?;
        }
        Ok(())
    })
}

/// A bar per variant for its nodes.
fn nodes(session: &Session, title: &str) -> Result<String, Box<dyn Error>> {
    let max = session.rows().map(|row| row.nodes()).max().unwrap_or(0).max(1);
    render((NAMES + PLOT + 170, middle(session.rows().count()) + 6), title, |canvas| {
        for (index, row) in session.rows().enumerate() {
            let nodes = row.nodes();
            let (y, length) = (middle(index), (nodes as f64 / max as f64 * f64::from(PLOT)).round() as i32);
            label(canvas, &row.variant.name, (NAMES - 8, y), HPos::Right, NORMAL)?;
            let ends = [(NAMES, y - ROW / 2 + 4), (NAMES + length.max(1), y + ROW / 2 - 4)];
            canvas.draw(&Rectangle::new(ends, BLUE.mix(0.6).filled()))?;
            let ratio = row.nodes_ratio(session.first()).filter(|_| session.args.fixed_depth());
            let ratio = ratio.map_or_else(String::new, |ratio| format!(" (× {ratio:.2})"));
            label(canvas, &format!("{nodes}{ratio}"), (NAMES + length + 6, y), HPos::Left, SMALL)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::chart;

    fn count(svg: &str, tag: &str) -> usize {
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        svg.matches(tag).count()
    }

    #[test]
    fn surface_has_a_cell_per_depth_and_number() {
        for &(name, recipe) in RecipeName::ALL {
            let svg = surface(recipe, "Reductions").unwrap();
            assert!(count(&svg, "<rect") >= 1 + DEPTHS as usize + 11, "{name}");
            let number = |rect: &str, name: &str| {
                let from = rect.split_once(&format!("{name}=\"")).unwrap().1;
                from.split_once('"').unwrap().0.parse::<i32>().unwrap()
            };
            let areas = svg.split("<rect").skip(1).map(|rect| number(rect, " width") * number(rect, " height"));
            // The first is the background; the scale also consists of cells.
            assert_eq!(areas.skip(1).sum::<i32>(), (32 * 64 + 11) * CELL * CELL, "{name}");
            assert!(svg.len() < chart::MAX_BYTES, "{name}: {} bytes", svg.len());
        }
    }

    #[test]
    fn cells_match_the_recipe() {
        let compiled = |name: RecipeName| Lmr::compile(name.recipe(&Params::default(), &Rebel::default()));
        let (tuned, off) = (compiled(RecipeName::Tuned), compiled(RecipeName::Off));
        assert_eq!((plies(&tuned, 1, 20), plies(&tuned, 20, 1), plies(&off, 30, 60)), (0.0, 0.0, 0.0));
        let params = Params::default();
        let product = 10f64.ln() * 20f64.ln();
        let expected = (f64::from(params.lmr_quiet_base)
            + product * 1024.0 * 1024.0 / f64::from(params.lmr_quiet_divisor))
            / 1024.0;
        assert!((plies(&tuned, 10, 20) - expected).abs() < 0.01, "{expected}");
        let shades = [0.0, 0.5, 3.0, 5.0, 9.0, 20.0].map(color);
        let light = shades.map(|RGBColor(red, green, blue)| u32::from(red) + u32::from(green) + u32::from(blue));
        assert!(light.is_sorted_by(|lighter, darker| lighter > darker), "{light:?}");
    }
}
