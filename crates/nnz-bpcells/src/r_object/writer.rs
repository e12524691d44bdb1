//! Writing a BPCells object.

use std::path::{Path, PathBuf};

use nnz_container::ContainerInfo;
use nnz_container::rds::{Form, RdsOptions, RdsWriter, Texts, Value};
use nnz_container::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_core::{Error, Place, Result, StringReader, ValueType};
use nnz_storage::staging::WriteOptions;

use super::class::{PACKAGE, class_of};
use super::reader::INFO;
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
    arrays: Vec<(NodeId, SlotForm)>,
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
enum SlotForm {
    Unchanged,
    /// Whole numbers as doubles.
    Doubles,
    /// A slot that R has instead of `shape`, of names of an axis, or of `storage_order`.
    Shape,
    Names(usize),
    StorageOrder,
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
            slots: Slots::default(),
        })
    }

    fn place_of(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    fn stored(&self, array: NodeId) -> SlotForm {
        let found = self.arrays.iter().find(|(id, _)| *id == array);
        found.map_or(SlotForm::Unchanged, |(_, stored)| *stored)
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

impl TreeWriter for RObjectWriter {
    fn info(&self) -> &'static ContainerInfo {
        &INFO
    }

    fn place(&self, node: NodeId) -> Place {
        self.rds.place(node)
    }

    fn create_array(&mut self, group: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let number = |number| ArraySpec::growing(ElementType::Number(number), &[]);
        let (in_r, stored) = match spec.element() {
            // Bit for bit.
            ElementType::Number(ValueType::F32) => (number(ValueType::U32), SlotForm::Unchanged),
            ElementType::Number(ValueType::U64) => (number(ValueType::F64), SlotForm::Doubles),
            _ => (spec.clone(), SlotForm::Unchanged),
        };
        let stored = match name {
            _ if self.list => stored,
            "shape" => SlotForm::Shape,
            "row_names" => SlotForm::Names(0),
            "col_names" => SlotForm::Names(1),
            "storage_order" => SlotForm::StorageOrder,
            _ => stored,
        };
        // Slots are set in the end; until then there is an empty member.
        let array = self.rds.create_array(group, name, &in_r)?;
        self.arrays.push((array, stored));
        Ok(array)
    }

    fn set_text(&mut self, group: NodeId, name: &str, text: &str) -> Result<()> {
        if name == version::TAG {
            if !self.list && class_of(text).is_none() {
                let what = format!(
                    "no R class of BPCells supports \"{text}\": write a list, or version 2"
                );
                return Err(Error::unsupported(self.place_of(name), what));
            }
            self.version = Some(text.to_owned());
        }
        self.rds.set_text(group, name, text)
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        match self.stored(array) {
            SlotForm::Shape => {
                // Checked now, before large arrays are written.
                let sides = bytes.as_chunks().0.iter().map(|side| u32::from_ne_bytes(*side));
                if let Some(side) = sides.into_iter().find(|side| i32::try_from(*side).is_err()) {
                    let expected = format!("at most {}, the largest integer of R", i32::MAX);
                    return Err(Error::mismatch(self.place(array), side, expected));
                }
                self.slots.shape.extend_from_slice(bytes);
                Ok(())
            }
            SlotForm::Doubles => {
                let mut doubles = Vec::with_capacity(bytes.len());
                for number in bytes.as_chunks().0.iter().map(|number| u64::from_ne_bytes(*number)) {
                    let double = double_of(number).ok_or_else(|| {
                        let expected = "at most 2^53, since R stores a double here";
                        Error::mismatch(self.place(array), number, expected)
                    })?;
                    doubles.extend_from_slice(&double.to_ne_bytes());
                }
                self.rds.append_bytes(array, &doubles)
            }
            _ => self.rds.append_bytes(array, bytes),
        }
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        match self.stored(array) {
            SlotForm::Names(axis) => {
                let names = self.rds.keep_strings(&self.place(array), "name", strings)?;
                // In R, no names are NULL.
                self.slots.names[axis] = (!names.is_empty()).then_some(names);
                Ok(())
            }
            SlotForm::StorageOrder => {
                self.slots.row_order = strings.next_string()? == Some(b"row");
                Ok(())
            }
            _ => self.rds.append_strings(array, strings),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        if self.list {
            self.rds.sort_members(MEMBERS);
            return self.rds.finish();
        }
        let Some(class) = self.version.as_deref().and_then(class_of) else {
            let place = self.place_of(version::TAG);
            return Err(Error::mismatch(place, "no version", "a version of BPCells"));
        };
        if self.arrays.iter().any(|(_, stored)| *stored == SlotForm::Shape) {
            for name in ["shape", "row_names", "col_names", "storage_order"] {
                self.rds.remove(name);
            }
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
