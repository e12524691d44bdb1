//! Level trees with positions without entries, valid or with one element changed: reading fails
//! exactly if validation finds a fault.

use std::fmt::Write as _;

use nnz_binsparse::{DESCRIPTOR, EntryReader, Layout, LevelKind, MatrixSource, validate};
use nnz_container::NamedArrays;
use nnz_container::memory::Memory;
use nnz_core::{Batch, Error, MatrixSource as _, Projection, Result, Severity, ValueType, Values};
use nnz_testing::random::Random;

use crate::common;
use crate::common::all_entries;

/// The arrays of a level tree by name, and its number of values.
struct Tree {
    /// Levels from the outermost inwards, by kind and rank.
    levels: Vec<(LevelKind, usize)>,
    extents: Vec<u64>,
    arrays: Vec<(String, Vec<u64>)>,
    values: u64,
    /// The name of the format, if the descriptor has one.
    format: Option<&'static str>,
}

impl Tree {
    /// Creates a random tree with some empty positions.
    fn random(random: &mut Random) -> Self {
        let formats = [None, None, None, Some("DCSR"), Some("CSR"), Some("COOR"), Some("CVEC")];
        let format = formats[random.below(formats.len())];
        let (dense, sparse) = (LevelKind::Dense, LevelKind::Sparse);
        let levels = match format {
            Some("DCSR") => vec![(sparse, 1), (sparse, 1)],
            Some("CSR") => vec![(dense, 1), (sparse, 1)],
            Some("COOR") => vec![(sparse, 2)],
            Some(_) => vec![(sparse, 1)],
            None => (0..1 + random.below(4))
                .map(|_| {
                    let kind = if random.below(3) == 0 { dense } else { sparse };
                    (kind, 1 + random.below(2))
                })
                .collect(),
        };
        let rank = levels.iter().map(|(_, rank)| rank).sum();
        let extents: Vec<u64> = (0..rank).map(|_| [0, 1, 2, 3, 3][random.below(5)]).collect();
        let mut tree = Self { levels, extents, arrays: Vec::new(), values: 1, format };
        let mut first = 0;
        for (number, &(kind, rank)) in tree.levels.iter().enumerate() {
            let elements = tree.extents[first..first + rank].iter().product::<u64>();
            if kind == LevelKind::Dense {
                tree.values *= elements;
                first += rank;
                continue;
            }
            let mut pointers = vec![0];
            let mut indices = vec![Vec::new(); rank];
            for _ in 0..tree.values {
                for element in 0..elements {
                    if random.below(3) > 0 {
                        continue;
                    }
                    let mut rest = element;
                    for (list, &extent) in indices.iter_mut().zip(&tree.extents[first..]).rev() {
                        list.push(rest % extent);
                        rest /= extent;
                    }
                }
                pointers.push(indices[0].len() as u64);
            }
            tree.values = indices[0].len() as u64;
            if number > 0 {
                tree.arrays.push((format!("pointers_to_{first}"), pointers));
            }
            for (at, list) in indices.into_iter().enumerate() {
                tree.arrays.push((format!("indices_{}", first + at), list));
            }
            first += rank;
        }
        tree
    }

    /// Changes one element of one array, if there is one.
    fn damage(&mut self, random: &mut Random) {
        let at = random.below(self.arrays.len());
        let Some((_, array)) = self.arrays.get_mut(at).filter(|(_, array)| !array.is_empty())
        else {
            return;
        };
        let element = random.below(array.len());
        if random.below(2) == 0 && element > 0 {
            array.swap(element - 1, element);
        } else {
            array[element] = random.below(6) as u64;
        }
    }

    fn written(&self) -> Memory {
        let memory = Memory::new();
        let mut writer = memory.writer();
        let mut types = r#""values": "uint8""#.to_owned();
        for (name, array) in &self.arrays {
            write!(types, r#", "{name}": "uint64""#).unwrap();
            let id = writer.create_array(name, ValueType::U64).unwrap();
            writer.append(id, array).unwrap();
        }
        let id = writer.create_array("values", ValueType::U8).unwrap();
        writer.append_bytes(id, &vec![7; self.values as usize]).unwrap();
        let mut tree = r#"{"level_desc": "element"}"#.to_owned();
        for (kind, rank) in self.levels.iter().rev() {
            let kind = if *kind == LevelKind::Dense { "dense" } else { "sparse" };
            tree = format!(r#"{{"level_desc": "{kind}", "rank": {rank}, "level": {tree}}}"#);
        }
        let format = match self.format {
            Some(format) => format!(r#""format": "{format}""#),
            None => format!(r#""format": "custom", "custom": {{"level": {tree}}}"#),
        };
        let text = format!(
            r#"{{"binsparse": {{"version": "0.1", {format}, "shape": {:?},
            "number_of_stored_values": {}, "data_types": {{{types}}}}}}}"#,
            self.extents, self.values
        );
        writer.set_attribute(DESCRIPTOR, &text).unwrap();
        writer.finish().unwrap();
        memory
    }
}

/// Reads all entries one by one.
fn entries(memory: &Memory) -> Result<Vec<common::Entry>> {
    let mut reader = EntryReader::open(&memory.arrays())?;
    let mut entries = Vec::new();
    while let Some((at, value)) = reader.next_entry()? {
        entries.push((at.to_vec(), value));
    }
    Ok(entries)
}

/// Decodes the units of a matrix from the last to the first, as threads may, and returns the first
/// error.
fn decoded(source: &MatrixSource) -> Result<()> {
    let header = source.header();
    let majors = header.shape.major(header.order);
    let mut units = Vec::new();
    let mut reader = source.units(0..majors, Projection::ALL)?;
    let end = loop {
        match reader.next_unit() {
            Ok(Some(unit)) => units.push(unit),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let outcomes = units.into_iter().rev().map(|unit| unit.decode(&mut batch));
    let mut outcomes: Vec<Result<()>> = outcomes.collect();
    outcomes.reverse();
    outcomes.into_iter().chain([end]).collect()
}

/// Returns the findings of validation, except DCSR with listed empty rows, which reading accepts.
fn faults(memory: &Memory) -> Vec<String> {
    let mut faults = Vec::new();
    let open = || -> Result<NamedArrays> { Ok(NamedArrays::new(memory.clone())) };
    validate(&open, &mut |finding| {
        let text = finding.to_string();
        if finding.severity == Severity::Fault && !text.contains("empty rows and columns") {
            faults.push(text);
        }
    })
    .unwrap();
    faults
}

#[test]
fn reading_fails_exactly_if_validation_finds_a_fault() {
    let text = |error: Error| error.to_string();
    let mut random = Random::new(20);
    let (mut refused, mut read, mut matrices) = (0, 0, 0);
    for _ in 0..20_000 {
        let mut tree = Tree::random(&mut random);
        let valid = random.below(4) == 0;
        if !valid {
            tree.damage(&mut random);
        }
        let memory = tree.written();
        let faults = faults(&memory);
        assert!(!valid || faults.is_empty(), "{faults:?}");
        let description = || format!("{:?} {:?} {:?}", tree.levels, tree.extents, tree.arrays);
        let found = entries(&memory);
        assert_eq!(found.is_err(), !faults.is_empty(), "{} {found:?} {faults:?}", description());
        if faults.is_empty() {
            read += 1;
        } else {
            refused += 1;
        }
        if tree.extents.len() > 2 {
            continue;
        }
        matrices += 1;
        let matrix = MatrixSource::open(NamedArrays::new(memory.clone()));
        let one = matrix.as_ref().map_err(ToString::to_string);
        let one = one.and_then(|matrix| all_entries(matrix).map_err(text));
        assert_eq!(one.is_err(), !faults.is_empty(), "{} {one:?} {faults:?}", description());
        if let (Ok(matrix), Err(error)) = (matrix, one) {
            assert_eq!(decoded(&matrix).map_err(text), Err(error), "{}", description());
        }
    }
    assert!(refused > 3_000 && read > 3_000 && matrices > 3_000, "{refused} {read} {matrices}");
}

#[test]
fn outer_positions_without_entries_are_checked() {
    // Both positions of the outer level, the second without entries.
    for (outer, message) in [
        ([1, 0], "indices_0, element 1: found 0"),
        ([0, 9], "indices_0, element 1: found 9"),
        ([0, 0], "indices_0, element 1: found 0"),
    ] {
        let layout: Layout = "sparse(sparse2(element))".parse().unwrap();
        let tree = Tree {
            levels: layout.levels().iter().map(|level| (level.kind, level.rank)).collect(),
            extents: vec![3; 3],
            arrays: vec![
                ("indices_0".to_owned(), outer.to_vec()),
                ("pointers_to_1".to_owned(), vec![0, 1, 1]),
                ("indices_1".to_owned(), vec![2]),
                ("indices_2".to_owned(), vec![1]),
            ],
            values: 1,
            format: None,
        };
        let error = entries(&tree.written()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn many_positions_without_entries_are_checked() {
    // More than are read at a time, with one entry in the last of them.
    let count = 20_000;
    for (changed, element) in [(0, 12_345), (0, 19_999), (1, 7)] {
        let mut lists = [(0..count).collect::<Vec<u64>>(), vec![0; count as usize]];
        lists[changed][element] = 3;
        let [outer, middle] = lists;
        let mut pointers = vec![0; count as usize];
        pointers.push(1);
        let tree = Tree {
            levels: vec![(LevelKind::Sparse, 1); 3],
            extents: vec![count, 3, 3],
            arrays: vec![
                ("indices_0".to_owned(), outer),
                ("pointers_to_1".to_owned(), (0..=count).collect()),
                ("indices_1".to_owned(), middle),
                ("pointers_to_2".to_owned(), pointers),
                ("indices_2".to_owned(), vec![1]),
            ],
            values: 1,
            format: None,
        };
        let error = entries(&tree.written()).unwrap_err().to_string();
        let message = format!("indices_{changed}, element {element}: found 3");
        assert!(error.contains(&message), "{error}");
    }
}
