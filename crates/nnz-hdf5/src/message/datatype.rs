//! The datatype message (section IV.A.2.d).

use nnz_core::{Error, Result, ValueType};

use super::Message;
use crate::bytes::{Fields, PutFields as _, width_of};
use crate::datatype::{Class, CompoundMember, Datatype, Float, Padding};
use crate::element::{CharacterSet, ElementType, Field};
use crate::fault::invalid;

/// Datatype classes.
const FIXED_POINT: u8 = 0;
const FLOATING_POINT: u8 = 1;
const TIME: u8 = 2;
const STRING: u8 = 3;
const BIT_FIELD: u8 = 4;
const OPAQUE: u8 = 5;
const COMPOUND: u8 = 6;
const REFERENCE: u8 = 7;
const ENUMERATION: u8 = 8;
const VARIABLE_LENGTH: u8 = 9;
const ARRAY: u8 = 10;
const COMPLEX: u8 = 11;

/// Maximum depth of nested types.
const MAX_DEPTH: usize = 16;

/// Parses the message.
pub(crate) fn parse(body: &[u8]) -> Result<Datatype> {
    read(&mut Fields(body), MAX_DEPTH)
}

/// Parses a type, and advances past it.
fn read(fields: &mut Fields<'_>, depth: usize) -> Result<Datatype> {
    let depth = depth.checked_sub(1).ok_or_else(|| invalid("types nested too deeply"))?;
    let head = fields.u8()?;
    let (version, flags) = (head >> 4, fields.take(3)?);
    let (low, count) = (flags[0], u16::from_le_bytes([flags[0], flags[1]]));
    let bytes = fields.size(4)?;
    let big = low & 1 != 0;
    if !(1..=5).contains(&version) {
        return Err(invalid(format!("a datatype of version {version}")));
    }
    let class = match head & 15 {
        FIXED_POINT => {
            let bits = (fields.u16()?, fields.u16()?);
            check_bits(&[bits], bytes)?;
            Class::Integer { big, signed: low & 8 != 0, bits, padded: low & 6 != 0 }
        }
        FLOATING_POINT => Class::Float(float_form(flags, bytes, fields)?),
        TIME => fields.take(2).map(|_| Class::Time)?,
        STRING => Class::String(match low & 15 {
            0 => Padding::Terminated,
            1 => Padding::Zeros,
            2 => Padding::Spaces,
            _ => Padding::Other,
        }),
        BIT_FIELD => fields.take(4).map(|_| Class::BitField { big })?,
        OPAQUE => {
            let tag = fields.take(low.into())?;
            let tag = &tag[..memchr::memchr(0, tag).unwrap_or(tag.len())];
            Class::Opaque(String::from_utf8_lossy(tag).into_owned())
        }
        COMPOUND => Class::Compound(members(fields, version, count, bytes, depth)?),
        REFERENCE if low & 15 == 0 => Class::ObjectReference,
        REFERENCE if low & 15 == 1 => Class::RegionReference,
        REFERENCE => Class::Reference,
        ENUMERATION => enumeration(fields, version, count, depth)?,
        VARIABLE_LENGTH => {
            let base = read(fields, depth)?;
            match low & 15 {
                1 if flags[1] & 15 == 0 => Class::VariableString(CharacterSet::Ascii),
                1 => Class::VariableString(CharacterSet::Utf8),
                _ => Class::Sequence(Box::new(base)),
            }
        }
        ARRAY => array(fields, version, bytes, depth)?,
        COMPLEX => Class::Complex(Box::new(read(fields, depth)?)),
        class => return Err(invalid(format!("a datatype of class {class}"))),
    };
    Ok(Datatype { bytes, class })
}

/// Parses the name of a member. Old versions pad it to a multiple of 8 bytes.
fn name(fields: &mut Fields<'_>, version: u8) -> Result<String> {
    let before = fields.0.len();
    let name = fields.text()?;
    if version < 3 {
        let used = before - fields.0.len();
        fields.take(used.next_multiple_of(8) - used)?;
    }
    Ok(name)
}

/// Parses the members of a compound.
fn members(
    fields: &mut Fields<'_>,
    version: u8,
    count: u16,
    bytes: usize,
    depth: usize,
) -> Result<Vec<CompoundMember>> {
    let mut members = Vec::new();
    for _ in 0..count {
        let name = name(fields, version)?;
        // As many bytes as the size of the compound needs.
        let width = if version < 3 { 4 } else { width_of(bytes as u64) };
        let offset = fields.size(width)?;
        // The oldest version has up to four dimensions, and fields that are not used.
        let mut lengths = Vec::new();
        if version == 1 {
            let rank = fields.u8()?.into();
            fields.take(11)?;
            lengths = (0..4).map(|_| fields.number(4)).collect::<Result<_>>()?;
            if rank > lengths.len() {
                return Err(invalid(format!("a member of a compound of {rank} dimensions")));
            }
            lengths.truncate(rank);
        }
        let mut datatype = read(fields, depth)?;
        if !lengths.is_empty() {
            let count = nnz_chunk::grid::product(&lengths).and_then(|n| usize::try_from(n).ok());
            let all = count.and_then(|count| count.checked_mul(datatype.bytes));
            let all = all.ok_or_else(|| invalid("an array that is too long"))?;
            datatype =
                Datatype { bytes: all, class: Class::Array { lengths, base: Box::new(datatype) } };
        }
        if offset.checked_add(datatype.bytes).is_none_or(|end| end > bytes) {
            return Err(invalid(format!(
                "the member {name:?} outside its compound of {bytes} bytes"
            )));
        }
        members.push(CompoundMember { name, offset, datatype });
    }
    match members.is_empty() {
        true => Err(invalid("a compound without members")),
        false => Ok(members),
    }
}

fn enumeration(fields: &mut Fields<'_>, version: u8, count: u16, depth: usize) -> Result<Class> {
    let base = Box::new(read(fields, depth)?);
    let names: Vec<String> = (0..count).map(|_| name(fields, version)).collect::<Result<_>>()?;
    let member = |name| Ok((name, fields.take(base.bytes)?.to_vec()));
    let members = names.into_iter().map(member).collect::<Result<_>>()?;
    Ok(Class::Enumeration { base, members })
}

fn array(fields: &mut Fields<'_>, version: u8, bytes: usize, depth: usize) -> Result<Class> {
    let rank = usize::from(fields.u8()?);
    fields.take(if version < 3 { 3 } else { 0 })?;
    let lengths: Vec<u64> = (0..rank).map(|_| fields.number(4)).collect::<Result<_>>()?;
    // The permutation of dimensions, which is not used.
    fields.take(if version < 3 { 4 * rank } else { 0 })?;
    let base = Box::new(read(fields, depth)?);
    let count = nnz_chunk::grid::product(&lengths);
    if count.and_then(|count| count.checked_mul(base.bytes as u64)) != Some(bytes as u64) {
        return Err(invalid(format!("arrays of {bytes} bytes with elements of {}", base.bytes)));
    }
    Ok(Class::Array { lengths, base })
}

/// Parses the form of a float.
fn float_form(flags: &[u8], bytes: usize, fields: &mut Fields<'_>) -> Result<Float> {
    let float = Float {
        big: flags[0] & 1 != 0,
        vax: flags[0] & 0x40 != 0,
        implied: flags[0] & 0x30 == 0x20,
        sign: flags[1],
        bits: (fields.u16()?, fields.u16()?),
        exponent: (fields.u8()?, fields.u8()?),
        mantissa: (fields.u8()?, fields.u8()?),
        bias: fields.u32()?,
    };
    let wide = |(at, count): (u8, u8)| (at.into(), count.into());
    let parts = [float.bits, (float.sign.into(), 1), wide(float.exponent), wide(float.mantissa)];
    check_bits(&parts, bytes)?;
    Ok(float)
}

/// Checks that bits, by their positions and numbers, are in an element.
fn check_bits(parts: &[(u16, u16)], bytes: usize) -> Result<()> {
    let inside = |(at, count): &(u16, u16)| usize::from(*at) + usize::from(*count) <= 8 * bytes;
    match parts.iter().all(inside) {
        true => Ok(()),
        false => Err(invalid(format!("a number with bits outside its {bytes} bytes"))),
    }
}

/// Encodes the message.
pub(crate) fn message(element: &ElementType) -> Result<Message> {
    Ok(Message::constant(0x0003, encode(element)?))
}

/// Encodes a datatype, in version 1.
pub(crate) fn encode(element: &ElementType) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    put(&mut out, element)?;
    Ok(out)
}

fn put(out: &mut Vec<u8>, element: &ElementType) -> Result<()> {
    match element {
        ElementType::Number(value_type) => number(out, *value_type)?,
        ElementType::Float16 => float(out, 2, 10, 5, 15),
        ElementType::FixedString { bytes, padding, character_set } => {
            if *bytes == 0 {
                return Err(Error::argument("HDF5 does not support strings of 0 bytes"));
            }
            let flags = *padding as u8 | (*character_set as u8) << 4;
            head(out, STRING, [flags, 0], *bytes);
        }
        ElementType::VariableString(character_set) => {
            // A string, zero-terminated in memory.
            head(out, VARIABLE_LENGTH, [1, *character_set as u8], 16);
            integer(out, 1, false);
        }
        ElementType::Reference => head(out, REFERENCE, [0, 0], 8),
        ElementType::ReferenceList => {
            head(out, VARIABLE_LENGTH, [0, 0], 16);
            head(out, REFERENCE, [0, 0], 8);
        }
        ElementType::Compound(fields) => compound(out, fields)?,
        ElementType::Array { .. } => {
            return Err(Error::argument("array types are supported only for fields of compounds"));
        }
    }
    Ok(())
}

fn number(out: &mut Vec<u8>, value_type: ValueType) -> Result<()> {
    match value_type {
        ValueType::U8 => integer(out, 1, false),
        ValueType::U16 => integer(out, 2, false),
        ValueType::U32 => integer(out, 4, false),
        ValueType::U64 => integer(out, 8, false),
        ValueType::I8 => integer(out, 1, true),
        ValueType::I16 => integer(out, 2, true),
        ValueType::I32 => integer(out, 4, true),
        ValueType::I64 => integer(out, 8, true),
        ValueType::F32 => float(out, 4, 23, 8, 127),
        ValueType::F64 => float(out, 8, 52, 11, 1023),
        ValueType::Bint8 => {
            head(out, ENUMERATION, [2, 0], 1); // two members
            integer(out, 1, true);
            out.extend_from_slice(b"FALSE\0\0\0TRUE\0\0\0\0");
            out.extend([0, 1]);
        }
        ValueType::ComplexF32 => compound(out, &complex(ValueType::F32))?,
        ValueType::ComplexF64 => compound(out, &complex(ValueType::F64))?,
    }
    Ok(())
}

fn complex(part: ValueType) -> [Field; 2] {
    ["r", "i"].map(|name| Field { name: name.to_owned(), element: ElementType::Number(part) })
}

/// Appends the common fields of all classes: version, class, two of three bytes of flags, and size.
fn head(out: &mut Vec<u8>, class: u8, [low, high]: [u8; 2], size: u32) {
    out.extend([1 << 4 | class, low, high, 0]);
    out.put_u32(size);
}

fn integer(out: &mut Vec<u8>, bytes: u8, signed: bool) {
    head(out, FIXED_POINT, [u8::from(signed) << 3, 0], bytes.into());
    out.put_u16(0); // bit offset
    out.put_u16(u16::from(bytes) * 8); // bits
}

/// Appends an IEEE 754 float with the mantissa in the lowest bits, then exponent and sign.
fn float(out: &mut Vec<u8>, bytes: u8, mantissa: u8, exponent: u8, bias: u32) {
    // The highest bit of the mantissa is implied; position of the sign.
    head(out, FLOATING_POINT, [0x20, bytes * 8 - 1], bytes.into());
    out.put_u16(0); // bit offset
    out.put_u16(u16::from(bytes) * 8); // bits
    out.extend([mantissa, exponent, 0, mantissa]); // places and sizes of exponent and mantissa
    out.put_u32(bias);
}

fn compound(out: &mut Vec<u8>, fields: &[Field]) -> Result<()> {
    let count = u16::try_from(fields.len()).ok().filter(|count| *count > 0);
    let count =
        count.ok_or_else(|| Error::argument("a compound type requires 1 to 65,535 fields"))?;
    let mut offset = 0_u32;
    let mut members = Vec::new();
    for field in fields {
        check_name(&field.name)?;
        // Padded to a multiple of 8 bytes.
        let mut name = [field.name.as_bytes(), b"\0"].concat();
        name.pad8();
        members.append(&mut name);
        members.put_u32(offset);
        match &field.element {
            ElementType::Array { element, shape } => {
                dimensions(&mut members, shape)?;
                put(&mut members, element)?;
            }
            element => {
                dimensions(&mut members, &[])?;
                put(&mut members, element)?;
            }
        }
        let size = u32::try_from(field.element.size()).ok();
        offset = size
            .and_then(|size| offset.checked_add(size))
            .ok_or_else(|| Error::argument("a compound of 4 GiB or more"))?;
    }
    head(out, COMPOUND, count.to_le_bytes(), offset);
    out.append(&mut members);
    Ok(())
}

/// Appends the dimensions of a field: their number, their permutation, which is not used, and four
/// lengths.
fn dimensions(out: &mut Vec<u8>, shape: &[u32]) -> Result<()> {
    let Some(unused) = 4_usize.checked_sub(shape.len()) else {
        return Err(Error::argument("fields of compounds can have at most 4 dimensions"));
    };
    out.extend([u8::try_from(shape.len()).unwrap_or(u8::MAX), 0, 0, 0]);
    out.extend([0; 8]);
    shape.iter().for_each(|len| out.put_u32(*len));
    (0..unused).for_each(|_| out.put_u32(0));
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || name.contains('\0') {
        return Err(Error::argument(format!("{name:?} cannot be the name of a field")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::element::{CharacterSet, StringPadding};
    use super::*;

    #[test]
    fn numbers_match_h5py() {
        let encoded = |value_type| encode(&ElementType::Number(value_type)).unwrap();
        let expected = [0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0];
        assert_eq!(encoded(ValueType::I32), expected);
        let expected = [0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0];
        assert_eq!(encoded(ValueType::F32), expected);
        let expected = [0x11, 0x20, 15, 0, 2, 0, 0, 0, 0, 0, 16, 0, 10, 5, 0, 10, 15, 0, 0, 0];
        assert_eq!(encode(&ElementType::Float16).unwrap(), expected);
        let expected = [
            0x18, 2, 0, 0, 1, 0, 0, 0, // an enumeration of 2 members in 1 byte
            0x10, 8, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, // of signed bytes
            b'F', b'A', b'L', b'S', b'E', 0, 0, 0, //
            b'T', b'R', b'U', b'E', 0, 0, 0, 0, //
            0, 1,
        ];
        assert_eq!(encoded(ValueType::Bint8), expected);
        let complex = encoded(ValueType::ComplexF32);
        assert_eq!(complex[..16], [0x16, 2, 0, 0, 8, 0, 0, 0, b'r', 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(complex[16..48], [0; 32]);
        assert_eq!(complex[48..68], encoded(ValueType::F32));
        assert_eq!(complex[68..77], [b'i', 0, 0, 0, 0, 0, 0, 0, 4]);
        assert_eq!(complex.len(), 0x80 - 8 + 8);
    }

    #[test]
    fn strings_match_h5py() {
        let variable = [
            0x19, 1, 1, 0, 16, 0, 0, 0, // a string of variable length in UTF-8
            0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, // of unsigned bytes
        ];
        assert_eq!(encode(&ElementType::TEXT).unwrap(), variable);
        let fixed = ElementType::FixedString {
            bytes: 5,
            padding: StringPadding::NullPadded,
            character_set: CharacterSet::Utf8,
        };
        assert_eq!(encode(&fixed).unwrap(), [0x13, 0x11, 0, 0, 5, 0, 0, 0]);
        let list = [0x19, 0, 0, 0, 16, 0, 0, 0, 0x17, 0, 0, 0, 8, 0, 0, 0];
        assert_eq!(encode(&ElementType::ReferenceList).unwrap(), list);
    }
}
