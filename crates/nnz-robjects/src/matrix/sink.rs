//! Writing a `dgCMatrix`.

use std::path::Path;

use nnz_container::rds::{Form, Integers, RdsOptions, RdsWriter, Value};
use nnz_container::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_core::{
    At, Batch, Error, Header, MatrixSink, Names, Order, Place, Result, SinkCapabilities, ValueType,
    Values, Written,
};
use nnz_storage::staging::WriteOptions;

/// Capabilities of a `dgCMatrix` as a target.
pub const CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Col], &[ValueType::F64]).unique(true).names(true);

/// The largest number of entries: R counts them with 32-bit integers.
const MOST: u64 = i32::MAX.unsigned_abs() as u64;

/// A sink that writes a `dgCMatrix`.
pub struct RMatrixSink {
    writer: Box<dyn TreeWriter>,
    place: Place,
    rows: u64,
    cols: u64,
    indices: NodeId,
    pointers: NodeId,
    values: NodeId,
    /// The number of pointers written: all up to the last column that has begun.
    written: u64,
    entries: u64,
    /// The column and row of the last entry.
    last: Option<(u64, u64)>,
}

impl std::fmt::Debug for RMatrixSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RMatrixSink").finish_non_exhaustive()
    }
}

/// Creates a `dgCMatrix` with the shape of `header`.
///
/// # Errors
///
/// Fails if the target cannot be written, if there are more rows, columns or entries than the
/// largest integer of R, if values are not doubles, or if a name is not UTF-8.
pub fn create(
    path: &Path,
    header: &Header,
    names: [Option<Names<'_>>; 2],
    write: WriteOptions,
    options: RdsOptions,
) -> Result<RMatrixSink> {
    let place = Place::path(path);
    if header.order != Order::Col || header.value_type != ValueType::F64 {
        let found = format!("{} by {}", header.value_type, header.order);
        return Err(Error::mismatch(place, found, "float64 by col, like a dgCMatrix"));
    }
    let side = |len: u64| i32::try_from(len).ok();
    let (Some(rows), Some(cols)) = (side(header.shape.rows), side(header.shape.cols)) else {
        let expected = format!("at most {MOST} rows and columns");
        return Err(Error::mismatch(place, header.shape, expected));
    };
    if let Some(stored) = header.nnz.filter(|&stored| stored > MOST) {
        return Err(too_many(&place, stored));
    }
    let mut rds = Box::new(RdsWriter::create(path, write, options)?);
    rds.set_form(Form::S4 { class: "dgCMatrix".to_owned(), package: "Matrix".to_owned() });
    let create = |rds: &mut RdsWriter, name: &str, value_type| {
        let spec = ArraySpec::growing(ElementType::Number(value_type), &[]);
        rds.create_array(NodeId::ROOT, name, &spec)
    };
    let indices = create(&mut rds, "i", ValueType::U32)?;
    let pointers = create(&mut rds, "p", ValueType::U32)?;
    let sides = Integers::Stored(vec![rows, cols]);
    rds.set_object("Dim", Value::Integer(sides).into())?;
    let mut lists = Vec::with_capacity(2);
    for names in names {
        // In R, no names are NULL.
        let list = names.map(|mut names| rds.keep_strings(&place, "name", &mut *names));
        lists.push(list.transpose()?);
    }
    rds.set_lists("Dimnames", lists)?;
    let values = create(&mut rds, "x", ValueType::F64)?;
    rds.set_object("factors", Value::List(Vec::new()).into())?;
    Ok(RMatrixSink {
        writer: rds,
        place,
        rows: header.shape.rows,
        cols: header.shape.cols,
        indices,
        pointers,
        values,
        written: 0,
        entries: 0,
        last: None,
    })
}

fn too_many(place: &Place, stored: u64) -> Error {
    let what = format!(
        "{stored} entries, but a dgCMatrix has at most {MOST}; a BPCells matrix can have more"
    );
    Error::unsupported(place.clone(), what)
}

impl RMatrixSink {
    /// Writes the pointers up to column `col`, before which there are `before` entries.
    fn point(&mut self, col: u64, before: u64) -> Result<()> {
        let pointer = u32::try_from(before).map_err(|_| too_many(&self.place, before))?;
        let block = [pointer; 512];
        while self.written <= col {
            let now = usize::try_from(col + 1 - self.written).unwrap_or(512).min(512);
            self.writer.append(self.pointers, &block[..now])?;
            self.written += now as u64;
        }
        Ok(())
    }
}

impl RMatrixSink {
    /// Returns the error for an entry that is not after the previous one.
    fn unsupported_order(&self, row: u64, col: u64) -> Error {
        let place = self.place.clone().at(At::Entry { row, col });
        if self.last == Some((col, row)) {
            let expected = "one, since a dgCMatrix has no duplicates: sum them";
            return Error::mismatch(place, "two entries at the same position", expected);
        }
        Error::mismatch(place, "an entry out of order", "ascending rows in each column")
    }
}

impl MatrixSink for RMatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let total = self.entries + batch.entries() as u64;
        if total > MOST {
            return Err(too_many(&self.place, total));
        }
        let mut indices = Vec::with_capacity(batch.entries());
        for run in 0..batch.runs() {
            let range = batch.run(run);
            let col = batch.majors.get(run);
            if col >= self.cols || col + 1 < self.written {
                let found = format!("column {col}");
                let expected =
                    format!("at least {}, below {}", self.written.saturating_sub(1), self.cols);
                return Err(Error::mismatch(self.place.clone(), found, expected));
            }
            self.point(col, self.entries + range.start as u64)?;
            for entry in range {
                let row = batch.minor(run, entry);
                if self.last >= Some((col, row)) {
                    return Err(self.unsupported_order(row, col));
                }
                self.last = Some((col, row));
                match u32::try_from(row) {
                    Ok(index) if row < self.rows => indices.push(index),
                    _ => {
                        let place = self.place.clone().at(At::Entry { row, col });
                        let expected = format!("rows below {}", self.rows);
                        return Err(Error::mismatch(place, "a row past the end", expected));
                    }
                }
            }
        }
        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(batch.entries());
                &repeated
            }
            values => values,
        };
        match values {
            Values::F64(all) if all.len() == indices.len() => {
                self.writer.append(self.values, all)?;
            }
            other => {
                let found = format!("{:?} values of type {}", other.len(), other.value_type());
                let expected = format!("{} of type float64", indices.len());
                return Err(Error::mismatch(self.place.clone(), found, expected));
            }
        }
        self.writer.append(self.indices, &indices)?;
        self.entries = total;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.point(self.cols, self.entries)?;
        self.writer.finish().map(Written::new)
    }
}
