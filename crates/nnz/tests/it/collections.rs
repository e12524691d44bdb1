//! Collections through the library: their members, and slices of them.

use std::path::{Path, PathBuf};

use nnz::{Axis, Context, ConvertOptions, Dataset, MatrixSource, Selection};

use crate::common::root;

fn golden(name: &str) -> PathBuf {
    root().join("testdata").join(name)
}

fn entries(matrix: &dyn MatrixSource) -> Vec<(u64, u64, String)> {
    let all = matrix.entries().unwrap().map(|entry| {
        let (row, col, value) = entry.unwrap();
        (row, col, value.to_string())
    });
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

fn open(path: &Path) -> Dataset {
    nnz::open(path).unwrap()
}

const FILES: [&str; 3] =
    ["loom/attrs.loom", "loom/graphs.loom", "anndata/valid/0.11.4/h5ad/full_csr.h5ad"];

const MUDATA: &str = "mudata/cells-0.3.h5mu";

#[test]
fn members_are_those_of_their_locations() {
    for name in FILES.into_iter().chain([MUDATA]) {
        let path = golden(name);
        let Dataset::Collection(collection) = open(&path) else { panic!("{name}") };
        let shape = collection.axes().unwrap().header().shape;
        let members = collection.members().unwrap();
        let matrices = members.iter().filter(|member| member.shape.len() == 2);
        assert!(matrices.clone().count() > 1, "{name}");
        for member in matrices {
            let place = format!("{}::{}", path.display(), member.path);
            let alone = nnz::open(&*place).and_then(Dataset::into_matrix).unwrap();
            let opened = collection.open(&member.path).unwrap();
            assert_eq!(entries(&*opened), entries(&*alone), "{place}");
            for (extent, axis) in member.shape.iter().zip(&member.axes) {
                assert!(axis.is_none_or(|axis| shape.len(axis) == *extent), "{place}");
            }
        }
        assert!(collection.open("nothing/here").is_err());
    }
}

#[test]
fn slices_have_sliced_members() {
    for name in FILES {
        let [rows, cols] = [Selection::ranges([4..6, 1..2]), Selection::ranges([2..5])];
        let sliced = open(&golden(name)).slice([&rows, &cols]).unwrap();
        let Dataset::Collection(sliced) = sliced else { panic!("{name}") };
        let Dataset::Collection(whole) = open(&golden(name)) else { panic!("{name}") };
        let old = |axis: Option<Axis>, at: u64| match axis {
            Some(Axis::Rows) => [4, 5, 1][usize::try_from(at).unwrap()],
            Some(Axis::Cols) => at + 2,
            None => at,
        };
        for member in sliced.members().unwrap() {
            for (extent, axis) in member.shape.iter().zip(&member.axes) {
                assert!(axis.is_none() || *extent == 3, "{name} {}", member.path);
            }
            let &[rows, cols] = &*member.axes else { continue };
            let opened = sliced.open(&member.path).unwrap();
            let of_whole = entries(&*whole.open(&member.path).unwrap());
            let found = entries(&*opened);
            assert!(found.iter().all(|(row, col, value)| {
                of_whole.contains(&(old(rows, *row), old(cols, *col), value.clone()))
            }));
            let selected = |axis: Option<Axis>, at: u64| (0..3).any(|new| old(axis, new) == at);
            let expected = of_whole.iter().filter(|(row, col, _)| {
                (rows.is_none() || selected(rows, *row)) && (cols.is_none() || selected(cols, *col))
            });
            assert_eq!(found.len(), expected.count(), "{name} {}", member.path);
        }
    }
}

#[test]
fn a_slice_of_a_slice_is_written_whole() {
    let scratch = tempfile::tempdir().unwrap();
    let (options, context) = (ConvertOptions::default().sync(false), Context::default());
    for (name, extension) in [(FILES[0], "loom"), (FILES[2], "h5ad")] {
        let at = |which: &str| scratch.path().join(format!("{which}.{extension}"));
        let ranges = |ranges: &[std::ops::Range<u64>]| Selection::ranges(ranges.iter().cloned());
        let twice = open(&golden(name))
            .slice([&ranges(&[3..6, 0..2]), &Selection::all()])
            .and_then(|part| part.slice([&ranges(&[2..4]), &ranges(&[1..4])]))
            .unwrap();
        twice.convert(at("twice"), &options, &context).unwrap();
        let once = open(&golden(name)).slice([&ranges(&[5..6, 0..1]), &ranges(&[1..4])]).unwrap();
        once.convert(at("once"), &options, &context).unwrap();
        assert!(
            std::fs::read(at("twice")).unwrap() == std::fs::read(at("once")).unwrap(),
            "{name}"
        );
    }
}

/// The positions of the inner slice were taken for those of the whole.
#[test]
fn members_of_a_slice_of_a_slice_are_those_of_one_slice() {
    let ranges = |ranges: &[std::ops::Range<u64>]| Selection::ranges(ranges.iter().cloned());
    for name in FILES.into_iter().chain([MUDATA]) {
        let twice = open(&golden(name))
            .slice([&ranges(&[3..6, 0..2]), &Selection::all()])
            .and_then(|part| part.slice([&ranges(&[2..4]), &ranges(&[1..4])]))
            .unwrap();
        let once = open(&golden(name)).slice([&ranges(&[5..6, 0..1]), &ranges(&[1..4])]).unwrap();
        let (Dataset::Collection(twice), Dataset::Collection(once)) = (twice, once) else {
            panic!("{name}")
        };
        assert_eq!(twice.members().unwrap(), once.members().unwrap(), "{name}");
        for member in once.members().unwrap().iter().filter(|member| member.shape.len() == 2) {
            let [twice, once] = [&twice, &once].map(|slice| slice.open(&member.path).unwrap());
            assert_eq!(entries(&*twice), entries(&*once), "{name} {}", member.path);
        }
    }
}
