//! From the stored bytes of a chunk to its elements.

mod zstd;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hdf5_reader::messages::filter_pipeline::FilterPipelineMessage;
use libdeflater::{DecompressionError, Decompressor};
use rust_hdf5::format::FormatError;
use rust_hdf5::format::messages::filter::{Filter, FilterPipeline, reverse_filters_masked_into};

pub(super) use crate::shuffle::shuffle;
use crate::shuffle::unshuffle;

pub(super) const DEFLATE: u16 = 1;
pub(super) const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;
pub(super) const ZSTD: u16 = 32015;

/// The names of registered filters, for messages.
const NAMES: &[(u16, &str)] = &[
    (4, "szip"),
    (5, "nbit"),
    (6, "scaleoffset"),
    (305, "lzo"),
    (307, "bzip2"),
    (32000, "lzf"),
    (32001, "blosc"),
    (32004, "lz4"),
    (32008, "bitshuffle"),
    (32013, "zfp"),
    (ZSTD, "zstd"),
    (32017, "sz"),
    (32026, "blosc2"),
];

/// What was done to chunks when they were written, in that order.
pub(super) struct Pipeline(FilterPipeline);

/// Why a chunk could not be decoded.
pub(super) enum Undecoded {
    Damaged(String),
    Unsupported(String),
}

/// Memory that is used again from chunk to chunk.
#[derive(Default)]
pub(super) struct Scratch {
    inflater: Option<Decompressor>,
    zstd: Option<rust_zstd::Decompressor>,
    shuffled: Vec<u8>,
}

impl Pipeline {
    pub(super) fn of(parsed: Option<&FilterPipelineMessage>) -> Self {
        let filters = parsed.into_iter().flat_map(|parsed| &parsed.filters);
        let filters = filters.map(|filter| Filter {
            id: filter.id,
            flags: 0,
            cd_values: filter.client_data.clone(),
        });
        Self(FilterPipeline { filters: filters.collect() })
    }

    /// Returns whether chunks are stored as they are when these filters were left out.
    pub(super) fn is_plain(&self, skipped: u32) -> bool {
        self.active(skipped).next().is_none()
    }

    /// Returns how many bytes one stored byte can stand for.
    pub(super) fn most_ratio(&self) -> u64 {
        match self.0.filters.iter().any(|filter| filter.id > FLETCHER32) {
            // Deflate goes no further.
            false => 1032,
            // Some others state a run of any length in a few bytes, block by block.
            true => 1 << 16,
        }
    }

    fn active(&self, skipped: u32) -> impl Iterator<Item = &Filter> {
        let skips = move |at: usize| at < 32 && skipped & (1 << at) != 0;
        self.0.filters.iter().enumerate().filter(move |(at, _)| !skips(*at)).map(|(_, f)| f)
    }

    /// Decodes a chunk into all of `out`; it has to have exactly that many bytes.
    pub(super) fn decode(
        &self,
        stored: &[u8],
        skipped: u32,
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), Undecoded> {
        let filters: Vec<(u16, usize)> = self.active(skipped).map(of_interest).collect();
        let checked;
        let (filters, stored) = match filters.split_last() {
            Some((&(FLETCHER32, _), before)) => {
                checked = hdf5_reader::filters::fletcher32::verify_and_strip(stored)
                    .map_err(|error| Undecoded::Damaged(error.to_string()))?;
                (before, &checked[..])
            }
            _ => (&filters[..], stored),
        };
        match filters {
            [] => {
                same_length(stored.len(), out.len())?;
                out.copy_from_slice(stored);
                Ok(())
            }
            [(SHUFFLE, width)] => {
                same_length(stored.len(), out.len())?;
                unshuffle(stored, *width, out);
                Ok(())
            }
            [(DEFLATE, _)] => inflate(&mut scratch.inflater, stored, out),
            [(SHUFFLE, width), (DEFLATE, _)] => {
                scratch.shuffled.resize(out.len(), 0);
                inflate(&mut scratch.inflater, stored, &mut scratch.shuffled)?;
                unshuffle(&scratch.shuffled, *width, out);
                Ok(())
            }
            [(ZSTD, _)] => zstd::decompress(&mut scratch.zstd, stored, out),
            [(SHUFFLE, width), (ZSTD, _)] => {
                scratch.shuffled.resize(out.len(), 0);
                zstd::decompress(&mut scratch.zstd, stored, &mut scratch.shuffled)?;
                unshuffle(&scratch.shuffled, *width, out);
                Ok(())
            }
            _ => self.decode_elsewhere(stored, skipped, out),
        }
    }

    /// Decodes by the crate that writes, which knows more filters.
    fn decode_elsewhere(
        &self,
        stored: &[u8],
        skipped: u32,
        out: &mut [u8],
    ) -> Result<(), Undecoded> {
        let decode = || reverse_filters_masked_into(&self.0, stored, skipped, out);
        match catch_unwind(AssertUnwindSafe(decode)) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(FormatError::UnsupportedFeature(_))) => {
                Err(Undecoded::Unsupported(self.describe()))
            }
            Ok(Err(error)) => Err(Undecoded::Damaged(error.to_string())),
            Err(_) => Err(Undecoded::Damaged("it contradicts itself".to_owned())),
        }
    }

    fn describe(&self) -> String {
        let name = |filter: &Filter| match NAMES.iter().find(|(id, _)| *id == filter.id) {
            Some((id, name)) => format!("{name} ({id})"),
            None => format!("number {}", filter.id),
        };
        let unusual = self.0.filters.iter().filter(|filter| filter.id > FLETCHER32);
        let names: Vec<String> = unusual.map(name).collect();
        format!("the HDF5 filter {} is not handled", names.join(", "))
    }
}

fn of_interest(filter: &Filter) -> (u16, usize) {
    let first = filter.cd_values.first().copied().unwrap_or(0);
    (filter.id, usize::try_from(first).unwrap_or(0))
}

fn same_length(found: usize, expected: usize) -> Result<(), Undecoded> {
    if found == expected {
        return Ok(());
    }
    Err(Undecoded::Damaged(format!("it has {found} bytes")))
}

fn inflate(kept: &mut Option<Decompressor>, from: &[u8], out: &mut [u8]) -> Result<(), Undecoded> {
    let inflater = kept.get_or_insert_with(Decompressor::new);
    match inflater.zlib_decompress(from, out) {
        Ok(written) => same_length(written, out.len()),
        Err(DecompressionError::InsufficientSpace) => {
            Err(Undecoded::Damaged("it inflates to more".to_owned()))
        }
        Err(DecompressionError::BadData) => {
            Err(Undecoded::Damaged("its compressed data are wrong or cut short".to_owned()))
        }
    }
}
