//! A matrix in several files, each with some of its rows: how DAPHNE keeps matrices in HDFS.
//!
//! A directory `X.dbdf.hdfs` holds `X.dbdf.hdfs_segment_1`, `X.dbdf.hdfs_segment_2` and so on, each with
//! its `.meta`.

mod replaced;
mod sink;
mod source;

pub use sink::SegmentsSink;
pub use source::SegmentsSource;
pub(crate) use source::{files, list};

/// What stands between the name of the whole and the number of a segment.
const SEGMENT: &str = "_segment_";

/// Takes the name of a segment apart.
fn parse_name(name: &str) -> Option<(&str, u64)> {
    let (whole, number) = name.rsplit_once(SEGMENT)?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = digits && (number == "0" || !number.starts_with('0'));
    number.parse().ok().filter(|_| canonical).map(|number| (whole, number))
}

/// Returns whether a file of a directory of segments is called so.
fn is_member(name: &str) -> bool {
    parse_name(name.strip_suffix(".meta").unwrap_or(name)).is_some()
}
