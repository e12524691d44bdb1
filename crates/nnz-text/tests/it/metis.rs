//! METIS graphs.

use nnz_core::{At, Axis, ColumnValues, MatrixSource, Scalar, Values};
use nnz_text::metis::{MetisSource, from_opened};

use crate::common::{entries, opened, written};

fn read(text: &str) -> Result<MetisSource, nnz_core::Error> {
    let (_directory, path) = written(text.as_bytes());
    from_opened(&opened(&path))
}

fn refused(text: &str) -> nnz_core::Error {
    let read = read(text).and_then(|source| entries(&source));
    read.expect_err(text)
}

/// The graph of the manual of METIS, figure 3: without weights, with weights of edges, and with two weights of vertices
/// and sizes.
const PLAIN: &str = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n";
const WEIGHTED: &str = "% a comment\n7 11 001\n5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n\
                        5 2 4 2 7 6\n6 6 4 5\n";

#[test]
fn the_graphs_of_the_manual_are_read() {
    let source = read(PLAIN).unwrap();
    assert_eq!(source.header().shape.to_string(), "7 x 7");
    let read_entries = entries(&source).unwrap();
    assert_eq!(read_entries.len(), 22);
    let first: Vec<_> = read_entries[..3].iter().map(|(row, col, _)| (*row, *col)).collect();
    assert_eq!(first, [(0, 4), (0, 2), (0, 1)]);
    assert_eq!(source.header().sorted_indices, Some(false));
    let weighted = entries(&read(WEIGHTED).unwrap()).unwrap();
    assert_eq!(weighted.len(), 22);
    assert_eq!(weighted[1], (0, 2, Scalar::I64(2)));
    let text = "3 2 110 2\n9 1 2 2\n8 3 4 1 3\n7 5 6 2\n";
    let source = read(text).unwrap();
    assert_eq!(entries(&source).unwrap().len(), 4);
    let table = source.annotations(Axis::Rows).unwrap().unwrap();
    let names: Vec<_> = table.columns().iter().map(|column| &*column.name).collect();
    assert_eq!(names, ["size", "weight_0", "weight_1"]);
    for (column, expected) in
        [vec![9_i64, 8, 7], vec![1, 3, 5], vec![2, 4, 6]].into_iter().enumerate()
    {
        let read = table.read_column(column, 1 << 20).unwrap();
        assert_eq!(read.values, ColumnValues::Numbers(Values::from(expected)));
    }
}

#[test]
fn vertices_without_neighbours_have_empty_lines() {
    let source = read("4 1\n\n3\n2\n").err();
    assert!(source.is_some_and(|error| error.to_string().contains("lines of 3 vertices")));
    let source = read("4 1\r\n\r\n3\r\n% a comment\r\n2\r\n\r\n\n\n").unwrap();
    let one = Scalar::Bint8(nnz_core::Bint8(1));
    assert_eq!(entries(&source).unwrap(), [(1, 2, one), (2, 1, one)]);
    assert_eq!(entries(&read("0 0\n").unwrap()).unwrap(), []);
}

#[test]
fn broken_graphs_are_errors_with_line_and_column() {
    for (text, line, column, expected) in [
        ("x 1\n", 1, 1, "the number of vertices"),
        ("3\n", 1, 2, "the number of edges"),
        ("3 1 002\n", 1, 5, "the format"),
        ("2 1 011 0\n", 1, 9, "the number of weights"),
        ("2 1\n2\n3\n", 3, 1, "a neighbour from 1 to 2"),
        ("2 1\n2\n0\n", 3, 1, "a neighbour from 1 to 2"),
        ("2 1\n2\n2\n", 3, 1, "other than the vertex itself"),
        ("2 1\n2\n1\n1\n", 4, 1, "the end of the file"),
        ("2 1\n2 x\n1\n", 2, 3, "an integer"),
        ("2 1 1\n2 1\n1\n", 3, 2, "the weight of the edge"),
        ("2 1 1\n2 0\n1 1\n", 2, 3, "the weight of the edge"),
        ("2 1 1\n2 0.5\n1 0.5\n", 2, 3, "the weight of the edge, an integer"),
        ("2 1 11 2\n1\n1 1 1 1\n", 2, 2, "the sizes and weights"),
        ("3 2\n2\n1 3\n\n", 3, 3, "in the lines of both ends"),
        ("3 2 1\n2 5\n1 5 3 1\n2 2\n", 3, 5, "with the same weight"),
    ] {
        let error = refused(text);
        assert_eq!(error.place().at, Some(At::Line { line, column }), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    assert!(refused("3 3\n2\n1 3\n2\n").to_string().contains("found 2 edges, expected 3"));
    assert!(refused("").to_string().contains("numbers of vertices and edges"));
}

#[test]
fn lines_longer_than_a_block_are_read() {
    // A star: all edges are in the first line, with weights, and sizes before them.
    let leaves = 60_000_u64;
    for (fmt, weighted) in [("", false), (" 001", true), (" 101", true), (" 100", false)] {
        let size = if fmt.starts_with(" 1") { "7 " } else { "" };
        let weight =
            |leaf: u64| if weighted { format!(" {}", leaf % 1000 + 1) } else { String::new() };
        let mut text = format!("{} {leaves}{fmt}\n{size}", leaves + 1);
        for leaf in 1..=leaves {
            text += &format!("{}{} ", leaf + 1, weight(leaf));
        }
        text += "\n";
        for leaf in 1..=leaves {
            text += &format!("{size}1{}\n", weight(leaf));
        }
        let source = read(&text).unwrap();
        let read = entries(&source).unwrap();
        assert_eq!(read.len() as u64, 2 * leaves);
        for (at, (row, col, value)) in read.iter().enumerate() {
            let leaf = at as u64 % leaves + 1;
            let wanted = if (at as u64) < leaves { (0, leaf) } else { (leaf, 0) };
            assert_eq!((*row, *col), wanted);
            let wanted = if weighted { (leaf % 1000 + 1) as f64 } else { 1.0 };
            assert_eq!(crate::common::float(*value), wanted);
        }
    }
}

#[test]
fn damaged_graphs_are_read_or_refused() {
    use nnz_testing::mutations::{mutate, rounds};
    let mut random = nnz_testing::random::Random::new(13);
    for text in [PLAIN, WEIGHTED, "3 2 110 2\n9 1 2 2\n8 3 4 1 3\n7 5 6 2\n"] {
        for _ in 0..10 * rounds() {
            let mut bytes = text.as_bytes().to_vec();
            mutate(&mut bytes, &mut random);
            let (_directory, path) = written(&bytes);
            if let Ok(source) = from_opened(&opened(&path)) {
                let read = entries(&source).unwrap();
                assert_eq!(source.header().nnz, Some(read.len() as u64));
                let mut mirrored: Vec<_> = read.iter().map(|(row, col, _)| (*col, *row)).collect();
                let mut plain: Vec<_> = read.iter().map(|(row, col, _)| (*row, *col)).collect();
                mirrored.sort_unstable();
                plain.sort_unstable();
                assert_eq!(mirrored, plain);
            }
        }
    }
}
