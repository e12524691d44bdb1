//! Names like one that does not exist.

use nnz_core::{Axis, MatrixSource, Result};

use super::named::each_text;

/// Maximum number of names in a message.
const LISTED: usize = 3;

/// How a name differs from the requested one: the fewer letters, the less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// In the case of letters only.
    Case,
    /// One of them has a number at its end: of a sample (`-1`), or of a version (`.2`).
    Number,
    /// It begins with the requested one, and has so many more letters.
    Longer(usize),
}

/// Returns the names, or else the texts of annotations, that are most like a name that does not exist.
pub(super) fn similar(name: &[u8], source: &dyn MatrixSource, axis: Axis) -> Result<Vec<String>> {
    let mut found = Vec::new();
    if let Some(mut names) = source.read_names(axis)? {
        while let Some(other) = names.next_string()? {
            add(&mut found, name, other);
        }
    }
    if found.is_empty() {
        each_text(source, axis, |text, _, _| add(&mut found, name, text))?;
    }
    if let Some((Difference::Case, _)) = found.first() {
        found.retain(|(difference, _)| *difference == Difference::Case);
    }
    Ok(found.into_iter().map(|(_, name)| String::from_utf8_lossy(&name).into_owned()).collect())
}

/// Adds a name, if it is one of the most similar ones.
fn add(found: &mut Vec<(Difference, Vec<u8>)>, name: &[u8], other: &[u8]) {
    let Some(difference) = difference(name, other) else { return };
    let at = found.partition_point(|(known, _)| *known <= difference);
    if at < LISTED && found.iter().all(|(_, known)| known != other) {
        found.insert(at, (difference, other.to_vec()));
        found.truncate(LISTED);
    }
}

fn difference(name: &[u8], other: &[u8]) -> Option<Difference> {
    /// Letters that names have at least in common.
    const LEAST: usize = 2;
    if name.eq_ignore_ascii_case(other) {
        return Some(Difference::Case);
    }
    let [name, plain] = [name, other].map(without_number);
    if name.len() >= LEAST && name.eq_ignore_ascii_case(plain) {
        return Some(Difference::Number);
    }
    let start = other.get(..name.len())?;
    let is_longer = name.len() >= LEAST && start.eq_ignore_ascii_case(name);
    is_longer.then(|| Difference::Longer(other.len() - name.len()))
}

/// Returns a name without a sign and digits at its end.
fn without_number(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    match name[..name.len() - digits] {
        [ref plain @ .., b'-' | b'.'] if digits > 0 => plain,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_names_come_first() {
        let all = ["CD3EAP", "CD3G", "cd3", "CD3D", "CD3-1", "CD4", "CD3E", "CD3-AS1", "C"];
        let mut found = Vec::new();
        all.iter().for_each(|other| add(&mut found, b"CD3", other.as_bytes()));
        let found: Vec<&[u8]> = found.iter().map(|(_, name)| &name[..]).collect();
        assert_eq!(found, [&b"cd3"[..], b"CD3-1", b"CD3G"]);
        assert!(difference(b"AAAC", b"AAAC-1") == Some(Difference::Number));
        assert!(difference(b"AAAC-1", b"AAAC") == Some(Difference::Number));
        assert!(difference(b"ENSG01", b"ENSG01.12") == Some(Difference::Number));
        for (name, other) in [("x", "xy"), ("", "a"), ("-1", "-2"), ("AB", "AC"), ("ABC", "AB")] {
            assert!(difference(name.as_bytes(), other.as_bytes()).is_none(), "{name} {other}");
        }
    }
}
