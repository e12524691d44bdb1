//! BPCells matrices of arbitrary members: what validates reads, whole, in parts and as units; and
//! what reads is written in every version and reads the same.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::{Axis, Batch, Fields, MatrixSink as _, MatrixSource as _, Result, Severity, Values};
use nnz_bpcells::{Generation, MEMBERS, MatrixSink, MatrixSource, Packing, SinkOptions};
use nnz_container::memory::Memory;
use nnz_container::{Container, ContainerWriter};
use nnz_core::ValueType;
use nnz_fuzz::entries::{self, Entry};
use nnz_fuzz::members;
use nnz_fuzz::read::{agree, backwards, in_turn};

fuzz_target!(|input: &[u8]| -> Corpus {
    let members = members::cut(input);
    if members.is_empty() {
        return Corpus::Reject;
    }
    let store = fill(&members);
    let valid = validate(&store).is_empty();
    let source = match MatrixSource::open(Box::new(store.clone())) {
        Ok(source) => source,
        Err(error) => {
            assert!(!valid, "{error}");
            return Corpus::Keep;
        }
    };
    let read = in_turn(&source);
    agree(&read, &backwards(&source));
    source.about().unwrap();
    let names = [Axis::Rows, Axis::Cols].map(|axis| source.names(axis));
    if valid {
        names.iter().for_each(|names| assert!(names.is_ok(), "{names:?}"));
        assert!(read.is_ok(), "{read:?}");
    }
    if let Ok(entries) = &read {
        let parts = in_parts(&source, entries);
        assert!(parts.is_ok() || !valid, "{parts:?}");
        let [Ok(rows), Ok(cols)] = names else { return Corpus::Keep };
        for packing in [Packing::Packed, Packing::Unpacked] {
            for generation in [Generation::V1, Generation::V2] {
                let options = SinkOptions { packing, generation };
                again(&source, [rows.as_ref(), cols.as_ref()], options, entries);
            }
        }
    }
    Corpus::Keep
});

/// Makes a store of the files of a directory: numbers behind their headers, else text.
fn fill(members: &[(u8, &[u8])]) -> Memory {
    let memory = Memory::new();
    let mut writer: Box<dyn ContainerWriter> = Box::new(memory.writer());
    for &(name, content) in members {
        let name = MEMBERS[usize::from(name) % MEMBERS.len()];
        let (magic, rest) = content.split_at(content.len().min(8));
        let value_type = match magic {
            b"UINT32v1" => Some(ValueType::U32),
            b"UINT64v1" => Some(ValueType::U64),
            b"FLOATSv1" => Some(ValueType::F32),
            b"DOUBLEv1" => Some(ValueType::F64),
            _ => None,
        };
        // A second file of the same name is refused.
        if let Some(value_type) = value_type {
            if let Ok(id) = writer.create_array(name, value_type) {
                let whole = rest.len() - rest.len() % value_type.size();
                writer.append_bytes(id, &rest[..whole]).unwrap();
            }
        } else if name == "version" {
            let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let _ = writer.set_tag(name, &String::from_utf8_lossy(line));
        } else {
            let lines = content.strip_suffix(b"\n").unwrap_or(content);
            let mut lines = lines.split(|&byte| byte == b'\n').filter(|_| !content.is_empty());
            let _ = writer.write_strings(name, &mut lines);
        }
    }
    writer.finish().unwrap();
    memory
}

/// Returns the faults of a store.
fn validate(store: &Memory) -> Vec<String> {
    let mut faults = Vec::new();
    let open = || -> Result<Box<dyn Container>> { Ok(Box::new(store.clone())) };
    nnz_bpcells::validate(&open, &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    faults
}

/// Any range of majors has the entries that all have there, whichever fields are asked for.
fn in_parts(source: &MatrixSource, all: &[Entry]) -> Result<()> {
    let header = source.header();
    let majors = header.shape.major(header.order);
    for (start, end) in [(0, majors / 2), (majors / 2, majors), (majors / 3, majors - majors / 3)] {
        let [first, last] = [start, end].map(|major| source.stored_before(major));
        let (first, last) = (first?.unwrap() as usize, last?.unwrap() as usize);
        for fields in [Fields::ALL, Fields::MINORS, Fields::VALUES] {
            let mut batch = Batch::new(header.order, Values::new(header.value_type));
            let mut reader = source.batches(start..end, fields)?;
            let mut found = Vec::new();
            let mut count = 0;
            while reader.next_batch(&mut batch)? {
                count += batch.entries();
                if fields == Fields::ALL {
                    entries::append(&batch, &mut found);
                }
            }
            assert_eq!(count, last - first);
            if fields == Fields::ALL {
                assert_eq!(found, all[first..last]);
            }
        }
    }
    Ok(())
}

/// Writes a matrix as it stands, and reads it again.
fn again(
    source: &MatrixSource,
    names: [Option<&nnz::StringList>; 2],
    options: SinkOptions,
    expected: &[Entry],
) {
    let header = source.header();
    let memory = Memory::new();
    let names = names.map(|names| names.map(nnz::StringList::reader));
    let mut sink = MatrixSink::create(Box::new(memory.writer()), header, names, options).unwrap();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let all = 0..header.shape.major(header.order);
    let mut reader = source.batches(all, Fields::ALL).unwrap();
    while reader.next_batch(&mut batch).unwrap() {
        // A row past the end, which readers let pass, is not written.
        if sink.write(&batch).is_err() {
            assert!(!validate(&memory).is_empty());
            return;
        }
    }
    Box::new(sink).finish().unwrap();
    assert_eq!(validate(&memory), [""; 0]);
    let back = MatrixSource::open(Box::new(memory)).unwrap();
    assert_eq!(in_turn(&back).unwrap(), expected);
}
