//! Writing an object.

use std::io::{BufWriter, Write};
use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Place, Result, StringReader, ValueType};
use nnz_rds::{Encoding, Object, Output, Strings, TextRef, Version, Writer};

use super::placed;
use super::reader::INFO;
use crate::ContainerInfo;
use crate::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::{Spool, Texts};

/// Options for writing objects.
#[derive(Clone, Copy, Debug)]
pub struct RdsOptions {
    /// The level of gzip compression, 1 to 9; `None` for no compression.
    pub gzip: Option<u32>,
    /// The version of the format.
    pub version: Version,
}

impl Default for RdsOptions {
    /// The defaults of `saveRDS`.
    fn default() -> Self {
        Self { gzip: Some(6), version: Version::V3 }
    }
}

/// The type of the object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A named list. The default.
    #[default]
    List,
    /// An S4 object.
    S4 {
        /// The class.
        class: String,
        /// The package that defines the class.
        package: String,
    },
}

/// A writer of an object, which appears when it is finished.
pub struct RdsWriter {
    staged: StagedFile,
    options: RdsOptions,
    form: Form,
    members: Vec<(String, NewMember)>,
}

enum NewMember {
    Numbers(ValueType, Spool),
    Texts(Texts),
    Lists(Vec<Option<Texts>>),
    Object(Object),
}

impl RdsWriter {
    /// Starts an object, which is a list unless [`set_form`](Self::set_form) is called.
    ///
    /// # Errors
    ///
    /// Fails if the target exists and may not be replaced, or cannot be written.
    pub fn create(path: &Path, write: WriteOptions, options: RdsOptions) -> Result<Self> {
        let staged = StagedFile::create(path, &write)?;
        Ok(Self { staged, options, form: Form::List, members: Vec::new() })
    }

    /// Sets the type of the object.
    pub fn set_form(&mut self, form: Form) {
        self.form = form;
    }

    /// Adds an R object as a member.
    ///
    /// # Errors
    ///
    /// Fails if the name exists.
    pub fn set_object(&mut self, name: &str, object: Object) -> Result<()> {
        self.add(name, NewMember::Object(object)).map(drop)
    }

    /// Adds a list of character vectors as a member; `None` is `NULL`.
    ///
    /// # Errors
    ///
    /// Fails if the name exists.
    pub fn set_lists(&mut self, name: &str, lists: Vec<Option<Texts>>) -> Result<()> {
        self.add(name, NewMember::Lists(lists)).map(drop)
    }

    /// Buffers strings, to write them later. `what` describes them in errors.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read or buffered, or if R does not support one of them.
    pub fn keep_strings(
        &self,
        place: &Place,
        what: &str,
        strings: &mut dyn StringReader,
    ) -> Result<Texts> {
        let mut texts = Texts::default();
        self.keep(place, what, strings, &mut texts)?;
        Ok(texts)
    }

    fn keep(
        &self,
        place: &Place,
        what: &str,
        strings: &mut dyn StringReader,
        texts: &mut Texts,
    ) -> Result<()> {
        while let Some(string) = strings.next_string()? {
            let text = std::str::from_utf8(string).ok().filter(|text| !text.contains('\0'));
            let Some(text) = text else {
                let place = place.clone().at(At::Element(texts.len()));
                let shown = &string[..string.len().min(80)];
                let found = format!("the {what} \"{}\"", shown.escape_ascii());
                return Err(Error::mismatch(place, found, "UTF-8 without zero bytes"));
            };
            texts
                .append(text, &self.staged.spill_directory())
                .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
        }
        Ok(())
    }

    /// Sorts members; those that are not in `order` come last.
    ///
    /// Arrays cannot be appended to afterwards.
    pub fn sort_members(&mut self, order: &[&str]) {
        let rank = |name: &str| order.iter().position(|n| *n == name).unwrap_or(order.len());
        self.members.sort_by_key(|(name, _)| rank(name));
    }

    /// Removes a member. Arrays cannot be appended to afterwards.
    pub fn remove(&mut self, name: &str) {
        self.members.retain(|(member, _)| member != name);
    }

    fn add(&mut self, name: &str, member: NewMember) -> Result<NodeId> {
        if self.members.iter().any(|(taken, _)| taken == name) {
            let place = Place::array(self.staged.path(), name);
            return Err(Error::new(ErrorKind::Exists, place));
        }
        self.members.push((name.to_owned(), member));
        Ok(NodeId(self.members.len()))
    }

    fn member(&mut self, array: NodeId) -> Option<&mut NewMember> {
        let found = array.0.checked_sub(1).and_then(|at| self.members.get_mut(at));
        found.map(|(_, member)| member)
    }
}

impl TreeWriter for RdsWriter {
    fn info(&self) -> &'static ContainerInfo {
        &INFO
    }

    fn place(&self, node: NodeId) -> Place {
        match node.0.checked_sub(1).and_then(|at| self.members.get(at)) {
            Some((name, _)) => Place::array(self.staged.path(), &**name),
            None => Place::path(self.staged.path()),
        }
    }

    fn create_array(&mut self, _: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let place = Place::array(self.staged.path(), name);
        let member = match spec.list_element(&place)? {
            ElementType::String => NewMember::Texts(Texts::default()),
            ElementType::Number(number) if INFO.capabilities.value_types.contains(number) => {
                NewMember::Numbers(*number, Spool::default())
            }
            element => {
                let what = format!("R vectors do not support {element}");
                return Err(Error::unsupported(place, what));
            }
        };
        self.add(name, member)
    }

    fn set_text(&mut self, group: NodeId, name: &str, text: &str) -> Result<()> {
        let spec = ArraySpec::growing(ElementType::String, &[]);
        let vector = self.create_array(group, name, &spec)?;
        (self as &mut dyn TreeWriter).append_list(vector, [text])
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        let found = array.0.checked_sub(1).and_then(|at| self.members.get_mut(at));
        let Some((name, NewMember::Numbers(_, spool))) = found else {
            return Err(Error::mismatch(self.place(array), "numbers", "strings"));
        };
        let appended = spool.append(bytes, &self.staged.spill_directory());
        let place = || Place::array(self.staged.path(), &**name);
        appended.map_err(|error| Error::new(ErrorKind::Io(error), place()))
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        let place = self.place(array);
        let mut kept = match self.member(array) {
            Some(NewMember::Texts(texts)) => std::mem::take(texts),
            _ => return Err(Error::mismatch(place, "strings", "numbers")),
        };
        let appended = self.keep(&place, "string", strings, &mut kept);
        if let Some(NewMember::Texts(texts)) = self.member(array) {
            *texts = kept;
        }
        appended
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let Self { staged, options, form, members, .. } = *self;
        write_stream(staged, options, |writer| write(writer, &form, members))
    }
}

/// Writes the object of a file with a function, and moves the file to its place.
pub(super) fn write_stream(
    staged: StagedFile,
    options: RdsOptions,
    write: impl FnOnce(&mut StreamWriter) -> Result<(), Failure>,
) -> Result<u64> {
    let path = staged.path().to_path_buf();
    let failed = |error| match error {
        Failure::Io(error) => Error::io(&path, error),
        Failure::Rds(error) => placed(&path, error),
        Failure::Spool(error) => error,
    };
    let output = match options.gzip {
        Some(level) => Output::gzip(staged, level),
        None => Output::Plain(staged),
    };
    let output = BufWriter::with_capacity(64 << 10, output);
    let in_place = |error| failed(Failure::Rds(error));
    let mut writer = Writer::new(output, options.version).map_err(in_place)?;
    write(&mut writer).map_err(failed)?;
    let output = writer.finish().map_err(in_place)?;
    let output = output.into_inner().map_err(|error| Error::io(&path, error.into_error()))?;
    output.finish().map_err(|error| Error::io(&path, error))?.commit()
}

/// The writer of the object of a file.
pub(super) type StreamWriter = Writer<BufWriter<Output<StagedFile>>>;

/// Errors while an object is written.
pub(super) enum Failure {
    Io(std::io::Error),
    Rds(nnz_rds::Error),
    Spool(Error),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<nnz_rds::Error> for Failure {
    fn from(error: nnz_rds::Error) -> Self {
        Self::Rds(error)
    }
}

fn write<W: Write>(
    writer: &mut Writer<W>,
    form: &Form,
    members: Vec<(String, NewMember)>,
) -> Result<(), Failure> {
    match form {
        Form::S4 { class, package } => {
            writer.start_s4()?;
            for (name, member) in members {
                writer.attribute(&name)?;
                write_member(writer, member)?;
            }
            writer.attribute("class")?;
            writer.object(&class_of(class, package))?;
            writer.end_attributes()?;
        }
        Form::List => {
            writer.start_list(members.len() as u64, !members.is_empty())?;
            let mut names = Strings::new();
            for (name, member) in members {
                names.push(Some(TextRef::utf8(&name)));
                write_member(writer, member)?;
            }
            if !names.is_empty() {
                writer.attribute("names")?;
                writer.strings(&names)?;
                writer.end_attributes()?;
            }
        }
    }
    Ok(())
}

/// Creates the name of a class with the package that defines it.
fn class_of(class: &str, package: &str) -> Object {
    let text = |text| {
        let strings: Strings = [Some(TextRef::utf8(text))].into_iter().collect();
        Object::from(nnz_rds::Value::Character(strings))
    };
    let mut object = text(class);
    object.push_attribute("package", text(package));
    object
}

fn write_member<W: Write>(writer: &mut Writer<W>, member: NewMember) -> Result<(), Failure> {
    match member {
        NewMember::Object(object) => writer.object(&object)?,
        NewMember::Texts(texts) => write_texts(writer, texts)?,
        NewMember::Lists(lists) => {
            writer.start_list(lists.len() as u64, false)?;
            for texts in lists {
                match texts {
                    Some(texts) => write_texts(writer, texts)?,
                    None => writer.null()?,
                }
            }
        }
        NewMember::Numbers(value_type, spool) => {
            let len = spool.len() / value_type.size() as u64;
            if value_type == ValueType::F64 {
                writer.start_reals(len, false)?;
                return spool.drain(|bytes| {
                    let elements = bytes.as_chunks().0.iter();
                    let numbers: Vec<f64> = elements.map(|e| f64::from_ne_bytes(*e)).collect();
                    Ok(writer.reals(&numbers)?)
                });
            }
            writer.start_integers(len, false)?;
            return spool.drain(|bytes| {
                let elements = bytes.as_chunks().0.iter();
                let numbers: Vec<i32> = elements.map(|e| i32::from_ne_bytes(*e)).collect();
                Ok(writer.integers(&numbers)?)
            });
        }
    }
    Ok(())
}

fn write_texts<W: Write>(writer: &mut Writer<W>, texts: Texts) -> Result<(), Failure> {
    writer.start_texts(texts.len(), false)?;
    texts.drain(|bytes| Ok(writer.text(Some(TextRef { bytes, encoding: Encoding::Utf8 }))?))
}

impl std::fmt::Debug for RdsWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RdsWriter").field(&self.staged.path()).finish()
    }
}
