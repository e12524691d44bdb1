//! Completions and man pages.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use nnz_testing::command::{names_in, run, text};

/// The verbs in the help.
fn verbs() -> Vec<String> {
    verbs_of(&[])
}

/// The verbs in the help of a verb, if any.
fn verbs_of(verb: &[&str]) -> Vec<String> {
    let help = run(&[verb, &["--help"]].concat()).good();
    if !help.contains("Commands:\n") {
        return Vec::new();
    }
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let lines = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let verbs = lines.map(|line| line.split_whitespace().next().unwrap().to_owned());
    // Its help is not a verb.
    verbs.filter(|inner| verb.is_empty() || inner != "help").collect()
}

/// The long options in a help text.
fn options(help: &str) -> BTreeSet<String> {
    let words = help.split(|c: char| c.is_whitespace() || ",.;()[]".contains(c));
    words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_owned).collect()
}

#[test]
fn completions_have_all_verbs_and_options() {
    let scratch = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]).good();
        for verb in verbs() {
            assert!(script.contains(&verb), "{verb} in {shell}");
            for option in options(&run(&[&verb, "-h"]).good()) {
                // Fish lists them without dashes.
                let option = option.trim_start_matches('-');
                assert!(script.contains(option), "{option} of {verb} in {shell}");
            }
        }
        let path = scratch.path().join(shell);
        fs::write(&path, script).unwrap();
        // The other shells, if installed.
        let checked = match shell {
            "bash" | "zsh" | "fish" => Command::new(shell).arg("-n").arg(&path).output(),
            _ => continue,
        };
        match checked {
            Ok(done) => {
                let message = String::from_utf8_lossy(&done.stderr);
                assert!(done.status.success() && message.is_empty(), "{shell}: {message}");
            }
            Err(_) => println!("skipped: there is no {shell} here"),
        }
    }
    assert_eq!(run(&["completions", "csh"]).code, Some(2));
}

#[test]
fn man_pages_have_all_verbs_and_options() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().join("share/man/man1");
    run(&["man", text(&directory)]).good();
    let mut pages: Vec<Vec<String>> = Vec::new();
    for verb in verbs() {
        pages.extend(verbs_of(&[&verb]).into_iter().map(|inner| vec![verb.clone(), inner]));
        pages.push(vec![verb]);
    }
    let mut expected: Vec<String> =
        pages.iter().map(|verbs| format!("nnz-{}.1", verbs.join("-"))).collect();
    expected.push("nnz.1".to_owned());
    expected.sort();
    assert_eq!(names_in(&directory), expected);
    assert!(expected.contains(&"nnz-fragments-import.1".to_owned()));
    let page = |name: &str| {
        let page = fs::read_to_string(directory.join(name)).unwrap();
        page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")
    };
    assert!(page("nnz.1").contains(".TH nnz 1"));
    let statuses = page("nnz.1").split_once("Exit status:\n").unwrap().1.to_owned();
    for status in ["0", "1", "2", "129", "130", "143"] {
        assert!(
            statuses.contains(&format!("\n  {status} "))
                || statuses.starts_with(&format!("  {status} "))
        );
    }
    for verbs in &pages {
        let name = format!("nnz-{}", verbs.join("-"));
        let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
        let (_, above) = verbs.split_last().unwrap();
        let listing = page(&format!("{}.1", [&["nnz"], above].concat().join("-")));
        assert!(listing.contains(&format!("{name}(1)")), "{listing}");
        let page = page(&format!("{name}.1"));
        assert!(page.contains(&format!("{name} - ")), "{page}");
        assert!(page.contains("Example") || !verbs_of(&verbs).is_empty(), "{page}");
        for option in options(&run(&[&verbs[..], &["--help"]].concat()).good()) {
            assert!(page.contains(&option), "{option} of {name}: {page}");
        }
    }
    // Existing pages are replaced only with --force.
    let kept = directory.join("nnz.1");
    fs::write(&kept, "mine").unwrap();
    let message = run(&["man", text(&directory)]).refused();
    assert_eq!(message, format!("nnz: {}: already exists; --force replaces it\n", text(&kept)));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
    run(&["man", "--force", text(&directory)]).good();
    assert!(fs::read_to_string(&kept).unwrap().contains("SYNOPSIS"));
}

#[test]
fn man_pages_are_written_all_or_none() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    fs::write(directory.join("nnz-transpose.1"), "mine").unwrap();
    run(&["man", text(directory)]).refused();
    assert_eq!(names_in(directory), ["nnz-transpose.1"]);
}

#[test]
fn shared_options_have_the_same_help() {
    for option in ["threads", "memory", "force", "quiet", "json", "duplicates", "strict", "order"] {
        let mut all = BTreeSet::new();
        for verb in verbs() {
            // Printing has no target.
            if (option, &*verb) == ("duplicates", "cat") {
                continue;
            }
            // Man pages, tables, components, markers and the files of `split` are not groups.
            if option == "force"
                && ["man", "annotations", "hvg", "markers", "pca", "plot", "qc", "report", "split"]
                    .contains(&&*verb)
            {
                continue;
            }
            let help = run(&[&verb, "-h"]).good();
            let lines: Vec<&str> = help.lines().map(str::trim).collect();
            let start = lines.iter().position(|line| {
                line.split_whitespace().any(|word| word == format!("--{option}"))
                    && line.starts_with('-')
            });
            if let Some(start) = start {
                let text = lines[start..].iter().enumerate();
                let text = text.take_while(|(at, line)| *at == 0 || !line.starts_with('-'));
                let text: Vec<&str> =
                    text.map(|(_, line)| *line).take_while(|line| !line.is_empty()).collect();
                let words: Vec<&str> =
                    text.iter().flat_map(|line| line.split_whitespace()).collect();
                all.insert(words.join(" "));
            }
        }
        let most = if option == "json" { 2 } else { 1 };
        assert!((1..=most).contains(&all.len()), "--{option}: {all:#?}");
    }
    for verb in ["convert", "transpose", "stats", "diff", "slice", "concat"] {
        let done = run(&[verb, "--threads", "0", "a"]);
        assert_eq!(done.code, Some(2), "{verb}");
        assert!(done.err.contains("--threads"), "{verb}: {}", done.err);
    }
}
