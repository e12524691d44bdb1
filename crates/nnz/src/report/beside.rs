//! Two matrices side by side.

use crate::Context;
use nnz_core::{ErrorKind, Finding, Result, Scalar, Shape};
use nnz_engine::{DiffOptions, Difference, report_error};
use nnz_plot::{Figure, align};

use super::{Report, ReportOptions, figures, html};
use crate::collection::ElementChange;
use crate::{Dataset, Location, OpenOptions};

/// Differences that are counted and drawn.
const MOST: usize = 1_000_000;

/// Differences that are listed.
const LISTED: usize = 20;

/// Bins along an axis of the picture.
const BINS: u64 = 64;

/// Two matrices, and what differs between them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The reports of both.
    pub reports: [Report; 2],
    /// The number of differences.
    pub count: u64,
    /// Whether all were counted.
    pub is_complete: bool,
    /// The first differences: where, and what each matrix has.
    pub first: Vec<[String; 3]>,
    /// Where entries differ.
    pub figure: Option<Figure>,
    /// The fault because of which they were not compared, if one of them is broken.
    pub fault: Option<Finding>,
}

/// Creates the reports of two locations and compares them.
///
/// # Errors
///
/// Fails as [`Report::of_location`] and [`diff`](fn@crate::diff).
pub fn compare(
    first: impl Into<Location>,
    second: impl Into<Location>,
    options: &ReportOptions,
    context: &Context,
) -> Result<Comparison> {
    let (first, second) = (&first.into(), &second.into());
    let of_second = second_options(second, options, context);
    let mut reports = [
        Report::of_location(first.clone(), options, context)?,
        Report::of_location(second.clone(), &of_second, context)?,
    ];
    let mut found = DifferenceCounts::default();
    let mut fault = None;
    let sources = [(first, options), (second, &of_second)];
    match differences(sources, &mut reports, context, &mut found) {
        Err(error) if reports.iter().any(|report| report.faults() > 0) => {
            report_error(error, &mut |finding| fault = Some(finding))?;
        }
        compared => compared?,
    }
    let shape =
        reports[0].axes.as_ref().map(|[rows, cols]| Shape { rows: rows.len, cols: cols.len });
    let figure = shape.and_then(|shape| found.figure(shape));
    let is_complete = found.count < MOST as u64;
    Ok(Comparison { reports, count: found.count, is_complete, first: found.first, figure, fault })
}

fn differences(
    sources: [(&Location, &ReportOptions); 2],
    reports: &mut [Report; 2],
    context: &Context,
    found: &mut DifferenceCounts,
) -> Result<()> {
    let how = DiffOptions::default().max_diffs(MOST);
    let [first, second] = sources.map(|(location, options)| -> Result<Dataset> {
        // The reports are about the main matrices.
        Ok(match options.open.open(location, context)? {
            Dataset::Collection(collection) => Dataset::Matrix(collection.main()?),
            other => other,
        })
    });
    let opened = [first?, second?];
    draw_alike(reports, &opened, context)?;
    crate::diff_opened(opened, &how, context, &mut |one| {
        if let ElementChange::Matrix(difference) = one.what {
            found.add(difference);
        }
    })
}

/// Draws the pictures of both with the same bins and scales.
fn draw_alike(reports: &mut [Report; 2], opened: &[Dataset; 2], context: &Context) -> Result<()> {
    let [first, second] = reports;
    let (Some(ours), Some(theirs)) = (&mut first.numbers, &mut second.numbers) else {
        return Ok(());
    };
    if let [Dataset::Matrix(a), Dataset::Matrix(b)] = opened {
        ours.use_bins(theirs, &**a, context)?;
        theirs.use_bins(ours, &**b, context)?;
    }
    let mut drawn = figures::draw(&[ours, theirs]).into_iter();
    first.figures = drawn.next().unwrap_or_default();
    second.figures = drawn.next().unwrap_or_default();
    for (figure, other) in first.figures.iter_mut().zip(&mut second.figures) {
        align(&mut [figure, other], html::WIDTH);
    }
    Ok(())
}

/// Returns the options for the second matrix, which may have another format than the given one.
fn second_options(second: &Location, options: &ReportOptions, context: &Context) -> ReportOptions {
    if options.open.format.is_none() && options.open.format_options.is_empty() {
        return options.clone();
    }
    let opened = options.open.clone().open(second, context);
    let Err(error) = opened else { return options.clone() };
    let detected = options.clone().open(OpenOptions::new());
    let is_refused = matches!(error.kind(), ErrorKind::Unrecognized(_)) || error.is_argument();
    // Otherwise the report has the error, or fails with it.
    match is_refused && detected.open.clone().open(second, context).is_ok() {
        true => detected,
        false => options.clone(),
    }
}

#[derive(Default)]
struct DifferenceCounts {
    count: u64,
    first: Vec<[String; 3]>,
    /// Rows and columns of entries.
    entries: Vec<(u64, u64)>,
}

impl DifferenceCounts {
    fn add(&mut self, difference: Difference) {
        self.count += 1;
        if let Difference::Entry { row, col, .. } = difference {
            self.entries.push((row, col));
        }
        if self.first.len() < LISTED {
            self.first.push(described(difference));
        }
    }

    /// Counts the entries that differ in each bin.
    fn figure(&self, shape: Shape) -> Option<Figure> {
        if self.entries.is_empty() {
            return None;
        }
        let per_bin = [shape.rows, shape.cols].map(|len| len.div_ceil(BINS).max(1));
        let bins = [shape.rows.div_ceil(per_bin[0]), shape.cols.div_ceil(per_bin[1])];
        let [rows, cols] = bins.map(|bins| usize::try_from(bins).unwrap_or(0));
        let mut counts = vec![0_u64; rows * cols];
        for (row, col) in &self.entries {
            let at = usize::try_from(row / per_bin[0] * bins[1] + col / per_bin[1]).ok();
            if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
        }
        Some(figures::of_differences(shape, [rows, cols], per_bin, counts))
    }
}

fn described(difference: Difference) -> [String; 3] {
    match difference {
        Difference::Shape(first, second) => {
            ["shape".to_owned(), first.to_string(), second.to_string()]
        }
        Difference::Names(axis) => [format!("names of {axis}"), String::new(), String::new()],
        Difference::Fill(first, second) => {
            ["value of other elements".to_owned(), text(first), text(second)]
        }
        Difference::Entry { row, col, first, second } => {
            [format!("row {row}, column {col}"), text(first), text(second)]
        }
        _ => ["contents".to_owned(), String::new(), String::new()],
    }
}

fn text(value: Option<Scalar>) -> String {
    value.map_or("not stored".to_owned(), |value| value.to_string())
}
