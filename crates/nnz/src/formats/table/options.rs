//! Options of reading tables.

use crate::Context;
use nnz_core::Result;
use nnz_text::table::{Decimal, ReadOptions, Separator};

use crate::OpenOptions;
use crate::formats::text::YesOrNo;
use crate::formats::{FormatOption, text};

pub(super) const OPTIONS: &[FormatOption] = &[
    FormatOption::parsed::<String>(
        "na",
        "TEXT",
        "Text of missing values, which are read as NaN, such as NA, or '' for empty fields [default: none]",
    ),
    FormatOption::parsed::<Separator>(
        "separator",
        "CHARACTER",
        "Separator of fields: a character, or comma, tab, semicolon or blanks [default: detected]",
    ),
    FormatOption::parsed::<Decimal>(
        "decimal",
        "CHARACTER",
        "Character before the fraction of a number: a point or a comma [default: a point]",
    ),
    FormatOption::parsed::<YesOrNo>(
        "header",
        "yes|no",
        "Whether the first line has the names of the columns [default: detected]",
    ),
    FormatOption::parsed::<u16>(
        "id-columns",
        "COUNT",
        "Number of columns before the numbers: the names of the rows, then annotations [default: detected]",
    ),
];

pub(super) fn read_options(options: &OpenOptions, context: &Context) -> Result<ReadOptions> {
    let given = &options.format_options;
    Ok(ReadOptions {
        na: given.parse("na")?,
        decimal: given.parse("decimal")?.unwrap_or_default(),
        separator: given.parse("separator")?,
        header: given.parse::<YesOrNo>("header")?.map(|choice| choice.0),
        id_columns: given.parse::<u16>("id-columns")?.map(usize::from),
        keep: text::kept(context.memory()),
    })
}
