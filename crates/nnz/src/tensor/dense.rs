//! Tensors as dense arrays.

use nnz_binsparse::EntryReader;
use nnz_core::{Error, ErrorKind, Place, Result, Scalar, Values};

use super::TensorFile;

impl TensorFile {
    /// Reads all elements into memory, with a limit in bytes; the last dimension varies fastest. Elements that are not
    /// stored have the fill value, or zero.
    ///
    /// # Errors
    ///
    /// Fails if it is broken, or exceeds the limit, which is known before reading.
    pub fn read_dense(&self, memory: u64) -> Result<Values> {
        let mut entries = EntryReader::open(&self.container)?;
        let (shape, value_type) = (&self.descriptor.shape, entries.value_type());
        let strides = strides(shape);
        let elements = match shape.contains(&0) {
            true => Some(0),
            false => shape.iter().try_fold(1_u64, |elements, &extent| elements.checked_mul(extent)),
        };
        let needed = elements.and_then(|elements| elements.checked_mul(value_type.size() as u64));
        let refused = || {
            let needed = needed.unwrap_or(u64::MAX);
            let kind = ErrorKind::Memory { needed, allowed: memory };
            Error::new(kind, Place::path(self.container.path()))
        };
        if needed.is_none_or(|needed| needed > memory) {
            return Err(refused());
        }
        let elements =
            elements.and_then(|elements| usize::try_from(elements).ok()).ok_or_else(refused)?;
        let mut values = Values::try_zeroed(value_type, elements).ok_or_else(refused)?;
        if let Some(fill) = entries.fill() {
            (0..elements).for_each(|element| set(&mut values, element, fill));
        }
        while let Some((at, value)) = entries.next_entry()? {
            let element: u64 = at.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
            // Less than the number of elements, which fit into memory.
            set(&mut values, usize::try_from(element).unwrap_or(usize::MAX), value);
        }
        Ok(values)
    }
}

/// Returns the strides of the dimensions.
fn strides(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    for dimension in (1..shape.len()).rev() {
        // If this overflows, there are more elements than allowed.
        strides[dimension - 1] = u64::saturating_mul(strides[dimension], shape[dimension]);
    }
    strides
}

macro_rules! set {
    ($values:expr, $element:expr, $value:expr; $($variant:ident)*) => {
        match ($values, $value) {
            $((Values::$variant(values), Scalar::$variant(value)) => {
                if let Some(element) = values.get_mut($element) {
                    *element = value;
                }
            })*
            // All values of a tensor have one type.
            _ => {}
        }
    };
}

fn set(values: &mut Values, element: usize, value: Scalar) {
    set!(
        values, element, value;
        U8 U16 U32 U64 I8 I16 I32 I64 F32 F64 Bint8 ComplexF32 ComplexF64
    );
}

#[cfg(test)]
mod tests {
    use nnz_binsparse::{Options, Tensor, write_tensor};

    use nnz_container::memory::Memory;
    use nnz_core::Structure;

    use super::*;
    use crate::Dataset;

    fn tensor(
        shape: &[u64],
        coordinates: &[&[u64]],
        values: &[i16],
        fill: Option<i16>,
        layout: &str,
    ) -> TensorFile {
        let tensor = Tensor {
            shape: shape.to_vec(),
            coordinates: coordinates.iter().map(|list| list.to_vec()).collect(),
            values: Values::I16(values.to_vec()),
            structure: Structure::General,
            fill: fill.map(Scalar::I16),
        };
        let memory = Memory::new();
        let mut writer = memory.writer();
        write_tensor(&mut writer, &tensor, &layout.parse().unwrap(), &Options::default()).unwrap();
        writer.finish().unwrap();
        match super::super::open(nnz_container::NamedArrays::new(memory)).unwrap() {
            Dataset::Tensor(tensor) => tensor,
            found => panic!("{found:?}"),
        }
    }

    #[test]
    fn elements_that_are_not_stored_have_the_fill_value() {
        let at: [&[u64]; 3] = [&[0, 1], &[1, 0], &[2, 0]];
        for layout in ["sparse3(element)", "dense(sparse2(element)) transposed 2 0 1"] {
            let found = tensor(&[2, 2, 3], &at, &[7, 8], Some(-1), layout);
            let expected = vec![-1, -1, -1, -1, -1, 7, 8, -1, -1, -1, -1, -1];
            assert_eq!(found.read_dense(24).unwrap(), Values::I16(expected));
            assert!(matches!(
                found.read_dense(23).unwrap_err().kind(),
                ErrorKind::Memory { needed: 24, allowed: 23 }
            ));
        }
    }

    #[test]
    fn empty_shapes_and_scalars_are_read() {
        let empty: [&[u64]; 3] = [&[], &[], &[]];
        let found = tensor(&[u64::MAX, u64::MAX, 0], &empty, &[], None, "sparse3(element)");
        assert_eq!(found.read_dense(0).unwrap(), Values::I16(Vec::new()));
        let found = tensor(&[], &[], &[5], None, "element");
        assert_eq!(found.read_dense(2).unwrap(), Values::I16(vec![5]));
        let found = tensor(&[u64::MAX, u64::MAX, 2], &empty, &[], None, "sparse3(element)");
        assert!(matches!(found.read_dense(u64::MAX).unwrap_err().kind(), ErrorKind::Memory { .. }));
    }
}
