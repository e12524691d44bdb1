//! Division of the rows of an array into chunks.
//!
//! Elements are given in row order. A *band* is the smallest part that consists of complete chunks:
//! the adjacent chunks across the dimensions after the first one in which a chunk is longer than 1.

use nnz_core::{Error, Result};

use crate::product::product;

/// How the rows of an array are divided into chunks.
#[derive(Debug)]
pub struct Tiles {
    element: usize,
    /// Number of chunks along each dimension except the first.
    across: Vec<u64>,
    /// Number of elements of a chunk along each dimension.
    chunk: Vec<u64>,
    /// Number of bytes after which a band is cut off; `None` if only at the end of the array.
    run: Option<u64>,
    /// The dimensions along which a band is divided: the lengths of the array and of a chunk, both
    /// without the first.
    inner: Vec<usize>,
    tile: Vec<usize>,
    band: usize,
    /// The number of chunks down each column, if elements are given by column: all other fields describe the
    /// transposed array.
    down: Option<u64>,
}

impl Tiles {
    /// Creates the tiles of a matrix whose elements are given by column.
    ///
    /// # Errors
    ///
    /// Fails if the array has other dimensions than two, or is longer than memory.
    pub fn by_column(shape: &[u64], chunk: &[u64], element: usize) -> Result<Self> {
        let (&[rows, cols], &[down, across]) = (shape, chunk) else {
            return Err(Error::argument("elements by column require an array of 2 dimensions"));
        };
        let tiles = Self::new(&[cols, rows], &[across, down], element)?;
        Ok(Self { down: Some(rows.div_ceil(down.max(1)).max(1)), ..tiles })
    }

    /// Creates the tiles of an array; the length of the first dimension may be unknown.
    ///
    /// # Errors
    ///
    /// Fails if an axis is longer than memory.
    pub fn new(shape: &[u64], chunk: &[u64], element: usize) -> Result<Self> {
        let narrow = |len: u64| {
            usize::try_from(len).map_err(|_| Error::argument("an axis that does not fit in memory"))
        };
        let longer = chunk.iter().position(|len| *len > 1);
        let first = longer.unwrap_or(chunk.len()).min(chunk.len().saturating_sub(1));
        let inner = shape.get(first + 1..).unwrap_or_default();
        let rows = chunk.get(first).copied().unwrap_or(1);
        let row = product(inner.iter().copied().chain([element as u64]))?;
        let run = match first {
            0 => None,
            first => Some(product([shape[first], row].into_iter())?),
        };
        let others = shape.iter().zip(chunk).skip(1);
        Ok(Self {
            element,
            across: others.map(|(len, chunk)| len.div_ceil((*chunk).max(1)).max(1)).collect(),
            chunk: chunk.to_vec(),
            run: run.filter(|run| *run > 0),
            inner: inner.iter().map(|len| narrow(*len)).collect::<Result<_>>()?,
            tile: chunk[first.min(chunk.len())..]
                .iter()
                .map(|len| narrow(*len))
                .collect::<Result<_>>()?,
            band: narrow(product([rows, row].into_iter())?)?,
            down: None,
        })
    }

    /// Returns the size of a band in bytes, unless it is cut off.
    pub fn band_bytes(&self) -> usize {
        self.band
    }

    /// Returns whether bands are chunks, as in one dimension.
    pub fn is_plain(&self) -> bool {
        self.tile.len() <= 1 && self.run.is_none()
    }

    /// Returns the offset of a chunk along each axis.
    pub fn offsets(&self, number: usize) -> Vec<u64> {
        let mut at = self.place(number as u64);
        at.iter_mut().zip(&self.chunk).for_each(|(at, chunk)| *at *= chunk);
        if self.down.is_some() {
            at.reverse();
        }
        at
    }

    /// Returns the numbers of `count` chunks in row-major order. Chunks are numbered in the order in
    /// which they are cut.
    pub fn in_row_major_order(&self, count: usize) -> impl Iterator<Item = usize> {
        let down = self.down.and_then(|down| usize::try_from(down).ok());
        let (down, across) = match down {
            Some(down) => (down.max(1), count / down.max(1)),
            None => (1, count),
        };
        (0..down).flat_map(move |row| (0..across).map(move |col| col * down + row))
    }

    /// Returns the index of a chunk in the grid of chunks.
    pub fn place(&self, number: u64) -> Vec<u64> {
        let mut left = number;
        let mut at = vec![0; self.chunk.len()];
        for (at, across) in at.iter_mut().skip(1).zip(&self.across).rev() {
            *at = left % across;
            left /= across;
        }
        at.iter_mut().take(1).for_each(|at| *at = left);
        at
    }

    /// Returns how many of `available` bytes, from byte `position` of the array on, are complete
    /// bands.
    pub fn whole(&self, position: u64, available: usize) -> usize {
        let end = position.saturating_add(available as u64);
        let band = (self.band as u64).max(1);
        let boundary = match self.run {
            None => end / band * band,
            Some(run) => end / run * run + end % run / band * band,
        };
        usize::try_from(boundary.saturating_sub(position)).unwrap_or(0).min(available)
    }

    /// Divides bands into chunks padded with zeros. The first band starts at byte `position` of the
    /// array, the last one may be cut off.
    ///
    /// # Errors
    ///
    /// Fails if there is no memory for them.
    pub fn cut(&self, position: u64, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let tile = self.tile.iter().product::<usize>();
        let tile = tile.checked_mul(self.element);
        if self.tile.len() <= 1 && self.run.is_none() {
            let whole = bytes.len().div_ceil(self.band.max(1)).checked_mul(self.band);
            bytes.resize(whole.ok_or_else(too_large)?, 0);
            return Ok(bytes);
        }
        let tiles = (1..self.tile.len()).map(|axis| self.tiles_along(axis)).product::<usize>();
        let mut out = Vec::new();
        let (mut position, mut rest) = (position, &bytes[..]);
        while !rest.is_empty() {
            let left = self.run.map_or(u64::MAX, |run| run - position % run);
            let here = usize::try_from(left).unwrap_or(usize::MAX).min(self.band).min(rest.len());
            let (band, after) = rest.split_at(here);
            let more = tile.and_then(|tile| tile.checked_mul(tiles)).ok_or_else(too_large)?;
            out.try_reserve(more).map_err(|_| too_large())?;
            for number in 0..tiles {
                self.put_tile(band, 1, 0, &self.tile_offsets(number), &mut out);
            }
            position += here as u64;
            rest = after;
        }
        self.turn(&mut out);
        Ok(out)
    }

    /// Transposes chunks that were cut from a transposed array.
    fn turn(&self, chunks: &mut [u8]) {
        let (Some(_), &[across, down]) = (self.down, &self.chunk[..]) else { return };
        let narrow = |len: u64| usize::try_from(len).unwrap_or(1);
        let (across, down, size) = (narrow(across), narrow(down), self.element);
        if across == 1 || down == 1 || size == 0 {
            return;
        }
        let mut turned = vec![0; across * down * size];
        for chunk in chunks.chunks_exact_mut(turned.len()) {
            for (col, column) in chunk.chunks_exact(down * size).enumerate() {
                for (row, element) in column.chunks_exact(size).enumerate() {
                    let at = (row * across + col) * size;
                    turned[at..at + size].copy_from_slice(element);
                }
            }
            chunk.copy_from_slice(&turned);
        }
    }

    /// Returns the tiles of a band along an axis other than its first.
    fn tiles_along(&self, axis: usize) -> usize {
        self.inner[axis - 1].div_ceil(self.tile[axis])
    }

    /// Returns the offset of a tile of a band along each axis.
    fn tile_offsets(&self, number: usize) -> Vec<usize> {
        let mut left = number;
        let mut offsets = vec![0; self.tile.len()];
        for axis in (1..self.tile.len()).rev() {
            let along = self.tiles_along(axis).max(1);
            offsets[axis] = left % along * self.tile[axis];
            left /= along;
        }
        offsets
    }

    /// Copies the part of a chunk at one index along the axes before `axis`, from element `start`
    /// of the band on; the first axis has number 1.
    fn put_tile(
        &self,
        band: &[u8],
        axis: usize,
        start: usize,
        offsets: &[usize],
        out: &mut Vec<u8>,
    ) {
        // Elements of one index along the axis.
        let stride: usize = self.inner[axis - 1..].iter().product();
        let first = offsets[axis - 1];
        let len = match axis {
            1 => band.len() / (stride * self.element).max(1),
            _ => self.inner[axis - 2],
        };
        if axis == self.tile.len() {
            return self.put_run(band, start, first, len, out);
        }
        for index in first..first + self.tile[axis - 1] {
            if index >= len {
                let inner: usize = self.tile[axis..].iter().product();
                out.resize(out.len() + inner * self.element, 0);
            } else {
                self.put_tile(band, axis + 1, start + index * stride, offsets, out);
            }
        }
    }

    /// Copies the elements of a chunk along the last axis.
    fn put_run(&self, band: &[u8], start: usize, offset: usize, len: usize, out: &mut Vec<u8>) {
        let chunk = self.tile[self.tile.len() - 1];
        let used = chunk.min(len.saturating_sub(offset));
        let from = (start + offset) * self.element;
        let run = band.get(from..from + used * self.element).unwrap_or_default();
        out.extend_from_slice(run);
        out.resize(out.len() + chunk * self.element - run.len(), 0);
    }
}

fn too_large() -> Error {
    Error::argument("chunks that do not fit in memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_divided_and_padded() {
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
        assert_eq!(tiles.cut(0, rows).unwrap(), expected.concat());
        assert_eq!(tiles.offsets(5), [2, 4]);
    }

    /// Divides an array in pieces of `piece` bytes and compares each element of each chunk.
    fn check(shape: &[u64], chunk: &[u64], piece: usize) {
        let tiles = Tiles::new(shape, chunk, 2).unwrap();
        let count = shape.iter().product::<u64>();
        let rows: Vec<u8> =
            (1..=count).flat_map(|n| u16::try_from(n).unwrap().to_le_bytes()).collect();
        let (mut cut, mut position, mut pending) = (Vec::new(), 0, Vec::new());
        for piece in rows.chunks(piece) {
            pending.extend_from_slice(piece);
            let whole = tiles.whole(position, pending.len());
            let rest = pending.split_off(whole);
            cut.extend(tiles.cut(position, std::mem::replace(&mut pending, rest)).unwrap());
            position += whole as u64;
        }
        cut.extend(tiles.cut(position, pending).unwrap());
        let elements = chunk.iter().product::<u64>();
        let grid = shape.iter().zip(chunk).map(|(len, by)| len.div_ceil(*by)).product::<u64>();
        assert_eq!(cut.len() as u64, grid * elements * 2, "{shape:?} {chunk:?}");
        for (number, found) in cut.chunks(usize::try_from(elements).unwrap() * 2).enumerate() {
            let offsets = tiles.offsets(number);
            for (place, found) in found.chunks(2).enumerate() {
                let mut left = place as u64;
                let mut at = vec![0; shape.len()];
                for axis in (0..shape.len()).rev() {
                    at[axis] = offsets[axis] + left % chunk[axis];
                    left /= chunk[axis];
                }
                let inside = at.iter().zip(shape).all(|(at, len)| at < len);
                let linear = at.iter().zip(shape).fold(0, |sum, (at, len)| sum * len + at);
                let expected = if inside { u16::try_from(linear + 1).unwrap() } else { 0 };
                assert_eq!(found, expected.to_le_bytes(), "{shape:?} {chunk:?} {number} {place}");
            }
        }
    }

    #[test]
    fn columns_are_divided_into_the_same_chunks_as_rows() {
        for (shape, chunk) in [
            ([5, 7], [2, 3]),
            ([5, 7], [5, 7]),
            ([5, 7], [1, 3]),
            ([5, 7], [2, 1]),
            ([1, 9], [1, 4]),
            ([9, 1], [4, 1]),
            ([3, 3], [1, 1]),
        ] {
            let [rows, cols] = shape;
            let elements = |order: Vec<u64>| -> Vec<u8> {
                order.iter().flat_map(|n| u16::try_from(n + 1).unwrap().to_le_bytes()).collect()
            };
            let by_row = elements((0..rows * cols).collect());
            let by_col =
                (0..cols).flat_map(|col| (0..rows).map(move |row| row * cols + col)).collect();
            let by_col = elements(by_col);
            let plain = Tiles::new(&shape, &chunk, 2).unwrap();
            let expected = plain.cut(0, by_row).unwrap();
            let bytes = usize::try_from(chunk[0] * chunk[1]).unwrap() * 2;
            let expected: Vec<&[u8]> = expected.chunks(bytes).collect();
            let tiles = Tiles::by_column(&shape, &chunk, 2).unwrap();
            for piece in [1, 2, 13, 10_000] {
                let (mut cut, mut position, mut pending) = (Vec::new(), 0, Vec::new());
                for piece in by_col.chunks(piece) {
                    pending.extend_from_slice(piece);
                    let whole = tiles.whole(position, pending.len());
                    let rest = pending.split_off(whole);
                    let whole_bands = std::mem::replace(&mut pending, rest);
                    cut.extend(tiles.cut(position, whole_bands).unwrap());
                    position += whole as u64;
                }
                cut.extend(tiles.cut(position, pending).unwrap());
                let cut: Vec<&[u8]> = cut.chunks(bytes).collect();
                let order: Vec<usize> = tiles.in_row_major_order(cut.len()).collect();
                let found: Vec<&[u8]> = order.iter().map(|&number| cut[number]).collect();
                assert_eq!(found, expected, "{shape:?} {chunk:?} {piece}");
                let offsets = |tiles: &Tiles, number| tiles.offsets(number);
                let turned: Vec<_> = order.iter().map(|&number| offsets(&tiles, number)).collect();
                let straight: Vec<_> = (0..cut.len()).map(|at| offsets(&plain, at)).collect();
                assert_eq!(turned, straight);
            }
        }
    }

    #[test]
    fn arrays_of_any_number_of_axes_are_divided() {
        for piece in [1, 2, 37, 10_000] {
            check(&[5, 3, 4, 2], &[2, 2, 3, 2], piece);
            check(&[5, 3, 4, 2], &[1, 2, 3, 1], piece);
            check(&[5, 3, 4, 2], &[1, 1, 3, 2], piece);
            check(&[5, 3, 4, 2], &[1, 1, 1, 1], piece);
            check(&[5, 7], &[1, 3], piece);
            check(&[5, 7], &[5, 7], piece);
            check(&[11], &[1], piece);
            check(&[11], &[4], piece);
        }
    }
}
