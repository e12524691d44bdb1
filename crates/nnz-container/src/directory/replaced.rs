//! Checks whether a directory may be replaced: only directories of array files with a format version.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The file with the format version of a store.
const VERSION: &str = "version";

/// Maximum length of a version.
const MAX_LEN: u64 = 64;

/// Returns why a directory whose files have the names of members is not a store. An empty directory
/// is accepted.
///
/// Members are called `val` or `shape`, as may be files of other programs. A store has a file
/// `version` with a version of BPCells.
pub(super) fn refusal(directory: &Path) -> io::Result<Option<String>> {
    let Some(entry) = std::fs::read_dir(directory)?.next() else { return Ok(None) };
    let name = entry?.file_name();
    let file = match File::open(directory.join(VERSION)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Some(format!(
                "it contains {name:?}, but not the file {VERSION:?} of a store"
            )));
        }
        file => file?,
    };
    let mut text = Vec::new();
    file.take(MAX_LEN).read_to_end(&mut text)?;
    let what = format!("it contains a file {VERSION:?} that is not a version of BPCells");
    Ok((!is_version(&text)).then_some(what))
}

/// Returns whether a text is a version such as `packed-uint-matrix-v2`.
fn is_version(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let mut words = text.trim_end().split('-');
    let packing = matches!(words.next(), Some("packed" | "unpacked"));
    let generation = words.next_back().and_then(|last| last.strip_prefix('v'));
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    packing
        && generation.is_some_and(number)
        && words.all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    #[test]
    fn versions_of_bpcells_are_accepted() {
        for text in
            ["packed-uint-matrix-v2\n", "unpacked-double-matrix-v1", "packed-fragments-v2\r\n"]
        {
            assert!(is_version(text.as_bytes()), "{text}");
        }
        for text in ["", "1.2.3\n", "packed", "packed-", "packed-v", "uint-matrix-v2", "packed-x-2"]
        {
            assert!(!is_version(text.as_bytes()), "{text}");
        }
        assert!(!is_version(b"packed-\xff-v2"));
        assert!(!is_version(b"packed-uint-matrix-v2\nand more"));
    }

    #[test]
    fn only_stores_and_empty_directories_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let refused = || refusal(folder.path()).unwrap();
        assert_eq!(refused(), None);
        std::fs::write(folder.path().join("val"), "years of work").unwrap();
        assert_eq!(
            refused().unwrap(),
            "it contains \"val\", but not the file \"version\" of a store"
        );
        std::fs::write(folder.path().join("version"), "1.0.0\n").unwrap();
        assert_eq!(
            refused().unwrap(),
            "it contains a file \"version\" that is not a version of BPCells"
        );
        std::fs::write(folder.path().join("version"), "packed-uint-matrix-v2\n").unwrap();
        assert_eq!(refused(), None);
    }
}
