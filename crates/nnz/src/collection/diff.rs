//! Comparing the contents of collections of one format.

use std::collections::BTreeSet;

use nnz_container::tree::{Attribute, AttributeValue};
use nnz_core::{Axis, Error, Result};
use nnz_engine::{ElementValue, diff, diff_columns};

use super::{Contents, ElementChange, ElementDifference};
use crate::{Context, DiffOptions};

impl Contents {
    /// Compares the main matrix, the tables, the other matrices and the attributes, and passes differences to `each`.
    ///
    /// # Errors
    ///
    /// Fails if something cannot be read, or is of a kind that cannot be compared.
    pub fn diff(
        &self,
        other: &Self,
        options: &DiffOptions,
        context: &Context,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()> {
        let each = &mut |path: &str, what| each(ElementDifference::new(path.to_owned(), what));
        for axis in [Axis::Rows, Axis::Cols] {
            self.diff_tables(other, axis, (options, context), each)?;
        }
        let report = &mut |found| each(&self.main_path, ElementChange::Matrix(found));
        diff([&*self.main, &*other.main], options, context, report)?;
        let paths = |contents: &Self| contents.members.iter().map(|one| one.path.clone()).collect();
        for path in both(paths(self), paths(other), each) {
            let [first, second] = [self, other]
                .map(|contents| contents.members.iter().find(|member| member.path == path));
            let (Some(first), Some(second)) = (first, second) else { continue };
            let report = &mut |found| each(&path, ElementChange::Matrix(found));
            diff([&*first.source, &*second.source], options, context, report)?;
        }
        let shown = |contents: &Self| {
            contents.attributes.iter().map(|attribute| attribute.shown.clone()).collect()
        };
        for path in both(shown(self), shown(other), each) {
            let [first, second] = [self, other]
                .map(|contents| contents.attributes.iter().find(|one| one.shown == path));
            let (Some(first), Some(second)) = (first, second) else { continue };
            diff_attributes([&first.value, &second.value], options, &mut |what| each(&path, what));
        }
        let unsupported = |contents: &Self| contents.unsupported.iter().cloned().collect();
        let unsupported = both(unsupported(self), unsupported(other), each);
        if !unsupported.is_empty() {
            let names = Vec::from_iter(unsupported).join(", ");
            return Err(Error::unsupported(self.main.place(), format!("cannot compare {names}")));
        }
        Ok(())
    }

    /// Compares the columns of the tables of an axis. Names are compared with the main matrix.
    fn diff_tables(
        &self,
        other: &Self,
        axis: Axis,
        (options, context): (&DiffOptions, &Context),
        each: &mut dyn FnMut(&str, ElementChange),
    ) -> Result<()> {
        let [rows, cols] = &self.tables;
        let group = if axis == Axis::Rows { rows } else { cols };
        let tables = [self.main.annotations(axis)?, other.main.annotations(axis)?];
        let names = tables.each_ref().map(|table| {
            let columns = table.as_ref().map_or(&[][..], |table| table.columns());
            columns.iter().map(|column| format!("{group}/{}", column.name)).collect::<Vec<_>>()
        });
        let [first, second] = names.each_ref().map(|names| names.iter().cloned().collect());
        let [Some(first_table), Some(second_table)] = &tables else {
            both(first, second, each);
            return Ok(());
        };
        let is_same_length = first_table.len() == second_table.len();
        for path in both(first, second, each) {
            context.check()?;
            let [at, other] =
                names.each_ref().map(|names| names.iter().position(|name| *name == path));
            if let (Some(at), Some(other), true) = (at, other, is_same_length) {
                let memory = context.memory() / 4;
                let columns = [
                    first_table.read_column(at, memory)?,
                    second_table.read_column(other, memory)?,
                ];
                diff_columns(columns.each_ref(), options, &mut |what| each(&path, what));
            }
        }
        Ok(())
    }
}

/// Returns the paths in both sets, and reports the others.
pub(super) fn both(
    first: BTreeSet<String>,
    second: BTreeSet<String>,
    each: &mut dyn FnMut(&str, ElementChange),
) -> BTreeSet<String> {
    first.difference(&second).for_each(|path| each(path, ElementChange::FirstOnly));
    second.difference(&first).for_each(|path| each(path, ElementChange::SecondOnly));
    first.intersection(&second).cloned().collect()
}

/// Compares two attributes.
fn diff_attributes(
    [first, second]: [&Attribute; 2],
    options: &DiffOptions,
    each: &mut dyn FnMut(ElementChange),
) {
    let kinds = [first, second].map(|attribute| {
        let kind = match &attribute.value {
            AttributeValue::Numbers(values) if options.stored => values.value_type().to_string(),
            AttributeValue::Numbers(_) => "numbers".to_owned(),
            _ => "strings".to_owned(),
        };
        match &attribute.shape[..] {
            [] => kind,
            shape => format!("{kind} of shape {shape:?}"),
        }
    });
    if kinds[0] != kinds[1] {
        let [first, second] = kinds;
        return each(ElementChange::Kind { first, second });
    }
    let len = match &first.value {
        AttributeValue::Numbers(values) => values.len().unwrap_or(1) as u64,
        AttributeValue::Strings(list) => list.len(),
        _ => 0,
    };
    let mut reported = 0;
    for (position, at) in (0..len).zip(0..) {
        let pair = [first, second].map(|attribute| match &attribute.value {
            AttributeValue::Numbers(values) => values.get(at).map(ElementValue::Number),
            AttributeValue::Strings(list) => list.get(position).map(ElementValue::Text),
            _ => None,
        });
        if reported < options.max_diffs && !ElementValue::are_equal(pair, options.stored) {
            reported += 1;
            let [first_text, second_text] = pair.map(ElementValue::text);
            let position = Some(position).filter(|_| !first.shape.is_empty());
            each(ElementChange::Value { position, first: first_text, second: second_text });
        }
    }
}
