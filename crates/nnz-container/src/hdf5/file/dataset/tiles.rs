//! Rows of an array cut into chunks.

use nnz_core::{Error, Result};

use super::super::dataspace::product;

/// How the rows of an array are cut into chunks. A band of chunks holds as many rows as a chunk is long.
pub(super) struct Tiles {
    element: usize,
    /// Elements along each axis but the first.
    shape: Vec<usize>,
    /// Elements of a chunk along each axis.
    chunk: Vec<usize>,
    band: usize,
}

impl Tiles {
    pub(super) fn new(shape: &[u64], chunk: &[u32], element: u32) -> Result<Self> {
        let narrow = |len: u64| {
            usize::try_from(len).map_err(|_| Error::argument("an axis longer than memory"))
        };
        let others = shape.get(1..).unwrap_or_default();
        let rows = chunk.first().copied().unwrap_or(1);
        let band = product(others.iter().copied().chain([rows.into(), element.into()]))?;
        Ok(Self {
            element: narrow(element.into())?,
            shape: others.iter().map(|len| narrow(*len)).collect::<Result<_>>()?,
            chunk: chunk.iter().map(|len| narrow((*len).into())).collect::<Result<_>>()?,
            band: narrow(band)?,
        })
    }

    /// Returns the bytes of a band of rows, before it is cut.
    pub(super) fn band_bytes(&self) -> usize {
        self.band
    }

    /// Returns the offset of a chunk along each axis.
    pub(super) fn offsets(&self, number: usize) -> Vec<u64> {
        let mut left = number as u64;
        let mut offsets = vec![0; self.chunk.len()];
        for axis in (1..self.chunk.len()).rev() {
            let across = self.across(axis).max(1) as u64;
            offsets[axis] = left % across * self.chunk[axis] as u64;
            left /= across;
        }
        offsets.iter_mut().take(1).for_each(|offset| *offset = left * self.chunk[0] as u64);
        offsets
    }

    /// Returns the chunks along an axis other than the first.
    fn across(&self, axis: usize) -> usize {
        self.shape[axis - 1].div_ceil(self.chunk[axis])
    }

    /// Cuts bands of rows, the last of which may be short, into chunks, filled up with zeros.
    pub(super) fn cut(&self, mut rows: Vec<u8>) -> Result<Vec<u8>> {
        let whole = rows.len().div_ceil(self.band.max(1)) * self.band;
        if self.chunk.len() == 1 {
            rows.resize(whole, 0);
            return Ok(rows);
        }
        let axes = 1..self.chunk.len();
        let tiles = axes.clone().map(|axis| self.across(axis)).product::<usize>();
        let tile = self.chunk.iter().product::<usize>().checked_mul(self.element);
        let bands = rows.len().div_ceil(self.band.max(1));
        let bytes = tile.and_then(|tile| tile.checked_mul(tiles)?.checked_mul(bands));
        let bytes = bytes.ok_or_else(|| Error::argument("chunks larger than memory"))?;
        let mut out = Vec::with_capacity(bytes);
        for band in rows.chunks(self.band) {
            for number in 0..tiles {
                let offsets = self.offsets(number);
                let offsets = offsets.iter().map(|at| usize::try_from(*at).unwrap_or(usize::MAX));
                self.put_tile(band, 1, 0, &offsets.collect::<Vec<_>>(), &mut out);
            }
        }
        Ok(out)
    }

    /// Puts the part of a chunk that has the given index along the axes before `axis`, starting at
    /// element `start` of the band; the first axis counts as `axis` 1.
    fn put_tile(
        &self,
        band: &[u8],
        axis: usize,
        start: usize,
        offsets: &[usize],
        out: &mut Vec<u8>,
    ) {
        // Elements of one index along the axis.
        let stride: usize = self.shape[axis - 1..].iter().product();
        let first = offsets[axis - 1];
        let len = match axis {
            1 => band.len() / (stride * self.element).max(1),
            _ => self.shape[axis - 2],
        };
        for index in first..first + self.chunk[axis - 1] {
            let start = start + index * stride;
            if index >= len {
                let inner: usize = self.chunk[axis..].iter().product();
                out.resize(out.len() + inner * self.element, 0);
            } else if axis + 1 < self.chunk.len() {
                self.put_tile(band, axis + 1, start, offsets, out);
            } else {
                self.put_run(band, start, offsets[axis], out);
            }
        }
    }

    /// Puts the elements of a chunk along the last axis.
    fn put_run(&self, band: &[u8], start: usize, offset: usize, out: &mut Vec<u8>) {
        let axis = self.chunk.len() - 1;
        let used = self.chunk[axis].min(self.shape[axis - 1] - offset);
        let from = (start + offset) * self.element;
        let run = band.get(from..from + used * self.element).unwrap_or_default();
        out.extend_from_slice(run);
        out.resize(out.len() + self.chunk[axis] * self.element - run.len(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_and_filled_up() {
        let tiles = Tiles::new(&[3, 5], &[2, 2], 1).unwrap();
        assert_eq!(tiles.band_bytes(), 10);
        let rows: Vec<u8> = (1..=15).collect();
        let expected = [
            [1, 2, 6, 7],
            [3, 4, 8, 9],
            [5, 0, 10, 0],
            [11, 12, 0, 0],
            [13, 14, 0, 0],
            [15, 0, 0, 0],
        ];
        assert_eq!(tiles.cut(rows).unwrap(), expected.concat());
        assert_eq!(tiles.offsets(5), [2, 4]);
    }

    #[test]
    fn any_number_of_axes_is_cut() {
        let shape = [5_usize, 3, 4, 2];
        let chunk = [2_usize, 2, 3, 2];
        let wide: Vec<u64> = shape.iter().map(|len| *len as u64).collect();
        let tiles = Tiles::new(&wide, &[2, 2, 3, 2], 2).unwrap();
        let value = |at: [usize; 4]| {
            let linear = at.iter().zip(&shape).fold(0, |sum, (at, len)| sum * len + at);
            u16::try_from(linear + 1).unwrap().to_le_bytes()
        };
        let rows: Vec<u8> = (1..=120_u16).flat_map(u16::to_le_bytes).collect();
        let cut = tiles.cut(rows).unwrap();
        assert_eq!(cut.len(), 3 * 2 * 2 * 24 * 2);
        for (number, found) in cut.chunks(48).enumerate() {
            let offsets = tiles.offsets(number);
            for (place, found) in found.chunks(2).enumerate() {
                let mut left = place;
                let mut at = [0; 4];
                for axis in (0..4).rev() {
                    at[axis] = usize::try_from(offsets[axis]).unwrap() + left % chunk[axis];
                    left /= chunk[axis];
                }
                let inside = at.iter().zip(&shape).all(|(at, len)| at < len);
                assert_eq!(found, if inside { value(at) } else { [0, 0] }, "{number} {place}");
            }
        }
    }
}
