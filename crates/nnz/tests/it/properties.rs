//! Properties of conversions of any matrix.

use nnz::Context;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::entries::{self, Entry, Number};
use crate::common::{location, sparing, unsynced};
use nnz::{
    ConvertOptions, Order, ValueType,
    error::Severity,
    formats::FormatOptions,
    formats::values::{FormatVersion, Packing},
    output::DuplicatePolicy,
};
use nnz_testing::random::Random;
use proptest::prelude::*;

fn bpcells_options(packing: Packing, version: FormatVersion) -> FormatOptions {
    let unpacked = packing == Packing::Unpacked;
    let version = if version == FormatVersion::V1 { "1" } else { "2" };
    FormatOptions::new().with("unpacked", unpacked.to_string()).with("format-version", version)
}

/// A directory for one case.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn convert(from: &Path, to: &Path, options: &ConvertOptions) -> nnz::Summary {
    convert_with(from, to, options, &sparing())
}

fn convert_with(
    from: &Path,
    to: &Path,
    options: &ConvertOptions,
    context: &Context,
) -> nnz::Summary {
    let done = nnz::convert(location(from), location(to), options, context);
    done.unwrap_or_else(|error| panic!("{} to {}: {error}", from.display(), to.display()))
}

fn refusal(from: &Path, to: &Path, options: &ConvertOptions) -> String {
    refusal_with(from, to, options, &sparing())
}

fn refusal_with(from: &Path, to: &Path, options: &ConvertOptions, context: &Context) -> String {
    let done = nnz::convert(location(from), location(to), options, context);
    assert!(!to.exists());
    done.expect_err("a refusal").to_string()
}

fn stored(path: &Path) -> Vec<Entry> {
    entries::stored(&*nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap())
        .unwrap()
}

fn logical(path: &Path) -> Vec<Entry> {
    entries::logical(&*nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap())
        .unwrap()
}

fn order_of(path: &Path) -> Order {
    nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap().header().order
}

/// Entries in the order of a store.
fn ordered(mut entries: Vec<Entry>, order: Order) -> Vec<Entry> {
    entries.sort_by_key(|(row, col, _)| order.major_minor(*row, *col));
    entries
}

fn bytes_of(path: &Path) -> BTreeMap<String, Vec<u8>> {
    if path.is_file() {
        return BTreeMap::from([(String::new(), fs::read(path).unwrap())]);
    }
    let files = fs::read_dir(path).unwrap().map(|file| file.unwrap());
    let read =
        |f: fs::DirEntry| (f.file_name().into_string().unwrap(), fs::read(f.path()).unwrap());
    files.map(read).collect()
}

#[track_caller]
fn assert_valid(path: &Path) {
    let context = Context::default().with_memory(64 << 20).with_threads(2);
    let options = nnz::ValidateOptions::default();
    nnz::validate(location(path), &options, &context, &mut |finding| {
        assert_ne!(finding.severity, Severity::Fault, "{finding}");
    })
    .unwrap();
}

/// The content of a Matrix Market file, written independently of the tested code.
#[derive(Clone, Debug)]
struct Text {
    field: &'static str,
    symmetry: &'static str,
    rows: u64,
    cols: u64,
    /// Row, column and the text of the value.
    entries: Vec<(u64, u64, String)>,
}

impl Text {
    fn write(&self, path: &Path) {
        let (field, symmetry) = (self.field, self.symmetry);
        let mut text = format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n");
        writeln!(text, "{} {} {}", self.rows, self.cols, self.entries.len()).unwrap();
        for (row, col, value) in &self.entries {
            writeln!(text, "{} {} {value}", row + 1, col + 1).unwrap();
        }
        fs::write(path, text).unwrap();
    }
}

/// Values that a field supports: the text, and the number.
fn value(field: &'static str, bits: u64) -> (String, Number) {
    match field {
        "pattern" => (String::new(), Number::Integer(1)),
        "integer" => {
            // Values of a BPCells store, of all sizes.
            let value = (bits as u32) >> (bits >> 59);
            (value.to_string(), Number::Integer(value.into()))
        }
        "complex" => {
            let [re, im] = [real(bits), real(bits.rotate_left(23))];
            (format!("{re:e} {im:e}"), Number::Complex([re.to_bits(), im.to_bits()]))
        }
        _ => {
            let value = real(bits);
            let text = match (bits >> 60, value) {
                // Negative zeros are kept; NaN and infinities have names.
                (0, _) => return ("nan".to_owned(), Number::Real(f64::NAN.to_bits())),
                (1, _) => return ("-inf".to_owned(), Number::Real(f64::NEG_INFINITY.to_bits())),
                (2, _) => return ("-0.0".to_owned(), Number::Real((-0.0_f64).to_bits())),
                (_, value) => format!("{value:e}"),
            };
            (text, Number::Real(value.to_bits()))
        }
    }
}

/// A finite float of any size.
fn real(bits: u64) -> f64 {
    let value = f64::from_bits(bits);
    if value.is_finite() { value } else { (bits & 0xffff) as f64 }
}

/// Unique positions in any order; in one triangle if there is a symmetry.
fn texts(
    fields: &'static [(&'static str, &'static str)],
) -> impl Strategy<Value = (Text, Vec<Entry>)> {
    let length = || prop_oneof![1 => Just(0_u64), 1 => Just(1), 6 => 2..=300_u64];
    let kinds = proptest::sample::select(fields.to_vec());
    (length(), length(), kinds, 0..600_usize, any::<u64>(), 0..3_u8).prop_map(
        |(rows, cols, (field, symmetry), most, seed, arrangement)| {
            let cols = if symmetry == "general" { cols } else { rows };
            let mut random = Random::new(seed);
            let mut places = BTreeMap::new();
            for _ in 0..if rows * cols == 0 { 0 } else { most } {
                let (mut row, mut col) = (random.next() % rows, random.next() % cols);
                if symmetry != "general" && row < col {
                    (row, col) = (col, row);
                }
                if symmetry != "skew-symmetric" || row != col {
                    places.insert((row, col), random.next());
                }
            }
            let mut all: Vec<_> = places.into_iter().collect();
            match arrangement {
                0 => {}
                1 => all.sort_by_key(|((row, col), _)| (*col, *row)),
                _ => all.sort_by_key(|(_, bits)| *bits),
            }
            let mut written = Vec::new();
            let mut expected = Vec::new();
            for ((row, col), bits) in all {
                let (mut text, mut number) = value(field, bits);
                if symmetry == "hermitian" && row == col {
                    let re = real(bits);
                    text = format!("{re:e} 0");
                    number = Number::Complex([re.to_bits(), 0]);
                }
                written.push((row, col, text));
                expected.push((row, col, number));
            }
            (Text { field, symmetry, rows, cols, entries: written }, expected)
        },
    )
}

const GENERAL: &[(&str, &str)] =
    &[("integer", "general"), ("real", "general"), ("pattern", "general")];

const SYMMETRIC: &[(&str, &str)] = &[
    ("integer", "symmetric"),
    ("real", "symmetric"),
    ("real", "skew-symmetric"),
    ("pattern", "symmetric"),
    ("complex", "symmetric"),
    ("complex", "skew-symmetric"),
    ("complex", "hermitian"),
];

fn packing() -> impl Strategy<Value = (Packing, FormatVersion)> {
    let packings = prop_oneof![Just(Packing::Packed), Just(Packing::Unpacked)];
    (packings, prop_oneof![Just(FormatVersion::V1), Just(FormatVersion::V2)])
}

/// The text of NaN is one of several; any of them is correct.
fn same(found: &[Entry], expected: &[Entry]) -> bool {
    let nan = |number: &Number| matches!(number, Number::Real(b) if f64::from_bits(*b).is_nan());
    found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a.0, a.1) == (b.0, b.1) && (a.2 == b.2 || nan(&a.2) && nan(&b.2)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_to_store_to_text_keeps_all_entries(
        (text, expected) in texts(GENERAL),
        (packing, generation) in packing(),
        by_row in any::<bool>(),
    ) {
        let scratch = Scratch::new();
        let (from, store, back) = (scratch.at("a.mtx"), scratch.at("b.bpcells"), scratch.at("c.mtx.gz"));
        text.write(&from);
        let order = if by_row { Order::Row } else { Order::Col };
        let options = unsynced().order(order).format_options(bpcells_options(packing, generation));
        let summary = convert(&from, &store, &options);
        prop_assert_eq!(summary.entries, expected.len() as u64);
        assert_valid(&store);
        let ordered_entries = ordered(expected, order);
        prop_assert!(same(&stored(&store), &ordered_entries));
        convert(&store, &back, &unsynced());
        assert_valid(&back);
        prop_assert!(same(&stored(&back), &ordered_entries));
        // Converting that text again gives the same text.
        let again = scratch.at("d.mtx.gz");
        convert(&back, &again, &unsynced());
        let cat = |path: &Path| {
            let mut out = Vec::new();
            nnz::cat(location(path), &nnz::CatOptions::default(), &sparing(), &mut out).unwrap();
            out
        };
        if order == Order::Col {
            prop_assert_eq!(cat(&back), cat(&again));
        }
    }

    #[test]
    fn text_to_npz_keeps_all_entries(
        (text, expected) in texts(&GENERAL[..2]),
        by_row in any::<bool>(),
        gzip in any::<bool>(),
    ) {
        let scratch = Scratch::new();
        let (from, npz) = (scratch.at("a.mtx"), scratch.at("b.npz"));
        text.write(&from);
        let order = if by_row { Order::Row } else { Order::Col };
        let mut options = unsynced().order(order);
        options.compress = gzip.then_some(nnz::Compression::Gzip(1));
        convert(&from, &npz, &options);
        assert_valid(&npz);
        prop_assert_eq!(order_of(&npz), order);
        prop_assert!(same(&stored(&npz), &ordered(expected, order)));
    }

    #[test]
    fn changing_the_order_matches_the_reference(
        (text, expected) in texts(GENERAL),
        (packing, generation) in packing(),
    ) {
        let scratch = Scratch::new();
        let from = scratch.at("a.mtx");
        text.write(&from);
        let mut options =
            unsynced().format_options(bpcells_options(packing, generation));
        let [cols, rows, again] = ["cols", "rows", "again"].map(|name| scratch.at(name));
        options = options.format("bpcells");
        convert(&from, &cols, &options);
        options.order = Some(Order::Row);
        convert(&cols, &rows, &options);
        prop_assert_eq!(order_of(&rows), Order::Row);
        prop_assert!(same(&stored(&rows), &ordered(expected, Order::Row)));
        assert_valid(&rows);
        options.order = Some(Order::Col);
        convert(&rows, &again, &options);
        prop_assert!(bytes_of(&again) == bytes_of(&cols));
    }

    #[test]
    fn expansion_matches_the_dense_reference((text, expected) in texts(SYMMETRIC)) {
        let scratch = Scratch::new();
        let from = scratch.at("a.mtx");
        text.write(&from);
        // The dense matrix, element by element.
        let mut dense = BTreeMap::new();
        let turned = |number: Number| match (text.symmetry, number) {
            ("skew-symmetric", Number::Real(b)) => Number::Real(b ^ (1 << 63)),
            ("skew-symmetric", Number::Complex(b)) => Number::Complex(b.map(|b| b ^ (1 << 63))),
            ("hermitian", Number::Complex([re, im])) => Number::Complex([re, im ^ (1 << 63)]),
            (_, number) => number,
        };
        for (row, col, number) in &expected {
            dense.insert((*col, *row), turned(*number));
            dense.insert((*row, *col), *number);
        }
        let dense: Vec<Entry> = dense.into_iter().map(|((row, col), v)| (row, col, v)).collect();
        prop_assert!(same(&logical(&from), &dense));

        let mut printed = Vec::new();
        let expand = nnz::CatOptions::default().expand(true);
        nnz::cat(location(&from), &expand, &sparing(), &mut printed).unwrap();
        let printed = String::from_utf8(printed).unwrap();
        let mut places: Vec<(u64, u64)> = printed.lines().map(|line| {
            let mut fields = line.split('\t').take(2).map(|field| field.parse().unwrap());
            (fields.next().unwrap(), fields.next().unwrap())
        }).collect();
        places.sort_unstable();
        prop_assert!(places.iter().copied().eq(dense.iter().map(|(row, col, _)| (*row, *col))));

        // A target without structures stores the whole matrix.
        let store = scratch.at("b.bpcells");
        let done = nnz::convert(location(&from), location(&store), &unsynced(), &sparing());
        if text.field == "complex" {
            prop_assert!(done.is_err() && !store.exists());
        } else {
            prop_assert_eq!(done.unwrap().entries, dense.len() as u64);
            prop_assert!(same(&stored(&store), &ordered(dense.clone(), Order::Col)));
        }
        // A target with structures keeps it.
        let back = scratch.at("c.mtx");
        convert(&from, &back, &unsynced());
        let banner = fs::read_to_string(&back).unwrap();
        prop_assert!(banner.lines().next().unwrap().ends_with(text.symmetry));
        prop_assert_eq!(stored(&back).len(), expected.len());
        prop_assert!(same(&logical(&back), &dense));
    }

    #[test]
    fn summed_duplicates_match_the_reference(
        (text, expected) in texts(&[("integer", "general"), ("integer", "symmetric")]),
        seed in any::<u64>(),
    ) {
        let scratch = Scratch::new();
        let from = scratch.at("a.mtx");
        // Some entries are repeated anywhere in the file, also across the diagonal if that is the
        // same position.
        let mut random = Random::new(seed);
        let mut text = text;
        let mut sums: BTreeMap<(u64, u64), i128> = BTreeMap::new();
        let mut repeated = false;
        let mut all = Vec::new();
        for (row, col, _) in expected {
            for time in 0..1 + random.below(3) {
                let value = random.next() % 1000;
                let across = text.symmetry == "symmetric" && random.below(4) == 0;
                let place = if across { (col, row) } else { (row, col) };
                all.push((place.0, place.1, value.to_string()));
                *sums.entry((row, col)).or_default() += i128::from(value);
                repeated |= time > 0;
            }
        }
        for last in (1..all.len()).rev() {
            all.swap(last, random.below(last + 1));
        }
        text.entries = all;
        text.write(&from);
        let mut options = unsynced();
        let store = scratch.at("b.bpcells");
        if repeated {
            let message = refusal(&from, &store, &options);
            prop_assert!(message.contains("duplicate entry"), "{}", message);
            prop_assert!(message.matches("line ").count() == 2, "{}", message);
        }
        options.duplicates = Some(DuplicatePolicy::Sum);
        convert(&from, &store, &options);
        let mut reference = Vec::new();
        for ((row, col), sum) in sums {
            reference.push((row, col, Number::Integer(sum)));
            if text.symmetry == "symmetric" && row != col {
                reference.push((col, row, Number::Integer(sum)));
            }
        }
        prop_assert_eq!(stored(&store), ordered(reference.clone(), Order::Col));
        let back = scratch.at("c.mtx");
        convert(&from, &back, &options);
        prop_assert_eq!(logical(&back), ordered(reference, Order::Row));
    }
}

/// A text with more entries than fit into little memory, in random order.
fn shuffled(entries: u64, seed: u64, field: &'static str) -> Text {
    let (rows, cols) = (700, 500);
    let mut random = Random::new(seed);
    let mut places = std::collections::BTreeSet::new();
    while (places.len() as u64) < entries {
        places.insert((random.next() % rows, random.next() % cols));
    }
    let mut all: Vec<_> =
        places.into_iter().map(|(row, col)| (row, col, value(field, random.next()).0)).collect();
    for last in (1..all.len()).rev() {
        all.swap(last, random.below(last + 1));
    }
    Text { field, symmetry: "general", rows, cols, entries: all }
}

#[test]
fn memory_and_threads_do_not_change_the_result() {
    let scratch = Scratch::new();
    for (field, seed) in [("integer", 1), ("real", 2), ("pattern", 3)] {
        let from = scratch.at("a.mtx");
        shuffled(60_000, seed, field).write(&from);
        for format in ["bpcells", "mtx"] {
            for order in [Order::Col, Order::Row] {
                let mut options = unsynced();
                options = options.format(format);
                options.order = Some(order);
                let expected = scratch.at(&format!("expected.{format}"));
                convert(&from, &expected, &options);
                let expected = bytes_of(&expected);
                for memory in [1, 4 << 10, 64 << 10, 1 << 20] {
                    for threads in [1, 2, 5] {
                        let found = scratch.at(&format!("found.{format}"));
                        let context = sparing().with_memory(memory).with_threads(threads);
                        convert_with(&from, &found, &options, &context);
                        let same = bytes_of(&found) == expected;
                        assert!(same, "{field}, {format}, {order}, {memory} bytes, {threads}");
                    }
                }
            }
        }
    }
    let left: Vec<_> = fs::read_dir(scratch.0.path()).unwrap().collect();
    assert_eq!(left.len(), 5, "{left:?}");
}

#[test]
fn memory_does_not_change_a_transposed_store() {
    let scratch = Scratch::new();
    let (text, store) = (scratch.at("a.mtx"), scratch.at("a.bpcells"));
    shuffled(50_000, 7, "real").write(&text);
    convert(&text, &store, &unsynced());
    let mut options = unsynced();
    options = options.format("bpcells");
    options.order = Some(Order::Row);
    let expected = scratch.at("expected");
    convert(&store, &expected, &options);
    for memory in [1, 64 << 10] {
        for threads in [1, 2] {
            let context = sparing().with_memory(memory).with_threads(threads);
            let found = scratch.at("found");
            convert_with(&store, &found, &options, &context);
            assert!(bytes_of(&found) == bytes_of(&expected), "{memory} bytes, {threads} threads");
        }
    }
}

#[test]
fn distant_duplicates_are_found_and_summed_in_any_memory() {
    let scratch = Scratch::new();
    let from = scratch.at("a.mtx");
    let mut text = shuffled(40_000, 9, "integer");
    for entry in &mut text.entries {
        entry.2 = "1".to_owned();
    }
    let (row, col) = (text.entries[0].0, text.entries[0].1);
    text.entries.push((row, col, "5".to_owned()));
    text.write(&from);
    for memory in [1, 64 << 20] {
        let options = unsynced();
        let context = sparing().with_memory(memory);
        let store = scratch.at("b.bpcells");
        let message = refusal_with(&from, &store, &options, &context);
        // The banner and the size line come before the entries.
        assert!(message.contains("line 40003, column 1"), "{message}");
        assert!(message.contains("the first is at line 3, column 1"), "{message}");
        let mut findings = Vec::new();
        let context = context.with_threads(2);
        let allowed = nnz::ValidateOptions::default();
        nnz::validate(location(&from), &allowed, &context, &mut |finding| findings.push(finding))
            .unwrap();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].to_string().contains("line 40003, column 1"), "{}", findings[0]);

        let summed = options.duplicates(DuplicatePolicy::Sum);
        assert_eq!(convert_with(&from, &store, &summed, &context).entries, 40_000);
        let sum = stored(&store).into_iter().find(|(r, c, _)| (*r, *c) == (row, col));
        assert_eq!(sum.unwrap().2, Number::Integer(6));
        fs::remove_dir_all(&store).unwrap();
    }
}

#[test]
fn kept_duplicates_stay_in_order() {
    let scratch = Scratch::new();
    let (from, store) = (scratch.at("a.mtx"), scratch.at("b.bpcells"));
    let mut entries = Vec::new();
    for number in 0..20_000_u64 {
        entries.push((number % 3, number % 2, number.to_string()));
    }
    Text { field: "integer", symmetry: "general", rows: 3, cols: 2, entries: entries.clone() }
        .write(&from);
    for memory in [1, 64 << 20] {
        for order in [Order::Col, Order::Row] {
            let options = unsynced().order(order).duplicates(DuplicatePolicy::Keep);
            convert_with(&from, &store, &options, &sparing().with_memory(memory));
            let expected = entries
                .iter()
                .map(|(row, col, value)| (*row, *col, Number::Integer(value.parse().unwrap())));
            assert_eq!(stored(&store), ordered(expected.collect(), order), "{memory}");
        }
    }
}

#[test]
fn sums_that_overflow_are_refused_with_their_position() {
    let scratch = Scratch::new();
    let (from, store) = (scratch.at("a.mtx"), scratch.at("b.bpcells"));
    let big = i64::MAX.to_string();
    let entries = vec![(1, 2, big.clone()), (0, 0, "1".to_owned()), (1, 2, "1".to_owned())];
    Text { field: "integer", symmetry: "general", rows: 3, cols: 3, entries }.write(&from);
    let options = unsynced().duplicates(DuplicatePolicy::Sum);
    let message = refusal(&from, &store, &options);
    assert!(message.contains("entry (row 1, column 2)"), "{message}");
    // A sum that fits into 64 but not 32 bits is refused as well.
    let entries = vec![(1, 2, "4294967295".to_owned()), (1, 2, "1".to_owned())];
    Text { field: "integer", symmetry: "general", rows: 3, cols: 3, entries }.write(&from);
    let message = refusal(&from, &store, &options);
    assert!(message.contains("4294967296") && message.contains("float64"), "{message}");
    let options = options.value_type(ValueType::F64);
    convert(&from, &store, &options);
    assert_eq!(stored(&store), [(1, 2, Number::Real(4_294_967_296_f64.to_bits()))]);
}

#[test]
fn nan_payloads_are_kept_in_stores_and_refused_in_text() {
    use nnz_bpcells::{MatrixSink, SinkOptions};
    use nnz_container::directory::DirectoryWriter;
    let scratch = Scratch::new();
    let (store, rows, text) =
        (scratch.at("a.bpcells"), scratch.at("b.bpcells"), scratch.at("c.mtx"));
    // Quiet and signalling, with payloads and signs; including NA of R.
    let odd = [0x7ff8_0000_0000_0001_u64, 0x7ff0_0000_0000_07a2, 0xfff8_0000_0000_0000];
    let some =
        nnz::open(location(&crate::common::root().join("testdata/matrix-market/valid/sci.mtx")))
            .and_then(nnz::Dataset::into_matrix);
    let mut header = some.unwrap().header().clone();
    header.shape = nnz::Shape { rows: 3, cols: 1 };
    header.value_type = ValueType::F64;
    header.order = Order::Col;
    let options = nnz::output::WriteOptions::default().overwrite(false).sync(false);
    let into = DirectoryWriter::create(&store, options, nnz_bpcells::MEMBERS).unwrap();
    let into = nnz_container::NamedArraysWriter::new(into);
    let sink = MatrixSink::create(into, &header, [None, None], SinkOptions::default()).unwrap();
    let mut sink: Box<dyn nnz::matrix::MatrixSink> = Box::new(sink);
    let mut batch = nnz::Batch::new(Order::Col, nnz::Values::F64(odd.map(f64::from_bits).to_vec()));
    batch.offsets = vec![0, 3];
    batch.minors = nnz::matrix::Minors::U32(vec![0, 1, 2]);
    sink.write(&batch).unwrap();
    sink.finish().unwrap();
    let expected: Vec<Entry> =
        odd.iter().zip(0..).map(|(bits, row)| (row, 0, Number::Real(*bits))).collect();
    assert_eq!(stored(&store), expected);
    let options = unsynced().order(Order::Row);
    convert_with(&store, &rows, &options, &sparing().with_memory(1));
    assert_eq!(stored(&rows), expected);
    // Text has only one NaN.
    let message = refusal(&store, &text, &unsynced());
    assert!(message.contains("entry (row 0, column 0)"), "{message}");
    let narrow = unsynced().value_type(ValueType::F32);
    let message = refusal(&store, &scratch.at("d.bpcells"), &narrow);
    assert!(message.contains("float32") && message.contains("row 0"), "{message}");
}

#[test]
fn arrays_have_all_elements_and_return_nonzero_ones() {
    let scratch = Scratch::new();
    let [from, dense, store, back] =
        ["a.mtx", "b.mtx", "c.bpcells", "d.mtx"].map(|name| scratch.at(name));
    for (field, zero) in [("integer", Number::Integer(0)), ("real", Number::Real(0))] {
        let text = shuffled(5_000, 11, field);
        text.write(&from);
        let array = unsynced().format_options(FormatOptions::new().with("layout", "array"));
        assert_eq!(convert(&from, &dense, &array).entries, 5_000);
        assert_valid(&dense);
        let elements = stored(&dense);
        assert_eq!(elements.len() as u64, text.rows * text.cols);
        let expected: Vec<_> = ordered(stored(&from), Order::Col);
        let nonzero = |entries: &[Entry]| -> Vec<Entry> {
            entries.iter().filter(|(.., number)| *number != zero).copied().collect()
        };
        assert!(same(&nonzero(&elements), &nonzero(&expected)));
        // Stored by column, whatever the order of the source.
        assert!(elements.is_sorted_by_key(|(row, col, _)| (*col, *row)));
        let by_row = unsynced().order(Order::Row);
        convert(&dense, &store, &by_row);
        assert!(same(&stored(&store), &ordered(nonzero(&expected), Order::Row)));
        convert(&store, &back, &array);
        assert!(bytes_of(&back) == bytes_of(&dense));
    }
}

#[test]
fn empty_matrices_are_converted_to_all_formats() {
    let scratch = Scratch::new();
    let [from, store, other, back] =
        ["a.mtx", "b.bpcells", "c.bpcells", "d.mtx"].map(|name| scratch.at(name));
    for field in ["integer", "real", "pattern"] {
        for (rows, cols) in [(0, 0), (0, 4), (4, 0), (3, 5)] {
            Text { field, symmetry: "general", rows, cols, entries: Vec::new() }.write(&from);
            for duplicates in [None, Some(DuplicatePolicy::Sum), Some(DuplicatePolicy::Keep)] {
                for order in [Order::Col, Order::Row] {
                    let options = unsynced().duplicates(duplicates).order(order);
                    let plain = unsynced().duplicates(duplicates);
                    for (from, to, options) in [
                        (&from, &store, &options),
                        (&store, &other, &options),
                        (&other, &back, &plain),
                        (&from, &back, &plain),
                    ] {
                        assert_eq!(convert(from, to, options).entries, 0);
                        assert_valid(to);
                        let opened =
                            nnz::open(location(to)).and_then(nnz::Dataset::into_matrix).unwrap();
                        assert_eq!(opened.header().shape, nnz::Shape { rows, cols });
                        assert_eq!(stored(to), []);
                    }
                }
            }
        }
    }
}

#[test]
fn texts_can_be_converted_in_place() {
    let scratch = Scratch::new();
    let path = scratch.at("a.mtx");
    let text = shuffled(20_000, 13, "integer");
    text.write(&path);
    let expected = ordered(stored(&path), Order::Row);
    for memory in [1, 64 << 20] {
        let options = unsynced().order(Order::Row);
        convert_with(&path, &path, &options, &sparing().with_memory(memory));
        assert_eq!(stored(&path), expected);
    }
}
