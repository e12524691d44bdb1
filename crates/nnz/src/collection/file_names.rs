//! Names of files for values.

use std::collections::{HashMap, HashSet};

/// Maximum length of the name of a file in bytes.
const LONGEST: usize = 255;

/// Names of devices of Windows, which are not files there with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Returns a different name for each value, with an extension, that is a file on every system: other characters are
/// replaced by `_`, long names are truncated, and names that are equal then get a number.
///
/// Values that are such names keep them. With `ignores_case`, names that differ only in case are equal.
pub(super) fn file_names<'a>(
    values: impl Iterator<Item = &'a str> + Clone,
    extension: &str,
    ignores_case: bool,
) -> Vec<String> {
    let longest = LONGEST.saturating_sub(extension.len() + 1);
    let key = |name: &str| match ignores_case {
        true => name.to_lowercase(),
        false => name.to_owned(),
    };
    let stems: Vec<String> = values.clone().map(|value| stem(value, longest)).collect();
    let mut names: Vec<Option<String>> = vec![None; stems.len()];
    let mut taken = HashSet::new();
    for ((value, stem), name) in values.zip(&stems).zip(&mut names) {
        if value == stem && taken.insert(key(stem)) {
            *name = Some(stem.clone());
        }
    }
    let mut numbers: HashMap<String, u64> = HashMap::new();
    let free = stems.into_iter().zip(names).map(|(stem, name)| {
        name.unwrap_or_else(|| {
            if taken.insert(key(&stem)) {
                return stem;
            }
            let number = numbers.entry(key(&stem)).or_insert(1);
            loop {
                *number += 1;
                let suffix = format!("-{number}");
                let name =
                    truncated(&stem, longest.saturating_sub(suffix.len())).to_owned() + &suffix;
                if taken.insert(key(&name)) {
                    return name;
                }
            }
        })
    });
    free.map(|stem| format!("{stem}.{extension}")).collect()
}

fn stem(value: &str, longest: usize) -> String {
    let is_valid = |c: char| {
        !c.is_control() && !matches!(c, '/' | '\\' | '<' | '>' | ':' | '"' | '|' | '?' | '*')
    };
    let mut name: String = value.chars().map(|c| if is_valid(c) { c } else { '_' }).collect();
    if name.is_empty() {
        name.push('_');
    } else if name.starts_with('.') {
        name.replace_range(..1, "_");
    }
    let first = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_port = |port: &str| {
        first.strip_prefix(port).is_some_and(|number| {
            let mut digits = number.chars();
            matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
        })
    };
    if DEVICES.contains(&&*first) || is_port("com") || is_port("lpt") {
        name.insert(0, '_');
    }
    truncated(&name, longest).to_owned()
}

fn truncated(name: &str, longest: usize) -> &str {
    let end = (0..=longest.min(name.len())).rev().find(|end| name.is_char_boundary(*end));
    name.get(..end.unwrap_or(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(values: &[&str]) -> Vec<String> {
        file_names(values.iter().copied(), "h5ad", false)
    }

    #[test]
    fn characters_that_are_not_in_names_of_files_are_replaced() {
        for (value, expected) in [
            ("B cell", "B cell.h5ad"),
            ("CD4+ T, naïve", "CD4+ T, naïve.h5ad"),
            ("a.b", "a.b.h5ad"),
            ("NK/T", "NK_T.h5ad"),
            ("a\\b", "a_b.h5ad"),
            ("a\nb\0", "a_b_.h5ad"),
            ("q: \"x\"?", "q_ _x__.h5ad"),
            ("", "_.h5ad"),
            (".", "_.h5ad"),
            ("..", "_..h5ad"),
            (".hidden", "_hidden.h5ad"),
            ("../../etc", "_._.._etc.h5ad"),
            ("NUL", "_NUL.h5ad"),
            ("con.x", "_con.x.h5ad"),
            ("LPT1", "_LPT1.h5ad"),
            ("com10", "com10.h5ad"),
            ("console", "console.h5ad"),
        ] {
            assert_eq!(names(&[value]), [expected], "{value:?}");
        }
    }

    #[test]
    fn names_are_different() {
        assert_eq!(
            names(&["a/b", "a_b", "a:b", "a_b-2", "A_b"]),
            ["a_b-3.h5ad", "a_b.h5ad", "a_b-4.h5ad", "a_b-2.h5ad", "A_b.h5ad"]
        );
        assert_eq!(
            file_names(["t", "T", "é", "É"].into_iter(), "zarr", true),
            ["t.zarr", "T-2.zarr", "é.zarr", "É-2.zarr"]
        );
        let long = ["x".repeat(300), "x".repeat(301), "é".repeat(200), "x".repeat(250)];
        let found = names(&long.each_ref().map(|name| &**name));
        assert!(found.iter().all(|name| name.len() <= LONGEST && name.ends_with(".h5ad")));
        assert_eq!(found[3], long[3].clone() + ".h5ad");
        let different: HashSet<&String> = found.iter().collect();
        assert_eq!(different.len(), 4);
        // As fast for many values.
        let many: Vec<String> = (0..50_000).map(|n| format!("{}{n}", "y".repeat(300))).collect();
        let different: HashSet<String> =
            file_names(many.iter().map(|n| &**n), "h5ad", false).into_iter().collect();
        assert_eq!(different.len(), many.len());
    }
}
