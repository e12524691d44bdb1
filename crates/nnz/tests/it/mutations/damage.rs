//! Ways to damage a file.

use std::collections::BTreeMap;

use nnz_testing::random::Random;

/// Files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Extreme values of types.
pub const EXTREMES: [u64; 10] =
    [0, 1, 128, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 53, 1 << 63, u64::MAX];

/// A way to damage files.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// Bits are flipped.
    Flip,
    /// A byte is replaced.
    Byte,
    /// An aligned 32-bit number is replaced by an extreme one.
    Narrow,
    /// An aligned 64-bit number is replaced by an extreme one.
    Wide,
    /// The end is removed.
    Cut,
    /// A few bytes are inserted.
    Insert,
    /// Bytes are appended.
    Extend,
    /// A piece is repeated.
    Repeat,
    /// A file is empty.
    Empty,
    /// A file is removed.
    Delete,
    /// A file is replaced by one of another store.
    Swap,
    /// Two files of the store are exchanged.
    Exchange,
    /// A line is removed.
    DropLine,
    /// A line is repeated.
    RepeatLine,
    /// Two lines are exchanged.
    ExchangeLines,
    /// A field of a line is replaced.
    Field,
}

pub const STORE: &[Damage] = &[
    Damage::Flip,
    Damage::Flip,
    Damage::Byte,
    Damage::Narrow,
    Damage::Narrow,
    Damage::Wide,
    Damage::Wide,
    Damage::Cut,
    Damage::Insert,
    Damage::Extend,
    Damage::Repeat,
    Damage::Empty,
    Damage::Delete,
    Damage::Swap,
    Damage::Swap,
    Damage::Exchange,
];

pub const TEXT: &[Damage] = &[
    Damage::Flip,
    Damage::Byte,
    Damage::Cut,
    Damage::Insert,
    Damage::Extend,
    Damage::Repeat,
    Damage::DropLine,
    Damage::RepeatLine,
    Damage::ExchangeLines,
    Damage::Field,
    Damage::Field,
    Damage::Field,
];

/// The files of a folder are gzipped, so their text is hard to change.
pub const FOLDER: &[Damage] = &[
    Damage::Flip,
    Damage::Byte,
    Damage::Cut,
    Damage::Insert,
    Damage::Extend,
    Damage::Repeat,
    Damage::Empty,
    Damage::Delete,
    Damage::Exchange,
];

/// A single binary file.
pub const FILE: &[Damage] = &[
    Damage::Flip,
    Damage::Flip,
    Damage::Byte,
    Damage::Narrow,
    Damage::Wide,
    Damage::Cut,
    Damage::Insert,
    Damage::Extend,
    Damage::Repeat,
    Damage::Empty,
    Damage::Swap,
];

/// Damages one of the files, and returns a description. `others` are the files of another store.
pub fn apply(damage: Damage, files: &mut Files, others: &Files, random: &mut Random) -> String {
    let names: Vec<String> = files.keys().cloned().collect();
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let name = random.pick(&names).clone();
    let description = format!("{damage:?}({name})");
    match damage {
        Damage::Delete => drop(files.remove(&name)),
        Damage::Swap => {
            // Usually the file of the same name, if there is one.
            let other = match others.get(&name) {
                Some(same) if random.below(4) > 0 => Some(same),
                _ => others.values().nth(random.below(others.len())),
            };
            files.insert(name, other.cloned().unwrap_or_default());
        }
        Damage::Exchange => {
            let other = random.pick(&names).clone();
            let (a, b) = (files[&name].clone(), files[&other].clone());
            files.insert(name, b);
            files.insert(other, a);
        }
        _ => {
            let file = files.get_mut(&name).unwrap();
            match damage {
                Damage::DropLine | Damage::RepeatLine | Damage::ExchangeLines | Damage::Field => {
                    change_lines(damage, file, random)
                }
                _ => change_bytes(damage, file, random),
            }
        }
    }
    description
}

fn change_bytes(damage: Damage, file: &mut Vec<u8>, random: &mut Random) {
    if file.is_empty() {
        file.extend(random.next().to_le_bytes());
        return;
    }
    let at = random.below(file.len());
    let extreme = random.pick(&EXTREMES).to_le_bytes();
    match damage {
        Damage::Flip => {
            for _ in 0..=random.below(3) {
                let at = random.below(file.len());
                file[at] ^= 1 << random.below(8);
            }
        }
        Damage::Byte => file[at] = random.next() as u8,
        Damage::Narrow | Damage::Wide => {
            let size = if matches!(damage, Damage::Narrow) { 4 } else { 8 };
            // After a header of eight bytes, usually near the start or the end.
            let elements = file.len().saturating_sub(8) / size;
            let near = random.below(elements.min(4));
            let element = match random.below(3) {
                0 => near,
                1 => elements.saturating_sub(near + 1),
                _ => random.below(elements),
            };
            if let Some(place) = file.get_mut(8 + element * size..8 + (element + 1) * size) {
                place.copy_from_slice(&extreme[..size]);
            }
        }
        Damage::Cut => file.truncate(at),
        Damage::Insert => {
            let bytes = random.next().to_le_bytes();
            let bytes = &bytes[..1 + random.below(8)];
            file.splice(at..at, bytes.iter().copied());
        }
        Damage::Extend => {
            let more = [1, 3, 4, 8, 512, 4096][random.below(6)];
            let with = if random.below(2) == 0 { 0 } else { random.next() as u8 };
            file.resize(file.len() + more, with);
        }
        Damage::Repeat => {
            let end = at + random.below(file.len() - at);
            let piece = file[at..end].to_vec();
            file.splice(at..at, piece);
        }
        _ => file.clear(),
    }
}

fn change_lines(damage: Damage, file: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = file.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match damage {
        Damage::DropLine => drop(lines.remove(a)),
        Damage::RepeatLine => lines.insert(a, lines[a].clone()),
        Damage::ExchangeLines => lines.swap(a, b),
        _ => {
            let other = random.pick(&lines).clone();
            let mut fields: Vec<_> = lines[a].split(|b| *b == b' ').map(<[u8]>::to_vec).collect();
            let strange: [&[u8]; 16] = [
                b"0",
                b"1",
                b"-1",
                b"2147483648",
                b"4294967296",
                b"9223372036854775807",
                b"18446744073709551616",
                b"1e308",
                b"1e-400",
                b"-0.0",
                b"nan",
                b"-inf",
                b"%",
                b"\t",
                b"0x10",
                b"\r",
            ];
            let with = match random.below(4) {
                0 => random.pick(&other.split(|b| *b == b' ').collect::<Vec<_>>()).to_vec(),
                _ => random.pick(&strange).to_vec(),
            };
            let field = random.below(fields.len());
            fields[field] = with;
            lines[a] = fields.join(&b' ');
        }
    }
    *file = lines.join(&b'\n');
}
