//! SVMlight, edge lists, METIS graphs and dense tables: all ways of reading agree, and the same text in two gzip members
//! is equal.
#![no_main]

use std::io::Write;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::formats::FormatOptions;
use nnz::{Context, Dataset, MatrixSource, OpenOptions, Result};
use nnz_fuzz::read::{agree, backwards, in_order};
use nnz_fuzz::scratch::{Scratch, location};

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

/// The formats, and options of them.
const HOW: [(&str, &[(&str, &str)]); 11] = [
    ("svmlight", &[]),
    ("svmlight", &[("base", "0")]),
    ("svmlight", &[("label-weights", "yes")]),
    ("edges", &[]),
    ("edges", &[("undirected", "true"), ("base", "1")]),
    ("edges", &[("bipartite", "true"), ("nodes", "names")]),
    ("metis", &[]),
    ("csv", &[]),
    ("csv", &[("na", ""), ("decimal", ","), ("separator", "semicolon")]),
    ("csv", &[("header", "no"), ("id-columns", "2")]),
    ("gct", &[]),
];

/// Rows or columns of a matrix that is read: a few bytes of text can state any number of them.
const MOST: u64 = 1 << 20;

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((&how, text)) = input.split_first() else { return Corpus::Reject };
    let (format, options) = HOW[usize::from(how) % HOW.len()];
    let matrix = match open(text, format, options) {
        Ok(matrix) => matrix,
        Err(_) => return Corpus::Keep,
    };
    if matrix.header().shape.rows.max(matrix.header().shape.cols) > MOST {
        return Corpus::Keep;
    }
    let read = in_order(&*matrix);
    agree(&read, &backwards(&*matrix));
    if let (Ok(expected), false) = (read, text.starts_with(b"\x1f\x8b")) {
        let mut gzip = Vec::new();
        for (half, level) in [(&text[..text.len() / 2], 1), (&text[text.len() / 2..], 0)] {
            let mut encoder = GzEncoder::new(&mut gzip, Compression::new(level));
            encoder.write_all(half).unwrap();
            encoder.finish().unwrap();
        }
        let again = open(&gzip, format, options).unwrap();
        assert_eq!(again.header(), matrix.header());
        assert_eq!(in_order(&*again).unwrap(), expected);
    }
    Corpus::Keep
});

fn open(
    text: &[u8],
    format: &'static str,
    options: &[(&str, &str)],
) -> Result<Box<dyn MatrixSource>> {
    let path = SCRATCH.write("text", text);
    let given =
        options.iter().fold(FormatOptions::new(), |all, (name, value)| all.with(*name, *value));
    let context = Context::default().with_memory(1 << 24);
    let open = OpenOptions::new().format(format).format_options(given);
    open.open(location(&path), &context).and_then(Dataset::into_matrix)
}
