//! Sources that can be read only once: standard input and pipes.

use nnz_testing::command::run_with_input;

#[test]
fn formats_that_are_read_from_files_only_say_so() {
    for format in
        ["scipy", "loom", "anndata", "10x", "bpcells", "binsparse", "matlab", "npy", "dgCMatrix"]
    {
        for verb in ["info", "head", "validate"] {
            let done = run_with_input(&[verb, "--from", format, "-"], b"PK\x03\x04");
            assert!(matches!(done.code, Some(1 | 2)), "{format}: {done:?}");
            let says = format!("{}{}", done.out, done.err);
            let expected = format!("standard input: {format} is read from files only");
            assert!(says.contains(&expected), "{verb}: {says}");
        }
    }
    for (format, text) in [("svmlight", "1 1:2\n"), ("edges", "0 1\n"), ("csv", "r,a\nx,1\n")] {
        let done = run_with_input(&["cat", "--from", format, "-"], text.as_bytes());
        assert_eq!(done.code, Some(0), "{format}: {done:?}");
        // It is read once, so that a fault in it is found.
        run_with_input(&["validate", "--from", format, "-"], text.as_bytes()).good();
        let text = text.replace(['1', '2'], "?");
        let done = run_with_input(&["validate", "--from", format, "-"], text.as_bytes());
        assert!(done.code == Some(1) && done.out.contains("standard input: line "), "{done:?}");
    }
}

#[test]
fn a_report_needs_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let text = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1\n";
    let page_name = nnz_testing::command::text(&page);
    for (format, text) in [("matrix-market", text), ("edges", "0 1\n")] {
        let words = ["report", "--from", format, "-", page_name];
        let done = run_with_input(&words, text.as_bytes());
        let says = "which standard input does not allow; write it to a file first";
        assert!(done.code == Some(2) && done.err.contains(says), "{done:?}");
        assert!(!page.exists());
    }
}

/// Opening a pipe again waits for another writer.
#[test]
#[cfg(unix)]
fn a_pipe_is_opened_once() {
    use std::time::{Duration, Instant};

    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("edges.el");
    let pipe_name = nnz_testing::command::text(&pipe).to_owned();
    let mut mkfifo = std::process::Command::new("mkfifo");
    assert!(mkfifo.arg(&pipe).status().unwrap().success());
    for verb in ["info", "head", "cat", "stats", "validate"] {
        for (text, faulty) in [("0 1\n0 x\n", true), ("0 1\n", false)] {
            let at = pipe.clone();
            let writer = std::thread::spawn(move || std::fs::write(at, text));
            let mut child = nnz_testing::command::command()
                .args([verb, "--from", "edges", &pipe_name])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            let started = Instant::now();
            let status = loop {
                match child.try_wait().unwrap() {
                    Some(status) => break status,
                    None if started.elapsed() > Duration::from_secs(60) => {
                        child.kill().unwrap();
                        panic!("{verb} waits");
                    }
                    None => std::thread::sleep(Duration::from_millis(5)),
                }
            };
            assert_eq!(status.success(), !faulty, "{verb}");
            writer.join().unwrap().unwrap();
        }
    }
}
