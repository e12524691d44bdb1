//! Requests to a server.

mod bounded;
mod refusal;
mod region;
mod store;
mod web;

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;

pub(crate) use self::refusal::send;
pub(crate) use self::region::learned;
pub(crate) use self::store::{ExistingObject, Store};
pub(crate) use self::web::{Body, Web};
use crate::StorageOptions;
use crate::address::{Address, Service};
use crate::failure::Failure;

/// A range of an object.
#[derive(Debug)]
pub(crate) struct ObjectPart {
    /// Where it starts.
    pub(crate) start: u64,
    pub(crate) bytes: Bytes,
    /// The length of the object.
    pub(crate) total: u64,
    /// The ETag of the object, or its time of modification.
    pub(crate) tag: Option<String>,
}

/// The first answer for an object.
#[derive(Debug)]
pub(crate) enum First {
    /// A part of it.
    Part(ObjectPart),
    /// All of it, from a server that ignores ranges.
    Body(Body),
    /// An HTML page, most likely the index of a directory.
    Page,
}

/// Something below a prefix.
#[derive(Debug)]
pub(crate) struct ListEntry {
    pub(crate) name: String,
    /// The length of an object; `None` for a prefix.
    pub(crate) len: Option<u64>,
}

/// Requests to one server or bucket.
#[derive(Debug)]
pub(crate) enum Client {
    Web(Web),
    Store(Store),
}

/// Clients that were made, which keep their connections.
type ClientCache = Vec<(u32, Address, StorageOptions, Arc<Client>)>;
static CLIENTS: OnceLock<Mutex<ClientCache>> = OnceLock::new();
const MOST_CLIENTS: usize = 32;

impl Client {
    /// Makes a client for a server or bucket, or returns the one that was made.
    pub(crate) fn of(address: &Address, options: &StorageOptions) -> io::Result<Arc<Self>> {
        options.check()?;
        let root = Address { path: String::new(), query: String::new(), ..address.clone() };
        let made = CLIENTS.get_or_init(Mutex::default);
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        let same = |(id, at, with, _): &&(u32, Address, StorageOptions, Arc<Self>)| {
            *id == process && *at == root && with == options
        };
        if let Some((.., client)) = made.iter().find(same) {
            return Ok(Arc::clone(client));
        }
        // Credentials of the environment may change: such clients are not kept.
        let keep = address.service == Service::Web;
        let client = Arc::new(match address.service {
            Service::Web => Self::Web(Web::new(address, options)?),
            _ => Self::Store(Store::new(address, options)?),
        });
        if keep {
            if made.len() == MOST_CLIENTS {
                made.remove(0);
            }
            made.push((process, root, options.clone(), Arc::clone(&client)));
        }
        Ok(client)
    }

    /// Returns whether the bucket turned out to be in another region than this client.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Store(store) if store.is_elsewhere())
    }

    /// Fetches a range of an object, of which nothing is known. It may end before, or start behind its end.
    pub(crate) async fn first(
        &self,
        address: &Address,
        range: Range<u64>,
    ) -> Result<First, Failure> {
        let first = match self {
            Self::Web(web) => retrying(|| web.first(address, range.clone())).await?,
            Self::Store(store) => {
                First::Part(retrying(|| store.first(&address.path, range.clone())).await?)
            }
        };
        match first {
            First::Part(ObjectPart { total, .. }) if total > LONGEST => Err(too_long(total)),
            first => Ok(first),
        }
    }

    /// Fetches a range of an object that has the tag.
    pub(crate) async fn range(
        &self,
        address: &Address,
        range: Range<u64>,
        tag: Option<&str>,
    ) -> Result<ObjectPart, Failure> {
        let part = match self {
            Self::Web(web) => retrying(|| web.range(address, range.clone(), tag)).await?,
            Self::Store(store) => {
                retrying(|| store.range(&address.path, range.clone(), tag)).await?
            }
        };
        match part.bytes.len() as u64 == range.end - range.start {
            true => Ok(part),
            false => Err(Failure::changed()),
        }
    }

    /// Passes what is below a prefix to `each`, up to so many names; returns whether these were all.
    pub(crate) async fn list(
        &self,
        address: &Address,
        most: usize,
    ) -> Result<(Vec<ListEntry>, bool), Failure> {
        match self {
            Self::Web(_) => {
                let what = "web servers do not support listing";
                Err(Failure::new(io::ErrorKind::PermissionDenied, what))
            }
            Self::Store(store) => {
                let (found, complete) = retrying(|| store.list(&address.path, most)).await?;
                match found.iter().filter_map(|one| one.len).find(|len| *len > LONGEST) {
                    Some(len) => Err(too_long(len)),
                    None => Ok((found, complete)),
                }
            }
        }
    }
}

/// No object is longer: positions can be added without overflow.
const LONGEST: u64 = 1 << 60;

fn too_long(len: u64) -> Failure {
    Failure::new(io::ErrorKind::Other, format!("the server reports a length of {len} bytes"))
}

/// Maximum number of retries of a request, and the delay before the first one.
const RETRIES: u32 = 5;
/// The same for a server that does not accept a connection, whose name is probably wrong.
const RETRIES_TO_CONNECT: u32 = 2;
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// Sends a request again if it may succeed then.
pub(crate) async fn retrying<T, F: Future<Output = Result<T, Failure>>>(
    mut attempt: impl FnMut() -> F,
) -> Result<T, Failure> {
    let mut delay = FIRST_DELAY;
    let mut retries = 0;
    loop {
        let answer = attempt().await;
        let most = match &answer {
            Err(failure) if failure.kind == io::ErrorKind::ConnectionRefused => RETRIES_TO_CONNECT,
            _ => RETRIES,
        };
        match answer {
            Err(failure) if failure.transient && retries < most => {
                tokio::time::sleep(delay + jitter(delay)).await;
                retries += 1;
                delay *= 2;
            }
            Err(failure) if failure.transient => {
                let text = format!("{}, after {retries} retries", failure.text);
                return Err(Failure { text, ..failure });
            }
            answer => return answer,
        }
    }
}

/// Returns up to a quarter of a delay: many that failed at once do not come back at once.
fn jitter(delay: Duration) -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = now.map_or(0, |now| now.subsec_nanos());
    delay / 4 * (nanos / 1000 % 100) / 100
}
