//! Answers of object storage, up to a length: object_store reads lists and errors to their end.

use std::future::Future;
use std::pin::Pin;

use http_body_util::{BodyExt as _, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService, ReqwestConnector,
};

use crate::object::PIECE;

/// The longest body: that of the longest range, and of any list of a thousand names.
const LONGEST: u64 = 2 * PIECE;

/// Makes clients whose answers are bounded.
#[derive(Debug)]
pub(super) struct Bounded;

impl HttpConnector for Bounded {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(BoundedService(inner)))
    }
}

#[derive(Debug)]
struct BoundedService(HttpClient);

/// What the macro `async_trait` makes of an asynchronous function.
type Called<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for BoundedService {
    fn call<'s, 'a>(&'s self, request: HttpRequest) -> Called<'a>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move {
            let (parts, body) = self.0.execute(request).await?.into_parts();
            let longest = usize::try_from(LONGEST).unwrap_or(usize::MAX);
            let body =
                Limited::new(body, longest).map_err(|error| match error.downcast::<HttpError>() {
                    Ok(error) => *error,
                    Err(error) => HttpError::new_boxed(HttpErrorKind::Decode, error),
                });
            Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
        })
    }
}
