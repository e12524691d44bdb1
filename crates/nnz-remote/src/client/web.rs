//! Requests to a web server.

use std::ops::Range;
use std::time::Duration;
use std::{error, io};

use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap, IF_MATCH,
    LAST_MODIFIED, RANGE,
};
use reqwest::{Response, StatusCode, redirect};

use super::{First, ObjectPart};
use crate::StorageOptions;
use crate::address::Address;
use crate::failure::{Failure, clean};

/// Limits on connecting, and on time in which nothing arrives.
const CONNECT: Duration = Duration::from_secs(5);
const READ: Duration = Duration::from_secs(20);

/// Largest answer, in bytes, that is read whole although it ignores the range of the request.
const SMALL: u64 = 64 << 10;

/// A client of a web server.
#[derive(Debug)]
pub(crate) struct Web {
    client: reqwest::Client,
    user: Option<(String, Option<String>)>,
    token: Option<String>,
}

/// The body of a response with the whole object.
#[derive(Debug)]
pub(crate) struct Body {
    response: Response,
    pub(crate) len: Option<u64>,
    pub(crate) tag: Option<String>,
}

impl Body {
    /// Returns the next bytes; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<bytes::Bytes>, Failure> {
        self.response.chunk().await.map_err(failed)
    }
}

impl Web {
    pub(crate) fn new(address: &Address, options: &StorageOptions) -> io::Result<Self> {
        install_ring();
        let secure = address.scheme == "https";
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .read_timeout(READ)
            .redirect(redirect::Policy::limited(8))
            // A link that is followed must not pass its query on, nor lead to an open connection.
            .referer(false)
            .https_only(secure)
            .pool_max_idle_per_host(64)
            .user_agent(concat!("nnz/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| io::Error::other(clean(&described(error))))?;
        let user = address.user.as_deref().map(|user| match user.split_once(':') {
            Some((name, word)) => (name.to_owned(), Some(word.to_owned())),
            None => (user.to_owned(), None),
        });
        let token = options.get("bearer_token").map(str::to_owned);
        Ok(Self { client, user, token })
    }

    async fn get(
        &self,
        address: &Address,
        range: Option<&Range<u64>>,
        tag: Option<&str>,
    ) -> Result<Response, Failure> {
        let mut request = self.client.get(address.url()).header(ACCEPT_ENCODING, "identity");
        if let Some((name, word)) = &self.user {
            request = request.basic_auth(name, word.as_ref());
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(range) = range {
            request = request.header(RANGE, format!("bytes={}-{}", range.start, range.end - 1));
        }
        // Weak tags match nothing, and dates are compared when the answer is there.
        if let Some(tag) = tag.filter(|tag| tag.starts_with('"')) {
            request = request.header(IF_MATCH, tag);
        }
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        if status.is_success() {
            return match response.headers().get(CONTENT_ENCODING) {
                // Some servers describe files that are compressed themselves in this way.
                Some(_) if is_gzip(address.name()) => Ok(response),
                Some(coded) if coded != "identity" => {
                    let what = "the server compressed its response although this was not requested";
                    Err(Failure::new(io::ErrorKind::Unsupported, what))
                }
                _ => Ok(response),
            };
        }
        match status {
            StatusCode::RANGE_NOT_SATISFIABLE if range.is_some() => Ok(response),
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(Failure::missing()),
            StatusCode::PRECONDITION_FAILED => Err(Failure::changed()),
            StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => {
                let text = format!("the server answered {status}");
                Err(Failure::new(io::ErrorKind::PermissionDenied, text))
            }
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
                Err(Failure::transient(format!("the server answered {status}")))
            }
            _ if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED => {
                Err(Failure::transient(format!("the server answered {status}")))
            }
            _ => Err(Failure::new(io::ErrorKind::Other, format!("the server answered {status}"))),
        }
    }

    pub(crate) async fn first(
        &self,
        address: &Address,
        asked: Range<u64>,
    ) -> Result<First, Failure> {
        let response = self.get(address, Some(&asked), None).await?;
        let tag = tag_of(response.headers());
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {
                let (range, total) = content_range(response.headers())?;
                if range.start != asked.start || range.end != total.min(asked.end) {
                    return Err(Failure::new(io::ErrorKind::Other, WRONG_RANGE));
                }
                let bytes = body(response, range.end - range.start).await?;
                Ok(First::Part(ObjectPart { start: range.start, bytes, total, tag }))
            }
            // No range of an empty object can be satisfied.
            StatusCode::RANGE_NOT_SATISFIABLE => match unsatisfied(response.headers()) {
                Some(total) if total <= asked.start => Ok(First::Part(ObjectPart {
                    start: total,
                    bytes: bytes::Bytes::new(),
                    total,
                    tag,
                })),
                _ => Err(Failure::new(io::ErrorKind::Other, "the server rejected the range")),
            },
            _ => {
                let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
                if kind.is_some_and(|kind| kind.starts_with("text/html")) {
                    return Ok(First::Page);
                }
                let len = response.content_length();
                match len.filter(|len| *len <= SMALL.min(asked.end)) {
                    Some(total) => {
                        let bytes = body(response, total).await?;
                        Ok(First::Part(ObjectPart { start: 0, bytes, total, tag }))
                    }
                    None => Ok(First::Body(Body { response, len, tag })),
                }
            }
        }
    }

    pub(crate) async fn range(
        &self,
        address: &Address,
        range: Range<u64>,
        tag: Option<&str>,
    ) -> Result<ObjectPart, Failure> {
        let response = self.get(address, Some(&range), tag).await?;
        let found = tag_of(response.headers());
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {}
            StatusCode::RANGE_NOT_SATISFIABLE => return Err(Failure::changed()),
            _ => {
                let text = "the server no longer supports range requests";
                return Err(Failure::new(io::ErrorKind::Other, text));
            }
        }
        let (got, total) = content_range(response.headers())?;
        if got != range {
            return match got.start == range.start && got.end == total {
                // It is shorter now.
                true => Err(Failure::changed()),
                false => Err(Failure::new(io::ErrorKind::Other, WRONG_RANGE)),
            };
        }
        if tag.is_some() && found.is_some() && tag != found.as_deref() {
            return Err(Failure::changed());
        }
        let bytes = body(response, range.end - range.start).await?;
        Ok(ObjectPart { start: range.start, bytes, total, tag: found })
    }

    /// Fetches the whole object, from the start.
    pub(crate) async fn whole(&self, address: &Address) -> Result<Body, Failure> {
        let response = self.get(address, None, None).await?;
        let (tag, len) = (tag_of(response.headers()), response.content_length());
        Ok(Body { response, len, tag })
    }
}

/// Returns whether a name has the extension of a compressed file.
fn is_gzip(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["gz", "bgz", "tgz"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

const WRONG_RANGE: &str = "the server responded with another range than requested";

/// Reads a body, which has to have a length.
async fn body(mut response: Response, len: u64) -> Result<bytes::Bytes, Failure> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let mut all =
        bytes::BytesMut::with_capacity(len.min(usize::try_from(crate::object::PIECE).unwrap_or(0)));
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if chunk.len() > len - all.len() {
            return Err(Failure::new(
                io::ErrorKind::Other,
                "the server sent more bytes than announced",
            ));
        }
        all.extend_from_slice(&chunk);
    }
    match all.len() == len {
        true => Ok(all.freeze()),
        false => Err(Failure::transient("the server sent fewer bytes than announced")),
    }
}

/// Returns the entity tag, or when the object was changed.
fn tag_of(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::to_owned);
    text(ETAG).or_else(|| text(LAST_MODIFIED))
}

/// Parses `bytes 0-9/100`.
fn content_range(headers: &HeaderMap) -> Result<(Range<u64>, u64), Failure> {
    let parse = || {
        let text = headers.get(CONTENT_RANGE)?.to_str().ok()?;
        let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
        let (first, last) = range.split_once('-')?;
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        let total = total.parse().ok()?;
        let end = last.checked_add(1).filter(|end| first < *end && *end <= total)?;
        Some((first..end, total))
    };
    parse().ok_or_else(|| {
        Failure::new(io::ErrorKind::Other, "the response of the server has no valid Content-Range")
    })
}

/// Parses `bytes */100`.
fn unsatisfied(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes */")?.parse().ok()
}

/// Describes an error without its URL.
fn described(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error::Error::source(&error);
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    text
}

fn failed(error: reqwest::Error) -> Failure {
    if error.is_redirect() || error.is_builder() {
        return Failure::new(io::ErrorKind::Other, clean(&described(error)));
    }
    if error.is_connect() && !error.is_timeout() {
        return Failure::unreachable(format!("connection failed: {}", clean(&described(error))));
    }
    let what = if error.is_timeout() { "timeout" } else { "connection lost" };
    Failure::transient(format!("{what}: {}", clean(&described(error))))
}

/// Makes ring what TLS is made of, once.
pub(super) fn install_ring() {
    // It fails where another is installed, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
