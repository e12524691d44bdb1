//! Ways a file can be damaged.

use std::collections::BTreeMap;

use nnz_testing::random::Random;

/// Files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Numbers at the edges of what types hold.
pub const WORST: [u64; 10] =
    [0, 1, 128, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 53, 1 << 63, u64::MAX];

/// One way to damage files.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// Bits turn.
    Flip,
    /// A byte becomes any other.
    Byte,
    /// An aligned 32-bit number becomes one of the worst.
    Narrow,
    /// An aligned 64-bit number does.
    Wide,
    /// The end is missing.
    Cut,
    /// A few bytes come in between.
    Insert,
    /// There is more at the end.
    Extend,
    /// A piece is there twice.
    Repeat,
    /// Nothing is left of a file.
    Empty,
    /// A file is missing.
    Delete,
    /// A file of another store lies in its place.
    Swap,
    /// Two files of the store have each other's name.
    Exchange,
    /// A line is missing.
    DropLine,
    /// A line is there twice.
    RepeatLine,
    /// Two lines have changed places.
    ExchangeLines,
    /// A field of a line is another one.
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

/// The files of a folder are gzipped: little of the text can be reached.
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

/// One file that is binary.
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

/// Damages one of the files, and says which and how. `others` are those of another store.
pub fn apply(damage: Damage, files: &mut Files, others: &Files, random: &mut Random) -> String {
    let names: Vec<String> = files.keys().cloned().collect();
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let name = random.pick(&names).clone();
    let told = format!("{damage:?}({name})");
    match damage {
        Damage::Delete => drop(files.remove(&name)),
        Damage::Swap => {
            // Mostly the file of the same name, where there is one.
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
    told
}

fn change_bytes(damage: Damage, file: &mut Vec<u8>, random: &mut Random) {
    if file.is_empty() {
        file.extend(random.next().to_le_bytes());
        return;
    }
    let at = random.below(file.len());
    let worst = random.pick(&WORST).to_le_bytes();
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
            // Behind a header of eight bytes, mostly near the start or the end.
            let elements = file.len().saturating_sub(8) / size;
            let near = random.below(elements.min(4));
            let element = match random.below(3) {
                0 => near,
                1 => elements.saturating_sub(near + 1),
                _ => random.below(elements),
            };
            if let Some(place) = file.get_mut(8 + element * size..8 + (element + 1) * size) {
                place.copy_from_slice(&worst[..size]);
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
