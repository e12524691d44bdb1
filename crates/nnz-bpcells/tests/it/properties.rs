//! Any matrix that is written is read back.

use std::collections::BTreeMap;
use std::path::Path;

use nnz_bpcells::{FormatVersion, MatrixSink, MatrixSource, Packing, SinkOptions};
use nnz_container::directory::{Directory, DirectoryWriter};
use nnz_container::memory::Memory;
use nnz_container::tree::Group as _;
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_core::{
    Axis, Batch, Header, Majors, MatrixSink as _, MatrixSource as _, Minors, Order, Projection,
    Severity, Shape, StringList, ValueType, Values,
};
use nnz_storage::staging::WriteOptions;
use proptest::prelude::*;

use crate::common;

/// Any matrix: the entries of one major may be in any order and at the same position.
#[derive(Clone, Debug)]
struct Matrix {
    shape: Shape,
    order: Order,
    value_type: ValueType,
    /// Major, minor and bits of the value, sorted by major.
    entries: Vec<(u64, u32, u64)>,
    names: [Option<Vec<String>>; 2],
}

fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![1 => Just(0_u64), 1 => Just(1), 6 => 2..=300_u64]
}

/// Any bits, small numbers, and special floats.
fn bits() -> impl Strategy<Value = u64> {
    let odd = [
        0,
        0x8000_0000_0000_0000, // -0.0
        0x7ff0_0000_0000_0000, // inf
        0x7ff8_0000_0000_0000, // nan
        0x7ff0_0000_0000_07a2, // a signalling nan with a payload: R's NA
        0xffff_ffff_ffff_ffff,
        1,                     // subnormal
        0x7fc0_0001_8000_0000, // as two floats: nan with a payload, -0.0
    ];
    prop_oneof![3 => any::<u64>(), 4 => 0..1000_u64, 1 => proptest::sample::select(odd.to_vec())]
}

fn matrices() -> impl Strategy<Value = Matrix> {
    let kinds = (
        prop_oneof![Just(Order::Col), Just(Order::Row)],
        prop_oneof![Just(ValueType::U32), Just(ValueType::F32), Just(ValueType::F64)],
        any::<[bool; 2]>(),
    );
    (lengths(), lengths(), kinds).prop_flat_map(|(rows, cols, (order, value_type, named))| {
        let shape = Shape { rows, cols };
        let (majors, minors) = (shape.major(order), shape.minor(order));
        let entry = (0..majors.max(1), 0..minors.max(1) as u32, bits());
        let most = if shape.is_empty() { 0 } else { 700 };
        let names = |len: u64, named: bool| {
            // An axis of length 0 has no names either.
            let has_names = named && len > 0;
            let one = "[a-zA-Z0-9_é \t-]{0,6}";
            proptest::collection::vec(one, len as usize).prop_map(move |n| has_names.then_some(n))
        };
        let names = (names(rows, named[0]), names(cols, named[1]));
        (proptest::collection::vec(entry, 0..=most), any::<bool>(), names).prop_map(
            move |(mut entries, sorted, names)| {
                match sorted {
                    true => entries.sort_by_key(|(major, minor, _)| (*major, *minor)),
                    false => entries.sort_by_key(|(major, ..)| *major),
                }
                Matrix { shape, order, value_type, entries, names: [names.0, names.1] }
            },
        )
    })
}

fn values(value_type: ValueType, bits: impl Iterator<Item = u64>) -> Values {
    match value_type {
        ValueType::U32 => Values::U32(bits.map(|bits| bits as u32).collect()),
        ValueType::F32 => Values::F32(bits.map(|bits| f32::from_bits(bits as u32)).collect()),
        _ => Values::F64(bits.map(f64::from_bits).collect()),
    }
}

impl Matrix {
    fn header(&self) -> Header {
        Header::new(self.shape, self.order, self.value_type)
    }

    /// Splits the entries into batches of all forms.
    fn batches(&self, cuts: &[usize]) -> Vec<Batch> {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (self.entries.len() + 1)).collect();
        cuts.extend([0, self.entries.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).enumerate();
        parts.map(|(number, ends)| self.batch(&self.entries[ends[0]..ends[1]], number)).collect()
    }

    fn batch(&self, entries: &[(u64, u32, u64)], number: usize) -> Batch {
        let mut offsets = vec![0];
        let first = entries.first().map_or(0, |(major, ..)| *major);
        let last = entries.last().map_or(0, |(major, ..)| *major);
        let listed = number % 2 == 1;
        let mut majors = Vec::new();
        if !entries.is_empty() {
            for major in first..=last {
                let count = entries.iter().filter(|(m, ..)| *m == major).count();
                if count > 0 || !listed {
                    majors.push(major);
                    offsets.push(offsets[offsets.len() - 1] + count);
                }
            }
        }
        let minors = entries.iter().map(|(_, minor, _)| *minor);
        Batch {
            order: self.order,
            majors: if listed { Majors::Listed(majors) } else { Majors::Consecutive(first) },
            offsets,
            minors: match number % 3 {
                0 => Minors::U64(minors.map(u64::from).collect()),
                _ => Minors::U32(minors.collect()),
            },
            values: values(self.value_type, entries.iter().map(|(.., bits)| *bits)),
        }
    }

    fn write(&self, into: NamedArraysWriter, options: SinkOptions, cuts: &[usize]) -> u64 {
        let names = self.names.clone().map(|names| names.map(StringList::from_iter));
        let names = names.map(|names| names.map(StringList::into_reader));
        let mut sink = MatrixSink::create(into, &self.header(), names, options).unwrap();
        for batch in self.batches(cuts) {
            sink.write(&batch).unwrap();
        }
        Box::new(sink).finish().unwrap().bytes
    }

    /// Row, column and bits, like `common::entries`.
    fn expected(&self) -> Vec<common::Entry> {
        let digits = self.value_type.size() * 2;
        let entries = self.entries.iter().map(|(major, minor, bits)| {
            let (row, col) = self.order.row_col(*major, u64::from(*minor));
            let bits = if digits == 8 { u64::from(*bits as u32) } else { *bits };
            (row, col, format!("{bits:0digits$x}"))
        });
        entries.collect()
    }
}

fn all_options() -> impl Iterator<Item = SinkOptions> {
    [Packing::Packed, Packing::Unpacked].into_iter().flat_map(|packing| {
        [FormatVersion::V1, FormatVersion::V2]
            .into_iter()
            .map(move |format_version| SinkOptions { packing, format_version })
    })
}

fn directory_writer(path: &Path) -> NamedArraysWriter {
    let options = WriteOptions::default().overwrite(true).sync(false);
    NamedArraysWriter::new(DirectoryWriter::create(path, options, nnz_bpcells::MEMBERS).unwrap())
}

fn bytes_of(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(path).unwrap().map(|file| file.unwrap());
    let read = |f: std::fs::DirEntry| {
        (f.file_name().into_string().unwrap(), std::fs::read(f.path()).unwrap())
    };
    files.map(read).collect()
}

fn check(matrix: &Matrix, container: NamedArrays, options: SinkOptions) {
    let source = MatrixSource::open(container).unwrap();
    assert_eq!(source.version().packing, options.packing);
    assert_eq!(source.version().format_version, options.format_version);
    let header = source.header();
    assert_eq!(header.shape, matrix.shape);
    assert_eq!((header.order, header.value_type), (matrix.order, matrix.value_type));
    assert_eq!(header.nnz, Some(matrix.entries.len() as u64));
    let expected = matrix.expected();
    assert_eq!(common::all_entries(&source).unwrap(), expected);
    for (axis, names) in [Axis::Rows, Axis::Cols].into_iter().zip(&matrix.names) {
        let expected = names.as_ref().map(StringList::from_iter);
        assert_eq!(source.names(axis).unwrap(), expected);
    }
    // Any range equals the slice of all entries, also without indices or values.
    let majors = matrix.shape.major(matrix.order);
    for (start, end) in [(0, majors / 2), (majors / 2, majors), (majors / 3, majors / 3 + 1)] {
        let range = start.min(majors)..end.min(majors);
        let part: Vec<_> = expected
            .iter()
            .filter(|(row, col, _)| range.contains(&matrix.order.major_minor(*row, *col).0))
            .cloned()
            .collect();
        assert_eq!(common::entries(&source, range.clone()).unwrap(), part);
        let before = source.stored_before(range.start).unwrap().unwrap();
        let after = source.stored_before(range.end).unwrap().unwrap();
        assert_eq!((after - before) as usize, part.len());
        for fields in [Projection::MINORS, Projection::VALUES] {
            let mut batch = Batch::new(header.order, Values::new(header.value_type));
            let mut reader = source.batches(range.clone(), fields).unwrap();
            let mut count = 0;
            while reader.next_batch(&mut batch).unwrap() {
                count += batch.entries();
            }
            assert_eq!(count, part.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matrices_round_trip_in_every_version(
        matrix in matrices(),
        cuts in proptest::collection::vec(any::<usize>(), 0..6),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        for options in all_options() {
            let path = scratch.path().join("m");
            let bytes = matrix.write(directory_writer(&path), options, &cuts);
            check(&matrix, NamedArrays::new(Directory::open(&path).unwrap()), options);
            let files = bytes_of(&path);
            prop_assert_eq!(bytes, files.values().map(|file| file.len() as u64).sum::<u64>());

            let memory = Memory::new();
            matrix.write(memory.writer(), options, &cuts);
            check(&matrix, NamedArrays::new(memory.clone()), options);
            // Both containers have the same members.
            let in_memory: Vec<_> = memory.member_names().unwrap();
            prop_assert!(in_memory.iter().eq(files.keys()));
        }
    }

    #[test]
    fn the_size_of_batches_does_not_change_the_file(
        matrix in matrices(),
        cuts in proptest::collection::vec(any::<usize>(), 1..40),
        more in proptest::collection::vec(any::<usize>(), 1..4),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        for options in all_options() {
            let paths = ["whole", "cut", "more"].map(|name| scratch.path().join(name));
            matrix.write(directory_writer(&paths[0]), options, &[]);
            matrix.write(directory_writer(&paths[1]), options, &cuts);
            matrix.write(directory_writer(&paths[2]), options, &more);
            let whole = bytes_of(&paths[0]);
            prop_assert!(whole == bytes_of(&paths[1]));
            prop_assert!(whole == bytes_of(&paths[2]));
        }
    }

    #[test]
    fn written_matrices_are_valid(matrix in matrices()) {
        for options in all_options() {
            let memory = Memory::new();
            matrix.write(memory.writer(), options, &[]);
            let mut findings = Vec::new();
            nnz_bpcells::validate(&|| Ok(NamedArrays::new(memory.clone())), &mut |finding| {
                findings.push(finding);
            })
            .unwrap();
            let fault = findings.iter().find(|f| f.severity == Severity::Fault);
            prop_assert!(fault.is_none(), "{:?}", fault);
        }
    }

    #[test]
    fn invalid_entries_are_errors(matrix in matrices(), outside in any::<bool>()) {
        prop_assume!(!matrix.entries.is_empty());
        let mut wrong = matrix.clone();
        let majors = matrix.shape.major(matrix.order);
        let minors = matrix.shape.minor(matrix.order) as u32;
        let last = wrong.entries.len() - 1;
        match outside {
            true => wrong.entries[last].1 = minors,
            false => wrong.entries[last].0 = majors,
        }
        let memory = Memory::new();
        let into = memory.writer();
        let options = SinkOptions::default();
        let mut sink = MatrixSink::create(into, &matrix.header(), [None, None], options).unwrap();
        let batch = wrong.batch(&wrong.entries, 0);
        prop_assert!(sink.write(&batch).is_err());
        drop(sink);
        prop_assert!(memory.member_names().unwrap().is_empty());
    }
}
