//! Writing a BPCells object.

use std::path::{Path, PathBuf};

use nnz_container::rds::{Form, RdsOptions, RdsWriter, Texts, Value};
use nnz_container::{ArrayId, ContainerWriter};
use nnz_core::{Error, Place, Result, StringReader, ValueType};
use nnz_storage::staging::WriteOptions;

use super::class::{PACKAGE, class_of};
use super::views::double_of;
use crate::version;

/// Options for writing an object of R.
#[derive(Clone, Copy, Debug, Default)]
pub struct RObjectOptions {
    /// Whether to write a plain list, like BPCells' own writer, instead of the S4 object that the
    /// program works with.
    pub list: bool,
    /// Compression and version of the file.
    pub rds: RdsOptions,
}

/// A matrix or fragments of BPCells being written as an object of R.
pub struct RObjectWriter {
    rds: Box<RdsWriter>,
    path: PathBuf,
    list: bool,
    version: Option<String>,
    /// How the elements of each array are stored.
    arrays: Vec<(ArrayId, String, Stored)>,
    shape: Option<ArrayId>,
    slots: Slots,
}

/// The slots of R in an S4 matrix.
#[derive(Default)]
struct Slots {
    shape: Vec<u8>,
    names: [Option<Texts>; 2],
    row_order: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    Unchanged,
    /// Whole numbers as doubles.
    Doubles,
}

/// The order of slots in objects of BPCells.
const SLOTS: &[&str] = &[
    "val_data",
    "val_idx",
    "val_idx_offsets",
    "val",
    "index",
    "index_data",
    "index_starts",
    "index_idx",
    "index_idx_offsets",
    "idxptr",
    "cell",
    "cell_data",
    "cell_idx",
    "cell_idx_offsets",
    "start",
    "start_data",
    "start_idx",
    "start_idx_offsets",
    "start_starts",
    "end",
    "end_data",
    "end_idx",
    "end_idx_offsets",
    "end_max",
    "chr_ptr",
    "chr_names",
    "cell_names",
    "version",
    "dim",
    "transpose",
    "dimnames",
];

/// The order of members in lists of BPCells.
const MEMBERS: &[&str] = &[
    "index",
    "index_data",
    "index_idx",
    "index_starts",
    "shape",
    "val",
    "val_data",
    "val_idx",
    "idxptr",
    "index_idx_offsets",
    "val_idx_offsets",
    "col_names",
    "row_names",
    "storage_order",
    "version",
];

impl RObjectWriter {
    /// Creates a writer.
    ///
    /// # Errors
    ///
    /// Fails if the target exists and must not be replaced, or cannot be written.
    pub fn create(path: &Path, write: WriteOptions, options: RObjectOptions) -> Result<Self> {
        Ok(Self {
            rds: Box::new(RdsWriter::create(path, write, options.rds)?),
            path: path.to_path_buf(),
            list: options.list,
            version: None,
            arrays: Vec::new(),
            shape: None,
            slots: Slots::default(),
        })
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    /// Sets the slots that R has instead of `shape`, names and `storage_order`.
    fn set_slots(&mut self) -> Result<()> {
        let (sides, _) = self.slots.shape.as_chunks::<4>();
        let dim = sides.iter().map(|side| i32::from_ne_bytes(*side)).collect();
        let dim = nnz_container::rds::Integers::Stored(dim);
        self.rds.set_object("dim", Value::Integer(dim).into())?;
        let transpose = vec![i32::from(self.slots.row_order)];
        self.rds.set_object("transpose", Value::Logical(transpose).into())?;
        let names = std::mem::take(&mut self.slots.names);
        self.rds.set_lists("dimnames", names.into())
    }
}

impl ContainerWriter for RObjectWriter {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        if name == version::TAG {
            if !self.list && class_of(text).is_none() {
                let what = format!("no class of R holds \"{text}\": it takes a list, or version 2");
                return Err(Error::unsupported(self.place(name), what));
            }
            self.version = Some(text.to_owned());
        }
        self.rds.set_attribute(name, text)
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        let (in_r, stored) = match value_type {
            // Bit for bit.
            ValueType::F32 => (ValueType::U32, Stored::Unchanged),
            ValueType::U64 => (ValueType::F64, Stored::Doubles),
            other => (other, Stored::Unchanged),
        };
        if name == "shape" && !self.list {
            // It is not written as an array; this name never gets into the file.
            let id = self.rds.create_array("dim", in_r)?;
            self.shape = Some(id);
            return Ok(id);
        }
        let id = self.rds.create_array(name, in_r)?;
        self.arrays.push((id, name.to_owned(), stored));
        Ok(id)
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        if self.shape == Some(array) {
            // Checked now, before large arrays are written.
            let sides = bytes.as_chunks().0.iter().map(|side| u32::from_ne_bytes(*side));
            if let Some(side) = sides.into_iter().find(|side| i32::try_from(*side).is_err()) {
                let expected = format!("at most {}, the largest integer of R", i32::MAX);
                return Err(Error::mismatch(self.place("shape"), side, expected));
            }
            self.slots.shape.extend_from_slice(bytes);
            return Ok(());
        }
        let found = self.arrays.iter().find(|(id, _, _)| *id == array);
        let Some((_, name, Stored::Doubles)) = found else {
            return self.rds.append_bytes(array, bytes);
        };
        let mut doubles = Vec::with_capacity(bytes.len());
        for number in bytes.as_chunks().0.iter().map(|number| u64::from_ne_bytes(*number)) {
            let Some(double) = double_of(number) else {
                let place = self.place(name);
                return Err(Error::mismatch(
                    place,
                    number,
                    "at most 2^53, since R stores a double here",
                ));
            };
            doubles.extend_from_slice(&double.to_ne_bytes());
        }
        self.rds.append_bytes(array, &doubles)
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let axis = match name {
            "row_names" if !self.list => 0,
            "col_names" if !self.list => 1,
            "storage_order" if !self.list => {
                self.slots.row_order = strings.next_string()? == Some(b"row");
                return Ok(());
            }
            _ => return self.rds.copy_strings(name, strings),
        };
        let names = self.rds.keep_strings(&self.place(name), "name", strings)?;
        // In R, no names are NULL.
        self.slots.names[axis] = (!names.is_empty()).then_some(names);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        if self.list {
            self.rds.sort_members(MEMBERS);
            return self.rds.finish();
        }
        let Some(class) = self.version.as_deref().and_then(class_of) else {
            let place = self.place(version::TAG);
            return Err(Error::mismatch(place, "no version", "a version of BPCells"));
        };
        if self.shape.is_some() {
            self.rds.remove("dim");
            self.set_slots()?;
        }
        let form = Form::S4 { class: class.to_owned(), package: PACKAGE.to_owned() };
        self.rds.set_form(form);
        self.rds.sort_members(SLOTS);
        self.rds.finish()
    }
}

impl std::fmt::Debug for RObjectWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RObjectWriter").field(&self.path).finish()
    }
}
