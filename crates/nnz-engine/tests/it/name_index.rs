//! Names found by an index, compared with selections.

use nnz_core::{
    Annotations, Axis, Column, ColumnValues, Header, MatrixSource, Names, Order, Projection,
    Result, Shape, StringList, UnitReader, Wrapped,
};
use nnz_engine::{AnnotationTable, CsMatrix, NameIndex, Selection, Slice};

/// A matrix with annotations of its rows.
struct Annotated {
    inner: Box<dyn MatrixSource>,
    table: AnnotationTable,
}

impl MatrixSource for Annotated {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.inner.read_names(axis)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        match axis {
            Axis::Rows => Ok(Some(Box::new(&self.table))),
            Axis::Cols => Ok(None),
        }
    }

    fn units(
        &self,
        majors: std::ops::Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }
}

/// Rows `2`, `a`, `b`, `a` and an empty name, with symbols and kinds; columns without names.
fn source() -> Annotated {
    let rows = ["2", "a", "b", "a", ""];
    let shape = Shape { rows: 5, cols: 1 };
    let (indices, values) = (Vec::<u32>::new(), Vec::<u32>::new());
    let matrix = CsMatrix::from_parts(shape, Order::Col, vec![0, 0], indices, values).unwrap();
    let inner = matrix.with_names(Axis::Rows, rows).unwrap().into_source().unwrap();
    let strings = |texts: [&str; 5]| Column {
        values: ColumnValues::Strings(texts.into_iter().collect()),
        missing: None,
    };
    let names: StringList = rows.into_iter().collect();
    let columns = [
        // The symbol of row 1 is also its kind, `b` is a name, and 7 could be a position.
        ("symbol".to_owned(), strings(["X", "T", "Y", "b", "7"])),
        ("kind".to_owned(), strings(["B", "T", "B", "B", ""])),
    ];
    Annotated { inner, table: AnnotationTable::new(names, columns).unwrap() }
}

#[test]
fn an_index_finds_the_same_as_a_selection_with_the_same_errors() {
    for (name, expected) in [
        ("2", Ok(0)),
        ("b", Ok(2)),
        ("", Ok(4)),
        ("X", Ok(0)),
        ("T", Ok(1)),
        ("7", Ok(4)),
        ("a", Err("\"a\" is the name of row 1 and of row 3")),
        (
            "B",
            Err(
                "\"B\" matches 3 rows; select one of them by \"2\", \"b\", \"a\", or all by kind=B",
            ),
        ),
        ("Z", Err("no row is named \"Z\"")),
        ("1", Err("no row is named \"1\"")),
        ("-1", Err("no row is named \"-1\"")),
    ] {
        let source = source();
        let index = NameIndex::new(&source, Axis::Rows).unwrap();
        // A second lookup finds the same.
        for _ in 0..2 {
            let found = index.find(&source, name.as_bytes()).map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned), "{name:?}");
        }
        let selection = Selection::exact_names([name]);
        let slice = Slice::new(Box::new(source), &selection, &Selection::all());
        let found =
            slice.map(|slice| slice.origin(Axis::Rows, 0)).map_err(|error| error.to_string());
        assert_eq!(found, expected.map(Some).map_err(str::to_owned), "{name:?}");
    }
}

#[test]
fn an_axis_without_names_has_none() {
    let source = source();
    let index = NameIndex::new(&source, Axis::Cols).unwrap();
    let error = index.find(&source, b"x").unwrap_err();
    assert!(matches!(error.kind(), nnz_core::ErrorKind::UnknownName(_)));
    assert_eq!(error.to_string(), "no column is named \"x\": columns have no names");
}

#[test]
fn exact_names_of_digits_are_not_positions() {
    let select = |selection: &Selection| {
        let slice = Slice::new(Box::new(source()), selection, &Selection::all());
        slice.map(|slice| slice.ranges(Axis::Rows)).map_err(|error| error.to_string())
    };
    assert_eq!(select(&Selection::exact_names(["b", "2"])), Ok(vec![2..3, 0..1]));
    assert!(select(&Selection::names(["2"])).unwrap_err().contains("both a position and the name"));
    let twice = select(&Selection::exact_names(["2", "2"])).unwrap_err();
    assert_eq!(twice, "row \"2\" (0) is selected twice");
}
