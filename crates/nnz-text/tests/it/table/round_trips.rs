//! Written tables are read back exactly.

use nnz_storage::TaskContext;
use std::io::Write;
use std::sync::{Arc, Mutex};

use nnz_core::{
    Axis, Batch, Duplicates, Header, Majors, MatrixSource, Minors, Order, Scalar, Shape,
    StringList, ValueType, Values,
};
use nnz_lines::TextTarget;
use nnz_testing::random::Random;
use nnz_text::table::{ReadOptions, TableKind, WriteOptions, create};

use super::{cells, keeping, names, open_in, ways};

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn header(shape: Shape, value_type: ValueType) -> Header {
    Header::new(shape, Order::Row, value_type).sorted_indices(true).duplicates(Duplicates::Refused)
}

/// Writes cells other than zero, a few at a time.
fn written(
    shape: Shape,
    cells: &Values,
    names: [Option<&StringList>; 2],
    kind: TableKind,
    random: &mut Random,
) -> Vec<u8> {
    let out = Shared::default();
    let target = TextTarget::Stream {
        writer: Box::new(out.clone()),
        name: "out".to_owned(),
        context: TaskContext::default(),
    };
    let header = header(shape, cells.value_type());
    let names = names.map(|list| list.map(StringList::reader));
    let options = WriteOptions { kind, lossy: false };
    let mut sink = create(target, &header, names, [None, None], options).unwrap();
    let zero = Values::try_zeroed(cells.value_type(), 1).unwrap();
    let stored: Vec<usize> = (0..cells.len().unwrap())
        .filter(|&at| cells.bytes_of(at) != zero.bytes_of(0) || random.below(20) == 0)
        .collect();
    let mut rest = &stored[..];
    let cols = usize::try_from(shape.cols).unwrap();
    while !rest.is_empty() {
        let count = (1 + random.below(50)).min(rest.len());
        let (now, later) = rest.split_at(count);
        let mut values = Values::new(cells.value_type());
        now.iter().for_each(|&at| assert!(values.push(cells.get(at).unwrap())));
        let mut batch = Batch::new(Order::Row, values);
        batch.majors = Majors::Listed(Vec::new());
        let rows: Vec<u64> = now.iter().map(|at| (at / cols) as u64).collect();
        batch.list_majors(&rows);
        batch.minors = Minors::U64(now.iter().map(|at| (at % cols) as u64).collect());
        sink.write(&batch).unwrap();
        rest = later;
    }
    sink.finish().unwrap();
    std::mem::take(&mut *out.0.lock().unwrap())
}

/// The bytes of a value.
trait BytesOf {
    fn bytes_of(&self, at: usize) -> Vec<u8>;
}

impl BytesOf for Values {
    fn bytes_of(&self, at: usize) -> Vec<u8> {
        let size = self.value_type().size();
        self.bytes()[at * size..(at + 1) * size].to_vec()
    }
}

fn random_values(kind: usize, count: usize, random: &mut Random) -> Values {
    let whole: Vec<i64> = (0..count)
        .map(|_| match random.below(10) {
            0 => random.next().cast_signed(),
            1 => i64::try_from(random.below(2000)).unwrap() - 1000,
            2 => i64::try_from(random.below(10)).unwrap(),
            _ => 0,
        })
        .collect();
    match kind {
        0 => Values::I64(whole),
        1 => Values::U64(whole.iter().map(|value| value.unsigned_abs() << 1).collect()),
        2 => Values::U8(whole.iter().map(|value| value.to_le_bytes()[0]).collect()),
        _ => Values::F64(
            whole
                .iter()
                .map(|&value| match random.below(8) {
                    0 => f64::from_bits(value.cast_unsigned()),
                    1 => -0.0,
                    2 => f64::INFINITY,
                    3 => f64::from_bits(value.cast_unsigned() >> 40) / 8.0,
                    _ => f64::from(i32::try_from(value % 100_000).unwrap()) / 8.0,
                })
                .map(|value| if value.is_nan() { f64::NAN } else { value })
                .collect(),
        ),
    }
}

fn random_names(count: u64, random: &mut Random) -> StringList {
    let pieces =
        ["g", "é", ",", "\"", "\n", "\r\n", "\t", " ", ";", "#", "1", "NA", "基", "\u{feff}"];
    (0..count)
        .map(|_| (0..random.below(5)).map(|_| *random.pick(&pieces)).collect::<String>())
        .collect()
}

#[test]
fn random_tables_round_trip() {
    let mut random = Random::new(11);
    for case in 0..400 {
        let shape = Shape { rows: random.below(30) as u64, cols: 1 + random.below(200) as u64 };
        let count = usize::try_from(shape.elements()).unwrap();
        let values = random_values(case % 4, count, &mut random);
        let lists = [random_names(shape.rows, &mut random), random_names(shape.cols, &mut random)];
        let kind = *random.pick(&[TableKind::Csv, TableKind::Tsv, TableKind::Gct]);
        let text = written(shape, &values, [Some(&lists[0]), Some(&lists[1])], kind, &mut random);
        let separator = Some(nnz_text::table::Separator::Byte(kind.separator()));
        let plain = ReadOptions { id_columns: Some(1), separator, ..ReadOptions::default() };
        for (options, context) in ways(&plain) {
            let table = open_in(&text, &options, &context).unwrap();
            assert_eq!(table.header().shape, shape);
            for (axis, list) in [Axis::Rows, Axis::Cols].into_iter().zip(&lists) {
                let found = table.names(axis).unwrap().unwrap();
                assert!(found == *list, "{}", String::from_utf8_lossy(&text));
            }
            let found = cells(&table).unwrap();
            for (at, found) in found.iter().enumerate() {
                let expected = values.get(at).unwrap();
                let same = match (expected, *found) {
                    (Scalar::F64(a), Scalar::F64(b)) => a.to_bits() == b.to_bits(),
                    (a, b) => a.to_string() == b.to_string(),
                };
                assert!(same, "{expected} {found}");
            }
        }
    }
}

#[test]
fn what_has_no_names_is_numbered() {
    let mut random = Random::new(1);
    let values = Values::F64(vec![0.5, 0.0, f64::NAN, -3.0]);
    let shape = Shape { rows: 2, cols: 2 };
    let text = written(shape, &values, [None, None], TableKind::Csv, &mut random);
    assert_eq!(String::from_utf8(text).unwrap(), ",0,1\n0,0.5,0.0\n1,nan,-3.0\n");
    let text = written(shape, &values, [None, None], TableKind::Gct, &mut random);
    let gct = "#1.2\n2\t2\nName\tDescription\t0\t1\n0\tna\t0.5\t0.0\n1\tna\tnan\t-3.0\n";
    assert_eq!(String::from_utf8(text).unwrap(), gct);
    let none = Values::I64(Vec::new());
    let empty = Shape { rows: 0, cols: 2 };
    let text = written(empty, &none, [None, None], TableKind::Csv, &mut random);
    assert_eq!(text, b",0,1\n");
    let table = super::open(&text, &keeping()).unwrap();
    assert_eq!((table.header().shape, names(&table, Axis::Rows)), (empty, Some(Vec::new())));
}

#[test]
fn long_rows_and_many_blocks_are_read() {
    for (rows, cols) in [(3_u64, 400_000_u64), (200_000, 3), (2000, 700)] {
        let mut text = String::new();
        (0..cols).for_each(|col| text += &format!(",c{col}"));
        text.push('\n');
        let value = |row: u64, col: u64| (row * 31 + col * 7) % 23;
        for row in 0..rows {
            text += &format!("\"r,{row}\n\"");
            (0..cols).for_each(|col| text += &format!(",{}", value(row, col)));
            text.push('\n');
        }
        for (options, context) in ways(&ReadOptions::default()) {
            let options = ReadOptions { keep: options.keep * 8, ..options };
            let table = open_in(text.as_bytes(), &options, &context).unwrap();
            assert_eq!(table.header().shape, Shape { rows, cols });
            let found = cells(&table).unwrap();
            let expected = (0..rows).flat_map(|row| (0..cols).map(move |col| value(row, col)));
            assert!(found.iter().zip(expected).all(|(a, b)| *a == Scalar::I64(b.cast_signed())));
        }
    }
}
