//! BP-128 bit packing: plain, minus-one, delta and zigzag-delta codecs with SIMD kernels.
//!
//! An array of 32-bit integers is divided into chunks of [`CHUNK`] = 128 values, and each chunk is
//! stored with as many bits per value as its largest value needs. BPCells matrices and fragments
//! are packed like this; see the section "Bitpacking formats" of its format document. An array is
//! stored as:
//!
//! | array | content |
//! |---|---|
//! | `data` | packed words; a chunk of width B takes 4 B of them |
//! | `idx` | where each chunk begins in `data`, modulo 2^32, and where the last one ends |
//! | `idx_offsets` | which entries of `idx` belong to which multiple of 2^32 |
//! | `starts` | the first value of each chunk, for codecs that store differences |
//!
//! To write, push values into an [`Encoder`], take finished output with [`Encoder::drain`], and
//! take the rest, with `idx_offsets`, from [`Encoder::finish`].
//!
//! To read, check `idx_offsets` once with [`EpochTable::new`], get the absolute position of the
//! first chunk with [`EpochTable::absolute`], and decode a run of chunks with [`unpack_chunks`].
//! Decoding is several times faster than memory: decode a few chunks at a time into a small buffer
//! that stays in the cache.
//!
//! ```
//! use nnz_bitpack::{CHUNK, Codec, EPOCH_WORDS, Encoder, EpochTable, unpack_chunks};
//!
//! let rows = [0, 3, 4, 9, 2, 5, 1_000_000];
//! let mut encoder = Encoder::new(Codec::DeltaZigzag);
//! encoder.push(&rows);
//! let packed = encoder.finish();
//!
//! let epochs = EpochTable::new(&packed.idx_offsets, 1, EPOCH_WORDS)?;
//! let first = epochs.absolute(0, packed.idx[0]);
//! let mut decoded = [0; CHUNK];
//! unpack_chunks(
//!     Codec::DeltaZigzag,
//!     &packed.idx,
//!     first,
//!     0,
//!     &packed.data,
//!     &packed.starts,
//!     &mut decoded,
//! )?;
//! assert_eq!(decoded[..rows.len()], rows);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Kernels are selected once at run time ([`Backend`]); each set is tested against plain Rust. The
//! crate does no I/O and depends only on the standard library.

#[macro_use]
mod processors;

mod backend;
mod chunks;
mod codec;
mod encoder;
mod epoch;
mod error;
mod fold;
mod kernels;
mod key_set;
mod pairs;
mod pick;
mod product;
mod run;

pub use backend::{Backend, pack_chunk, unpack_chunk};
pub use chunks::Chunks;
pub use codec::{CHUNK, Codec, chunk_words, value_at};
pub use encoder::{Encoder, Finished, Pending};
pub use epoch::{EPOCH_WORDS, EpochError, EpochTable};
pub use error::ChunkError;
pub use fold::{Fold, add, ascends, count_descents, count_descents_between, is_sorted, max, sum};
pub use key_set::KeySet;
pub use pairs::{PairRows, deinterleave_u32, deinterleave_u64, interleave_u32, interleave_u64};
pub use pick::{SMALL, all_less, find_in_table, look_up_f32, pick, take_bits};
pub use product::{add_rows_f32, add_rows_f64, add_to_rows_f32, add_to_rows_f64, log1p_f32};
pub use run::{unpack_chunks, unpack_chunks_onto};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
