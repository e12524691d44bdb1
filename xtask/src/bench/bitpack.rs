//! Packing and unpacking in the first-level cache, compared with the `bitpacking` crate and a plain
//! copy.
//!
//! Every contender processes the same 16 chunks (8 KiB of values). A round times each of them once,
//! one after the other, so that changes of the clock rate and other load affect all of them; the
//! result is the median of the rounds.

#![allow(clippy::cast_precision_loss, clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use bitpacking::{BitPacker, BitPacker4x};
use nnz_bitpack::{Backend, CHUNK, Codec, chunk_words};
use nnz_testing::random::Random;

const CHUNKS: usize = 16;
const VALUES: usize = CHUNKS * CHUNK;
const ROUNDS: usize = 61;
/// Passes over the chunks in one timing, long enough for the resolution of the clock.
const PASSES: usize = 50;

/// The columns of the table.
const COLUMNS: [&str; 14] = [
    "memcpy", "plain", "m1", "d1", "d1z", "pack", "pack-m1", "pack-d1", "pack-d1z", "kernel",
    "x-plain", "x-d1", "x-pack", "x-kernel",
];

/// The goals: our column, the column it is compared with, and the ratio to reach.
const GOALS: [(&str, &str, f64); 6] = [
    ("plain", "x-plain", 1.0),
    ("m1", "x-plain", 1.0),
    ("d1", "x-d1", 1.0),
    ("d1z", "d1", 0.8),
    ("pack", "x-pack", 1.0),
    ("kernel", "x-kernel", 1.0),
];

/// Prints the table for the best backend of this processor, and whether the goals are met.
pub fn run() {
    run_on(Backend::best());
}

/// Prints the table for one backend.
pub fn run_on(backend: Backend) {
    println!("BP-128 in L1, {} kernels, G ints/s; x- is the bitpacking crate", backend.name());
    print!("width");
    for column in COLUMNS {
        print!(" {column:>8}");
    }
    println!();
    let mut table = Vec::new();
    for width in 1..32 {
        let figures = measure(backend, width);
        print!("{width:>5}");
        for figure in figures {
            print!(" {figure:>8.2}");
        }
        println!();
        table.push(figures);
    }
    summarise(&table);
}

fn summarise(table: &[[f64; COLUMNS.len()]]) {
    print!("  med");
    for column in 0..COLUMNS.len() {
        print!(" {:>8.2}", median(table.iter().map(|row| row[column]).collect()));
    }
    println!();
    println!("\nmedian over widths of the ratio, and their minimum");
    for (ours, theirs, goal) in GOALS {
        let (ours_at, theirs_at) = (column(ours), column(theirs));
        let ratios: Vec<f64> = table.iter().map(|row| row[ours_at] / row[theirs_at]).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let ratio = median(ratios);
        let verdict = if ratio >= goal { "met" } else { "MISSED" };
        println!(
            "{ours:>8} / {theirs:<8} {ratio:>5.2} (minimum {least:.2}), goal {goal:.2}: {verdict}"
        );
    }
}

fn column(name: &str) -> usize {
    COLUMNS.iter().position(|&column| column == name).unwrap_or(0)
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Returns the speed of every column at a width, in G ints/s.
fn measure(backend: Backend, width: u8) -> [f64; COLUMNS.len()] {
    let bench = Bench::new(backend, width);
    let mut rounds: [Vec<f64>; COLUMNS.len()] = Default::default();
    let mut values = bench.values.clone();
    let mut bytes = vec![0; VALUES * 4];
    let mut packed = vec![0; VALUES];
    for _ in 0..ROUNDS {
        for (column, name) in COLUMNS.iter().enumerate() {
            // Once before the clock starts, to warm caches and branch predictors.
            bench.pass(name, &mut values, &mut packed, &mut bytes);
            let begin = Instant::now();
            for _ in 0..PASSES {
                bench.pass(black_box(name), &mut values, &mut packed, &mut bytes);
            }
            let nanos = begin.elapsed().as_nanos() as f64;
            rounds[column].push((PASSES * VALUES) as f64 / nanos);
        }
    }
    rounds.map(median)
}

/// The inputs of all contenders for one width.
struct Bench {
    backend: Backend,
    width: u8,
    /// Values of exactly that width, in order inside a chunk where possible.
    values: Vec<u32>,
    /// Packed words, for our code.
    words: Vec<u32>,
    idx: Vec<u32>,
    starts: Vec<u32>,
    /// The same as bytes, for the crate.
    bytes: Vec<u8>,
}

impl Bench {
    fn new(backend: Backend, width: u8) -> Self {
        let step = chunk_words(u32::from(width));
        let mut random = Random::new(1);
        let mut next = || random.next() as u32;
        let words: Vec<u32> = (0..CHUNKS * step).map(|_| next()).collect();
        let values = (0..VALUES).map(|_| next() >> (32 - width) | 1 << (width - 1)).collect();
        Self {
            backend,
            width,
            values,
            bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            idx: (0..=CHUNKS as u32).map(|chunk| chunk * step as u32).collect(),
            starts: vec![0; CHUNKS],
            words,
        }
    }

    /// Runs the contender of a column once over all chunks.
    fn pass(&self, column: &str, values: &mut [u32], packed: &mut [u32], bytes: &mut [u8]) {
        match column {
            "memcpy" => values.copy_from_slice(black_box(&self.values)),
            "plain" => self.unpack(Codec::Plain, values),
            "m1" => self.unpack(Codec::MinusOne, values),
            "d1" => self.unpack(Codec::Delta, values),
            "d1z" => self.unpack(Codec::DeltaZigzag, values),
            "pack" => self.pack(Codec::Plain, packed),
            "pack-m1" => self.pack(Codec::MinusOne, packed),
            "pack-d1" => self.pack(Codec::Delta, packed),
            "pack-d1z" => self.pack(Codec::DeltaZigzag, packed),
            "kernel" => self.kernel(packed),
            "x-plain" => self.their_unpack(false, values),
            "x-d1" => self.their_unpack(true, values),
            "x-pack" => self.their_pack(true, bytes),
            _ => self.their_pack(false, bytes),
        }
        black_box((values, packed, bytes));
    }

    fn unpack(&self, codec: Codec, out: &mut [u32]) {
        let result = black_box(self.backend).unpack_chunks(
            codec,
            &self.idx,
            0,
            0,
            &self.words,
            &self.starts,
            out,
        );
        assert_eq!(result, Ok(()));
    }

    fn pack(&self, codec: Codec, packed: &mut [u32]) {
        for (values, packed) in self.chunks().iter().zip(packed.as_chunks_mut().0) {
            black_box(self.backend.pack_chunk(codec, values, packed));
        }
    }

    fn kernel(&self, packed: &mut [u32]) {
        for (values, packed) in self.chunks().iter().zip(packed.as_chunks_mut().0) {
            black_box(self.backend.pack_bits(self.width.into(), values, packed));
        }
    }

    fn chunks(&self) -> &[[u32; CHUNK]] {
        self.values.as_chunks().0
    }

    fn their_unpack(&self, sorted: bool, out: &mut [u32]) {
        let packer = BitPacker4x::new();
        let width = black_box(self.width);
        let size = BitPacker4x::compressed_block_size(width);
        for (bytes, out) in self.bytes.chunks_exact(size).zip(out.as_chunks_mut::<CHUNK>().0) {
            let read = if sorted {
                packer.decompress_sorted(0, bytes, out, width)
            } else {
                packer.decompress(bytes, out, width)
            };
            assert_eq!(read, size);
        }
    }

    fn their_pack(&self, measure_width: bool, bytes: &mut [u8]) {
        let packer = BitPacker4x::new();
        for (values, bytes) in self.chunks().iter().zip(bytes.as_chunks_mut::<512>().0) {
            let width = if measure_width { packer.num_bits(values) } else { black_box(self.width) };
            black_box(packer.compress(values, bytes, width));
        }
    }
}
