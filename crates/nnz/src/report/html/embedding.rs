//! The picture of an embedding: points in the colours of their groups, and a legend.

use std::fmt::Write as _;

use nnz_plot::format_grouped;

use super::element::{escape, name};
use super::sections::section;
use crate::report::{Embedding, EmbeddingGroup, Report};

/// Width and height in units of the picture, which are whole numbers. Points at the edges are within the margin.
const SIZE: [f64; 2] = [1000.0, 700.0];
const MARGIN: f64 = 10.0;

/// Colours in the style of the page. From then on they are repeated with squares instead of dots.
const COLORS: usize = 15;

/// The picture of the cells.
pub(super) fn embedding(report: &Report, of: &str) -> String {
    let Some(found) = &report.embedding else { return String::new() };
    let [width, height] = SIZE.map(|side| side + 2.0 * MARGIN);
    let caption = caption(found);
    let id = format!("{of}embedding-title");
    let size = match found.drawn {
        0..=500 => 9,
        501..=5000 => 6,
        _ => 4,
    };
    let mut body = format!(
        "<figure class=\"embedding\"><svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}\" \
         stroke-width=\"{size}\"><title id=\"{id}\">{}</title>\n",
        escape(&caption)
    );
    let mut legend = String::new();
    for (number, group) in found.groups.iter().enumerate() {
        let class = class(number, group, found);
        let label = match (&group.name, &found.column) {
            (Some(found), _) => found.as_str(),
            (None, Some(_)) => "no category",
            (None, None) => "",
        };
        let count = format_grouped(group.cells);
        let title = if label.is_empty() { String::new() } else { format!("{label}: {count}") };
        // A title that is longer than the screen is of no use.
        let title: String = title.chars().take(100).collect();
        let title = match title.is_empty() {
            true => title,
            false => format!("<title>{}</title>", escape(&title)),
        };
        let _ = writeln!(body, "<path class=\"{class}\" d=\"{}\">{title}</path>", dots(group));
        if !label.is_empty() {
            let label = name(label);
            let _ =
                writeln!(legend, "<li><span class=\"mark {class}\"></span>{label} ({count})</li>");
        }
    }
    body.push_str("</svg>\n");
    if !legend.is_empty() {
        let _ = writeln!(body, "<ul class=\"legend\">\n{legend}</ul>");
    }
    let _ = writeln!(body, "<figcaption>{}</figcaption></figure>", escape(&caption));
    section(of, "embedding", "Embedding", &body)
}

/// Describes the picture in words.
fn caption(found: &Embedding) -> String {
    let [cells, drawn] = [found.cells, found.drawn + found.without_position].map(format_grouped);
    let shortened: String = found.name.chars().take(100).collect();
    let mut text = match cells == drawn {
        true => format!("{shortened} of all {cells} cells"),
        false => format!("{shortened} of {drawn} of {cells} cells"),
    };
    match &found.column {
        Some(column) => {
            let column: String = column.chars().take(100).collect();
            text += &format!(", coloured by {column}.");
        }
        None => text += ". No column of the cells has between 2 and 30 categories.",
    }
    if found.without_position > 0 {
        let count = format_grouped(found.without_position);
        text += &format!(" Without a position: {count}.");
    }
    text
}

/// Returns the class of a group in the style of the page.
fn class(number: usize, group: &EmbeddingGroup, found: &Embedding) -> String {
    match group.name.is_none() && found.column.is_some() {
        true => "none".to_owned(),
        false => {
            let square = if number >= COLORS { " square" } else { "" };
            format!("c{}{square}", number % COLORS)
        }
    }
}

/// Returns the points as lines without a length, whose ends are drawn. Points that look the same are drawn once.
fn dots(group: &EmbeddingGroup) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "positions from 0 to 1")]
    let pixel = |point: &[f64; 2]| {
        let [width, height] = SIZE;
        let [x, y] = [point[0] * width, (1.0 - point[1]) * height];
        [x, y].map(|at| (at + MARGIN).round() as i32)
    };
    let mut points: Vec<[i32; 2]> = group.points.iter().map(pixel).collect();
    points.sort_unstable();
    points.dedup();
    let mut path = String::new();
    let mut pen = [0, 0];
    for [x, y] in points {
        // Distances from one to the next are shorter than positions.
        let [right, down] = [x - pen[0], y - pen[1]];
        let space = if down < 0 { "" } else { " " };
        let _ = write!(path, "m{right}{space}{down}h0");
        pen = [x, y];
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_drawn_once_from_one_to_the_next() {
        let points = vec![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.00001, 1.0]];
        let group = EmbeddingGroup { name: None, cells: 4, points };
        assert_eq!(dots(&group), "m10 10h0m0 700h0m1000 0h0");
    }
}
