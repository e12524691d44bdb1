//! Answers of object storage, up to a length: object_store reads lists and errors to their end.

use std::ffi::OsString;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use http_body_util::{BodyExt as _, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService, ReqwestConnector,
};
use reqwest::header::{HeaderValue, IF_NONE_MATCH};

use super::refusal::{Answer, set_last};
use super::region::learn;
use crate::object::PIECE;

/// Maximum length of a body: enough for the longest range, and for any list of a thousand names.
const LONGEST: u64 = 2 * PIECE;

/// Makes clients whose answers are bounded.
#[derive(Debug)]
pub(super) struct BoundedConnector {
    /// Whether an upload in parts is completed only if there is no such object. object_store cannot request
    /// this.
    pub(super) only_new: bool,
}

impl HttpConnector for BoundedConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // Making one reads the certificates of the system, and each has its own connections.
        let key = Key::of(options, self.only_new);
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = made.iter().find(|(known, _)| *known == key) {
            return Ok(client.clone());
        }
        let inner = ReqwestConnector::default().connect(options)?;
        let client = HttpClient::new(BoundedService { inner, only_new: self.only_new });
        if made.len() == MOST_MADE {
            made.remove(0);
        }
        made.push((key, client.clone()));
        Ok(client)
    }
}

/// Clients that were made.
static MADE: Mutex<Vec<(Key, HttpClient)>> = Mutex::new(Vec::new());
const MOST_MADE: usize = 16;

/// Variables of the environment that a client depends on.
const VARIABLES: [&str; 9] = [
    "ALL_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// The state that a client depends on: the process, as a fork has no connections, its options and the environment.
#[derive(PartialEq, Eq)]
struct Key(u32, String, bool, [Option<OsString>; VARIABLES.len()]);

impl Key {
    fn of(options: &ClientOptions, only_new: bool) -> Self {
        let variables = VARIABLES.map(std::env::var_os);
        Self(std::process::id(), format!("{options:?}"), only_new, variables)
    }
}

#[derive(Debug)]
struct BoundedService {
    inner: HttpClient,
    only_new: bool,
}

/// Returns whether a request completes an upload in parts to S3.
fn completes_upload(request: &HttpRequest) -> bool {
    let query = request.uri().query().unwrap_or_default();
    request.method().as_str() == "POST"
        && query.split('&').any(|part| part.starts_with("uploadId="))
}

/// The type to which the macro `async_trait` expands an asynchronous function.
type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for BoundedService {
    fn call<'s, 'a>(&'s self, mut request: HttpRequest) -> CallFuture<'a>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move {
            if self.only_new && completes_upload(&request) {
                // The signature does not include this header.
                let value = HeaderValue::from_static("*");
                request.headers_mut().insert(IF_NONE_MATCH, value);
            }
            let uri = request.uri().clone();
            set_last(None);
            let answer = self.inner.execute(request).await?;
            learn(uri.host().unwrap_or_default(), uri.path(), &answer);
            let (parts, body) = answer.into_parts();
            let longest = usize::try_from(LONGEST).unwrap_or(usize::MAX);
            let body =
                Limited::new(body, longest).map_err(|error| match error.downcast::<HttpError>() {
                    Ok(error) => *error,
                    Err(error) => HttpError::new_boxed(HttpErrorKind::Decode, error),
                });
            let mut body = HttpResponseBody::new(body);
            if parts.status.is_client_error() || parts.status.is_server_error() {
                let bytes = body.bytes().await?;
                set_last(Some(Answer::new(parts.status.as_u16(), &bytes)));
                body = bytes.into();
            }
            Ok(HttpResponse::from_parts(parts, body))
        })
    }
}
