//! The part of writing that any thread can do.

use std::ops::Range;

use nnz_core::{
    Batch, BatchEncoder, Encoded, Error, Minors, Place, Result, Scalar, ValueType, Values,
};

use super::plan::Plan;
use super::same;
use crate::output::narrowed;
use crate::structure;

/// Encodes batches of a matrix.
pub(super) struct MatrixEncoder {
    pub(super) plan: Plan,
    /// The types of the majors and minors stored for each entry.
    pub(super) types: [Option<ValueType>; 2],
}

/// An encoded batch.
pub(super) struct EncodedBatch {
    /// The number of its first entry.
    pub(super) first: u64,
    pub(super) entries: u64,
    /// Major and entries of each run that is not empty.
    pub(super) runs: Vec<(u64, Range<usize>)>,
    /// Major, first minor and entries of each sequence of consecutive elements.
    pub(super) stretches: Vec<(u64, u64, Range<usize>)>,
    pub(super) majors: Vec<u8>,
    pub(super) minors: Vec<u8>,
    pub(super) values: Vec<u8>,
    pub(super) iso: Option<Scalar>,
    /// The number of entries on the diagonal of a matrix with a structure.
    pub(super) diagonal: u64,
    /// Major and minor of the first and the last entry.
    pub(super) edges: Option<((u64, u64), (u64, u64))>,
}

impl BatchEncoder for MatrixEncoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        self.check_lengths(batch)?;
        let mut piece = EncodedBatch {
            first,
            entries: batch.entries() as u64,
            runs: Vec::new(),
            stretches: Vec::new(),
            majors: Vec::new(),
            minors: Vec::new(),
            values: Vec::new(),
            iso: None,
            diagonal: 0,
            edges: None,
        };
        for run in (0..batch.runs()).filter(|&run| !batch.run(run).is_empty()) {
            self.check_run(batch, run, &mut piece)?;
        }
        if self.plan.dense {
            stretches(batch, &mut piece);
        }
        self.indices(batch, &mut piece)?;
        self.values(batch, &mut piece)?;
        Ok(Box::new(piece))
    }
}

impl MatrixEncoder {
    fn check_lengths(&self, batch: &Batch) -> Result<()> {
        let entries = batch.entries();
        let indices = match &batch.minors {
            Minors::U32(minors) => minors.len() == entries,
            Minors::U64(minors) => minors.len() == entries,
            Minors::Spans(starts) => starts.len() == batch.runs(),
        };
        if !indices || batch.values.len().is_some_and(|len| len != entries) {
            let found = "a different number of indices or values";
            return Err(Error::mismatch(Place::default(), found, format!("{entries}")));
        }
        if batch.values.value_type() != self.plan.value_type || batch.order != self.plan.order {
            let found = format!("a batch of {} by {}", batch.values.value_type(), batch.order);
            let expected = format!("{} by {}", self.plan.value_type, self.plan.order);
            return Err(Error::mismatch(Place::default(), found, expected));
        }
        Ok(())
    }

    /// Checks that a run is after the previous one, and its entries are in range and ascending.
    fn check_run(&self, batch: &Batch, run: usize, piece: &mut EncodedBatch) -> Result<()> {
        let plan = &self.plan;
        let entries = batch.run(run);
        let major = batch.majors.get(run);
        let first = (major, batch.minor(run, entries.start));
        if let Some((_, last)) = piece.edges.filter(|&(_, last)| last >= first) {
            return Err(plan.out_of_order(last, first));
        }
        let down = match &batch.minors {
            Minors::U32(minors) => first_descent(&minors[entries.clone()]),
            Minors::U64(minors) => first_descent(&minors[entries.clone()]),
            Minors::Spans(_) => None,
        };
        if let Some(at) = down {
            let minor = |at: usize| batch.minor(run, entries.start + at);
            return Err(plan.out_of_order((major, minor(at)), (major, minor(at + 1))));
        }
        let last = (major, batch.minor(run, entries.end - 1));
        if major >= plan.majors || last.1 >= plan.minors {
            let found = "an entry past the end";
            let expected = format!("a shape of {:?}", plan.shape);
            return Err(Error::mismatch(plan.place(last.0, last.1), found, expected));
        }
        for (major, minor) in [first, last] {
            let (row, col) = plan.order.row_col(major, minor);
            if let Some(found) = structure::misplaced(plan.structure, row, col) {
                let expected = format!("none in a {} matrix", plan.structure);
                return Err(Error::mismatch(plan.place(major, minor), found, expected));
            }
        }
        if plan.structure.triangle().is_some() {
            // Entries are on one side of the diagonal, so the one on it is the first or the last.
            let on_it = [(entries.start, first.1), (entries.end - 1, last.1)];
            if let Some((entry, _)) = on_it.into_iter().find(|&(_, minor)| minor == major) {
                piece.diagonal += 1;
                self.check_diagonal(batch, entry, major)?;
            }
        }
        piece.edges = Some((piece.edges.map_or(first, |(first, _)| first), last));
        piece.runs.push((major, entries));
        Ok(())
    }

    fn check_diagonal(&self, batch: &Batch, entry: usize, major: u64) -> Result<()> {
        let Some(value) = batch.values.get(entry) else { return Ok(()) };
        match structure::diagonal(self.plan.structure, value) {
            Some(expected) => Err(Error::mismatch(self.plan.place(major, major), value, expected)),
            None => Ok(()),
        }
    }

    /// Encodes the majors and minors stored for each entry.
    fn indices(&self, batch: &Batch, piece: &mut EncodedBatch) -> Result<()> {
        let [majors, minors] = self.types;
        if let Some(value_type) = minors {
            piece.minors = match &batch.minors {
                Minors::U32(minors) if value_type == ValueType::U32 => {
                    bytemuck::cast_slice(&minors[..batch.entries()]).to_vec()
                }
                Minors::U64(minors) => narrowed(value_type, minors, "indices")?,
                _ => {
                    let mut wide = Vec::with_capacity(batch.entries());
                    for (run, entries) in (0..batch.runs()).map(|run| (run, batch.run(run))) {
                        wide.extend(entries.map(|entry| batch.minor(run, entry)));
                    }
                    narrowed(value_type, &wide, "indices")?
                }
            };
        }
        if let Some(value_type) = majors {
            let mut wide = Vec::with_capacity(batch.entries());
            for (major, entries) in &piece.runs {
                wide.resize(wide.len() + entries.len(), *major);
            }
            piece.majors = narrowed(value_type, &wide, "indices")?;
        }
        Ok(())
    }

    fn values(&self, batch: &Batch, piece: &mut EncodedBatch) -> Result<()> {
        if !self.plan.iso {
            piece.values = match &batch.values {
                Values::Iso(value) => value.repeat(batch.entries()).bytes().to_vec(),
                values => values.bytes().to_vec(),
            };
            return Ok(());
        }
        piece.iso = batch.values.get(0).filter(|_| batch.entries() > 0);
        let all_same = match (&batch.values, piece.iso) {
            (Values::Iso(_), _) | (_, None) => true,
            (values, Some(value)) => {
                (0..batch.entries()).all(|at| values.get(at).is_some_and(|v| same(v, value)))
            }
        };
        if all_same {
            return Ok(());
        }
        Err(Error::mismatch(Place::default(), "several values", "one for all entries"))
    }
}

/// Returns the first position whose element is not less than the next.
fn first_descent<T: Ord>(minors: &[T]) -> Option<usize> {
    minors.iter().zip(minors.iter().skip(1)).position(|(a, b)| a >= b)
}

/// Finds sequences of consecutive elements.
fn stretches(batch: &Batch, piece: &mut EncodedBatch) {
    for run in 0..batch.runs() {
        let mut rest = batch.run(run);
        while !rest.is_empty() {
            let minor = batch.minor(run, rest.start);
            let end = match &batch.minors {
                Minors::Spans(_) => rest.end,
                _ => {
                    let next =
                        |entry: usize| batch.minor(run, entry) + 1 == batch.minor(run, entry + 1);
                    let mut end = rest.start + 1;
                    while end < rest.end && next(end - 1) {
                        end += 1;
                    }
                    end
                }
            };
            piece.stretches.push((batch.majors.get(run), minor, rest.start..end));
            rest.start = end;
        }
    }
}
