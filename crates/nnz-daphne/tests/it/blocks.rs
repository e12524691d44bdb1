//! Objects with blocks of every kind and type, at any position and in any order.

use nnz_core::{Batch, MatrixSource as _, Order, ValueType, Values};
use nnz_daphne::{DataType, Dialect, FrameBatch, FrameSource, MatrixSource, ReadOptions};
use proptest::prelude::*;

use crate::common::{Element, entries, faults, scalar_bits};

/// First row and column, number of rows and columns.
type Rectangle = (u64, u64, u32, u32);

/// A block with its elements, in its own rows and columns.
#[derive(Clone, Debug)]
struct Leaf {
    place: Rectangle,
    block_type: u8,
    value_type: ValueType,
    elements: Vec<(u32, u32, u64)>,
}

/// Splits a rectangle repeatedly, according to `cuts`.
fn cut(place: Rectangle, cuts: &mut impl Iterator<Item = u32>, into: &mut Vec<Rectangle>) {
    let (row, col, rows, cols) = place;
    let which = cuts.next().unwrap_or(0);
    match which % 3 {
        1 if rows > 1 => {
            let first = 1 + which / 3 % (rows - 1);
            cut((row, col, first, cols), cuts, into);
            cut((row + u64::from(first), col, rows - first, cols), cuts, into);
        }
        2 if cols > 1 => {
            let first = 1 + which / 3 % (cols - 1);
            cut((row, col, rows, first), cuts, into);
            cut((row, col + u64::from(first), rows, cols - first), cuts, into);
        }
        _ => into.push(place),
    }
}

fn code(value_type: ValueType) -> u8 {
    let types = Dialect::Spec.value_types();
    1 + types.iter().position(|t| *t == value_type).unwrap() as u8
}

impl Leaf {
    fn put(&self, out: &mut Vec<u8>) {
        let (row, col, rows, cols) = self.place;
        out.extend([row, col].into_iter().flat_map(u64::to_le_bytes));
        out.extend([rows, cols].into_iter().flat_map(u32::to_le_bytes));
        out.push(self.block_type);
        if self.block_type == 0 {
            return;
        }
        out.push(code(self.value_type));
        let size = self.value_type.size();
        let value = |bits: u64| bits.to_le_bytes()[..size].to_vec();
        match self.block_type {
            1 => {
                let mut elements = vec![0; rows as usize * cols as usize * size];
                for &(row, col, bits) in &self.elements {
                    let at = (row as usize * cols as usize + col as usize) * size;
                    elements[at..at + size].copy_from_slice(&value(bits));
                }
                out.extend(elements);
            }
            2 => {
                out.extend((self.elements.len() as u64).to_le_bytes());
                for row in 0..rows {
                    let own: Vec<_> =
                        self.elements.iter().filter(|element| element.0 == row).collect();
                    out.extend((own.len() as u32).to_le_bytes());
                    for (_, col, bits) in own {
                        out.extend(col.to_le_bytes());
                        out.extend(value(*bits));
                    }
                }
            }
            _ => {
                out.extend((self.elements.len() as u32).to_le_bytes());
                for (row, col, bits) in &self.elements {
                    out.extend(row.to_le_bytes());
                    if cols != 1 {
                        out.extend(col.to_le_bytes());
                    }
                    out.extend(value(*bits));
                }
            }
        }
    }
}

/// Converts the bits of a small number from one type to another.
fn small(number: u8, value_type: ValueType) -> u64 {
    match value_type {
        ValueType::F32 => f32::from(number).to_bits().into(),
        ValueType::F64 => f64::from(number).to_bits(),
        _ => number.into(),
    }
}

prop_compose! {
    /// Blocks that cover parts of a rectangle, in any order.
    fn leaves()(
        rows in 1..12_u32,
        cols in 1..12_u32,
        cuts in prop::collection::vec(any::<u32>(), 0..24),
    )(
        leaves in {
            let mut places = Vec::new();
            cut((0, 0, rows, cols), &mut cuts.into_iter(), &mut places);
            places.into_iter().map(leaf).collect::<Vec<_>>().prop_shuffle()
        },
        shape in Just((rows, cols)),
        gaps in any::<bool>(),
    ) -> (u32, u32, Vec<Leaf>) {
        let kept = leaves.len() - if gaps { leaves.len() / 3 } else { 0 };
        (shape.0, shape.1, leaves[..kept].to_vec())
    }
}

fn leaf(place: Rectangle) -> impl Strategy<Value = Leaf> {
    let (.., rows, cols) = place;
    let elements = prop::collection::btree_map((0..rows, 0..cols), 1..100_u8, 0..20);
    let types = prop::sample::select(Dialect::Spec.value_types());
    (0..4_u8, types, elements, any::<bool>()).prop_map(
        move |(block_type, value_type, elements, reverse)| {
            let elements = elements.into_iter().filter(|_| block_type != 0);
            let mut elements: Vec<_> = elements
                .map(|((row, col), number)| (row, col, small(number, value_type)))
                .collect();
            if reverse && block_type == 3 {
                // Ultra-sparse entries may be in any order.
                elements.reverse();
            }
            Leaf { place, block_type, value_type, elements }
        },
    )
}

/// The elements of all blocks, converted to the type of the object in their column.
fn expected(leaves: &[Leaf], target: impl Fn(u64) -> ValueType) -> Vec<Element> {
    let mut all = Vec::new();
    for leaf in leaves {
        for &(row, col, bits) in &leaf.elements {
            let number = (1..100).find(|n| small(*n, leaf.value_type) == bits).unwrap();
            let (row, col) = (leaf.place.0 + u64::from(row), leaf.place.1 + u64::from(col));
            all.push((row, col, small(number, target(col))));
        }
    }
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn matrices_have_the_elements_of_their_blocks(
        (rows, cols, leaves) in leaves(),
        dense in any::<bool>(),
        value_type in prop::sample::select(Dialect::Spec.value_types()),
        first in 0..12_u64,
        columns in (0..12_u64, 0..12_u64),
    ) {
        let mut bytes = vec![1, if dense { 1 } else { 2 }];
        bytes.extend([u64::from(rows), u64::from(cols)].into_iter().flat_map(u64::to_le_bytes));
        bytes.push(code(value_type));
        leaves.iter().for_each(|leaf| leaf.put(&mut bytes));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf");
        std::fs::write(&path, bytes).unwrap();
        prop_assert_eq!(faults(&path), Vec::<String>::new());
        let matrix = MatrixSource::open(&path, &ReadOptions::default()).unwrap();
        prop_assert_eq!(matrix.dialect(), Dialect::Spec);
        let expected = expected(&leaves, |_| value_type);
        let mut rows_there = entries(&matrix, 0..rows.into());
        if matrix.data_type() == DataType::Dense {
            prop_assert!(rows_there.is_sorted());
            prop_assert_eq!(rows_there.len() as u32, rows * cols);
            rows_there.retain(|element| element.2 != 0);
        } else {
            prop_assert!(rows_there.is_sorted_by_key(|element| element.0));
            prop_assert!(matrix.header().nnz.is_none_or(|stored| stored == rows_there.len() as u64));
        }
        rows_there.sort_unstable();
        prop_assert_eq!(&rows_there, &expected);
        let first = first.min(rows.into());
        let mut some = entries(&matrix, first..rows.into());
        some.retain(|element| element.2 != 0);
        some.sort_unstable();
        prop_assert_eq!(&some[..], &expected[expected.partition_point(|element| element.0 < first)..]);
        let ends = [columns.0, columns.1].map(|end| end.min(cols.into()));
        let within = ends[0].min(ends[1])..ends[0].max(ends[1]);
        let mut some = Vec::new();
        let mut units = matrix.units_of_range(first..rows.into(), within.clone()).unwrap();
        let mut batch = Batch::new(Order::Row, Values::default());
        while let Some(unit) = units.next_unit().unwrap() {
            unit.decode(&mut batch).unwrap();
            batch
                .try_for_each(|entry, row, col| {
                    some.push((row, col, scalar_bits(batch.values.get(entry).unwrap())));
                    Ok::<(), nnz_core::Error>(())
                })
                .unwrap();
        }
        if matrix.data_type() == DataType::Dense {
            prop_assert_eq!(some.len() as u64, (u64::from(rows) - first) * (within.end - within.start));
        }
        some.retain(|element| element.2 != 0);
        some.sort_unstable();
        let inside = |element: &&Element| element.0 >= first && within.contains(&element.1);
        prop_assert_eq!(some, expected.iter().filter(inside).copied().collect::<Vec<_>>());
    }

    #[test]
    fn frames_have_the_elements_of_their_blocks(
        (rows, cols, leaves) in leaves(),
        types in prop::collection::vec(prop::sample::select(Dialect::Spec.value_types()), 12),
    ) {
        let types = &types[..cols as usize];
        let mut bytes = vec![1, 3];
        bytes.extend([u64::from(rows), u64::from(cols)].into_iter().flat_map(u64::to_le_bytes));
        bytes.extend(types.iter().map(|t| code(*t)));
        types.iter().for_each(|_| bytes.extend([1, 0, b'x']));
        leaves.iter().for_each(|leaf| leaf.put(&mut bytes));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf");
        std::fs::write(&path, bytes).unwrap();
        prop_assert_eq!(faults(&path), Vec::<String>::new());
        let frame = FrameSource::open(&path, &ReadOptions::default()).unwrap();
        let mut reader = frame.batches(0..rows.into()).unwrap();
        let mut batch = FrameBatch::default();
        let mut found = Vec::new();
        while reader.next_batch(&mut batch).unwrap() {
            for (values, col) in batch.columns.iter().zip(0..) {
                for (row, index) in batch.rows.clone().zip(0..) {
                    found.push((row, col, scalar_bits(values.get(index).unwrap())));
                }
            }
        }
        found.retain(|element| element.2 != 0);
        found.sort_unstable();
        prop_assert_eq!(found, expected(&leaves, |col| types[col as usize]));
    }
}
