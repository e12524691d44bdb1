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
    let marks = Marks::Heat(Heat::new(rows, cols, counts, "entries"));
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

#[test]
fn labels_at_both_ends_are_within_the_picture() {
    let ticks = [(0.0, "-500,000"), (1.5, "0"), (3.0, "500,000")];
    let tick = |(at, label): (f64, &str)| Tick { important: true, ..Tick::new(at, label) };
    let mut figure = bars();
    figure.panels[0].x = Axis::linear("value", [0.0, 3.0]).with_ticks(ticks.map(tick).to_vec());
    let drawn = svg(&figure, &SvgOptions::default());
    let label = drawn.lines().find(|line| line.contains(">500,000<")).unwrap();
    let x: f64 = label.split("x=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    assert!(x + 3.5 * 7.2 < 800.0, "{label}");
    let drawn = terminal(&figure, &TerminalOptions::default().size(60, 14));
    assert!(drawn.contains("-500,000") && drawn.contains(" 500,000\n"), "{drawn}");
    assert!(drawn.lines().all(|line| line.chars().count() <= 62), "{drawn}");
}

#[test]
fn aligned_figures_have_panels_of_one_height() {
    let (mut short, mut long) = (bars(), bars().subtitle("word ".repeat(60)).note("note"));
    let panel = |figure: &Figure| {
        let drawn = svg(figure, &SvgOptions::default());
        drawn.lines().find(|line| line.contains("class=\"panel\"")).unwrap().to_owned()
    };
    assert_ne!(panel(&short), panel(&long));
    nnz_plot::align(&mut [&mut short, &mut long], 800);
    assert_eq!(panel(&short), panel(&long));
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

/// Returns the number of the colour of each cell with a count.
fn colors(drawn: &str, label: &str) -> Vec<(String, String)> {
    let paths = drawn.split("<path class=\"level").skip(1);
    let paths = paths.map(|path| {
        let color = path.split("s\"").next().unwrap().to_owned();
        let title = path.split(&format!("<title>{label}: ")).nth(1).unwrap();
        (color, title.split('<').next().unwrap().to_owned())
    });
    paths.collect()
}

#[test]
fn equal_counts_of_a_row_are_one_run() {
    let figure = heat(2, 4, vec![1, 1, 0, 7, 0, 0, 3, 3]);
    let drawn = svg(&figure, &SvgOptions::default());
    elements(&drawn);
    for path in ["d=\"M0 0h2\"><title>entries: 1<", "d=\"M2 1h2\"><title>entries: 3"] {
        assert!(drawn.contains(path), "{path}: {drawn}");
    }
    assert!(drawn.contains("d=\"M3 0h1\"><title>entries: 7<"), "{drawn}");
}

#[test]
fn colours_follow_the_logarithm_of_counts() {
    let of = |counts: Vec<u64>| {
        let drawn = svg(&heat(1, counts.len(), counts), &SvgOptions::default());
        colors(&drawn, "entries")
    };
    let pair = |color: &str, title: &str| (color.to_owned(), title.to_owned());
    // Nearly equal counts have one colour, and are not spread over the whole scale.
    assert_eq!(of(vec![4999, 5000]), [pair("31", "4,999\u{2013}5,000")]);
    // From 1 on.
    assert_eq!(of(vec![1, 10, 100]), [pair("0", "1"), pair("16", "10"), pair("31", "100")]);
    assert_eq!(of(vec![1, 1, 1]), [pair("16", "1")]);
    // Two pictures with one scale.
    let marks = Marks::Heat(Heat::new(1, 1, vec![10], "entries").most(100.0));
    let panel = Panel::new(Axis::linear("", [0.0, 1.0]), Axis::linear("", [0.0, 1.0]), marks);
    let drawn = svg(&Figure::new("").panel(panel), &SvgOptions::default());
    assert_eq!(colors(&drawn, "entries"), [pair("16", "10")]);
}

#[test]
fn smaller_cells_at_the_end_have_the_colour_of_their_density() {
    // Cells of 4 x 10 elements, all of which are entries; the last row has one of 4, the last column five of 10.
    let counts = vec![40, 20, 40, 20, 10, 5];
    let mut figure = heat(3, 2, counts);
    if let Marks::Heat(heat) = &mut figure.panels[0].marks {
        *heat = heat.clone().last([0.25, 0.5]);
        assert_eq!(heat.greatest(), 40.0);
    }
    let drawn = svg(&figure, &SvgOptions::default());
    elements(&drawn);
    let found = colors(&drawn, "entries");
    assert!(found.iter().all(|(color, title)| color == "31" && title == "40"), "{found:?}");
    // The cells are smaller, too.
    assert!(drawn.contains("d=\"M0 0h1.5M0 1h1.5\""), "{drawn}");
    assert!(drawn.contains("stroke-width=\"0.250\"") && drawn.contains("translate(0 2.125)"));
}

#[test]
fn subtitles_are_broken_into_lines_and_never_cut() {
    let words: Vec<String> = (0..30).map(|number| format!("word{number}")).collect();
    let mut figure = bars().subtitle(words.join(" ")).note(words.join(" "));
    figure.panels.push(figure.panels[0].clone());
    for [width, height] in [[480, 360], [360, 800], [800, 600], [1600, 400]] {
        let drawn = svg(&figure, &SvgOptions::default().size(width, height));
        let texts = drawn.split("<text").skip(1).map(|text| {
            let text = text.split('>').nth(1).unwrap();
            text.split('<').next().unwrap().split(' ').collect::<Vec<_>>()
        });
        let shown: Vec<&str> = texts.flatten().filter(|word| word.starts_with("word")).collect();
        assert_eq!(shown, [&words[..], &words].concat(), "{width}x{height}");
    }
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
0 ┤░░░░░░░░░░     █████
1 ┤          ▓▓▓▓▓▓▓▓▓▓
  └┬─────────┬────────┬
   0         2        4
         columns
entries:  ░ 1  ▒ 2
  ▓ 3–4  █ 5–7
";
    assert_eq!(drawn, expected);
}

#[test]
fn a_bin_is_in_one_line_of_a_terminal() {
    for rows in 1..60 {
        // A diagonal: each row differs from the next one.
        let counts = (0..rows * rows).map(|at| u64::from(at / rows == at % rows)).collect();
        let figure = heat(rows, rows, counts);
        for colors in [TerminalColors::Plain, TerminalColors::True] {
            let options = TerminalOptions::default().size(70, 30).colors(colors);
            let drawn = terminal(&figure, &options);
            let lines: Vec<&str> = drawn
                .lines()
                .filter_map(|line| line.split_once(['\u{2524}', '\u{2502}']))
                .map(|pair| pair.1)
                .collect();
            assert!(lines.windows(2).all(|pair| pair[0] != pair[1]), "{rows}: {drawn}");
        }
    }
}

#[test]
fn terminals_with_colours_have_two_rows_in_a_character() {
    let figure = heat(2, 1, vec![1, 7]);
    let options = TerminalOptions::default().size(40, 14);
    let drawn = terminal(&figure, &options.colors(TerminalColors::True));
    assert!(drawn.contains("\u{1b}[38;2;79;99;201m"), "{drawn:?}");
    assert!(drawn.contains("\u{1b}[38;2;240;160;48m") && drawn.contains(" 7\n"), "{drawn:?}");
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
        Marks::Heat(Heat::new(0, 0, Vec::new(), "")),
        Marks::Heat(Heat::new(3, 9, vec![1], "x")),
        Marks::Heat(Heat::new(1, 2, vec![u64::MAX, 1], "x").last([f64::NAN, 1e-300])),
        Marks::Heat(Heat::new(1, 2, vec![5, 1], "x").most(f64::NAN)),
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
            // The least and the greatest count take a quarter of the frame each.
            let (few, many) = match theme {
                Theme::Light => ([0xb3, 0xd3, 0xec], [0x0a, 0x1f, 0x4f]),
                _ => ([0x23, 0x4a, 0x78], [0xf5, 0xf3, 0xa8]),
            };
            let (few, many) = (count(few), count(many));
            assert!(few > 10_000 && few.abs_diff(many) < few / 10, "{few} {many}");
        }
    }

    #[test]
    fn letters_of_small_pictures_are_as_large_as_those_of_large_ones() {
        // Rows of pixels with ink in the title, which stands alone at the top.
        let height = |width: u32, height: u32| {
            let options = PngOptions::default().size(width, height);
            let (width, pixels) = pixels(&png(&heat(1, 1, vec![1]), &options));
            let rows: Vec<bool> =
                pixels.chunks(width).map(|row| row.iter().any(|p| *p != [0xff; 3])).collect();
            let first = rows.iter().position(|ink| *ink).unwrap();
            rows[first..].iter().position(|ink| !ink).unwrap()
        };
        let (small, large) = (height(480, 360), height(1600, 1200));
        assert!(small >= 8 && large > small, "{small} {large}");
        assert_eq!(height(800, 600), small);
        assert_eq!(PngOptions::default().size(1199, 900).pixel_scale(), 1);
        assert_eq!(PngOptions::default().size(1199, 900).scale(2).pixel_scale(), 2);
    }
}
