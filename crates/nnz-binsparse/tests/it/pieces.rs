//! Matrices of many pieces: read in any order and by range, with faults at the boundaries of
//! pieces.

use nnz_binsparse::{EntryReader, Format, Layout, MatrixSink, MatrixSource, Options, validate};
use nnz_container::memory::Memory;
use nnz_core::{
    Batch, Duplicates, Header, Majors, MatrixSink as _, MatrixSource as _, Minors, Order,
    Projection, Result, Scalar, Severity, Shape, ValueType, Values,
};

use crate::common::memory::{altered, with_elements};
use crate::common::{Entry, all_entries, entries_of, sorted};

/// Entries in a piece.
const PIECE: u64 = 1 << 16;

/// Writes a matrix whose major vector `m` has `lengths(m)` entries, in every `stride`th element.
fn written(layout: &Layout, shape: Shape, order: Order, options: &Options) -> Memory {
    let (majors, minors) = (shape.major(order), shape.minor(order));
    let header = Header::new(shape, order, ValueType::U32)
        .sorted_indices(true)
        .duplicates(Duplicates::Refused);
    let memory = Memory::new();
    let mut sink = Box::new(MatrixSink::create(memory.writer(), &header, layout, options).unwrap());
    let mut number = 0;
    for major in (0..majors).filter(|major| major % 7 != 3) {
        let start = major % 5;
        let list: Vec<u64> =
            (start..minors).step_by(1 + usize::try_from(major % 3).unwrap()).collect();
        let values = (number..).take(list.len()).collect();
        number += u32::try_from(list.len()).unwrap();
        let batch = Batch {
            order,
            majors: Majors::Listed(vec![major]),
            offsets: vec![0, list.len()],
            minors: Minors::U64(list),
            values: Values::U32(values),
        };
        sink.write(&batch).unwrap();
    }
    sink.finish().unwrap();
    memory
}

fn open(memory: &Memory) -> MatrixSource {
    MatrixSource::open(memory.arrays()).unwrap()
}

fn layouts() -> impl Iterator<Item = (Layout, Order)> {
    let named = Format::ALL.iter().filter(|format| format.layout().rank() == 2);
    let named = named.map(|format| (format.layout(), format.order()));
    named.chain([("sparse(dense(element))".parse().unwrap(), Order::Row)])
}

fn listed(memory: &Memory) -> Result<Vec<Entry>> {
    let mut reader = EntryReader::open(&memory.arrays())?;
    let mut entries = Vec::new();
    while let Some((at, value)) = reader.next_entry()? {
        entries.push((at.to_vec(), value));
    }
    Ok(entries)
}

/// A few long major vectors, and many short ones: both more than one piece and one window.
const SHAPES: [(u64, u64); 2] = [(5, 70_000), (50_000, 6)];

#[test]
fn pieces_decode_in_any_order_and_by_range() {
    for (layout, order) in layouts() {
        for (majors, minors) in SHAPES {
            let (rows, cols) = order.row_col(majors, minors);
            let memory = written(&layout, Shape { rows, cols }, order, &Options::default());
            let source = open(&memory);
            let entries = all_entries(&source).unwrap();
            assert!(entries.len() as u64 > PIECE);
            assert_eq!(sorted(&entries), sorted(&listed(&memory).unwrap()), "{layout}");

            // All units are taken before the last one is decoded first.
            let mut reader = source.units(0..majors, Projection::ALL).unwrap();
            let mut units = Vec::new();
            while let Some(unit) = reader.next_unit().unwrap() {
                units.push(unit);
            }
            assert!(units.len() > 1, "{layout}");
            let mut batch = Batch::new(order, Values::U32(Vec::new()));
            let mut backwards = 0;
            for unit in units.into_iter().rev() {
                unit.decode(&mut batch).unwrap();
                backwards += batch.entries();
            }
            assert_eq!(backwards, entries.len(), "{layout}");

            for range in [0..majors / 2, majors / 3..majors, majors - 1..majors, 2..2] {
                let part = entries_of(&source, range.clone()).unwrap();
                let inside = |at: &[u64]| range.contains(&order.major_minor(at[0], at[1]).0);
                let expected: Vec<_> =
                    entries.iter().filter(|(at, _)| inside(at)).cloned().collect();
                assert_eq!(part, expected, "{layout} {range:?}");
            }
        }
    }
}

#[test]
fn indices_of_every_type_are_read() {
    let shape = Shape { rows: 100, cols: 100 };
    for (layout, order) in layouts() {
        let plain =
            all_entries(&open(&written(&layout, shape, order, &Options::default()))).unwrap();
        for t in &ValueType::ALL[..8] {
            let wide = if t.size() == 1 { ValueType::I16 } else { *t };
            let options =
                Options { index_type: Some(*t), pointer_type: Some(wide), ..Options::default() };
            let memory = written(&layout, shape, order, &options);
            assert_eq!(all_entries(&open(&memory)).unwrap(), plain, "{layout} {t}");
            assert_eq!(listed(&memory).unwrap(), plain, "{layout} {t}");
        }
    }
}

#[test]
fn long_axes_have_64_bit_minors() {
    let shape = Shape { rows: u64::MAX, cols: u64::MAX };
    let memory = Memory::new();
    let batch = Batch {
        order: Order::Row,
        majors: Majors::Listed(vec![0, u64::MAX - 1]),
        offsets: vec![0, 1, 2],
        minors: Minors::U64(vec![1 << 40, u64::MAX - 1]),
        values: Values::F64(vec![1.0, 2.0]),
    };
    for format in [Format::Coor, Format::Dcsr] {
        let header = (open(&written(
            &format.layout(),
            Shape { rows: 9, cols: 9 },
            Order::Row,
            &Options::default(),
        ))
        .header()
        .clone())
        .value_type(ValueType::F64)
        .shape(shape);
        let layout = format.layout();
        let options = Options::default();
        let mut sink =
            Box::new(MatrixSink::create(memory.writer(), &header, &layout, &options).unwrap());
        sink.write(&batch).unwrap();
        sink.finish().unwrap();
        let entries = all_entries(&open(&memory)).unwrap();
        let expected = [
            (vec![0, 1 << 40], Scalar::F64(1.0)),
            (vec![u64::MAX - 1, u64::MAX - 1], Scalar::F64(2.0)),
        ];
        assert_eq!(entries, expected);
        let tail = entries_of(&open(&memory), 1 << 63..u64::MAX).unwrap();
        assert_eq!(tail, expected[1..]);
    }
}

/// Changes one element and expects an error from reading, listing and validation.
fn expect_fault(memory: &Memory, array: &str, element: u64, change: impl Fn(u64) -> u64) {
    let changed = altered(memory, array, |bytes| {
        with_elements(bytes, |elements| {
            let place = &mut elements[usize::try_from(element).unwrap()];
            *place = u32::try_from(change(u64::from(*place))).unwrap();
        });
    });
    let expected = format!("{array}, element {element}");
    let read = MatrixSource::open(nnz_container::NamedArrays::new(changed.clone()))
        .and_then(|source| all_entries(&source))
        .unwrap_err();
    assert!(read.to_string().contains(&expected), "{expected}: {read}");
    let listed = listed(&changed).unwrap_err();
    assert!(listed.to_string().contains(&expected), "{expected}: {listed}");
    let mut faults = Vec::new();
    validate(&|| Ok(nnz_container::NamedArrays::new(changed.clone())), &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    assert!(faults.iter().any(|fault| fault.contains(&expected)), "{expected}: {faults:?}");
}

#[test]
fn faults_at_boundaries_of_pieces_are_found() {
    let long = Shape { rows: 3, cols: 70_000 };
    for (format, majors) in
        [(Format::Csr, "pointers_to_1"), (Format::Dcsr, "indices_0"), (Format::Coor, "indices_0")]
    {
        let memory = written(&format.layout(), long, Order::Row, &Options::default());
        for element in [PIECE, PIECE - 1, 1] {
            // A duplicate index, and one that is less than the previous one.
            expect_fault(&memory, "indices_1", element, |index| index - 1);
            expect_fault(&memory, "indices_1", element, |index| index.saturating_sub(2));
        }
        expect_fault(&memory, "indices_1", PIECE, |_| 70_000);
        expect_fault(&memory, majors, 1, |_| u64::from(u32::MAX));
    }
    let many = Shape { rows: 40_000, cols: 3 };
    let window = 1 << 14;
    for format in [Format::Csr, Format::Dcsr] {
        let memory = written(&format.layout(), many, Order::Row, &Options::default());
        expect_fault(&memory, "pointers_to_1", window, |pointer| pointer - 9);
    }
    let memory = written(&Format::Dcsr.layout(), many, Order::Row, &Options::default());
    expect_fault(&memory, "indices_0", window, |major| major - 1);
    expect_fault(&memory, "indices_0", window + 1, |major| major - 2);
    let many = Shape { rows: 100_000, cols: 3 };
    let memory = written(&Format::Coor.layout(), many, Order::Row, &Options::default());
    expect_fault(&memory, "indices_0", PIECE, |major| major - 2);
    let listed: Layout = "sparse(dense(element))".parse().unwrap();
    let memory = written(&listed, Shape { rows: 9, cols: 70_000 }, Order::Row, &Options::default());
    expect_fault(&memory, "indices_0", 1, |_| 0);
    expect_fault(&memory, "indices_0", 7, |_| 9);
}
