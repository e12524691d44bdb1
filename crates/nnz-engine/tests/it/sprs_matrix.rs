//! Conversion to and from sprs.

use nnz_core::{ErrorKind, Order, Shape, ValueType};
use nnz_engine::CsMatrix;
use proptest::collection::vec;
use proptest::prelude::*;
use sprs::{CsMat, CsMatI, TriMatI};

fn two_by_three(indices: Vec<u32>, values: Vec<f64>) -> CsMatrix {
    let shape = Shape { rows: 2, cols: 3 };
    CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], indices, values).unwrap()
}

#[test]
fn indices_are_sorted() {
    let matrix: CsMat<f64> = two_by_three(vec![2, 0, 1], vec![6.0, 5.0, 7.0]).try_into().unwrap();
    assert_eq!(matrix, CsMat::new((2, 3), vec![0, 2, 3], vec![0, 2, 1], vec![5.0, 6.0, 7.0]));
}

#[test]
fn other_types_and_duplicates_are_refused() {
    let other = CsMat::<f32>::try_from(two_by_three(vec![0, 2, 1], vec![5.0, 6.0, 7.0]));
    assert!(matches!(other.unwrap_err().kind(), ErrorKind::Mismatch { .. }));
    // sprs itself refuses them.
    let shared = CsMat::<f64>::try_from(two_by_three(vec![2, 2, 1], vec![5.0, 6.0, 7.0]));
    let error = shared.unwrap_err();
    let refused = matches!(error.kind(), ErrorKind::Duplicate { .. } | ErrorKind::Mismatch { .. });
    assert!(refused, "{error}");
    let wide = Shape { rows: 1, cols: 1 << 40 };
    let wide = CsMatrix::from_parts(wide, Order::Row, vec![0, 0], Vec::<u64>::new(), vec![0.0; 0]);
    let wide = CsMatI::<f64, u32>::try_from(wide.unwrap());
    assert!(matches!(wide.unwrap_err().kind(), ErrorKind::Argument(_)));
}

#[test]
fn pointers_of_sliced_matrices_start_at_zero() {
    let matrix = CsMat::new((2, 3), vec![0, 2, 3], vec![0, 2, 1], vec![5_u32, 6, 7]);
    let part = CsMatrix::try_from(matrix.slice_outer(1..2).to_owned()).unwrap();
    assert_eq!((part.indptr(), part.values().value_type()), (&[0, 1][..], ValueType::U32));
}

proptest! {
    #[test]
    fn matrices_round_trip_through_sprs(
        elements in vec((0..7_u16, 0..5_u16, any::<i32>()), 0..40), csc in any::<bool>(),
    ) {
        let mut triplets = TriMatI::<i32, u16>::new((7, 5));
        for &(row, col, value) in &elements {
            triplets.add_triplet(row.into(), col.into(), value / 64);
        }
        let matrix: CsMatI<i32, u16> = if csc { triplets.to_csc() } else { triplets.to_csr() };
        let ours = CsMatrix::try_from(matrix.clone())?;
        prop_assert_eq!(ours.nnz(), matrix.nnz() as u64);
        prop_assert_eq!(ours.order(), if csc { Order::Col } else { Order::Row });
        prop_assert_eq!(CsMatI::<i32, u16>::try_from(ours)?, matrix);
    }
}
