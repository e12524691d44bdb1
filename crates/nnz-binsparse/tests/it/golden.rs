//! Files of other programs are read exactly.

use nnz_binsparse::{EntryReader, MatrixSource};
use nnz_core::{MatrixSource as _, Structure};

use crate::common::{Case, all_entries, bits, entries_of, sorted};

#[test]
fn every_matrix_and_vector_reads_as_expected() {
    let mut read = 0;
    for case in Case::all("valid/") {
        let expected = case.expected();
        if !matches!(expected.shape.len(), 1 | 2) {
            assert!(MatrixSource::open(case.open().unwrap()).is_err(), "{}", case.path());
            continue;
        }
        let source = MatrixSource::open(case.open().unwrap()).unwrap();
        let header = source.header();
        let cols = expected.shape.get(1).copied().unwrap_or(1);
        assert_eq!((header.shape.rows, header.shape.cols), (expected.shape[0], cols));
        assert_eq!(header.value_type, expected.value_type, "{}", case.path());
        assert_eq!(header.iso, expected.iso, "{}", case.path());
        assert_eq!(header.fill.map(bits), expected.fill.map(bits), "{}", case.path());
        assert_eq!(header.structure == Structure::General, expected.structure == "general");
        let entries = all_entries(&source).unwrap();
        assert_eq!(sorted(&entries), sorted(&expected.entries), "{}", case.path());
        assert_eq!(header.nnz, Some(entries.len() as u64));
        read += 1;
    }
    assert!(read >= 360, "{read}");
}

#[test]
fn every_range_of_majors_is_read() {
    for case in Case::all("valid/") {
        let Ok(source) = MatrixSource::open(case.open().unwrap()) else {
            continue;
        };
        let header = source.header();
        let majors = header.shape.major(header.order);
        if majors > 100 {
            continue;
        }
        let all = all_entries(&source).unwrap();
        let major_of = |at: &[u64]| header.order.major_minor(at[0], at.get(1).map_or(0, |c| *c)).0;
        for start in 0..=majors {
            for end in start..=majors {
                let part = entries_of(&source, start..end).unwrap();
                let expected_part: Vec<_> = all
                    .iter()
                    .filter(|(at, _)| (start..end).contains(&major_of(at)))
                    .cloned()
                    .collect();
                assert_eq!(sorted(&part), sorted(&expected_part), "{} {start}..{end}", case.path());
            }
            let before = all.iter().filter(|(at, _)| major_of(at) < start).count() as u64;
            assert_eq!(source.stored_before(start).unwrap(), Some(before), "{}", case.path());
        }
        assert!(source.batches(0..majors + 1, nnz_core::Projection::ALL).is_err());
    }
}

#[test]
fn entries_of_tensors_are_read_in_storage_order() {
    let cases = Case::all("valid/");
    assert_eq!(cases.len(), 443);
    for case in cases {
        let expected = case.expected();
        let mut reader = EntryReader::open(&case.open().unwrap()).unwrap();
        assert_eq!(reader.descriptor().shape, expected.shape);
        assert_eq!(reader.fill().map(bits), expected.fill.map(bits));
        assert_eq!(reader.iso().is_some(), expected.iso);
        let mut entries = Vec::new();
        while let Some((at, value)) = reader.next_entry().unwrap() {
            entries.push((at.to_vec(), value));
        }
        assert_eq!(sorted(&entries), sorted(&expected.entries), "{}", case.path());
        let layout = reader.descriptor().layout.clone();
        assert!(entries.is_sorted_by_key(|(at, _)| layout.stored(at)), "{}", case.path());
    }
}

#[test]
fn about_describes_the_arrays() {
    for case in Case::all("valid/") {
        let container = case.open().unwrap();
        let descriptor = EntryReader::open(&container).unwrap().descriptor().clone();
        let about = descriptor.about(&container).unwrap();
        assert_eq!(about.format, "Binsparse");
        let text = about.dialect.unwrap();
        match descriptor.format {
            Some(format) => assert_eq!(text, format.name()),
            None => assert!(text.starts_with("custom: ") && text.contains("element"), "{text}"),
        }
        let named = descriptor.layout.arrays().len() + usize::from(descriptor.fill);
        assert_eq!(about.arrays.len(), named);
    }
}
