//! JSON texts.

use serde_json::value::RawValue;

/// Returns the text unchanged if it is a JSON object.
pub(crate) fn object(text: &str) -> Option<Box<RawValue>> {
    let starts = text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{');
    // The value is not built, so depth has no cost.
    starts.then(|| serde_json::from_str(text).ok()).flatten()
}
