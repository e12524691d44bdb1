//! Uploading a file, or the members of a directory.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nnz_storage::staging::UploadFile;
use tokio::task::JoinSet;

use super::parts::{Limits, joined};
use super::stop::Stop;
use crate::StoreFiles;
use crate::client::{ExistingObject, Store};
use crate::failure::Failure;

/// Members at the same time.
const AT_ONCE: usize = 16;

/// An upload.
pub(super) struct Job {
    pub(super) store: Arc<Store>,
    /// The key of the file, or of the directory without the slash at its end.
    pub(super) key: String,
    pub(super) files: StoreFiles,
    pub(super) created: Arc<CreatedObjects>,
    pub(super) part_size: u64,
    pub(super) stop: Stop,
    pub(super) limits: Limits,
    /// Why a member could not be written, so that the others are not either.
    pub(super) failure: OnceLock<Failure>,
}

/// The objects that an upload created, or may have created.
pub(super) struct CreatedObjects {
    /// Identifies them in their metadata.
    token: String,
    /// Their keys, with the last one first to be removed.
    keys: Mutex<Vec<String>>,
}

/// The order in which members are written, and the reverse of that in which they are removed: what makes a directory
/// a store comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Member,
    /// A mark of a store inside the store.
    InnerMark,
    /// A mark of the store, by its position in the list of marks.
    Mark(usize),
}

impl Rank {
    fn of(name: &str, files: &StoreFiles) -> Self {
        let marks = files.marks.iter().copied().flatten();
        let last = name.rsplit('/').next().unwrap_or_default();
        match marks.clone().position(|mark| *mark == last) {
            Some(at) if last == name => Self::Mark(at),
            Some(_) => Self::InnerMark,
            None if files.inside.contains(&last) => Self::InnerMark,
            None => Self::Member,
        }
    }
}

impl CreatedObjects {
    pub(super) fn new(token: String) -> Self {
        Self { token, keys: Mutex::default() }
    }

    /// Records a key before its object is written.
    fn add(&self, key: &str) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).push(key.to_owned());
    }

    /// Removes the objects, as far as possible. Objects of other programs with the same keys are kept.
    pub(super) async fn remove(&self, store: &Arc<Store>) {
        let keys = std::mem::take(&mut *self.keys.lock().unwrap_or_else(PoisonError::into_inner));
        let mut keys = keys.into_iter().rev();
        let token: Arc<str> = self.token.as_str().into();
        // The last one may be a mark.
        if let Some(key) = keys.next() {
            let _ = store.delete_own(&key, &token).await;
        }
        let remove = |key: String| {
            let (store, token) = (Arc::clone(store), Arc::clone(&token));
            async move {
                let _ = store.delete_own(&key, &token).await;
                Ok(())
            }
        };
        let _ = for_all(keys, remove).await;
    }
}

/// Runs a task for each item, several at a time, until one fails. Those that have started are completed.
async fn for_all<T, F>(
    items: impl IntoIterator<Item = T>,
    start: impl Fn(T) -> F,
) -> Result<(), Failure>
where
    F: Future<Output = Result<(), Failure>> + Send + 'static,
{
    let mut running = JoinSet::new();
    let mut result = Ok(());
    for item in items {
        if running.len() == AT_ONCE {
            result = joined(running.join_next().await).map(drop);
        }
        if result.is_err() {
            break;
        }
        running.spawn(start(item));
    }
    while let Some(done) = running.join_next().await {
        result = result.and(joined(Some(done)).map(drop));
    }
    result
}

impl Job {
    /// Fails if nothing more is to be written.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.stop.check()?;
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    /// Uploads a file, which may replace another one.
    pub(super) async fn file(
        self: Arc<Self>,
        files: Vec<UploadFile>,
        replace: bool,
    ) -> Result<(), Failure> {
        let Some(file) = files.into_iter().next().map(Arc::new) else {
            return Err(Failure::new(io::ErrorKind::InvalidInput, "nothing to upload"));
        };
        let key = self.key.clone();
        if replace {
            return self.put(&key, &file, None).await;
        }
        let done = self.put_new(key, file).await;
        if done.is_err() {
            self.created.remove(&self.store).await;
        }
        done
    }

    /// Uploads a directory, in place of one that has the objects of the outline.
    pub(super) async fn directory(
        self: Arc<Self>,
        files: Vec<UploadFile>,
        replace: bool,
        outline: Option<Vec<ExistingObject>>,
    ) -> Result<(), Failure> {
        let done = self.put_all(files, replace, outline).await;
        if done.is_err() {
            self.created.remove(&self.store).await;
        }
        done
    }

    async fn put_all(
        self: &Arc<Self>,
        files: Vec<UploadFile>,
        replace: bool,
        outline: Option<Vec<ExistingObject>>,
    ) -> Result<(), Failure> {
        let found = self.store.list_all(&self.key, usize::MAX);
        let found = self.stop.unless_stopped(found).await?;
        let is_object = self.stop.unless_stopped(self.store.exists(&self.key)).await?;
        match replace {
            true => self.clear(found, is_object, outline.unwrap_or_default()).await?,
            false if is_object || !found.is_empty() => {
                let what = "modified by another program";
                return Err(Failure::new(io::ErrorKind::AlreadyExists, what));
            }
            false => {}
        }
        let mut ranked: Vec<_> =
            files.into_iter().map(|file| (Rank::of(file.name(), &self.files), file)).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let mut ranked = ranked.into_iter().peekable();
        for rank in [Rank::Member, Rank::InnerMark] {
            let group = std::iter::from_fn(|| ranked.next_if(|(other, _)| *other == rank));
            self.put_members(group.map(|(_, file)| file)).await?;
        }
        // One after another, in the order of the list.
        for (_, file) in ranked {
            self.put_members([file]).await?;
        }
        Ok(())
    }

    /// Writes members that do not exist.
    async fn put_members(
        self: &Arc<Self>,
        files: impl IntoIterator<Item = UploadFile>,
    ) -> Result<(), Failure> {
        let put = |file: UploadFile| {
            let job = Arc::clone(self);
            let key = format!("{}/{}", self.key, file.name());
            async move {
                let done = job.put_new(key, Arc::new(file)).await;
                if let Err(failure) = &done {
                    // Only the first one is kept.
                    let _ = job.failure.set(failure.clone());
                }
                done
            }
        };
        for_all(files, put).await
    }

    async fn put_new(self: &Arc<Self>, key: String, file: Arc<UploadFile>) -> Result<(), Failure> {
        self.check()?;
        self.created.add(&key);
        let created = Arc::clone(&self.created);
        self.put(&key, &file, Some(&created.token)).await
    }

    /// Removes the objects of a directory: first what makes it a store, so that no reader sees a part of it.
    async fn clear(
        self: &Arc<Self>,
        mut found: Vec<ExistingObject>,
        is_object: bool,
        mut outline: Vec<ExistingObject>,
    ) -> Result<(), Failure> {
        found.sort_by(|one, other| one.key.cmp(&other.key));
        outline.sort_by(|one, other| one.key.cmp(&other.key));
        if found != outline {
            return Err(Failure::changed());
        }
        let mut keys: Vec<_> = found
            .into_iter()
            .map(|object| {
                let name = object.key.get(self.key.len() + 1..).unwrap_or_default();
                (Rank::of(name, &self.files), object.key)
            })
            .collect();
        if is_object {
            keys.push((Rank::Member, self.key.clone()));
        }
        keys.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        let mut keys = keys.into_iter().peekable();
        while let Some((rank, _)) = keys.peek() {
            let rank = *rank;
            let group = std::iter::from_fn(|| keys.next_if(|(other, _)| *other == rank));
            let remove = |(_, key): (Rank, String)| {
                let job = Arc::clone(self);
                async move { job.stop.unless_stopped(job.store.delete(&key)).await }
            };
            for_all(group, remove).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_last() {
        let marks: [&[&str]; 2] = [&["version"], &["root.json", ".root"]];
        let files = StoreFiles { marks, inside: &["node.json"], ..StoreFiles::default() };
        let mut names = [
            ".root",
            "a/node.json",
            "version",
            "a/0",
            "root.json",
            "b",
            "a/root.json",
            "node.json",
        ];
        names.sort_by_key(|name| Rank::of(name, &files));
        let expected = [
            "a/0",
            "b",
            "a/node.json",
            "a/root.json",
            "node.json",
            "version",
            "root.json",
            ".root",
        ];
        assert_eq!(names, expected);
    }
}
