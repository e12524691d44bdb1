//! Histograms.

use nnz_plot::{Axis, Bar};

/// Returns the vertical axis of the counts of one or more histograms: logarithmic if they are of different orders of
/// magnitude.
pub(super) fn counts_axis<'a>(label: &str, bars: impl IntoIterator<Item = &'a Bar>) -> Axis {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for count in bars.into_iter().map(|bar| bar.value).filter(|count| *count > 0.0) {
        (least, most) = (least.min(count), most.max(count));
    }
    if most / least >= 200.0 {
        // A count of 1 is visible.
        return Axis::log(format!("{label} (log scale)"), [(least * 0.7).min(0.7), most * 1.2]);
    }
    Axis::linear(label, [0.0, (most * 1.05).max(1.0)]).whole()
}
