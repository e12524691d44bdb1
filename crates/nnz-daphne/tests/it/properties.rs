//! Matrices, segments and frames round-trip with any options.

use std::collections::BTreeMap;

use nnz_core::{
    Batch, Duplicates, Header, Majors, MatrixSource as _, Minors, Order, Projection, Shape,
    ValueType, Values,
};
use nnz_daphne::{
    BlockType, Column, DataType, Dialect, FrameBatch, FrameOptions, FrameReader as _, FrameSink,
    FrameSource, MatrixSink, MatrixSource, Options, ReadOptions, SegmentsSink, SegmentsSource, csv,
    looks_like,
};
use proptest::prelude::*;

use crate::common::{Element, entries, faults, scalar_bits, unsynced};

/// Creates values of a type from the low bits of words.
fn values(value_type: ValueType, bits: &[u64]) -> Values {
    let mut values = Values::new(value_type);
    let size = value_type.size();
    let bytes = values.resize_bytes(bits.len());
    for (place, word) in bytes.chunks_exact_mut(size).zip(bits) {
        place.copy_from_slice(&word.to_le_bytes()[..size]);
    }
    values
}

/// Words whose low bytes are numbers at the limits of types, or any words.
fn word() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..300_u64,
        1 => Just(0),
        1 => Just(1 << 63),
        1 => Just(1 << 31),
        1 => Just((-1.5_f64).to_bits()),
        1 => Just(3.0_f64.to_bits()),
        1 => Just(u64::from(2.0_f32.to_bits())),
        1 => Just(0x7ff0_0000_0000_07a2),
        1 => Just(u64::MAX),
        2 => any::<u64>(),
    ]
}

#[derive(Clone, Debug)]
struct Case {
    shape: Shape,
    value_type: ValueType,
    elements: Vec<Element>,
    options: Options,
    /// The number of entries in a batch.
    batch: usize,
    stored: bool,
    encoded: bool,
}

fn block_types() -> impl Strategy<Value = Option<BlockType>> {
    prop_oneof![
        2 => Just(None),
        1 => Just(Some(BlockType::Dense)),
        1 => Just(Some(BlockType::Sparse)),
        1 => Just(Some(BlockType::UltraSparse)),
    ]
}

prop_compose! {
    fn case()(
        rows in 0..14_u64,
        cols in 0..14_u64,
        dialect in prop::sample::select(&Dialect::ALL[..]),
        dense in any::<bool>(),
        kind in any::<prop::sample::Index>(),
        places in prop::collection::vec((any::<prop::sample::Index>(), word()), 0..60),
        block in prop::option::of((1..6_u32, 1..6_u32)),
        block_type in block_types(),
        narrow in any::<bool>(),
        meta in any::<bool>(),
        batch in 1..20_usize,
        stored in any::<bool>(),
        encoded in any::<bool>(),
    ) -> Case {
        let spec = dialect == Dialect::Spec;
        let types = dialect.value_types();
        let value_type = types[kind.index(types.len())];
        let mask = u64::MAX >> (64 - 8 * value_type.size());
        let mut elements = BTreeMap::new();
        for (place, word) in places {
            let lost = dense || (spec && block_type == Some(BlockType::Dense));
            if rows * cols > 0 && (word & mask != 0 || !lost) {
                let place = place.index((rows * cols) as usize) as u64;
                elements.insert((place / cols, place % cols), word & mask);
            }
        }
        let options = Options {
            dialect,
            data_type: if dense { DataType::Dense } else { DataType::Csr },
            block: block.filter(|_| spec),
            block_type: block_type.filter(|_| spec),
            narrow: narrow && spec,
            meta,
        };
        let elements = elements.into_iter().map(|((row, col), bits)| (row, col, bits)).collect();
        Case { shape: Shape { rows, cols }, value_type, elements, options, batch, stored, encoded }
    }
}

impl Case {
    fn header(&self) -> Header {
        Header::new(self.shape, Order::Row, self.value_type)
            .sorted_indices(true)
            .nnz(self.stored.then_some(self.elements.len() as u64))
            .duplicates(Duplicates::Refused)
    }

    fn batches(&self) -> Vec<Batch> {
        let batch = |elements: &[Element]| {
            let mut batch = Batch::new(Order::Row, Values::default());
            let rows = batch.majors.listed_mut();
            let mut columns = Vec::new();
            for run in elements.chunk_by(|a, b| a.0 == b.0) {
                rows.push(run[0].0);
                columns.extend(run.iter().map(|element| element.1 as u32));
                batch.offsets.push(columns.len());
            }
            batch.minors = Minors::U32(columns);
            let bits: Vec<u64> = elements.iter().map(|element| element.2).collect();
            batch.values = values(self.value_type, &bits);
            batch
        };
        self.elements.chunks(self.batch).map(batch).collect()
    }

    fn write(&self, sink: MatrixSink) -> u64 {
        let mut sink: Box<dyn nnz_core::MatrixSink> = Box::new(sink);
        let encoder = sink.encoder().filter(|_| self.encoded);
        let mut first = 0;
        for batch in self.batches() {
            match &encoder {
                Some(encoder) => {
                    sink.write_encoded(encoder.encode(&batch, first).unwrap()).unwrap()
                }
                None => sink.write(&batch).unwrap(),
            }
            first += batch.entries() as u64;
        }
        sink.finish().unwrap().bytes
    }

    fn check(&self, matrix: &dyn nnz_core::MatrixSource) {
        let rows = self.shape.rows;
        for (first, last) in [(0, rows), (rows / 3, rows - rows / 3)] {
            let mut found = entries(matrix, first..last);
            if self.options.data_type == DataType::Dense {
                found.retain(|element| element.2 != 0);
            }
            let inside = |element: &&Element| (first..last).contains(&element.0);
            let expected: Vec<Element> = self.elements.iter().filter(inside).copied().collect();
            assert_eq!(found, expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn matrices_round_trip(case in case()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf");
        let sink = MatrixSink::create(&path, &case.header(), unsynced(), &case.options).unwrap();
        case.write(sink);
        let bytes = std::fs::read(&path).unwrap();
        prop_assert!(looks_like(&bytes[..bytes.len().min(64)], bytes.len() as u64));
        prop_assert_eq!(faults(&path), Vec::<String>::new());
        let matrix = MatrixSource::open(&path, &ReadOptions::default()).unwrap();
        let has_meta = case.options.meta || case.options.dialect != Dialect::Spec;
        if has_meta || !case.shape.is_empty() {
            prop_assert_eq!(matrix.dialect(), case.options.dialect);
            prop_assert_eq!(matrix.header().value_type, case.value_type);
        }
        prop_assert_eq!(matrix.header().shape, case.shape);
        if matrix.header().value_type == case.value_type {
            case.check(&matrix);
        }
    }

    #[test]
    fn segments_round_trip(case in case(), segments in 1..5_u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf.hdfs");
        let options = Options { block: None, block_type: None, narrow: false, ..case.options };
        let mut sink: Box<dyn nnz_core::MatrixSink> = Box::new(
            SegmentsSink::create(&path, &case.header(), unsynced(), &options, segments).unwrap(),
        );
        for batch in case.batches() {
            sink.write(&batch).unwrap();
        }
        sink.finish().unwrap();
        prop_assert!(SegmentsSource::is_at(&path).unwrap());
        let read = ReadOptions { dialect: Some(options.dialect) };
        let matrix = SegmentsSource::open(&path, &read).unwrap();
        prop_assert_eq!(matrix.segments().len() as u64, segments);
        prop_assert_eq!(matrix.header().shape, case.shape);
        case.check(&matrix);
    }

    #[test]
    fn frames_round_trip_in_binary_and_as_text(
        kinds in prop::collection::vec((any::<prop::sample::Index>(), "[a-zé,\"\n ]{0,40}"), 0..6),
        words in prop::collection::vec(word(), 0..90),
        dialect in prop::sample::select(&Dialect::ALL[..]),
        block_rows in prop::option::of(1..5_u32),
        batch in 1..7_u64,
    ) {
        let types = dialect.value_types();
        let columns: Vec<Column> = kinds
            .into_iter()
            .map(|(kind, label)| Column { label, value_type: types[kind.index(types.len())] })
            .collect();
        let rows = words.len() / columns.len().max(1);
        let data: Vec<Values> = columns
            .iter()
            .zip(words.chunks(rows.max(1)))
            .map(|(column, words)| values(column.value_type, &words[..rows]))
            .collect();
        if data.len() < columns.len() {
            return Ok(());
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf");
        let options = FrameOptions { dialect, block_rows, meta: false };
        let mut sink = FrameSink::create(&path, &columns, unsynced(), &options).unwrap();
        let rows = rows as u64;
        let mut first = 0;
        while first < rows {
            let last = rows.min(first + batch);
            let part = |all: &Values| {
                let mut part = Values::new(all.value_type());
                part.extend_from(all, first as usize..last as usize);
                part
            };
            let columns = data.iter().map(part).collect();
            sink.write(&FrameBatch { rows: first..last, columns }).unwrap();
            first = last;
        }
        sink.finish().unwrap();
        prop_assert_eq!(faults(&path), Vec::<String>::new());
        let frame = FrameSource::open(&path, &ReadOptions::default()).unwrap();
        prop_assert_eq!(frame.columns(), &columns[..]);
        prop_assert_eq!(frame.rows(), rows);
        let all = |reader: &mut dyn nnz_daphne::FrameReader| {
            let mut bits = vec![Vec::new(); columns.len()];
            let mut batch = FrameBatch::default();
            while reader.next_batch(&mut batch).unwrap() {
                for (bits, values) in bits.iter_mut().zip(&batch.columns) {
                    let count = values.len().unwrap();
                    bits.extend((0..count).map(|index| scalar_bits(values.get(index).unwrap())));
                }
            }
            bits
        };
        let expected: Vec<Vec<u64>> = data
            .iter()
            .map(|values| (0..rows as usize).map(|i| scalar_bits(values.get(i).unwrap())).collect())
            .collect();
        prop_assert_eq!(&all(&mut *frame.batches(0..rows).unwrap()), &expected);
        if columns.is_empty() {
            return Ok(());
        }
        let text = folder.path().join("x.csv");
        let mut file = std::fs::File::create(&text).unwrap();
        let written = csv::write(&mut *frame.batches(0..rows).unwrap(), &mut file, csv::WriteOptions::default());
        let plain = data.iter().all(|values| match values {
            Values::F32(all) => all.iter().all(|v| !v.is_nan() || v.to_bits() == f32::NAN.to_bits()),
            Values::F64(all) => all.iter().all(|v| !v.is_nan() || v.to_bits() == f64::NAN.to_bits()),
            _ => true,
        });
        prop_assert_eq!(written.is_ok(), plain);
        if plain {
            let types = Some(columns.iter().map(|column| column.value_type).collect());
            let mut back = csv::CsvReader::open(&text, &csv::ReadOptions { types }).unwrap();
            prop_assert_eq!(back.columns(), &columns[..]);
            prop_assert_eq!(&all(&mut back), &expected);
        }
    }
}

#[test]
fn a_row_longer_than_a_batch_continues_in_the_next() {
    let cols = 700_000_u64;
    for (dialect, block_type) in [
        (Dialect::Spec, BlockType::Sparse),
        (Dialect::Spec, BlockType::UltraSparse),
        (Dialect::Spec, BlockType::Dense),
        (Dialect::Daphne, BlockType::Sparse),
        (Dialect::Daphne2022, BlockType::Sparse),
    ] {
        let elements: Vec<Element> = (0..cols).map(|col| (1, col, col + 1)).collect();
        let options = Options { dialect, block_type: Some(block_type), ..Options::default() };
        let shape = Shape { rows: 3, cols };
        let value_type = ValueType::U32;
        let case = Case {
            shape,
            value_type,
            elements,
            options,
            batch: 90_000,
            stored: false,
            encoded: true,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf");
        case.write(MatrixSink::create(&path, &case.header(), unsynced(), &options).unwrap());
        let matrix = MatrixSource::open(&path, &ReadOptions::default()).unwrap();
        case.check(&matrix);
        let mut batch = Batch::new(Order::Row, Values::default());
        let mut reader = matrix.batches(0..3, Projection::ALL).unwrap();
        while reader.next_batch(&mut batch).unwrap() {
            assert!(batch.entries() <= 256 << 10, "{dialect} {block_type}: {}", batch.entries());
            assert!(matches!(batch.majors, Majors::Consecutive(_) | Majors::Listed(_)));
        }
    }
}
