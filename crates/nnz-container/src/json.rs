//! Texts that are JSON.

use serde_json::value::RawValue;

/// Returns a text as JSON, as it stands, if it is an object.
pub(crate) fn object(text: &str) -> Option<Box<RawValue>> {
    let starts = text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{');
    // Nothing is built up: depth costs nothing.
    starts.then(|| serde_json::from_str(text).ok()).flatten()
}
