//! Reading vectors, block by block.

use super::Reader;
use super::source::{BLOCK, Form};
use crate::budget;
use crate::codes;
use crate::error::{Error, ErrorKind, Result};
use crate::numbers::{Integers, Outside, Reals};
use crate::object::Value;
use crate::strings::Strings;
use crate::text::TextRef;

/// The size in bytes from which vectors are not read into memory.
const LONG: u64 = 1 << 20;

impl Reader<'_> {
    /// Reads the length and elements of a vector; `None` if the code is not a vector type.
    pub(super) fn vector(&mut self, code: u8) -> Result<Option<Value>> {
        Ok(Some(match code {
            codes::LOGICAL => {
                let count = self.source.length()?;
                Value::Logical(self.integers(count)?)
            }
            codes::INTEGER => Value::Integer(match self.outside(4)? {
                Ok(outside) => Integers::Outside(outside),
                Err(count) => Integers::Stored(self.integers(count)?),
            }),
            codes::REAL => Value::Real(match self.outside(8)? {
                Ok(outside) => Reals::Outside(outside),
                Err(count) => Reals::Stored(self.reals(count)?),
            }),
            codes::COMPLEX => Value::Complex(self.complex()?),
            codes::CHARACTER => Value::Character(self.strings()?),
            codes::RAW => Value::Raw(self.raw()?),
            _ => return Ok(None),
        }))
    }

    /// Reads the length of a vector with elements of `size` bytes, and leaves the elements where they are, or appends them
    /// to the spool. Returns the length if the vector is to be in memory.
    fn outside(&mut self, size: u64) -> Result<Result<Outside, u64>> {
        let count = self.source.length()?;
        // At most 2^48 elements.
        let bytes = count * size;
        let Some(spooled) = self.spool.as_mut().filter(|_| bytes >= LONG) else {
            return Ok(Err(count));
        };
        if spooled.in_file {
            let (bytes_of, offset) = (spooled.spool.file(), self.source.offset());
            self.source.skip_bytes(bytes)?;
            let big_endian = self.source.form == Form::Xdr;
            return Ok(Ok(Outside { bytes: bytes_of, offset, len: count, big_endian }));
        }
        let big_endian = self.source.form != Form::LittleEndian;
        let offset = spooled.len;
        let mut left = bytes;
        let mut block = Vec::with_capacity(BLOCK);
        while left > 0 {
            block.clear();
            let now = left.min(BLOCK as u64);
            if self.source.form != Form::Ascii {
                self.source.bytes(now, &mut block)?;
            }
            while (block.len() as u64) < now {
                match size {
                    4 => block.extend_from_slice(&self.source.ascii_int()?.to_be_bytes()),
                    _ => block.extend_from_slice(&self.source.ascii_real()?.to_be_bytes()),
                }
            }
            let at = self.source.offset();
            let size = usize::try_from(size).unwrap_or(8);
            let appended = spooled.spool.append(&block, size, big_endian);
            appended.map_err(|error| Error::new(ErrorKind::Io(error), at))?;
            left -= now;
        }
        spooled.len += bytes;
        Ok(Ok(Outside { bytes: spooled.spool.appended(), offset, len: count, big_endian }))
    }

    fn integers(&mut self, count: u64) -> Result<Vec<i32>> {
        let [big, little] = [i32::from_be_bytes, i32::from_le_bytes];
        self.numbers(count, big, little, |reader| reader.source.ascii_int())
    }

    fn reals(&mut self, count: u64) -> Result<Vec<f64>> {
        let [big, little] = [f64::from_be_bytes, f64::from_le_bytes];
        self.numbers(count, big, little, |reader| reader.source.ascii_real())
    }

    fn complex(&mut self) -> Result<Vec<[f64; 2]>> {
        let pair = |bytes: [u8; 16], real: fn([u8; 8]) -> f64| {
            let mut parts = [[0; 8]; 2];
            let [re, im] = &mut parts;
            re.copy_from_slice(&bytes[..8]);
            im.copy_from_slice(&bytes[8..]);
            parts.map(real)
        };
        let big = |bytes| pair(bytes, f64::from_be_bytes);
        let little = |bytes| pair(bytes, f64::from_le_bytes);
        let count = self.source.length()?;
        self.numbers(count, big, little, |reader| {
            Ok([reader.source.ascii_real()?, reader.source.ascii_real()?])
        })
    }

    /// Reads numbers of `N` bytes.
    fn numbers<T: Copy, const N: usize>(
        &mut self,
        count: u64,
        big: impl Fn([u8; N]) -> T,
        little: impl Fn([u8; N]) -> T,
        ascii: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut numbers = Vec::new();
        if self.source.form == Form::Ascii {
            for _ in 0..count {
                let at = self.source.offset();
                let number = ascii(self)?;
                self.budget.take(N, at)?;
                budget::grow(&mut numbers, 1, count, at)?;
                numbers.push(number);
            }
            return Ok(numbers);
        }
        let mut block = vec![0; usize::try_from(count).unwrap_or(BLOCK).min(BLOCK / N) * N];
        while (numbers.len() as u64) < count {
            let left = count - numbers.len() as u64;
            let now = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK / N);
            let at = self.source.offset();
            let bytes = &mut block[..now * N];
            self.source.read_exact(bytes)?;
            self.budget.take(now * N, at)?;
            budget::grow(&mut numbers, now, count, at)?;
            let (elements, _) = bytes.as_chunks::<N>();
            match self.source.form {
                Form::Xdr => numbers.extend(elements.iter().map(|&element| big(element))),
                _ => numbers.extend(elements.iter().map(|&element| little(element))),
            }
        }
        Ok(numbers)
    }

    fn raw(&mut self) -> Result<Vec<u8>> {
        let count = self.source.length()?;
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < count {
            let left = count - bytes.len() as u64;
            let at = self.source.offset();
            if self.source.form == Form::Ascii {
                let byte = self.source.ascii_byte()?;
                self.budget.take(1, at)?;
                budget::grow(&mut bytes, 1, count, at)?;
                bytes.push(byte);
                continue;
            }
            let now = left.min(BLOCK as u64);
            self.source.bytes(now, &mut bytes)?;
            self.budget.take(usize::try_from(now).unwrap_or(BLOCK), at)?;
        }
        Ok(bytes)
    }

    fn strings(&mut self) -> Result<Strings> {
        let count = self.source.length()?;
        let mut strings = Strings::new();
        let mut bytes = Vec::new();
        for _ in 0..count {
            let at = self.source.offset();
            let flags = self.flags()?;
            let encoding = self.string(flags, at, &mut bytes)?;
            self.budget.take(1, at)?;
            strings.try_reserve(bytes.len()).map_err(|needed| {
                Error::new(ErrorKind::Memory { needed, allowed: strings.bytes() }, at)
            })?;
            strings.push(encoding.map(|encoding| TextRef { bytes: &bytes, encoding }));
        }
        Ok(strings)
    }
}
