//! Random damage to files, the same on every machine.

use crate::random::Random;

/// Default number of mutations of each file, and of kills of a write.
const ROUNDS: u64 = 8;

/// Returns how often each file is mutated: `NNZ_MUTATIONS`, or 8.
pub fn rounds() -> u64 {
    std::env::var("NNZ_MUTATIONS").map_or(ROUNDS, |rounds| rounds.parse().unwrap())
}

/// Returns whether more than the default is tested.
pub fn is_thorough() -> bool {
    rounds() > ROUNDS
}

/// Extreme values of binary lengths, addresses and counts.
pub const BINARY_EXTREMES: [&[u8]; 9] = [
    &[0xff; 8],
    &[0; 8],
    &[0; 4],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0, 0, 0, 0, 1, 0, 0, 0],
    &[1, 0, 0, 0, 0, 0, 0, 0x10],
    &[0xff],
    &[0],
    &[0x80],
];

/// Extreme values of numbers in a text, and other values in their place.
pub const TEXT_EXTREMES: [&[u8]; 6] =
    [b"9999999999", b"18446744073709551615", b"-1", b"{", b"[]", b"null"];

/// The part of a file where most of its metadata is.
const FRONT: usize = 8192;

fn extreme(random: &mut Random) -> &'static [u8] {
    let number = random.below(BINARY_EXTREMES.len() + TEXT_EXTREMES.len());
    BINARY_EXTREMES.iter().chain(&TEXT_EXTREMES).nth(number).unwrap()
}

/// Damages a file in one of several ways. An empty file may stay empty.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    match random.below(8) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            let more = *random.pick(&[1, 4, 512]);
            bytes.resize(bytes.len() + more, random.next() as u8);
        }
        2 => {
            // Move a part of the file.
            let len = random.below(256).min(bytes.len() / 2);
            let (from, to) = (random.below(bytes.len() - len), random.below(bytes.len() - len));
            bytes.copy_within(from..from + len, to);
        }
        3 => {
            // Replace a number of a text.
            let at = random.below(bytes.len());
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            bytes.splice(at..at + digits, extreme(random).iter().copied());
        }
        _ => {
            for _ in 0..=random.below(6) {
                let end = if random.below(3) == 0 { bytes.len() } else { bytes.len().min(FRONT) };
                let at = random.below(end);
                let extreme = extreme(random);
                match (random.below(2), bytes.get_mut(at)) {
                    (_, None) => {}
                    (0, Some(byte)) => *byte ^= 1 << random.below(8),
                    (_, Some(_)) => {
                        let end = (at + extreme.len()).min(bytes.len());
                        bytes[at..end].copy_from_slice(&extreme[..end - at]);
                    }
                }
            }
        }
    }
}
