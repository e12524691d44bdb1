//! Histograms.

use nnz_plot::{Axis, Bar};

/// Returns the vertical axis of counts: logarithmic if they are of different orders of magnitude.
pub(super) fn counts_axis(label: &str, bars: &[Bar]) -> Axis {
    let counts = || bars.iter().map(|bar| bar.value).filter(|count| *count > 0.0);
    let (least, most) = (counts().fold(f64::INFINITY, f64::min), counts().fold(0.0, f64::max));
    if most / least >= 200.0 {
        // A count of 1 is visible.
        return Axis::log(format!("{label} (log scale)"), [(least * 0.7).min(0.7), most * 1.2]);
    }
    Axis::linear(label, [0.0, (most * 1.05).max(1.0)]).whole()
}
