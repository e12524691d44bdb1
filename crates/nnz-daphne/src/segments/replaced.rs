//! Checking that a directory to be replaced has only segments.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use nnz_core::{Error, ErrorKind};
use nnz_storage::InputDirectory;

use super::{list, parse_name};

/// Bytes that are read to detect DAPHNE files.
const START: u64 = 64;

/// Returns why a directory whose files have the names of segments does not have the segments of one
/// matrix. An empty directory is allowed.
pub(super) fn refusal(directory: &Path) -> io::Result<Option<String>> {
    let listed = InputDirectory::open(directory).and_then(|opened| list(&opened));
    let segments = match listed.map_err(Error::into_parts) {
        Ok(segments) => segments,
        Err((ErrorKind::Io(error), _)) => return Err(error),
        Err((kind, _)) => return Ok(Some(format!("it is not a complete matrix ({kind})"))),
    };
    for name in &segments {
        let file = File::open(directory.join(name))?;
        let bytes = file.metadata()?.len();
        let mut start = Vec::new();
        file.take(START).read_to_end(&mut start)?;
        if !crate::looks_like(&start, bytes) {
            return Ok(Some(format!("it contains {name:?}, which is not a DAPHNE file")));
        }
    }
    for entry in std::fs::read_dir(directory)? {
        let name = entry?.file_name();
        let Some(of) = name.to_str().and_then(|name| name.strip_suffix(".meta")) else { continue };
        if parse_name(of).is_none() || !segments.iter().any(|name| name == of) {
            return Ok(Some(format!("it contains {name:?} without its segment")));
        }
    }
    Ok(None)
}
