//! Whether any two entries share a place.

use nnz_core::{
    At, Batch, Duplicates, Error, ErrorKind, Fields, Header, MatrixSource, Order, Place, Result,
    Structure, Triangle,
};

use crate::convert::locate;
use crate::sort::{SortPlan, Sorter, sorter};
use crate::stages::{DuplicatePolicy, empty_batch};

/// Watches entries as they are read, and finds two that share a place.
///
/// While entries come in ascending order, comparing neighbours is enough. Otherwise all places are
/// sorted: at the end, from a second reading, or along the way where there is none.
pub(crate) struct Uniqueness<'a> {
    source: &'a dyn MatrixSource,
    memory: u64,
    state: State<'a>,
}

enum State<'a> {
    /// Duplicates are allowed, or dealt with elsewhere.
    Unwatched,
    /// Entries came in ascending order up to this one.
    Ascending(Option<(u64, u64)>),
    /// They did not: they have to be read again.
    Unsorted,
    /// Places are sorted along the way.
    Collecting(Box<dyn Sorter<'a> + 'a>),
}

impl<'a> Uniqueness<'a> {
    pub(crate) fn new(source: &'a dyn MatrixSource, policy: DuplicatePolicy, memory: u64) -> Self {
        let header = source.header();
        let watched = header.duplicates == Duplicates::Refused
            && header.minors_ascend != Some(true)
            && policy == DuplicatePolicy::Refuse;
        let state = match (watched, source.rereadable()) {
            (false, _) => State::Unwatched,
            (true, true) => State::Ascending(None),
            (true, false) => State::Collecting(places(header, memory)),
        };
        Self { source, memory, state }
    }

    /// Looks at the entries of a batch as they are stored.
    pub(crate) fn watch(&mut self, batch: &Batch) -> Result<()> {
        match &mut self.state {
            State::Unwatched | State::Unsorted => Ok(()),
            State::Ascending(last) => {
                let structure = self.source.header().structure;
                let ascends = batch.try_for_each(|_, major, minor| {
                    let folded = fold(structure, batch.order, major, minor) != (major, minor);
                    let here = Some((major, minor));
                    let before = std::mem::replace(last, here);
                    if before < here && !folded { Ok(()) } else { Err(()) }
                });
                if ascends.is_err() {
                    self.state = State::Unsorted;
                }
                Ok(())
            }
            State::Collecting(places) => push(&mut **places, batch, self.source.header()),
        }
    }

    /// Says whether two entries shared a place, once all have been watched.
    ///
    /// # Errors
    ///
    /// Fails where two did, naming them.
    pub(crate) fn finish(self) -> Result<()> {
        let found = match self.state {
            State::Unwatched | State::Ascending(_) => return Ok(()),
            State::Collecting(places) => find(places),
            State::Unsorted => read_again(self.source, self.memory),
        };
        found.map_err(|error| locate(error, self.source))
    }
}

/// Returns where the stored triangle has the entry that stands for this one.
fn fold(structure: Structure, order: Order, major: u64, minor: u64) -> (u64, u64) {
    let (row, col) = order.row_col(major, minor);
    let across = match structure.triangle() {
        None => false,
        Some(Triangle::Lower) => row < col,
        Some(Triangle::Upper) => row > col,
    };
    if across { (minor, major) } else { (major, minor) }
}

fn places<'a>(header: &Header, memory: u64) -> Box<dyn Sorter<'a> + 'a> {
    let directory = std::env::temp_dir();
    let plan = SortPlan {
        order: header.order,
        shape: header.shape,
        value_type: header.value_type,
        without_values: true,
        memory,
        directory: &directory,
    };
    sorter(plan, None)
}

fn push(places: &mut dyn Sorter<'_>, batch: &Batch, header: &Header) -> Result<()> {
    if header.structure == Structure::General {
        return places.push(batch);
    }
    let builder = crate::stages::Builder::new(header.order, header.shape);
    let mut folded = empty_batch(header.order, header.value_type);
    builder.start(batch.order, &mut folded);
    batch.try_for_each(|_, major, minor| {
        let (major, minor) = fold(header.structure, batch.order, major, minor);
        builder.push(&mut folded, major, minor);
        Ok::<(), Error>(())
    })?;
    places.push(&folded)
}

fn read_again(source: &dyn MatrixSource, memory: u64) -> Result<()> {
    let header = source.header();
    let mut reader = source.batches(0..header.shape.major(header.order), Fields::MINORS)?;
    let mut batch = empty_batch(header.order, header.value_type);
    let mut places = places(header, memory);
    while reader.next_batch(&mut batch)? {
        push(&mut *places, &batch, header)?;
    }
    find(places)
}

/// Compares neighbours among sorted places.
fn find(places: Box<dyn Sorter<'_> + '_>) -> Result<()> {
    let mut sorted = places.finish()?;
    let mut batch = empty_batch(Order::Col, nnz_core::ValueType::U8);
    let mut last = None;
    while sorted.next_batch(&mut batch)? {
        batch.try_for_each(|_, major, minor| {
            if last.replace((major, minor)) == Some((major, minor)) {
                let (row, col) = batch.order.row_col(major, minor);
                let place = Place::default().at(At::Entry { row, col });
                return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
            }
            Ok(())
        })?;
    }
    Ok(())
}
