//! Fragments round-trip with any piece size, compression and number of threads.

use std::io::Cursor;

use nnz_core::{FragmentBatch, StringList};
use nnz_singlecell::fragment_tsv::{
    Columns, Compression, Options, TsvBlock, WriteOptions, from_reader,
};
use nnz_testing::random::Random;
use proptest::prelude::*;

use super::common::{Slow, Whole, bgzf, gunzip, gzip, read, read_text, source, write};

/// Fragments in order, with cells numbered by first occurrence.
fn fragments() -> impl Strategy<Value = Whole> {
    let fragment = (0_u32..40, 0_u32..2000, 0_u32..500);
    let segment = prop::collection::vec(fragment, 1..60);
    (prop::collection::vec(segment, 0..5), 1_usize..30).prop_map(|(segments, length)| {
        let mut whole = Whole::default();
        let mut met = Vec::new();
        for (chromosome, mut segment) in (0..).zip(segments) {
            segment.sort_by_key(|&(_, start, _)| start);
            whole.chromosomes.push(format!("chr{chromosome}{}", "x".repeat(length)).as_bytes());
            let mut batch = FragmentBatch { chromosome, ..FragmentBatch::default() };
            for (cell, start, len) in segment {
                let known = met.iter().position(|&other| other == cell);
                let number = known.unwrap_or(met.len());
                if known.is_none() {
                    met.push(cell);
                    let name = format!("{}{cell}-1", "ACGT".repeat(length / 3));
                    whole.cells.push(name.as_bytes());
                }
                batch.cells.push(u32::try_from(number).unwrap());
                // Some are larger than 31 bits.
                let start = start * 1_999_999;
                batch.starts.push(start);
                batch.ends.push(start + len);
            }
            whole.batches.push(batch);
        }
        whole
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn text_round_trips_in_pieces_of_any_size(
        whole in fragments(),
        size in 1_usize..200,
        five in any::<bool>(),
    ) {
        let columns = if five { Columns::Five } else { Columns::Four };
        let options = |compression| WriteOptions { columns, compression, index: false };
        let text = write(&whole, options(Compression::None)).unwrap();
        let zipped = write(&whole, options(Compression::Gzip)).unwrap();
        let blocks = write(&whole, options(Compression::Bgzip)).unwrap();
        prop_assert_eq!(&gunzip(&zipped), &text);
        prop_assert_eq!(&gunzip(&blocks), &text);
        for file in [&text, &zipped, &blocks, &bgzf(&text, size), &gzip(&text)] {
            prop_assert_eq!(&read_text(file).unwrap(), &whole);
        }
        let slow = Slow(Cursor::new(bgzf(&text, size)), size);
        let slow = from_reader(Box::new(slow), "slow").unwrap();
        prop_assert_eq!(&read(&slow, Options::default()).unwrap(), &whole);
        // The last newline may be missing.
        let text = text.strip_suffix(b"\n").unwrap_or(&text);
        prop_assert_eq!(&read_text(text).unwrap(), &whole);
        prop_assert_eq!(&read_text(bgzf(text, size)).unwrap(), &whole);
    }

    #[test]
    fn any_lines_are_read_like_by_a_simple_reader(
        lines in prop::collection::vec(
            ("[a-c]{0,9}", "[0-9x]{0,11}", "[0-9]{1,10}", "[A-D]{0,17}(-1)?", "\r?"), 0..20),
        size in 1_usize..80,
    ) {
        let text: String = lines
            .iter()
            .map(|(a, b, c, d, end)| format!("{a}\t{b}\t{c}\t{d}{end}\n"))
            .collect();
        let expected: Option<Vec<_>> = lines
            .iter()
            .map(|(a, b, c, d, _)| {
                let (start, end): (u32, u32) = (b.parse().ok()?, c.parse().ok()?);
                let good = !a.is_empty() && !d.is_empty() && start <= end;
                good.then(|| (a.clone(), start, end, d.clone()))
            })
            .collect();
        let options = || Options { unsorted: true, ..Options::default() };
        let plain = read(&source(&text), options()).map_err(|error| error.to_string());
        let blocks = read(&source(bgzf(text.as_bytes(), size)), options());
        prop_assert_eq!(&plain, &blocks.map_err(|error| error.to_string()));
        prop_assert_eq!(plain.ok().map(|whole| whole.lines()), expected);
        let sorted = |text: &[u8]| read_text(text).map_err(|error| error.to_string());
        prop_assert_eq!(sorted(text.as_bytes()), sorted(&bgzf(text.as_bytes(), size)));
    }
}

/// Many fragments of many cells, some of which occur late.
fn many() -> Whole {
    let mut whole = Whole::default();
    let mut random = Random::new(5);
    let mut numbers = std::collections::BTreeMap::new();
    for chromosome in 0..3 {
        whole.chromosomes.push(format!("chr{chromosome}").as_bytes());
        let mut batch = FragmentBatch { chromosome, ..FragmentBatch::default() };
        let mut start = 0;
        for number in 0..40_000 {
            start += random.below_u32(50);
            let cell = random.below_u32(50 + number / 10);
            let next = u32::try_from(numbers.len()).unwrap();
            let cell = *numbers.entry(cell).or_insert_with(|| {
                whole.cells.push(format!("CELL{cell:012}-1").as_bytes());
                next
            });
            batch.cells.push(cell);
            batch.starts.push(start);
            batch.ends.push(start + random.below_u32(600));
        }
        whole.batches.push(batch);
    }
    whole
}

#[test]
fn pieces_can_be_decoded_before_others_are_joined() {
    let whole = many();
    let options = WriteOptions { compression: Compression::Bgzip, ..WriteOptions::default() };
    for file in [write(&whole, options).unwrap(), write(&whole, WriteOptions::default()).unwrap()] {
        assert_eq!(read_text(&file).unwrap(), whole);
        let mut reading = source(&file).read(Options::default()).unwrap();
        let mut units = Vec::new();
        while let Some(unit) = reading.units.next_unit().unwrap() {
            units.push((units.len(), unit));
        }
        assert!(units.len() > 5);
        // Every third is parsed before all others, on another thread.
        let mut blocks: Vec<_> =
            std::iter::repeat_with(TsvBlock::default).take(units.len()).collect();
        let (ahead, others): (Vec<_>, Vec<_>) =
            units.into_iter().partition(|(number, _)| number % 3 == 1);
        let decoded = std::thread::spawn(move || {
            let decode = |(number, unit): (usize, Box<dyn nnz_core::Unit<TsvBlock>>)| {
                let mut block = TsvBlock::default();
                unit.decode(&mut block).unwrap();
                (number, block)
            };
            ahead.into_iter().map(decode).collect::<Vec<_>>()
        });
        for (number, block) in decoded.join().unwrap() {
            blocks[number] = block;
        }
        let mut others = others.into_iter().peekable();
        let (mut cells, mut starts) = (Vec::new(), Vec::new());
        for (number, block) in blocks.iter_mut().enumerate() {
            if let Some((_, unit)) = others.next_if(|(next, _)| *next == number) {
                unit.decode(block).unwrap();
            }
            let joint = reading.joiner.join(block).unwrap();
            let fragments = block.resolve(joint);
            cells.extend(fragments.cells);
            starts.extend(fragments.starts);
        }
        let read = reading.joiner.finish().unwrap();
        assert_eq!(read.cells, whole.cells);
        let expected: Vec<_> = whole.batches.iter().flat_map(|batch| batch.cells.clone()).collect();
        assert_eq!(cells, expected);
        let expected: Vec<_> =
            whole.batches.iter().flat_map(|batch| batch.starts.clone()).collect();
        assert_eq!(starts, expected);
        assert_eq!(read.chromosomes, ["chr0", "chr1", "chr2"].iter().collect::<StringList>());
    }
}
