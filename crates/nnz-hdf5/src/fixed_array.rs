//! Fixed arrays (section VII.C): the chunks of a dataset whose maximum shape is known, in the order of their numbers.

use nnz_core::Result;

use crate::bytes::Fields;
use crate::fault::invalid;
use crate::read::file::File;
use crate::{UNDEFINED, checksum};

/// Calls `each` with the stored form of the elements and their numbers, of the first `most`.
pub(crate) fn each_element(
    file: &File,
    address: u64,
    most: u64,
    each: &mut dyn FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let head = file.metadata(address, 12 + file.sizes.length + file.sizes.offset)?;
    let mut fields = Fields(checksum::verified(&head, "a fixed array")?);
    fields.signature(b"FAHD", 0)?;
    let (client, element, page_bits) = (fields.u8()?, usize::from(fields.u8()?), fields.u8()?);
    let (count, block) = (fields.length(file.sizes)?, fields.address(file.sizes)?);
    if block == UNDEFINED {
        return Ok(());
    }
    if element == 0 || page_bits >= 32 {
        return Err(invalid(format!("a fixed array of elements of {element} bytes")));
    }
    let page = 1_u64 << page_bits;
    let all = usize::try_from(count).unwrap_or(usize::MAX);
    let prefix = 6 + file.sizes.offset;
    let wanted = count.min(most);
    if count <= page {
        let elements = all.saturating_mul(element);
        let bytes = file.metadata(block, prefix.saturating_add(elements).saturating_add(4))?;
        let mut fields = Fields(checksum::verified(&bytes, "a block of a fixed array")?);
        parse_prefix(&mut fields, client, file)?;
        let stored = fields.0.chunks_exact(element).zip(0..wanted);
        return stored.into_iter().try_for_each(|(element, number)| each(number, element));
    }
    // A bit for each page that was written, from the highest of the first byte on.
    let pages = count.div_ceil(page);
    let bitmap = usize::try_from(pages.div_ceil(8)).unwrap_or(usize::MAX);
    let bytes = file.metadata(block, prefix.saturating_add(bitmap).saturating_add(4))?;
    let mut fields = Fields(checksum::verified(&bytes, "a block of a fixed array")?);
    parse_prefix(&mut fields, client, file)?;
    let written = fields.take(bitmap)?;
    let page_bytes = (element as u64).saturating_mul(page).saturating_add(4);
    for number in 0..wanted.div_ceil(page) {
        let bit = usize::try_from(number / 8).ok().and_then(|at| written.get(at));
        if bit.is_none_or(|bits| bits & (128 >> (number % 8)) == 0) {
            continue;
        }
        let first = number * page;
        let elements = usize::try_from(page.min(count - first)).unwrap_or(usize::MAX);
        let at = block.saturating_add(bytes.len() as u64);
        let at = at.saturating_add(number.saturating_mul(page_bytes));
        let page = file.metadata(at, elements.saturating_mul(element).saturating_add(4))?;
        let stored = checksum::verified(&page, "a page of a fixed array")?;
        for (element, number) in stored.chunks_exact(element).zip(first..wanted) {
            each(number, element)?;
        }
    }
    Ok(())
}

fn parse_prefix(fields: &mut Fields<'_>, client: u8, file: &File) -> Result<()> {
    fields.signature(b"FADB", 0)?;
    if fields.u8()? != client {
        return Err(invalid("a block of another fixed array"));
    }
    fields.address(file.sizes).map(drop)
}
