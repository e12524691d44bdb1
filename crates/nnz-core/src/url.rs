//! URLs as paths, and what of them must not be shown.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// URL schemes that can be read.
const SCHEMES: [&str; 10] =
    ["s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "http", "https"];

/// The parts of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlParts<'a> {
    /// The scheme, as it is written.
    pub scheme: &'a [u8],
    /// The host or bucket, with what comes before an `@`.
    pub authority: &'a [u8],
    /// The path, with the slash at its start.
    pub path: &'a [u8],
    /// The query with its `?`, and what follows.
    pub query: &'a [u8],
}

impl<'a> UrlParts<'a> {
    /// Splits a URL of a known scheme; `None` for any other text.
    #[must_use]
    pub fn of(text: &'a OsStr) -> Option<Self> {
        let bytes = text.as_encoded_bytes();
        let colon = bytes.iter().take(8).position(|&byte| byte == b':')?;
        let (scheme, rest) = bytes.split_at(colon);
        let rest = rest.strip_prefix(b"://")?;
        if !SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes())) {
            return None;
        }
        let end = |bytes: &[u8], ends: &[u8]| {
            bytes.iter().position(|byte| ends.contains(byte)).unwrap_or(bytes.len())
        };
        let (authority, rest) = rest.split_at(end(rest, b"/?#"));
        // The names of objects may have such a character, and their URLs have no queries.
        let is_web = scheme.len() >= 4 && scheme[..4].eq_ignore_ascii_case(b"http");
        let (path, query) = rest.split_at(end(rest, if is_web { b"?#" } else { b"" }));
        Some(Self { scheme, authority, path, query })
    }

    /// Returns the authority without a user and password.
    #[must_use]
    pub fn host(&self) -> &'a [u8] {
        match self.authority.iter().rposition(|&byte| byte == b'@') {
            // Containers of Azure may be written as a user.
            Some(at) if !self.scheme.eq_ignore_ascii_case(b"abfss") => &self.authority[at + 1..],
            _ => self.authority,
        }
    }
}

/// Returns whether a path is the URL of a place that is read over a network.
#[must_use]
pub fn is_url(path: &Path) -> bool {
    UrlParts::of(path.as_os_str()).is_some()
}

/// Returns a path as it may be shown: a URL without user, password and query, which may be secrets.
#[must_use]
pub fn without_secrets(path: &Path) -> Cow<'_, Path> {
    let Some(parts) = UrlParts::of(path.as_os_str()) else { return Cow::Borrowed(path) };
    if parts.host().len() == parts.authority.len() && parts.query.is_empty() {
        return Cow::Borrowed(path);
    }
    let text = [parts.scheme, b"://", parts.host(), parts.path].concat();
    // A URL that is not UTF-8 is refused, and only shown.
    Cow::Owned(PathBuf::from(String::from_utf8_lossy(&text).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shown_without_user_password_and_query() {
        for (text, shown) in [
            ("https://h/d/x.h5?X-Amz-Signature=abc::d", "https://h/d/x.h5"),
            ("HTTPS://user:word@h:80/x#part", "HTTPS://h:80/x"),
            ("http://[::1]:9000/x", "http://[::1]:9000/x"),
            ("https://h?x", "https://h"),
            ("s3://bucket/what?.h5", "s3://bucket/what?.h5"),
            ("s3://key:secret@bucket/x", "s3://bucket/x"),
            ("a/b?c", "a/b?c"),
            ("ftp://u:p@h/x?y", "ftp://u:p@h/x?y"),
            ("s3:/x?y", "s3:/x?y"),
        ] {
            assert_eq!(without_secrets(Path::new(text)).to_str(), Some(shown));
        }
        assert!(is_url(Path::new("gs://b")) && !is_url(Path::new("gs:")) && !is_url(Path::new("")));
    }
}
