//! Axes around a canvas.

use super::TerminalColors;
use super::canvas::Canvas;
use super::heat::{self, Places};
use crate::axis::{Axis, Tick, apart};
use crate::cast;
use crate::figure::{Marks, Panel};
use crate::number::{columns, printable, shortened};

/// Characters of the label of a tick.
const LABEL: usize = 14;

/// The size of a canvas, its horizontal axis, and the labels of its rows.
pub(super) struct Area {
    pub(super) width: usize,
    pub(super) height: usize,
    x: Axis,
    /// Places of the rows and columns of a heat map.
    pub(super) places: Option<[Places; 2]>,
    /// The label of each row that has one.
    labels: Vec<Option<String>>,
    pub(super) left: usize,
}

impl Area {
    /// Places a canvas with at least `least` characters for labels.
    pub(super) fn of(
        panel: &Panel,
        [width, height]: [usize; 2],
        least: usize,
        colors: TerminalColors,
    ) -> Self {
        let (mut x, mut y) = (panel.x.clone(), panel.y.clone());
        let aspect = panel.aspect.filter(|aspect| aspect.is_finite() && *aspect > 0.0);
        let space = |left: usize| width.saturating_sub(left + 2).max(8);
        let left_of = |labels: &[Option<String>]| {
            labels.iter().flatten().map(|label| columns(label)).max().unwrap_or(0).max(least)
        };
        if let Marks::Heat(heat) = &panel.marks {
            let [down, across] = heat.extent();
            let rows = heat::rows(heat, height, colors);
            let height = rows.len.div_ceil(heat::halves(colors));
            lengthen(&mut y, rows.stretch(down));
            let labels = labels(&y, height);
            let left = left_of(&labels);
            let cols = heat::cols(heat, space(left), height, aspect);
            lengthen(&mut x, cols.stretch(across));
            let places = Some([rows, cols]);
            return Self { width: cols.len, height, x, places, labels, left };
        }
        let mut found = labels(&y, height);
        let mut canvas = [space(left_of(&found)), height];
        if let Some(aspect) = aspect {
            // A character is about twice as high as wide.
            let wide = cast::index(2.0 * aspect * cast::float(height)).max(8);
            let high = cast::index(cast::float(canvas[0]) / aspect / 2.0).max(2);
            canvas = [canvas[0].min(wide), height.min(high)];
            found = labels(&y, canvas[1]);
        }
        let left = left_of(&found);
        Self { width: canvas[0], height: canvas[1], x, places: None, labels: found, left }
    }
}

/// Returns the label of each row that has one.
fn labels(axis: &Axis, height: usize) -> Vec<Option<String>> {
    let mut labels = vec![None; height];
    let at = |tick: &Tick| (1.0 - axis.position(tick.at)) * cast::float(height) - 0.5;
    for tick in apart(&axis.ticks(height.div_ceil(3)), |tick| (at(tick), 1.0)) {
        let row = cast::index(at(&tick)).min(height.saturating_sub(1));
        if let Some(label @ None) = labels.get_mut(row) {
            *label = Some(shortened(&printable(&tick.label), LABEL));
        }
    }
    labels
}

/// Moves the end of an axis.
fn lengthen(axis: &mut Axis, times: f64) {
    let [from, to] = axis.range;
    if times.is_finite() && times > 0.0 {
        axis.range[1] = from + (to - from) * times;
    }
}

/// Appends a canvas with its axes.
pub(super) fn framed(
    panel: &Panel,
    area: &Area,
    canvas: &Canvas,
    colors: TerminalColors,
    out: &mut String,
) {
    let left = area.left;
    let line = |out: &mut String, text: &str| {
        out.push_str(text.trim_end());
        out.push('\n');
    };
    let whole = left + 2 + area.width;
    line(out, &shortened(&printable(&panel.y.label), whole.max(40)));
    for row in 0..area.height {
        let label = area.labels.get(row).and_then(Option::as_deref);
        let edge = if label.is_some() { '\u{2524}' } else { '\u{2502}' };
        let label = label.unwrap_or_default();
        let before = left.saturating_sub(columns(label));
        out.push_str(&format!("{:>before$}{label} {edge}", ""));
        canvas.row(row, colors, out);
        out.push('\n');
    }
    let mut edge = vec!['\u{2500}'; area.width];
    let mut labels = vec![' '; whole + LABEL];
    let at = |tick: &Tick| area.x.position(tick.at) * cast::float(area.width) - 0.5;
    let ticks = area.x.ticks(area.width / 8).into_iter();
    let ticks: Vec<Tick> = ticks
        .map(|tick| Tick { label: shortened(&printable(&tick.label), LABEL), ..tick })
        .collect();
    let place = |tick: &Tick| (at(tick), cast::float(columns(&tick.label)) + 1.5);
    for tick in apart(&ticks, place) {
        let at = cast::index(at(&tick)).min(area.width.saturating_sub(1));
        let length = columns(&tick.label);
        // A long label at the end is within the picture.
        let start = (left + 2 + at).saturating_sub(length / 2);
        let start = start.min((whole + 2).saturating_sub(length));
        let space = labels.get(start.saturating_sub(1)..start + length);
        if space.is_some_and(|space| space.iter().all(|c| *c == ' ')) {
            labels.splice(start..start + length, tick.label.chars());
            if let Some(edge) = edge.get_mut(at) {
                *edge = '\u{252c}';
            }
        }
    }
    line(out, &format!("{:>left$} \u{2514}{}", "", edge.into_iter().collect::<String>()));
    line(out, &labels.into_iter().collect::<String>());
    let label = shortened(&printable(&panel.x.label), area.width.max(40));
    let indent = left + 2 + area.width.saturating_sub(columns(&label)) / 2;
    line(out, &format!("{:>indent$}{label}", ""));
}
