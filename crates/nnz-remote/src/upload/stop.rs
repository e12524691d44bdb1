//! Stopping an upload.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::watch;

use crate::failure::Failure;

/// The time for requests to end when an upload is stopped. Of a request whose answer is not waited for, it is
/// unknown whether it had an effect.
const GRACE: Duration = Duration::from_secs(1);

/// Stops an upload from another thread.
#[derive(Clone, Debug)]
pub(super) struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::channel(false).0))
    }

    pub(super) fn stop(&self) {
        self.0.send_replace(true);
    }

    pub(super) fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Fails if the upload is stopped.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.is_stopped() {
            true => Err(Failure::cancelled()),
            false => Ok(()),
        }
    }

    /// Runs a request, which is dropped some time after the upload is stopped.
    pub(super) async fn unless_stopped<T>(
        &self,
        request: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        self.check()?;
        let mut stopped = self.0.subscribe();
        let stopped = async {
            // It fails only without a sender, which `self` is.
            let _ = stopped.wait_for(|stopped| *stopped).await;
            tokio::time::sleep(GRACE).await;
        };
        let (mut request, mut stopped) = (pin!(request), pin!(stopped));
        poll_fn(|context| {
            if let Poll::Ready(done) = request.as_mut().poll(context) {
                return Poll::Ready(done);
            }
            stopped.as_mut().poll(context).map(|()| Err(Failure::cancelled()))
        })
        .await
    }
}
