//! Ranges of features, `GRanges` of R.

use std::collections::HashMap;
use std::sync::Arc;

use nnz_container::rds::{ArraySpool, NA_INTEGER, NewObject, NewTexts, NewValue};
use nnz_core::{
    Annotations, Categorical, Column, ColumnInfo, ColumnType, ColumnValues, Place, Result,
    StringList,
};

use super::slots::{annotated, empty_list, factor, integers, null_slot, strings};
use super::table::exact;

/// The columns of ranges.
const COLUMNS: [&str; 5] = ["seqnames", "start", "width", "end", "strand"];

/// Names that columns of a table of features do not have beside ranges, of which the first ones are not possible beside lists
/// of ranges either.
const RESERVED: [&str; 10] = [
    "seqnames",
    "start",
    "width",
    "end",
    "strand",
    "ranges",
    "element",
    "seqlevels",
    "seqlengths",
    "isCircular",
];
const RESERVED_BY_LISTS: usize = 7;

/// The levels of a strand.
const STRANDS: [&str; 3] = ["+", "-", "*"];

/// A range on a sequence for each feature.
#[derive(Clone, Debug)]
pub struct NewRanges {
    /// The names of the sequences.
    sequences: NewObject,
    /// The number of sequences.
    count: u64,
    /// The sequence of each feature, from 1.
    sequence: Vec<i32>,
    start: Vec<i32>,
    width: Vec<i32>,
    /// The strand of each feature, from 1.
    strand: Vec<i32>,
}

impl NewRanges {
    /// Reads the columns `seqnames`, `start`, `width` or `end`, and `strand` if there is one. Returns `None` if R does not
    /// support their values as ranges, and otherwise also the names of the columns.
    ///
    /// # Errors
    ///
    /// Fails if a column cannot be read or takes more than `memory` bytes.
    pub(super) fn read(
        table: &dyn Annotations,
        (spool, memory): (&ArraySpool, u64),
        place: &Place,
    ) -> Result<Option<(Self, Vec<&'static str>)>> {
        let mut names = Vec::new();
        let mut columns: [Option<Column>; 5] = [const { None }; 5];
        for (name, column) in COLUMNS.into_iter().zip(&mut columns) {
            let found = |info: &ColumnInfo| info.name == name;
            let Some(at) = table.columns().iter().position(found) else { continue };
            if matches!(table.columns()[at].column_type, ColumnType::Time(_)) {
                return Ok(None);
            }
            *column = Some(table.read_column(at, memory)?);
            names.push(name);
        }
        let [Some(sequence), Some(start), width, end, strand] = &columns else { return Ok(None) };
        let positions = positions(start, width.as_ref(), end.as_ref());
        let strand = match strand {
            Some(strand) => strands(strand),
            None => Some(vec![3; usize::try_from(table.len()).unwrap_or(0)]),
        };
        let (Some((start, width)), Some(strand), Some((sequence, levels))) =
            (positions, strand, coded(sequence))
        else {
            return Ok(None);
        };
        if levels.iter().any(|level| level.is_empty()) {
            return Ok(None);
        }
        let mut sequences = NewTexts::new(spool);
        for level in &levels {
            sequences.push(Some(level), place)?;
        }
        let sequences = NewObject::new(NewValue::Texts(Arc::new(sequences)));
        let count = levels.len() as u64;
        Ok(Some((Self { sequences, count, sequence, start, width, strand }, names)))
    }

    /// Creates ranges of no features.
    pub(super) fn empty() -> Self {
        Self {
            sequences: NewObject::texts([]),
            count: 0,
            sequence: Vec::new(),
            start: Vec::new(),
            width: Vec::new(),
            strand: Vec::new(),
        }
    }

    /// Returns the names that columns of the table of features do not have.
    pub(super) fn reserved(ranges: Option<&Self>) -> &'static [&'static str] {
        if ranges.is_some() { &RESERVED } else { &RESERVED[..RESERVED_BY_LISTS] }
    }

    /// Creates the object, with the names and the table of features.
    pub(super) fn object(
        &self,
        names: Option<&Arc<StringList>>,
        table: NewObject,
        spool: &ArraySpool,
    ) -> Result<NewObject> {
        let mut positions = vec![
            ("start", integers(&self.start)),
            ("width", integers(&self.width)),
            ("NAMES", names.map_or_else(null_slot, strings)),
        ];
        positions.extend(annotated("ANY"));
        let mut genome = NewTexts::new(spool);
        for _ in 0..self.count {
            genome.push(None, &Place::default())?;
        }
        let lengths = vec![NA_INTEGER; usize::try_from(self.count).unwrap_or(0)];
        let sequences = vec![
            ("seqnames", self.sequences.clone()),
            ("seqlengths", integers(&lengths)),
            ("is_circular", NewObject::new(NewValue::Flags(NA_INTEGER, self.count))),
            ("genome", NewObject::new(NewValue::Texts(Arc::new(genome)))),
        ];
        Ok(NewObject::s4(
            "GRanges",
            "GenomicRanges",
            vec![
                ("seqnames", run_lengths(&self.sequence, self.sequences.clone())),
                ("ranges", NewObject::s4("IRanges", "IRanges", positions)),
                ("strand", run_lengths(&self.strand, NewObject::texts(STRANDS))),
                ("seqinfo", NewObject::s4("Seqinfo", "GenomeInfoDb", sequences)),
                ("elementMetadata", table),
                ("elementType", NewObject::texts(["ANY"])),
                ("metadata", empty_list()),
            ],
        ))
    }
}

/// Creates run lengths of a factor.
fn run_lengths(codes: &[i32], levels: NewObject) -> NewObject {
    let runs = || codes.chunk_by(|first, second| first == second);
    let values = runs().filter_map(|run| run.first().copied()).collect();
    let lengths = runs().map(|run| super::slots::length(run.len() as u64)).collect();
    let slots = vec![
        ("values", factor(NewValue::Integers(values), levels, false)),
        ("lengths", NewObject::new(NewValue::Integers(lengths))),
        ("elementMetadata", null_slot()),
        ("metadata", empty_list()),
    ];
    NewObject::s4("Rle", "S4Vectors", slots)
}

/// Returns the start and the width of each range, if all are valid.
fn positions(
    start: &Column,
    width: Option<&Column>,
    end: Option<&Column>,
) -> Option<(Vec<i32>, Vec<i32>)> {
    let start = whole(start)?;
    let end = match end {
        Some(end) => Some(whole(end)?),
        None => None,
    };
    let width = match (width, &end) {
        (Some(width), _) => whole(width)?,
        (None, Some(end)) => {
            // Ranges include their end.
            let len = |(start, end): (&i32, &i32)| end.checked_sub(*start)?.checked_add(1);
            start.iter().zip(end).map(len).collect::<Option<_>>()?
        }
        (None, None) => return None,
    };
    let ends = start.iter().zip(&width).map(|(start, width)| {
        let is_valid = *width >= 0;
        start.checked_add(width - 1).filter(|_| is_valid)
    });
    let ends = ends.collect::<Option<Vec<i32>>>()?;
    end.is_none_or(|end| end == ends).then_some((start, width))
}

/// Returns the values of a column, if all are integers of R.
fn whole(column: &Column) -> Option<Vec<i32>> {
    let one = |row: u64| {
        let number = exact(column.number(row)?).filter(|_| !column.is_missing(row))?;
        let is_whole = number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
        #[expect(clippy::cast_possible_truncation, reason = "checked")]
        let whole = number as i32;
        is_whole.then_some(whole)
    };
    (0..column.len()).map(one).collect()
}

/// Returns the strand of each range from 1, if all are valid.
fn strands(column: &Column) -> Option<Vec<i32>> {
    let (codes, levels) = coded(column)?;
    let strand = |level: &Vec<u8>| {
        let at = STRANDS.iter().position(|strand| strand.as_bytes() == level)?;
        i32::try_from(at + 1).ok()
    };
    let strands: Vec<Option<i32>> = levels.iter().map(strand).collect();
    let strand = |code: i32| *strands.get(usize::try_from(code - 1).ok()?)?;
    codes.into_iter().map(strand).collect()
}

/// Returns the values of a column as codes from 1 and texts, if none is missing. The texts are the categories, or the values in
/// the order in which they first appear.
fn coded(column: &Column) -> Option<(Vec<i32>, Vec<Vec<u8>>)> {
    match &column.values {
        ColumnValues::Categorical(Categorical { codes, categories, .. }) => {
            let code = |code: &i32| (*code >= 0).then(|| code.checked_add(1)).flatten();
            let text = |at| {
                let mut text = Vec::new();
                categories.write_text(at, &mut text);
                text
            };
            let codes = codes.iter().map(code).collect::<Option<_>>()?;
            Some((codes, (0..categories.len()).map(text).collect()))
        }
        ColumnValues::Strings(list) => {
            let (mut known, mut texts) = (HashMap::new(), Vec::new());
            let mut code = |(text, row): (&[u8], u64)| {
                if column.is_missing(row) {
                    return None;
                }
                if let Some(code) = known.get(text) {
                    return Some(*code);
                }
                texts.push(text.to_vec());
                let code = i32::try_from(texts.len()).ok()?;
                known.insert(text.to_vec(), code);
                Some(code)
            };
            let codes = list.iter().zip(0..).map(&mut code).collect::<Option<_>>()?;
            Some((codes, texts))
        }
        ColumnValues::Numbers(_) => None,
    }
}
