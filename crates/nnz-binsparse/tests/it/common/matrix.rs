//! Generated matrices, and writing them.

use std::collections::BTreeMap;
use std::sync::Arc;

use nnz_binsparse::{Layout, MatrixSink, Options};
use nnz_container::memory::Memory;
use nnz_core::{
    Batch, Bint8, Duplicates, Header, MatrixSink as _, Minors, Order, Result, Scalar, Shape,
    Structure, Triangle, ValueType, Values,
};

use super::Entry;

/// A matrix and its header.
pub struct Matrix {
    pub header: Header,
    pub entries: BTreeMap<(u64, u64), Scalar>,
}

fn value(value_type: ValueType, number: u8) -> Scalar {
    let float = match number % 7 {
        0 => -0.0,
        1 => f64::INFINITY,
        2 => 5e-324,
        n => f64::from(n) + 0.1,
    };
    let narrow = f32::from(number) - 0.1;
    match value_type {
        ValueType::U8 => Scalar::U8(number),
        ValueType::U16 => Scalar::U16(u16::MAX - u16::from(number)),
        ValueType::U32 => Scalar::U32(u32::MAX - u32::from(number)),
        ValueType::U64 => Scalar::U64(u64::MAX - u64::from(number)),
        ValueType::I8 => Scalar::I8(i8::MIN + i8::try_from(number % 100).unwrap()),
        ValueType::I16 => Scalar::I16(i16::MIN + i16::from(number)),
        ValueType::I32 => Scalar::I32(i32::MIN + i32::from(number)),
        ValueType::I64 => Scalar::I64(i64::MIN + i64::from(number)),
        ValueType::F32 => Scalar::F32(narrow),
        ValueType::F64 => Scalar::F64(float),
        ValueType::Bint8 => Scalar::Bint8(Bint8(number % 2)),
        ValueType::ComplexF32 => Scalar::ComplexF32([narrow, -0.0]),
        ValueType::ComplexF64 => Scalar::ComplexF64([1.5, float]),
    }
}

/// Creates a matrix with entries in about a third of its elements, and some empty rows and columns.
pub fn matrix(shape: Shape, value_type: ValueType, structure: Structure, iso: bool) -> Matrix {
    let mut entries = BTreeMap::new();
    for row in (0..shape.rows).filter(|row| row % 4 != 1) {
        for col in (0..shape.cols).filter(|col| col % 5 != 2 && (row * 7 + col * 3) % 3 == 0) {
            let stored = match structure.triangle() {
                None => true,
                Some(Triangle::Lower) => row >= col,
                Some(Triangle::Upper) => row <= col,
            };
            // Values on the diagonal are part of another test.
            let plain = matches!(structure, Structure::General | Structure::Symmetric(_));
            if stored && (plain || row != col) {
                let number = if iso { 3 } else { u8::try_from((row * 11 + col) % 256).unwrap() };
                entries.insert((row, col), value(value_type, number));
            }
        }
    }
    let header = Header::new(shape, Order::Row, value_type)
        .sorted_indices(true)
        .iso(iso)
        .nnz(entries.len() as u64)
        .structure(structure)
        .duplicates(Duplicates::Refused);
    Matrix { header, entries }
}

impl Matrix {
    /// Splits the entries into batches of `size`, with 64-bit or 32-bit minors.
    pub fn batches(&self, size: usize, wide: bool) -> Vec<Batch> {
        let order = self.header.order;
        let mut all: Vec<_> =
            self.entries.iter().map(|(&(r, c), &v)| (order.major_minor(r, c), v)).collect();
        all.sort_by_key(|(place, _)| *place);
        all.chunks(size)
            .map(|chunk| {
                let iso = self.header.iso.then(|| Values::Iso(chunk[0].1));
                let values = iso.unwrap_or_else(|| Values::new(self.header.value_type));
                let mut batch = Batch::new(order, values);
                let majors = batch.majors.listed_mut();
                batch.offsets.clear();
                let minors = chunk.iter().map(|((_, minor), _)| *minor);
                for (entry, ((major, _), value)) in chunk.iter().enumerate() {
                    if majors.last() != Some(major) {
                        majors.push(*major);
                        batch.offsets.push(entry);
                    }
                    batch.values.push(*value);
                }
                batch.offsets.push(chunk.len());
                batch.minors = match wide {
                    true => Minors::U64(minors.collect()),
                    false => Minors::U32(minors.map(|m| u32::try_from(m).unwrap()).collect()),
                };
                batch
            })
            .collect()
    }

    pub fn write(&self, layout: &Layout, options: &Options, size: usize) -> Result<Memory> {
        let memory = Memory::new();
        let mut sink = MatrixSink::create(memory.writer(), &self.header, layout, options)?;
        let encoder = sink.encoder().unwrap();
        let mut first = 0;
        for (number, batch) in self.batches(size, size % 2 == 1).iter().enumerate() {
            if number % 2 == 0 {
                let encoded = Arc::clone(&encoder).encode(batch, first)?;
                sink.write_encoded(encoded)?;
            } else {
                sink.write(batch)?;
            }
            first += batch.entries() as u64;
        }
        Box::new(sink).finish()?;
        Ok(memory)
    }

    pub fn list(&self) -> Vec<Entry> {
        self.entries.iter().map(|(&(r, c), &v)| (vec![r, c], v)).collect()
    }
}
