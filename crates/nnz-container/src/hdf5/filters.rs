//! Decoding of chunks.

mod fletcher32;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hdf5_reader::messages::filter_pipeline::FilterPipelineMessage;
use rust_hdf5::format::FormatError;
use rust_hdf5::format::messages::filter::{
    Filter, FilterPipeline, reverse_filters_masked_bounded, reverse_filters_masked_into,
};

use crate::codec::{self, Decoder, Undecoded, same_length};
use crate::shuffle::unshuffle;

pub(super) const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;

/// The names of filters other than codecs.
const NAMES: &[(u16, &str)] = &[
    (SHUFFLE, "shuffle"),
    (FLETCHER32, "fletcher32"),
    (4, "szip"),
    (5, "nbit"),
    (6, "scaleoffset"),
    (305, "lzo"),
    (307, "bzip2"),
    (32000, "lzf"),
    (32004, "lz4"),
    (32008, "bitshuffle"),
    (32013, "zfp"),
    (32017, "sz"),
    (32026, "blosc2"),
];

/// The filters of chunks, in the order in which they were applied.
pub(super) struct Pipeline(Vec<Filter>);

/// Buffers that are reused for each chunk.
#[derive(Default)]
pub(super) struct Scratch {
    /// The last decoder, and the number of its filter.
    decoder: Option<(u16, Decoder)>,
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
        Self(filters.collect())
    }

    /// Returns the names of all filters.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|filter| name(filter.id)).collect()
    }

    /// Returns whether chunks are stored unchanged if these filters were skipped.
    pub(super) fn is_plain(&self, skipped: u32) -> bool {
        self.active(skipped).next().is_none()
    }

    /// Returns the maximum number of bytes that a stored byte is decoded to.
    pub(super) fn most_ratio(&self) -> u64 {
        match self.0.iter().any(|filter| filter.id > FLETCHER32) {
            // The maximum of deflate.
            false => 1032,
            // Some other filters store a run of any length in a few bytes per block.
            true => 1 << 16,
        }
    }

    fn active(&self, skipped: u32) -> impl Iterator<Item = &Filter> {
        let skips = move |at: usize| at < 32 && skipped & (1 << at) != 0;
        self.0.iter().enumerate().filter(move |(at, _)| !skips(*at)).map(|(_, f)| f)
    }

    /// Decodes a chunk into `out`, which must have the exact length.
    ///
    /// Filters are reversed one by one, the last first. Checksums are verified when it is their
    /// turn.
    pub(super) fn decode(
        &self,
        stored: &[u8],
        skipped: u32,
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), Undecoded> {
        let filters: Vec<&Filter> = self.active(skipped).collect();
        let mut filters = &filters[..];
        let mut stored = Cow::Borrowed(stored);
        while let Some((last, before)) = filters.split_last() {
            if last.id == FLETCHER32 {
                let covered = fletcher32::verify(&stored)?.len();
                match &mut stored {
                    Cow::Borrowed(bytes) => *bytes = &bytes[..covered],
                    Cow::Owned(bytes) => bytes.truncate(covered),
                }
            } else if decode_rest(filters, &stored, out, scratch)? {
                return Ok(());
            } else {
                stored = Cow::Owned(undo(last, &stored, most_encoded(before, out.len()))?);
            }
            filters = before;
        }
        same_length(stored.len(), out.len())?;
        out.copy_from_slice(&stored);
        Ok(())
    }
}

/// Decodes into `out` directly if these filters support it, and returns whether they do.
fn decode_rest(
    filters: &[&Filter],
    stored: &[u8],
    out: &mut [u8],
    scratch: &mut Scratch,
) -> Result<bool, Undecoded> {
    let width = |filter: &Filter| {
        let first = filter.cd_values.first().copied().unwrap_or(0);
        usize::try_from(first).unwrap_or(0)
    };
    let Scratch { decoder, shuffled } = scratch;
    match filters {
        [filter] if filter.id == SHUFFLE => {
            same_length(stored.len(), out.len())?;
            unshuffle(stored, width(filter), out);
        }
        [filter] => match decoder_of(filter.id, decoder) {
            Some(decode) => same_length(decode(stored, out)?, out.len())?,
            None => undo_into(filter, stored, out)?,
        },
        [before, filter] if before.id == SHUFFLE => {
            let Some(decode) = decoder_of(filter.id, decoder) else { return Ok(false) };
            shuffled.resize(out.len(), 0);
            same_length(decode(stored, shuffled)?, out.len())?;
            unshuffle(shuffled, width(before), out);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Returns the decoder of a filter, if it does not need `rust-hdf5`.
fn decoder_of(id: u16, kept: &mut Option<(u16, Decoder)>) -> Option<&mut Decoder> {
    if kept.as_ref().is_none_or(|(of, _)| *of != id) {
        *kept = Some((id, codec::of_hdf5(id)?.decoder?()));
    }
    kept.as_mut().map(|(_, decoder)| decoder)
}

/// Reverses a filter whose input had at most `most` bytes.
fn undo(filter: &Filter, stored: &[u8], most: usize) -> Result<Vec<u8>, Undecoded> {
    with_rust_hdf5(filter, |alone| reverse_filters_masked_bounded(alone, stored, 0, most))
}

/// Reverses a filter whose input had exactly as many bytes as `out`.
fn undo_into(filter: &Filter, stored: &[u8], out: &mut [u8]) -> Result<(), Undecoded> {
    with_rust_hdf5(filter, |alone| reverse_filters_masked_into(alone, stored, 0, out)).map(|_| ())
}

/// Calls `rust-hdf5`, which supports more filters, with a pipeline of one filter.
fn with_rust_hdf5<T>(
    filter: &Filter,
    call: impl FnOnce(&FilterPipeline) -> Result<T, FormatError>,
) -> Result<T, Undecoded> {
    let alone = FilterPipeline { filters: vec![filter.clone()] };
    match catch_unwind(AssertUnwindSafe(|| call(&alone))) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(FormatError::UnsupportedFeature(_))) => Err(unsupported(filter)),
        Ok(Err(error)) => Err(Undecoded::failed(error)),
        Err(_) => Err(Undecoded::Damaged("its data is inconsistent".to_owned())),
    }
}

/// Returns the name of a filter, if it is known.
fn known(id: u16) -> Option<&'static str> {
    let codec = codec::of_hdf5(id).map(|codec| codec.name);
    codec.or_else(|| NAMES.iter().find(|(known, _)| *known == id).map(|(_, name)| *name))
}

/// Returns the name of a filter.
fn name(id: u16) -> String {
    known(id).map_or_else(|| format!("filter {id}"), str::to_owned)
}

fn unsupported(filter: &Filter) -> Undecoded {
    let id = filter.id;
    let name = known(id).map_or_else(|| format!("number {id}"), |name| format!("{name} ({id})"));
    Undecoded::Unsupported(format!("the HDF5 filter {name} is not supported"))
}

/// Returns the maximum encoded size of a chunk of `bytes` bytes.
///
/// Compressors add little to incompressible data. The worst is LZ4 with blocks of one byte, which
/// takes five times as much; several such filters are not expected.
fn most_encoded(filters: &[&Filter], bytes: usize) -> usize {
    let added = |filter: &&Filter| match filter.id {
        SHUFFLE => 0,
        FLETCHER32 => fletcher32::BYTES,
        _ => 1 << 12,
    };
    let compressed = filters.iter().any(|filter| !matches!(filter.id, SHUFFLE | FLETCHER32));
    let factor = if compressed { 5 } else { 1 };
    filters.iter().map(added).fold(bytes.saturating_mul(factor), usize::saturating_add)
}
