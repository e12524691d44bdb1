//! Several matrices of one file, none of which is the main one: the genomes of a 10x file, the variables of a MAT-file,
//! the groups of a store.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use std::ops::Range;

use nnz_core::{
    Annotations, Axis, AxisKind, Error, ErrorKind, Header, MatrixSource, Names, Place, Projection,
    Result, UnitReader, Wrapped, readable,
};
use nnz_engine::{Selection, Slice};

use super::{Collection, Contents, ElementDifference, downcast};
use crate::formats::{FormatInfo, Member, Probe};
use crate::{Context, Dataset, DiffOptions, Location, OpenOptions};

/// Matrices, and other data, each of which is opened by its name in the file.
pub(crate) struct SeveralMatrices {
    info: &'static FormatInfo,
    location: Location,
    names: Vec<String>,
    options: OpenOptions,
    context: Context,
    bytes: Option<u64>,
    /// Whether all have the same rows, and the same columns, once it is known.
    shared: OnceLock<[bool; 2]>,
}

impl SeveralMatrices {
    /// Creates it from the names of the matrices, which follow `::` in their locations.
    ///
    /// # Errors
    ///
    /// Fails if elements are to be left out, which are those of one matrix.
    pub(crate) fn open(
        info: &'static FormatInfo,
        names: Vec<String>,
        (probe, options): (&Probe, &OpenOptions),
    ) -> Result<Dataset> {
        let location = probe.location().clone();
        if !probe.dropped().is_empty() {
            return Err(select_one(&location, &names, "matrices"));
        }
        let bytes = probe.opened().and_then(|opened| Some(opened.file()?.len()));
        let (options, context) = (options.clone(), probe.context().clone());
        let shared = OnceLock::new();
        let several = Self { info, location, names, options, context, bytes, shared };
        Ok(Dataset::Collection(std::sync::Arc::new(several)))
    }

    /// Opens one of the parts, of any kind.
    pub(super) fn dataset(&self, name: &str) -> Result<Dataset> {
        let location = self.location.inside(name);
        let opened = self.options.open(location.clone(), &self.context);
        opened.map_err(|error| error.with_context(&location.source_place()))
    }

    /// Returns whether all have the same rows, and whether all have the same columns, with the same names.
    fn shared(&self) -> Result<[bool; 2]> {
        if let Some(known) = self.shared.get() {
            return Ok(*known);
        }
        let found = self.find_shared()?;
        Ok(*self.shared.get_or_init(|| found))
    }

    fn find_shared(&self) -> Result<[bool; 2]> {
        let mut names = self.names.iter();
        let Some(first) = names.next() else { return Ok([false; 2]) };
        // What is broken, or no matrix, shares nothing.
        let Some(first) = readable(self.open(first))? else { return Ok([false; 2]) };
        let kinds = first.header().axis_kinds;
        let mut shared = kinds.map(|kind| kind != AxisKind::Unknown);
        for name in names {
            if shared == [false; 2] {
                break;
            }
            let Some(other) = readable(self.open(name))? else { return Ok([false; 2]) };
            for (shared, axis) in shared.iter_mut().zip([Axis::Rows, Axis::Cols]) {
                *shared = *shared
                    && other.header().axis_kinds == kinds
                    && have_same_names([&*first, &*other], axis)?;
            }
        }
        Ok(shared)
    }

    /// Returns the error for what needs a single matrix.
    fn select_one(&self) -> Error {
        select_one(&self.location, &self.names, "matrices")
    }
}

impl fmt::Debug for SeveralMatrices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeveralMatrices").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The names and tables of the axes that all matrices share. The other axis has a length of 0.
struct SharedAxes {
    slice: Slice<'static>,
    shared: [bool; 2],
    place: Place,
}

impl SharedAxes {
    fn check(&self, axis: Axis) -> Result<()> {
        match self.shared[usize::from(axis == Axis::Cols)] {
            true => Ok(()),
            false => Err(differ(axis, &self.place)),
        }
    }
}

/// Returns the error for an axis that differs between the matrices.
fn differ(axis: Axis, place: &Place) -> Error {
    let what =
        format!("the matrices of the file do not have the same {axis}; select one with ::NAME");
    Error::new(ErrorKind::Argument(what), place.clone())
}

impl MatrixSource for SharedAxes {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&self.slice)
    }

    fn place(&self) -> Place {
        self.place.clone()
    }

    fn header(&self) -> &Header {
        self.slice.header()
    }

    fn random_access(&self) -> bool {
        self.slice.random_access()
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.check(axis)?;
        self.slice.read_names(axis)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        self.check(axis)?;
        self.slice.annotations(axis)
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.slice.units(majors, fields)
    }
}

/// Returns the error for what needs a single one of the named parts of a location.
pub(crate) fn select_one(location: &Location, names: &[String], what: &str) -> Error {
    /// Parts that are listed.
    const MOST: usize = 100;
    let places = names.iter().map(|name| format!("\n  {}", location.inside(name).place()));
    let mut list: String = places.take(MOST).collect();
    if names.len() > MOST {
        list += "\n  ...";
    }
    let what = format!("contains several {what}; select one:{list}");
    Error::new(ErrorKind::Argument(what), location.source_place())
}

/// Returns whether two matrices have names of an axis, which are the same.
fn have_same_names(pair: [&dyn MatrixSource; 2], axis: Axis) -> Result<bool> {
    let [first, second] = pair.map(|source| source.header().shape.len(axis));
    if first != second {
        return Ok(false);
    }
    let [first, second] = pair.map(|source| source.read_names(axis));
    let (Some(mut first), Some(mut second)) = (first?, second?) else { return Ok(false) };
    loop {
        let (a, b) = (first.next_string()?, second.next_string()?);
        if a != b {
            return Ok(false);
        }
        if a.is_none() {
            return Ok(true);
        }
    }
}

impl Collection for SeveralMatrices {
    fn info(&self) -> &'static FormatInfo {
        self.info
    }

    fn place(&self) -> Place {
        self.location.source_place()
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    fn members(&self) -> Result<Vec<Member>> {
        let mut members = self.context.detect(&self.location, &self.options)?.members()?;
        let shared = self.shared()?;
        if shared != [false; 2] {
            let [rows, cols] = shared;
            for member in members.iter_mut().filter(|member| member.shape.len() == 2) {
                member.axes = vec![rows.then_some(Axis::Rows), cols.then_some(Axis::Cols)];
            }
        }
        Ok(members)
    }

    fn open(&self, path: &str) -> Result<Box<dyn MatrixSource>> {
        self.dataset(path.trim_matches('/'))?.into_matrix()
    }

    fn is_several(&self) -> bool {
        true
    }

    fn check_selected(&self, selections: [&Selection; 2]) -> Result<()> {
        for (axis, (selected, shared)) in
            [Axis::Rows, Axis::Cols].into_iter().zip(selections.into_iter().zip(self.shared()?))
        {
            if !shared && !selected.is_all() {
                return Err(differ(axis, &self.place()));
            }
        }
        Ok(())
    }

    fn selected(&self, _: &str, [rows, cols]: [&Selection; 2]) -> Result<[Selection; 2]> {
        self.check_selected([rows, cols])?;
        Ok([rows.clone(), cols.clone()])
    }

    fn has_main(&self) -> Result<bool> {
        Ok(false)
    }

    fn main(&self) -> Result<Box<dyn MatrixSource>> {
        Err(self.select_one())
    }

    fn axes(&self) -> Result<Box<dyn MatrixSource>> {
        let shared = self.shared()?;
        let Some(first) = self.names.first().filter(|_| shared != [false; 2]) else {
            return Err(self.select_one());
        };
        let [rows, cols] = shared.map(|shared| match shared {
            true => Selection::all(),
            false => Selection::ranges([]).allow_empty(true),
        });
        let slice = Slice::new(self.open(first)?, &rows, &cols)?;
        Ok(Box::new(SharedAxes { slice, shared, place: self.place() }))
    }

    fn contents(&self) -> Result<Option<Contents>> {
        Ok(None)
    }

    fn diff(
        &self,
        other: &dyn Collection,
        options: &DiffOptions,
        context: &Context,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<bool> {
        let Some(other) = downcast::<Self>(other) else { return Ok(false) };
        let [first, second] =
            [self, other].map(|file| file.names.iter().cloned().collect::<BTreeSet<_>>());
        for path in super::diff::both(first, second, &mut |path, what| {
            each(ElementDifference::new(path.to_owned(), what));
        }) {
            let pair = [self.dataset(&path)?, other.dataset(&path)?];
            crate::diff::diff_opened(pair, options, context, &mut |found: ElementDifference| {
                let inside = if found.path.is_empty() { "" } else { "/" };
                each(ElementDifference::new(format!("{path}{inside}{}", found.path), found.what));
            })?;
        }
        Ok(true)
    }
}
