//! Requests to object storage.

mod write;

use std::cmp::Ordering;
use std::error::Error as _;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, Error, GetOptions, GetRange, GetResult, ObjectStore, RetryConfig,
};

pub(crate) use self::write::ExistingObject;
use super::bounded::BoundedConnector;
use super::refusal::{Refusal, send};
use super::web::install_ring;
use super::{ListEntry, ObjectPart, learned};
use crate::StorageOptions;
use crate::address::{Address, Service};
use crate::credentials;
use crate::failure::{Failure, clean};

/// Pages of a list, of up to a thousand names each.
const MOST_PAGES: usize = 4096;

/// The status of an answer if no part of the object is in the requested range.
const UNSATISFIED: Option<u16> = Some(416);

const FORBIDDEN: &str = "access denied by the server";
const UNAUTHENTICATED: &str = "the server requires valid credentials";

/// A bucket or container.
#[derive(Debug)]
pub(crate) struct Store {
    objects: Arc<dyn ObjectStore>,
    lists: Lists,
    /// Whether requests are anonymous, as no credentials were found.
    anonymous: bool,
    service: Service,
    bucket: String,
    /// The region of the bucket that was learned before.
    region: Option<String>,
}

/// The same client, for listing.
struct Lists(Arc<dyn PaginatedListStore>);

impl std::fmt::Debug for Lists {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lists")
    }
}

impl Store {
    pub(crate) fn new(address: &Address, options: &StorageOptions) -> io::Result<Self> {
        Self::with(address, options, client_options(), retry_config(), false)
    }

    fn with(
        address: &Address,
        options: &StorageOptions,
        http: ClientOptions,
        retry: RetryConfig,
        only_new: bool,
    ) -> io::Result<Self> {
        install_ring();
        // The messages of object_store contain the value of a wrong setting.
        let wrong = |error: &Error| {
            let text = error.to_string();
            // `Generic S3 error: Missing SecretAccessKey`.
            let reason = text.strip_prefix("Generic ").and_then(|text| text.split_once(" error: "));
            io::Error::other(clean(reason.map_or(&*text, |(_, reason)| reason)))
        };
        type Built = (Arc<dyn ObjectStore>, Arc<dyn PaginatedListStore>, bool);
        // The builders have no trait in common.
        macro_rules! build {
            ($described:expr) => {{
                let (builder, anonymous) = $described?;
                let builder =
                    builder.with_retry(retry).with_http_connector(BoundedConnector { only_new });
                let store = Arc::new(builder.build().map_err(|error| wrong(&error))?);
                let built: Built = (Arc::clone(&store) as _, store, anonymous);
                built
            }};
        }
        let (objects, lists, anonymous) = match address.service {
            Service::S3 => build!(credentials::s3(address, options, http)),
            Service::Google => build!(credentials::google(address, options, http)),
            _ => build!(credentials::azure(address, options, http)),
        };
        let (service, bucket) = (address.service, address.host.clone());
        let region = learned(&bucket);
        Ok(Self { objects, lists: Lists(lists), anonymous, service, bucket, region })
    }

    /// Returns whether the bucket turned out to be in another region.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.service == Service::S3 && learned(&self.bucket) != self.region
    }

    pub(crate) async fn first(&self, key: &str, range: Range<u64>) -> Result<ObjectPart, Failure> {
        let path = parsed(key)?;
        let start = range.start;
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        match send(self.objects.get_opts(&path, options)).await {
            Ok(result) => part(result).await,
            Err(error) if error.status() == UNSATISFIED => {
                // No range of an empty object can be satisfied.
                let head = GetOptions { head: true, ..GetOptions::default() };
                let found = send(self.objects.get_opts(&path, head)).await;
                let found = found.map_err(|error| self.failed(error))?;
                match found.meta.size {
                    total if total <= start => Ok(ObjectPart {
                        start: total,
                        bytes: Bytes::new(),
                        total,
                        tag: found.meta.e_tag,
                    }),
                    _ => Err(self.failed(error)),
                }
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    pub(crate) async fn range(
        &self,
        key: &str,
        range: Range<u64>,
        tag: Option<&str>,
    ) -> Result<ObjectPart, Failure> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: tag.map(str::to_owned),
            ..GetOptions::default()
        };
        match send(self.objects.get_opts(&parsed(key)?, options)).await {
            Ok(result) if tag.is_some() && result.meta.e_tag.as_deref() != tag => {
                Err(Failure::changed())
            }
            Ok(result) => part(result).await,
            Err(error) if error.status() == UNSATISFIED => Err(Failure::changed()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Lists what is below a prefix, up to so many names, and whether these were all.
    pub(crate) async fn list(
        &self,
        key: &str,
        most: usize,
    ) -> Result<(Vec<ListEntry>, bool), Failure> {
        let prefix = if key.is_empty() { String::new() } else { format!("{key}/") };
        let mut found = Vec::new();
        let mut token = None;
        for _ in 0..MOST_PAGES {
            let options = PaginatedListOptions {
                delimiter: Some("/".into()),
                max_keys: (most < 1000).then_some(most),
                page_token: token,
                ..PaginatedListOptions::default()
            };
            let prefix_of = (!prefix.is_empty()).then_some(prefix.as_str());
            let page = send(self.lists.0.list_paginated(prefix_of, options)).await;
            let page = page.map_err(|error| self.failed(error))?;
            let name = |path: &Path| {
                let name = path.as_ref().strip_prefix(&prefix)?.trim_end_matches('/');
                (!name.is_empty() && !name.contains('/')).then(|| name.to_owned())
            };
            for object in &page.result.objects {
                let name = name(&object.location);
                found.extend(name.map(|name| ListEntry { name, len: Some(object.size) }));
            }
            for common in &page.result.common_prefixes {
                found.extend(name(common).map(|name| ListEntry { name, len: None }));
            }
            token = page.page_token;
            if token.is_none() || found.len() >= most {
                return Ok((found, token.is_none()));
            }
        }
        let what = format!("the server lists more than {MOST_PAGES} pages");
        Err(Failure::new(io::ErrorKind::Other, what))
    }

    fn denied(&self, what: &str, refusal: &Refusal) -> Failure {
        // Such as InvalidAccessKeyId.
        let code = refusal.code().filter(|code| *code != "AccessDenied");
        let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
        let hint = match self.anonymous {
            true => ": the request had no credentials, as none were found",
            false => "",
        };
        Failure::new(io::ErrorKind::PermissionDenied, format!("{what}{code}{hint}"))
    }

    fn failed(&self, refusal: Refusal) -> Failure {
        let is_no_bucket = matches!(refusal.code(), Some("NoSuchBucket" | "ContainerNotFound"));
        match &refusal.error {
            Error::NotFound { .. } if is_no_bucket => no_bucket(),
            Error::NotFound { .. } => Failure::missing(),
            Error::Precondition { .. } | Error::NotModified { .. } => Failure::changed(),
            Error::PermissionDenied { .. } => self.denied(FORBIDDEN, &refusal),
            Error::Unauthenticated { .. } => self.denied(UNAUTHENTICATED, &refusal),
            _ if is_no_bucket => no_bucket(),
            error => {
                let request = refusal.cause::<reqwest::Error>();
                if request.is_some_and(reqwest::Error::is_request) {
                    let what = format!("connection failed: {}", clean(&refusal.innermost()));
                    return Failure::new(io::ErrorKind::Other, what);
                }
                // Requests were repeated, but not for a body of a list that was cut.
                if request.is_some_and(|error| error.is_body() || error.is_decode()) {
                    return Failure::transient("the server sent fewer bytes than announced");
                }
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                Failure::new(io::ErrorKind::Other, clean(&cause))
            }
        }
    }
}

fn no_bucket() -> Failure {
    Failure::new(io::ErrorKind::Other, "no such bucket")
}

/// Reads what was answered.
async fn part(result: GetResult) -> Result<ObjectPart, Failure> {
    let (total, tag) = (result.meta.size, result.meta.e_tag.clone());
    let (start, len) = (result.range.start, result.range.end.saturating_sub(result.range.start));
    // The body may be cut although the request succeeded.
    let bytes = result.bytes().await.map_err(|error| {
        let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        Failure::transient(clean(&cause))
    })?;
    match (bytes.len() as u64).cmp(&len) {
        Ordering::Equal => Ok(ObjectPart { start, bytes, total, tag }),
        Ordering::Less => Err(Failure::transient("the server sent fewer bytes than announced")),
        Ordering::Greater => {
            Err(Failure::new(io::ErrorKind::Other, "the server sent more bytes than announced"))
        }
    }
}

fn parsed(key: &str) -> Result<Path, Failure> {
    Path::parse(key)
        .map_err(|_| Failure::new(io::ErrorKind::InvalidInput, "not a valid object key"))
}

fn client_options() -> ClientOptions {
    ClientOptions::new()
        .with_timeout_disabled()
        .with_connect_timeout(Duration::from_secs(5))
        .with_read_timeout(Duration::from_secs(20))
        .with_pool_max_idle_per_host(64)
}

fn retry_config() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(5),
            base: 2.,
        },
        max_retries: 4,
        retry_timeout: Duration::from_secs(60),
    }
}
