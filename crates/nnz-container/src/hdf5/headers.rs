//! Object headers as they are given to `hdf5-reader` (HDF5 file format specification, IV.A).
//!
//! It skips too few reserved bytes of data layout messages of version 2, and a message that it does not support hides
//! the whole object. Layout messages are rewritten, and unsupported attributes and links replaced by empty messages and
//! listed, before it parses a header.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use hdf5_reader::checksum::jenkins_lookup3;
use hdf5_reader::error::Error as HdfError;
use hdf5_reader::io::Cursor;
use hdf5_reader::messages::{
    MSG_ATTRIBUTE, MSG_CONTINUATION, MSG_DATA_LAYOUT, MSG_LINK, MSG_NIL, parse_message,
};
use hdf5_reader::superblock::Superblock;

/// The flag of a message that refers to a message elsewhere.
const SHARED: u8 = 2;

/// A message that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    pub(super) kind: HiddenKind,
    /// The name of the attribute or link.
    pub(super) name: String,
    /// A description for messages: of the link, or of the type of the attribute.
    pub(super) what: String,
}

/// The kind of a message that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiddenKind {
    Attribute,
    Link,
}

/// Rewrites the headers of a file, and keeps what was hidden in them.
#[derive(Default)]
pub(super) struct Headers {
    sizes: OnceLock<Sizes>,
    /// By the position of the header in the file.
    hidden: Mutex<HashMap<u64, Vec<Hidden>>>,
}

/// Sizes of addresses and lengths, and the base address.
#[derive(Clone, Copy)]
struct Sizes {
    offset: u8,
    length: u8,
    base: u64,
}

/// How the messages of a chunk are enclosed.
#[derive(Clone, Copy)]
enum Envelope {
    /// Version 1.
    Padded,
    /// Version 2, with a checksum, and with a creation order if `ordered`.
    Checked { ordered: bool },
}

/// The header that a thread is parsing.
#[derive(Default)]
struct Current {
    /// Its position in the file.
    at: u64,
    /// The envelopes of its continuations, by position and length. They have no signature in version 1.
    continuations: HashMap<(u64, usize), Envelope>,
    hidden: Vec<Hidden>,
}

thread_local! {
    static CURRENT: RefCell<Current> = RefCell::default();
}

impl Headers {
    /// Sets the sizes, before which nothing is rewritten.
    pub(super) fn set_superblock(&self, superblock: &Superblock) {
        let Superblock { offset_size, length_size, base_address, .. } = *superblock;
        let _ =
            self.sizes.set(Sizes { offset: offset_size, length: length_size, base: base_address });
    }

    /// Returns what was hidden in the header at an address, which has been parsed.
    pub(super) fn hidden(&self, address: u64) -> Vec<Hidden> {
        let Some(sizes) = self.sizes.get() else { return Vec::new() };
        let hidden = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
        hidden.get(&address.saturating_add(sizes.base)).cloned().unwrap_or_default()
    }

    /// Rewrites bytes that were read at a position of the file, if they are a chunk of a header.
    pub(super) fn rewrite(&self, at: u64, bytes: &mut [u8]) {
        let Some(&sizes) = self.sizes.get() else { return };
        CURRENT.with_borrow_mut(|current| {
            let Some((messages, envelope)) = current.chunk(at, bytes) else { return };
            let before = current.hidden.len();
            let changed = current.rewrite(bytes, messages.clone(), envelope, sizes);
            if let Some(sum) = bytes.get_mut(messages.end..messages.end + 4)
                && changed
                && matches!(envelope, Envelope::Checked { .. })
            {
                sum.fill(0);
                let sum = jenkins_lookup3(&bytes[..messages.end]).to_le_bytes();
                bytes[messages.end..messages.end + 4].copy_from_slice(&sum);
            }
            if current.hidden.len() > before {
                let mut all = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
                let known = all.entry(current.at).or_default();
                // Another thread may have parsed more of it.
                if known.len() < current.hidden.len() {
                    known.clone_from(&current.hidden);
                }
            }
        });
    }
}

impl Current {
    /// Returns where the messages of a chunk are, if it is the first of a header or a continuation of the current
    /// one. One with a wrong checksum is left to `hdf5-reader`.
    fn chunk(&mut self, at: u64, bytes: &[u8]) -> Option<(Range<usize>, Envelope)> {
        let found = match first_chunk(bytes) {
            Some(found) => {
                *self = Self { at, ..Self::default() };
                Some(found)
            }
            None => {
                let envelope = *self.continuations.get(&(at, bytes.len()))?;
                match envelope {
                    Envelope::Padded => Some((0..bytes.len(), envelope)),
                    Envelope::Checked { .. } => {
                        let end = bytes.len().checked_sub(4)?;
                        (bytes.starts_with(b"OCHK") && end >= 4).then_some((4..end, envelope))
                    }
                }
            }
        };
        found.filter(|(messages, envelope)| match envelope {
            Envelope::Padded => true,
            Envelope::Checked { .. } => {
                let sum = jenkins_lookup3(bytes.get(..messages.end).unwrap_or_default());
                bytes.get(messages.end..messages.end + 4) == Some(&sum.to_le_bytes())
            }
        })
    }

    /// Rewrites the messages of a chunk. Returns whether something was changed.
    fn rewrite(
        &mut self,
        bytes: &mut [u8],
        messages: Range<usize>,
        envelope: Envelope,
        sizes: Sizes,
    ) -> bool {
        let mut changed = false;
        let mut at = messages.start;
        while let Some((kind, flags, body)) = message(bytes, at..messages.end, envelope) {
            let head = at;
            at = body.end;
            if flags & SHARED != 0 {
                continue;
            }
            let Some(body) = bytes.get_mut(body) else { break };
            match kind {
                MSG_CONTINUATION => self.continuation(body, envelope, sizes),
                MSG_DATA_LAYOUT => changed |= rewrite_layout(body),
                MSG_ATTRIBUTE | MSG_LINK => {
                    let Some(hidden) = unsupported(kind, body, sizes) else { continue };
                    self.hidden.push(hidden);
                    // The type of an empty message is 0 in both versions.
                    let width = if matches!(envelope, Envelope::Padded) { 2 } else { 1 };
                    if let Some(kind) = bytes.get_mut(head..head + width) {
                        kind.copy_from_slice(&MSG_NIL.to_le_bytes()[..width]);
                    }
                    changed = true;
                }
                _ => {}
            }
        }
        changed
    }

    fn continuation(&mut self, body: &[u8], envelope: Envelope, sizes: Sizes) {
        let (offset, length) = (usize::from(sizes.offset), usize::from(sizes.length));
        let Some((at, rest)) = body.split_at_checked(offset) else { return };
        let Some(length) = rest.get(..length) else { return };
        if let Ok(length) = usize::try_from(number(length)) {
            let at = number(at).saturating_add(sizes.base);
            self.continuations.insert((at, length), envelope);
        }
    }
}

/// Returns where the messages are, if all of these bytes are the first chunk of a header.
fn first_chunk(bytes: &[u8]) -> Option<(Range<usize>, Envelope)> {
    if let Some(rest) = bytes.strip_prefix(b"OHDR\x02") {
        let flags = *rest.first()?;
        let times = if flags & 0x20 == 0 { 0 } else { 16 };
        let limits = if flags & 0x10 == 0 { 0 } else { 4 };
        let (at, width) = (6 + times + limits, 1 << (flags & 3));
        let length = usize::try_from(number(bytes.get(at..at + width)?)).ok()?;
        let end = (at + width).checked_add(length)?;
        let whole = end.checked_add(4) == Some(bytes.len());
        let envelope = Envelope::Checked { ordered: flags & 4 != 0 };
        return whole.then_some((at + width..end, envelope));
    }
    let head: &[u8; 16] = bytes.first_chunk()?;
    let length = usize::try_from(number(&head[8..12])).ok()?;
    let whole = length.checked_add(head.len()) == Some(bytes.len());
    (head[..2] == [1, 0] && whole).then_some((head.len()..bytes.len(), Envelope::Padded))
}

/// Returns the type and flags of the message at the start of a range, and the range of its body.
fn message(
    bytes: &[u8],
    range: Range<usize>,
    envelope: Envelope,
) -> Option<(u16, u8, Range<usize>)> {
    let rest = bytes.get(range.clone())?;
    let (kind, size, flags, head) = match (envelope, rest) {
        (Envelope::Padded, [kind, kind_high, size, size_high, flags, _, _, _, ..]) => {
            (u16::from_le_bytes([*kind, *kind_high]), [*size, *size_high], *flags, 8)
        }
        (Envelope::Checked { ordered }, [kind, size, size_high, flags, ..]) => {
            (u16::from(*kind), [*size, *size_high], *flags, if ordered { 6 } else { 4 })
        }
        _ => return None,
    };
    let start = range.start + head;
    let end = start + usize::from(u16::from_le_bytes(size));
    (end <= range.end).then_some((kind, flags, start..end))
}

/// Rewrites a data layout message (IV.A.2.i) that `hdf5-reader` reads wrongly. Returns whether it is one.
fn rewrite_layout(body: &mut [u8]) -> bool {
    /// Version, number of dimensions, class, and five reserved bytes.
    const HEAD: usize = 8;
    let &mut [version @ (1 | 2), rank, class, ..] = body else { return false };
    if class != 0 {
        // Both versions are the same.
        body[0] = 1;
        return version == 2;
    }
    // Compact data have no address, but dimensions. Version 3 has the size, of two bytes, and the data.
    let start = HEAD + 4 * usize::from(rank);
    let size = body.get(start..start + 4).map(number).and_then(|size| u16::try_from(size).ok());
    let Some(size) = size.filter(|size| start + 4 + usize::from(*size) <= body.len()) else {
        // Invalid in each version.
        body[0] = 0;
        return true;
    };
    body.copy_within(start + 4..start + 4 + usize::from(size), 4);
    body[0] = 3;
    body[1] = 0;
    body[2..4].copy_from_slice(&size.to_le_bytes());
    true
}

/// Describes an attribute or link if `hdf5-reader` does not support it.
fn unsupported(kind: u16, body: &[u8], sizes: Sizes) -> Option<Hidden> {
    let parsed =
        parse_message(kind, body.len(), &mut Cursor::new(body), sizes.offset, sizes.length);
    match parsed.err()? {
        HdfError::UnsupportedLinkType(_) => Some(Hidden {
            kind: HiddenKind::Link,
            name: link_name(body)?,
            what: "a user-defined link".to_owned(),
        }),
        error @ (HdfError::UnsupportedEncoding(_) | HdfError::UnsupportedDatatypeClass(_))
            if kind == MSG_ATTRIBUTE =>
        {
            let shared = matches!(body, [2 | 3, 1 | 3, ..]);
            Some(Hidden {
                kind: HiddenKind::Attribute,
                name: attribute_name(body)?,
                what: if shared { "a committed type".to_owned() } else { error.to_string() },
            })
        }
        _ => None,
    }
}

/// Returns the name in a link message (IV.A.2.g).
pub(super) fn link_name(body: &[u8]) -> Option<String> {
    let &[1, flags, ..] = body else { return None };
    // The type, the creation order and the character set are optional.
    let optional = [(8, 1), (4, 8), (16, 1)].iter();
    let at =
        2 + optional.map(|(flag, len)| if flags & flag == 0 { 0 } else { *len }).sum::<usize>();
    let width = 1 << (flags & 3);
    let len = usize::try_from(number(body.get(at..at + width)?)).ok()?;
    text(body.get(at + width..)?.get(..len)?)
}

/// Returns the name in an attribute message (IV.A.2.m).
fn attribute_name(body: &[u8]) -> Option<String> {
    let &[version, _, len, len_high, ..] = body else { return None };
    let at = if version == 3 { 9 } else { 8 };
    let name = body.get(at..)?.get(..usize::from(u16::from_le_bytes([len, len_high])))?;
    text(name.strip_suffix(&[0]).unwrap_or(name))
}

fn text(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    (!name.is_empty()).then(|| name.trim_end_matches('\0').to_owned())
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_messages_of_versions_1_and_2_are_rewritten() {
        // Version 2, two dimensions, contiguous, five reserved bytes, address, dimensions.
        let contiguous =
            [&[2, 2, 1, 0, 0, 0, 0, 0][..], &[9; 8], &[1, 0, 0, 0, 6, 0, 0, 0]].concat();
        let mut body = contiguous.clone();
        assert!(rewrite_layout(&mut body));
        assert_eq!((body[0], &body[1..]), (1, &contiguous[1..]));
        assert!(!rewrite_layout(&mut body));
        for version in [1, 2] {
            // Compact, one dimension of 3, 3 bytes of data and padding.
            let mut body = vec![version, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 7, 8, 9, 0];
            assert!(rewrite_layout(&mut body));
            // Version 3, compact, 3 bytes.
            assert_eq!(body[..7], [3, 0, 3, 0, 7, 8, 9]);
            let mut short = vec![version, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 7, 8];
            assert!(rewrite_layout(&mut short));
            assert_eq!(short[0], 0);
        }
    }

    #[test]
    fn names_of_links_and_attributes_are_found() {
        // Version 1; type, creation order, character set; a length of 1 byte.
        let link = [&[1, 0x1c, 187][..], &[0; 8], &[1, 2], b"ab", &[0, 0]].concat();
        assert_eq!(link_name(&link).as_deref(), Some("ab"));
        // Version 3, a shared type, sizes of name, type and dataspace, ASCII.
        let attribute = [&[3, 1, 3, 0, 10, 0, 4, 0, 0][..], b"ab\0"].concat();
        assert_eq!(attribute_name(&attribute).as_deref(), Some("ab"));
        for end in 0..attribute.len() {
            assert_eq!(attribute_name(&attribute[..end]), None);
        }
    }
}
