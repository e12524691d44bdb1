//! Checking that indices ascend, with vector instructions.

/// The kernels of `nnz-bitpack`.
pub(crate) const ASCENT: nnz_core::AscentKernels = nnz_core::AscentKernels {
    ascends: nnz_bitpack::ascends,
    count_descents: nnz_bitpack::count_descents,
    count_descents_between: nnz_bitpack::count_descents_between,
};
