//! The names of a directory that may be replaced, and the contents by which a store is recognized.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::StoreFiles;
use crate::client::{Existing, Store};
use crate::failure::Failure;

/// Maximum number of objects of a directory that is replaced.
const MOST_OBJECTS: usize = 2_000_000;

/// The largest description of a store that is copied.
const MAX_LEN: u64 = 16 << 20;

/// Bytes that are copied of other objects, of directories with few objects.
const START: u64 = 64 << 10;
const FEW: usize = 256;

/// Requests at the same time.
const AT_ONCE: usize = 32;

/// Copies the outline of a directory, and returns its objects.
pub(super) async fn copy(
    store: Arc<Store>,
    key: String,
    files: StoreFiles,
    to: PathBuf,
) -> Result<Vec<Existing>, Failure> {
    let found = store.list_all(&key, MOST_OBJECTS).await?;
    if found.len() >= MOST_OBJECTS {
        let what = format!("has more than {MOST_OBJECTS} objects: remove it first");
        return Err(Failure::new(io::ErrorKind::InvalidInput, what));
    }
    let few = found.len() <= FEW;
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
        if len > 0 {
            if running.len() == AT_ONCE {
                joined(running.join_next().await)?;
            }
            running.spawn(fill(Arc::clone(&store), object.clone(), len, path));
        }
    }
    while let Some(done) = running.join_next().await {
        joined(Some(done))?;
    }
    Ok(found)
}

fn joined(
    done: Option<Result<Result<(), Failure>, tokio::task::JoinError>>,
) -> Result<(), Failure> {
    super::parts::joined(done)
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
async fn fill(store: Arc<Store>, object: Existing, len: u64, path: PathBuf) -> Result<(), Failure> {
    let part = store.start_of(&object.key, len).await?;
    let write = || File::options().write(true).open(path)?.write_all(&part);
    write().map_err(|error| local(&error))
}

fn local(error: &io::Error) -> Failure {
    Failure::new(error.kind(), format!("cannot compare what would be replaced: {error}"))
}
