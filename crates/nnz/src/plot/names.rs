//! Words and numbers that several figures have.

use nnz_core::{Axis, AxisKind};
use nnz_engine::Number;
use nnz_plot::{format_grouped, format_number};

/// Returns a count with what is counted.
pub(super) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{} {}", format_grouped(count), if count == 1 { one } else { more })
}

/// Formats a number of a text: integers exactly.
pub(crate) fn number_text(number: Number) -> String {
    match number {
        Number::Integer(number) => format_grouped(number),
        Number::Float(number) => format_number(number),
    }
}

/// Returns what is along an axis, with its kind if it is known: `rows (features)`.
pub(super) fn along(axis: Axis, kinds: [AxisKind; 2]) -> String {
    let kind = kinds[usize::from(axis == Axis::Cols)];
    match kind {
        AxisKind::Unknown => axis.to_string(),
        kind => format!("{axis} ({kind})"),
    }
}

/// Returns a part as a percentage with three digits.
#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
pub(super) fn percentage(part: u64, whole: u128) -> Option<String> {
    let percent = 100.0 * part as f64 / whole as f64;
    (whole > 0).then(|| match percent {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.001 => format!("{percent:.1e} %"),
        percent if percent < 1.0 => format!("{percent:.3} %"),
        percent if percent < 10.0 => format!("{percent:.2} %"),
        // All is said of all only.
        percent if percent >= 99.95 && u128::from(part) < whole => "> 99.9 %".to_owned(),
        percent => format!("{percent:.1} %"),
    })
}
