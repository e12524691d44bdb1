//! Complete outputs, which are put in place.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::access::Access;
use super::anonymous;
use super::critical::{Critical, Pending};
use super::directory::Replaceable;
use super::rename::{ExchangeError, exchange, rename_free};
use super::target::{Expected, OutputTarget, Version};
use super::tree::Tree;
use super::url::{self, UrlTarget};
use crate::system::FileId;

/// Number of attempts if other processes create and remove the name at the same time.
const ATTEMPTS: u8 = 100;

/// A complete output, synced if requested.
pub(super) struct CompleteOutput {
    target: OutputTarget,
    content: Content,
    bytes: u64,
}

pub(super) enum Content {
    /// A file, and its hidden path if it has one.
    File(File, Option<Pending>),
    /// A directory, and what it may replace.
    Directory(Tree, Replaceable),
}

/// The way an output was put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// Nothing existed.
    New,
    /// The old target now has the hidden path of the output.
    Exchanged,
    /// The old target was removed.
    Replaced,
}

impl CompleteOutput {
    pub(super) fn new(target: OutputTarget, content: Content, bytes: u64) -> Self {
        Self { target, content, bytes }
    }

    /// Puts the output in place and returns its size in bytes.
    pub(super) fn commit(self) -> Result<u64> {
        if self.target.url.is_some() {
            return self.upload();
        }
        let Self { target, mut content, bytes } = self;
        let placed = {
            let _lock = target.lock();
            place(&target, &mut content, &mut Critical::enter(), false)
        };
        // The old target is removed after releasing the lock: removing a large directory takes a
        // while.
        drop(content);
        placed?;
        target.sync_parent()?;
        Ok(bytes)
    }

    /// Puts the output in place, followed by its sidecar, a file that describes it.
    ///
    /// The old sidecar is moved first, so that a sidecar is never next to an output that it does
    /// not describe. If one of the two cannot be put in place, the old files are restored. Returns
    /// the size of both in bytes.
    pub(super) fn commit_with_sidecar(self, sidecar: Self) -> Result<u64> {
        if let (Some(_), Some(sidecar_url)) = (&self.target.url, &sidecar.target.url) {
            // As locally, there is no old sidecar next to the new output.
            sidecar_url.remove_if_there(&sidecar.target.options)?;
            let (url, bytes) = (self.target.url.clone(), self.upload()?);
            return match sidecar.upload() {
                Ok(more) => Ok(bytes + more),
                Err(error) => {
                    url.iter().for_each(UrlTarget::undo);
                    Err(error)
                }
            };
        }
        let Self { target, mut content, bytes } = self;
        let Self { target: sidecar_target, content: mut description, bytes: more } = sidecar;
        let mut aside = None;
        let placed = {
            let _lock = target.lock();
            let critical = &mut Critical::enter();
            aside_if_there(&sidecar_target, critical, &mut aside).and_then(|()| {
                if let (Some(aside), Content::File(file, _)) = (&aside, &description) {
                    keep_access(aside.path(), file).map_err(|error| sidecar_target.io(error))?;
                }
                let placed = place(&target, &mut content, critical, true).and_then(|placed| {
                    place(&sidecar_target, &mut description, critical, false)
                        .map(drop)
                        .inspect_err(|_| undo(&target, &content, critical, placed))
                });
                if let (Err(_), Some(aside)) = (&placed, &aside)
                    && rename_free(aside.path(), &sidecar_target.path).is_ok()
                {
                    critical.forget(aside);
                }
                placed
            })
        };
        drop((content, description, aside));
        placed?;
        target.sync_parent()?;
        sidecar_target.sync_parent()?;
        Ok(bytes + more)
    }
}

impl CompleteOutput {
    /// Uploads the output and returns its size in bytes.
    fn upload(self) -> Result<u64> {
        let Self { target, mut content, bytes } = self;
        let Some(url) = &target.url else { return Err(target.changed()) };
        if let Content::Directory(_, replaceable) = &content
            && target.options.overwrite
            && target.expected == Expected::Anything
        {
            // It may have changed since the directory was started.
            url.check_replaceable(*replaceable, &target.options.context)?;
        }
        let files = match &mut content {
            Content::File(file, _) => file.try_clone().and_then(url::file),
            Content::Directory(tree, _) => url::files(tree),
        };
        url.upload(files.map_err(|error| target.io(error))?, &target.options, target.expected)?;
        Ok(bytes)
    }
}

/// Copies the access of the file that is replaced.
fn keep_access(old: &Path, file: &File) -> io::Result<()> {
    Access::of(old)?.map_or(Ok(()), |access| access.apply(file))
}

/// Renames an old sidecar to a hidden path.
fn aside_if_there(
    target: &OutputTarget,
    critical: &mut Critical,
    aside: &mut Option<Pending>,
) -> Result<()> {
    match target.find()? {
        None => Ok(()),
        Some(_) if !target.options.overwrite => Err(target.exists()),
        Some(found) if found.is_dir() => Err(directory_in_the_way(&target.path)),
        Some(_) => {
            let hidden = target.hidden_sibling();
            match std::fs::rename(&target.path, &hidden) {
                Ok(()) => *aside = Some(critical.register(hidden)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(target.io(error)),
            }
            Ok(())
        }
    }
}

/// Removes an output from its place again, as far as possible.
fn undo(target: &OutputTarget, content: &Content, critical: &mut Critical, placed: Placement) {
    match (placed, content.hidden()) {
        (Placement::Exchanged, Some(hidden)) => drop(exchange(hidden.path(), &target.path)),
        (Placement::New, None) => drop(std::fs::remove_file(&target.path)),
        // It has no hidden path any more: it gets one, which is removed in the end.
        (Placement::New, Some(hidden)) => {
            let renamed = std::fs::rename(&target.path, hidden.path());
            renamed.into_iter().for_each(|()| critical.remember(hidden));
        }
        _ => {}
    }
}

/// Moves an output to its target.
///
/// With `keep`, the old target stays at the hidden path until `content` is dropped.
fn place(
    target: &OutputTarget,
    content: &mut Content,
    critical: &mut Critical,
    keep: bool,
) -> Result<Placement> {
    for _ in 0..ATTEMPTS {
        let there = target.find()?;
        let placed = match &there {
            None if matches!(target.expected, Expected::Unchanged(_)) => {
                return Err(target.changed());
            }
            None => place_new(target, content, critical),
            Some(found) => {
                check_replaceable(target, content, found)?;
                replace(target, content, critical, found, keep)
            }
        };
        match placed {
            Ok(placed) => {
                critical.placed(&target.path);
                return Ok(placed);
            }
            // A process without locks created or removed the target in between.
            Err(PlaceError::Io(error))
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists
                        | io::ErrorKind::DirectoryNotEmpty
                        | io::ErrorKind::NotFound
                ) && (there.is_some() != target.find()?.is_some()) => {}
            Err(PlaceError::Io(error)) => return Err(target.io(error)),
            Err(PlaceError::Other(error)) => return Err(error),
        }
    }
    Err(target.changed())
}

/// Error of putting an output in place.
enum PlaceError {
    Io(io::Error),
    Other(Error),
}

impl From<io::Error> for PlaceError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Checks that the existing target may be replaced.
fn check_replaceable(target: &OutputTarget, content: &Content, there: &Metadata) -> Result<()> {
    match target.expected {
        Expected::Unchanged(version) if version == Version::of(there) => Ok(()),
        Expected::Unchanged(_) | Expected::Nothing => Err(target.changed()),
        Expected::Anything if !target.options.overwrite => Err(target.exists()),
        Expected::Anything => content.check_replaceable(&target.path, &target.path),
    }
}

/// Moves the output to a path that does not exist.
fn place_new(
    target: &OutputTarget,
    content: &mut Content,
    critical: &mut Critical,
) -> Result<Placement, PlaceError> {
    if let Content::File(file, None) = content {
        anonymous::link(file, &target.path)?;
        return Ok(Placement::New);
    }
    let hidden = content.name(target, critical)?;
    rename_free(hidden.path(), &target.path)?;
    critical.forget(hidden);
    Ok(Placement::New)
}

/// Moves the output to a path that exists.
fn replace(
    target: &OutputTarget,
    content: &mut Content,
    critical: &mut Critical,
    there: &Metadata,
    keep: bool,
) -> Result<Placement, PlaceError> {
    let is_file = matches!(content, Content::File(..)) && there.is_file();
    let expected = target.expected;
    if let Content::File(file, _) = content {
        // It may have appeared since the file was completed.
        keep_access(&target.path, file)?;
    }
    let hidden = content.name(target, critical)?;
    if is_file && !keep && expected == Expected::Anything {
        std::fs::rename(hidden.path(), &target.path)?;
        critical.forget(hidden);
        return Ok(Placement::Replaced);
    }
    let own = FileId::of(&hidden.path().symlink_metadata()?);
    match exchange(hidden.path(), &target.path) {
        Ok(()) => {}
        Err(ExchangeError::Unsupported) if is_file => {
            // Not atomic, so changes after the check just before are lost.
            std::fs::rename(hidden.path(), &target.path)?;
            critical.forget(hidden);
            return Ok(Placement::Replaced);
        }
        Err(ExchangeError::Unsupported) => return replace_in_steps(target, hidden, critical),
        Err(ExchangeError::Failed(error))
            if there.is_dir() && error.kind() == io::ErrorKind::CrossesDevices =>
        {
            let what = "a directory of a lower layer of an overlay file system (such as the image of a \
                        container), which cannot be renamed: remove it first";
            let place = Place::path(&*target.path);
            return Err(PlaceError::Other(Error::new(ErrorKind::Argument(what.to_owned()), place)));
        }
        Err(ExchangeError::Failed(error)) => return Err(error.into()),
    }
    // A program without locks may have replaced the target between the check and the exchange.
    let (path, refused) = (hidden.path().to_path_buf(), |error| PlaceError::Other(error));
    let came = path.symlink_metadata()?;
    let checked = match expected {
        Expected::Unchanged(version) if version == Version::of(&came) => Ok(()),
        Expected::Unchanged(_) | Expected::Nothing => Err(target.changed()),
        Expected::Anything => content.check_replaceable(&path, &target.path),
    };
    let Err(error) = checked else { return Ok(Placement::Exchanged) };
    match put_back(&path, &target.path, own) {
        Ok(()) => Err(refused(error)),
        Err(()) => {
            // Not removed: it belongs to another program and is the only copy.
            if let Some(hidden) = content.hidden() {
                critical.forget(hidden);
            }
            let what =
                format!("replaced while another program changed it; those changes are in {path:?}");
            Err(refused(Error::new(ErrorKind::Argument(what), Place::path(&*target.path))))
        }
    }
}

/// Exchanges again, so that the hidden path has our output, whose inode is known.
///
/// Fails if a third program replaced our output meanwhile. Its file stays, and the one before has
/// the hidden path.
fn put_back(hidden: &Path, target: &Path, own: FileId) -> Result<(), ()> {
    for _ in 0..ATTEMPTS {
        match exchange(hidden, target) {
            Ok(()) => {
                if hidden.symlink_metadata().is_ok_and(|found| FileId::of(&found) == own) {
                    return Ok(());
                }
                let _ = exchange(hidden, target);
                return Err(());
            }
            // Our output was removed.
            Err(ExchangeError::Failed(error)) if error.kind() == io::ErrorKind::NotFound => {
                if rename_free(hidden, target).is_ok() {
                    return Ok(());
                }
            }
            Err(_) => return Err(()),
        }
    }
    Err(())
}

/// Replaces a directory if the system cannot exchange paths.
fn replace_in_steps(
    target: &OutputTarget,
    hidden: &Pending,
    critical: &mut Critical,
) -> Result<Placement, PlaceError> {
    let aside = target.hidden_sibling();
    std::fs::rename(&target.path, &aside)?;
    if let Err(error) = std::fs::rename(hidden.path(), &target.path) {
        std::fs::rename(&aside, &target.path)?;
        return Err(error.into());
    }
    // From now on the old target has the hidden path.
    match std::fs::rename(&aside, hidden.path()) {
        Ok(()) => Ok(Placement::Exchanged),
        Err(_) => {
            critical.forget(hidden);
            Ok(Placement::Replaced)
        }
    }
}

pub(super) fn directory_in_the_way(path: &Path) -> Error {
    let what = "is a directory, which is not replaced by a file".to_owned();
    Error::new(ErrorKind::Argument(what), Place::path(path))
}

impl Content {
    fn hidden(&self) -> Option<&Pending> {
        match self {
            Self::File(_, hidden) => hidden.as_ref(),
            Self::Directory(tree, _) => tree.hidden(),
        }
    }

    /// Returns the hidden path of the output, after creating one if it has none. It is unlocked from then
    /// on, so the caller has the lock of the directory.
    fn name(&mut self, target: &OutputTarget, critical: &mut Critical) -> io::Result<&Pending> {
        match self {
            Self::File(_, Some(hidden)) => hidden.unmark(),
            Self::File(file, hidden) => {
                let path = target.hidden_sibling();
                anonymous::link(file, &path)?;
                *hidden = Some(critical.register(path));
            }
            Self::Directory(tree, _) => tree.name_all(target, critical)?,
        }
        self.hidden().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Checks that `path` may be replaced. `target` is its path in messages.
    pub(super) fn check_replaceable(&self, path: &Path, target: &Path) -> Result<()> {
        match self {
            Self::File(..) if path.is_dir() => Err(directory_in_the_way(target)),
            Self::File(..) => Ok(()),
            Self::Directory(_, replaceable) => replaceable.check(path, target),
        }
    }
}

/// Checks that a file may replace the target.
pub(super) fn check_file(target: &OutputTarget) -> Result<()> {
    if target.url.is_some() {
        return Ok(());
    }
    match target.find()? {
        Some(found) if found.is_dir() => Err(directory_in_the_way(&target.path)),
        _ => Ok(()),
    }
}

// Other systems do not exchange names.
#[cfg(test)]
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::staging::{StagedFile, WriteOptions};

    /// Stages a file that expects the target to be unchanged.
    fn stage(path: &Path) -> (OutputTarget, Content) {
        use io::Write as _;
        let options = WriteOptions::default().overwrite(true).sync(false);
        let mut staged = StagedFile::create(path, &options).unwrap();
        staged.write_all(b"ours").unwrap();
        let ready = staged.settle().unwrap();
        let mut target = ready.target;
        target.expected = Expected::Unchanged(Version::of(&path.metadata().unwrap()));
        (target, ready.content)
    }

    #[test]
    fn a_change_between_check_and_exchange_is_restored() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        fs::write(&path, "old").unwrap();
        let (target, mut content) = stage(&path);
        let there = target.find().unwrap().unwrap();
        check_replaceable(&target, &content, &there).unwrap();
        // After the check.
        fs::write(&path, "of another").unwrap();
        let refused = replace(&target, &mut content, &mut Critical::enter(), &there, false);
        let Err(PlaceError::Other(error)) = refused else { panic!("replaced") };
        assert!(matches!(error.kind(), ErrorKind::Changed));
        drop(content);
        assert_eq!(fs::read(&path).unwrap(), b"of another");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_third_replacement_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let names = ["hidden", "target"].map(|name| dir.path().join(name));
        let [hidden, target] = &names;
        let (changed, last) = ("changed", "of a third");
        fs::write(hidden, changed).unwrap();
        fs::write(target, "ours").unwrap();
        let own = FileId::of(&target.metadata().unwrap());
        put_back(hidden, target, own).unwrap();
        assert_eq!(
            names.each_ref().map(|path| fs::read_to_string(path).unwrap()),
            ["ours", changed]
        );
        // A third program removed our output: the change is restored.
        fs::rename(target, hidden).unwrap();
        put_back(hidden, target, own).unwrap();
        assert_eq!(fs::read_to_string(target).unwrap(), changed);
        // If it replaced our output, both are kept.
        fs::write(hidden, changed).unwrap();
        fs::write(target, last).unwrap();
        put_back(hidden, target, own).unwrap_err();
        assert_eq!(names.each_ref().map(|path| fs::read_to_string(path).unwrap()), [changed, last]);
    }
}
