//! Fragments as text, plain and gzipped: results are sorted and have valid names, and the same text
//! in two gzip members is equal.
#![no_main]

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::Result;
use nnz_singlecell::fragment_tsv::{Options, TextTotals, TsvBlock, from_reader};

const END_INCLUSIVE: u8 = 1;
const UNSORTED: u8 = 2;

/// Chromosome, start, end, cell.
type Fragment = (u32, u32, u32, u32);

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((&how, text)) = input.split_first() else { return Corpus::Reject };
    let Ok((all, read)) = in_order(text, how) else { return Corpus::Keep };
    for &(chromosome, start, end, cell) in &all {
        assert!(
            u64::from(chromosome) < read.chromosomes.len() && u64::from(cell) < read.cells.len()
        );
        assert!(start <= end);
    }
    if how & UNSORTED == 0 {
        let ordered = |a: &Fragment, b: &Fragment| a.0 != b.0 || a.1 <= b.1;
        assert!(all.windows(2).all(|pair| ordered(&pair[0], &pair[1])));
    }
    if !text.starts_with(b"\x1f\x8b") && !text.is_empty() {
        let mut gzip = Vec::new();
        for (half, level) in [(&text[..text.len() / 2], 1), (&text[text.len() / 2..], 0)] {
            let mut encoder = GzEncoder::new(&mut gzip, Compression::new(level));
            encoder.write_all(half).unwrap();
            encoder.finish().unwrap();
        }
        let (again, names) = in_order(&gzip, how).unwrap();
        assert_eq!(again, all);
        assert!(names.cells.iter().eq(read.cells.iter()));
    }
    Corpus::Keep
});

fn in_order(text: &[u8], how: u8) -> Result<(Vec<Fragment>, TextTotals)> {
    let source = from_reader(Box::new(io::Cursor::new(text.to_vec())), "fragments.tsv")?;
    let mut reading = source.read(Options {
        end_inclusive: how & END_INCLUSIVE != 0,
        unsorted: how & UNSORTED != 0,
        ..Options::default()
    })?;
    let mut block = TsvBlock::default();
    let mut all = Vec::new();
    while let Some(unit) = reading.units.next_unit()? {
        unit.decode(&mut block)?;
        let joint = reading.joiner.join(&block)?;
        for batch in block.resolve(joint).into_batches() {
            let columns = batch.starts.iter().zip(&batch.ends).zip(&batch.cells);
            all.extend(columns.map(|((&start, &end), &cell)| (batch.chromosome, start, end, cell)));
        }
    }
    Ok((all, reading.joiner.finish()?))
}
