//! A report on a matrix: what it is, sizes, pictures, summaries of rows and columns, and what validation finds.

mod axes;
mod beside;
mod columns;
mod commands;
mod facts;
mod figures;
mod html;
mod sizes;

use crate::Context;
use nnz_core::{ErrorKind, Finding, MatrixSource, Result};
use nnz_engine::Observed;
use nnz_plot::Figure;

use crate::formats::Inspection;
use crate::formats::Member;
use crate::matrix::ArrayAbout;
use crate::{Error, Location, OpenOptions, ValidateOptions};
use figures::PictureNumbers;

pub use axes::{AxisSummary, Quantiles, Top};
pub use beside::{Comparison, compare};
pub use columns::{ColumnSummary, ColumnValues};
pub use commands::Command;
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

/// A report on a matrix.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The name of the matrix.
    pub title: String,
    /// Its properties: what, and its value.
    pub facts: Vec<(&'static str, String)>,
    /// Notes about how it is stored.
    pub notes: Vec<String>,
    /// The arrays in which it is stored.
    pub arrays: Vec<ArrayAbout>,
    /// The matrices and tables of a file with several.
    pub members: Vec<Member>,
    /// Sizes in other formats.
    pub sizes: Option<Sizes>,
    /// Rows and columns.
    pub axes: [AxisSummary; 2],
    /// Pictures.
    pub figures: Vec<Figure>,
    /// Findings of the validation; `None` if the matrix is not stored.
    pub findings: Option<Vec<Finding>>,
    /// Commands to go on with.
    pub commands: Vec<Command>,
    /// The numbers of the pictures.
    numbers: PictureNumbers,
}

impl Report {
    /// Creates the report of a location. Entries are read several times.
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
    /// Fails if the matrix cannot be opened or read, if it can be read only once, and if it is not a matrix.
    pub fn of_location(
        location: impl Into<Location>,
        options: &ReportOptions,
        context: &Context,
    ) -> Result<Self> {
        let location = &location.into();
        let Inspection { dataset, members, others: _ } =
            crate::formats::inspect(location, &options.open, context)?;
        let source = dataset.into_matrix()?;
        let mut report = Self::of_source(&*source, context)?;
        report.members = members.unwrap_or_default();
        drop(source);
        report.findings = Some(findings(location, options, context)?);
        report.commands = commands::of_location(location, &report, &options.open, context);
        Ok(report)
    }

    /// Creates the report of a matrix.
    ///
    /// # Errors
    ///
    /// Fails as [`of_location`](Self::of_location).
    pub fn of_source(source: &dyn MatrixSource, context: &Context) -> Result<Self> {
        let place = &source.place();
        if !source.rereadable() {
            let what = "a report reads the source several times, but a stream can be read only once; \
                        write it to a file first";
            return Err(Error::unsupported(place.clone(), what));
        }
        let about = source.about().map_err(|error| error.with_context(place))?;
        let title = place.to_string();
        let mut notes = about.notes.clone();
        let observed = Observed::new(source, "reading", context.progress());
        let numbers = PictureNumbers::of_source(source, context, &mut notes)?;
        let axes = axes::of_source(&observed, context, &mut notes)?;
        let sizes = sizes::of_source(source, context)?;
        Ok(Self {
            title,
            facts: facts::of_source(source.header(), &about, sizes.as_ref().map(|sizes| sizes.nnz)),
            notes,
            arrays: about.arrays,
            members: Vec::new(),
            sizes,
            axes,
            figures: figures::draw(&[&numbers]).pop().unwrap_or_default(),
            findings: None,
            commands: Vec::new(),
            numbers,
        })
    }
}

/// Most findings that a report lists.
const FINDINGS: usize = 100;

fn findings(
    location: &Location,
    options: &ReportOptions,
    context: &Context,
) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    let open = &options.open;
    let how = ValidateOptions::default().open(open.clone());
    let each = &mut |finding| {
        if found.len() < FINDINGS {
            found.push(finding);
        }
    };
    match crate::validate(location, &how, context, each) {
        Err(error) if is_fault(&error) => {
            let (kind, place) = error.into_parts();
            found.push(Finding::fault(place, kind.to_string()));
        }
        done => done?,
    }
    Ok(found)
}

fn is_fault(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unrecognized(_))
}
