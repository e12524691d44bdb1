//! Failures of requests.

use std::fmt;
use std::io;

/// Why a request failed. Its text has no secrets. The cause is not kept, as its text may have some.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: io::ErrorKind,
    pub(crate) text: String,
    /// Whether the same request may succeed later.
    pub(crate) transient: bool,
}

impl Failure {
    pub(crate) fn new(kind: io::ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), transient: false }
    }

    pub(crate) fn transient(text: impl Into<String>) -> Self {
        Self { kind: io::ErrorKind::Other, text: text.into(), transient: true }
    }

    /// No connection could be made.
    pub(crate) fn unreachable(text: impl Into<String>) -> Self {
        Self { kind: io::ErrorKind::ConnectionRefused, text: text.into(), transient: true }
    }

    pub(crate) fn changed() -> Self {
        Self::new(io::ErrorKind::StaleNetworkFileHandle, "changed while it was read")
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(io::ErrorKind::Other, "cancelled")
    }

    pub(crate) fn missing() -> Self {
        Self::new(io::ErrorKind::NotFound, "no such object")
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.kind == io::ErrorKind::NotFound
    }

    /// Returns whether it may be the answer for a missing object: services without the permission to list forbid it.
    pub(crate) fn may_be_missing(&self) -> bool {
        self.is_missing() || self.kind == io::ErrorKind::PermissionDenied
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        Self::new(failure.kind, failure)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

/// Returns a text of another crate without what may be secret: queries and users of URLs, and bodies of
/// answers, which repeat what was signed.
pub(crate) fn clean(text: &str) -> String {
    // The messages of object_store name the request first, then the reason.
    let text = text.rsplit_once(" - ").map_or(text, |(_, reason)| reason);
    let line = text.lines().next().unwrap_or_default();
    let body = line.find(": <").or_else(|| line.find('<')).unwrap_or(line.len());
    let mut cleaned = String::new();
    for word in line[..body].split_inclusive(' ') {
        match word.split_once("://") {
            Some((scheme, rest)) => {
                let end = rest.find(['?', '#', ' ']).unwrap_or(rest.len());
                let host = rest[..end].rsplit_once('@').map_or(&rest[..end], |(_, host)| host);
                cleaned.extend([scheme, "://", host]);
                if word.ends_with(' ') {
                    cleaned.push(' ');
                }
            }
            None if word.contains('=') && word.contains('&') => cleaned.push_str("… "),
            None => cleaned.push_str(word),
        }
    }
    if let Some(code) = between(text, "<Code>", "</Code>") {
        cleaned.push_str(": ");
        cleaned.push_str(code);
    }
    cleaned.chars().take(300).collect::<String>().trim_end().to_owned()
}

/// Returns the word between two texts.
pub(crate) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    let (inner, _) = rest.split_once(after)?;
    inner.chars().all(|c| c.is_ascii_alphanumeric()).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_lose_queries_users_and_bodies() {
        let text = "Error performing GET https://u:secret@h/x?sig=secret in 3s, after 4 retries - Server \
                    returned non-2xx status code: 403 Forbidden: <?xml?><Error><Code>AccessDenied</Code>\
                    <StringToSign>secret</StringToSign></Error>";
        let cleaned = clean(text);
        assert_eq!(cleaned, "Server returned non-2xx status code: 403 Forbidden: AccessDenied");
        let text = "error for url (https://u:secret@h/x?sig=secret&b=1) here a=secret&b=secret";
        assert!(!clean(text).contains("secret"), "{}", clean(text));
    }
}
