//! The matrices and tables of a file with several.

use crate::Context;
use std::fmt;

use nnz_core::{Annotations, Axis, Error, ErrorKind, Finding, MatrixSource, Place, Placed, Result};
use nnz_engine::{Observed, check, report_error};

use super::Member;
use super::unrecognized::no_group;
use crate::Location;

/// Checks matrices of a file: `opened` is the file with those to check, `places` returns the name of one in messages.
pub(super) fn check_items<F, I, S: MatrixSource>(
    opened: Result<(F, Vec<I>)>,
    place: &Place,
    places: impl Fn(&I) -> Place,
    matrix: impl Fn(&F, &I) -> Result<S>,
    context: &Context,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let (file, items) = match opened {
        Ok(opened) => opened,
        Err(error) => return report_error(error.with_context(place), each),
    };
    for item in items {
        let checked = matrix(&file, &item).and_then(|source| {
            let source = Placed::new(Box::new(source), places(&item));
            check(&Observed::new(&source, "checking", context.progress()), context, each)
        });
        if let Err(error) = checked {
            report_error(error.with_context(&places(&item)), each)?;
        }
    }
    Ok(())
}

/// Returns the place of a matrix in a location, and in the group that was found there if it selects none.
pub(super) fn place_of_item(
    (location, found): (&Location, Option<&str>),
    item: &impl fmt::Display,
) -> Place {
    let Location::Path { path, group } = location else { return location.source_place() };
    let group = group.as_deref().or(found).unwrap_or_default().trim_matches('/');
    let inner = if group.is_empty() { item.to_string() } else { format!("{group}/{item}") };
    Location::Path { path: path.clone(), group: Some(inner) }.source_place()
}

/// Lists the matrices of a file that does not have the selected one.
pub(super) fn absent<I: fmt::Display + PartialEq>(
    error: Error,
    item: &I,
    items: Result<Vec<I>>,
    location: &Location,
) -> Error {
    match items {
        Ok(items) if matches!(error.kind(), ErrorKind::Missing) && !items.contains(item) => {
            let names = items.iter().map(ToString::to_string).collect();
            no_group("no such group", names, location)
        }
        _ => error,
    }
}

/// Lists a matrix; `kind` returns how it is stored.
pub(super) fn matrix_member<S: MatrixSource>(
    (item, axes): (&impl fmt::Display, [Option<Axis>; 2]),
    matrix: Result<S>,
    kind: impl Fn(&S) -> &str,
) -> Result<Member> {
    let path = item.to_string();
    Ok(match matrix {
        Ok(matrix) => {
            let header = matrix.header();
            Member {
                path,
                shape: vec![header.shape.rows, header.shape.cols],
                axes: axes.to_vec(),
                kind: kind(&matrix).to_owned(),
                value_type: header.value_type.to_string(),
            }
        }
        Err(error) if error.is_system() => return Err(error),
        // `validate` reports the fault.
        Err(_) => {
            let (kind, value_type) = (Member::INVALID.to_owned(), String::new());
            Member { path, shape: Vec::new(), axes: Vec::new(), kind, value_type }
        }
    })
}

/// Lists the columns of a table that are not supported, each with its type.
pub(super) fn unread_members<'a>(
    name: &'a str,
    columns: &'a [(String, String)],
) -> impl Iterator<Item = Member> + 'a {
    columns.iter().map(move |(column, what)| Member {
        path: format!("{name}/{column}"),
        shape: Vec::new(),
        axes: Vec::new(),
        kind: "unsupported".to_owned(),
        value_type: what.clone(),
    })
}

/// Lists the columns of the table of an axis.
pub(super) fn column_members(name: &str, axis: Axis, table: &dyn Annotations) -> Vec<Member> {
    let columns = table.columns().iter().enumerate().map(|(index, column)| Member {
        path: format!("{name}/{}", column.name),
        shape: vec![table.len()],
        axes: vec![Some(axis)],
        kind: if table.is_nullable(index) { "nullable" } else { "column" }.to_owned(),
        value_type: column.column_type.to_string(),
    });
    columns.collect()
}
