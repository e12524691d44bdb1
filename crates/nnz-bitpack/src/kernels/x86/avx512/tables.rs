//! Tables with the positions of values in a chunk, for each width.

use crate::CHUNK;

/// Returns whether a chunk of this width has at least four words, four steps fit in four words, and
/// each value in four bytes.
pub(super) const fn steps_hold(width: usize) -> bool {
    width >= 4 && width < STEPS.len()
}

/// Returns whether each value of this width fits in two bytes, and the sum of sixteen in 16 bits.
pub(super) const fn deltas_hold(width: usize) -> bool {
    // Values of an even width begin at an even bit, and values of width twelve at bit 0 or 4.
    width >= 1 && (width <= 10 || width == 12)
}

/// How to unpack chunks of a width, four steps at once.
#[repr(align(64))]
pub(super) struct Steps {
    /// For each four steps, the positions of the bytes of each value in the loaded words.
    pub(super) places: [[u8; 64]; 8],
    /// The bit of these bytes where a value begins; the same for every other four steps.
    pub(super) shifts: [[u32; 16]; 2],
    /// The first word to load, for each four steps.
    pub(super) windows: [usize; 8],
}

pub(super) static STEPS: [Steps; 26] = {
    let mut steps = [Steps::NONE; 26];
    let mut width = 4;
    while width < steps.len() {
        steps[width] = Steps::of(width);
        width += 1;
    }
    steps
};

impl Steps {
    const NONE: Self = Self { places: [[0; 64]; 8], shifts: [[0; 16]; 2], windows: [0; 8] };

    const fn of(width: usize) -> Self {
        let mut table = Self::NONE;
        let mut value = 0;
        while value < CHUNK {
            let (step, lane) = (value / 4, value % 4);
            let (four, at) = (value / 16, value % 16);
            let window = window(4 * four, width);
            let begin = step * width;
            let mut byte = 0;
            while byte < 4 {
                table.places[four][4 * at + byte] = place(begin / 8 + byte, lane, window);
                byte += 1;
            }
            table.shifts[four % 2][at] = shift(begin) as u32;
            table.windows[four] = window;
            value += 1;
        }
        table
    }
}

/// How to unpack chunks of narrow deltas, eight steps at once: the first four into the lower half
/// of each lane, the others into the upper half.
#[repr(align(64))]
pub(super) struct Deltas {
    /// For each eight steps, the positions of the bytes of each value in the loaded words.
    pub(super) places: [[u8; 64]; 4],
    /// The bit of these bytes where a value begins; the same for all eight steps.
    pub(super) shifts: [u16; 32],
    /// The first word to load, for each eight steps.
    pub(super) windows: [usize; 4],
}

pub(super) static DELTAS: [Deltas; 13] = {
    let mut deltas = [Deltas::NONE; 13];
    let mut width = 1;
    while width < deltas.len() {
        deltas[width] = Deltas::of(width);
        width += 1;
    }
    deltas
};

impl Deltas {
    const NONE: Self = Self { places: [[0; 64]; 4], shifts: [0; 32], windows: [0; 4] };

    const fn of(width: usize) -> Self {
        let mut table = Self::NONE;
        let mut value = 0;
        while value < CHUNK {
            let (step, lane) = (value / 4, value % 4);
            let (eight, half) = (step / 8, step % 8 / 4);
            let at = 2 * (4 * (step % 4) + lane) + half;
            let window = window(8 * eight, width);
            let begin = step * width;
            table.places[eight][2 * at] = place(begin / 8, lane, window);
            table.places[eight][2 * at + 1] = place(begin / 8 + 1, lane, window);
            table.shifts[at] = shift(begin) as u16;
            table.windows[eight] = window;
            value += 1;
        }
        table
    }
}

/// Returns the first of the four words to load for a step and those after it: at most the fourth
/// from the end of a chunk.
const fn window(step: usize, width: usize) -> usize {
    let (word, last) = (step * width / 32, width.saturating_sub(4));
    if word < last { word } else { last }
}

/// Returns the position of byte `byte` of a lane in the words from `window` on. Bytes past the
/// first four words have no bits of a value.
#[allow(clippy::cast_possible_truncation, reason = "it is less than 64")]
const fn place(byte: usize, lane: usize, window: usize) -> u8 {
    ((16 * (byte / 4 - window) + 4 * lane + byte % 4) % 64) as u8
}

/// Returns the bit of its first byte where a value begins.
#[allow(clippy::cast_possible_truncation, reason = "it is less than 8")]
const fn shift(begin: usize) -> u8 {
    (begin % 8) as u8
}
