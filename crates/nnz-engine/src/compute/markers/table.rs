//! Markers as a table of text.

use std::io::Write;

use nnz_core::{Error, ErrorKind, Place, Result, Scalar, StringList, write_scalar};

use super::Markers;
use crate::annotations::write_field;

/// Bytes of text that are written at once.
const BUFFER: usize = 64 << 10;

/// The columns, as `scanpy.get.rank_genes_groups_df` names them.
const COLUMNS: [&str; 8] = [
    "group",
    "names",
    "scores",
    "logfoldchanges",
    "pvals",
    "pvals_adj",
    "pct_nz_group",
    "pct_nz_reference",
];

impl Markers {
    /// Returns the positions of the features of a group in descending order of their scores, or only the first of them. Equal
    /// ones stay in order.
    #[must_use]
    pub fn ranked(&self, group: usize) -> Vec<usize> {
        let scores = self.of_group(&self.scores, group);
        let mut ranked: Vec<usize> = (0..scores.len()).collect();
        // Zeros are equal, whatever their sign.
        ranked.sort_by(|one, other| (scores[*other] + 0.0).total_cmp(&(scores[*one] + 0.0)));
        ranked.truncate(self.top.unwrap_or(usize::MAX));
        ranked
    }

    /// Returns the numbers of a group.
    pub(super) fn of_group<'a>(&self, numbers: &'a [f64], group: usize) -> &'a [f64] {
        let rest = numbers.get(group.saturating_mul(self.features)..).unwrap_or_default();
        rest.get(..self.features).unwrap_or_default()
    }

    /// Writes a table with a line for each group and feature, by group and in descending order of scores. It has the columns of
    /// `scanpy.get.rank_genes_groups_df`, separated by a comma or a tab. Features without names have their positions.
    ///
    /// # Errors
    ///
    /// Fails if writing fails.
    pub fn write_text(
        &self,
        groups: &StringList,
        features: Option<&StringList>,
        separator: u8,
        out: &mut dyn Write,
    ) -> Result<()> {
        let failed = |error| Error::new(ErrorKind::Io(error), Place::default());
        let mut text = COLUMNS.join(&*char::from(separator).to_string()).into_bytes();
        text.push(b'\n');
        for (group, name) in (0..self.groups).zip(groups.iter()) {
            let numbers = [
                &self.scores,
                &self.log2_fold_changes,
                &self.p_values,
                &self.adjusted_p_values,
                &self.fractions,
                &self.rest_fractions,
            ];
            let numbers = numbers.map(|numbers| self.of_group(numbers, group));
            for feature in self.ranked(group) {
                write_field(name, separator, &mut text);
                text.push(separator);
                match features.and_then(|names| names.get(feature as u64)) {
                    Some(name) => write_field(name, separator, &mut text),
                    None => write_scalar(&mut text, Scalar::U64(feature as u64), ""),
                }
                for numbers in numbers {
                    text.push(separator);
                    write_scalar(&mut text, Scalar::F64(numbers[feature]), "");
                }
                text.push(b'\n');
                if text.len() >= BUFFER {
                    out.write_all(&text).map_err(failed)?;
                    text.clear();
                }
            }
        }
        out.write_all(&text).map_err(failed)
    }
}
