//! URLs, split into what requests need.

use std::fmt;
use std::io;
use std::path::{Component, Path};

use nnz_core::UrlParts;

/// Services that objects are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Service {
    S3,
    Google,
    Azure,
    Web,
}

/// The URL of an object, or of a prefix of objects.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Address {
    pub(crate) service: Service,
    /// The scheme in lower case.
    pub(crate) scheme: String,
    /// The host or bucket.
    pub(crate) host: String,
    /// The user and password.
    pub(crate) user: Option<String>,
    /// The path without slashes at its start and end.
    pub(crate) path: String,
    /// The query with its `?`.
    pub(crate) query: String,
}

impl Address {
    /// Splits a URL.
    pub(crate) fn parse(path: &Path) -> io::Result<Self> {
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what.to_owned());
        let parts = UrlParts::of(path.as_os_str()).ok_or_else(|| invalid("not a URL"))?;
        let text = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).map_err(|_| invalid("a URL must be UTF-8"))?;
            Ok::<_, io::Error>(text.to_owned())
        };
        let scheme = text(parts.scheme)?.to_ascii_lowercase();
        let service = match scheme.as_str() {
            "s3" | "s3a" => Service::S3,
            "gs" | "gcs" => Service::Google,
            "http" | "https" => Service::Web,
            _ => Service::Azure,
        };
        let host = text(parts.host())?;
        if host.is_empty() {
            return Err(invalid("the URL has no host or bucket"));
        }
        let before = parts.authority.len().saturating_sub(parts.host().len() + 1);
        let user = parts.authority.get(..before).filter(|user| !user.is_empty());
        let user = user.map(text).transpose()?;
        if user.is_some() && service != Service::Web {
            let what = format!("pass credentials as storage options, not in a URL of {scheme}://");
            return Err(invalid(&what));
        }
        let mut path = text(parts.path)?;
        if cfg!(windows) {
            // Joined paths have them there.
            path = path.replace('\\', "/");
        }
        let path = path.trim_matches('/').to_owned();
        let query = text(parts.query)?;
        let query = query.split('#').next().unwrap_or_default().to_owned();
        Ok(Self { service, scheme, host, user, path, query })
    }

    /// Returns the address of something below this one.
    pub(crate) fn join(&self, below: &Path) -> io::Result<Self> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "not a valid object name");
        let mut joined = self.clone();
        for part in below.components() {
            let Component::Normal(name) = part else { return Err(invalid()) };
            let name = name.to_str().ok_or_else(invalid)?;
            if !joined.path.is_empty() {
                joined.path.push('/');
            }
            match self.service {
                Service::Web => encode(name, &mut joined.path),
                _ => joined.path.push_str(name),
            }
        }
        Ok(joined)
    }

    /// Returns the URL for requests to a web server.
    pub(crate) fn url(&self) -> String {
        let Self { scheme, host, path, query, .. } = self;
        format!("{scheme}://{host}/{path}{query}")
    }

    /// Returns the last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/{}", self.scheme, self.host, self.path)
    }
}

/// Writes a name as a part of a URL.
fn encode(name: &str, out: &mut String) {
    const HEX: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_split_and_joined() {
        let address = Address::parse(Path::new("https://u:p@[::1]:80/a/b.zarr/?sig=x")).unwrap();
        assert_eq!((address.host.as_str(), address.user.as_deref()), ("[::1]:80", Some("u:p")));
        let below = address.join(Path::new("c/0 %é?")).unwrap();
        assert_eq!(below.url(), "https://[::1]:80/a/b.zarr/c/0%20%25%C3%A9%3F?sig=x");
        assert_eq!(format!("{address:?}"), "https://[::1]:80/a/b.zarr");
        let address = Address::parse(Path::new("s3://bucket/a b?")).unwrap();
        assert_eq!(address.join(Path::new("c?")).unwrap().path, "a b?/c?");
        assert!(address.join(Path::new("../c")).is_err());
        assert!(address.join(Path::new("/c")).is_err());
        assert!(Address::parse(Path::new("https:///x")).is_err());
    }
}
