//! Parsing a region of a genome.

use std::ops::Range;

use nnz_core::{Error, Result, StringList};

use super::names::{Numbers, shown};

/// A range of bases of a chromosome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The number of the chromosome in the list of names.
    pub chromosome: u32,
    /// The bases, counted from 0; the end is exclusive.
    pub bases: Range<u32>,
}

impl Region {
    /// Parses `CHROMOSOME`, `CHROMOSOME:START-END` or `CHROMOSOME:START-`, where START is counted
    /// from 0 and END is exclusive. Digits may be grouped by commas.
    ///
    /// ```
    /// use nnz_engine::fragments::Region;
    /// let names = ["chr1", "HLA:01"].into_iter().collect();
    /// assert_eq!(Region::parse("chr1:1,000-2,000", &names)?.bases, 1000..2000);
    /// assert_eq!(Region::parse("HLA:01", &names)?.bases, 0..u32::MAX);
    /// assert!(Region::parse("chr2", &names).is_err());
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no such chromosome, or if the range is invalid.
    pub fn parse(text: &str, chromosomes: &StringList) -> Result<Self> {
        let numbers = Numbers::<&[u8]>::of(chromosomes);
        // Names can contain colons.
        if let Some(chromosome) = numbers.find(text.as_bytes())? {
            return Ok(Self { chromosome, bases: 0..u32::MAX });
        }
        let (name, bases) = match text.rsplit_once(':') {
            Some((name, bases)) => (name, Some(bases)),
            None => (text, None),
        };
        let chromosome = numbers.find_one("chromosome", name.as_bytes())?;
        let bases = match bases {
            None => 0..u32::MAX,
            Some(bases) => range(bases).ok_or_else(|| {
                let expected =
                    "a range such as 10000-20000, counted from 0, with the end after the start";
                let found = shown(bases.as_bytes());
                Error::argument(format!("found {found} in a region, expected {expected}"))
            })?,
        };
        Ok(Self { chromosome, bases })
    }
}

fn range(text: &str) -> Option<Range<u32>> {
    let (start, end) = text.split_once('-')?;
    let start = number(start)?;
    let end = if end.is_empty() { u32::MAX } else { number(end)? };
    (start < end).then_some(start..end)
}

/// Parses digits, plain or in groups of three separated by commas.
fn number(text: &str) -> Option<u32> {
    let mut groups = text.split(',');
    let first = groups.next()?;
    let grouped = text.contains(',');
    let digits = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    if !digits(first) || (grouped && first.len() > 3) {
        return None;
    }
    if !groups.all(|group| digits(group) && group.len() == 3) {
        return None;
    }
    text.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bases(text: &str) -> Option<(u32, Range<u32>)> {
        let names = ["chr1", "chr2", "HLA-A*01:01", "chr1:5-9"].into_iter().collect();
        Region::parse(text, &names).ok().map(|region| (region.chromosome, region.bases))
    }

    #[test]
    fn regions_are_parsed_with_and_without_bases() {
        assert_eq!(bases("chr1"), Some((0, 0..u32::MAX)));
        assert_eq!(bases("chr2:10-20"), Some((1, 10..20)));
        assert_eq!(bases("chr2:1,000-1,000,000"), Some((1, 1000..1_000_000)));
        assert_eq!(bases("chr2:100-"), Some((1, 100..u32::MAX)));
        assert_eq!(bases("HLA-A*01:01"), Some((2, 0..u32::MAX)));
        assert_eq!(bases("HLA-A*01:01:7-8"), Some((2, 7..8)));
        // A name takes precedence.
        assert_eq!(bases("chr1:5-9"), Some((3, 0..u32::MAX)));
    }

    #[test]
    fn invalid_regions_are_refused() {
        for text in [
            "",
            "chr3",
            "chr3:1-2",
            "chr1:",
            "chr1:5",
            "chr1:-5",
            "chr1:9-5",
            "chr1:5-5",
            "chr1:1,00-200",
            "chr1:1000,000-2000000",
            "chr1:1-4294967296",
            "chr1:+1-2",
            "chr1:1-2-3",
            "chr1:a-b",
            "chr1: 1-2",
            ":1-2",
        ] {
            assert_eq!(bases(text), None, "{text}");
        }
    }
}
