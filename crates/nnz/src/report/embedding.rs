//! An embedding of the cells, such as UMAP, coloured by a column of their table.

use std::ops::Range;

use nnz_core::{
    Annotations, Axis, Categorical, ColumnType, ColumnValues, MatrixSource, Order, Result, Scalar,
    readable,
};
use nnz_engine::{ReadOptions, Selection, Slice, read_dense};

use crate::Context;
use crate::collection::Collection;
use crate::formats::Member;

/// Cells that are drawn.
const POINTS: u64 = 20_000;

/// Groups of different colours or marks.
const GROUPS: usize = 30;

/// Columns that are read to find one with a suitable number of categories.
const COLUMNS: usize = 60;

/// The embeddings that are preferred, without `X_`.
const EMBEDDINGS: [&str; 3] = ["umap", "tsne", "pca"];

/// Names of columns that are preferred, and parts of names.
const PREFERRED: [&str; 5] = ["cell_type", "celltype", "leiden", "louvain", "cluster"];

/// The positions of cells in a plane.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Embedding {
    /// The name of the embedding, such as `X_umap`.
    pub name: String,
    /// The number of cells.
    pub cells: u64,
    /// The number of cells that are drawn.
    pub drawn: u64,
    /// Cells that would be drawn, but have a position that is not finite.
    pub without_position: u64,
    /// The column that has the groups; `None` if no column has between 2 and 30 categories.
    pub column: Option<String>,
    /// Cells by group. Those without a category are the last one.
    pub groups: Vec<EmbeddingGroup>,
}

/// Cells of the same category.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EmbeddingGroup {
    /// The category; `None` for cells without one.
    pub name: Option<String>,
    /// The number of cells, including those that are not drawn.
    pub cells: u64,
    /// Positions from 0 to 1, to the right and upwards.
    pub points: Vec<[f64; 2]>,
}

/// Reads the preferred embedding of a collection; `None` if there is none with two dimensions.
pub(super) fn of_collection(
    collection: &dyn Collection,
    members: &[Member],
    context: &Context,
) -> Result<Option<Embedding>> {
    let Some(member) = preferred(members) else { return Ok(None) };
    let source = collection.open(&member.path)?;
    let cells = source.header().shape.rows;
    let rows = sampled(cells);
    let positions = positions(&*source, &rows, context)?;
    // The table of the cells can be broken as well.
    let axes = readable(collection.axes())?;
    let table = match &axes {
        Some(axes) => readable(axes.annotations(Axis::Rows))?.flatten(),
        None => None,
    };
    let grouping = match table {
        Some(table) => grouping(&*table, context)?,
        None => None,
    };
    let name = member.path.trim_start_matches("obsm/").to_owned();
    Ok(Embedding::new(name, cells, rows, &positions, grouping))
}

/// Returns the matrix of the preferred embedding.
fn preferred(members: &[Member]) -> Option<&Member> {
    let has_dimensions = |member: &&Member| {
        member.path.starts_with("obsm/")
            && member.kind != Member::INVALID
            && matches!(member.shape[..], [cells, cols] if cells > 0 && cols > 1)
    };
    let rank = |member: &&Member| {
        let name = member.path.trim_start_matches("obsm/").to_lowercase();
        let name = name.strip_prefix("x_").unwrap_or(&name);
        EMBEDDINGS.iter().position(|known| *known == name).unwrap_or(EMBEDDINGS.len())
    };
    members.iter().filter(has_dimensions).min_by_key(rank)
}

/// Returns the rows that are drawn, at equal distances.
fn sampled(cells: u64) -> Vec<Range<u64>> {
    if cells <= POINTS {
        return std::iter::once(0..cells).collect();
    }
    let start = |number: u64| {
        let row = u128::from(number) * u128::from(cells) / u128::from(POINTS);
        u64::try_from(row).unwrap_or(u64::MAX)
    };
    (0..POINTS).map(start).map(|row| row..row + 1).collect()
}

/// Reads the first two dimensions of some cells; `None` for a position that is not finite.
fn positions(
    source: &dyn MatrixSource,
    rows: &[Range<u64>],
    context: &Context,
) -> Result<Vec<Option<[f64; 2]>>> {
    let cols = Selection::ranges(std::iter::once(0..2));
    let rows = Selection::ranges(rows.iter().cloned());
    let slice = Slice::in_source_order(Box::new(source), &rows, &cols)?;
    let how = ReadOptions::default().order(Order::Row).names(false);
    let values = read_dense(&slice, &how, context)?.values;
    let finite = |at: usize| {
        let number = values.get(at).and_then(Scalar::to_f64);
        number.filter(|number| number.is_finite())
    };
    let count = usize::try_from(slice.header().shape.rows).unwrap_or(0);
    Ok((0..count).map(|row| Some([finite(2 * row)?, finite(2 * row + 1)?])).collect())
}

/// Finds the column by which cells are coloured.
fn grouping(table: &dyn Annotations, context: &Context) -> Result<Option<(String, Categorical)>> {
    let columns = table.columns().iter().enumerate();
    let mut columns: Vec<_> = columns
        .filter(|(_, column)| matches!(column.column_type, ColumnType::Categorical { .. }))
        .map(|(at, column)| (rank(&column.name), at))
        .collect();
    columns.sort_unstable();
    for (_, at) in columns.into_iter().take(COLUMNS) {
        let Some(column) = readable(table.read_column(at, context.memory()))? else { continue };
        let ColumnValues::Categorical(found) = column.values else { continue };
        let used = counts(&found).iter().filter(|count| **count > 0).count();
        if (2..=GROUPS).contains(&used) {
            return Ok(Some((table.columns()[at].name.clone(), found)));
        }
    }
    Ok(None)
}

/// Returns the order in which columns are tried: names that are known, names that contain them, and others.
fn rank(name: &str) -> usize {
    let name = name.to_lowercase().replace([' ', '-', '.'], "_");
    let is = PREFERRED.iter().position(|known| *known == name);
    let contains = || PREFERRED.iter().position(|known| name.contains(known));
    is.or_else(|| Some(contains()? + PREFERRED.len())).unwrap_or(2 * PREFERRED.len())
}

/// Returns the number of cells of each category.
fn counts(column: &Categorical) -> Vec<u64> {
    let mut counts = vec![0; usize::try_from(column.categories.len()).unwrap_or(0)];
    for code in &column.codes {
        if let Some(count) = usize::try_from(*code).ok().and_then(|code| counts.get_mut(code)) {
            *count += 1;
        }
    }
    counts
}

impl Embedding {
    /// Creates it from the positions of some rows; `None` if all of them are the same, or none is finite.
    fn new(
        name: String,
        cells: u64,
        rows: Vec<Range<u64>>,
        positions: &[Option<[f64; 2]>],
        grouping: Option<(String, Categorical)>,
    ) -> Option<Self> {
        let mut finite = positions.iter().flatten();
        let first = finite.next()?;
        if finite.all(|position| position == first) {
            return None;
        }
        let scales = [0, 1].map(|which| scale(positions.iter().flatten().map(move |at| at[which])));
        let (column, found) = grouping.unzip();
        let mut groups = Vec::new();
        // The group of each category.
        let mut places = Vec::new();
        if let Some(found) = &found {
            for (code, count) in (0..).zip(counts(found)) {
                let mut text = Vec::new();
                found.categories.write_text(code, &mut text);
                let name = Some(String::from_utf8_lossy(&text).into_owned());
                places.push((count > 0).then_some(groups.len()));
                if count > 0 {
                    groups.push(EmbeddingGroup { name, cells: count, points: Vec::new() });
                }
            }
        }
        let named: u64 = groups.iter().map(|group| group.cells).sum();
        let cells_without = cells.saturating_sub(named);
        groups.push(EmbeddingGroup { name: None, cells: cells_without, points: Vec::new() });
        let last = groups.len() - 1;
        for (row, position) in rows.into_iter().flatten().zip(positions) {
            let Some(position) = position else { continue };
            let row = usize::try_from(row).ok();
            let code = row.and_then(|row| found.as_ref()?.codes.get(row));
            let code = code.and_then(|code| usize::try_from(*code).ok());
            let group = code.and_then(|code| *places.get(code)?).unwrap_or(last);
            let [x, y] = [0, 1].map(|which| scales[which](position[which]));
            groups[group].points.push([x, y]);
        }
        groups.retain(|group| group.cells > 0 || !group.points.is_empty());
        let drawn: usize = groups.iter().map(|group| group.points.len()).sum();
        let without_position = (positions.len() - drawn) as u64;
        let drawn = drawn as u64;
        Some(Self { name, cells, drawn, without_position, column, groups })
    }
}

/// Returns a function that maps numbers to the range from 0 to 1.
fn scale(numbers: impl Iterator<Item = f64>) -> impl Fn(f64) -> f64 {
    // Halves, so that differences are finite.
    let halves = numbers.map(|number| number / 2.0);
    let (least, greatest) = halves.fold((f64::INFINITY, f64::NEG_INFINITY), |range, half| {
        (range.0.min(half), range.1.max(half))
    });
    let span = greatest - least;
    move |number: f64| match span > 0.0 {
        true => ((number / 2.0 - least) / span).clamp(0.0, 1.0),
        false => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::{Categories, StringList};

    use super::*;

    fn member(path: &str, shape: &[u64]) -> Member {
        let (kind, value_type) = ("array".to_owned(), "float32".to_owned());
        Member { path: path.to_owned(), shape: shape.to_vec(), axes: vec![], kind, value_type }
    }

    fn first(cells: u64) -> Vec<Range<u64>> {
        std::iter::once(0..cells).collect()
    }

    #[test]
    fn umap_is_preferred_to_other_embeddings() {
        let mut members = vec![
            member("X", &[9, 9]),
            member("obsm/one", &[9, 1]),
            member("obsm/other", &[9, 3]),
            member("obsm/X_pca", &[9, 50]),
        ];
        let found = |members: &[Member]| preferred(members).map(|member| member.path.clone());
        assert_eq!(found(&members[..2]), None);
        assert_eq!(found(&members[..3]).as_deref(), Some("obsm/other"));
        assert_eq!(found(&members).as_deref(), Some("obsm/X_pca"));
        members.push(member("obsm/X_tsne", &[9, 2]));
        assert_eq!(found(&members).as_deref(), Some("obsm/X_tsne"));
        members.push(member("obsm/X_umap", &[9, 2]));
        assert_eq!(found(&members).as_deref(), Some("obsm/X_umap"));
        members.last_mut().unwrap().kind = Member::INVALID.to_owned();
        assert_eq!(found(&members).as_deref(), Some("obsm/X_tsne"));
    }

    #[test]
    fn names_of_cell_types_come_first() {
        let mut names =
            ["batch", "louvain", "cell_type_ontology_term_id", "leiden_0.5", "leiden", "Cell Type"];
        names.sort_by_key(|name| rank(name));
        let expected =
            ["Cell Type", "leiden", "louvain", "cell_type_ontology_term_id", "leiden_0.5", "batch"];
        assert_eq!(names, expected);
    }

    #[test]
    fn samples_are_spread_over_all_cells() {
        assert_eq!(sampled(POINTS), first(POINTS));
        for cells in [POINTS + 1, 1_000_000, u64::MAX] {
            let rows = sampled(cells);
            assert_eq!(rows.len() as u64, POINTS, "{cells}");
            assert!(rows.is_sorted_by(|one, next| one.end <= next.start), "{cells}");
            assert!(rows[0].start == 0 && rows[rows.len() - 1].end <= cells, "{cells}");
        }
    }

    #[test]
    fn cells_without_a_position_or_a_category_are_counted() {
        let categories: StringList = ["T", "unused", "B"].into_iter().collect();
        let categories = Categories::Strings(categories);
        let column = Categorical { codes: vec![0, 2, -1, 0, 2], categories, ordered: false };
        assert_eq!(counts(&column), [2, 0, 2]);
        let at = |x: f64, y: f64| Some([x, y]);
        let positions = [at(-1e308, 0.0), at(1e308, 5.0), at(0.0, 10.0), None, at(0.0, 5.0)];
        let grouping = Some(("kind".to_owned(), column));
        let made = Embedding::new("X_umap".to_owned(), 5, first(5), &positions, grouping);
        let made = made.unwrap();
        assert_eq!((made.cells, made.drawn, made.without_position), (5, 4, 1));
        let groups: Vec<_> = made
            .groups
            .iter()
            .map(|group| (group.name.as_deref(), group.cells, &group.points[..]))
            .collect();
        assert_eq!(
            groups,
            [
                (Some("T"), 2, &[[0.0, 0.0]][..]),
                (Some("B"), 2, &[[1.0, 0.5], [0.5, 0.5]][..]),
                (None, 1, &[[0.5, 1.0]][..]),
            ]
        );
        // On a line.
        let line = [at(3.0, 3.0), at(3.0, 4.0)];
        let made = Embedding::new("e".to_owned(), 2, first(2), &line, None).unwrap();
        assert_eq!(made.groups[0].points, [[0.5, 0.0], [0.5, 1.0]]);
        // All at one position, or at none.
        for none in [[at(3.0, 3.0), at(3.0, 3.0)], [None, None]] {
            assert_eq!(Embedding::new("e".to_owned(), 2, first(2), &none, None), None);
        }
    }
}
