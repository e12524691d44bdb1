//! The header of a classic NetCDF file.

use nnz_core::{Error, Place, Result, ValueType};
use nnz_storage::InputFile;

use super::extent::Extent;
use super::reader::HeaderReader;

const DIMENSIONS: u32 = 10;
const VARIABLES: u32 = 11;
const ATTRIBUTES: u32 = 12;

/// The header of a file.
#[derive(Clone)]
pub(super) struct Header {
    /// The number of records.
    pub(super) records: u64,
    /// The distance between adjacent records in bytes.
    record_bytes: u64,
    /// The end of the header, and of the file.
    end: u64,
    length: u64,
    /// The attributes of the file.
    pub(super) attributes: Vec<Attribute>,
    pub(super) variables: Vec<Variable>,
}

/// An attribute of the file, or of a variable.
#[derive(Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    /// The offset, type and number of its values.
    pub(super) at: u64,
    pub(super) kind: NcType,
    pub(super) count: u64,
}

/// The type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NcType {
    Char,
    Number(ValueType),
}

impl NcType {
    pub(super) fn size(self) -> usize {
        match self {
            Self::Char => 1,
            Self::Number(value_type) => value_type.size(),
        }
    }

    fn read(reader: &mut HeaderReader<'_>) -> Result<Self> {
        let place = reader.place();
        let code = reader.word()?;
        let value_type = match (code, reader.wide) {
            (1, _) => ValueType::I8,
            (2, _) => return Ok(Self::Char),
            (3, _) => ValueType::I16,
            (4, _) => ValueType::I32,
            (5, _) => ValueType::F32,
            (6, _) => ValueType::F64,
            (7, true) => ValueType::U8,
            (8, true) => ValueType::U16,
            (9, true) => ValueType::U32,
            (10, true) => ValueType::I64,
            (11, true) => ValueType::U64,
            (_, wide) => {
                let expected = if wide { "a type from 1 to 11" } else { "a type from 1 to 6" };
                return Err(Error::mismatch(place, format!("the type {code}"), expected));
            }
        };
        Ok(Self::Number(value_type))
    }
}

/// A variable.
#[derive(Clone)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) kind: NcType,
    /// Whether its first dimension is the record dimension.
    pub(super) records: bool,
    /// The lengths of its dimensions, without the record dimension.
    pub(super) lengths: Vec<u64>,
    pub(super) attributes: Vec<Attribute>,
    /// The offset of its data.
    begin: u64,
    /// The size of its data, in each record if it has records.
    bytes: u64,
}

impl Header {
    pub(super) fn read(file: &InputFile) -> Result<Self> {
        let mut reader = HeaderReader::new(file);
        let magic = if reader.length < 4 { [0; 4] } else { reader.bytes()? };
        if !crate::netcdf::is_netcdf(&magic) {
            return Err(Error::mismatch(file.place(), "no NetCDF signature", "a NetCDF file"));
        }
        let version = magic[3];
        reader.wide = version == 5;
        let stated = reader.raw_count()?;
        let dimensions = read_dimensions(&mut reader)?;
        let attributes = read_attributes(&mut reader)?;
        let variables = read_variables(&mut reader, version, &dimensions)?;
        let record_bytes = record_bytes(&variables);
        let mut header = Self {
            records: 0,
            record_bytes,
            end: reader.at,
            length: reader.length,
            attributes,
            variables,
        };
        let unknown = if reader.wide { u64::MAX } else { u64::from(u32::MAX) };
        header.records = if stated == unknown { header.count_records() } else { stated };
        Ok(header)
    }

    /// Computes the number of records of a file whose writer did not store it.
    fn count_records(&self) -> u64 {
        let of_records = self.variables.iter().filter(|variable| variable.records);
        let first = of_records.map(|variable| variable.begin).min().unwrap_or(self.length);
        let bytes = self.length.saturating_sub(first);
        bytes.checked_div(self.record_bytes).unwrap_or(0)
    }

    /// Returns the byte ranges of a variable, after checking that they are in the file.
    pub(super) fn extent(
        &self,
        variable: &Variable,
        file: &InputFile,
        place: Place,
    ) -> Result<Extent> {
        let (pieces, stride) = match variable.records {
            true => (self.records, self.record_bytes),
            false => (1, variable.bytes),
        };
        let extent = Extent {
            file: file.clone(),
            place,
            begin: variable.begin,
            pieces,
            piece: variable.bytes,
            stride,
        };
        extent.check(self.end, self.length)?;
        Ok(extent)
    }
}

/// Reads the lengths of all dimensions; `None` for the record dimension.
fn read_dimensions(reader: &mut HeaderReader<'_>) -> Result<Vec<Option<u64>>> {
    let count = reader.list(DIMENSIONS, "dimensions", 8)?;
    let mut dimensions = Vec::new();
    for _ in 0..count {
        reader.name()?;
        let place = reader.place();
        let length = Some(reader.count()?).filter(|&length| length > 0);
        if length.is_none() && dimensions.contains(&None) {
            return Err(Error::mismatch(place, "two unlimited dimensions", "at most one"));
        }
        dimensions.push(length);
    }
    Ok(dimensions)
}

fn read_attributes(reader: &mut HeaderReader<'_>) -> Result<Vec<Attribute>> {
    let count = reader.list(ATTRIBUTES, "attributes", 12)?;
    let mut attributes = Vec::new();
    for _ in 0..count {
        let name = reader.name()?;
        let kind = NcType::read(reader)?;
        let count = reader.count()?;
        attributes.push(Attribute { name, at: reader.at, kind, count });
        reader.skip(count.saturating_mul(kind.size() as u64))?;
    }
    Ok(attributes)
}

fn read_variables(
    reader: &mut HeaderReader<'_>,
    version: u8,
    dimensions: &[Option<u64>],
) -> Result<Vec<Variable>> {
    let count = reader.list(VARIABLES, "variables", 28)?;
    let mut variables = Vec::new();
    for _ in 0..count {
        let name = reader.name()?;
        let (records, lengths) = read_shape(reader, dimensions)?;
        let attributes = read_attributes(reader)?;
        let place = reader.place();
        let kind = NcType::read(reader)?;
        // The stored size is redundant, and has too few bits for some variables.
        reader.raw_count()?;
        let begin = if version == 1 { reader.word()?.into() } else { reader.double_word()? };
        let bytes = lengths.iter().try_fold(kind.size() as u64, |all, &len| all.checked_mul(len));
        let bytes = bytes.ok_or_else(|| {
            let found = format!("the variable {name} of 2^64 bytes or more");
            Error::mismatch(place, found, "fewer than 2^64 bytes")
        })?;
        variables.push(Variable { name, kind, records, lengths, attributes, begin, bytes });
    }
    Ok(variables)
}

/// Reads the dimensions of a variable: whether it has records, and the lengths of the others.
fn read_shape(
    reader: &mut HeaderReader<'_>,
    dimensions: &[Option<u64>],
) -> Result<(bool, Vec<u64>)> {
    let rank = reader.count()?;
    reader.check(rank.saturating_mul(4))?;
    let (mut records, mut lengths) = (false, Vec::new());
    for at in 0..rank {
        let place = reader.place();
        let id = reader.count()?;
        match usize::try_from(id).ok().and_then(|id| dimensions.get(id)) {
            Some(Some(length)) => lengths.push(*length),
            Some(None) if at == 0 => records = true,
            Some(None) => {
                return Err(Error::mismatch(
                    place,
                    "an unlimited dimension that is not the first",
                    "a dimension of fixed length",
                ));
            }
            None => {
                let found = format!("dimension {id}");
                return Err(Error::mismatch(
                    place,
                    found,
                    format!("less than {}", dimensions.len()),
                ));
            }
        }
    }
    Ok((records, lengths))
}

/// Returns the size of a record: the data of each variable is padded to 4 bytes, unless there is
/// only one.
fn record_bytes(variables: &[Variable]) -> u64 {
    let mut of_records = variables.iter().filter(|variable| variable.records);
    match (of_records.next(), of_records.next()) {
        (Some(only), None) => only.bytes,
        _ => variables
            .iter()
            .filter(|variable| variable.records)
            .map(|variable| variable.bytes.checked_next_multiple_of(4).unwrap_or(u64::MAX))
            .fold(0, u64::saturating_add),
    }
}
