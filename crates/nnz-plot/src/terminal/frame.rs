//! Axes around a canvas.

use super::TerminalColors;
use super::canvas::Canvas;
use crate::axis::{Tick, apart};
use crate::cast;
use crate::figure::Panel;
use crate::number::{columns, printable, shortened};

/// Characters of the label of a tick.
const LABEL: usize = 14;

/// The size of a canvas, and the labels of its rows.
pub(super) struct Area {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The label of each row that has one.
    labels: Vec<Option<String>>,
    pub(super) left: usize,
}

impl Area {
    /// Places a canvas with at least `least` characters for labels.
    pub(super) fn of(panel: &Panel, [width, height]: [usize; 2], least: usize) -> Self {
        let labels = |height: usize| {
            let mut labels = vec![None; height];
            let at = |tick: &Tick| (1.0 - panel.y.position(tick.at)) * cast::float(height) - 0.5;
            for tick in apart(panel.y.ticks(height.div_ceil(3)), |tick| (at(tick), 1.0)) {
                let row = cast::index(at(&tick)).min(height.saturating_sub(1));
                if let Some(label @ None) = labels.get_mut(row) {
                    *label = Some(shortened(&printable(&tick.label), LABEL));
                }
            }
            labels
        };
        let left_of = |labels: &[Option<String>]| {
            labels.iter().flatten().map(|label| columns(label)).max().unwrap_or(0).max(least)
        };
        let mut found = labels(height);
        let left = left_of(&found);
        let mut canvas = [width.saturating_sub(left + 2).max(8), height];
        if let Some(aspect) = panel.aspect.filter(|aspect| aspect.is_finite() && *aspect > 0.0) {
            // A character is about twice as high as wide.
            let wide = cast::index(2.0 * aspect * cast::float(height)).max(8);
            let high = cast::index(cast::float(canvas[0]) / aspect / 2.0).max(2);
            canvas = [canvas[0].min(wide), height.min(high)];
            found = labels(canvas[1]);
        }
        Self { width: canvas[0], height: canvas[1], left: left_of(&found), labels: found }
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
    let at = |tick: &Tick| panel.x.position(tick.at) * cast::float(area.width) - 0.5;
    let ticks = panel.x.ticks(area.width / 8).into_iter();
    let ticks = ticks.map(|tick| Tick { label: shortened(&printable(&tick.label), LABEL), ..tick });
    let place = |tick: &Tick| (at(tick), cast::float(columns(&tick.label)) + 1.5);
    for tick in apart(ticks.collect(), place) {
        let at = cast::index(at(&tick)).min(area.width.saturating_sub(1));
        let length = columns(&tick.label);
        let start = (left + 2 + at).saturating_sub(length / 2);
        if start + length <= whole + 2 {
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
