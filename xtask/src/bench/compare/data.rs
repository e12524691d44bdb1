//! Inputs, created as `benches/inputs.txt` says if they are missing.
//!
//! Each is created under another name and renamed when it is complete.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::places::{Places, unroll};
use super::tools::{Tools, benches};
use crate::cargo;
use crate::error::{Error, Result};

/// Creates missing inputs in a directory, and returns their places.
pub(super) fn make(directory: &Path, cells: u64, tools: &Tools) -> Result<Places> {
    let at = |error| Error::at(directory, &error);
    fs::create_dir_all(directory.join("out")).map_err(at)?;
    let directory = &directory.canonicalize().map_err(at)?;
    let places = Places::new(directory, cells);
    let page = benches().join("inputs.txt");
    let text = fs::read_to_string(&page).map_err(|error| Error::at(&page, &error))?;
    for line in unroll(&text) {
        let line = places.named(&line);
        let named =
            line.split_once(": ").and_then(|(input, how)| Some((input.strip_prefix("in/")?, how)));
        let (name, how) = named.ok_or_else(|| Error::new(format!("no input: {line}")))?;
        // The extension stays, as some programs detect the format by it.
        let (path, part) = (directory.join(name), directory.join(format!(".part-{name}")));
        if path.exists() {
            continue;
        }
        println!("    making {}", path.display());
        remove(&part)?;
        let command = places.command(&how.replace("{part}", &format!("in/.part-{name}")), tools)?;
        let (program, words) = command.split_first().ok_or_else(|| Error::new("no command"))?;
        cargo::run(Command::new(program).args(words).env("PYTHONDONTWRITEBYTECODE", "1"))?;
        fs::rename(&part, &path).map_err(|error| Error::at(&part, &error))?;
    }
    // The names of a tenth of the cells, spread over the file.
    let tenth = directory.join(format!("tenth-of-{cells}.txt"));
    let names = (0..cells / 10).map(|at| format!("CELL{:08}\n", at * 10 + at % 7));
    fs::write(&tenth, names.collect::<String>()).map_err(|error| Error::at(&tenth, &error))?;
    Ok(places)
}

/// Removes a file or directory, if it exists.
pub(super) fn remove(path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(|error| Error::at(path, &error))
}

/// Reads the number of entries in a Matrix Market file, or a number in the description that a generator writes.
pub(super) fn number(path: &Path, key: &str) -> Result<u64> {
    let none = || Error::new(format!("{}: no {key:?} or size line", path.display()));
    let at = |error| Error::at(path, &error);
    if key.is_empty() {
        let mut lines = BufReader::new(File::open(path).map_err(at)?).lines();
        let size = lines.find(|line| line.as_ref().map_or(true, |line| !line.starts_with('%')));
        let size = size.ok_or_else(none)?.map_err(at)?;
        return size.split_whitespace().nth(2).and_then(|n| n.parse().ok()).ok_or_else(none);
    }
    let text = fs::read_to_string(path).map_err(at)?;
    let json: Option<Value> = serde_json::from_str(&text).ok();
    json.and_then(|json| json.get(key)?.as_u64()).ok_or_else(none)
}
