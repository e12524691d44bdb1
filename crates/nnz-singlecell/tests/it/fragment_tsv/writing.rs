//! Written text, compared literally, and errors.

use nnz_core::{FragmentBatch, FragmentSink, Result, StringList};
use nnz_singlecell::fragment_tsv::{
    Columns, Compression, FragmentTsvSink, LARGEST_INDEXED, TextTarget, WriteOptions, create,
};
use nnz_storage::staging;

use super::common::{Whole, gunzip, list, write};

fn batch(chromosome: u32, fragments: &[(u32, u32, u32)]) -> FragmentBatch {
    FragmentBatch {
        chromosome,
        cells: fragments.iter().map(|fragment| fragment.2).collect(),
        starts: fragments.iter().map(|fragment| fragment.0).collect(),
        ends: fragments.iter().map(|fragment| fragment.1).collect(),
    }
}

fn whole(batches: Vec<FragmentBatch>) -> Whole {
    let (chromosomes, cells) = (list(&["chr1", "chr2"]), list(&["A-1", "B-1"]));
    Whole { batches, chromosomes, cells, unselected: 0 }
}

const PLAIN: WriteOptions =
    WriteOptions { columns: Columns::Five, compression: Compression::None, index: false };

#[test]
fn lines_have_four_or_five_columns() {
    let whole = whole(vec![batch(1, &[(0, 9, 1), (0, u32::MAX, 0)]), batch(0, &[(7, 7, 0)])]);
    let text = String::from_utf8(write(&whole, PLAIN).unwrap()).unwrap();
    assert_eq!(text, "chr2\t0\t9\tB-1\t1\nchr2\t0\t4294967295\tA-1\t1\nchr1\t7\t7\tA-1\t1\n");
    let options = WriteOptions { columns: Columns::Four, ..PLAIN };
    let text = String::from_utf8(write(&whole, options).unwrap()).unwrap();
    assert_eq!(text, "chr2\t0\t9\tB-1\nchr2\t0\t4294967295\tA-1\nchr1\t7\t7\tA-1\n");
}

#[test]
fn unsorted_and_unnamed_fragments_are_errors() {
    let error_of = |batches| write(&whole(batches), PLAIN).unwrap_err().to_string();
    let two = |second| vec![batch(0, &[(5, 6, 0)]), second];
    for (said, expected) in [
        (
            error_of(vec![batch(0, &[(5, 6, 0), (4, 6, 0)])]),
            "found a fragment of \"chr1\" from 4 to 6",
        ),
        (error_of(vec![batch(0, &[(5, 4, 0)])]), "expected an end that is not before the start"),
        (error_of(vec![batch(0, &[(5, 6, 2)])]), "found cell 2, expected less than 2"),
        (error_of(vec![batch(2, &[(5, 6, 0)])]), "found chromosome 2, expected less than 2"),
        (error_of(two(batch(0, &[(4, 6, 0)]))), "found start 4 after 5"),
        (
            error_of([two(batch(1, &[(4, 6, 0)])), two(batch(1, &[]))].concat()),
            "found \"chr1\" again",
        ),
    ] {
        assert!(said.starts_with("out.tsv: ") && said.contains(expected), "{said}");
    }
}

#[test]
fn names_that_cannot_be_written_are_errors() {
    for (chromosome, cell, good) in [
        ("chr1", "A", true),
        ("chr 1", "#A", true),
        ("#chr1", "A", false),
        ("", "A", false),
        ("chr1", "", false),
        ("chr\t1", "A", false),
        ("chr1", "A\n", false),
        ("chr1", "A\r", false),
        ("chr1", "A\0", false),
    ] {
        let whole =
            Whole { chromosomes: list(&[chromosome]), cells: list(&[cell]), ..Whole::default() };
        assert_eq!(write(&whole, PLAIN).is_ok(), good, "{chromosome:?} {cell:?}");
    }
}

fn sink(path: &std::path::Path, overwrite: bool, options: WriteOptions) -> Result<FragmentTsvSink> {
    let staging = staging::WriteOptions::default().overwrite(overwrite).sync(false);
    let target = TextTarget::File { path: path.to_path_buf(), options: staging };
    create(target, &list(&["chr1", "chr2"]), &list(&["A-1", "B-1"]), options)
}

fn finish(sink: FragmentTsvSink) -> Result<u64> {
    let names: [StringList; 2] = [list(&["chr1", "chr2"]), list(&["A-1", "B-1"])];
    Box::new(sink).finish(&names[0], &names[1]).map(|written| written.bytes)
}

#[test]
fn text_and_index_appear_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.tsv.gz");
    let index = folder.path().join("f.tsv.gz.tbi");
    let options = WriteOptions::for_name(&path);
    let there = || (path.exists(), index.exists());

    let mut begun = sink(&path, false, options).unwrap();
    begun.write(&batch(0, &[(5, 6, 0)])).unwrap();
    drop(begun);
    assert_eq!(there(), (false, false));

    let mut failed = sink(&path, false, options).unwrap();
    assert!(failed.write(&batch(0, &[(6, 5, 0)])).is_err());
    assert!(finish(failed).unwrap_err().to_string().contains("not complete"));
    let other = Box::new(sink(&path, false, options).unwrap());
    assert!(other.finish(&list(&["chr1"]), &list(&["A-1", "B-1"])).is_err());
    assert_eq!(there(), (false, false));

    let mut whole = sink(&path, false, options).unwrap();
    whole.write(&batch(0, &[(5, 6, 0)])).unwrap();
    let bytes = finish(whole).unwrap();
    assert_eq!(there(), (true, true));
    let sizes = [&path, &index].map(|path| path.metadata().unwrap().len());
    assert_eq!(bytes, sizes.iter().sum::<u64>());
    assert_eq!(gunzip(&std::fs::read(&path).unwrap()), b"chr1\t5\t6\tA-1\t1\n");

    // Neither is replaced unless requested.
    assert!(sink(&path, false, options).is_err());
    std::fs::remove_file(&path).unwrap();
    assert!(sink(&path, false, options).unwrap_err().to_string().contains("f.tsv.gz.tbi"));
    std::fs::write(&path, "old").unwrap();
    finish(sink(&path, true, options).unwrap()).unwrap();
    assert_eq!(gunzip(&std::fs::read(&path).unwrap()), b"");
    assert!(gunzip(&std::fs::read(&index).unwrap()).starts_with(b"TBI\x01\0\0\0\0"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_index_requires_blocks_a_file_and_small_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.tsv.gz");
    let indexed = WriteOptions { index: true, ..PLAIN };
    assert!(sink(&path, false, indexed).is_err());
    let blocks = WriteOptions { compression: Compression::Bgzip, ..indexed };
    assert!(write(&whole(Vec::new()), blocks).is_err());
    let largest = LARGEST_INDEXED;
    for (start, end, good) in [
        (largest - 1, largest, true),
        (largest - 1, largest + 1, false),
        (largest, largest, false),
        (largest - 1, largest - 1, true),
    ] {
        let mut sink = sink(&path, true, blocks).unwrap();
        let written = sink.write(&batch(0, &[(start, end, 0)]));
        assert_eq!(written.is_ok(), good, "{start} to {end}");
        if let Err(error) = written {
            assert!(error.to_string().contains("without an index"), "{error}");
        }
    }
}
