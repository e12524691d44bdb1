//! Slots, members and texts of objects.

use std::path::PathBuf;

use nnz_container::rds::{Compression, Integers, Object, Strings, TextRef, Value};
use nnz_core::{At, Error, ErrorKind, Place, Result, StringList};
use nnz_storage::InputFile;

/// Properties of a file that reading its objects depends on.
#[derive(Clone, Debug)]
pub(crate) struct FileInfo {
    pub(crate) path: PathBuf,
    /// The encoding of strings without a stated encoding.
    pub(crate) native: Option<String>,
    pub(crate) compression: Compression,
    /// The size of the file.
    pub(crate) bytes: u64,
    /// The memory for what is read of an object at once: vectors that R stores as three numbers may have any length.
    pub(crate) memory: u64,
}

impl FileInfo {
    /// Describes the objects of a file.
    pub(crate) fn new(file: &InputFile, native: Option<String>, compression: Compression) -> Self {
        let (path, bytes) = (file.path().to_path_buf(), file.len());
        Self { path, native, compression, bytes, memory: file.context().memory() }
    }

    /// Checks that `len` elements of `each` bytes can be in memory.
    pub(crate) fn check_memory(&self, len: u64, each: u64, path: &str) -> Result<()> {
        let needed = len.saturating_mul(each);
        if needed <= self.memory {
            return Ok(());
        }
        let kind = ErrorKind::Memory { needed, allowed: self.memory };
        Err(Error::new(kind, self.place(path)))
    }

    pub(crate) fn place(&self, path: &str) -> Place {
        match path {
            "" => Place::path(&*self.path),
            path => Place::array(&*self.path, path),
        }
    }

    /// Converts a text; one in an unknown encoding is shown with escapes.
    pub(crate) fn text(&self, text: TextRef<'_>) -> String {
        text.to_utf8(self.native.as_deref()).map_or_else(|| text.to_string(), Into::into)
    }

    /// Converts texts, of which missing ones become `NA`.
    pub(crate) fn names(&self, strings: &Strings, path: &str) -> Result<StringList> {
        let mut list = StringList::new();
        self.each_text(strings, path, |text| list.try_push(text.unwrap_or("NA").as_bytes()))?;
        Ok(list)
    }

    /// Calls `each` with every text; `None` for a missing one.
    pub(crate) fn each_text(
        &self,
        strings: &Strings,
        path: &str,
        mut each: impl FnMut(Option<&str>) -> Result<()>,
    ) -> Result<()> {
        self.check_memory(strings.len(), 2, path)?;
        let mut at = 0;
        strings.try_for_each(|text| {
            let utf8 = text.map(|text| (text, text.to_utf8(self.native.as_deref())));
            match utf8 {
                Some((text, None)) => {
                    let place = self.place(path).at(At::Element(at));
                    let found = format!("\"{text}\" in an unknown encoding");
                    return Err(Error::mismatch(place, found, "UTF-8 or Latin-1"));
                }
                Some((_, Some(text))) => each(Some(&text))?,
                None => each(None)?,
            }
            at += 1;
            Ok(())
        })
    }

    /// Returns the strings of a vector.
    pub(crate) fn strings(&self, object: &Object) -> Vec<String> {
        let mut all = Vec::new();
        if let Value::Character(strings) = &object.value
            && self.check_memory(strings.len(), 32, "").is_ok()
        {
            let mut cursor = strings.cursor();
            while let Some(text) = cursor.next_text() {
                all.push(text.map_or_else(|| "NA".to_owned(), |text| self.text(text)));
            }
        }
        all
    }

    /// Returns the only string of a vector.
    pub(crate) fn string(&self, object: &Object) -> Option<String> {
        match &object.value {
            Value::Character(strings) => Some(self.text(strings.only()?.get())),
            _ => None,
        }
    }
}

/// Removes and returns an attribute or slot. A `NULL` slot is absent.
pub(crate) fn take(object: &mut Object, name: &str) -> Option<Object> {
    let is = |entry: &nnz_container::rds::Entry| entry.tag.as_ref().is_some_and(|tag| tag.is(name));
    let at = object.attributes.iter().position(is)?;
    Some(object.attributes.remove(at).value).filter(|slot| !is_null(slot))
}

/// Returns an attribute or slot. A `NULL` slot is absent.
pub(crate) fn slot<'a>(object: &'a Object, name: &str) -> Option<&'a Object> {
    object.attribute(name).filter(|slot| !is_null(slot))
}

/// Returns whether an object or slot is `NULL`.
pub(crate) fn is_null(object: &Object) -> bool {
    match &object.value {
        Value::Null => true,
        Value::Symbol(symbol) => symbol.is("\u{1}NULL\u{1}"),
        _ => false,
    }
}

/// Returns whether an object has all of some slots.
pub(crate) fn has(object: &Object, slots: &[&str]) -> bool {
    slots.iter().all(|name| object.attribute(name).is_some())
}

/// Returns the classes of an object, the first of which is its own.
pub(crate) fn classes(object: &Object) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(Value::Character(names)) = object.attribute("class").map(|class| &class.value) {
        let mut names = names.cursor();
        while let Some(name) = names.next_text() {
            all.extend(name.map(|name| name.to_string()));
        }
    }
    all
}

/// Returns whether an object has a class, as the only one or one of several.
pub(crate) fn is_a(object: &Object, class: &str) -> bool {
    classes(object).iter().any(|own| own == class)
}

/// Describes an object for messages: its class, or its type.
pub(crate) fn describe(object: &Object) -> String {
    match classes(object).first() {
        Some(class) => format!("an object of class {}", class.escape_debug()),
        None => object.value.kind().to_owned(),
    }
}

/// Splits a list into its members, each with its name, or its number if it has none.
pub(crate) fn members(info: &FileInfo, object: Object) -> Vec<(String, Object)> {
    let names = object.attribute("names").map(|names| info.strings(names)).unwrap_or_default();
    let Value::List(list) = object.value else { return Vec::new() };
    let mut names = names.into_iter();
    let named = list.into_iter().enumerate().map(|(number, member)| {
        let name = names.next().filter(|name| !name.is_empty());
        (name.unwrap_or_else(|| (number + 1).to_string()), member)
    });
    named.collect()
}

/// Returns the number in a vector of one integer.
pub(crate) fn integer(object: &Object) -> Option<i32> {
    match &object.value {
        Value::Integer(all) if all.len() == 1 => all.get(0),
        _ => None,
    }
}

/// Reads all integers of a vector; `None` if it has another type.
pub(crate) fn integers(info: &FileInfo, object: &Object, path: &str) -> Result<Option<Vec<i32>>> {
    match &object.value {
        Value::Integer(all) => read_integers(info, all, path).map(Some),
        Value::Logical(all) => Ok(Some(all.clone())),
        _ => Ok(None),
    }
}

/// Reads all integers of a vector.
pub(crate) fn read_integers(info: &FileInfo, all: &Integers, path: &str) -> Result<Vec<i32>> {
    info.check_memory(all.len(), 4, path)?;
    let mut read = Vec::new();
    let done = all.for_each_block(|_, block| {
        read.extend_from_slice(block);
        true
    });
    done.map_err(|error| Error::new(ErrorKind::Io(error), info.place(path)))?;
    Ok(read)
}

/// Reads the names of an axis of a matrix of the package Matrix, or of a plain one.
pub(crate) fn dimnames(
    info: &FileInfo,
    object: &Object,
    axis: usize,
    path: &str,
) -> Result<Option<StringList>> {
    let names = ["Dimnames", "dimnames"].iter().find_map(|name| slot(object, name));
    let Some(Value::List(axes)) = names.map(|names| &names.value) else { return Ok(None) };
    match axes.get(axis).map(|names| &names.value) {
        Some(Value::Character(names)) => info.names(names, path).map(Some),
        _ => Ok(None),
    }
}

/// Returns rows and columns of a matrix.
pub(crate) fn dims(object: &Object) -> Option<[u64; 2]> {
    let dim = ["Dim", "dim"].iter().find_map(|name| slot(object, name))?;
    match &dim.value {
        Value::Integer(sides) if sides.len() == 2 => {
            let side = |at| sides.get(at).and_then(|side| u64::try_from(side).ok());
            Some([side(0)?, side(1)?])
        }
        _ => None,
    }
}
