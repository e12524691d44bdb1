//! Behavior of the command: exit statuses, streams, help, what it replaces.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use nnz_testing::command::{
    command, content, finish, names_in, run, run_with_input, status_of_errors, testdata, text,
};

const SMALL: &str = "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 5\n3 2 7\n";
const SMALL_ENTRIES: &str = "0\t0\t5\n2\t1\t7\n";

fn small(directory: &tempfile::TempDir) -> String {
    let path = directory.path().join("small.mtx");
    fs::write(&path, SMALL).unwrap();
    text(&path).to_owned()
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let scratch = tempfile::tempdir().unwrap();
    let small = small(&scratch);
    let target = scratch.path().join("t.bpcells");
    let target = text(&target);
    let no_format = scratch.path().join("t.unknown");
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["cat"],
        &["cat", &small, "--rows", "5:2"],
        &["cat", &small, "--rows", ""],
        &["cat", &small, "--cols", "1,,2"],
        &["stats", &small, "--cols", "5:2"],
        &["cat", &small, "--memory", "1X"],
        &["cat", &small, "--duplicates", "lose"],
        &["names", &small],
        &["names", &small, "diagonals"],
        &["validate"],
        &["info", &small, "--yaml"],
        &["convert", &small],
        &["convert", &small, target, "--to", "parquet"],
        &["convert", &small, target, "--order", "diagonal"],
        &["convert", &small, target, "--type", "int99"],
        &["convert", &small, target, "--threads", "0"],
        &["convert", &small, target, "--format-version", "3"],
        &["convert", &small, text(&no_format)],
        &["convert", &small, "-", "--to", "bpcells"],
        // Options that the target format does not have, even if they match its only layout.
        &["convert", &small, "t.mtx", "--format-version", "2"],
        &["convert", &small, "t.mtx", "--binsparse-version", "0.1"],
        &["convert", &small, "t.bpcells", "--dialect", "spec"],
        &["convert", &small, "t.bpcells", "--minimize"],
        &["convert", &small, "t.dbdf", "--minimize"],
        &["convert", &small, "t.bsp.h5", "--unpacked"],
        &["convert", &small, "t.bsp.h5", "--layout", "array"],
    ] {
        let found = run(arguments);
        assert_eq!(found.code, Some(2), "{arguments:?}: {found:?}");
        assert_eq!(found.out, "", "{arguments:?}");
        assert!(!found.err.is_empty(), "{arguments:?}");
    }
    assert_eq!(names_in(scratch.path()), ["small.mtx"]);
}

#[test]
fn missing_files_are_reported_with_their_path() {
    let scratch = tempfile::tempdir().unwrap();
    let missing = scratch.path().join("missing.mtx");
    let missing = text(&missing);
    let target = scratch.path().join("t.bpcells");
    for arguments in [
        &["info", missing][..],
        &["cat", missing],
        &["names", missing, "rows"],
        &["validate", missing],
        &["convert", missing, text(&target)],
    ] {
        let message = run(arguments).refused_by(arguments[0]);
        assert_eq!(message, format!("nnz: {missing}: no such file or directory\n"));
    }
    let small = small(&scratch);
    let nowhere = scratch.path().join("no/such/folder.bpcells");
    let message = run(&["convert", &small, text(&nowhere)]).refused();
    assert!(message.contains("no/such"), "{message}");
    assert_eq!(names_in(scratch.path()), ["small.mtx"]);
}

#[test]
fn help_has_pages_on_formats_and_locations() {
    let formats = run(&["help", "formats"]).good();
    for name in ["bpcells", "binsparse", "mtx", "dgCMatrix", "daphne"] {
        assert!(formats.contains(&format!("\n{name} ")), "{formats}");
        // The page lists the values of --to.
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("t.x");
        let done = run(&["-q", "convert", &small(&scratch), text(&target), "--to", name]);
        assert!(done.code != Some(2), "{name}: {done:?}");
    }
    let locations = run(&["help", "locations"]).good();
    for form in ["FILE::GROUP", "\n  - ", "@FILE", "\n  URL "] {
        assert!(locations.contains(form), "{locations}");
    }
    for page in [&formats, &locations] {
        assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    }
    let scratch = tempfile::tempdir().unwrap();
    run(&["man", text(scratch.path())]).good();
    let manual = fs::read_to_string(scratch.path().join("nnz-help.1")).unwrap();
    assert!(manual.contains("10x HDF5") && manual.contains("FILE::GROUP"), "{manual}");

    assert_eq!(run(&["help", "convert"]).good(), run(&["convert", "--help"]).good());
    assert_eq!(run(&["help"]).good(), run(&["--help"]).good());
    let import = run(&["help", "fragments", "import"]).good();
    assert_eq!(import, run(&["fragments", "import", "--help"]).good());
    assert_eq!(run(&["help", "nonsense"]).code, Some(2));
}

#[test]
fn format_is_an_alias_of_to_and_of_layout() {
    let scratch = tempfile::tempdir().unwrap();
    let small = small(&scratch);
    let written = |flags: &[&str]| run(&[&["-q", "convert", &small, "-"], flags].concat()).good();
    let array = written(&["--to", "mtx", "--layout", "array"]);
    assert!(array.starts_with("%%MatrixMarket matrix array"), "{array}");
    assert_eq!(written(&["--to", "mtx", "--format", "array"]), array);
    assert_eq!(written(&["--format", "mtx", "--layout", "array"]), array);
    let target = scratch.path().join("t");
    run(&["-q", "convert", &small, text(&target), "--format", "COOR"]).good();
    assert!(run(&["info", text(&target)]).good().contains("COOR"));
    for flags in [
        &["--to", "mtx", "--format", "mtx"][..],
        &["--to", "mtx", "--layout", "array", "--format", "array"],
        &["--layout", "mtx"],
        &["--format", "triangle"],
    ] {
        let done = run(&[&["convert", &small, "-"], flags].concat());
        assert_eq!((done.code, &*done.out), (Some(2), ""), "{flags:?}: {done:?}");
        assert!(!done.err.is_empty());
    }
    // The help has only one name for each.
    let help = run(&["convert", "--help"]).good();
    assert!(help.contains("--layout <LAYOUT>") && !help.contains("--format <"), "{help}");
}

#[test]
fn validate_and_diff_distinguish_no_from_no_answer() {
    let scratch = tempfile::tempdir().unwrap();
    let small = small(&scratch);
    let write = |name: &str, content: &str| {
        let path = scratch.path().join(name);
        fs::write(&path, content).unwrap();
        text(&path).to_owned()
    };
    let other = write("other.mtx", &SMALL.replace(" 7\n", " 8\n"));
    let broken = write("broken.mtx", "%%MatrixMarket matrix coordinate integer general\n3 2 5\n");
    let unknown = write("unknown", "To be\n");
    let empty = write("empty", "");
    let missing = text(&scratch.path().join("missing")).to_owned();
    let folder = scratch.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let folder = text(&folder);
    let object = testdata().join("bpcells/matrix_rds/basic_uint.MatrixDir_reference.rds");

    // The answer is no, on standard output.
    for arguments in [
        &["validate", &broken][..],
        &["validate", &unknown],
        &["validate", &empty],
        &["validate", folder],
        &["validate", &empty, "--dialect", "spec"],
        &["validate", text(&object)],
        &["diff", &small, &other],
    ] {
        let done = run(arguments);
        assert_eq!((done.code, &*done.err), (Some(1), ""), "{arguments:?}: {done:?}");
        assert_eq!(done.out.lines().count(), 1, "{arguments:?}: {done:?}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&run(&["validate", "--json", &unknown]).out).unwrap();
    assert_eq!(json["valid"], false);
    assert_eq!(json["findings"][0]["place"], unknown);

    // There is no answer.
    for arguments in [
        &["validate", &missing][..],
        &["validate", &missing, "--dialect", "spec"],
        &["validate", "-", "--dialect", "spec"],
        &["validate", text(scratch.path())],
        &["diff", &small, &missing],
        &["diff", &missing, &small],
        &["diff", &small, &broken],
        &["diff", &unknown, &small],
        &["diff", &small, folder],
    ] {
        let done = run(arguments);
        assert_eq!((done.code, &*done.out), (Some(2), ""), "{arguments:?}: {done:?}");
        assert!(done.err.starts_with("nnz: "), "{arguments:?}: {done:?}");
    }
    // Other verbs use 1.
    for place in [&missing, &unknown] {
        run(&["info", place]).refused();
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let closed = write("closed.mtx", SMALL);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
        // Unless the tests may read everything.
        if fs::File::open(&closed).is_err() {
            assert_eq!(run(&["validate", &closed]).code, Some(2));
            assert_eq!(run(&["diff", &small, &closed]).code, Some(2));
        }
    }
}

#[test]
fn all_verbs_have_help_with_an_example() {
    let general = run(&["--help"]).good();
    let verbs = [
        "info",
        "cat",
        "names",
        "convert",
        "transpose",
        "slice",
        "concat",
        "validate",
        "diff",
        "stats",
        "completions",
        "man",
        "help",
    ];
    for verb in verbs {
        assert!(general.contains(&format!("\n  {verb} ")), "{general}");
        for flag in ["-h", "--help"] {
            let help = run(&[verb, flag]).good();
            let example = help.split_once("Example").map(|(_, rest)| rest).unwrap_or_default();
            assert!(example.contains(&format!("nnz {verb} ")), "{help}");
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        }
    }
    let statuses = general.split_once("Exit status:\n").unwrap().1;
    let listed: Vec<&str> = statuses
        .lines()
        .map_while(|line| line.strip_prefix("  "))
        // Long lines continue below their text.
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(listed, ["0", "1", "2", "129", "130", "143"]);
    for cause in ["SIGHUP", "SIGINT", "SIGTERM", "closed early"] {
        assert!(statuses.contains(cause), "{statuses}");
    }
    assert!(run(&["--version"]).good().starts_with("nnz "));
}

#[test]
fn no_color_takes_precedence_over_forced_colors() {
    let help = |name: &str| finish(command().args(["cat", "--help"]).env(name, "1"));
    assert!(!help("NO_COLOR").out.contains('\x1b'));
    let both = finish(command().arg("--help").env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1"));
    assert!(!both.out.contains('\x1b'));
    let error = finish(command().arg("nonsense").env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1"));
    assert_eq!(error.code, Some(2));
    assert!(!error.err.contains('\x1b'));
}

#[test]
fn pipes_get_no_escape_sequences() {
    let scratch = tempfile::tempdir().unwrap();
    let small = small(&scratch);
    let target = scratch.path().join("t.bpcells");
    let done = run(&["convert", &small, text(&target)]);
    assert_eq!(done.code, Some(0));
    assert!(!done.err.contains('\x1b') && !done.err.contains('\r'), "{done:?}");
}

#[test]
fn convert_prints_a_summary_unless_quiet() {
    let scratch = tempfile::tempdir().unwrap();
    let small = small(&scratch);
    let target = scratch.path().join("t.bpcells");
    let done = run(&["convert", &small, text(&target)]);
    assert_eq!((done.code, &*done.out), (Some(0), ""));
    for part in ["3 rows, 2 columns, 2 entries", "times the size)", " s, ", "entries/s"] {
        assert!(done.err.contains(part), "{part}: {}", done.err);
    }
    assert_eq!(run(&["convert", "--quiet", "--force", &small, text(&target)]).good(), "");
    assert_eq!(run(&["cat", text(&target)]).good(), SMALL_ENTRIES);
}

#[test]
fn targets_are_replaced_only_with_force() {
    let scratch = tempfile::tempdir().unwrap();
    let source = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    let other = testdata().join("bpcells/matrix_dir/one_uint.packed.col");
    for name in ["t.bpcells", "t.mtx", "t.mtx.gz"] {
        let target = scratch.path().join(name);
        run(&["-q", "convert", text(&other), text(&target)]).good();
        let before = content(&target);

        let message = run(&["convert", text(&source), text(&target)]).refused();
        assert!(message.contains(text(&target)) && message.contains("--force"), "{message}");
        assert_eq!(content(&target), before);

        run(&["-q", "convert", "--force", text(&source), text(&target)]).good();
        assert_ne!(content(&target), before);
        assert_eq!(
            run(&["cat", text(&target)]).good(),
            run(&["cat", text(&source)]).good(),
            "{name}"
        );
    }
    assert_eq!(names_in(scratch.path()), ["t.bpcells", "t.mtx", "t.mtx.gz"]);
}

#[test]
fn force_does_not_replace_other_directories() {
    let scratch = tempfile::tempdir().unwrap();
    let small = small(&scratch);
    let folder = scratch.path().join("thesis.bpcells");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("chapter1.tex"), "years of work").unwrap();
    let before = content(&folder);
    for target in [&folder, &scratch.path().join("thesis.bpcells/")] {
        let message = run(&["convert", "--force", &small, text(target)]).refused();
        assert!(message.contains("chapter1.tex"), "{message}");
    }
    // A file does not replace a directory, either.
    let plain = scratch.path().join("thesis");
    fs::create_dir(&plain).unwrap();
    let message = run(&["convert", "--force", "--to", "mtx", &small, text(&plain)]).refused();
    assert!(message.contains("directory"), "{message}");
    assert_eq!(content(&folder), before);
}

#[test]
fn the_source_can_be_the_target() {
    let scratch = tempfile::tempdir().unwrap();
    let store = scratch.path().join("m.bpcells");
    let source = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    run(&["-q", "convert", text(&source), text(&store)]).good();
    let entries = run(&["cat", text(&store)]).good();
    run(&["-q", "convert", "--force", "--unpacked", text(&store), text(&store)]).good();
    assert_eq!(run(&["cat", text(&store)]).good(), entries);
    let version = fs::read_to_string(store.join("version")).unwrap();
    assert_eq!(version, "unpacked-uint-matrix-v2\n");
    run(&["-q", "convert", "--force", "--order", "row", text(&store), text(&store)]).good();
    let mut rows: Vec<_> = entries.lines().map(str::to_owned).collect();
    let key = |line: &String| {
        let mut fields = line.split('\t').map(|field| field.parse::<u64>().unwrap());
        (fields.next(), fields.next())
    };
    rows.sort_by_key(key);
    let found = run(&["cat", text(&store)]).good();
    assert_eq!(found.lines().collect::<Vec<_>>(), rows);
    assert_eq!(names_in(scratch.path()), ["m.bpcells"]);
}

#[test]
fn dash_is_standard_input_and_output_for_text() {
    let scratch = tempfile::tempdir().unwrap();
    let small = small(&scratch);
    assert_eq!(run_with_input(&["cat", "-"], SMALL.as_bytes()).good(), SMALL_ENTRIES);
    assert_eq!(run_with_input(&["validate", "-"], SMALL.as_bytes()).good(), "");
    assert!(run_with_input(&["info", "-"], SMALL.as_bytes()).good().contains("Matrix Market"));

    let store = scratch.path().join("m.bpcells");
    let done = run_with_input(&["-q", "convert", "-", text(&store)], SMALL.as_bytes());
    assert_eq!(done.good(), "");
    assert_eq!(run(&["cat", text(&store)]).good(), SMALL_ENTRIES);

    // Standard output gets the content of a file.
    let file = scratch.path().join("back.mtx");
    run(&["-q", "convert", text(&store), text(&file)]).good();
    let out = run(&["convert", text(&store), "-"]);
    assert_eq!(out.code, Some(0));
    assert_eq!(out.out, fs::read_to_string(&file).unwrap());
    assert!(out.err.contains("2 entries"), "{out:?}");

    // Gzip is detected by its first bytes.
    let zipped = scratch.path().join("back.mtx.gz");
    run(&["-q", "convert", &small, text(&zipped)]).good();
    let bytes = fs::read(&zipped).unwrap();
    assert!(bytes.starts_with(b"\x1f\x8b"));
    assert_eq!(run_with_input(&["cat", "-"], &bytes).good(), SMALL_ENTRIES);

    // Errors in broken and truncated texts have the line.
    let broken = SMALL.replace("3 2 7", "3 9 7");
    let message = run_with_input(&["cat", "-"], broken.as_bytes()).refused();
    assert!(message.starts_with("nnz: standard input: line 4, column 3: "), "{message}");
    let message = run_with_input(&["convert", "-", "-"], &SMALL.as_bytes()[..60]).refused();
    assert!(message.contains("standard input: line "), "{message}");
    let message = run_with_input(&["convert", "-", "-"], b"").refused();
    assert!(message.contains("standard input: line 1, column 1"), "{message}");
    let message = run_with_input(&["cat", "-"], b"gene,x\ng1,1\n").refused();
    assert!(
        message.contains("expected %%MatrixMarket; --from csv, or another format"),
        "{message}"
    );
}

#[test]
fn closed_pipes_are_silent() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("long.mtx");
    let mut long = "%%MatrixMarket matrix coordinate pattern general\n100000 2 200000\n".to_owned();
    for col in 1..=2 {
        (1..=100_000).for_each(|row| long += &format!("{row} {col}\n"));
    }
    fs::write(&path, long).unwrap();
    for arguments in [&["cat", text(&path)][..], &["convert", text(&path), "-"]] {
        let mut child = command()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        assert!(first == "0\t0\t1\n" || first.starts_with("%%MatrixMarket"), "{first}");
        drop(out);
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert_eq!((child.wait().unwrap().code(), &*message), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn full_disks_at_standard_output_are_errors() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full");
    if full().is_err() {
        println!("skipped: there is no /dev/full here");
        return;
    }
    let store = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    let store = text(&store);
    for arguments in [
        &["cat", store][..],
        &["names", store, "rows"],
        &["info", store],
        &["info", "--json", store],
        &["validate", "--json", store],
        &["convert", store, "-"],
    ] {
        let mut command = command();
        command.args(arguments).stdout(full().unwrap()).stderr(Stdio::piped());
        let done = command.spawn().unwrap().wait_with_output().unwrap();
        let message = String::from_utf8(done.stderr).unwrap();
        let status = status_of_errors(arguments[0]);
        assert_eq!(done.status.code(), Some(status), "{arguments:?}: {message}");
        assert!(
            message.contains("standard output") && message.contains("no space left"),
            "{message}"
        );
    }
}

#[test]
fn values_that_do_not_fit_are_reported_with_position_and_type() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("m.mtx");
    let target = scratch.path().join("t.bpcells");
    for (field, value, message) in [
        ("integer", "-1", "-1 cannot be stored exactly as uint32"),
        ("integer", "4294967296", "4294967296 cannot be stored exactly as uint32"),
        ("real", "2.7", "2.7 cannot be stored exactly as uint32"),
        ("real", "-0.0", "-0.0 cannot be stored exactly as uint32"),
        ("real", "nan", "nan cannot be stored exactly as uint32"),
    ] {
        let banner = format!("%%MatrixMarket matrix coordinate {field} general");
        fs::write(&path, format!("{banner}\n9 9 2\n1 1 3\n5 8 {value}\n")).unwrap();
        let stderr = run(&["convert", "--type", "uint", text(&path), text(&target)]).refused();
        assert!(stderr.contains(message), "{stderr}");
        assert!(stderr.contains("entry (row 4, column 7)"), "{stderr}");
        assert!(stderr.contains("can store it"), "{stderr}");
        assert!(stderr.contains(text(&path)), "{stderr}");
        assert_eq!(names_in(scratch.path()), ["m.mtx"]);
        run(&["-q", "convert", "--force", "--type", "double", text(&path), text(&target)]).good();
        fs::remove_dir_all(&target).unwrap();
    }
}

#[test]
fn the_example_of_the_readme_round_trips_through_bpcells() {
    let folder = testdata().join("../examples/pbmc_10x_v3_mtx");
    let scratch = tempfile::tempdir().unwrap();
    let store = scratch.path().join("pbmc.bpcells");
    let back = scratch.path().join("back.mtx.gz");
    run(&["-q", "convert", text(&folder), text(&store)]).good();
    assert_eq!(run(&["validate", "--notes", text(&store)]).good(), "");
    run(&["-q", "convert", text(&store), text(&back)]).good();
    // Cell Ranger lists the rows of each column in descending order; stores are ascending.
    let key = |line: &&str| {
        let mut fields = line.split('\t').map(|field| field.parse::<u64>().unwrap());
        let row = fields.next();
        (fields.next(), row)
    };
    let entries = run(&["cat", text(&folder)]).good();
    let mut entries: Vec<_> = entries.lines().collect();
    assert!(entries.len() > 10_000);
    entries.sort_by_key(key);
    for place in [&store, &back] {
        assert!(run(&["cat", text(place)]).good().lines().eq(entries.iter().copied()));
    }
    for axis in ["rows", "cols"] {
        let names = run(&["names", text(&folder), axis]).good();
        assert!(names == run(&["names", text(&store), axis]).good());
    }
    // Matrix Market does not support names, which is an error with --strict.
    let strict = scratch.path().join("strict.mtx");
    let message = run(&["convert", "--strict", text(&store), text(&strict)]).refused();
    assert!(message.contains("row names"), "{message}");
    assert!(!strict.exists());
}

#[test]
#[cfg(unix)]
fn signals_end_with_the_statuses_that_the_help_lists() {
    let scratch = tempfile::tempdir().unwrap();
    for (signal, status) in [
        (rustix::process::Signal::HUP, 129),
        (rustix::process::Signal::INT, 130),
        (rustix::process::Signal::TERM, 143),
    ] {
        let target = scratch.path().join("t.bpcells");
        let (mut child, _input) = waiting(&["convert", "-", text(&target)]);
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status));
        assert_eq!(names_in(scratch.path()), [""; 0]);
    }
}

/// Starts a command, and returns once it has read from standard input.
fn waiting(arguments: &[&str]) -> (std::process::Child, std::process::ChildStdin) {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than the size of a pipe: after it is written, most of it has been read.
    input.write_all(SMALL.lines().next().unwrap().as_bytes()).unwrap();
    input.write_all(b"\n").unwrap();
    input.write_all(&b"% comment\n".repeat(20_000)).unwrap();
    (child, input)
}

#[test]
fn the_hint_on_force_is_not_given_with_force() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["t.bpcells", "t.mtx"] {
        let target = scratch.path().join(name);
        let (child, mut input) = waiting(&["convert", "--force", "-", text(&target)]);
        input.write_all(b"3 2 2\n1 1 5\n").unwrap();
        // The target did not exist when the first command started, and does when it commits.
        let store = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
        run(&["-q", "convert", text(&store), text(&target)]).good();
        let before = content(&target);
        input.write_all(b"3 2 7\n").unwrap();
        drop(input);
        let done = child.wait_with_output().unwrap();
        let message = String::from_utf8(done.stderr).unwrap();
        match done.status.code() {
            Some(0) => assert_eq!(run(&["cat", text(&target)]).good(), SMALL_ENTRIES),
            Some(1) => {
                assert!(!message.contains("--force"), "{message}");
                assert!(
                    message.contains("another process created it in the meantime"),
                    "{message}"
                );
                assert_eq!(content(&target), before);
            }
            other => panic!("{other:?}: {message}"),
        }
    }
}

#[test]
fn failing_standard_error_does_not_change_the_status() {
    let dir = tempfile::tempdir().unwrap();
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let missing = command().args(["cat", "no such file"]).stderr(full()).status().unwrap();
    assert_eq!(missing.code(), Some(1));
    let example = testdata().join("../examples/pbmc_10x_v3_mtx");
    let target = dir.path().join("pbmc.bpcells");
    let arguments = ["convert", text(&example), text(&target)];
    let done = command().args(arguments).stderr(full()).status().unwrap();
    assert_eq!(done.code(), Some(0));
    assert!(target.join("version").exists());
}

#[test]
fn formats_lists_all_formats() {
    let listed = run(&["formats"]).good();
    assert!(
        listed.contains("\nbinsparse          matrix tensor  matrix tensor  .bsp.h5"),
        "{listed}"
    );
    assert!(run(&["help", "formats"]).good().contains(&listed));
    let json: serde_json::Value =
        serde_json::from_str(&run(&["formats", "--json"]).good()).unwrap();
    let formats = json["formats"].as_array().unwrap();
    let named = |name: &str| formats.iter().find(|format| format["name"] == name).unwrap();
    assert_eq!(named("daphne")["reads"], serde_json::json!(["matrix", "table"]));
    assert_eq!(named("10x")["writes"], serde_json::json!(["matrix"]));
    assert_eq!(named("mtx")["extensions"], serde_json::json!([".mtx", ".mtx.gz"]));
    assert_eq!(named("bpcells-fragments")["reads"], serde_json::json!(["fragments"]));
    for format in formats {
        assert!(listed.contains(format["summary"].as_str().unwrap()), "{format}");
    }
}

/// The README has the table of the command.
#[test]
fn the_readme_lists_the_formats() {
    let json: serde_json::Value =
        serde_json::from_str(&run(&["formats", "--json"]).good()).unwrap();
    let mut table =
        String::from("| `--to` | what | read | written | extensions |\n|---|---|---|---|---|\n");
    for format in json["formats"].as_array().unwrap() {
        let list = |key: &str| {
            let items = format[key].as_array().unwrap().iter();
            items.map(|item| item.as_str().unwrap()).collect::<Vec<_>>().join(", ")
        };
        let name = format["name"].as_str().unwrap();
        let is_target = ["matrix", "collection"].iter().any(|kind| list("writes").contains(kind));
        let name = if is_target { format!("`{name}`") } else { String::new() };
        let summary = format["summary"].as_str().unwrap();
        // `.mtx[.gz]` is short for two.
        let extensions = list("extensions");
        let all: Vec<&str> = extensions.split(", ").collect();
        let plain =
            all.iter().filter(|one| !one.strip_suffix(".gz").is_some_and(|of| all.contains(&of)));
        let short = plain.map(|one| match all.contains(&&*format!("{one}.gz")) {
            true => format!("{one}[.gz]"),
            false => (*one).to_owned(),
        });
        let (reads, writes) = (list("reads"), list("writes"));
        let extensions = short.collect::<Vec<_>>().join(", ");
        table += &format!("| {name} | {summary} | {reads} | {writes} | {extensions} |\n");
    }
    let readme = fs::read_to_string(testdata().join("../README.md")).unwrap();
    let (_, rest) = readme.split_once("<!-- formats -->\n").unwrap();
    let (written, _) = rest.split_once("<!-- /formats -->").unwrap();
    assert_eq!(written, table, "put this table into README.md:\n{table}");
}

/// The format of a source can be given.
#[test]
fn the_format_of_a_source_is_detected_or_given() {
    let tenx = testdata().join("tenx/h5/cr3_gex.h5");
    let tenx = text(&tenx);
    let entries = run(&["cat", tenx]).good();
    assert_eq!(run(&["cat", tenx, "--from", "10x"]).good(), entries);
    let names = run(&["names", tenx, "rows"]).good();
    assert_eq!(run(&["names", tenx, "rows", "--from", "10x"]).good(), names);
    run(&["validate", tenx, "--from", "10x"]).good();
    let info = run(&["info", tenx, "--from", "10x"]).good();
    assert!(info.contains("10x HDF5") && info.contains("features"), "{info}");
    for wrong in ["scipy", "npy", "mtx", "dgCMatrix", "binsparse"] {
        let done = run(&["cat", tenx, "--from", wrong]);
        assert_eq!(done.code, Some(1), "{wrong}: {done:?}");
    }
    assert_eq!(run(&["cat", tenx, "--from", "10y"]).code, Some(2));
}

#[test]
fn names_and_annotations_of_tensors_and_frames_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let tensor = testdata().join("scipy/npz/scipy1.18.1/coo_array_3d.npz");
    let frame = testdata().join("daphne/frame_dup_labels.dbdf");
    for (source, target, code) in [(&tensor, "t.bsp.npz", 1), (&frame, "t.csv", 2)] {
        let target = scratch.path().join(target);
        let arguments = ["convert", text(source), text(&target)];
        let labels = [&["--row-names", "name"][..], &["--make-unique"]];
        for labels in labels {
            let found = run(&[&arguments, labels].concat());
            assert_eq!(found.code, Some(code), "{labels:?}: {found:?}");
            assert!(!target.exists(), "{labels:?}");
        }
        assert_eq!(run(&arguments).code, Some(0));
    }
}

#[test]
fn shells_complete_values_and_short_help_is_short() {
    for shell in ["bash", "zsh", "fish"] {
        // A colon means something to zsh.
        let script = run(&["completions", shell]).good().replace("\\:", ":");
        for value in ["binsparse", "gzip:6", "locations"] {
            assert!(script.contains(value), "{shell}: {value}");
        }
    }
    let [short, long] = ["-h", "--help"].map(|flag| run(&["convert", flag]).good());
    assert!(long.contains("--format-version") && !short.contains("--format-version"), "{short}");
    assert!(short.find("Examples:") < short.find("Options:"), "{short}");
    assert!(short.lines().count() < 130, "{}", short.lines().count());
}
