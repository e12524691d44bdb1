//! Telling fragments from other text.

use std::io::Read;

use nnz_core::Result;

use nnz_lines::Input;
use nnz_storage::InputFile;

/// Bytes that are looked at.
const SEEN: u64 = 64 << 10;

/// Returns whether a text that starts with these bytes holds fragments: its first line that is
/// neither blank nor a comment begins with a name, two whole numbers and a name.
///
/// ```
/// use nnz_singlecell::fragment_tsv::looks_like;
/// assert!(looks_like(b"# id=pbmc\nchr1\t10066\t10279\tTTAGCTTAGGAGAACA-1\t2\n"));
/// assert!(!looks_like(b"gene\tname\n"));
/// ```
#[must_use]
pub fn looks_like(first_bytes: &[u8]) -> bool {
    let lines = first_bytes.split(|&byte| byte == b'\n');
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

/// Returns whether a file holds fragments, by its first lines; it may be gzipped.
///
/// # Errors
///
/// Fails where the file cannot be read. One that only looks compressed holds no fragments.
pub fn recognise(file: &InputFile) -> Result<bool> {
    let input = Input::start_of(file)?;
    let mut first = Vec::new();
    match input.reader.take(SEEN).read_to_end(&mut first) {
        Err(error) if !input.gzip => Err(file.error(error)),
        // What could be inflated is judged.
        _ => Ok(looks_like(&first)),
    }
}
