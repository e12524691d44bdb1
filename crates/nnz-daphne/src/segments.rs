//! A matrix in several files, each with some of its rows, as DAPHNE stores it in HDFS.
//!
//! A directory `X.dbdf.hdfs` has the files `X.dbdf.hdfs_segment_1`, `X.dbdf.hdfs_segment_2` and so
//! on, each with its `.meta` file.

mod replaced;
mod sink;
mod source;

pub use sink::SegmentsSink;
pub use source::SegmentsSource;
pub(crate) use source::{files, list};

/// The separator between the name of the matrix and the number of a segment.
const SEGMENT: &str = "_segment_";

/// Splits the name of a segment.
fn parse_name(name: &str) -> Option<(&str, u64)> {
    let (whole, number) = name.rsplit_once(SEGMENT)?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits && (number == "0" || !number.starts_with('0'));
    number.parse().ok().filter(|_| canonical).map(|number| (whole, number))
}

/// Returns whether this is the name of a file in a directory of segments.
fn is_member(name: &str) -> bool {
    parse_name(name.strip_suffix(".meta").unwrap_or(name)).is_some()
}
