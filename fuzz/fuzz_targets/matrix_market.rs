//! Matrix Market text, plain and gzipped: all ways of reading agree, and text that can be read
//! round-trips.
#![no_main]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::{Batch, MatrixSource, Projection, Result, Values, matrix::Triangle};
use nnz_fuzz::entries::Entry;
use nnz_fuzz::read::{agree, backwards, in_order};
use nnz_matrix_market::{Layout, MatrixMarketSource, Options, TextTarget, create, from_reader};
use nnz_storage::TaskContext;

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(source) = open(input) else {
        // Errors in the banner say little about the rest.
        return if input.len() < 256 { Corpus::Keep } else { Corpus::Reject };
    };
    let read = in_order(&source);
    // A source can be read once.
    let Ok(again) = open(input) else { panic!("opened only once") };
    agree(&read, &backwards(&again));
    if let Ok(entries) = &read {
        assert_eq!(source.notes(), again.notes());
        inflated(input, entries);
        written(input, &source, entries);
    }
    Corpus::Keep
});

fn open(text: &[u8]) -> Result<MatrixMarketSource> {
    from_reader(Box::new(io::Cursor::new(text.to_vec())), "text.mtx")
}

/// The same text in two members of a gzip file is equal.
fn inflated(input: &[u8], expected: &[Entry]) {
    if input.starts_with(b"\x1f\x8b") {
        return;
    }
    let mut gzip = Vec::new();
    for (half, level) in [(&input[..input.len() / 2], 1), (&input[input.len() / 2..], 0)] {
        let mut encoder = GzEncoder::new(&mut gzip, Compression::new(level));
        encoder.write_all(half).unwrap();
        encoder.finish().unwrap();
    }
    assert_eq!(in_order(&open(&gzip).unwrap()).unwrap(), expected);
}

/// A stream whose content is accessible afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the entries, and reads them back.
fn written(input: &[u8], source: &MatrixMarketSource, expected: &[Entry]) {
    let header = source.header();
    for layout in [Layout::Coordinate, Layout::Array] {
        let lower = header.structure.triangle().is_none_or(|triangle| {
            assert_eq!(triangle, Triangle::Lower);
            expected.iter().all(|(row, col, _)| row >= col)
        });
        let twice =
            expected.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
        let dense = header.storage == nnz::matrix::Storage::Dense;
        if !lower || twice || (layout == Layout::Array) != dense {
            continue;
        }
        for gzip in [false, true] {
            let shared = Shared::default();
            let stream = TextTarget::Stream {
                writer: Box::new(shared.clone()),
                name: "out".to_owned(),
                context: TaskContext::default(),
            };
            let options = Options { gzip, ..Options::new(layout, &stream) };
            let mut sink = create(stream, header, options).unwrap();
            let source = open(input).unwrap();
            let all = 0..header.shape.major(header.order);
            let mut reader = source.batches(all, Projection::ALL).unwrap();
            let mut batch = Batch::new(header.order, Values::new(header.value_type));
            while reader.next_batch(&mut batch).unwrap() {
                sink.write(&batch).unwrap();
            }
            sink.finish().unwrap();
            let text = shared.0.lock().unwrap().clone();
            let back = open(&text).unwrap();
            let found = back.header();
            assert_eq!(found.shape, header.shape);
            assert_eq!(found.structure, header.structure);
            assert_eq!((found.value_type, found.iso), (header.value_type, header.iso));
            assert_eq!(in_order(&back).unwrap(), expected);
        }
    }
}
