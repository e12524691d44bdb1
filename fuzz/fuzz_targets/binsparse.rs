//! Binsparse of arbitrary arrays: valid data can be read, as a matrix, entry by entry and in units;
//! and a matrix that can be read round-trips.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::{
    Batch, MatrixSource as _, Projection, Result, ValueType, Values, error::Severity,
    matrix::MatrixSink as _,
};
use nnz_binsparse::{
    DESCRIPTOR, EntryReader, Layout, MatrixSink, MatrixSource, Options, capabilities, read_tensor,
    validate,
};
use nnz_container::NamedArrays;
use nnz_container::memory::Memory;
use nnz_fuzz::entries::{Entry, Number};
use nnz_fuzz::members;
use nnz_fuzz::read::{agree, backwards, in_order};

/// The arrays, by the byte that selects their name; the first byte of each selects its type.
const NAMES: [&str; 12] = [
    "",
    "values",
    "fill_value",
    "indices_0",
    "indices_1",
    "indices_2",
    "indices_3",
    "pointers_to_1",
    "pointers_to_2",
    "pointers_to_3",
    "other",
    "indices_4",
];

/// Maximum bytes to read of one array.
const MOST: u64 = 1 << 18;

fuzz_target!(|input: &[u8]| -> Corpus {
    let members = members::cut(input);
    if members.is_empty() {
        return Corpus::Reject;
    }
    let store = fill(&members);
    let faults = faults(&store);
    let valid = faults.is_empty();
    let entries = EntryReader::open(&store.arrays());
    assert!(entries.is_ok() || !valid, "{:?}", entries.err());
    let Ok(entries) = entries else { return Corpus::Keep };
    let (stored, rank) = (entries.descriptor().stored, entries.descriptor().layout.rank());
    if stored > MOST {
        return Corpus::Reject;
    }
    let walked = walk(entries);
    assert_eq!(walked.is_ok(), valid, "{walked:?}, {faults:?}");
    let tensor = read_tensor(&store.arrays(), 1 << 26);
    assert!(!(tensor.is_ok() && !valid && walked.is_err()), "{walked:?}");
    if rank != 2 {
        return Corpus::Keep;
    }
    let source = match MatrixSource::open(store.arrays()) {
        Ok(source) => source,
        Err(error) => {
            assert!(!valid, "{error}");
            return Corpus::Keep;
        }
    };
    let read = in_order(&source);
    agree(&read, &backwards(&source));
    source.about().unwrap();
    assert_eq!(read.is_ok(), valid, "{read:?}, {faults:?}");
    if let (Ok(read), Ok(mut walked)) = (read, walked) {
        let mut sorted = read.clone();
        sorted.sort_unstable();
        walked.sort_unstable();
        assert_eq!(sorted, walked);
        again(&source, &read);
    }
    Corpus::Keep
});

fn fill(members: &[(u8, &[u8])]) -> Memory {
    let memory = Memory::new();
    let mut writer = memory.writer();
    for &(name, content) in members {
        let name = NAMES[usize::from(name) % NAMES.len()];
        if name.is_empty() {
            let _ = writer.set_attribute(DESCRIPTOR, &String::from_utf8_lossy(content));
        } else if let Some((&value_type, elements)) = content.split_first() {
            let value_type = ValueType::ALL[usize::from(value_type) % ValueType::ALL.len()];
            // A second array of the same name is refused.
            if let Ok(id) = writer.create_array(name, value_type) {
                let whole = elements.len() - elements.len() % value_type.size();
                writer.append_bytes(id, &elements[..whole]).unwrap();
            }
        }
    }
    writer.finish().unwrap();
    memory
}

fn faults(store: &Memory) -> Vec<String> {
    let mut faults = Vec::new();
    let open = || -> Result<NamedArrays> { Ok(store.arrays()) };
    validate(&open, &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    faults
}

/// Reads all entries one by one; those of a matrix with their positions.
fn walk(mut entries: EntryReader) -> Result<Vec<Entry>> {
    let mut all = Vec::new();
    while let Some((place, value)) = entries.next_entry()? {
        if let &[row, col] = place {
            all.push((row, col, Number::of(value)));
        }
    }
    Ok(all)
}

/// Writes the matrix, and reads it back.
fn again(source: &MatrixSource, expected: &[Entry]) {
    let header = source.header();
    let layout: &Layout = &source.descriptor().layout;
    let Ok(capabilities) = capabilities(layout) else { return };
    // Cells without entries would become entries.
    if capabilities.dense || !capabilities.structure || header.shape.major(header.order) > MOST {
        return;
    }
    let memory = Memory::new();
    let writer = memory.writer();
    let mut sink = MatrixSink::create(writer, header, layout, &Options::default()).unwrap();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut batches = source.batches(0..header.shape.major(header.order), Projection::ALL).unwrap();
    while batches.next_batch(&mut batch).unwrap() {
        sink.write(&batch).unwrap();
    }
    Box::new(sink).finish().unwrap();
    assert_eq!(faults(&memory), [""; 0]);
    let back = MatrixSource::open(memory.arrays()).unwrap();
    assert_eq!(in_order(&back).unwrap(), expected);
}
