//! Regions of buckets of S3, as the service names them when it is asked in another one.

use std::sync::{Mutex, PoisonError};

use object_store::client::HttpResponse;

/// Regions by bucket, for this process.
static LEARNED: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());
const MOST: usize = 256;

/// Longest name of a region.
const MOST_LEN: usize = 64;

/// The header with the region of the bucket.
const HEADER: &str = "x-amz-bucket-region";

/// Returns the region of a bucket, if it was learned.
pub(crate) fn learned(bucket: &str) -> Option<String> {
    let known = LEARNED.lock().unwrap_or_else(PoisonError::into_inner);
    known.iter().find(|(name, _)| name == bucket).map(|(_, region)| region.clone())
}

/// Notes the region of an answer that refuses a request to a host and path, because of the region.
pub(super) fn learn(host: &str, path: &str, answer: &HttpResponse) {
    if !matches!(answer.status().as_u16(), 301 | 307 | 400) {
        return;
    }
    let region = answer.headers().get(HEADER).and_then(|region| region.to_str().ok());
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let Some(region) = region
        .filter(|name| !name.is_empty() && name.len() <= MOST_LEN && name.chars().all(is_name))
    else {
        return;
    };
    // The bucket is a part of the host or of the path.
    let bucket = match host.split_once(".s3") {
        Some((bucket, _)) => bucket,
        None => path.trim_start_matches('/').split('/').next().unwrap_or_default(),
    };
    let mut known = LEARNED.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(name, _)| name != bucket);
    if known.len() == MOST {
        known.remove(0);
    }
    known.push((bucket.to_owned(), region.to_owned()));
}
