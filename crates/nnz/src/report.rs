//! A report on a matrix: what it is, sizes, pictures, summaries of rows and columns, and what validation finds.

mod axes;
mod beside;
mod columns;
mod commands;
mod contents;
mod embedding;
mod facts;
mod figures;
mod file;
mod findings;
mod html;
mod sizes;

use std::sync::Arc;

use nnz_core::{ErrorKind, MatrixSource, Place, Result, readable};
use nnz_engine::Observed;
use nnz_plot::Figure;

use crate::collection::Collection;
use crate::formats::{DatasetKind, Inspection};
use crate::matrix::ArrayAbout;
use crate::{Context, Dataset, Error, Location, OpenOptions};
use figures::PictureNumbers;

pub use axes::{AxisSummary, Quantiles, Top};
pub use beside::{Comparison, compare};
pub use columns::{ColumnSummary, ColumnValues};
pub use commands::Command;
pub use contents::Element;
pub use embedding::{Embedding, EmbeddingGroup};
use findings::Faults;
pub use findings::Findings;
pub use html::{comparison_html, html};
pub use sizes::{Size, Sizes};

/// Options of a report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReportOptions {
    /// How the matrix is opened. A second matrix is opened like this, too, unless
    /// its format is another one or does not have these options.
    pub open: OpenOptions,
}

nnz_core::setters! {
    ReportOptions {
        open: OpenOptions,
    }
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { open: OpenOptions::new() }
    }
}

/// A report on a matrix, or on a file in which it is broken.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The name of the file or directory, and of the group in it.
    pub title: String,
    /// Where the matrix is, as in messages.
    pub place: Place,
    /// Its properties: what, and its value.
    pub facts: Vec<(&'static str, String)>,
    /// Notes about how it is stored.
    pub notes: Vec<String>,
    /// The arrays in which it is stored.
    pub arrays: Vec<ArrayAbout>,
    /// The first groups, matrices, tables and arrays of a file with several.
    pub elements: Vec<Element>,
    /// Whether these are all.
    pub has_all_elements: bool,
    /// Sizes in other formats.
    pub sizes: Option<Sizes>,
    /// Rows and columns; `None` if they cannot be read.
    pub axes: Option<[AxisSummary; 2]>,
    /// Pictures.
    pub figures: Vec<Figure>,
    /// A picture of the cells, if there is an embedding.
    pub embedding: Option<Embedding>,
    /// Findings of the validation; `None` if the matrix is not stored.
    pub findings: Option<Findings>,
    /// Commands to go on with.
    pub commands: Vec<Command>,
    /// Whether it is about a matrix, rather than a file without a main one or whose matrix cannot be opened.
    matrix_is_read: bool,
    /// The numbers of the pictures, if entries can be read.
    numbers: Option<PictureNumbers>,
}

impl Report {
    /// Creates the report of a location. Entries are read several times.
    ///
    /// If the file is broken, the report has the faults that validation finds, and everything that can be read.
    ///
    /// ```no_run
    /// use nnz::report::{Report, ReportOptions, html};
    /// use nnz::Context;
    ///
    /// let report = Report::of_location("pbmc.bpcells", &ReportOptions::default(), &Context::default())?;
    /// std::fs::write("pbmc.html", html(&report))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the location does not exist or cannot be read, if its format is not recognized, if it can be read only
    /// once, and if it contains fragments, a data frame or a tensor.
    pub fn of_location(
        location: impl Into<Location>,
        options: &ReportOptions,
        context: &Context,
    ) -> Result<Self> {
        let context = &context.operation();
        let location = &location.into().resolve(&**context.storage())?;
        if crate::formats::is_stream(location, context) {
            return Err(read_once(location.source_place()));
        }
        let mut faults = Faults::tolerated(location.source_place());
        let inspected = match crate::formats::inspect(location, &options.open, context) {
            Err(error) if is_unrecognized(&error) => return Err(error),
            inspected => faults.keep(inspected)?,
        };
        let mut report = Self::empty(file::title(location), location.source_place());
        let (dataset, members) = match inspected {
            // Members that cannot be listed are among the findings.
            Some(Inspection { dataset, members, .. }) => {
                (Some(dataset), members.unwrap_or_default())
            }
            None => (None, Vec::new()),
        };
        let (source, collection) = open(dataset, &mut faults)?;
        let mut findings = findings::of_location(location, options, context)?;
        if let Some(source) = source {
            report.read(&*source, context, &mut faults)?;
        } else {
            if !faults.is_empty() {
                let what = "The matrix cannot be opened: pictures and summaries of its entries are left out.";
                report.notes.push(what.to_owned());
            }
            report.facts.extend(facts::of_format(location, &options.open, context));
            let tables = collection.as_ref().filter(|found| !found.is_several());
            if let Some(tables) =
                tables.map(|found| faults.keep(found.axes())).transpose()?.flatten()
            {
                report.facts.push(facts::shape(tables.header().shape));
                let notes = &mut report.notes;
                report.axes = Some(axes::of_tables(&*tables, context, notes, &mut faults)?);
            }
        }
        if let Some(collection) = &collection {
            let found = embedding::of_collection(&**collection, &members, context);
            report.embedding = readable(found)?.flatten();
        }
        report.facts.extend(file::facts(location));
        (report.elements, report.has_all_elements) =
            contents::of_location(location, &options.open, &members, context)?;
        findings.add_unless_faulty(faults);
        report.findings = Some(findings);
        report.commands = commands::of_location(location, &report, &options.open, context);
        Ok(report)
    }

    /// Creates the report of a matrix.
    ///
    /// # Errors
    ///
    /// Fails if the matrix cannot be read, and if it can be read only once.
    pub fn of_source(source: &dyn MatrixSource, context: &Context) -> Result<Self> {
        let place = source.place();
        let mut report = Self::empty(file::title_of_place(&place), place);
        report.read(source, context, &mut Faults::refused())?;
        Ok(report)
    }

    /// Returns the number of errors that validation found.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.findings.as_ref().map_or(0, |findings| findings.faults)
    }

    fn empty(title: String, place: Place) -> Self {
        Self {
            title,
            place,
            facts: Vec::new(),
            notes: Vec::new(),
            arrays: Vec::new(),
            elements: Vec::new(),
            has_all_elements: true,
            sizes: None,
            axes: None,
            figures: Vec::new(),
            embedding: None,
            findings: None,
            commands: Vec::new(),
            matrix_is_read: false,
            numbers: None,
        }
    }

    /// Adds what a matrix has.
    fn read(
        &mut self,
        source: &dyn MatrixSource,
        context: &Context,
        faults: &mut Faults,
    ) -> Result<()> {
        let place = &source.place();
        if !source.rereadable() {
            return Err(read_once(place.clone()));
        }
        let about = source.about().map_err(|error| error.with_context(place));
        let about = faults.keep(about)?.unwrap_or_default();
        self.notes.clone_from(&about.notes);
        let notes = &mut self.notes;
        let observed = Observed::new(source, "reading", context.progress());
        match faults.keep(PictureNumbers::of_source(source, context, notes))? {
            Some(numbers) => {
                self.figures = figures::draw(&[&numbers]).pop().unwrap_or_default();
                self.numbers = Some(numbers);
            }
            None => notes.push("There are no pictures, as entries cannot be read.".to_owned()),
        }
        self.axes = Some(axes::of_source(&observed, context, notes, faults)?);
        self.sizes = faults.keep(sizes::of_source(source, context))?.flatten();
        let nnz = self.sizes.as_ref().map(|sizes| sizes.nnz);
        self.facts = facts::of_source(source.header(), &about, nnz);
        self.arrays = about.arrays;
        self.matrix_is_read = true;
        Ok(())
    }
}

/// A matrix, and the collection that it is part of.
type MatrixOfCollection = (Option<Box<dyn MatrixSource>>, Option<Arc<dyn Collection>>);

/// Opens the matrix of a location, if it has one that can be opened.
fn open(dataset: Option<Dataset>, faults: &mut Faults) -> Result<MatrixOfCollection> {
    Ok(match dataset {
        None => (None, None),
        Some(Dataset::Collection(found)) => {
            let has_main = faults.keep(found.has_main())?.unwrap_or(false);
            let main = if has_main { faults.keep(found.main())? } else { None };
            (main, Some(found))
        }
        // The error names what it is instead, broken or not.
        Some(other) if !is_matrix(&other) => (Some(other.into_matrix()?), None),
        Some(other) => (faults.keep(other.into_matrix())?, None),
    })
}

/// Returns whether a file has no known format, rather than something unknown at a position.
fn is_unrecognized(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unrecognized(_)) && error.place().at.is_none()
}

fn is_matrix(dataset: &Dataset) -> bool {
    match dataset {
        Dataset::Tensor(tensor) => tensor.is_vector(),
        other => !matches!(other.kind(), DatasetKind::Fragments | DatasetKind::Table),
    }
}

fn read_once(place: Place) -> Error {
    let what = "a report reads the source several times, but a stream can be read only once; \
                write it to a file first";
    Error::unsupported(place, what)
}
