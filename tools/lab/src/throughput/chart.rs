//! An SVG chart comparing files.

use super::file::{FIGURES, File};
use lento_common::chart::{self, label};
use lento_console::units;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use std::error::Error;

/// Sizes in pixels: row height, left and right end of the longest bar, width, font size.
const ROW: i32 = 20;
const LEFT: i32 = 34;
const RIGHT: i32 = 640;
const WIDTH: u32 = 900;
const LETTERS: i32 = 13;

/// Draws the titles of the files and, for each figure, a bar with its interval per file.
pub fn svg(files: &[File]) -> Result<String, Box<dyn Error>> {
    let lines = (files.len() + 2) * FIGURES.len() + files.len() + 1;
    chart::svg((WIDTH, lines as u32 * ROW as u32), |paper| {
        let mut y = ROW;
        let write = |text: &str, y: i32| label(paper, text, (LEFT - 20, y), HPos::Left, LETTERS);
        for file in files {
            write(&file.title(), y)?;
            y += ROW;
        }
        for (name, head) in FIGURES {
            y += ROW;
            write(&format!("{head}, nodes per second"), y)?;
            let ends = files.iter().map(|file| file.figure(name)).map(|figure| figure.high.unwrap_or(figure.median));
            let scale = f64::from(RIGHT - LEFT) / ends.fold(1e-9, f64::max);
            let x = |nps: f64| LEFT + (nps * scale).round() as i32;
            y += ROW;
            for file in files {
                let figure = file.figure(name);
                write(&file.letter.to_string(), y)?;
                let ends = [(LEFT, y - ROW / 2 + 3), (x(figure.median), y + ROW / 2 - 3)];
                paper.draw(&Rectangle::new(ends, BLUE.mix(0.6).filled()))?;
                if let (Some(low), Some(high)) = (figure.low, figure.high) {
                    paper.draw(&PathElement::new([(x(low), y), (x(high), y)], BLACK.stroke_width(2)))?;
                }
                let ratio = file.ratio(&files[0], name);
                let ratio = ratio.map_or_else(String::new, |ratio| format!(" (× {:.3})", ratio.median));
                let text = units::grouped(figure.median.round() as u64) + &ratio;
                label(paper, &text, (x(figure.high.unwrap_or(figure.median)) + 8, y), HPos::Left, LETTERS)?;
                y += ROW;
            }
        }
        Ok(())
    })
}
