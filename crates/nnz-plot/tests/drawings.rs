//! Drawings by their content: numbers, texts and colours.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test stops where it fails"
)]

use nnz_plot::{
    Axis, Bar, Figure, Heat, Line, Marks, Panel, SvgOptions, TerminalColors, TerminalOptions, Tick,
    svg, terminal,
};

fn heat(rows: usize, cols: usize, counts: Vec<u64>) -> Figure {
    let marks = Marks::Heat(Heat { rows, cols, counts, label: "entries".to_owned() });
    let side = |len: usize| [0.0, f64::from(u32::try_from(len).unwrap())];
    let (x, y) = (Axis::linear("columns", side(cols)).whole(), Axis::linear("rows", side(rows)));
    Figure::new("m.mtx").subtitle("5 entries").panel(Panel::new(x, y.reversed().whole(), marks))
}

fn bars() -> Figure {
    let bars = [4.0, 8.0, 1.0].iter().zip(0..);
    let bars = bars.map(|(&value, at)| Bar::new([f64::from(at), f64::from(at + 1)], value, "bar"));
    let marks = Marks::Bars(bars.collect());
    Figure::new("bars").panel(Panel::new(
        Axis::linear("value", [0.0, 3.0]).whole(),
        Axis::linear("count", [0.0, 8.0]).whole(),
        marks,
    ))
}

/// Checks that elements are closed in order, and returns their names.
fn elements(xml: &str) -> Vec<String> {
    let (mut open, mut all): (Vec<&str>, Vec<String>) = Default::default();
    for piece in xml.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("the end of a tag");
        assert!(!text.contains('>') || open.last() == Some(&"style"), "{text}");
        for entity in text.split('&').skip(1) {
            assert!(
                ["amp;", "lt;", "gt;", "quot;"].iter().any(|e| entity.starts_with(e)),
                "{text}"
            );
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None => {
                let name = tag.split([' ', '/']).next().unwrap();
                all.push(name.to_owned());
                if !tag.ends_with('/') {
                    open.push(name);
                }
            }
        }
    }
    assert_eq!(open, [] as [&str; 0]);
    all
}

#[test]
fn equal_counts_of_a_row_are_one_run() {
    let figure = heat(2, 4, vec![1, 1, 0, 7, 0, 0, 3, 3]);
    let drawn = svg(&figure, &SvgOptions::default());
    elements(&drawn);
    // Classes from 1, 2 and 5: rows 0 and 1, from the first column of each run.
    for path in ["d=\"M0 0h2\"><title>entries: 1<", "d=\"M2 1h2\"><title>entries: 3"] {
        assert!(drawn.contains(path), "{path}: {drawn}");
    }
    assert!(drawn.contains("d=\"M3 0h1\"><title>entries: 7<"), "{drawn}");
}

#[test]
fn texts_are_escaped_and_styles_apply_to_one_picture() {
    let mut figure = bars();
    figure.title = "<script>alert(\"&\")</script>\u{1b}[31m".to_owned();
    figure.notes = vec!["a < b & c".to_owned()];
    let drawn = svg(&figure, &SvgOptions::default().id("fig 1\"><x"));
    let found = elements(&drawn);
    assert!(!found.contains(&"script".to_owned()) && !drawn.contains('\u{1b}'), "{drawn}");
    assert!(drawn.contains("id=\"fig1x\""), "{drawn}");
    let style = drawn.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    for rule in
        style.lines().filter(|line| !line.is_empty() && !line.starts_with('@') && *line != "}")
    {
        assert!(rule.starts_with("#fig1x "), "{rule}");
    }
    assert!(style.contains("prefers-color-scheme:dark") && drawn.contains("role=\"img\""));
    // By default, ids follow from what is drawn.
    let id = |figure: &Figure| {
        let drawn = svg(figure, &SvgOptions::default());
        drawn.split("id=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert_eq!(id(&bars()), id(&bars()));
    assert_ne!(id(&bars()), id(&heat(1, 1, vec![1])));
}

#[test]
fn long_names_are_shortened() {
    let name = "n".repeat(300);
    let ticks = vec![Tick::new(0.5, &*name), Tick::new(1.5, "b")];
    let mut figure = heat(2, 1, vec![1, 2]);
    figure.title = name.clone();
    figure.panels[0].y = Axis::linear(&*name, [0.0, 2.0]).reversed().with_ticks(ticks);
    let drawn = svg(&figure, &SvgOptions::default());
    // The title for readers of the page is complete.
    assert_eq!(drawn.matches(&name).count(), 2);
    for line in drawn.lines().filter(|line| line.starts_with("<text")) {
        assert!(!line.contains(&name), "{line}");
    }
    for line in terminal(&figure, &TerminalOptions::default()).lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn terminals_without_colours_have_shades() {
    let figure = heat(2, 4, vec![1, 1, 0, 7, 0, 0, 3, 3]);
    let drawn = terminal(&figure, &TerminalOptions::default().size(24, 14));
    let expected = "\
m.mtx
5 entries
rows
0 ┤░░░░░░░░░░      ▓▓▓▓▓
  │░░░░░░░░░░      ▓▓▓▓▓
  │░░░░░░░░░░      ▓▓▓▓▓
1 ┤          ▒▒▒▒▒▒▒▒▒▒▒
  │          ▒▒▒▒▒▒▒▒▒▒▒
2 ┤          ▒▒▒▒▒▒▒▒▒▒▒
  └┬─────────┬─────────┬
   0         2         4
          columns
entries:  ░ 1  ▒ 2–4
  ▓ ≥ 5
";
    assert_eq!(drawn, expected);
}

#[test]
fn terminals_with_colours_have_two_rows_in_a_character() {
    let figure = heat(2, 1, vec![1, 7]);
    let options = TerminalOptions::default().size(40, 14);
    let drawn = terminal(&figure, &options.colors(TerminalColors::True));
    assert!(drawn.contains("\u{1b}[38;2;79;99;201m"), "{drawn:?}");
    let rows = drawn.lines().filter(|line| line.contains('\u{1b}'));
    assert!(rows.into_iter().all(|line| line.ends_with("\u{1b}[0m") || line.contains(" ")));
    let palette = terminal(&figure, &options.colors(TerminalColors::Ansi256));
    assert!(palette.contains("\u{1b}[38;5;"), "{palette:?}");
}

#[test]
fn bars_have_the_heights_of_their_values() {
    let drawn = terminal(&bars(), &TerminalOptions::default().size(24, 14));
    let rows: Vec<&str> = drawn.lines().filter(|line| line.contains(['┤', '│'])).collect();
    let height =
        |at: usize| rows.iter().filter(|row| row.chars().nth(at).is_some_and(|c| c != ' ')).count();
    assert_eq!(rows.len(), 9, "{drawn}");
    let width = rows.iter().map(|row| row.chars().count()).max().unwrap();
    let at = |part: usize| 3 + (width - 3) * part / 6;
    assert!(height(at(3)) == 9 && (5..=6).contains(&height(at(1))), "{drawn}");
}

#[test]
fn nothing_and_single_points_are_drawn() {
    let (x, y) = (Axis::linear("x", [0.0, 0.0]), Axis::log("y", [0.0, f64::NAN]));
    let point = Line { name: String::new(), points: vec![[0.0, 5.0]], title: String::new() };
    let infinite = Line { points: vec![[f64::NAN, f64::INFINITY], [1.0, -1.0]], ..point.clone() };
    for marks in [
        Marks::Nothing("nothing".to_owned()),
        Marks::Lines(vec![point, infinite]),
        Marks::Bars(Vec::new()),
        Marks::Heat(Heat { rows: 0, cols: 0, counts: Vec::new(), label: String::new() }),
        Marks::Heat(Heat { rows: 3, cols: 9, counts: vec![1], label: "x".to_owned() }),
    ] {
        let figure = Figure::default().panel(Panel::new(x.clone(), y.clone(), marks).aspect(0.0));
        for size in [1, 50, 900] {
            elements(&svg(&figure, &SvgOptions::default().size(size, size)));
            #[cfg(feature = "png")]
            let _ = nnz_plot::png(&figure, &nnz_plot::PngOptions::default().size(size, size));
        }
        for colors in [TerminalColors::Plain, TerminalColors::True] {
            for size in [0, 5, 200] {
                let options = TerminalOptions::default().size(size, size).colors(colors);
                let _ = terminal(&figure, &options);
            }
        }
    }
    elements(&svg(&Figure::default(), &SvgOptions::default()));
    assert_eq!(terminal(&Figure::default(), &TerminalOptions::default()), "");
}

#[cfg(feature = "png")]
mod png {
    use std::io::Read as _;

    use nnz_plot::{PngOptions, Theme, png};

    use super::heat;

    /// Reads the pixels of a file, after checking its chunks.
    fn pixels(file: &[u8]) -> (usize, Vec<[u8; 3]>) {
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        let (mut at, mut image, mut width) = (8, Vec::new(), 0);
        while at < file.len() {
            let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
            let len = number(at) as usize;
            let content = &file[at + 8..at + 8 + len];
            let mut sum = flate2::Crc::new();
            sum.update(&file[at + 4..at + 8 + len]);
            assert_eq!(number(at + 8 + len), sum.sum());
            match &file[at + 4..at + 8] {
                b"IHDR" => {
                    width = number(at + 8) as usize;
                    assert_eq!(content[8..], [8, 2, 0, 0, 0]);
                }
                b"IDAT" => image.extend_from_slice(content),
                name => assert_eq!(name, b"IEND"),
            }
            at += 12 + len;
        }
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&image[..]).read_to_end(&mut rows).unwrap();
        let rows = rows.chunks_exact(1 + 3 * width);
        let pixels = rows.flat_map(|row| row[1..].as_chunks::<3>().0.to_vec());
        (width, pixels.collect())
    }

    #[test]
    fn cells_have_the_colours_of_their_counts() {
        let figure = heat(2, 2, vec![1, 0, 0, 9]);
        for (theme, page) in [(Theme::Light, [0xff; 3]), (Theme::Dark, [0x11, 0x16, 0x1d])] {
            let file = png(&figure, &PngOptions::default().size(600, 400).theme(theme));
            let (width, pixels) = pixels(&file);
            assert_eq!((width, pixels.len()), (600, 240_000));
            assert_eq!(pixels[0], page);
            let count = |color: [u8; 3]| pixels.iter().filter(|pixel| **pixel == color).count();
            // The least and the greatest class take a quarter of the frame each.
            let (few, many) = match theme {
                Theme::Light => ([0xc6, 0xdf, 0xf2], [0x0a, 0x1f, 0x4f]),
                _ => ([0x1d, 0x3a, 0x5f], [0xf5, 0xf3, 0xa8]),
            };
            let (few, many) = (count(few), count(many));
            assert!(few > 10_000 && few.abs_diff(many) < few / 10, "{few} {many}");
        }
    }
}
