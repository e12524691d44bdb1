//! Checks whether a directory may be replaced: stores of `.npy` files, but not other directories with such
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::value::RawValue;

/// Maximum size of a description.
const MAX_LEN: u64 = 64 << 20;

/// Returns the name of an entry that prevents a directory from being replaced.
///
/// A store has a description: a file `NAME.json` with an object that has `data_types`, or has an
/// object `NAME` with them. It has the arrays listed there and nothing else. An empty directory may
/// be replaced too.
pub(super) fn foreign(path: &Path) -> io::Result<Option<OsString>> {
    let mut known = BTreeSet::new();
    let mut others = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.file_type()?.is_file() {
            return Ok(Some(name));
        }
        match name.to_str().and_then(|name| name.strip_suffix(".json")) {
            Some(stem) => match listed_arrays(&entry.path(), stem)? {
                Some(arrays) => known.extend(arrays),
                None => return Ok(Some(name)),
            },
            None => others.push(name),
        }
    }
    Ok(others.into_iter().find(|name| {
        let array = name.to_str().and_then(|name| name.strip_suffix(".npy"));
        !array.is_some_and(|array| known.contains(array))
    }))
}

/// Returns the names of the arrays in a description; `None` if it is not one.
fn listed_arrays(path: &Path, stem: &str) -> io::Result<Option<BTreeSet<String>>> {
    type Object = BTreeMap<String, Box<RawValue>>;
    let mut text = String::new();
    match File::open(path)?.take(MAX_LEN).read_to_string(&mut text) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
        read => read?,
    };
    let object = |text: &str| serde_json::from_str::<Object>(text).ok();
    let Some(outer) = object(&text) else { return Ok(None) };
    let inner = outer.get(stem).and_then(|inner| object(inner.get()));
    let types = inner.as_ref().unwrap_or(&outer).get("data_types");
    Ok(types.and_then(|types| object(types.get())).map(|types| types.into_keys().collect()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        foreign(folder.path()).unwrap().map(|name| name.into_string().unwrap())
    }

    #[test]
    fn listed_arrays_are_a_store() {
        let text =
            r#"{"binsparse": {"data_types": {"values": "iso[int8]", "indices_0": "uint8"}}}"#;
        let description = ("binsparse.json", text);
        assert_eq!(found(&[description, ("values.npy", ""), ("indices_0.npy", "")]), None);
        assert_eq!(found(&[description]), None);
        assert_eq!(
            found(&[("binsparse.json", r#"{"data_types": {"a": "x"}}"#), ("a.npy", "")]),
            None
        );
        assert_eq!(found(&[]), None);
        let own = |name| found(&[description, ("values.npy", ""), (name, "")]);
        for name in ["own.npy", "values.txt", "values", ".npy", "package.json"] {
            assert_eq!(own(name).as_deref(), Some(name));
        }
    }

    #[test]
    fn files_without_a_description_are_foreign() {
        assert_eq!(found(&[("a.npy", "")]).as_deref(), Some("a.npy"));
        for text in [
            "",
            "{",
            "[]",
            "{\"name\": \"x\"}",
            "{\"data_types\": 5}",
            "\u{1}",
            "{\"binsparse\": 1}",
        ] {
            let name = "binsparse.json";
            assert_eq!(found(&[(name, text)]).as_deref(), Some(name), "{text}");
        }
        let package = r#"{"name": "app", "version": "1.0.0"}"#;
        assert_eq!(found(&[("package.json", package)]).as_deref(), Some("package.json"));
    }

    #[test]
    #[cfg(unix)]
    fn directories_and_names_that_are_not_utf_8_are_foreign() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().unwrap();
        let name = std::ffi::OsStr::from_bytes(b"\xff.npy");
        std::fs::write(folder.path().join(name), "").unwrap();
        assert_eq!(foreign(folder.path()).unwrap().as_deref(), Some(name));
        std::fs::remove_file(folder.path().join(name)).unwrap();
        std::fs::create_dir(folder.path().join("binsparse.json")).unwrap();
        assert!(foreign(folder.path()).unwrap().is_some());
    }
}
