//! Extensible arrays (section VII.D): the chunks of a dataset with one unlimited dimension, in the order of their numbers.
//!
//! The first elements are in the index block, which also has the addresses of the first data blocks. Super blocks have the
//! addresses of the others. From one super block to the next, the number and the size of data blocks
//! double alternately.

use nnz_core::Result;

use crate::bytes::Fields;
use crate::fault::invalid;
use crate::read::file::File;
use crate::{UNDEFINED, checksum};

/// The header of an array.
struct Array<'a> {
    file: &'a File,
    client: u8,
    element: usize,
    /// Elements of the smallest data block, and of a page of large ones.
    smallest: u64,
    page: u64,
    /// Size of the offset of a block, in bytes.
    offset: usize,
    most: u64,
}

/// Calls `each` with the stored form of the elements and their numbers, of the first `most`.
pub(crate) fn each_element(
    file: &File,
    address: u64,
    most: u64,
    each: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let sizes = file.sizes;
    let head = file.metadata(address, 16 + 6 * sizes.length + sizes.offset)?;
    let mut fields = Fields(checksum::verified(&head, "an extensible array")?);
    fields.signature(b"EAHD", 0)?;
    let client = fields.u8()?;
    let element = usize::from(fields.u8()?);
    let [bits, in_index, smallest, least, page_bits] =
        [fields.u8()?, fields.u8()?, fields.u8()?, fields.u8()?, fields.u8()?];
    fields.take(4 * sizes.length)?; // numbers and sizes of blocks
    let used = fields.length(sizes)?; // one more than the highest number that was set
    fields.length(sizes)?;
    let index = fields.address(sizes)?;
    if index == UNDEFINED {
        return Ok(());
    }
    let valid = smallest.is_power_of_two() && least.is_power_of_two() && element > 0;
    let highest = smallest.checked_ilog2().unwrap_or(0);
    if !valid || bits > 64 || page_bits >= 32 || u32::from(bits) < highest {
        return Err(invalid(format!("an extensible array of elements of {element} bytes")));
    }
    let array = Array {
        file,
        client,
        element,
        smallest: smallest.into(),
        page: 1 << page_bits,
        offset: usize::from(bits).div_ceil(8),
        most: most.min(used),
    };
    // The number of super blocks, of those whose blocks are in the index, and of these blocks.
    let all = 1 + u32::from(bits) - highest;
    let own = 2 * least.checked_ilog2().unwrap_or(0);
    let blocks = 2 * (usize::from(least) - 1);
    let supers = usize::try_from(all.saturating_sub(own)).unwrap_or(0);
    let addresses = (blocks + supers) * sizes.offset;
    let elements = usize::from(in_index) * element;
    let bytes = file.metadata(index, 6 + sizes.offset + elements + addresses + 4)?;
    let mut fields = Fields(checksum::verified(&bytes, "an extensible array")?);
    array.parse_prefix(&mut fields, b"EAIB")?;
    let mut next = 0;
    array.elements(&mut next, fields.take(elements)?, each)?;
    for number in 0..all {
        if next >= array.most {
            break;
        }
        let count = 1_u64 << (number / 2);
        let length = array.smallest.checked_mul(1 << number.div_ceil(2).min(63));
        let length = length.ok_or_else(|| invalid("an extensible array that is too long"))?;
        if number < own {
            for _ in 0..count {
                array.data_block(&mut next, (fields.address(sizes)?, length, None), each)?;
            }
        } else {
            let address = fields.address(sizes)?;
            array.super_block(&mut next, (address, count, length), each)?;
        }
    }
    Ok(())
}

impl Array<'_> {
    /// Parses what all blocks begin with.
    fn parse_prefix(&self, fields: &mut Fields<'_>, signature: &[u8; 4]) -> Result<()> {
        fields.signature(signature, 0)?;
        if fields.u8()? != self.client {
            return Err(invalid("a block of another extensible array"));
        }
        fields.address(self.file.sizes).map(drop)
    }

    fn elements(
        &self,
        next: &mut u64,
        stored: &[u8],
        each: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        for element in stored.chunks_exact(self.element) {
            if *next < self.most {
                each(*next, element)?;
            }
            *next += 1;
        }
        Ok(())
    }

    /// Reads a super block at an address, of `count` blocks with `length` elements each.
    fn super_block(
        &self,
        next: &mut u64,
        (address, count, length): (u64, u64, u64),
        each: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        if address == UNDEFINED {
            *next = next.saturating_add(count.saturating_mul(length));
            return Ok(());
        }
        // A bit for each page of all blocks, set if it was written, starting with the highest bit of the first byte.
        // Each block adds whole bytes to the size, but its bits directly follow the bits of the previous block.
        let pages = if length > self.page { length / self.page } else { 0 };
        let bitmap = count.saturating_mul(pages.div_ceil(8));
        let bitmap = usize::try_from(bitmap).unwrap_or(usize::MAX);
        let blocks = usize::try_from(count).unwrap_or(usize::MAX);
        let addresses = blocks.saturating_mul(self.file.sizes.offset);
        let prefix = 6 + self.file.sizes.offset + self.offset;
        let bytes = bitmap.saturating_add(addresses).saturating_add(prefix + 4);
        let bytes = self.file.metadata(address, bytes)?;
        let mut fields = Fields(checksum::verified(&bytes, "an extensible array")?);
        self.parse_prefix(&mut fields, b"EASB")?;
        fields.take(self.offset)?;
        let written = fields.take(bitmap)?;
        for block in 0..count {
            let address = fields.address(self.file.sizes)?;
            let written = (written, block.saturating_mul(pages));
            self.data_block(next, (address, length, Some(written)), each)?;
        }
        Ok(())
    }

    /// Reads a data block of `length` elements, which are in pages if they are many.
    ///
    /// `written` are the bits of pages, and the number of the bit of the first page.
    fn data_block(
        &self,
        next: &mut u64,
        (address, length, written): (u64, u64, Option<(&[u8], u64)>),
        each: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        if address == UNDEFINED || *next >= self.most {
            *next = next.saturating_add(length);
            return Ok(());
        }
        let prefix = 6 + self.file.sizes.offset + self.offset;
        let bytes = |elements: u64| {
            let elements = usize::try_from(elements).unwrap_or(usize::MAX);
            elements.saturating_mul(self.element).saturating_add(4)
        };
        if length <= self.page {
            let block = self.file.metadata(address, prefix.saturating_add(bytes(length)))?;
            let mut fields = Fields(checksum::verified(&block, "an extensible array")?);
            self.parse_prefix(&mut fields, b"EADB")?;
            fields.take(self.offset)?;
            return self.elements(next, fields.0, each);
        }
        let head = self.file.metadata(address, prefix + 4)?;
        self.parse_prefix(&mut Fields(checksum::verified(&head, "an extensible array")?), b"EADB")?;
        let first = address.saturating_add(head.len() as u64);
        for number in 0..length / self.page {
            if *next >= self.most {
                break;
            }
            let is_missing = written.is_some_and(|(bits, first_page)| {
                let bit = first_page.saturating_add(number);
                let byte = usize::try_from(bit / 8).ok().and_then(|at| bits.get(at));
                byte.is_some_and(|byte| byte & (128 >> (bit % 8)) == 0)
            });
            if is_missing {
                *next = next.saturating_add(self.page);
                continue;
            }
            let at = first.saturating_add(number.saturating_mul(bytes(self.page) as u64));
            let page = self.file.metadata(at, bytes(self.page))?;
            self.elements(next, checksum::verified(&page, "an extensible array")?, each)?;
        }
        Ok(())
    }
}
