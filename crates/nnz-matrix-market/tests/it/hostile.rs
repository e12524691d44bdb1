//! Damaged files give an error or a matrix, without a panic.

use nnz_matrix_market::Layout;
use nnz_testing::random::Random;

use crate::common;
use crate::common::{read_text, testdata, write};

/// Returns every golden file, plain and gzipped.
fn files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for folder in ["valid", "malformed"] {
        for entry in std::fs::read_dir(testdata().join(folder)).unwrap() {
            files.push(std::fs::read(entry.unwrap().path()).unwrap());
        }
    }
    assert!(files.len() > 60);
    let zipped = files.iter().take(10).map(|text| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, text).unwrap();
        encoder.finish().unwrap()
    });
    let zipped: Vec<_> = zipped.collect();
    files.extend(zipped);
    files
}

#[test]
fn truncated_files_never_panic() {
    for file in files() {
        for len in 0..file.len() {
            let _ = read_text(&file[..len]);
        }
    }
}

#[test]
fn files_with_random_bytes_never_panic() {
    let mut random = Random::new(20);
    // Bytes with a meaning somewhere in a file, and others.
    let alphabet = b"0123456789 \t\r\n%+-.eEdDinfa\0\x1f\x8b\xff";
    for file in files().iter().filter(|file| !file.is_empty()) {
        for _ in 0..200 {
            let mut file = file.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(file.len());
                match random.below(4) {
                    0 => file[at] = u8::try_from(random.below(256)).unwrap(),
                    1 => file[at] = *random.pick(alphabet),
                    2 => file.insert(at, *random.pick(alphabet)),
                    _ if file.len() > 1 => drop(file.remove(at)),
                    _ => {}
                }
            }
            let _ = read_text(&file);
        }
    }
}

#[test]
fn a_small_file_that_inflates_to_a_large_one_is_read_in_bounded_memory() {
    // 64 MiB of blank lines in 64 KiB.
    let header = common::header(2, 2, nnz_core::ValueType::I8, Some(0));
    let mut text = write(&header, Layout::Coordinate, true, &[]).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        std::io::Write::write_all(&mut encoder, &vec![b'\n'; 1 << 20]).unwrap();
    }
    text.extend(encoder.finish().unwrap());
    assert!(text.len() < 100_000);
    assert_eq!(read_text(text).unwrap(), []);
}
