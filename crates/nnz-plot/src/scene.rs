//! A figure as shapes in pixels, which SVG and PNG draw alike.

use crate::axis::{Axis, Tick, apart};
use crate::cast;
use crate::colors::{Ink, LEVELS, SERIES};
use crate::figure::{Bar, Figure, Heat, Line, Marks};
use crate::layout::{Frame, LINE, MARGIN, PanelLayout, SAMPLE, Texts, place};
use crate::number::{columns, format_number, printable, shortened, wrapped};

/// A shape. Titles describe it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Rectangle {
        frame: Frame,
        ink: Ink,
        title: String,
    },
    /// Cells of a grid that have the same colour: row, first column, number of columns. The last row and column of the
    /// grid may be smaller.
    Cells {
        frame: Frame,
        grid: [f64; 2],
        runs: Vec<[usize; 3]>,
        ink: Ink,
        title: String,
    },
    Polyline {
        points: Vec<[f64; 2]>,
        width: f64,
        ink: Ink,
        title: String,
    },
    Text {
        at: [f64; 2],
        text: String,
        ink: Ink,
        anchor: Anchor,
        style: Style,
    },
}

/// The part of a text that is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Style of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Normal,
    /// The title of the figure.
    Title,
    /// The title of a panel.
    Strong,
    /// From bottom to top.
    Turned,
}

/// Draws a figure. `letter` is the width of a character.
pub(crate) fn scene(figure: &Figure, size: [f64; 2], letter: f64) -> Vec<Shape> {
    let mut scene = Scene { shapes: Vec::new(), letter };
    let [width, height] = size;
    let page = Frame { x: 0.0, y: 0.0, w: width, h: height };
    scene.rectangle(page, Ink::Page, String::new());
    let texts = Texts::of(figure, width, letter);
    let mut y = 12.0;
    if !texts.title.is_empty() {
        y += 17.0;
        scene.text([MARGIN, y], texts.title.clone(), Ink::Text, Anchor::Start, Style::Title);
        y += 5.0;
    }
    for line in &texts.subtitle {
        y += LINE;
        scene.muted([MARGIN, y - 1.0], line.clone(), Anchor::Start);
    }
    for placed in place(figure, size, letter) {
        scene.panel(&placed);
    }
    let first = height - 12.0 - LINE * cast::float(texts.notes.len().saturating_sub(1));
    for (number, note) in texts.notes.into_iter().enumerate() {
        scene.muted([MARGIN, first + LINE * cast::float(number)], note, Anchor::Start);
    }
    scene.shapes
}

struct Scene {
    shapes: Vec<Shape>,
    letter: f64,
}

impl Scene {
    fn text(&mut self, at: [f64; 2], text: String, ink: Ink, anchor: Anchor, style: Style) {
        self.shapes.push(Shape::Text { at, text: printable(&text), ink, anchor, style });
    }

    fn muted(&mut self, at: [f64; 2], text: String, anchor: Anchor) {
        self.text(at, text, Ink::Muted, anchor, Style::Normal);
    }

    fn rectangle(&mut self, frame: Frame, ink: Ink, title: String) {
        self.shapes.push(Shape::Rectangle { frame, ink, title });
    }

    fn line(&mut self, from: [f64; 2], to: [f64; 2]) {
        let (points, title) = (vec![from, to], String::new());
        self.shapes.push(Shape::Polyline { points, width: 1.0, ink: Ink::Grid, title });
    }

    fn panel(&mut self, placed: &PanelLayout<'_>) {
        let (frame, panel) = (placed.frame, placed.panel);
        if !panel.title.is_empty() {
            let fits = cast::floor((placed.outer.w - 2.0 * MARGIN) / self.letter);
            let title = shortened(&panel.title, fits);
            self.text([frame.x, frame.y - 10.0], title, Ink::Text, Anchor::Start, Style::Strong);
        }
        self.rectangle(frame, Ink::Panel, String::new());
        if let Marks::Nothing(why) = &panel.marks {
            let middle = [frame.x + frame.w / 2.0, frame.y + frame.h / 2.0];
            self.muted(middle, why.clone(), Anchor::Middle);
        }
        self.axes(placed);
        match &panel.marks {
            Marks::Heat(heat) => self.heat(heat, placed),
            Marks::Bars(bars) => bars.iter().for_each(|bar| self.bar(bar, placed)),
            Marks::Lines(lines) => self.lines(lines, placed),
            Marks::Nothing(_) => {}
        }
    }

    fn axes(&mut self, placed: &PanelLayout<'_>) {
        let (frame, panel) = (placed.frame, placed.panel);
        let is_grid = matches!(panel.marks, Marks::Bars(_) | Marks::Lines(_));
        for tick in &placed.y_ticks {
            let y = frame.bottom() - panel.y.position(tick.at) * frame.h;
            let from = if is_grid { frame.right() } else { frame.x };
            self.line([from, y], [frame.x - 4.0, y]);
            self.muted([frame.x - 7.0, y + 4.0], tick.label.clone(), Anchor::End);
        }
        for tick in &placed.x_ticks {
            let x = frame.x + panel.x.position(tick.at) * frame.w;
            // Such as zero between negative and positive numbers.
            let is_marked = tick.important && x > frame.x + 1.0 && x < frame.right() - 1.0;
            let is_line = is_marked || matches!(panel.marks, Marks::Lines(_));
            let from = if is_line { frame.y } else { frame.bottom() };
            self.line([x, from], [x, frame.bottom() + 4.0]);
            // A long label at an end is within the picture.
            let half = cast::float(columns(&tick.label)) * self.letter / 2.0 + 2.0;
            let x = x.min(placed.outer.right() - half).max(placed.outer.x + half);
            self.muted([x, frame.bottom() + 17.0], tick.label.clone(), Anchor::Middle);
        }
        let middle = [frame.x + frame.w / 2.0, frame.y + frame.h / 2.0];
        let fits = |space: f64| cast::floor(space / self.letter);
        let [x, y] = [
            shortened(&panel.x.label, fits(placed.outer.w - 2.0 * MARGIN)),
            shortened(&panel.y.label, fits(frame.h.max(90.0))),
        ];
        self.text([middle[0], frame.bottom() + 35.0], x, Ink::Text, Anchor::Middle, Style::Normal);
        let left = placed.outer.x + MARGIN + 8.0;
        self.text([left, middle[1]], y, Ink::Text, Anchor::Middle, Style::Turned);
    }

    fn heat(&mut self, heat: &Heat, placed: &PanelLayout<'_>) {
        let scale = heat.scale();
        let mut steps = vec![(Vec::<[usize; 3]>::new(), [f64::INFINITY, 0.0]); LEVELS];
        for row in 0..heat.rows {
            for col in 0..heat.cols {
                let count = heat.get(row, col);
                let step = scale.step(count, LEVELS);
                let Some((runs, range)) = step.and_then(|step| steps.get_mut(step)) else {
                    continue;
                };
                *range = [range[0].min(count), range[1].max(count)];
                match runs.last_mut() {
                    Some([above, first, len]) if *above == row && *first + *len == col => *len += 1,
                    _ => runs.push([row, col, 1]),
                }
            }
        }
        for (step, (runs, range)) in steps.into_iter().enumerate() {
            if !runs.is_empty() {
                let title = format!("{}: {}", heat.label, range_text(range));
                let (frame, grid, ink) = (placed.frame, heat.extent(), Ink::Level(step));
                self.shapes.push(Shape::Cells { frame, grid, runs, ink, title });
            }
        }
        self.colors(heat, placed.frame);
    }

    /// Draws the scale of colours at the right of a panel.
    fn colors(&mut self, heat: &Heat, frame: Frame) {
        let scale = heat.scale();
        let (x, mut y) = (frame.right() + 12.0, frame.y + 10.0);
        for line in wrapped(&heat.label, cast::floor(96.0 / self.letter)) {
            self.muted([x, y], line, Anchor::Start);
            y += LINE;
        }
        let label = x + SAMPLE + 6.0;
        y -= 4.0;
        if scale.is_single() {
            let step = scale.step(1.0, LEVELS).unwrap_or(0);
            let sample = Frame { x, y, w: SAMPLE, h: SAMPLE };
            self.rectangle(sample, Ink::Level(step), String::new());
            self.muted([label, y + 10.0], "1".to_owned(), Anchor::Start);
            return;
        }
        let bar = Frame { x, y, w: SAMPLE, h: (frame.bottom() - y).clamp(48.0, 160.0) };
        for step in 0..LEVELS {
            // Each colour is drawn over the one before, so that there are no gaps.
            let below = bar.h * cast::float(step) / cast::float(LEVELS);
            let part = Frame { h: bar.h - below, ..bar };
            self.rectangle(part, Ink::Level(step), String::new());
        }
        for tick in color_ticks(scale.most, bar.h) {
            let y = bar.bottom() - scale.part(tick.at).unwrap_or(0.0) * bar.h;
            self.line([bar.right(), y], [bar.right() + 3.0, y]);
            self.muted([label, y + 4.0], tick.label, Anchor::Start);
        }
    }

    fn bar(&mut self, bar: &Bar, placed: &PanelLayout<'_>) {
        let (frame, panel) = (placed.frame, placed.panel);
        let [left, right] = bar.range.map(|end| frame.x + panel.x.position(end) * frame.w);
        let h = panel.y.position(bar.value) * frame.h;
        // Bars are apart if there is space for that.
        let gap = if right - left > 4.0 { 1.0 } else { 0.0 };
        let frame = Frame { x: left, y: frame.bottom() - h, w: (right - left - gap).max(0.5), h };
        self.rectangle(frame, Ink::Series(0), bar.title.clone());
    }

    fn lines(&mut self, lines: &[Line], placed: &PanelLayout<'_>) {
        let (frame, panel) = (placed.frame, placed.panel);
        let mut below = frame.y + 10.0;
        for (number, line) in lines.iter().enumerate() {
            let point = |[x, y]: [f64; 2]| {
                let x = frame.x + panel.x.position(x) * frame.w;
                [x, frame.bottom() - panel.y.position(y) * frame.h]
            };
            let mut points: Vec<[f64; 2]> = line.points.iter().copied().map(point).collect();
            if let [only] = points[..] {
                // A mark that is seen.
                let [x, y] = only;
                let mark = Frame { x: x - 3.0, y: y - 3.0, w: 6.0, h: 6.0 };
                self.rectangle(mark, Ink::Series(number % SERIES), line.title.clone());
                points.push([x + 2.0, y]);
            }
            let ink = Ink::Series(number % SERIES);
            let title = line.title.clone();
            self.shapes.push(Shape::Polyline { points, width: 2.0, ink, title });
            if lines.len() > 1 {
                let x = frame.right() + 12.0;
                let sample = Frame { x, y: below - 6.0, w: SAMPLE, h: 3.0 };
                self.rectangle(sample, ink, String::new());
                for text in wrapped(&line.name, cast::floor(80.0 / self.letter)) {
                    self.muted([x + SAMPLE + 6.0, below], text, Anchor::Start);
                    below += LINE;
                }
            }
        }
    }
}

/// Returns the ticks of a scale of colours: round numbers, 1, and the greatest count.
fn color_ticks(most: f64, length: f64) -> Vec<Tick> {
    let axis = Axis::log("", [1.0, most]);
    let mut ticks = axis.ticks(cast::floor(length / 28.0));
    ticks.retain(|tick| tick.at > 1.0 && tick.at < most);
    let end = |at: f64| Tick { important: true, ..Tick::new(at, format_number(at)) };
    ticks.insert(0, end(1.0));
    ticks.push(end(most));
    apart(&ticks, |tick| (axis.position(tick.at) * length, 14.0))
}

/// Describes the counts between two.
pub(crate) fn range_text([least, most]: [f64; 2]) -> String {
    match [least, most].map(format_number) {
        [least, most] if least == most => least,
        [least, most] => format!("{least}\u{2013}{most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_scale_of_colours_are_labelled() {
        let labels = |most: f64, length: f64| {
            let ticks = color_ticks(most, length).into_iter();
            ticks.map(|tick| tick.label).collect::<Vec<String>>()
        };
        assert_eq!(labels(2.0, 160.0), ["1", "2"]);
        assert_eq!(labels(5000.0, 160.0), ["1", "10", "100", "1,000", "5,000"]);
        assert_eq!(labels(5000.0, 48.0), ["1", "100", "5,000"]);
        assert_eq!(labels(7.5, 160.0), ["1", "2", "5", "7.5"]);
        assert_eq!(range_text([4999.0, 5000.0]), "4,999\u{2013}5,000");
        assert_eq!(range_text([2.0, 2.0]), "2");
    }
}
