//! Atomic outputs.

use std::fs;
use std::io::Write;
use std::path::Path;

use nnz_core::ErrorKind;
use nnz_storage::staging::{StagedDirectory, StagedFile, WriteOptions};
use nnz_testing::command::names_in;

fn new() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(true)
}

const MEMBERS: &[&str] = &["version", "val"];
fn force() -> WriteOptions {
    WriteOptions::default().overwrite(true).sync(true)
}

#[test]
fn a_file_appears_only_when_committed() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.mtx");
    let mut staged = StagedFile::create(&target, &new()).unwrap();
    staged.write_all(b"whole").unwrap();
    assert!(!target.exists());
    assert_eq!(staged.commit().unwrap(), 5);
    assert_eq!(fs::read(&target).unwrap(), b"whole");
    assert_eq!(names_in(dir.path()), ["out.mtx"]);
}

#[test]
fn a_dropped_file_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut staged = StagedFile::create(&dir.path().join("out"), &new()).unwrap();
    staged.write_all(b"half").unwrap();
    drop(staged);
    assert!(names_in(dir.path()).is_empty());
}

#[test]
fn an_existing_target_is_replaced_only_with_overwrite() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    fs::write(&target, "old").unwrap();
    let refused = StagedFile::create(&target, &new()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Exists));

    let mut staged = StagedFile::create(&target, &force()).unwrap();
    staged.write_all(b"new").unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"old");
    staged.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert_eq!(names_in(dir.path()), ["out"]);
}

#[test]
fn a_target_that_appears_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    let staged = StagedFile::create(&target, &new()).unwrap();
    fs::write(&target, "of another").unwrap();
    assert!(matches!(staged.commit().unwrap_err().kind(), ErrorKind::Exists));
    assert_eq!(fs::read(&target).unwrap(), b"of another");

    let target = dir.path().join("store");
    let staged = StagedDirectory::create(&target, &new(), MEMBERS).unwrap();
    staged.create_file("version").unwrap();
    fs::create_dir(&target).unwrap();
    assert!(matches!(staged.commit().unwrap_err().kind(), ErrorKind::Exists));
    assert_eq!(names_in(dir.path()), ["out", "store"]);
}

#[test]
#[cfg(unix)]
fn a_link_keeps_pointing_at_what_was_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    let link = dir.path().join("link");
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let mut staged = StagedFile::create(&link, &force()).unwrap();
    staged.write_all(b"new").unwrap();
    staged.commit().unwrap();
    assert_eq!(fs::read(&real).unwrap(), b"new");
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn devices_and_directories_are_not_replaced_by_files() {
    let dir = tempfile::tempdir().unwrap();
    assert!(StagedFile::create(Path::new("/dev/null"), &force()).is_err());
    assert!(StagedFile::create(dir.path(), &force()).is_err());
    assert!(StagedFile::create(&dir.path().join("missing/out"), &force()).is_err());
    assert!(StagedFile::create(Path::new("/"), &force()).is_err());
    assert!(StagedFile::create(Path::new(""), &force()).is_err());
}

#[test]
fn a_directory_is_replaced_atomically() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("store");
    for (options, text) in [(new(), "first"), (force(), "second")] {
        let staged = StagedDirectory::create(&target, &options, MEMBERS).unwrap();
        staged.create_file("version").unwrap().write_all(text.as_bytes()).unwrap();
        staged.create_file("val").unwrap();
        assert!(staged.create_file("val").is_err());
        assert_eq!(staged.commit().unwrap(), text.len() as u64);
        assert_eq!(fs::read(target.join("version")).unwrap(), text.as_bytes());
        assert_eq!(names_in(&target), ["val", "version"]);
        assert_eq!(names_in(dir.path()), ["store"]);
    }
}

#[test]
fn directories_with_other_files_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("home");
    let try_it = || StagedDirectory::create(&target, &force(), MEMBERS);
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
    assert_eq!(names_in(dir.path()), ["home"]);
}

#[test]
#[cfg(unix)]
fn leftovers_of_killed_processes_are_swept_and_others_stay() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("store");
    let leftover = dir.path().join(".store.nnz-0123456789abcdef");
    let used = dir.path().join(".store.nnz-fedcba9876543210");
    let kept = [".store.nnz-notes", ".store.nnz-0123456789abcdeg", ".other.nnz-0123456789abcdef"];
    let kept = kept.map(|name| dir.path().join(name));
    for path in kept.iter().chain([&leftover, &used]) {
        fs::create_dir(path).unwrap();
        fs::write(path.join("val"), "half").unwrap();
    }
    let exclusive = rustix::fs::FlockOperation::LockExclusive;
    let lock = fs::File::open(&used).unwrap();
    rustix::fs::flock(&lock, exclusive).unwrap();
    // Another process is about to put it in place.
    let directory = fs::File::open(dir.path()).unwrap();
    rustix::fs::flock(&directory, exclusive).unwrap();
    StagedDirectory::create(&target, &new(), MEMBERS).unwrap();
    assert!(leftover.exists());
    drop(directory);
    StagedDirectory::create(&target, &new(), MEMBERS).unwrap();
    assert!(!leftover.exists());
    assert!(used.exists() && kept.iter().all(|path| path.exists()));
    drop(lock);
    StagedFile::create(&target, &new()).unwrap();
    assert!(!used.exists());
}

#[test]
fn a_target_that_appears_is_replaced_with_overwrite() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    let mut staged = StagedFile::create(&target, &force()).unwrap();
    staged.write_all(b"new").unwrap();
    fs::write(&target, "of another").unwrap();
    staged.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");

    let target = dir.path().join("store");
    let stage = || {
        let staged = StagedDirectory::create(&target, &force(), MEMBERS).unwrap();
        staged.write_file("version", b"new").unwrap();
        staged
    };
    let staged = stage();
    fs::create_dir(&target).unwrap();
    fs::write(target.join("val"), "of another").unwrap();
    staged.commit().unwrap();
    assert_eq!(names_in(&target), ["version"]);

    fs::remove_dir_all(&target).unwrap();
    let staged = stage();
    fs::create_dir(&target).unwrap();
    fs::write(target.join("thesis.tex"), "of another").unwrap();
    assert!(staged.commit().is_err());
    assert_eq!(names_in(&target), ["thesis.tex"]);
    assert_eq!(names_in(dir.path()), ["out", "store"]);
}

/// Mode, owner and group.
#[cfg(unix)]
fn access(path: &Path) -> (u32, u32, u32) {
    use std::os::unix::fs::MetadataExt;
    let found = path.metadata().unwrap();
    (found.mode() & 0o7777, found.uid(), found.gid())
}

/// Sets the mode, and if we may another owner.
#[cfg(unix)]
fn set_access(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let _ = std::os::unix::fs::chown(path, Some(12345), Some(23456));
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
#[cfg(unix)]
fn what_is_replaced_keeps_its_mode_and_owner() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "old").unwrap();
    // Programs run with the permissions of their owner; new content does not.
    set_access(&file, 0o6640);
    let (_, uid, gid) = access(&file);
    let before = (0o640, uid, gid);
    let mut staged = StagedFile::create(&file, &force()).unwrap();
    staged.write_all(b"new").unwrap();
    staged.commit().unwrap();
    assert_eq!(access(&file), before);
    assert_eq!(fs::read(&file).unwrap(), b"new");

    let store = dir.path().join("store");
    fs::create_dir(&store).unwrap();
    fs::write(store.join("version"), "old").unwrap();
    set_access(&store.join("version"), 0o600);
    set_access(&store, 0o700);
    let before = (access(&store), access(&store.join("version")));
    let staged = StagedDirectory::create(&store, &force(), MEMBERS).unwrap();
    staged.write_file("version", b"new").unwrap();
    // A file without an old one has the permissions that all old ones have.
    staged.write_file("val", b"new").unwrap();
    staged.commit().unwrap();
    assert_eq!((access(&store), access(&store.join("version"))), before);
    assert_eq!(access(&store.join("val")), before.1);
    assert_eq!(names_in(dir.path()), ["file", "store"]);
}

#[test]
#[cfg(target_os = "linux")]
fn access_control_lists_are_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    const NAME: &str = "system.posix_acl_access";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, "old").unwrap();
    let get = |path: &Path| {
        let mut list = vec![0; 4096];
        let len = getxattr(path, NAME, list.as_mut_slice()).unwrap();
        list.truncate(len);
        list
    };
    // The lists of 100 users have more than 512 bytes.
    for users in [1, 100] {
        // Version 2, then tag, permissions and id of each entry: the owner, users by number, ...
        let mut entries: Vec<(u16, u16, u32)> = vec![(0x01, 6, u32::MAX)];
        entries.extend((0..users).map(|user| (0x02, 4, 12345 + user)));
        // ... the group, the mask and others.
        entries.extend([(0x04, 0, u32::MAX), (0x10, 4, u32::MAX), (0x20, 0, u32::MAX)]);
        let mut acl = 2_u32.to_le_bytes().to_vec();
        for (tag, permissions, id) in entries {
            acl.extend(tag.to_le_bytes());
            acl.extend(permissions.to_le_bytes());
            acl.extend(id.to_le_bytes());
        }
        if setxattr(&path, NAME, &acl, XattrFlags::empty()).is_err() {
            println!("skipped: no access control lists of {} bytes here", acl.len());
            return;
        }
        let before = (get(&path), access(&path));
        assert_eq!(before.0, acl);
        StagedFile::create(&path, &force()).unwrap().commit().unwrap();
        assert_eq!((get(&path), access(&path)), before);
    }
}

#[test]
#[cfg(unix)]
fn more_files_than_can_be_open_are_written_and_leave_nothing_if_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("store");
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let count = limit.unwrap_or(0).min(70_000) / 4 + 2;
    let fill = || {
        let options = WriteOptions::default().overwrite(false).sync(false);
        let staged = StagedDirectory::create_matching(&target, &options, |_| true).unwrap();
        for number in 0..count {
            staged.write_file(&format!("a/c/{number}"), &number.to_le_bytes()).unwrap();
        }
        staged.write_file("last", b"x").unwrap();
        assert!(staged.create_file("a/c/0").is_err());
        staged
    };
    drop(fill());
    assert!(names_in(dir.path()).is_empty());
    assert_eq!(fill().commit().unwrap(), count * 8 + 1);
    assert_eq!(names_in(&target), ["a", "last"]);
    for number in 0..count {
        let bytes = fs::read(target.join(format!("a/c/{number}"))).unwrap();
        assert_eq!(bytes, number.to_le_bytes());
    }
    assert_eq!(names_in(dir.path()), ["store"]);
}

#[test]
#[cfg_attr(windows, ignore = "a name that another thread is about to replace may be refused")]
fn pairs_written_at_the_same_time_stay_pairs() {
    let dir = tempfile::tempdir().unwrap();
    let (data, meta) = (dir.path().join("x"), dir.path().join("x.meta"));
    let directories = (dir.path().join("d"), dir.path().join("d.meta"));
    std::thread::scope(|scope| {
        for writer in 0..4_u8 {
            let (data, meta, directories) = (&data, &meta, &directories);
            scope.spawn(move || {
                for round in 0..50_u8 {
                    let file = |path| {
                        let options = WriteOptions::default().overwrite(true).sync(false);
                        let mut file = StagedFile::create(path, &options).unwrap();
                        file.write_all(&[writer, round]).unwrap();
                        file
                    };
                    file(data).commit_with_sidecar(file(meta)).unwrap();
                    let options = WriteOptions::default().overwrite(true).sync(false);
                    let staged =
                        StagedDirectory::create(&directories.0, &options, MEMBERS).unwrap();
                    staged.write_file("val", &[writer, round]).unwrap();
                    staged.commit_with_sidecar(file(&directories.1)).unwrap();
                }
            });
        }
    });
    assert_eq!(fs::read(&data).unwrap(), fs::read(&meta).unwrap());
    let (directory, meta) = directories;
    assert_eq!(fs::read(directory.join("val")).unwrap(), fs::read(meta).unwrap());
    assert_eq!(names_in(dir.path()), ["d", "d.meta", "x", "x.meta"]);
}

#[test]
#[cfg(windows)]
fn leftovers_are_swept_unless_a_process_has_them_open_for_itself() {
    use std::os::windows::fs::OpenOptionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let [left, used] = [".x.nnz-0123456789abcdef", ".x.nnz-fedcba9876543210"];
    let [left, used] = [left, used].map(|name| dir.path().join(name));
    fs::create_dir(&left).unwrap();
    fs::write(left.join("val"), "half").unwrap();
    fs::write(&used, "half").unwrap();
    // Others may read and write, and not remove.
    let open = fs::OpenOptions::new().read(true).share_mode(3).open(&used).unwrap();
    StagedFile::create(&dir.path().join("x"), new()).unwrap();
    assert!(!left.exists() && used.exists());
    drop(open);
    StagedFile::create(&dir.path().join("x"), new()).unwrap();
    assert!(!used.exists());
}

#[test]
fn a_stand_in_that_a_killed_process_left_is_swept_and_files_of_its_name_stay() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["#12 (deleted)", "#14 (deleted)", "#13 (deleted)", "#x (deleted)"];
    let names = names.map(|name| dir.path().join(name));
    let [stand_in, empty, other, another] = &names;
    // Killed before anything was written.
    fs::write(empty, "").unwrap();
    fs::write(stand_in, "stand-in of nnz\n").unwrap();
    fs::write(other, "something else.\n").unwrap();
    fs::write(another, "stand-in of nnz\n").unwrap();
    StagedFile::create(&dir.path().join("x.h5"), &new()).unwrap();
    assert_eq!(names.each_ref().map(|path| path.exists()), [false, false, true, true]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_or_a_link_with_the_name_of_a_leftover_is_not_opened() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let dir = tempfile::tempdir().unwrap();
    let [pipe, link] = [".x.nnz-0123456789abcdef", ".x.nnz-0123456789abcdee"];
    let [pipe, link] = [pipe, link].map(|name| dir.path().join(name));
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o666), 0).unwrap();
    let other = dir.path().join("other");
    fs::write(&other, "of another").unwrap();
    std::os::unix::fs::symlink(&other, &link).unwrap();
    StagedFile::create(&dir.path().join("x"), &new()).unwrap().commit().unwrap();
    assert!(pipe.symlink_metadata().is_ok() && link.symlink_metadata().is_ok());
    assert_eq!(fs::read(&other).unwrap(), b"of another");
}

#[test]
#[cfg(unix)]
fn a_sidecar_keeps_its_mode_also_where_several_replace_it() {
    let dir = tempfile::tempdir().unwrap();
    let (data, meta) = (dir.path().join("x"), dir.path().join("x.meta"));
    for path in [&data, &meta] {
        fs::write(path, "old").unwrap();
        set_access(path, 0o640);
    }
    let before = access(&meta);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let options = WriteOptions::default().overwrite(true).sync(false);
                    let [file, sidecar] =
                        [&data, &meta].map(|path| StagedFile::create(path, &options).unwrap());
                    file.commit_with_sidecar(sidecar).unwrap();
                }
            });
        }
    });
    assert_eq!([access(&data), access(&meta)], [before; 2]);
}

/// The names in a directory that were added or removed, in order, without hidden ones.
#[cfg(target_os = "linux")]
fn changes(dir: &Path, act: impl FnOnce()) -> Vec<(bool, String)> {
    use rustix::fs::inotify;

    let queue = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    let removed = inotify::WatchFlags::MOVED_FROM | inotify::WatchFlags::DELETE;
    let added = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::CREATE;
    inotify::add_watch(&queue, dir, removed | added).unwrap();
    act();
    let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
    let mut events = inotify::Reader::new(&queue, &mut buffer);
    let mut changes = Vec::new();
    // Without more events there is an error.
    while let Ok(event) = events.next() {
        let name = event.file_name().unwrap().to_str().unwrap().to_owned();
        let added = inotify::ReadFlags::MOVED_TO | inotify::ReadFlags::CREATE;
        if !name.starts_with('.') {
            changes.push((event.events().intersects(added), name));
        }
    }
    changes
}

#[test]
#[cfg(target_os = "linux")]
fn a_sidecar_is_never_next_to_another_file() {
    let dir = tempfile::tempdir().unwrap();
    let (data, meta) = (dir.path().join("x"), dir.path().join("x.meta"));
    let pair = |options: &WriteOptions| {
        [&data, &meta].map(|path| StagedFile::create(path, options).unwrap())
    };
    let put = |options: &WriteOptions| {
        let [file, other] = pair(options);
        changes(dir.path(), || assert_eq!(file.commit_with_sidecar(other).unwrap(), 0))
    };
    let event = |added, name: &str| (added, name.to_owned());
    let added = [event(true, "x"), event(true, "x.meta")];
    assert_eq!(put(&new()), added);
    // An exchange of two names is one step, with two events.
    let exchanged = [event(true, "x"), event(false, "x")];
    let replaced = [&[event(false, "x.meta")], &exchanged[..], &[event(true, "x.meta")]].concat();
    assert_eq!(put(&force()), replaced);
    assert_eq!(names_in(dir.path()), ["x", "x.meta"]);
}

#[test]
fn a_sidecar_is_kept_if_its_file_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (data, meta) = (dir.path().join("x"), dir.path().join("x.meta"));
    fs::write(&meta, "old").unwrap();
    let options = [(&data, new()), (&meta, force())];
    let [file, sidecar] = options.map(|(path, write)| StagedFile::create(path, &write).unwrap());
    fs::write(&data, "of another").unwrap();
    let refused = file.commit_with_sidecar(sidecar).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Exists));
    assert_eq!(fs::read(&meta).unwrap(), b"old");
    assert_eq!(names_in(dir.path()), ["x", "x.meta"]);
}

#[test]
fn the_old_files_are_restored_if_the_sidecar_fails() {
    let dir = tempfile::tempdir().unwrap();
    let (data, meta) = (dir.path().join("x"), dir.path().join("x.meta"));
    for old in [true, false] {
        if old {
            fs::write(&data, "old").unwrap();
        }
        let [file, sidecar] =
            [&data, &meta].map(|path| StagedFile::create(path, &force()).unwrap());
        fs::create_dir(&meta).unwrap();
        file.commit_with_sidecar(sidecar).unwrap_err();
        assert_eq!(fs::read(&data).ok(), old.then(|| b"old".to_vec()));
        let expected: &[&str] = if old { &["x", "x.meta"] } else { &["x.meta"] };
        assert_eq!(names_in(dir.path()), expected);
        fs::remove_dir(&meta).unwrap();
        let _ = fs::remove_file(&data);
    }
}
