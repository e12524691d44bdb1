//! Which attribute has the names of rows or columns, by convention.

use nnz_core::Axis;

/// The attribute for names in files that are written.
pub(super) fn written(axis: Axis) -> [&'static str; 2] {
    match axis {
        Axis::Rows => ["Gene", "var_names"],
        Axis::Cols => ["CellID", "obs_names"],
    }
}

/// The attributes that may have names, of which the first is used: attributes of anndata, of loompy,
/// and of Seurat and SCope. anndata writes its names beside an annotation `Gene`.
pub(super) fn known(axis: Axis) -> &'static [&'static str] {
    match axis {
        Axis::Rows => &["var_names", "Gene", "gene_names", "Accession"],
        Axis::Cols => &["obs_names", "CellID", "cell_names"],
    }
}

/// Attributes by which other programs identify rows or columns, the most common first, as compared by [`plain`]: anndata
/// writes names under the name of the index, such as `barcode` and `target_name` of kb-python.
pub(super) fn likely(axis: Axis) -> &'static [&'static str] {
    match axis {
        Axis::Rows => &[
            "targetname",
            "geneid",
            "geneids",
            "ensemblid",
            "ensemblids",
            "featureid",
            "featureids",
            "genename",
            "genenames",
            "gene",
            "genes",
            "genesymbol",
            "genesymbols",
            "featurename",
            "feature",
            "features",
            "symbol",
            "varnames",
            "rownames",
            "index",
            "id",
            "ids",
            "name",
            "names",
        ],
        Axis::Cols => &[
            "barcode",
            "barcodes",
            "cellbarcode",
            "cellbarcodes",
            "cellid",
            "cellids",
            "cellname",
            "cellnames",
            "cell",
            "cells",
            "obsnames",
            "colnames",
            "index",
            "id",
            "ids",
            "name",
            "names",
        ],
    }
}

/// Returns the letters and digits of a name in lower case.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_names_are_compared_without_case_and_separators() {
        for (axis, name) in [
            (Axis::Cols, "barcode"),
            (Axis::Cols, "Cell.ID"),
            (Axis::Cols, "_index"),
            (Axis::Rows, "target_name"),
            (Axis::Rows, "Gene Symbol"),
        ] {
            assert!(likely(axis).contains(&&*plain(name)), "{name}");
        }
        for axis in [Axis::Rows, Axis::Cols] {
            for name in likely(axis) {
                assert_eq!(plain(name), *name);
            }
        }
        assert!(!likely(Axis::Cols).contains(&&*plain("cell_type")));
    }
}
