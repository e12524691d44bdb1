//! The matrices that are open, which R has numbers of.

use std::collections::HashMap;
use std::process;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use nnz::engine::NameCache;
use nnz::{Error, MatrixSource};

use crate::args::Args;
use crate::error::Failure;
use crate::value::Value;

/// A matrix that is open, and names that were looked up.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) matrix: Arc<dyn MatrixSource>,
    pub(crate) names: Arc<NameCache>,
}

#[derive(Default)]
struct Sources {
    open: HashMap<u64, Source>,
    last: u64,
}

/// Open matrices by their number. A number is never used again in a process.
static SOURCES: LazyLock<Mutex<Sources>> = LazyLock::new(Mutex::default);

/// The time at which the package was first used.
static STARTED: LazyLock<u128> = LazyLock::new(|| {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
});

fn sources() -> MutexGuard<'static, Sources> {
    SOURCES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a matrix, and returns its number.
pub(crate) fn insert(matrix: Arc<dyn MatrixSource>) -> Value {
    let mut sources = sources();
    sources.last += 1;
    let number = sources.last;
    sources.open.insert(number, Source { matrix, names: Arc::default() });
    Value::whole(number)
}

/// Returns the matrix of an argument.
pub(crate) fn of(args: &Args<'_>, at: usize) -> Result<Source, Failure> {
    let number = args.whole(at)?;
    let found = sources().open.get(&number).cloned();
    found.ok_or_else(|| Error::argument("the matrix is closed").into())
}

/// Removes a matrix.
pub(crate) fn remove(number: u64) {
    let removed = sources().open.remove(&number);
    // Files are closed without the lock.
    drop(removed);
}

/// Returns the name of this process, in which numbers of matrices are valid. After a fork it is another one.
pub(crate) fn session(_: &Args<'_>) -> Result<Value, Failure> {
    Ok(Value::text(format!("{}-{}", process::id(), *STARTED)))
}
