//! Detecting fragments by the first lines of a text.

use std::io::{self, Read};

use nnz_core::{BYTE_ORDER_MARK, Result};

use nnz_lines::Input;
use nnz_storage::InputFile;

/// Bytes that are read.
const SEEN: u64 = 64 << 10;

/// Returns whether a text with these first bytes has fragments: its first line that is neither
/// blank nor a comment begins with a name, two whole numbers and a name.
///
/// ```
/// use nnz_singlecell::fragment_tsv::looks_like;
/// assert!(looks_like(b"# id=pbmc\nchr1\t10066\t10279\tTTAGCTTAGGAGAACA-1\t2\n"));
/// assert!(!looks_like(b"gene\tname\n"));
/// ```
#[must_use]
pub fn looks_like(first_bytes: &[u8]) -> bool {
    let text = first_bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first_bytes);
    let lines = text.split(|&byte| byte == b'\n');
    let mut lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")) else {
        return false;
    };
    let fields: Vec<_> = line.splitn(5, |&byte| byte == b'\t').take(4).collect();
    let [name, start, end, cell] = fields[..] else {
        return false;
    };
    let number = |field: &[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let plain = |field: &[u8]| !field.is_empty() && field.iter().all(|&byte| byte >= b' ');
    plain(name) && number(start) && number(end) && plain(cell)
}

/// Returns whether a file has fragments, by its first lines; it may be gzipped.
///
/// # Errors
///
/// Fails if the file cannot be read. One that only looks compressed has no fragments.
pub fn recognise(file: &InputFile) -> Result<bool> {
    let input = Input::start_of(file)?;
    let mut first = Vec::new();
    match input.reader.take(SEEN).read_to_end(&mut first) {
        Err(error) if !is_damage(&error) => Err(file.error(error)),
        // Decides by the text that could be inflated.
        _ => Ok(looks_like(&first)),
    }
}

/// Returns whether compressed data is broken or the text is not UTF-8, rather than that the file cannot be read.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}
