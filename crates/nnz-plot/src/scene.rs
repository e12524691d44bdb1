//! A figure as shapes in pixels, which SVG and PNG draw alike.

use crate::cast;
use crate::colors::{Ink, SERIES};
use crate::figure::{Bar, Figure, Heat, Line, Marks};
use crate::layout::{Frame, LINE, MARGIN, PanelLayout, SAMPLE, heading, place};
use crate::number::{format_grouped, format_short, printable, shortened, wrapped};

/// Classes of counts.
pub(crate) const LEVELS: usize = 10;

/// A shape. Titles describe it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Rectangle {
        frame: Frame,
        ink: Ink,
        title: String,
    },
    /// Cells of a grid that have the same colour: row, first column, number of columns.
    Cells {
        frame: Frame,
        grid: [usize; 2],
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
    let fits = |letter: f64| cast::floor((width - 2.0 * MARGIN) / letter);
    let mut y = 12.0;
    if !figure.title.is_empty() {
        y += 17.0;
        let title = shortened(&figure.title, fits(letter * 1.45));
        scene.text([MARGIN, y], title, Ink::Text, Anchor::Start, Style::Title);
    }
    if !figure.subtitle.is_empty() {
        let subtitle = shortened(&figure.subtitle, fits(letter));
        scene.muted([MARGIN, heading(figure) - 3.0], subtitle, Anchor::Start);
    }
    for placed in place(figure, size, letter) {
        scene.panel(&placed);
    }
    let first = height - 12.0 - LINE * cast::float(figure.notes.len().saturating_sub(1));
    for (number, note) in figure.notes.iter().enumerate() {
        let y = first + LINE * cast::float(number);
        scene.muted([MARGIN, y], shortened(note, fits(letter)), Anchor::Start);
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
            let is_line = matches!(panel.marks, Marks::Lines(_));
            let from = if is_line { frame.y } else { frame.bottom() };
            self.line([x, from], [x, frame.bottom() + 4.0]);
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
        let levels = heat.levels(LEVELS);
        let frame = placed.frame;
        let mut runs = vec![Vec::new(); levels.len()];
        for row in 0..heat.rows {
            let mut col = 0;
            while col < heat.cols {
                let level = class(&levels, heat.get(row, col));
                let mut end = col + 1;
                while end < heat.cols && class(&levels, heat.get(row, end)) == level {
                    end += 1;
                }
                if let Some(runs) = level.and_then(|level| runs.get_mut(level)) {
                    runs.push([row, col, end - col]);
                }
                col = end;
            }
        }
        let most = heat.counts.iter().copied().max().unwrap_or(0);
        let labels: Vec<String> =
            (0..levels.len()).map(|level| class_label(&levels, level, most)).collect();
        let grid = [heat.rows, heat.cols];
        for (level, runs) in runs.into_iter().enumerate() {
            if !runs.is_empty() {
                let ink = Ink::Level(level, levels.len());
                let title = format!("{}: {}", heat.label, labels[level]);
                self.shapes.push(Shape::Cells { frame, grid, runs, ink, title });
            }
        }
        let (x, mut y) = (frame.right() + 12.0, frame.y + 10.0);
        for line in wrapped(&heat.label, cast::floor(96.0 / self.letter)) {
            self.muted([x, y], line, Anchor::Start);
            y += LINE;
        }
        for (level, label) in labels.into_iter().enumerate().rev() {
            let sample = Frame { x, y: y - 4.0, w: SAMPLE, h: SAMPLE };
            self.rectangle(sample, Ink::Level(level, levels.len()), String::new());
            self.muted([x + SAMPLE + 6.0, y + 6.0], label, Anchor::Start);
            y += LINE;
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

/// Returns the class of a count; zero has none.
pub(crate) fn class(levels: &[u64], count: u64) -> Option<usize> {
    if count == 0 { None } else { levels.partition_point(|level| *level <= count).checked_sub(1) }
}

/// Describes a class, whose counts are below the counts of the next one.
pub(crate) fn class_label(levels: &[u64], level: usize, most: u64) -> String {
    let Some(&least) = levels.get(level) else { return String::new() };
    let greatest = levels.get(level + 1).map_or(most.max(least), |next| next - 1);
    let text = |count: u64| {
        if count < 10_000 { format_grouped(count) } else { format_short(cast::float64(count)) }
    };
    match levels.get(level + 1) {
        _ if greatest == least => text(least),
        // The last number before a round one would not be short.
        Some(next) if greatest >= 10_000 => format!("{}\u{2013}{}", text(least), text(*next)),
        Some(_) => format!("{}\u{2013}{}", text(least), text(greatest)),
        None => format!("\u{2265} {}", text(least)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_labelled_by_their_counts() {
        let levels = [1, 2, 5, 10, 10_000, 20_000];
        let label = |level| class_label(&levels, level, 30_000);
        let expected =
            ["1", "2\u{2013}4", "5\u{2013}9", "10\u{2013}9,999", "10k\u{2013}20k", "\u{2265} 20k"];
        assert_eq!([0, 1, 2, 3, 4, 5].map(label), expected);
        assert_eq!(class_label(&[1], 0, 1), "1");
        assert_eq!(
            [0, 1, 4, 5, 99_999].map(|count| class(&levels, count)),
            [None, Some(0), Some(1), Some(2), Some(5)]
        );
    }
}
