//! Writing objects of any structure, whose long vectors are in a temporary file until they are written.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{At, Error, Place, Result, StringList};
use nnz_rds::{Encoding, TextRef, VectorBits, VectorType};
use nnz_storage::staging::{StagedFile, WriteOptions};

use super::writer::{Failure, StreamWriter, write_stream};
use super::{ArraySpool, RdsOptions, SpooledArray};

/// An object that is written to a file: a value, and attributes that are objects, too.
#[derive(Clone, Debug)]
pub struct NewObject {
    value: NewValue,
    attributes: Vec<(String, NewObject)>,
    is_s4: bool,
}

/// The value of an object.
#[derive(Clone, Debug)]
pub enum NewValue {
    /// `NULL`.
    Null,
    /// `NULL` in a slot of an S4 object.
    NullSlot,
    /// A truth value, 0, 1 or missing, and how often it is repeated.
    Flags(i32, u64),
    /// 0, 1 or missing values, one `i32` each.
    Logicals(Arc<SpooledArray>),
    /// Integers in memory.
    Integers(Vec<i32>),
    /// Integers, one `i32` each.
    SpooledIntegers(Arc<SpooledArray>),
    /// Doubles in memory.
    Reals(Vec<f64>),
    /// Doubles of several arrays, one after the other.
    SpooledReals(Vec<Arc<SpooledArray>>),
    /// Strings in memory, which are UTF-8 without zero bytes.
    Strings(Arc<StringList>),
    /// Strings, some of which may be missing.
    Texts(Arc<NewTexts>),
    /// A list.
    List(Vec<NewObject>),
    /// An S4 object, whose slots are attributes.
    S4,
}

impl NewObject {
    /// Creates an object without attributes.
    #[must_use]
    pub fn new(value: NewValue) -> Self {
        Self { value, attributes: Vec::new(), is_s4: false }
    }

    /// Appends an attribute.
    #[must_use]
    pub fn with(mut self, name: &str, value: Self) -> Self {
        self.attributes.push((name.to_owned(), value));
        self
    }

    /// Marks a vector whose class is an S4 class.
    #[must_use]
    pub fn as_s4(mut self) -> Self {
        self.is_s4 = true;
        self
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &NewValue {
        &self.value
    }

    /// Creates a character vector.
    #[must_use]
    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(NewValue::Strings(Arc::new(texts.into_iter().collect())))
    }

    /// Creates a list with names.
    #[must_use]
    pub fn named_list(members: Vec<(String, Self)>) -> Self {
        let names = Self::texts(members.iter().map(|(name, _)| &**name));
        let members = members.into_iter().map(|(_, member)| member);
        Self::new(NewValue::List(members.collect())).with("names", names)
    }

    /// Creates the name of a class, with the package that defines it.
    #[must_use]
    pub fn class(class: &str, package: &str) -> Self {
        Self::texts([class]).with("package", Self::texts([package]))
    }

    /// Creates an S4 object from its slots.
    #[must_use]
    pub fn s4(class: &str, package: &str, slots: Vec<(&str, Self)>) -> Self {
        let mut object = Self::new(NewValue::S4);
        for (name, slot) in slots {
            object = object.with(name, slot);
        }
        object.with("class", Self::class(class, package))
    }
}

/// Strings in a temporary file, of which some may be missing.
#[derive(Debug)]
pub struct NewTexts {
    /// Strings, each after its length.
    bytes: SpooledArray,
    len: u64,
}

/// The length of a missing string.
const MISSING: u32 = u32::MAX;

impl NewTexts {
    /// Creates an empty list.
    #[must_use]
    pub fn new(spool: &ArraySpool) -> Self {
        Self { bytes: SpooledArray::new(spool), len: 0 }
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a string, or a missing one. `place` is that of all strings.
    ///
    /// # Errors
    ///
    /// Fails if R does not support it, or if the temporary file cannot be written.
    pub fn push(&mut self, text: Option<&[u8]>, place: &Place) -> Result<()> {
        let len = match text {
            None => MISSING,
            Some(text) => {
                check_text(text, self.len, place)?;
                u32::try_from(text.len()).unwrap_or(MISSING - 1)
            }
        };
        self.bytes.append(&len.to_ne_bytes())?;
        self.bytes.append(text.unwrap_or_default())?;
        self.len += 1;
        Ok(())
    }

    fn try_for_each(
        &self,
        mut each: impl FnMut(Option<&[u8]>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // Incomplete strings of the previous block.
        let mut begun = Vec::new();
        self.bytes.try_for_each(|bytes| {
            begun.extend_from_slice(bytes);
            let mut rest = &begun[..];
            while let Some((len, after)) = rest.split_first_chunk() {
                let len = u32::from_ne_bytes(*len);
                if len == MISSING {
                    each(None)?;
                    rest = after;
                    continue;
                }
                let len = usize::try_from(len).unwrap_or(usize::MAX);
                let Some((text, after)) = after.split_at_checked(len) else { break };
                each(Some(text))?;
                rest = after;
            }
            let whole = begun.len() - rest.len();
            begun.drain(..whole);
            Ok(())
        })
    }
}

/// Checks that R supports a string: UTF-8 without zero bytes, of less than 2 GiB.
fn check_text(text: &[u8], element: u64, place: &Place) -> Result<()> {
    let is_short = i32::try_from(text.len()).is_ok();
    if is_short && std::str::from_utf8(text).is_ok_and(|text| !text.contains('\0')) {
        return Ok(());
    }
    let place = place.clone().at(At::Element(element));
    let found = format!("the string \"{}\"", text[..text.len().min(80)].escape_ascii());
    Err(Error::mismatch(place, found, "UTF-8 without zero bytes, of less than 2 GiB, as in R"))
}

/// A file with one object, which appears when it is finished.
#[derive(Debug)]
pub struct NewFile {
    staged: StagedFile,
    options: RdsOptions,
    spool: ArraySpool,
}

impl NewFile {
    /// Starts a file.
    ///
    /// # Errors
    ///
    /// Fails if the target exists and may not be replaced, or cannot be written.
    pub fn create(path: &Path, write: &WriteOptions, options: RdsOptions) -> Result<Self> {
        let staged = StagedFile::create(path, write)?;
        let spool = ArraySpool::new(&staged.spill_directory());
        Ok(Self { staged, options, spool })
    }

    /// Returns the temporary file of its arrays.
    #[must_use]
    pub fn spool(&self) -> &ArraySpool {
        &self.spool
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Writes the object, moves the file to its place, and returns its size in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn finish(self, object: &NewObject) -> Result<u64> {
        let Self { staged, options, .. } = self;
        write_stream(staged, options, |writer| write(writer, object))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Spool(error)
    }
}

fn write(writer: &mut StreamWriter, object: &NewObject) -> Result<(), Failure> {
    let bits = VectorBits {
        attributes: !object.attributes.is_empty(),
        is_object: object.attributes.iter().any(|(name, _)| name == "class"),
        is_s4: object.is_s4,
    };
    match &object.value {
        NewValue::Null => return Ok(writer.null()?),
        NewValue::NullSlot => return Ok(writer.null_slot()?),
        NewValue::S4 => writer.start_s4()?,
        NewValue::Flags(flag, count) => {
            writer.start_vector(VectorType::Logical, *count, bits)?;
            let block = [*flag; 1024];
            let mut left = *count;
            while left > 0 {
                let now = usize::try_from(left).unwrap_or(block.len()).min(block.len());
                writer.integers(&block[..now])?;
                left -= now as u64;
            }
        }
        NewValue::Logicals(array) => write_integers(writer, VectorType::Logical, array, bits)?,
        NewValue::SpooledIntegers(array) => {
            write_integers(writer, VectorType::Integer, array, bits)?;
        }
        NewValue::Integers(all) => {
            writer.start_vector(VectorType::Integer, all.len() as u64, bits)?;
            writer.integers(all)?;
        }
        NewValue::Reals(all) => {
            writer.start_vector(VectorType::Real, all.len() as u64, bits)?;
            writer.reals(all)?;
        }
        NewValue::SpooledReals(arrays) => {
            let bytes: u64 = arrays.iter().map(|array| array.len()).sum();
            writer.start_vector(VectorType::Real, bytes / 8, bits)?;
            for array in arrays {
                array.try_for_each(|bytes| {
                    let elements = bytes.as_chunks().0.iter();
                    let numbers: Vec<f64> = elements.map(|e| f64::from_ne_bytes(*e)).collect();
                    Ok::<_, Failure>(writer.reals(&numbers)?)
                })?;
            }
        }
        NewValue::Strings(list) => {
            writer.start_vector(VectorType::Character, list.len(), bits)?;
            for bytes in list.iter() {
                writer.text(Some(TextRef { bytes, encoding: Encoding::Utf8 }))?;
            }
        }
        NewValue::Texts(texts) => {
            writer.start_vector(VectorType::Character, texts.len(), bits)?;
            texts.try_for_each(|text| {
                let text = text.map(|bytes| TextRef { bytes, encoding: Encoding::Utf8 });
                Ok(writer.text(text)?)
            })?;
        }
        NewValue::List(members) => {
            writer.start_vector(VectorType::List, members.len() as u64, bits)?;
            members.iter().try_for_each(|member| write(writer, member))?;
        }
    }
    if bits.attributes {
        for (name, value) in &object.attributes {
            writer.attribute(name)?;
            write(writer, value)?;
        }
        writer.end_attributes()?;
    }
    Ok(())
}

fn write_integers(
    writer: &mut StreamWriter,
    kind: VectorType,
    array: &SpooledArray,
    bits: VectorBits,
) -> Result<(), Failure> {
    writer.start_vector(kind, array.len() / 4, bits)?;
    array.try_for_each(|bytes| {
        let elements = bytes.as_chunks().0.iter();
        let numbers: Vec<i32> = elements.map(|e| i32::from_ne_bytes(*e)).collect();
        Ok::<_, Failure>(writer.integers(&numbers)?)
    })
}
