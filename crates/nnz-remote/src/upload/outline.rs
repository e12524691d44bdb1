//! The names of a directory that may be replaced, and the contents by which a store is recognized.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::task::JoinSet;

use crate::address::Address;
use crate::client::{ExistingObject, Store};
use crate::failure::Failure;
use crate::{StorageOptions, StoreFiles};

/// Maximum number of objects of a directory that is replaced.
const MOST_OBJECTS: usize = 2_000_000;

/// The largest description of a store that is copied.
const MAX_LEN: u64 = 16 << 20;

/// Bytes that are copied of other objects, of directories with few objects.
const START: u64 = 64 << 10;
const FEW: usize = 256;

/// Requests at the same time.
const AT_ONCE: usize = 32;

/// Bytes that are kept, for the next outline of the same directory.
const MOST_KEPT: usize = 16 << 20;

/// The objects of a directory, and the first bytes of some of them by key.
#[derive(Clone, Default)]
pub(super) struct Outline {
    pub(super) objects: Vec<ExistingObject>,
    starts: HashMap<String, (ExistingObject, Bytes)>,
    kept: usize,
}

impl Outline {
    /// Returns the first bytes of an object that has not changed.
    fn start(&self, object: &ExistingObject, len: u64) -> Option<Bytes> {
        let (known, start) = self.starts.get(&object.key)?;
        let is_same = known == object && object.tag.is_some() && start.len() as u64 == len;
        is_same.then(|| start.clone())
    }

    fn keep(&mut self, object: ExistingObject, start: Bytes) {
        if self.kept + start.len() <= MOST_KEPT {
            self.kept += start.len();
            self.starts.insert(object.key.clone(), (object, start));
        }
    }
}

/// The last outline: a target is checked before its writer is created, which checks it again.
static LAST: Mutex<Option<(Address, StorageOptions, Outline)>> = Mutex::new(None);

/// Keeps an outline for other outputs at the same place.
pub(super) fn remember(address: &Address, options: &StorageOptions, outline: &Outline) {
    *last() = Some((address.clone(), options.clone(), outline.clone()));
}

/// Takes the last outline of a place. Its objects may have changed.
pub(super) fn recall(address: &Address, options: &StorageOptions) -> Option<Outline> {
    let found = last().take_if(|(at, with, _)| at == address && with == options);
    found.map(|(.., outline)| outline)
}

/// Forgets the last outline of a place.
pub(super) fn forget(address: &Address, options: &StorageOptions) {
    drop(recall(address, options));
}

fn last() -> MutexGuard<'static, Option<(Address, StorageOptions, Outline)>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Copies the outline of a directory. Objects that have not changed since the outline before are not read again.
pub(super) async fn copy(
    store: Arc<Store>,
    key: String,
    files: StoreFiles,
    to: PathBuf,
    before: Outline,
) -> Result<Outline, Failure> {
    let found = store.list_all(&key, MOST_OBJECTS).await?;
    if found.len() >= MOST_OBJECTS {
        let what = format!("has more than {MOST_OBJECTS} objects: remove it first");
        return Err(Failure::new(io::ErrorKind::InvalidInput, what));
    }
    let few = found.len() <= FEW;
    let mut outline = Outline::default();
    let mut running = JoinSet::new();
    for object in &found {
        let name = object.key.get(key.len() + 1..).unwrap_or_default();
        let path = create(&to, name, object.len).map_err(|error| local(&error))?;
        let last = name.rsplit('/').next().unwrap_or_default();
        let len = match is_description(last, &files) {
            true => object.len.min(MAX_LEN),
            false if few => object.len.min(START),
            false => 0,
        };
        if len == 0 {
            continue;
        }
        if let Some(start) = before.start(object, len) {
            write(&path, &start)?;
            outline.keep(object.clone(), start);
            continue;
        }
        if running.len() == AT_ONCE {
            take(&mut outline, running.join_next().await)?;
        }
        running.spawn(fill(Arc::clone(&store), object.clone(), len, path));
    }
    while let Some(done) = running.join_next().await {
        take(&mut outline, Some(done))?;
    }
    outline.objects = found;
    Ok(outline)
}

/// The first bytes of an object.
type CopyResult = Result<(ExistingObject, Bytes), Failure>;

/// Keeps the first bytes of an object that were copied.
fn take(
    outline: &mut Outline,
    done: Option<Result<CopyResult, tokio::task::JoinError>>,
) -> Result<(), Failure> {
    if let Some((object, start)) = super::parts::joined(done)? {
        outline.keep(object, start);
    }
    Ok(())
}

/// Returns whether a file has a name by which stores are recognized.
fn is_description(name: &str, files: &StoreFiles) -> bool {
    let [first, second] = files.marks;
    [first, second, files.inside, files.optional].iter().any(|names| names.contains(&name))
}

/// Creates a file of a length without contents. The name comes from the server.
fn create(to: &Path, name: &str, len: u64) -> io::Result<PathBuf> {
    let invalid = || {
        let what = format!("contains {name:?}, which is not the name of a file");
        io::Error::new(io::ErrorKind::InvalidInput, what)
    };
    let below = Path::new(name);
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    if name.is_empty() || name.contains(['\\', '\0']) || !below.components().all(is_name) {
        return Err(invalid());
    }
    let path = to.join(below);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    File::create_new(&path).map_err(|_| invalid())?.set_len(len)?;
    Ok(path)
}

/// Copies the first bytes of an object.
async fn fill(
    store: Arc<Store>,
    object: ExistingObject,
    len: u64,
    path: PathBuf,
) -> Result<(ExistingObject, Bytes), Failure> {
    let start = store.start_of(&object.key, len).await?;
    write(&path, &start)?;
    Ok((object, start))
}

fn write(path: &Path, start: &[u8]) -> Result<(), Failure> {
    let write = || File::options().write(true).open(path)?.write_all(start);
    write().map_err(|error| local(&error))
}

fn local(error: &io::Error) -> Failure {
    Failure::new(error.kind(), format!("cannot check the objects to replace: {error}"))
}
