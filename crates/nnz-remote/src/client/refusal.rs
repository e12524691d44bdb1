//! Failed requests to object storage, with the answer of the server.
//!
//! The errors of object_store contain the status and the body of an answer in a type that is private.

use std::cell::RefCell;
use std::error::Error as _;
use std::future::Future;

use object_store::Error;

use crate::failure::between;

tokio::task_local! {
    /// The last answer to a request of this task, if it is an error.
    static LAST: RefCell<Option<Answer>>;
}

/// An answer that is an error.
#[derive(Debug)]
pub(super) struct Answer {
    status: u16,
    /// Such as `NoSuchBucket`.
    code: Option<String>,
}

impl Answer {
    pub(super) fn new(status: u16, body: &[u8]) -> Self {
        let code = std::str::from_utf8(body).ok();
        let code = code.and_then(|text| between(text, "<Code>", "</Code>")).map(str::to_owned);
        Self { status, code }
    }
}

/// Sets the last answer.
pub(super) fn set_last(answer: Option<Answer>) {
    // There is none for requests whose errors need no answer.
    let _ = LAST.try_with(|last| last.replace(answer));
}

/// A request that failed.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(super) error: Error,
    answer: Option<Answer>,
}

/// Sends a request, and keeps the answer if it is an error.
pub(crate) async fn send<T>(request: impl Future<Output = Result<T, Error>>) -> Result<T, Refusal> {
    let kept = async {
        request.await.map_err(|error| Refusal { error, answer: LAST.with(RefCell::take) })
    };
    LAST.scope(RefCell::default(), kept).await
}

impl Refusal {
    pub(super) fn status(&self) -> Option<u16> {
        self.answer.as_ref().map(|answer| answer.status)
    }

    /// Returns the code of the answer, such as `NoSuchBucket`.
    pub(super) fn code(&self) -> Option<&str> {
        self.answer.as_ref()?.code.as_deref()
    }

    /// Returns the first cause of a type.
    pub(super) fn cause<T: std::error::Error + 'static>(&self) -> Option<&T> {
        let causes = std::iter::successors(self.error.source(), |&cause| cause.source());
        causes.into_iter().find_map(|cause| cause.downcast_ref())
    }

    /// Returns the text of the innermost cause, which is the one of the system.
    pub(super) fn innermost(&self) -> String {
        let mut text = self.error.to_string();
        let mut cause = self.error.source();
        while let Some(inner) = cause {
            text = inner.to_string();
            cause = inner.source();
        }
        text
    }
}
