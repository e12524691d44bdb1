//! Codes of categories, stored as integers of any type.

use nnz_core::{At, Error, Place, Result, Scalar, Values};

/// Checks codes of `categories` categories, where -1 means missing, and returns them. `first` is
/// the position of the first.
pub(in crate::anndata) fn codes(
    values: &Values,
    categories: u64,
    first: u64,
    place: &Place,
) -> Result<Vec<i32>> {
    let count = values.len().unwrap_or(0);
    let mut codes = Vec::with_capacity(count);
    for at in 0..count {
        let code = values.get(at).and_then(whole);
        let known = code
            .filter(|&code| code == -1 || u64::try_from(code).is_ok_and(|code| code < categories));
        let Some(code) = known.and_then(|code| i32::try_from(code).ok()) else {
            let found =
                values.get(at).map_or_else(|| "no code".to_owned(), |code| code.to_string());
            let expected = format!("-1, or less than {categories}, the number of categories");
            return Err(Error::mismatch(
                place.clone().at(At::Element(first + at as u64)),
                found,
                expected,
            ));
        };
        codes.push(code);
    }
    Ok(codes)
}

fn whole(scalar: Scalar) -> Option<i64> {
    match scalar {
        Scalar::U8(code) => Some(code.into()),
        Scalar::U16(code) => Some(code.into()),
        Scalar::U32(code) => Some(code.into()),
        Scalar::U64(code) => code.try_into().ok(),
        Scalar::I8(code) => Some(code.into()),
        Scalar::I16(code) => Some(code.into()),
        Scalar::I32(code) => Some(code.into()),
        Scalar::I64(code) => Some(code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_minus_one_or_less_than_the_number_of_categories() {
        let of = |values: Values| codes(&values, 2, 0, &Place::path("f"));
        assert_eq!(of(Values::I8(vec![-1, 0, 1])).unwrap(), [-1, 0, 1]);
        assert_eq!(of(Values::U64(vec![1])).unwrap(), [1]);
        for values in [Values::I8(vec![-2]), Values::I16(vec![2]), Values::U64(vec![u64::MAX])] {
            assert!(of(values).unwrap_err().to_string().contains("element 0"));
        }
    }
}
