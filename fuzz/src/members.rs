//! Several files in one input.

/// The start of a file, followed by one byte for its name and its content.
///
/// Unlike a length, a mark stays valid if bytes before it change.
pub const MARK: &[u8] = b"\0==>";

/// Splits an input into files. Bytes before the first mark are ignored.
pub fn cut(input: &[u8]) -> Vec<(u8, &[u8])> {
    let mut members = Vec::new();
    let mut rest = after_mark(input).map(|(_, rest)| rest);
    while let Some((&name, content)) = rest.and_then(<[u8]>::split_first) {
        let next = after_mark(content);
        let end = next.map_or(content.len(), |(at, _)| at);
        members.push((name, &content[..end]));
        rest = next.map(|(_, rest)| rest);
    }
    members
}

/// Finds the next mark and what follows it.
fn after_mark(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let at = bytes.windows(MARK.len()).position(|window| window == MARK)?;
    Some((at, &bytes[at + MARK.len()..]))
}
