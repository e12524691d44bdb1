//! Requests that write objects.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use object_store::list::PaginatedListOptions;
use object_store::{
    Attribute, Attributes, BackoffConfig, ClientOptions, Error, GetOptions, MultipartUpload,
    ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, RetryConfig,
};

use super::{FORBIDDEN, MOST_PAGES, Store, UNAUTHENTICATED, client_options, no_bucket, parsed};
use crate::StorageOptions;
use crate::address::{Address, Service};
use crate::client::refusal::{Refusal, send};
use crate::client::retrying;
use crate::failure::Failure;

/// The name of the metadata that identifies the upload that created an object. Azure accepts letters and digits
/// only.
const TOKEN: &str = "nnzupload";

/// A server may answer only after a whole body, which takes long over a slow line.
const ANSWER: Duration = Duration::from_secs(300);

/// Maximum number of retries of writing a new object after a connection error.
const ATTEMPTS: u32 = 5;
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// An existing object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExistingObject {
    pub(crate) key: String,
    pub(crate) len: u64,
    pub(crate) tag: Option<String>,
}

impl Store {
    /// Creates a client for writing, or for writing objects that do not exist.
    pub(crate) fn for_writing(
        address: &Address,
        options: &StorageOptions,
        only_new: bool,
    ) -> io::Result<Self> {
        let http: ClientOptions = client_options().with_read_timeout(ANSWER);
        let backoff = BackoffConfig {
            init_backoff: FIRST_DELAY,
            max_backoff: Duration::from_secs(10),
            base: 2.,
        };
        let retry = RetryConfig { backoff, max_retries: 5, retry_timeout: ANSWER };
        Self::with(address, options, http, retry, only_new)
    }

    /// Returns whether uploads in parts can be completed on condition that the object does not exist.
    fn has_conditional_parts(&self) -> bool {
        self.service == Service::S3
    }

    /// Returns whether there is an object, and its token or nothing.
    async fn find(&self, key: &str) -> Result<Option<String>, Failure> {
        let path = parsed(key)?;
        let head = || GetOptions { head: true, ..GetOptions::default() };
        let answer = retrying(async || match send(self.objects.get_opts(&path, head())).await {
            Ok(found) => Ok(Some(found)),
            Err(Refusal { error: Error::NotFound { .. }, .. }) => Ok(None),
            Err(error) => Err(self.failed(error)),
        });
        Ok(answer.await?.map(|found| {
            let token = found.attributes.get(&Attribute::Metadata(TOKEN.into()));
            token.map(|token| token.as_ref().to_owned()).unwrap_or_default()
        }))
    }

    /// Returns whether there is an object.
    pub(crate) async fn exists(&self, key: &str) -> Result<bool, Failure> {
        self.find(key).await.map(|found| found.is_some())
    }

    /// Returns whether an object was created with the token; `None` if there is none.
    async fn find_own(&self, key: &str, token: &str) -> Result<Option<bool>, Failure> {
        Ok(self.find(key).await?.map(|found| found == token))
    }

    /// Lists all objects below a prefix, or some of them.
    pub(crate) async fn list_all(
        &self,
        key: &str,
        most: usize,
    ) -> Result<Vec<ExistingObject>, Failure> {
        let prefix = format!("{key}/");
        let mut found = Vec::new();
        let mut token = None;
        for _ in 0..MOST_PAGES {
            let page = retrying(async || {
                let options = PaginatedListOptions {
                    max_keys: (most < 1000).then_some(most),
                    page_token: token.clone(),
                    ..PaginatedListOptions::default()
                };
                match send(self.lists.0.list_paginated(Some(&prefix), options)).await {
                    Ok(page) => Ok(page),
                    // object_store does not distinguish the errors of lists.
                    Err(error) => Err(match error.status() {
                        Some(404) => no_bucket(),
                        Some(403) => self.denied(FORBIDDEN, &error),
                        Some(401) => self.denied(UNAUTHENTICATED, &error),
                        _ => self.failed(error),
                    }),
                }
            });
            let page = page.await?;
            for object in page.result.objects {
                // Some programs create an empty object with a slash at its end for a directory.
                let key = object.location.as_ref().to_owned();
                if key.strip_prefix(&prefix).is_some_and(|name| !name.is_empty()) {
                    found.push(ExistingObject { key, len: object.size, tag: object.e_tag });
                }
            }
            token = page.page_token;
            if token.is_none() || found.len() >= most {
                return Ok(found);
            }
        }
        let what = format!("the server lists more than {MOST_PAGES} pages");
        Err(Failure::new(io::ErrorKind::Other, what))
    }

    /// Writes an object, instead of one that may exist.
    pub(crate) async fn put(&self, key: &str, bytes: Bytes) -> Result<(), Failure> {
        let options = PutOptions { mode: PutMode::Overwrite, ..PutOptions::default() };
        let done = send(self.objects.put_opts(&parsed(key)?, bytes.into(), options)).await;
        done.map(drop).map_err(|error| self.failed_writing(error))
    }

    /// Writes an object that does not exist. The token determines whether an object that was found afterwards was
    /// written by a request without an answer.
    pub(crate) async fn put_new(
        &self,
        key: &str,
        bytes: Bytes,
        token: &str,
    ) -> Result<(), Failure> {
        let path = parsed(key)?;
        let mut delay = FIRST_DELAY;
        for attempt in 1.. {
            let options = PutOptions {
                mode: PutMode::Create,
                attributes: attributes(token),
                ..PutOptions::default()
            };
            let payload = PutPayload::from(bytes.clone());
            let failure = match send(self.objects.put_opts(&path, payload, options)).await {
                Ok(_) => return Ok(()),
                Err(error) => self.failed_writing(error),
            };
            if failure.kind != io::ErrorKind::AlreadyExists && !failure.transient {
                return Err(failure);
            }
            match self.find_own(key, token).await? {
                Some(true) => return Ok(()),
                Some(false) => return Err(conflict()),
                None if failure.transient && attempt < ATTEMPTS => {}
                None => return Err(failure),
            }
            tokio::time::sleep(delay).await;
            delay *= 2;
        }
        Err(conflict())
    }

    /// Starts an upload in parts.
    pub(crate) async fn start_parts(
        &self,
        key: &str,
        token: Option<&str>,
    ) -> Result<Box<dyn MultipartUpload>, Failure> {
        let attributes = token.map(attributes).unwrap_or_default();
        let options = PutMultipartOptions { attributes, ..PutMultipartOptions::default() };
        let started = send(self.objects.put_multipart_opts(&parsed(key)?, options)).await;
        started.map_err(|error| self.failed_writing(error))
    }

    /// Completes an upload in parts, with a token of an object that does not exist.
    pub(crate) async fn complete_parts(
        &self,
        key: &str,
        upload: &mut dyn MultipartUpload,
        token: Option<&str>,
    ) -> Result<(), Failure> {
        if token.is_some() && !self.has_conditional_parts() && self.exists(key).await? {
            return Err(conflict());
        }
        let failure = match send(upload.complete()).await {
            Ok(_) => return Ok(()),
            Err(error) => self.failed_writing(error),
        };
        // It may have been completed by a request without an answer.
        match token {
            Some(token) => match self.find_own(key, token).await? {
                Some(true) => Ok(()),
                Some(false) => Err(conflict()),
                None => Err(failure),
            },
            None => Err(failure),
        }
    }

    /// Removes an object. It need not exist.
    pub(crate) async fn delete(&self, key: &str) -> Result<(), Failure> {
        match send(self.objects.delete(&parsed(key)?)).await {
            Ok(()) | Err(Refusal { error: Error::NotFound { .. }, .. }) => Ok(()),
            Err(error) => Err(self.failed_writing(error)),
        }
    }

    /// Removes an object if it was created with the token.
    pub(crate) async fn delete_own(&self, key: &str, token: &str) -> Result<(), Failure> {
        match self.find_own(key, token).await? {
            Some(true) => self.delete(key).await,
            _ => Ok(()),
        }
    }

    /// Reads the first bytes of an object that has at least as many.
    pub(crate) async fn start_of(&self, key: &str, len: u64) -> Result<Bytes, Failure> {
        retrying(|| self.range(key, 0..len, None)).await.map(|part| part.bytes)
    }

    /// Converts the error of a request that writes.
    pub(crate) fn failed_writing(&self, refusal: Refusal) -> Failure {
        match (&refusal.error, refusal.status()) {
            (
                Error::AlreadyExists { .. }
                | Error::Precondition { .. }
                | Error::NotModified { .. },
                _,
            ) => conflict(),
            // An object that is written need not exist.
            (Error::NotFound { .. }, _) => no_bucket(),
            (Error::PermissionDenied { .. } | Error::Unauthenticated { .. }, _) => {
                self.failed(refusal)
            }
            (_, Some(409 | 412)) => conflict(),
            (_, status) => {
                let transient = status.is_none_or(|status| status >= 500 || status == 429);
                Failure { transient, ..self.failed(refusal) }
            }
        }
    }
}

fn attributes(token: &str) -> Attributes {
    let mut attributes = Attributes::new();
    attributes.insert(Attribute::Metadata(TOKEN.into()), token.to_owned().into());
    attributes
}

fn conflict() -> Failure {
    Failure::new(io::ErrorKind::AlreadyExists, "modified by another program")
}
