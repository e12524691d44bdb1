//! A write that is killed, interrupted or out of space leaves the old target or none, and no other
//! files.
//!
//! `NNZ_KILLS` sets how often a write is killed (8 by default), `NNZ_SEED` at which moments.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use nnz_testing::command::{command, content, finish, names_in, run, testdata, text};
use nnz_testing::random::Random;

type Content = Vec<(String, Vec<u8>)>;

/// Matrices that take a while to convert, created once.
struct Large {
    mtx: PathBuf,
    store: PathBuf,
    /// A whole AnnData file.
    h5ad: PathBuf,
    /// An AnnData file and store with a column, and a table with another one.
    edited: [PathBuf; 2],
    table: PathBuf,
    /// Edges of a graph.
    edges: PathBuf,
    /// Tests in separate processes wait for each other.
    _lock: fs::File,
}

static LARGE: LazyLock<Large> = LazyLock::new(|| {
    // In the target directory, as statics are never dropped.
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large");
    let lock = fs::File::create(directory.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let mtx = directory.join("large.mtx");
    let store = directory.join("large.bpcells");
    let (rows, cols, each) = (30_000_u64, 10_000_u64, 250_u64);
    let mut text_of_it = String::with_capacity(40 << 20);
    text_of_it += "%%MatrixMarket matrix coordinate integer general\n";
    text_of_it += &format!("{rows} {cols} {}\n", cols * each);
    for col in 0..cols {
        for entry in 0..each {
            // Ascending, with varying steps.
            let row = entry * (rows / each) + (col * 37 + entry * 11) % (rows / each);
            let value = (row * 31 + col * 17) % 900 + 1;
            text_of_it += &format!("{} {} {value}\n", row + 1, col + 1);
        }
    }
    fs::write(&mtx, text_of_it).unwrap();
    run(&["-q", "convert", "--no-sync", text(&mtx), text(&store)]).good();
    let h5ad = directory.join("large.h5ad");
    run(&["-q", "convert", "--no-sync", text(&store), text(&h5ad)]).good();
    let table = directory.join("table.csv");
    let write_table = |name: &str| {
        let rows: String = (0..cols).map(|cell| format!("{cell},{name} {cell}\n")).collect();
        fs::write(&table, format!("name,{name}\n{rows}")).unwrap();
    };
    write_table("old");
    let edited = ["t.h5ad", "t.zarr"].map(|name| directory.join(name));
    for path in &edited {
        run(&["-q", "convert", "--no-sync", text(&h5ad), text(path)]).good();
        let columns = format!("--add-columns=cells={}", text(&table));
        run(&["-q", "edit", "--no-sync", text(path), &columns]).good();
    }
    write_table("new");
    let edges = directory.join("large.wel");
    let nodes = 200_000_u64;
    let chords = (0..nodes).flat_map(|node| [1, 7, 113].map(|step| (node, (node + step) % nodes)));
    let text_of_it: String =
        chords.map(|(from, to)| format!("{from} {to} {}\n", from % 9 + 1)).collect();
    fs::write(&edges, text_of_it).unwrap();
    Large { mtx, store, h5ad, edited, table, edges, _lock: lock }
});

fn kills() -> u32 {
    std::env::var("NNZ_KILLS").map_or(8, |count| count.parse().unwrap())
}

/// Returns a generator whose seed is printed.
fn random() -> Random {
    let seed = std::env::var("NNZ_SEED").map_or(2026, |seed| seed.parse().unwrap());
    println!("NNZ_SEED={seed}");
    Random::new(seed)
}

/// A kind of write: source, target and options.
struct Case {
    name: &'static str,
    source: PathBuf,
    target: &'static str,
    /// The verb, if it is not `convert`, and its options.
    flags: &'static [&'static str],
    /// Whether the target exists.
    replaces: bool,
}

impl Case {
    fn all() -> Vec<Self> {
        let Large { mtx, store, h5ad, edges, .. } = &*LARGE;
        let case = |name, source: &PathBuf, target, flags, replaces| Self {
            name,
            source: source.clone(),
            target,
            flags,
            replaces,
        };
        vec![
            case("text to a new store", mtx, "t.bpcells", &[][..], false),
            case("text over a store", mtx, "t.bpcells", &["--force"], true),
            case("store to a new text", store, "t.mtx", &[], false),
            case("store over a text", store, "t.mtx", &["--force"], true),
            case(
                "rows of a store, sorted on disk, over a store",
                store,
                "t.bpcells",
                &["--force", "--order", "row", "--memory", "1M"],
                true,
            ),
            case("store to a new gzipped text", store, "t.mtx.gz", &[], false),
            case("text to a new Zarr store", mtx, "t.zarr", &[], false),
            case("text over a Zarr store", mtx, "t.zarr", &["--force"], true),
            case("store over an HDF5 file", store, "t.bsp.h5", &["--force"], true),
            case("store over a DAPHNE file", store, "t.dbdf", &["--force", "--meta"], true),
            case("text over an AnnData file", mtx, "t.h5ad", &["--force"], true),
            case("AnnData file over a 10x file", h5ad, "t.h5", &["--force", "--to", "10x"], true),
            case("store to a new SciPy file", store, "t.npz", &[], false),
            case("store to a new Loom file", store, "t.loom", &[], false),
            case("columns to a new table", store, "t.csv", &["slice", "--cols", "0:300"], false),
            case("store over an SVMlight file", store, "t.svm", &["--force"], true),
            case("store to a new edge list", store, "t.wel.gz", &[], false),
            case("edges to a new METIS graph", edges, "t.graph", &["--undirected"], false),
            case("store over a MAT-file", store, "t.mat", &["--force"], true),
        ]
        .into_iter()
        .chain(Self::whole())
        .chain(Self::edits())
        .collect()
    }

    /// Changes in place: the source is the table of columns that are added.
    fn edits() -> [Self; 2] {
        ["t.h5ad", "t.zarr"].map(|target| Self {
            name: "a column is replaced by another one",
            source: LARGE.table.clone(),
            target,
            flags: &["edit", "--drop=obs/old"],
            replaces: true,
        })
    }

    fn is_edit(&self) -> bool {
        self.flags.first() == Some(&"edit")
    }

    /// Writes of whole AnnData files.
    fn whole() -> Vec<Self> {
        let source = &LARGE.h5ad;
        let case = |name, target, flags, replaces| Self {
            name,
            source: source.clone(),
            target,
            flags,
            replaces,
        };
        vec![
            case("whole file to a new file", "t.h5ad", &[][..], false),
            case("whole file over a store", "t.zarr", &["--force"], true),
            case("whole file over a Loom file", "t.loom", &["--force"], true),
            case("slice over a file", "t.h5ad", &["slice", "--force", "--rows", "5:,1"], true),
            case("concatenation to a new store", "t.zarr", &["concat", "--axis", "rows"], false),
            case(
                "concatenation over a file",
                "t.h5ad",
                &["concat", "--axis=rows", "--force"],
                true,
            ),
        ]
    }

    fn command(&self, directory: &Path) -> Command {
        let mut command = command();
        command.arg("-q");
        if self.flags.first().is_none_or(|flag| flag.starts_with('-')) {
            command.arg("convert");
        }
        command.args(self.flags);
        if self.is_edit() {
            command.arg(format!("--add-columns=cells={}", text(&self.source)));
        } else {
            command.arg(&self.source);
        }
        if self.flags.first() == Some(&"concat") {
            command.arg(&self.source);
        }
        command.arg(directory.join(self.target));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Creates a directory with the old target, if there is one.
    fn directory(&self) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        if self.replaces {
            self.put_old(directory.path());
        }
        directory
    }

    /// Returns the names of files that may exist, except hidden ones.
    fn names(&self) -> [String; 2] {
        [self.target.to_owned(), format!("{}.meta", self.target)]
    }

    /// Reads the target, and the `.meta` that describes it.
    fn read(&self, directory: &Path) -> [Option<Content>; 2] {
        self.names().map(|name| {
            let path = directory.join(name);
            path.exists().then(|| content(&path))
        })
    }

    fn put_old(&self, directory: &Path) {
        if self.is_edit() {
            let old = LARGE.edited.iter().find(|path| path.ends_with(self.target)).unwrap();
            let copied = Command::new("cp").arg("-r").arg(old).arg(directory).status();
            assert!(copied.unwrap().success());
            return;
        }
        let old = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
        let target = directory.join(self.target);
        let mut arguments = vec!["-q", "convert", "--no-sync", text(&old), text(&target)];
        if self.flags.contains(&"10x") {
            arguments.extend(["--to", "10x"]);
        }
        run(&arguments).good();
    }
}

/// Returns whether the temporary directory supports files without a name.
#[cfg(target_os = "linux")]
fn has_unnamed_files(directory: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    openat(CWD, directory, flags, Mode::from_raw_mode(0o600)).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_unnamed_files(_: &Path) -> bool {
    false
}

/// Returns what may be left beside the target of a process that was killed while it moved a finished output into
/// place: a directory cannot be created without a name, and a file needs a name to replace another one. Before
/// that step nothing has a name.
fn is_hidden_of(name: &str, target: &str) -> bool {
    // A link to an unnamed HDF5 file, while it is opened.
    if name.starts_with('#') && name.ends_with(" (deleted)") {
        return true;
    }
    [target.to_owned(), format!("{target}.meta")].iter().any(|target| {
        let digits = name.strip_prefix(&format!(".{target}.nnz-"));
        digits.is_some_and(|digits| digits.len() == 16 && !name.contains('/'))
    })
}

#[test]
fn killed_writes_leave_the_old_or_the_new_target() {
    let mut random = random();
    let cases = Case::all();
    let (mut unfinished, mut finished, mut caught) = (0, 0, 0);
    let kills = kills();
    let mut prepared: Vec<Option<([Option<Content>; 2], Duration)>> =
        cases.iter().map(|_| None).collect();
    for kill in 0..kills {
        let which = kill as usize % cases.len();
        let case = &cases[which];
        // Once without a signal, for the new content of the target and the time it takes.
        let (new, time) = prepared[which].get_or_insert_with(|| {
            let directory = case.directory();
            let started = Instant::now();
            assert!(case.command(directory.path()).status().unwrap().success(), "{}", case.name);
            let time = started.elapsed();
            let target = directory.path().join(case.target);
            assert_eq!(run(&["validate", text(&target)]).good(), "");
            (case.read(directory.path()), time)
        });

        let directory = case.directory();
        let target = directory.path().join(case.target);
        let [old, old_meta] = case.read(directory.path());
        let permille = random.below_u32(1100);
        let wait = time.mul_f64(f64::from(permille) / 1000.0);
        let mut child = case.command(directory.path()).spawn().unwrap();
        std::thread::sleep(wait);
        // The following has to hold for any moment.
        let _ = child.kill();
        child.wait().unwrap();

        let case_name =
            format!("kill {kill}, {}, after {permille} thousandths of {time:?}", case.name);
        let [found, meta] = case.read(directory.path());
        let [new, new_meta] = &*new;
        let its_meta = if found == *new {
            finished += 1;
            new_meta
        } else {
            assert!(found == old, "{case_name}: the target is neither the old nor the new one");
            unfinished += 1;
            &old_meta
        };
        assert!(meta.is_none() || meta == *its_meta, "{case_name}: a .meta that describes another");
        let names = case.names();
        let mut others = names_in(directory.path());
        others.retain(|name| !names.contains(name));
        if has_unnamed_files(directory.path()) && !others.is_empty() {
            println!("{case_name}: {others:?}");
            caught += 1;
        }
        for name in others {
            assert!(is_hidden_of(&name, case.target), "{case_name}: {name}");
        }
        // Files that were left do not prevent the next write.
        if kill % 10 == 0 {
            fs::remove_dir_all(&target).or_else(|_| fs::remove_file(&target)).ok();
            if case.is_edit() {
                case.put_old(directory.path());
            }
            assert!(case.command(directory.path()).status().unwrap().success(), "{case_name}");
            assert!(case.read(directory.path())[0] == *new, "{case_name}");
            // They are removed by it.
            let names = case.names();
            assert!(
                names_in(directory.path()).iter().all(|name| names.contains(name)),
                "{case_name}"
            );
        }
    }
    println!("{unfinished} unchanged, {finished} done, {caught} killed in the last step");
    // The last step is short, so it is seldom hit. Files with names from the start would be found
    // nearly each time.
    assert!(caught <= 1 + kills / 4, "{caught} of {kills} kills left files");
    assert!(unfinished > 0 || kills < 5);
}

/// A conversion from standard input that has read the first part of a text and waits for more.
fn waiting(target: &Path, flags: &[&str]) -> (Child, std::process::ChildStdin) {
    let mut command = command();
    command.args(["-q", "convert"]).args(flags).arg("-").arg(target);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let all = fs::read(&LARGE.mtx).unwrap();
    // More than the size of a pipe: after it is written, most of it has been read.
    stdin.write_all(&all[..all.len() / 2]).unwrap();
    (child, stdin)
}

#[test]
fn interrupted_writes_leave_no_files_and_have_their_own_status() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        for target in ["t.bpcells", "t.mtx"] {
            for memory in ["1M", "1G"] {
                let directory = tempfile::tempdir().unwrap();
                let path = directory.path().join(target);
                let (child, _stdin) = waiting(&path, &["--memory", memory]);
                kill_process(Pid::from_child(&child), signal).unwrap();
                let done = child.wait_with_output().unwrap();
                assert_eq!(done.status.code(), Some(status), "{target}: {done:?}");
                assert_eq!(names_in(directory.path()), [""; 0]);
            }
        }
    }
}

#[test]
fn interrupted_writes_leave_the_old_target_unchanged() {
    use rustix::process::{Pid, Signal, kill_process};
    let old = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    for target in ["t.bpcells", "t.mtx"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(target);
        run(&["-q", "convert", text(&old), text(&path)]).good();
        let before = content(&path);
        let (child, _stdin) = waiting(&path, &["--force"]);
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
        assert_eq!(content(&path), before);
        assert_eq!(names_in(directory.path()), [target]);
    }
}

/// Whole files are read from files, so the signal arrives at any moment.
#[test]
fn interrupted_whole_files_leave_the_old_or_the_new_target() {
    use rustix::process::{Pid, Signal, kill_process};
    let mut random = random();
    for case in Case::whole().into_iter().chain(Case::edits()) {
        let directory = case.directory();
        let started = Instant::now();
        assert!(case.command(directory.path()).status().unwrap().success(), "{}", case.name);
        let (time, new) = (started.elapsed(), case.read(directory.path()));
        for _ in 0..kills().div_ceil(4) {
            let directory = case.directory();
            let old = case.read(directory.path());
            let mut child = case.command(directory.path()).spawn().unwrap();
            // Not before the handler is installed.
            let permille = 100 + random.below_u32(800);
            std::thread::sleep(time * permille / 1000);
            let _ = kill_process(Pid::from_child(&child), Signal::INT);
            let status = child.wait().unwrap().code();
            let case_name = format!("{}, after {permille} thousandths of {time:?}", case.name);
            let expected = match status {
                Some(0) => &new,
                Some(130) | None => &old,
                other => panic!("{case_name}: {other:?}"),
            };
            assert!(case.read(directory.path()) == *expected, "{case_name}: {status:?}");
            let names = names_in(directory.path());
            assert!(names.iter().all(|name| case.names().contains(name)), "{case_name}: {names:?}");
        }
    }
}

/// Committing a finished file takes a while, during which a signal can arrive.
#[test]
fn the_status_of_an_interrupted_write_matches_the_target() {
    use rustix::process::{Pid, Signal, kill_process};
    let mut random = random();
    for case in Case::all() {
        let directory = case.directory();
        let started = Instant::now();
        assert!(case.command(directory.path()).status().unwrap().success(), "{}", case.name);
        let (mut time, new) = (started.elapsed(), case.read(directory.path()));
        for _ in 0..kills().div_ceil(2) {
            let directory = case.directory();
            let old = case.read(directory.path());
            let mut child = case.command(directory.path()).spawn().unwrap();
            let permille = 950 + random.below_u32(100);
            std::thread::sleep(time * permille / 1000);
            // It may have exited already.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            let status = child.wait().unwrap().code();
            let case_name = format!("{}, after {permille} thousandths of {time:?}", case.name);
            // On a machine of any speed, the next signal is closer to the end.
            let (expected, percent) = match status {
                Some(0) => (new.clone(), 92),
                // Without a status if the signal arrived before the handler was installed.
                Some(143) | None => (old, 108),
                other => panic!("{case_name}: {other:?}"),
            };
            time = time * percent / 100;
            let names = names_in(directory.path());
            assert!(names.iter().all(|name| case.names().contains(name)), "{case_name}: {names:?}");
            assert!(case.read(directory.path()) == expected, "{case_name}: {status:?}");
        }
    }
}

#[test]
fn truncated_texts_leave_no_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.bpcells");
    let (child, stdin) = waiting(&path, &[]);
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    let message = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{message}");
    assert!(message.contains("standard input: line "), "{message}");
    assert_eq!(names_in(directory.path()), [""; 0]);
}

/// Runs a conversion in a shell with limits.
fn limited(limit: &str, source: &Path, target: &Path, flags: &[&str]) -> nnz_testing::command::Run {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limit} && exec \"$@\"")).arg("sh");
    shell.arg(nnz_testing::command::program("nnz")).args(["-q", "convert"]).args(flags);
    finish(shell.arg(source).arg(target).stdin(Stdio::null()))
}

#[test]
fn file_size_limits_are_reported() {
    for (source, target) in [
        (&LARGE.mtx, "t.bpcells"),
        (&LARGE.store, "t.mtx"),
        (&LARGE.mtx, "t.mtx.gz"),
        (&LARGE.h5ad, "t.h5ad"),
        (&LARGE.store, "t.npz"),
        (&LARGE.store, "t.svm"),
        (&LARGE.store, "t.wel"),
        (&LARGE.store, "t.mat"),
    ] {
        // From nothing to nearly enough.
        for blocks in [0, 1, 100, 600] {
            for replaces in [false, true] {
                let case = Case {
                    name: "limited",
                    source: source.clone(),
                    target,
                    flags: &["--force"],
                    replaces,
                };
                let directory = case.directory();
                let path = directory.path().join(target);
                let before = replaces.then(|| content(&path));
                let limit = format!("ulimit -f {blocks}");
                let message = limited(&limit, source, &path, &["--force"]).refused();
                assert!(message.contains(text(&path)), "{blocks}: {message}");
                assert!(message.to_lowercase().contains("too large"), "{blocks}: {message}");
                assert_eq!(path.exists().then(|| content(&path)), before);
                let left: &[&str] = if replaces { &[target] } else { &[] };
                assert_eq!(names_in(directory.path()), left);
            }
        }
    }
}

#[test]
fn limits_on_open_files_leave_no_files() {
    let store = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    let (mut refused, mut done) = (0, 0);
    for target in [
        "t.zarr",
        "t.bpcells",
        "t.bsp.h5",
        "t.mtx",
        "t.csv",
        "t.dbdf",
        "t.bsp.npz",
        "t.bsp",
        "t.loom",
        "t.mat",
        "t.svm",
        "t.wel",
    ] {
        for limit in 6..30 {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join(target);
            let limit = format!("ulimit -n {limit}");
            // A small chunk size results in many files.
            let chunk: &[&str] = if target == "t.zarr" { &["--chunk", "7"] } else { &[] };
            let run = limited(&limit, &store, &path, chunk);
            let names = names_in(directory.path());
            if run.code == Some(0) {
                assert_eq!(names, [target], "{limit}");
                assert!(run.err.is_empty(), "{limit}: {}", run.err);
                done += 1;
            } else {
                assert_eq!(names, [""; 0], "{limit}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && done > 0, "{refused} refused, {done} done");
}

#[test]
fn file_size_limits_of_temporary_files_are_reported_with_their_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.bpcells");
    let flags = ["--order", "row", "--memory", "1M"];
    let message = limited("ulimit -f 100", &LARGE.store, &path, &flags).refused();
    assert!(message.contains(text(directory.path())), "{message}");
    assert!(message.to_lowercase().contains("too large"), "{message}");
    assert_eq!(names_in(directory.path()), [""; 0]);
}

/// A small file system, if one can be mounted.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "nnz-test"]).arg(directory.path());
        let done = mount.stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success()).then_some(Self(directory))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn full_disks_are_reported_and_leave_the_old_target() {
    for (source, target) in [
        (&LARGE.mtx, "t.bpcells"),
        (&LARGE.store, "t.mtx"),
        (&LARGE.store, "t.h5ad"),
        (&LARGE.store, "t.npz"),
        (&LARGE.store, "t.svm"),
        (&LARGE.store, "t.wel.gz"),
    ] {
        for replaces in [false, true] {
            let Some(disk) = SmallDisk::mount() else {
                println!("skipped: no small file system can be mounted here");
                return;
            };
            let case = Case {
                name: "full",
                source: source.clone(),
                target,
                flags: &["--force"],
                replaces,
            };
            if replaces {
                case.put_old(disk.0.path());
            }
            let path = disk.0.path().join(target);
            let before = replaces.then(|| content(&path));
            let message = run(&["convert", "--force", text(source), text(&path)]).refused();
            assert!(message.contains(text(&path)), "{message}");
            assert!(message.contains("no space left on the device"), "{message}");
            assert_eq!(path.exists().then(|| content(&path)), before);
            let left: &[&str] = if replaces { &[target] } else { &[] };
            assert_eq!(names_in(disk.0.path()), left);

            // All space is free again: a small file still fits.
            let small = testdata().join("bpcells/matrix_dir/one_uint.packed.col");
            run(&["-q", "convert", "--force", text(&small), text(&path)]).good();
            assert_eq!(run(&["validate", text(&path)]).good(), "");
        }
    }
}

#[test]
fn full_disks_leave_edited_files_unchanged() {
    for target in ["t.h5ad", "t.zarr"] {
        let Some(disk) = SmallDisk::mount() else {
            println!("skipped: no small file system can be mounted here");
            return;
        };
        let path = disk.0.path().join(target);
        run(&["-q", "slice", "--cells=0:200", "--features=0:2000", text(&LARGE.h5ad), text(&path)])
            .good();
        let before = content(&path);
        let tables = tempfile::tempdir().unwrap();
        let columns = |length: usize| {
            let table = tables.path().join("t.csv");
            let rows = (0..200).map(|cell| format!("{cell},{cell}{}\n", "x".repeat(length)));
            fs::write(&table, format!("name,new\n{}", rows.collect::<String>())).unwrap();
            format!("--add-columns=cells={}", text(&table))
        };
        let message = run(&["edit", text(&path), &columns(5000)]).refused();
        assert!(message.contains("no space left on the device"), "{message}");
        assert_eq!(content(&path), before);
        assert_eq!(names_in(disk.0.path()), [target]);
        // A store has links to all files that do not change.
        if target == "t.zarr" {
            run(&["-q", "edit", text(&path), &columns(1)]).good();
            assert_eq!(run(&["validate", text(&path)]).good(), "");
            assert_eq!(names_in(disk.0.path()), [target]);
        }
    }
}

/// Whole files were once written until the disk was full, whatever their size.
#[test]
fn whole_files_larger_than_the_free_space_are_refused_in_advance() {
    for (target, flags, beforehand) in [
        ("t.h5ad", &["convert"][..], true),
        ("t.zarr", &["convert"], true),
        ("t.h5ad", &["concat", "--axis", "rows"], true),
        // The size of a part, or of compressed data, is only known while writing.
        ("t.h5ad", &["slice", "--rows", "1:"], false),
        ("t.zarr", &["convert", "--compress", "gzip:1"], false),
        ("t.h5ad", &["convert", "--compress", "gzip:1"], false),
    ] {
        for replaces in [false, true] {
            let Some(disk) = SmallDisk::mount() else {
                println!("skipped: no small file system can be mounted here");
                return;
            };
            let path = disk.0.path().join(target);
            let small = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
            if replaces {
                run(&["-q", "convert", "--no-sync", text(&small), text(&path)]).good();
            }
            let before = replaces.then(|| content(&path));
            let sources = vec![text(&LARGE.h5ad); if flags.contains(&"concat") { 2 } else { 1 }];
            let arguments = [flags, &["--force"], &sources[..], &[text(&path)]].concat();
            let message = run(&arguments).refused();
            assert!(message.contains("no space left on"), "{arguments:?}: {message}");
            let stderr = message.contains("needs at least");
            assert_eq!(stderr, beforehand, "{arguments:?}: {message}");
            assert_eq!(path.exists().then(|| content(&path)), before);
            let left: &[&str] = if replaces { &[target] } else { &[] };
            assert_eq!(names_in(disk.0.path()), left, "{arguments:?}");
            if !replaces {
                // All space is free again.
                run(&["-q", "convert", text(&small), text(&path)]).good();
            }
        }
    }
}

#[test]
fn concurrently_added_groups_are_kept() {
    let source = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    for target in ["t.h5", "t.zarr"] {
        for _ in 0..5 {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join(target);
            let place = |group| format!("{}::g{group}", text(&path));
            let mut writers: Vec<Child> = (0..4)
                .map(|group| {
                    let mut command = command();
                    command.args(["-q", "convert", "--to", "bpcells"]);
                    command.arg(&source).arg(place(group)).spawn().unwrap()
                })
                .collect();
            for writer in &mut writers {
                assert!(writer.wait().unwrap().success());
            }
            for group in 0..4 {
                run(&["diff", text(&source), &place(group)]).good();
            }
            assert_eq!(names_in(directory.path()), [target]);
        }
    }
}
