//! Outputs appear whole or not at all.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::io::Write;
use std::path::Path;

use nnz_container::staging::{StagedDirectory, StagedFile, WriteOptions};
use nnz_core::ErrorKind;

const NEW: WriteOptions = WriteOptions { overwrite: false, sync: true };
const MEMBERS: &[&str] = &["version", "val"];
const FORCE: WriteOptions = WriteOptions { overwrite: true, sync: true };

fn listing(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_only_when_committed() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.mtx");
    let mut staged = StagedFile::create(&target, NEW).unwrap();
    staged.write_all(b"whole").unwrap();
    assert!(!target.exists());
    assert_eq!(staged.commit().unwrap(), 5);
    assert_eq!(fs::read(&target).unwrap(), b"whole");
    assert_eq!(listing(dir.path()), ["out.mtx"]);
}

#[test]
fn a_dropped_file_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut staged = StagedFile::create(&dir.path().join("out"), NEW).unwrap();
    staged.write_all(b"half").unwrap();
    drop(staged);
    assert!(listing(dir.path()).is_empty());
}

#[test]
fn a_target_that_is_there_needs_leave_to_be_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    fs::write(&target, "old").unwrap();
    let refused = StagedFile::create(&target, NEW).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Exists));

    let mut staged = StagedFile::create(&target, FORCE).unwrap();
    staged.write_all(b"new").unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"old");
    staged.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert_eq!(listing(dir.path()), ["out"]);
}

#[test]
fn a_target_that_appears_meanwhile_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    let staged = StagedFile::create(&target, NEW).unwrap();
    fs::write(&target, "somebody else's").unwrap();
    assert!(matches!(staged.commit().unwrap_err().kind(), ErrorKind::Exists));
    assert_eq!(fs::read(&target).unwrap(), b"somebody else's");

    let target = dir.path().join("store");
    let mut staged = StagedDirectory::create(&target, NEW, MEMBERS).unwrap();
    staged.create_file("version").unwrap();
    fs::create_dir(&target).unwrap();
    assert!(matches!(staged.commit().unwrap_err().kind(), ErrorKind::Exists));
    assert_eq!(listing(dir.path()), ["out", "store"]);
}

#[test]
fn a_link_keeps_pointing_at_what_was_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    let link = dir.path().join("link");
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let mut staged = StagedFile::create(&link, FORCE).unwrap();
    staged.write_all(b"new").unwrap();
    staged.commit().unwrap();
    assert_eq!(fs::read(&real).unwrap(), b"new");
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn devices_and_directories_are_not_replaced_by_files() {
    let dir = tempfile::tempdir().unwrap();
    assert!(StagedFile::create(Path::new("/dev/null"), FORCE).is_err());
    assert!(StagedFile::create(dir.path(), FORCE).is_err());
    assert!(StagedFile::create(&dir.path().join("missing/out"), FORCE).is_err());
    assert!(StagedFile::create(Path::new("/"), FORCE).is_err());
    assert!(StagedFile::create(Path::new(""), FORCE).is_err());
}

#[test]
fn a_directory_is_exchanged_whole() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("store");
    for (options, text) in [(NEW, "first"), (FORCE, "second")] {
        let mut staged = StagedDirectory::create(&target, options, MEMBERS).unwrap();
        staged.create_file("version").unwrap().write_all(text.as_bytes()).unwrap();
        staged.create_file("val").unwrap();
        assert!(staged.create_file("val").is_err());
        assert_eq!(staged.commit().unwrap(), text.len() as u64);
        assert_eq!(fs::read(target.join("version")).unwrap(), text.as_bytes());
        assert_eq!(listing(&target), ["val", "version"]);
        assert_eq!(listing(dir.path()), ["store"]);
    }
}

#[test]
fn folders_of_other_things_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("home");
    let try_it = || StagedDirectory::create(&target, FORCE, MEMBERS);
    fs::create_dir(&target).unwrap();
    try_it().unwrap();
    fs::write(target.join("version"), "packed-uint-matrix-v2\n").unwrap();
    let staged = try_it().unwrap();

    fs::write(target.join("README"), "years of work").unwrap();
    assert!(try_it().is_err());
    assert!(staged.commit().is_err(), "put there meanwhile");
    fs::remove_file(target.join("README")).unwrap();
    fs::create_dir(target.join("val")).unwrap();
    assert!(try_it().is_err());
    assert_eq!(listing(dir.path()), ["home"]);
}

#[test]
fn leftovers_of_dead_processes_are_swept_and_others_stay() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("store");
    let host = rustix::system::uname().nodename().to_string_lossy().replace('.', "_");
    // No process has the largest number.
    let dead = dir.path().join(format!(".store.nnz-{host}-4294967295-0"));
    let alive = dir.path().join(format!(".store.nnz-{host}-{}-7", std::process::id()));
    let elsewhere = dir.path().join(".store.nnz-another!host-4294967295-0");
    let other = dir.path().join(format!(".other.nnz-{host}-4294967295-0"));
    for path in [&dead, &alive, &elsewhere, &other] {
        fs::create_dir(path).unwrap();
        fs::write(path.join("val"), "half").unwrap();
    }
    let lock = fs::File::open(&dead).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    StagedDirectory::create(&target, NEW, MEMBERS).unwrap();
    assert!(dead.exists(), "somebody holds a lock on it");
    drop(lock);
    StagedDirectory::create(&target, NEW, MEMBERS).unwrap();
    assert!(!dead.exists());
    assert!(alive.exists() && elsewhere.exists() && other.exists());
}

/// The names in a directory that appeared or went, in that order, hidden ones left out.
#[cfg(target_os = "linux")]
fn changes(dir: &Path, act: impl FnOnce()) -> Vec<(bool, String)> {
    use rustix::fs::inotify;

    let queue = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    let gone = inotify::WatchFlags::MOVED_FROM | inotify::WatchFlags::DELETE;
    let come = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::CREATE;
    inotify::add_watch(&queue, dir, gone | come).unwrap();
    act();
    let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
    let mut events = inotify::Reader::new(&queue, &mut buffer);
    let mut changes = Vec::new();
    // Where no more is to be read there is an error.
    while let Ok(event) = events.next() {
        let name = event.file_name().unwrap().to_str().unwrap().to_owned();
        let come = inotify::ReadFlags::MOVED_TO | inotify::ReadFlags::CREATE;
        if !name.starts_with('.') {
            changes.push((event.events().intersects(come), name));
        }
    }
    changes
}

#[test]
#[cfg(target_os = "linux")]
fn what_tells_of_a_file_never_lies_beside_another() {
    let dir = tempfile::tempdir().unwrap();
    let (data, tells) = (dir.path().join("x"), dir.path().join("x.meta"));
    let pair = |options| [&data, &tells].map(|path| StagedFile::create(path, options).unwrap());
    let put = |options| {
        let [file, other] = pair(options);
        changes(dir.path(), || assert_eq!(file.commit_with(other).unwrap(), 0))
    };
    let event = |come, name: &str| (come, name.to_owned());
    let new = [event(true, "x"), event(true, "x.meta")];
    assert_eq!(put(NEW), new);
    let replaced = [event(false, "x.meta"), event(true, "x"), event(true, "x.meta")];
    assert_eq!(put(FORCE), replaced);
    // The same where what it tells of is put in its place by other means.
    let [file, other] = pair(FORCE);
    let behind = changes(dir.path(), || {
        assert_eq!(other.commit_behind(|| file.commit()).unwrap(), 0);
    });
    assert_eq!(behind, replaced);
    assert_eq!(listing(dir.path()), ["x", "x.meta"]);
}

#[test]
fn what_tells_of_a_file_stays_if_that_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (data, tells) = (dir.path().join("x"), dir.path().join("x.meta"));
    fs::write(&tells, "old").unwrap();
    let [file, other] = [&data, &tells].map(|path| StagedFile::create(path, FORCE).unwrap());
    fs::write(&data, "somebody else's").unwrap();
    assert!(matches!(file.commit_with(other).unwrap_err().kind(), ErrorKind::Exists));
    assert_eq!(fs::read(&tells).unwrap(), b"old");
    assert_eq!(listing(dir.path()), ["x", "x.meta"]);
}
