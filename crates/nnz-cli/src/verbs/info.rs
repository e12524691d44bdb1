//! `nnz info`.

mod file;

use std::io::Write;

use clap::Args as Group;
use nnz::{
    Context, Dataset, Error, Header, Location, MatrixSource, Order,
    matrix::{About, Storage, Structure},
    tensor::TensorFile,
    text::escaped,
};
use serde::Serialize;

use super::Run;
use crate::Outcome;
use crate::args::{Memory, location, reading};
use crate::output::{bytes, failed, print_json, with_stdout};

/// Print format, shape, types and sizes of a matrix
#[derive(Debug, Group)]
#[command(after_help = "Example:\n  nnz info pbmc.bpcells")]
pub(crate) struct Info {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::Reading,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

/// The schema of the JSON of matrices, tensors, fragments and frames, as in `docs/json.md`.
pub(crate) const INFO_SCHEMA: &str = "nnz-info/1";

/// The output, with the keys of JSON.
#[derive(Serialize)]
struct Report {
    format: String,
    container: String,
    version: Option<String>,
    /// The dialect of DAPHNE.
    dialect: Option<String>,
    /// The variant of other formats.
    variant: Option<String>,
    kind: &'static str,
    /// The extent of each dimension, unless it is a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<u64>>,
    rows: u64,
    cols: u64,
    /// The number of entries, unless only a triangle is stored.
    nnz: Option<u64>,
    /// The number of entries in the file.
    stored: Option<u64>,
    /// `row`, `col`, or null if the format has none.
    order: Option<String>,
    value_type: String,
    /// Whether all entries share one value.
    iso: bool,
    /// The value of elements that are not stored, if it is not zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    fill: Option<String>,
    storage: &'static str,
    structure: String,
    row_axis: String,
    col_axis: String,
    bytes: Option<u64>,
    bytes_per_entry: Option<f64>,
    /// The size of the file, if it is larger than `bytes`.
    #[serde(skip)]
    file_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
    arrays: Vec<Array>,
    notes: Vec<String>,
    /// Other groups of the file with data, if no group was named.
    other_groups: Vec<String>,
    /// Matrices and columns of a file with several.
    members: Vec<Member>,
}

/// The number of entries of each row or column, by bins.
#[derive(Serialize)]
struct Profile {
    axis: &'static str,
    means: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    median: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
}

/// Characters of a profile.
const BARS: usize = 40;

#[derive(Serialize)]
struct Member {
    path: String,
    shape: Vec<u64>,
    kind: String,
    #[serde(rename = "type")]
    value_type: String,
}

#[derive(Serialize)]
struct Array {
    name: String,
    #[serde(rename = "type")]
    value_type: String,
    len: Option<u64>,
    bytes: Option<u64>,
    bits_per_entry: Option<f64>,
}

impl Run for Info {
    /// Describes a dataset.
    fn run(&self, _: bool, context: &Context) -> Result<Outcome, Error> {
        let options = self.reading.set();
        let nnz::formats::Inspection { dataset, members, others, .. } =
            nnz::formats::inspect(&self.source, &options, context)?;
        let opened = match dataset {
            Dataset::Fragments(source) => return super::fragments::info(self, &*source, others),
            Dataset::Table(frame) => return super::frames::info(self, &frame),
            Dataset::Tensor(tensor) => {
                return show(self, describe_tensor(&tensor)?, members, others);
            }
            Dataset::Collection(collection) if !collection.has_main()? => {
                return file::collection(self, &*collection, members);
            }
            other => other.into_matrix()?,
        };
        let report = describe(opened.header(), opened.about()?);
        show(self, Report { profile: profile(self, &*opened), ..report }, members, others)
    }
}

/// Describes a tensor or vector.
fn describe_tensor(tensor: &TensorFile) -> Result<Report, Error> {
    let descriptor = tensor.descriptor();
    Ok(Report {
        kind: if tensor.is_vector() { "vector" } else { "tensor" },
        shape: Some(descriptor.shape.clone()),
        ..describe(&tensor.header()?, tensor.about()?)
    })
}

fn show(
    args: &Info,
    mut report: Report,
    listed: Result<Vec<nnz::formats::Member>, Error>,
    groups: Result<Vec<String>, Error>,
) -> Result<Outcome, Error> {
    report.file_bytes = file_bytes(args).filter(|file| report.bytes.is_some_and(|own| own < *file));
    (report.other_groups, report.notes) = others(groups, report.notes);
    (report.members, report.notes) = members(listed, report.notes);
    if args.json {
        print_json(INFO_SCHEMA, &report)?;
    } else {
        with_stdout(|out| print(&report, out).map_err(failed))?;
    }
    Ok(Outcome::Good)
}

/// Returns the number of entries along the storage order, if it takes little reading. What is broken is not shown.
fn profile(args: &Info, source: &dyn MatrixSource) -> Option<Profile> {
    if matches!(&args.source, Location::Path { path, .. } if nnz::storage::is_url(path)) {
        return None;
    }
    let found = nnz::engine::plot::profile(source, BARS).ok().flatten()?;
    let [min, median, max] = found.extremes.map_or([None; 3], |all| all.map(Some));
    let axis = if found.order == Order::Row { "rows" } else { "cols" };
    Some(Profile { axis, means: found.means, min, median, max })
}

/// Returns the size of the file, which may have more than the matrix.
fn file_bytes(args: &Info) -> Option<u64> {
    let Location::Path { path, .. } = &args.source else { return None };
    path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
}

/// Lists the matrices and tables of a file with several, or notes why that fails.
fn members(
    listed: Result<Vec<nnz::formats::Member>, Error>,
    mut notes: Vec<String>,
) -> (Vec<Member>, Vec<String>) {
    let listed = listed.unwrap_or_else(|error| {
        notes.push(format!("cannot list the matrices and tables of the file: {error}"));
        Vec::new()
    });
    let member = |nnz::formats::Member { path, shape, kind, value_type, .. }| Member {
        path,
        shape,
        kind,
        value_type,
    };
    (listed.into_iter().map(member).collect(), notes)
}

/// Lists the other groups of a file, or notes why that fails.
pub(super) fn others(
    groups: Result<Vec<String>, Error>,
    mut notes: Vec<String>,
) -> (Vec<String>, Vec<String>) {
    let others = groups.unwrap_or_else(|error| {
        notes.push(format!("cannot list other groups: {error}"));
        Vec::new()
    });
    (others, notes)
}

fn describe(header: &Header, about: About) -> Report {
    let per_entry = |bytes: u64, factor: f64| {
        let entries = header.nnz.filter(|entries| *entries > 0)?;
        Some((ratio(bytes, entries) * factor * 100.0).round() / 100.0)
    };
    let (dialect, variant) = match about.format.starts_with("DAPHNE") {
        true => (about.dialect, None),
        false => (None, about.dialect),
    };
    Report {
        format: about.format,
        container: about.container,
        version: about.version,
        dialect,
        variant,
        kind: "matrix",
        shape: None,
        rows: header.shape.rows,
        cols: header.shape.cols,
        nnz: header.nnz.filter(|_| header.structure == Structure::General),
        stored: header.nnz,
        order: header.ordered.then(|| header.order.to_string()),
        value_type: header.value_type.to_string(),
        iso: header.iso,
        fill: header.fill.map(|fill| fill.to_string()),
        storage: match header.storage {
            Storage::Sparse => "sparse",
            Storage::Dense => "dense",
        },
        structure: header.structure.to_string(),
        row_axis: header.axis_kinds[0].to_string(),
        col_axis: header.axis_kinds[1].to_string(),
        bytes: about.bytes,
        file_bytes: None,
        profile: None,
        bytes_per_entry: about.bytes.and_then(|bytes| per_entry(bytes, 1.0)),
        arrays: about
            .arrays
            .into_iter()
            .map(|array| Array {
                bits_per_entry: array.bytes.and_then(|bytes| per_entry(bytes, 8.0)),
                name: array.name,
                value_type: array.value_type.map_or("string".to_owned(), |t| t.to_string()),
                len: array.len,
                bytes: array.bytes,
            })
            .collect(),
        notes: about.notes,
        other_groups: Vec::new(),
        members: Vec::new(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b as f64
}

fn print(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = |key: &str, value: String| writeln!(out, "{key:<12}{}", escaped(&value));
    line("format", report.format.clone())?;
    line("container", report.container.clone())?;
    if let Some(version) = &report.version {
        line("version", version.clone())?;
    }
    for (key, value) in [("dialect", &report.dialect), ("variant", &report.variant)] {
        if let Some(value) = value {
            line(key, value.clone())?;
        }
    }
    line("kind", format!("{} {}", report.storage, report.kind))?;
    let axes = |axis: &str| if axis == "unknown" { String::new() } else { format!(" ({axis})") };
    match &report.shape {
        Some(extents) => line("shape", super::write::dimensions(extents))?,
        None => {
            line("rows", format!("{}{}", report.rows, axes(&report.row_axis)))?;
            line("cols", format!("{}{}", report.cols, axes(&report.col_axis)))?;
        }
    }
    match (report.nnz, report.stored) {
        (None, Some(stored)) => line("stored", format!("{stored} (one triangle)"))?,
        (nnz, _) => line("nnz", nnz.map_or("unknown".to_owned(), |nnz| nnz.to_string()))?,
    }
    if report.shape.is_none() {
        line("order", report.order.clone().unwrap_or_else(|| "none".to_owned()))?;
    }
    let shared = if report.iso { ", one shared by all" } else { "" };
    line("values", format!("{}{shared}", report.value_type))?;
    if let Some(fill) = &report.fill {
        line("fill value", fill.clone())?;
    }
    line("structure", report.structure.clone())?;
    if let Some(size) = report.bytes {
        let each = report.bytes_per_entry.map(|each| format!(", {each} bytes per entry"));
        let whole = report.file_bytes.map(|whole| format!(" of {}", bytes(whole)));
        let (whole, each) = (whole.unwrap_or_default(), each.unwrap_or_default());
        line("size", format!("{}{whole}{each}", bytes(size)))?;
    }
    if let Some(Profile { axis, means, min, median, max }) = &report.profile {
        let mut text = nnz::plot::draw::sparkline(means);
        if let (Some(min), Some(median), Some(max)) = (min, median, max) {
            text = format!("{text} min {min}, median {median}, max {max}");
        }
        line(if *axis == "rows" { "nnz per row" } else { "nnz per col" }, text)?;
    }
    if !report.other_groups.is_empty() {
        line("also holds", nnz::formats::list_groups(&report.other_groups))?;
    }
    for note in &report.notes {
        line("note", note.clone())?;
    }
    if !report.arrays.is_empty() {
        writeln!(
            out,
            "\n{:<20}{:<10}{:>16}{:>12}{:>12}",
            "array", "type", "elements", "size", "bits/entry"
        )?;
    }
    for array in &report.arrays {
        let len = array.len.map(|len| len.to_string()).unwrap_or_default();
        let bits = array.bits_per_entry.map(|bits| format!("{bits:.2}")).unwrap_or_default();
        let (name, value_type, size) =
            (escaped(&array.name), &array.value_type, array.bytes.map(bytes).unwrap_or_default());
        writeln!(out, "{name:<19} {value_type:<9} {len:>16} {size:>11} {bits:>11}")?;
    }
    print_members(&report.members, out)
}

fn print_members(members: &[Member], out: &mut dyn Write) -> std::io::Result<()> {
    if !members.is_empty() {
        writeln!(out, "\n{:<32}{:<14}{:<22}shape", "member", "kind", "type")?;
    }
    for Member { path, shape, kind, value_type } in members {
        let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let shape = shape.join(" x ");
        let line = format!("{:<31} {kind:<13} {value_type:<21} {shape}", escaped(path));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
