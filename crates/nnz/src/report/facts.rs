//! The properties of a matrix.

use nnz_core::{About, Header, Shape, Storage};
use nnz_plot::format_grouped;

use crate::text::format_size;
use crate::{Context, Location, OpenOptions};

/// Lists properties. `nnz` is the number of entries, where the header does not have it.
pub(super) fn of_source(
    header: &Header,
    about: &About,
    nnz: Option<u64>,
) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Format", about.format.clone())];
    let mut add = |what, value: Option<String>| facts.extend(value.map(|value| (what, value)));
    add("Container", Some(about.container.clone()).filter(|text| !text.is_empty()));
    add("Version", about.version.clone());
    add("Variant", about.dialect.clone());
    let (what, extents) = shape(header.shape);
    add(what, Some(extents));
    let nnz = header.nnz.or(nnz);
    add(
        "Stored entries",
        nnz.map(|nnz| format!("{}{}", format_grouped(nnz), density(nnz, header))),
    );
    add("Type of values", Some(header.value_type.to_string()));
    add("One value for all entries", header.iso.then(|| "yes".to_owned()));
    add("Value of other elements", header.fill.map(|fill| fill.to_string()));
    add("Stored by", header.ordered.then(|| header.order.to_string()));
    add("Dense", (header.storage == Storage::Dense).then(|| "yes".to_owned()));
    let structure = header.structure.to_string();
    add("Structure", Some(structure).filter(|text| text != "general"));
    add("Size", about.bytes.map(format_size));
    let per_entry = about.bytes.zip(nnz).filter(|(_, nnz)| *nnz > 0);
    add("Bytes per entry", per_entry.map(|(bytes, nnz)| format!("{:.2}", ratio(bytes, nnz))));
    facts
}

/// Returns the format of a location whose matrix cannot be opened.
pub(super) fn of_format(
    location: &Location,
    open: &OpenOptions,
    context: &Context,
) -> Option<(&'static str, String)> {
    let found = context.detect(location, open).ok()?;
    Some(("Format", found.format().info().name.to_string()))
}

/// Describes a shape.
pub(super) fn shape(shape: Shape) -> (&'static str, String) {
    let [rows, cols] = [shape.rows, shape.cols].map(format_grouped);
    ("Shape", format!("{rows} rows × {cols} columns"))
}

/// Describes the share of the elements that are stored.
fn density(nnz: u64, header: &Header) -> String {
    let elements = header.shape.elements();
    if elements == 0 {
        return String::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    let percent = 100.0 * nnz as f64 / elements as f64;
    match percent {
        percent if percent >= 0.01 => format!(" ({percent:.2} %)"),
        percent => format!(" ({percent:.1e} %)"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
pub(super) fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}
