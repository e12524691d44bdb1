//! Terminals get no control characters from files or arguments; files and pipes get all bytes.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nnz_testing::command::{command, program, text};
use nnz_testing::npy::binsparse;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

/// A color, a window title, a carriage return, a C1 control in UTF-8, and right-to-left text.
const HOSTILE: &str = "x\x1b[31m\x1b]0;owned\x07\u{9b}1m\u{202e}y";

/// The escaped form.
const SHOWN: &str = "x\\u{1b}[31m\\u{1b}]0;owned\\u{7}\\u{9b}1m\\u{202e}y";

/// Runs a command on a terminal. Returns its status and output.
fn on_terminal(command: &mut Command) -> (Option<i32>, Vec<u8>) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let open = || {
        let path = Path::new(OsStr::from_bytes(name.as_bytes()));
        File::options().read(true).write(true).open(path).unwrap()
    };
    let terminal = open();
    command.env("TERM", "dumb").env("NO_COLOR", "1");
    let mut child = command.stdout(open()).stderr(open()).spawn().unwrap();
    // Only the child keeps the terminal open, so that reading ends with it.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    drop(terminal);
    let (mut output, mut buffer) = (Vec::new(), [0; 4096]);
    let mut controller = File::from(controller);
    // Linux reports an error when the terminal is closed.
    while let Ok(read @ 1..) = controller.read(&mut buffer) {
        output.extend_from_slice(&buffer[..read]);
    }
    let status = child.wait().unwrap();
    // The terminal adds carriage returns.
    let output = output.split(|byte| *byte == b'\n');
    let lines = output.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    (status.code(), lines.collect::<Vec<_>>().join(&b'\n'))
}

/// Expects text without effect on a terminal.
#[track_caller]
fn assert_harmless(output: &[u8]) -> String {
    let text = std::str::from_utf8(output).expect("UTF-8").to_owned();
    let acting = text.chars().find(|c| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    });
    assert_eq!(acting, None, "{text:?}");
    text
}

fn piped(command: &mut Command) -> Vec<u8> {
    command.output().unwrap().stdout
}

struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        text(&self.path(name)).to_owned()
    }

    fn made(&self, name: &str, arguments: &[&str]) -> String {
        let path = text(&self.path(name)).to_owned();
        let arguments = arguments.iter().map(|argument| argument.replace("TARGET", &path));
        let done = command().arg("-q").args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        path
    }

    fn mtx(&self, name: &str) -> String {
        let content = "%%MatrixMarket matrix coordinate integer general\n2 1 1\n1 1 5\n";
        self.write(name, content)
    }

    /// A 10x folder with a hostile name of a row.
    fn folder(&self) -> String {
        let folder = self.path("folder");
        fs::create_dir(&folder).unwrap();
        self.mtx("folder/matrix.mtx");
        self.write("folder/barcodes.tsv", "cell\n");
        self.write("folder/features.tsv", format!("id0\t{HOSTILE}\n{HOSTILE}\tb\n"));
        text(&folder).to_owned()
    }

    /// An HDF5 file with two groups, one of them with a hostile name.
    fn groups(&self) -> String {
        let mtx = self.mtx("m.mtx");
        let file = self.path("groups.h5");
        for group in [HOSTILE, "b"] {
            let target = format!("{}::{group}", text(&file));
            self.made("", &["convert", &mtx, &target, "--to", "bpcells"]);
        }
        text(&file).to_owned()
    }

    fn fragments(&self) -> String {
        let list = self.write("list.tsv", "chr1\t5\t9\ta\nchr2\t1\t2\tb\n");
        let store = self.made("f.fragments", &["fragments", "import", &list, "TARGET"]);
        // Text with control characters is refused; a store can have them.
        self.write("f.fragments/chr_names", format!("chr1\n{HOSTILE}\n"));
        self.write("f.fragments/cell_names", format!("a\n{HOSTILE}\n"));
        store
    }
}

#[test]
fn names_are_escaped_on_terminals_and_unchanged_in_pipes() {
    let files = Files::new();
    let folder = files.folder();
    let store = files.made("store.bpcells", &["convert", &folder, "TARGET"]);
    let fragments = files.fragments();
    let csv = files.write("people.csv", format!("a,{HOSTILE}\n1,2\n"));
    let frame = files.made("people.dbdf", &["convert", &csv, "TARGET"]);
    let mut comment = b"%%MatrixMarket matrix coordinate integer general\n%".to_vec();
    comment.extend(HOSTILE.as_bytes());
    comment.extend(b"\n2 1 1\n1 1 5\n");
    let commented = files.write("commented.mtx", comment);
    for arguments in [
        &["names", &store, "rows"][..],
        &["names", &folder, "rows"],
        &["stats", &store, "--axis", "rows"],
        &["names", &frame, "cols"],
        &["convert", &frame, "-"],
        &["convert", &commented, "-", "-q"],
        &["cat", &fragments],
        &["names", &fragments, "cells"],
        &["names", &fragments, "chromosomes"],
        &["fragments", "query", &fragments, HOSTILE],
    ] {
        let (status, output) = on_terminal(command().args(arguments));
        let shown = assert_harmless(&output);
        assert_eq!(status, Some(0), "{arguments:?}: {shown}");
        assert!(shown.contains(SHOWN), "{arguments:?}: {shown}");
        let piped = String::from_utf8(piped(command().args(arguments))).unwrap();
        assert!(piped.contains(HOSTILE), "{arguments:?}: {piped}");
        // A file is not a terminal, either.
        let file = files.path("out");
        let done = command().args(arguments).stdout(File::create(&file).unwrap()).output().unwrap();
        assert!(done.status.success());
        assert_eq!(fs::read(&file).unwrap(), piped.as_bytes(), "{arguments:?}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_escaped_on_a_terminal() {
    let files = Files::new();
    // 9B is the control sequence introducer of terminals with 8-bit characters.
    let list = files.write("list.tsv", b"chr1\t5\t9\tcell\x9b31m\n");
    let store = files.made("f.fragments", &["fragments", "import", &list, "TARGET"]);
    let (_, output) = on_terminal(command().args(["names", &store, "cells"]));
    assert_eq!(assert_harmless(&output), "cell\\x9b31m\n");
    assert_eq!(piped(command().args(["names", &store, "cells"])), b"cell\x9b31m\n");
}

#[test]
fn messages_are_escaped_everywhere() {
    let files = Files::new();
    let groups = files.groups();
    let small = files.mtx("small.mtx");
    let target = text(&files.path("t.mtx")).to_owned();
    let folder = files.folder();
    let store = files.made("noted.bpcells", &["convert", &folder, "TARGET"]);
    // A file that does not belong to a store.
    fs::write(Path::new(&store).join(HOSTILE), "").unwrap();
    let missing = text(&files.path(HOSTILE)).to_owned();
    let missing_group = format!("{groups}::{HOSTILE}no");
    let about = json!({"version": HOSTILE, "format": HOSTILE, "shape": [2, 2],
        "number_of_stored_values": 1, "data_types": {"values": HOSTILE}});
    let broken = binsparse(&files.path("broken"), about, &[("values", &[5])]);
    let fragments = files.fragments();
    let csv = files.write("frame.csv", format!("a,{HOSTILE}\n1,2\n"));
    let frame = files.made("frame.dbdf", &["convert", &csv, "TARGET"]);
    let bad = files.write("bad.mtx", format!("%%MatrixMarket matrix {HOSTILE}\n"));
    for arguments in [
        &["info", &groups][..],
        &["diff", &groups, &small],
        &["cat", &missing],
        &["cat", &missing_group],
        &["info", &frame],
        &["info", &broken],
        &["validate", &broken],
        &["validate", "--notes", &store],
        &["cat", &bad],
        &["slice", &store, &target, "--rows", HOSTILE, "--cols", HOSTILE],
        &["convert", &small, &missing],
        &["fragments", "query", &fragments, &format!("{HOSTILE}no")],
        // Usage errors repeat arguments.
        &["cat", &small, "--rows", HOSTILE],
        &["cat", &small, "--memory", HOSTILE],
        &["convert", &small, &target, "--to", HOSTILE],
        &["convert", &small, &target, "--compress", "a\nerror: b"],
        &["convert", &small, &target, "--order", HOSTILE],
        &["cat", &small, HOSTILE],
        &["cat", &small, &format!("--{HOSTILE}")],
        &[HOSTILE],
    ] {
        // Also in a file, which may be shown later.
        let done = command().args(arguments).output().unwrap();
        let message = assert_harmless(&[done.stdout, done.stderr].concat());
        assert!(
            message.contains("\\u{") || message.contains("a\\nerror"),
            "{arguments:?}: {message}"
        );
        let (status, output) = on_terminal(command().args(arguments));
        assert_eq!(assert_harmless(&output), message, "{arguments:?}");
        assert_eq!(status, done.status.code());
    }
    // Each of several groups is listed on its own line, as it can be typed.
    let message = command().args(["cat", &groups]).output().unwrap().stderr;
    let message = String::from_utf8(message).unwrap();
    assert_eq!(message.lines().count(), 3, "{message}");
    // A summary has paths.
    let done = command().args(["convert", &small, &format!("{missing}.mtx")]).output().unwrap();
    assert!(done.status.success());
    assert!(assert_harmless(&done.stderr).contains(SHOWN));
}

#[test]
fn json_on_terminals_is_valid_and_equal() {
    let files = Files::new();
    let csv = files.write("frame.csv", format!("a,{HOSTILE}\n1,2\n"));
    let frame = files.made("frame.dbdf", &["convert", &csv, "TARGET"]);
    let store = files.made("store.bpcells", &["convert", &files.folder(), "TARGET"]);
    fs::write(Path::new(&store).join(HOSTILE), "").unwrap();
    for arguments in [&["info", "--json", &frame][..], &["validate", "--json", &store]] {
        let (_, output) = on_terminal(command().args(arguments));
        let shown = assert_harmless(&output);
        let piped = piped(command().args(arguments));
        let value: Value = serde_json::from_slice(&piped).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
    let (_, output) = on_terminal(command().args(["info", "--json", &frame]));
    let value: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(value["columns"][1]["label"], HOSTILE);
}

#[test]
fn the_tools_escape_as_well() {
    let files = Files::new();
    let small = files.mtx("small.mtx");
    let missing = text(&files.path(HOSTILE)).to_owned();
    let about = json!({"format": "COOR", "shape": [2, 2], "number_of_stored_values": 1,
        "data_types": {}});
    let arrays = [("indices_0", &[0][..]), ("indices_1", &[0]), ("values", &[5])];
    let folder = binsparse(&files.path("keyed.bsp"), about, &arrays);
    let described = Path::new(&folder).join("binsparse.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&described).unwrap()).unwrap();
    value[HOSTILE] = json!("mine");
    fs::write(&described, value.to_string()).unwrap();
    let out = text(&files.path("out.mtx")).to_owned();
    for (name, arguments) in [
        ("bsp-ls", &[&*folder][..]),
        ("bsp-ls", &[&missing]),
        ("bsp2mtx", &[&folder, &out]),
        ("mtx2bsp", &[&missing, "t.bsp"]),
        ("mtx2bsp", &[&small, "t.bsp", HOSTILE]),
        ("mtx2bsp", &[&small, HOSTILE]),
        ("check_equivalence", &[&missing, &small]),
        ("check_equivalence", &[&small, &small, HOSTILE]),
        ("binsparse_to_binsparse", &[&missing, "t.bsp"]),
        ("binsparse_to_npy", &[&missing, "a.npy", "b.npy", "c.npy"]),
        ("npy_to_binsparse", &[&missing, &missing, &missing, &missing, "t.bsp"]),
    ] {
        let done = Command::new(program(name)).args(arguments).output().unwrap();
        let message = assert_harmless(&[done.stdout, done.stderr].concat());
        assert!(message.contains("\\u{1b}"), "{name} {arguments:?}: {message}");
        let (_, output) = on_terminal(Command::new(program(name)).args(arguments));
        assert_eq!(assert_harmless(&output), message, "{name} {arguments:?}");
    }
}

#[test]
fn paths_that_are_not_utf8_are_shown_with_their_bytes() {
    let path = std::ffi::OsString::from_vec(b"/no/such/q\xff\x9b.mtx".to_vec());
    let done = command().arg("cat").arg(&path).output().unwrap();
    let message = assert_harmless(&done.stderr);
    assert_eq!(message, "nnz: \"/no/such/q\\xFF\\x9B.mtx\": no such file or directory\n");
}
