//! Damaged files give an error or a matrix, without panics, hangs or excessive memory.
//!
//! `NNZ_MUTATIONS` cases are made of each file (default: 8). All ways of reading must return the
//! same or fail, and a file without faults must be readable.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use nnz_binsparse::{DESCRIPTOR, EntryReader, MatrixSource, read_tensor, validate};
use nnz_container::NamedArrays;
use nnz_container::hdf5::Hdf5Group;
use nnz_container::memory::Memory;
use nnz_core::{Batch, MatrixSource as _, Projection, Result, Severity, Values};
use nnz_testing::allocations;
use nnz_testing::random::Random;

use crate::common;
use crate::common::memory::rebuilt;
use crate::common::{Case, Entry, sorted};

/// Memory that is allowed for any file.
const SLACK: u64 = 96 << 20;

/// The largest number of entries read: one value may be shared by any number.
const MOST: usize = 10_000;

/// The time limit for a case.
const LIMIT: Duration = Duration::from_secs(20);

const WORST: [u64; 10] =
    [0, 1, 127, 255, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 53, 1 << 63, u64::MAX];

fn mutations() -> u64 {
    nnz_testing::mutations::rounds()
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        bytes.extend(random.next().to_le_bytes());
        return;
    }
    let at = random.below(bytes.len());
    match random.below(8) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.next() as u8,
        3 => bytes.truncate(at),
        4 => bytes.extend(random.next().to_le_bytes()),
        5 => drop(bytes.splice(at..at, random.next().to_le_bytes())),
        kind => {
            let size = if kind == 6 { 4 } else { 8 };
            let at = at / size * size;
            let worst = WORST[random.below(WORST.len())].to_le_bytes();
            if let Some(place) = bytes.get_mut(at..at + size) {
                place.copy_from_slice(&worst[..size]);
            }
        }
    }
}

fn matrix(container: NamedArrays) -> Result<Vec<Entry>> {
    let source = MatrixSource::open(container)?;
    let header = source.header();
    let vector = source.descriptor().shape.len() == 1;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut entries = Vec::new();
    while entries.len() < MOST && reader.next_batch(&mut batch)? {
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let at = if vector { vec![row] } else { vec![row, col] };
            entries.push((at, batch.values.get(entry).unwrap()));
            Ok::<(), nnz_core::Error>(())
        })?;
    }
    Ok(entries)
}

fn listed(container: &NamedArrays) -> Result<(Vec<Entry>, usize)> {
    let mut reader = EntryReader::open(container)?;
    let mut entries = Vec::new();
    while entries.len() < MOST {
        let Some((at, value)) = reader.next_entry()? else { break };
        entries.push((at.to_vec(), value));
    }
    Ok((entries, reader.descriptor().shape.len()))
}

/// Reads a container in every way, and compares the results.
fn consistent(open: &dyn Fn() -> Result<NamedArrays>) -> bool {
    let mut faults = 0;
    let validated = validate(open, &mut |finding| {
        faults += u32::from(finding.severity == Severity::Fault);
    });
    let Ok(container) = open() else {
        assert!(validated.is_err());
        return false;
    };
    let listed = listed(&container);
    let valid = validated.is_ok() && faults == 0;
    assert!(!valid || listed.is_ok(), "valid, but {:?}", listed.err());
    let tensor = read_tensor(&container, 1 << 20);
    let matrix = matrix(container);
    let Ok((entries, rank)) = listed else {
        // All ways of reading use the same arrays.
        assert!(tensor.is_err());
        assert!(matrix.is_err(), "read as a matrix, but not entry by entry");
        return false;
    };
    if entries.len() >= MOST {
        return true;
    }
    if (1..=2).contains(&rank) {
        let matrix = matrix.unwrap_or_else(|error| panic!("listed, but {error}"));
        assert_eq!(sorted(&matrix), sorted(&entries));
    } else {
        assert!(matrix.is_err());
    }
    assert_eq!(tensor.unwrap().len(), entries.len());
    true
}

/// Runs a case, and returns how it failed, if it did.
fn run(name: &str, account: u64, case: impl Fn() -> bool) -> (Option<String>, bool) {
    let started = Instant::now();
    let baseline = allocations::start();
    let outcome = catch_unwind(AssertUnwindSafe(case));
    let (peak, _) = allocations::since(&baseline);
    let failed = match &outcome {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Some(text.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned())))
        }
        Ok(_) if started.elapsed() > LIMIT => Some(Some(format!("{:?}", started.elapsed()))),
        Ok(_) if peak > SLACK + 64 * account => Some(Some(format!("{peak} bytes"))),
        Ok(_) => None,
    };
    (failed.map(|text| format!("{name}: {}", text.unwrap_or_default())), outcome.unwrap_or(false))
}

#[test]
fn damaged_files_are_errors_or_read_consistently() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged.h5");
    let mut failures = Vec::new();
    let mut read = 0;
    let cases = Case::all("valid/");
    for (number, case) in cases.iter().enumerate() {
        let whole = std::fs::read(common::root().join(case.path())).unwrap();
        // The few large files have nothing new.
        for round in 0..if whole.len() > 200_000 { 1 } else { mutations() } {
            let mut random = Random::new(round << 32 | number as u64);
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut random);
            std::fs::write(&path, &bytes).unwrap();
            let open = || {
                let opened = Hdf5Group::with_threads(&path, &case.string("group"), 1)?;
                Ok(NamedArrays::new(opened))
            };
            let name = format!("{}#{round}", case.path());
            let (failed, was_read) = run(&name, bytes.len() as u64, || consistent(&open));
            failures.extend(failed);
            read += u32::from(was_read);
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    // Most damage is in unused bytes or in values.
    assert!(read > 100, "{read}");
}

fn in_memory(container: &NamedArrays) -> Memory {
    let memory = Memory::new();
    let mut writer = memory.writer();
    writer.set_attribute(DESCRIPTOR, &container.attribute(DESCRIPTOR).unwrap()).unwrap();
    let reader = EntryReader::open(container).unwrap();
    let fill = reader.descriptor().fill.then(|| "fill_value".to_owned());
    for name in reader.descriptor().layout.arrays().into_iter().chain(fill) {
        let array = container.array(&name).unwrap();
        let mut bytes = vec![0; array.len() as usize * array.value_type().size()];
        array.read_bytes(0, &mut bytes).unwrap();
        let id = writer.create_array(&name, array.value_type()).unwrap();
        writer.append_bytes(id, &bytes).unwrap();
    }
    writer.finish().unwrap();
    memory
}

#[test]
fn damaged_arrays_are_errors_or_read_consistently() {
    let mut failures = Vec::new();
    let mut read = [0_u32; 2];
    for (number, case) in Case::all("valid/").iter().enumerate() {
        let memory = in_memory(&case.open().unwrap());
        let names: Vec<String> = memory
            .arrays()
            .members()
            .unwrap()
            .into_iter()
            .filter(|name| name != DESCRIPTOR)
            .collect();
        for round in 0..4 * mutations() {
            let mut random = Random::new(round << 32 | number as u64);
            let chosen = names[random.below(names.len())].clone();
            let damaged = rebuilt(
                &memory,
                |text| text,
                |name, bytes| {
                    if name == chosen {
                        damage(bytes, &mut random);
                    }
                },
            );
            let open = || Ok(damaged.arrays());
            let name = format!("{} {chosen}#{round}", case.path());
            let (failed, was_read) = run(&name, 1 << 20, || consistent(&open));
            failures.extend(failed);
            read[usize::from(was_read)] += 1;
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(read.iter().all(|&count| count > 300), "{read:?}");
}

#[test]
fn damaged_descriptors_are_errors_or_read_consistently() {
    const WORDS: [&str; 24] = [
        "0",
        "1",
        "2",
        "-1",
        "1.0",
        "1e3",
        "18446744073709551615",
        "18446744073709551616",
        "null",
        "true",
        "[]",
        "{}",
        "\"CSR\"",
        "\"COO\"",
        "\"DMAT\"",
        "\"DCSC\"",
        "\"custom\"",
        "\"sparse\"",
        "\"dense\"",
        "\"element\"",
        "\"uint8\"",
        "\"iso[int32]\"",
        "\"complex[float32]\"",
        "\"hermitian_upper\"",
    ];
    let mut failures = Vec::new();
    let mut read = [0_u32; 2];
    for (number, case) in Case::all("valid/").iter().enumerate() {
        let memory = in_memory(&case.open().unwrap());
        if memory.arrays().attribute(DESCRIPTOR).unwrap().len() > 10_000 {
            continue;
        }
        for round in 0..4 * mutations() {
            let change = |text: String| {
                let mut random = Random::new(round << 32 | number as u64);
                let mut tokens: Vec<String> = tokens(&text);
                let at = random.below(tokens.len());
                match random.below(4) {
                    0 => drop(tokens.remove(at)),
                    1 => tokens.insert(at, tokens[random.below(tokens.len())].clone()),
                    _ => {
                        // Values rather than separators.
                        let values: Vec<usize> = (0..tokens.len())
                            .filter(|&t| {
                                tokens[t].starts_with(|c: char| c == '"' || c.is_ascii_digit())
                            })
                            .collect();
                        let at = values[random.below(values.len())];
                        tokens[at] = WORDS[random.below(WORDS.len())].to_owned();
                    }
                }
                tokens.concat()
            };
            let damaged = rebuilt(&memory, change, |_, _| {});
            let open = || Ok(damaged.arrays());
            let name = format!(
                "{}#{round} {}",
                case.path(),
                damaged.arrays().attribute(DESCRIPTOR).unwrap()
            );
            let (failed, was_read) = run(&name, 1 << 20, || consistent(&open));
            failures.extend(failed);
            read[usize::from(was_read)] += 1;
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(read.iter().all(|&count| count > 100), "{read:?}");
}

/// Splits JSON into strings, numbers and separators.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut inside = false;
    for letter in text.chars() {
        let goes_on = inside
            || letter.is_ascii_digit()
                && tokens.last().is_some_and(|token| token.ends_with(|c: char| c.is_ascii_digit()));
        match tokens.last_mut() {
            Some(token) if goes_on => token.push(letter),
            _ => tokens.push(letter.to_string()),
        }
        inside ^= letter == '"';
    }
    tokens
}
