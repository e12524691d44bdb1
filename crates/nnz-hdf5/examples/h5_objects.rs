//! Lists the datasets of an HDF5 file that hard links lead to, a line of JSON each: its path, its shape (null without a
//! dataspace), its type as NumPy names it, and the first 16 hexadecimal digits of the SHA-256 of its elements, little-endian and in
//! C order, or the reason why they cannot be read.
//!
//! ```sh
//! cargo run --release --example h5_objects FILE.h5
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use nnz_core::{Error, Place, Result};
use nnz_hdf5::{
    Class, Dataset, Dataspace, Datatype, File, Float, LinkTarget, Object, ObjectKind, Padding,
};
use nnz_storage::InputFile;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// Datasets with more bytes are listed without their elements.
const MAX_BYTES: u64 = 1 << 30;

/// Bytes that are read at a time.
const BLOCK: u64 = 8 << 20;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: h5_objects FILE");
        return ExitCode::from(2);
    };
    match list(Path::new(&path)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn list(path: &Path) -> Result<()> {
    let file = File::open(InputFile::open(path)?)?;
    let root = file.root()?;
    let mut seen = BTreeSet::from([root.address()]);
    visit(&file, &root, "", &mut seen)
}

/// Lists the members of a group, sorted by name. Each group is visited once.
fn visit(file: &Arc<File>, group: &Object, path: &str, seen: &mut BTreeSet<u64>) -> Result<()> {
    for link in group.links()?.iter() {
        let path = format!("{path}/{}", link.name);
        let address = match link.target {
            LinkTarget::Hard(address) => address,
            LinkTarget::User => {
                print(&path, Map::from_iter([("error".to_owned(), json!("a user-defined link"))]));
                continue;
            }
            _ => continue,
        };
        match file.object(address) {
            Err(error) => {
                print(&path, Map::from_iter([("error".to_owned(), json!(error.to_string()))]))
            }
            Ok(object) if object.kind() == ObjectKind::Dataset => {
                print(&path, describe(file, &object, &path))
            }
            Ok(object) if object.kind() == ObjectKind::Group && seen.insert(address) => {
                if let Err(error) = visit(file, &object, &path, seen) {
                    print(&path, Map::from_iter([("error".to_owned(), json!(error.to_string()))]));
                }
            }
            Ok(object) => {
                if let (ObjectKind::Datatype, Err(error)) = (object.kind(), object.datatype()) {
                    print(&path, Map::from_iter([("error".to_owned(), json!(error.to_string()))]));
                }
            }
        }
    }
    Ok(())
}

fn print(path: &str, fields: Map<String, Value>) {
    let mut line = Map::from_iter([("path".to_owned(), json!(path))]);
    line.extend(fields);
    // The reader of a pipe may have ended, which is no reason to fail.
    drop(writeln!(std::io::stdout(), "{}", Value::Object(line)));
}

fn describe(file: &Arc<File>, object: &Object, path: &str) -> Map<String, Value> {
    let mut line = Map::new();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let described =
        Dataset::open(object, Place::array(file.path(), path), threads).and_then(|data| {
            let shape = match data.space() {
                Dataspace::Null => Value::Null,
                _ => json!(data.shape()),
            };
            line.insert("shape".to_owned(), shape);
            line.insert("dtype".to_owned(), json!(dtype(data.datatype())?));
            data.layout()?;
            if let Some(sum) = sum(&data)? {
                line.insert("sha256_le".to_owned(), json!(sum));
            }
            Ok(())
        });
    if let Err(error) = described {
        line.insert("error".to_owned(), json!(error.to_string()));
    }
    line
}

/// Returns the type as NumPy names it.
fn dtype(datatype: &Datatype) -> Result<String> {
    let bytes = datatype.bytes;
    let name = |kind: char, big: bool, bytes: usize| {
        let order = if bytes == 1 {
            '|'
        } else if big {
            '>'
        } else {
            '<'
        };
        format!("{order}{kind}{bytes}")
    };
    Ok(match &datatype.class {
        Class::Integer { big, signed, .. } => name(if *signed { 'i' } else { 'u' }, *big, bytes),
        Class::Float(float) => name('f', float.big, float_bytes(float, bytes)?),
        Class::BitField { big } => name('u', *big, bytes),
        Class::String(_) => format!("|S{bytes}"),
        Class::Opaque(_) => format!("|V{bytes}"),
        Class::Array { lengths, base } => {
            dtype(base)?;
            format!("|V{}", numpy_bytes(base).saturating_mul(count(lengths)))
        }
        Class::Compound(members) => {
            members.iter().try_for_each(|member| dtype(&member.datatype).map(drop))?;
            let complex = match members.as_slice() {
                [r, i] if r.name == "r" && i.name == "i" && r.datatype == i.datatype => {
                    complex(&r.datatype, bytes)
                }
                _ => None,
            };
            complex.unwrap_or_else(|| "compound".to_owned())
        }
        Class::Sequence(base) => dtype(base).map(|_| "|O".to_owned())?,
        Class::Complex(part) => complex(part, bytes).unwrap_or_else(|| "compound".to_owned()),
        Class::Enumeration { base, .. } if is_boolean(datatype) => {
            dtype(base).map(|_| "|b1".to_owned())?
        }
        Class::Enumeration { base, .. } => dtype(base)?,
        Class::ObjectReference | Class::RegionReference | Class::VariableString(_) => {
            "|O".to_owned()
        }
        class => return Err(unsupported(&format!("{class:?} has no equivalent in NumPy"))),
    })
}

/// Returns the size of an element in NumPy, where strings and sequences of variable length are pointers.
fn numpy_bytes(datatype: &Datatype) -> u64 {
    match &datatype.class {
        Class::VariableString(_)
        | Class::Sequence(_)
        | Class::ObjectReference
        | Class::RegionReference => 8,
        Class::Array { lengths, base } => numpy_bytes(base).saturating_mul(count(lengths)),
        _ => datatype.bytes as u64,
    }
}

fn count(lengths: &[u64]) -> u64 {
    lengths.iter().fold(1, |all, len| all.saturating_mul(*len))
}

fn complex(part: &Datatype, bytes: usize) -> Option<String> {
    let Class::Float(float) = part.class else { return None };
    (part.bytes * 2 == bytes && float.ieee_bytes().is_some())
        .then(|| format!("{}c{bytes}", if float.big { '>' } else { '<' }))
}

fn is_boolean(datatype: &Datatype) -> bool {
    let Class::Enumeration { base, members } = &datatype.class else { return false };
    let has = |name: &str, value: u8| members.iter().any(|(n, v)| n == name && v == &[value]);
    base.bytes == 1 && members.len() == 2 && has("FALSE", 0) && has("TRUE", 1)
}

/// Returns the size of the smallest float of NumPy that holds another one.
fn float_bytes(float: &Float, bytes: usize) -> Result<usize> {
    let (exponent, mantissa) = (float.exponent.1, float.mantissa.1);
    if float.vax {
        return Err(unsupported("a float in the byte order of VAX"));
    }
    let holds = |(size, e, m): &(usize, u8, u8)| *size >= bytes && exponent <= *e && mantissa <= *m;
    let sizes = [(2, 5, 10), (4, 8, 23), (8, 11, 52), (16, 15, 64)];
    let found = sizes.iter().find(|size| holds(size)).map(|(size, ..)| *size);
    found.ok_or_else(|| unsupported("a float with more bits than NumPy supports"))
}

fn unsupported(what: &str) -> Error {
    Error::unsupported(Place::default(), what)
}

/// Converts an element to the form that is summed, and appends it.
type Convert = Box<dyn Fn(&[u8], &mut Vec<u8>)>;

/// Returns the sum of elements of up to 8 bytes and of fixed strings.
fn sum(data: &Dataset) -> Result<Option<String>> {
    let bytes = data.len().saturating_mul(data.datatype().bytes as u64);
    let Some(convert) = conversion(data.datatype()).filter(|_| bytes <= MAX_BYTES) else {
        return Ok(None);
    };
    if matches!(data.space(), Dataspace::Null) {
        return Ok(None);
    }
    let mut sha = Sha256::new();
    let size = data.datatype().bytes;
    let row: u64 = data.shape().iter().skip(1).product::<u64>().max(1) * size as u64;
    let rows = data.shape().first().copied().unwrap_or(1);
    let step = match data.layout()? {
        nnz_hdf5::Layout::Chunked(chunked) => chunked.grid().chunk().first().copied().unwrap_or(1),
        _ => 1,
    };
    let step = (BLOCK / row).max(1).next_multiple_of(step);
    let (mut stored, mut converted) = (Vec::new(), Vec::new());
    for first in (0..rows).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let last = rows.min(first.saturating_add(step));
        let mut ranges: Vec<Range<u64>> = data.shape().iter().map(|len| 0..*len).collect();
        if let Some(range) = ranges.first_mut() {
            *range = first..last;
        }
        let count = ranges.iter().map(|range| range.end - range.start).product::<u64>();
        stored.resize(usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(size), 0);
        data.read_slab(&ranges, &mut stored)?;
        converted.clear();
        stored.chunks_exact(size).for_each(|element| convert(element, &mut converted));
        sha.update(&converted);
    }
    let digest = sha.finalize();
    Ok(Some(digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()))
}

fn conversion(datatype: &Datatype) -> Option<Convert> {
    let bytes = datatype.bytes;
    let little = |big: bool| -> Convert {
        Box::new(move |element, out| {
            out.extend_from_slice(element);
            if big {
                let start = out.len() - element.len();
                out[start..].reverse();
            }
        })
    };
    match &datatype.class {
        Class::Integer { big, signed, bits, .. } if bytes <= 8 => {
            let (big, signed, (offset, bits)) = (*big, *signed, *bits);
            if (offset, usize::from(bits)) == (0, 8 * bytes) {
                return Some(little(big));
            }
            Some(Box::new(move |element, out| {
                let value = number(element, big) >> offset;
                let unused = 64 - u32::from(bits.clamp(1, 64));
                let value = match signed {
                    true => ((value << unused).cast_signed() >> unused).cast_unsigned(),
                    false => value << unused >> unused,
                };
                out.extend_from_slice(&value.to_le_bytes()[..bytes]);
            }))
        }
        Class::BitField { big } if bytes <= 8 => Some(little(*big)),
        Class::Enumeration { base, .. } => conversion(base),
        Class::Float(float) if float.ieee_bytes() == Some(bytes) => Some(little(float.big)),
        Class::Float(float) if bytes <= 8 && !float.vax => {
            let float = *float;
            let wide = float_bytes(&float, bytes).ok().filter(|wide| *wide <= 8)?;
            Some(Box::new(move |element, out| {
                let value = float_value(number(element, float.big), &float);
                match wide {
                    2 => {}
                    // No bits are lost: the type was chosen for that.
                    #[allow(clippy::cast_possible_truncation)]
                    4 => out.extend((value as f32).to_le_bytes()),
                    _ => out.extend(value.to_le_bytes()),
                }
            }))
        }
        Class::String(padding) => {
            let padding = *padding;
            Some(Box::new(move |element, out| {
                let end = match padding {
                    Padding::Terminated => element.iter().position(|byte| *byte == 0),
                    Padding::Spaces => {
                        element.iter().rposition(|byte| *byte != b' ').map(|at| at + 1).or(Some(0))
                    }
                    _ => None,
                };
                let end = end.unwrap_or(element.len());
                let start = out.len();
                out.extend_from_slice(&element[..end]);
                out.resize(start + element.len(), 0);
            }))
        }
        _ => None,
    }
}

fn number(element: &[u8], big: bool) -> u64 {
    let add = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
    match big {
        true => element.iter().fold(0, add),
        false => element.iter().rev().fold(0, add),
    }
}

/// Decodes a float of up to 64 bits.
fn float_value(stored: u64, float: &Float) -> f64 {
    let field = |(at, bits): (u8, u8)| match bits {
        0 => 0,
        bits => stored >> at << (64 - u32::from(bits)) >> (64 - u32::from(bits)),
    };
    let (exponent, mantissa) = (field(float.exponent), field(float.mantissa));
    let sign = if field((float.sign, 1)) == 0 { 1.0 } else { -1.0 };
    let highest = (1_u64 << float.exponent.1) - 1;
    let bits = i32::from(float.mantissa.1);
    // Mantissas have at most 52 bits.
    #[allow(clippy::cast_precision_loss)]
    let mantissa_value = mantissa as f64 * 2_f64.powi(-bits);
    let bias = i32::try_from(float.bias).unwrap_or(0);
    let power = |exponent: u64| 2_f64.powi(i32::try_from(exponent).unwrap_or(0) - bias);
    sign * match exponent {
        e if e == highest && mantissa == 0 => f64::INFINITY,
        e if e == highest => f64::NAN,
        0 if float.implied => mantissa_value * power(1),
        e if float.implied => (1.0 + mantissa_value) * power(e),
        e => mantissa_value * 2.0 * power(e),
    }
}
