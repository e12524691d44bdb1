//! The numbers of a picture.

use nnz::Error;
use nnz::plot::draw::Figure;
use nnz::plot::{self, Density, FragmentLengths, Lengths, PackedWidths, ValueCounts};

use super::json;

/// The numbers of a picture, by kind.
pub(super) enum Numbers {
    Spy(Density),
    Lengths(Lengths),
    Values(ValueCounts),
    Bits(Vec<PackedWidths>),
    Fragments(FragmentLengths),
}

impl Numbers {
    /// Makes a figure of them.
    pub(super) fn figure(&self, title: &str) -> Figure {
        match self {
            Self::Spy(density) => plot::spy(density, title),
            Self::Lengths(lengths) => plot::distribution(lengths, title),
            Self::Values(counts) => plot::values(counts, title),
            Self::Bits(widths) => plot::bits(widths, title),
            Self::Fragments(lengths) => plot::fragment_lengths(lengths, title),
        }
    }

    /// Prints them as JSON.
    pub(super) fn print(&self) -> Result<(), Error> {
        match self {
            Self::Spy(density) => json::spy(density),
            Self::Lengths(lengths) => json::lengths(lengths),
            Self::Values(counts) => json::values(counts),
            Self::Bits(widths) => json::bits(widths),
            Self::Fragments(lengths) => json::fragments(lengths),
        }
    }
}
