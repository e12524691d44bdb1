//! Groups of the rows of a table that have the same value.

use std::collections::HashMap;

use crate::{Column, ColumnValues, Error, Result, Scalar, StringList};

/// The rows of a table by their value in a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grouping {
    /// The values that occur, as text: in the order of the categories, or in ascending order.
    pub labels: StringList,
    /// The position of the value of each row in the list; `None` if it is missing or NaN.
    pub codes: Vec<Option<u32>>,
}

impl Column {
    /// Groups rows that have the same value.
    ///
    /// # Errors
    ///
    /// Fails if there are 2^32 groups or more, or not enough memory for the values as text.
    pub fn grouped(&self) -> Result<Grouping> {
        let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
        // The first row of each group, and its text.
        let mut groups: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut codes = Vec::new();
        let mut text = Vec::new();
        for row in 0..self.len() {
            if self.is_missing_or_nan(row) {
                codes.push(None);
                continue;
            }
            text.clear();
            self.write_text(row, &mut text);
            // Zeros are the same, whatever their sign.
            if self.number(row).and_then(Scalar::to_f64) == Some(0.0) && text.starts_with(b"-") {
                text.remove(0);
            }
            let code = match known.get(&text) {
                Some(code) => *code,
                None => {
                    let code = u32::try_from(groups.len()).map_err(|_| {
                        Error::argument("a column with 2^32 or more distinct values")
                    })?;
                    known.insert(text.clone(), code);
                    groups.push((row, text.clone()));
                    code
                }
            };
            codes.push(Some(code));
        }
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|one, other| self.compare(&groups[*one], &groups[*other]));
        let mut positions = vec![0_u32; groups.len()];
        let mut labels = StringList::new();
        for (position, group) in (0..).zip(order) {
            positions[group] = position;
            labels.try_push(&groups[group].1)?;
        }
        for code in codes.iter_mut().flatten() {
            // A code is the position of a group.
            *code = positions[*code as usize];
        }
        Ok(Grouping { labels, codes })
    }

    /// Compares the values of two rows, which are not missing: categories by position, and numbers by size.
    fn compare(&self, one: &(u64, Vec<u8>), other: &(u64, Vec<u8>)) -> std::cmp::Ordering {
        match &self.values {
            ColumnValues::Categorical(categorical) => {
                let code = |row| categorical.codes.get(usize::try_from(row).ok()?);
                code(one.0).cmp(&code(other.0))
            }
            ColumnValues::Numbers(_) => {
                let integer = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<i128>().ok();
                let by_size = match (integer(&one.1), integer(&other.1)) {
                    (Some(one), Some(other)) => Some(one.cmp(&other)),
                    _ => {
                        let float = |row| self.number(row).and_then(Scalar::to_f64);
                        float(one.0).partial_cmp(&float(other.0))
                    }
                };
                by_size.unwrap_or(std::cmp::Ordering::Equal).then_with(|| one.1.cmp(&other.1))
            }
            ColumnValues::Strings(_) => one.1.cmp(&other.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categorical, Categories, Values};

    fn texts(labels: &StringList) -> Vec<String> {
        labels.iter().map(|label| String::from_utf8_lossy(label).into_owned()).collect()
    }

    #[test]
    fn numbers_are_grouped_by_size_and_nan_has_no_group() {
        let values =
            ColumnValues::Numbers(Values::F64(vec![10.0, 9.5, f64::NAN, -1.0, 10.0, -0.0, 0.0]));
        let found = Column { values, missing: None }.grouped().unwrap();
        assert_eq!(texts(&found.labels), ["-1.0", "0.0", "9.5", "10.0"]);
        assert_eq!(found.codes, [Some(3), Some(2), None, Some(0), Some(3), Some(1), Some(1)]);
    }

    #[test]
    fn integers_that_floats_do_not_have_are_different_groups() {
        let large = 1_i64 << 53;
        let values = ColumnValues::Numbers(Values::I64(vec![large + 1, large, large + 1]));
        let found = Column { values, missing: None }.grouped().unwrap();
        assert_eq!(texts(&found.labels), ["9007199254740992", "9007199254740993"]);
        assert_eq!(found.codes, [Some(1), Some(0), Some(1)]);
    }

    #[test]
    fn categories_keep_their_order_and_unused_ones_are_left_out() {
        let categories = ["late", "unused", "early"].iter().map(|text| text.as_bytes()).collect();
        let values = ColumnValues::Categorical(Categorical {
            codes: vec![2, 0, -1, 2],
            categories: Categories::Strings(categories),
            ordered: true,
        });
        let found = Column { values, missing: None }.grouped().unwrap();
        assert_eq!(texts(&found.labels), ["late", "early"]);
        assert_eq!(found.codes, [Some(1), Some(0), None, Some(1)]);
    }

    #[test]
    fn a_category_that_is_nan_has_no_group() {
        let categories = Categories::Numbers(Values::F64(vec![f64::NAN, 2.0, 1.0]));
        let values = ColumnValues::Categorical(Categorical {
            codes: vec![0, 1, 2, 1],
            categories,
            ordered: false,
        });
        let found = Column { values, missing: None }.grouped().unwrap();
        assert_eq!(texts(&found.labels), ["2.0", "1.0"]);
        assert_eq!(found.codes, [None, Some(0), Some(1), Some(0)]);
    }
}
