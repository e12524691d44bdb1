//! Sources on a server.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nnz_testing::command::{Run, command, finish, testdata, text};
use nnz_testing::server::{Behavior, Server, WrongAnswer};

const STORE: &str = "bpcells/matrix_dir/basic_uint.packed.col";

/// The command with nothing of the user's own: neither files nor variables.
fn clean() -> Command {
    let mut command = command();
    let names = std::env::vars_os().map(|(name, _)| name);
    let is_own = |name: &std::ffi::OsString| {
        let name = name.to_string_lossy().to_ascii_uppercase();
        ["AWS_", "GOOGLE_", "AZURE_"].iter().any(|prefix| name.starts_with(prefix))
            || name.ends_with("_PROXY")
    };
    for name in names.filter(is_own) {
        command.env_remove(name);
    }
    command.env("HOME", "/nonexistent");
    command
}

/// Runs the command with options of S3 on a server.
fn on_s3(server: &Server, arguments: &[&str]) -> Run {
    let endpoint = format!("endpoint={}", server.endpoint());
    let options = ["--storage-option", &endpoint, "--storage-option", "region=x"];
    finish(clean().args(arguments).args(options))
}

/// Leaves out the line of `info` that is not determined for URLs, as it takes requests.
fn without_profile(printed: &str) -> String {
    printed.split_inclusive('\n').filter(|line| !line.starts_with("nnz per")).collect()
}

#[test]
fn urls_are_read_as_files_are() {
    let server = Server::new(&testdata());
    let local = testdata().join(STORE);
    let url = server.url(STORE);
    for verb in ["info", "cat"] {
        let expected = finish(clean().args([verb, text(&local)])).good();
        let expected = without_profile(&expected);
        let found = finish(clean().args([verb, &url])).good();
        assert_eq!(found.replace(&url, text(&local)), expected);
        let s3 = format!("s3://{STORE}");
        let found = on_s3(&server, &[verb, &s3]).good();
        assert_eq!(found.replace(&s3, text(&local)), expected);
    }
    let missing = finish(clean().args(["info", &server.url("bpcells/none")])).refused();
    assert!(missing.contains("no such file or directory"), "{missing}");
    let to = format!("{}.mtx", server.url(STORE));
    let target = finish(clean().args(["convert", text(&local), &to])).refused();
    assert!(target.contains("https:// and http:// are read-only"), "{target}");
}

/// A matrix whose URL has a group.
#[test]
fn a_group_is_named_before_the_query() {
    let scratch = tempfile::tempdir().unwrap();
    let local = testdata().join(STORE);
    let file = format!("{}::m/x", text(&scratch.path().join("x.h5")));
    finish(clean().args(["-q", "convert", text(&local), &file, "--to", "bpcells"])).good();
    let server = Server::new(scratch.path());
    server.set(Behavior { query: Some("a=b".to_owned()), ..Behavior::default() });
    let found = finish(clean().args(["cat", &server.url("x.h5::m/x?a=b")])).good();
    assert_eq!(found, finish(clean().args(["cat", &file])).good());
}

#[test]
fn no_secret_is_printed() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::new(&testdata());
    let query = "X-Amz-Signature=hush&X-Amz-Credential=hush";
    let url = format!("{}?{query}", server.url(STORE));
    let with_user = url.replace("http://", "http://hush:hush@");
    let none = format!("{}?{query}", server.url("bpcells/none"));
    let closed = format!("http://hush:hush@127.0.0.1:9/{STORE}?{query}");
    let (s3, no_s3) = (format!("s3://{STORE}"), "s3://bpcells/none".to_owned());
    let target = scratch.path().join("t.mtx");
    let local = testdata().join(STORE);
    let right = Behavior::default();
    let behaviors = [
        right.clone(),
        Behavior { query: Some("another".to_owned()), ..right.clone() },
        Behavior { header: Some("another: one".to_owned()), ..right.clone() },
        Behavior { wrong_answer: Some(WrongAnswer::OtherRange), ..right.clone() },
        Behavior { wrong_answer: Some(WrongAnswer::Redirect), ..right.clone() },
        Behavior { no_ranges: true, ..right.clone() },
        Behavior { pages: true, ..right.clone() },
    ];
    let endpoint = format!("endpoint={}", server.endpoint());
    for behavior in behaviors {
        server.set(behavior.clone());
        for at in [&url, &with_user, &none, &s3, &no_s3, &closed] {
            // Requests that may succeed later are retried for seconds.
            let again = *at == closed && behavior.query.is_none();
            if again || (behavior.wrong_answer.is_some() && *at != url) {
                continue;
            }
            let lines: [&[&str]; 9] = [
                &["info", at],
                &["info", "--json", at],
                &["cat", at, "--cols", "0:1"],
                &["names", at, "rows"],
                &["validate", "--json", at],
                &["validate", at],
                &["diff", "--json", at, text(&local)],
                &["stats", at],
                &["convert", "--force", at, text(&target)],
            ];
            let all = behavior.query.is_none() && behavior.header.is_none() && !behavior.pages;
            let all =
                all && behavior.wrong_answer.is_none() && !behavior.no_ranges && *at != closed;
            let lines = if all { &lines[..] } else { &lines[..1] };
            for line in lines {
                let run = finish(
                    clean()
                        .args(*line)
                        .args(["--storage-option", &endpoint, "--storage-option", "region=x"])
                        .args(["--storage-option", "secret_access_key=hush"])
                        .args(["--storage-option", "access_key_id=hush"])
                        .env("AWS_SESSION_TOKEN", "hush"),
                );
                assert!(!format!("{run:?}").contains("hush"), "{line:?}: {run:?}");
                // Checking a directory of a web server would need a list.
                let reads = line[0] != "validate" && [&url, &with_user].contains(&at);
                let reads = reads || *at == s3;
                assert!(!all || run.code == Some(0) || !reads, "{line:?}: {run:?}");
            }
        }
    }
    server.set(right);
    // Arguments that are wrong are not repeated with their secrets either.
    let lines: [&[&str]; 8] = [
        &["info", &url, &with_user],
        &["info", "--no-such-option", &url],
        &[&url],
        &["convert", &url],
        &["cat", &url, "--cols", "nonsense:"],
        &["info", &s3, "--storage-option", "hush"],
        &["info", &s3, "--storage-option", "unknown=hush"],
        &["convert", text(&local), &url],
    ];
    for line in lines {
        let run = finish(clean().args(line));
        assert!(run.code != Some(0), "{run:?}");
        assert!(!format!("{run:?}").contains("hush"), "{line:?}: {run:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_command_that_waits_for_a_server() {
    let server = Server::new(&testdata());
    server.set(Behavior { stall: true, ..Behavior::default() });
    let url = server.url(STORE);
    let command = clean().args(["info", &url]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = command.unwrap();
    let asked = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !server.take_log().is_empty()
    });
    assert!(asked);
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let started = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
