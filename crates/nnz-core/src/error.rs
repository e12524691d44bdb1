//! Errors, and their location.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::escape::{escaped, is_unprintable};
use crate::url::without_secrets;
use crate::{Scalar, ValueType};

/// The result of an operation that may fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Returns the result of reading something optional: `None` if it is missing, invalid or not
/// supported. [System errors](Error::is_system) other than its absence are still errors.
///
/// ```
/// use nnz_core::{Error, ErrorKind, Place, readable};
///
/// let missing = Error::new(ErrorKind::Missing, Place::default());
/// assert_eq!(readable(Err::<u8, _>(missing))?, None);
/// let failed = Error::io("a.h5".as_ref(), std::io::Error::other("no answer"));
/// assert!(readable(Err::<u8, _>(failed)).is_err());
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the system could not read it, or if the operation was cancelled.
pub fn readable<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Changed) => {
            Err(error)
        }
        Err(error) if error.is_system() && !error.is_absence() => Err(error),
        Err(_) => Ok(None),
    }
}

/// A position in an array, a text or a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// A byte, counted from 0.
    Byte(u64),
    /// An element of an array, counted from 0.
    Element(u64),
    /// A line and column of a text, counted from 1.
    Line {
        /// The line.
        line: u64,
        /// The byte in the line.
        column: u64,
    },
    /// An entry of a matrix, counted from 0.
    Entry {
        /// Its row.
        row: u64,
        /// Its column.
        col: u64,
    },
}

/// A location: a path, an array and a position in it, each optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file or directory, with `::GROUP` for a group inside a file.
    pub path: Option<PathBuf>,
    /// Whether it is a selection of rows and columns from the path; positions are then counted in the selection.
    pub selection: bool,
    /// The array's name.
    pub array: Option<String>,
    /// The position.
    pub at: Option<At>,
}

/// Returns `FILE::GROUP`, or `FILE` for the root group.
#[must_use]
pub fn full_path(path: &Path, group: &str) -> PathBuf {
    let group = group.trim_matches('/');
    if group.is_empty() {
        return path.to_path_buf();
    }
    let mut full = std::ffi::OsString::from(path);
    full.push("::");
    full.push(group);
    full.into()
}

impl Place {
    /// Creates the location of a file or directory.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(shown(path.into())), ..Self::default() }
    }

    /// Creates the location of an array in a file or directory.
    pub fn array(path: impl Into<PathBuf>, array: impl Into<String>) -> Self {
        Self { array: Some(array.into()), ..Self::path(path) }
    }

    /// Returns whether it is a group in a file, and not an array of one.
    fn is_group(&self) -> bool {
        let path = self.path.as_ref().map(|path| path.as_os_str().as_encoded_bytes());
        self.array.is_none() && path.is_some_and(|path| path.windows(2).any(|pair| pair == b"::"))
    }

    /// Sets the file or directory, with `::GROUP` for a group inside a file.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<Option<PathBuf>>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets the array's name.
    #[must_use]
    pub fn with_array(mut self, array: impl Into<Option<String>>) -> Self {
        self.array = array.into();
        self
    }

    /// Sets whether it is a selection from the path.
    #[must_use]
    pub fn with_selection(mut self, selection: bool) -> Self {
        self.selection = selection;
        self
    }

    /// Sets the position.
    #[must_use]
    pub fn at(mut self, at: At) -> Self {
        self.at = Some(at);
        self
    }

    /// Removes the position.
    #[must_use]
    pub fn without_position(mut self) -> Self {
        self.at = None;
        self
    }

    /// Returns whether the location is empty.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.path.is_none() && self.array.is_none() && self.at.is_none()
    }
}

/// Returns what a storage means by an error, and the error if it is not part of that.
fn of_io(error: io::Error) -> (ErrorKind, Option<Source>) {
    let cancelled = |inner: &Error| matches!(inner.kind(), ErrorKind::Cancelled);
    let inner = error.get_ref();
    let kind = match error.kind() {
        io::ErrorKind::StaleNetworkFileHandle => ErrorKind::Changed,
        io::ErrorKind::Unsupported if inner.is_some() => ErrorKind::Unsupported(error.to_string()),
        _ if inner.and_then(|inner| inner.downcast_ref()).is_some_and(cancelled) => {
            ErrorKind::Cancelled
        }
        _ => return (ErrorKind::Io(error), None),
    };
    (kind, Some(error.into()))
}

/// Returns a path without what must not be shown.
fn shown(path: PathBuf) -> PathBuf {
    match without_secrets(&path) {
        Cow::Borrowed(_) => path,
        Cow::Owned(shown) => shown,
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Element(element) => write!(f, "element {element}"),
            Self::Line { line, column } => write!(f, "line {line}, column {column}"),
            Self::Entry { row, col } => write!(f, "entry (row {row}, column {col})"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(path) = &self.path {
            f.write_str(if self.selection { "the selection from " } else { "" })?;
            // Control characters in a file name must not reach the terminal, and bytes that are not
            // UTF-8 are shown.
            match path.to_str() {
                Some(text) if !text.contains(is_unprintable) => f.write_str(text)?,
                _ => write!(f, "{path:?}")?,
            }
            separator = ": ";
        }
        if let Some(array) = &self.array {
            write!(f, "{separator}{}", escaped(array))?;
            separator = ", ";
        }
        if let Some(at) = &self.at {
            write!(f, "{separator}{at}")?;
        }
        Ok(())
    }
}

/// The kind of an error.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An error of the operating system.
    Io(io::Error),
    /// Something required does not exist.
    Missing,
    /// Something is not as expected.
    Mismatch {
        /// Text found in the data.
        found: String,
        /// Text expected instead.
        expected: String,
    },
    /// The format of the content is not recognized.
    Unrecognized(String),
    /// The content is recognized, but not supported.
    Unsupported(String),
    /// A value cannot be represented in another type.
    Inexact {
        /// The value.
        found: Scalar,
        /// The requested type.
        target: ValueType,
        /// A type of the target that can represent the value.
        holds: Option<ValueType>,
    },
    /// Two entries have the same position, which is not allowed.
    Duplicate {
        /// The location of the first one, if known.
        other: Option<At>,
    },
    /// The target already exists.
    Exists,
    /// Another program changed or replaced a source while it was read, or a target while it was
    /// written. The target is not modified.
    Changed,
    /// The operation needs more memory than allowed.
    Memory {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// An argument is invalid.
    Argument(String),
    /// An argument names a row or column that does not exist.
    UnknownName(String),
    /// An argument is a position outside of the matrix.
    OutOfBounds(String),
    /// The operation was cancelled.
    Cancelled,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => f.write_str("no such file or directory"),
                io::ErrorKind::StorageFull if error.get_ref().is_none() => {
                    f.write_str("no space left on the device")
                }
                io::ErrorKind::FileTooLarge if error.get_ref().is_none() => {
                    f.write_str("file too large for the file system or the limit of ulimit -f")
                }
                _ => f.write_str(&escaped(&system_message(error))),
            },
            Self::Missing => f.write_str(MISSING),
            Self::Mismatch { found, expected } => {
                write!(f, "found {}, expected {}", escaped(found), escaped(expected))
            }
            Self::Unrecognized(what)
            | Self::Unsupported(what)
            | Self::Argument(what)
            | Self::UnknownName(what)
            | Self::OutOfBounds(what) => write_lines(f, what),
            Self::Inexact { found, target, holds } => {
                match found {
                    Scalar::ComplexF32([re, im]) => write!(f, "{re}{im:+}i")?,
                    Scalar::ComplexF64([re, im]) => write!(f, "{re}{im:+}i")?,
                    found => write!(f, "{found}")?,
                }
                // The name in options and in NumPy, not in Binsparse.
                let target = if *target == ValueType::Bint8 { "bool" } else { target.name() };
                write!(f, " cannot be stored exactly as {target}")?;
                match holds {
                    Some(other) => write!(f, "; {other} can store it"),
                    None => Ok(()),
                }
            }
            Self::Duplicate { other: None } => f.write_str(DUPLICATE),
            Self::Duplicate { other: Some(at) } => {
                write!(f, "{DUPLICATE} (the first is at {at})")
            }
            Self::Exists => f.write_str("already exists"),
            Self::Changed => f.write_str("changed by another program in the meantime"),
            Self::Memory { needed, allowed } => {
                write!(f, "needs {needed} bytes of memory, {allowed} are allowed")
            }
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// Returns the message of a system error without its number, in lower case like all other messages.
fn system_message(error: &io::Error) -> String {
    let text = error.to_string();
    let Some(number) = error.raw_os_error() else { return text };
    let text = text.strip_suffix(&format!(" (os error {number})")).unwrap_or(&text);
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        // "I/O error" stays.
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// Writes a place and what is wrong there as a sentence.
pub(crate) fn write_message(f: &mut fmt::Formatter<'_>, place: &Place, what: &str) -> fmt::Result {
    match what {
        _ if place.is_unknown() => f.write_str(what),
        MISSING => write!(f, "{place} is {MISSING}"),
        DUPLICATE if let Some(At::Entry { row, col }) = place.at => {
            let place = Place { at: None, ..place.clone() };
            write_message(f, &place, &format!("{DUPLICATE} (row {row}, column {col})"))
        }
        _ => write!(f, "{place}: {what}"),
    }
}

/// The message of [`ErrorKind::Missing`].
const MISSING: &str = "missing";

/// The message of [`ErrorKind::Duplicate`].
const DUPLICATE: &str = "duplicate entry";

/// Writes a message, with the lines of a list indented.
fn write_lines(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    const NEXT: &str = "\n  ";
    let mut lines = text.split(NEXT);
    f.write_str(&escaped(lines.next().unwrap_or_default()))?;
    lines.try_for_each(|line| write!(f, "{NEXT}{}", escaped(line)))
}

/// The cause of an error.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// An error with its location and its cause.
///
/// Names and values in the message may come from a file. Control characters are escaped, except
/// line breaks of a list.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    place: Place,
    hint: Option<Hint>,
    source: Option<Source>,
}

/// The option or function that helps, so that a program can print its own name for it.
///
/// ```
/// use nnz_core::Error;
///
/// let error = Error::argument("the names differ").with_hint("ignore_names", "takes the first");
/// assert_eq!(error.to_string(), "the names differ; `ignore_names` takes the first");
/// assert_eq!(error.hint().map(|hint| hint.item), Some("ignore_names"));
/// assert_eq!(error.kind().to_string(), "the names differ");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hint {
    /// The field of the options, such as `ignore_names`; or a function or type, such as
    /// `fragments::import`.
    pub item: &'static str,
    /// Effect of the option, such as "takes the first".
    pub effect: String,
}

/// The same text as [`Display`](fmt::Display), for a `main` that returns an error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// Results are returned frequently, so errors are small.
const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    /// Creates an error of a kind at a location.
    #[must_use]
    pub fn new(kind: ErrorKind, place: Place) -> Self {
        let (kind, source) = match kind {
            ErrorKind::Io(error) => of_io(error),
            kind => (kind, None),
        };
        Self(Box::new(Inner { kind, place, hint: None, source }))
    }

    /// Creates the error that something was found where something else was expected.
    pub fn mismatch(place: Place, found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        let kind = ErrorKind::Mismatch { found: found.to_string(), expected: expected.to_string() };
        Self::new(kind, place)
    }

    /// Creates the error that something is not supported.
    pub fn unsupported(place: Place, what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported(what.into()), place)
    }

    /// Creates the error that an argument is invalid.
    pub fn argument(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument(what.into()), Place::default())
    }

    /// Creates an error from an error of the operating system.
    pub fn io(path: &Path, error: io::Error) -> Self {
        Self::new(ErrorKind::Io(error), Place::path(path))
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns whether the system failed, for example because a disk is full or cannot be read, in
    /// contrast to invalid data.
    #[must_use]
    pub fn is_system(&self) -> bool {
        // Truncated or damaged files have these kinds too.
        let content = [io::ErrorKind::InvalidData, io::ErrorKind::UnexpectedEof];
        matches!(self.kind(), ErrorKind::Io(error) if !content.contains(&error.kind()))
    }

    /// Returns whether the system reported that a path does not exist.
    fn is_absence(&self) -> bool {
        let absence = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        matches!(self.kind(), ErrorKind::Io(error) if absence.contains(&error.kind()))
    }

    /// Returns whether an argument is invalid, such as a name or position that does not exist.
    #[must_use]
    pub fn is_argument(&self) -> bool {
        use ErrorKind::{Argument, OutOfBounds, UnknownName};
        matches!(self.kind(), Argument(_) | UnknownName(_) | OutOfBounds(_))
    }

    /// Returns the name of its class in packages for other languages, such as `CorruptFileError`.
    ///
    /// ```
    /// assert_eq!(nnz_core::Error::argument("no").class(), "ArgumentError");
    /// ```
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self.kind() {
            // A group that a user has named, and not a part of a file.
            ErrorKind::Missing if self.place().is_group() => "FormatError",
            ErrorKind::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => "MissingFileError",
                io::ErrorKind::PermissionDenied => "AccessError",
                io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => "CorruptFileError",
                io::ErrorKind::OutOfMemory => "MemoryLimitError",
                _ => "StorageError",
            },
            ErrorKind::Missing | ErrorKind::Mismatch { .. } => "CorruptFileError",
            ErrorKind::Unrecognized(_) => "FormatError",
            ErrorKind::Unsupported(_) => "UnsupportedError",
            ErrorKind::Inexact { .. } => "CastError",
            ErrorKind::Duplicate { .. } => "DuplicateError",
            ErrorKind::Exists => "ExistsError",
            ErrorKind::Changed => "ChangedError",
            ErrorKind::Memory { .. } => "MemoryLimitError",
            ErrorKind::Argument(_) => "ArgumentError",
            ErrorKind::UnknownName(_) => "UnknownNameError",
            ErrorKind::OutOfBounds(_) => "PositionError",
            ErrorKind::Cancelled => "CancelledError",
        }
    }

    /// Returns the location.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// Fills the parts of the location that are unknown from `outer`.
    #[must_use]
    pub fn with_context(mut self, outer: &Place) -> Self {
        let place = &mut self.0.place;
        if place.path.is_none() {
            (place.path, place.selection) = (outer.path.clone(), outer.selection);
        }
        place.array = place.array.take().or_else(|| outer.array.clone());
        place.at = place.at.take().or_else(|| outer.at.clone());
        self
    }

    /// Sets the location.
    #[must_use]
    pub fn with_place(mut self, place: Place) -> Self {
        self.0.place = place;
        self
    }

    /// Replaces the kind by another one.
    #[must_use]
    pub fn map_kind(self, map: impl FnOnce(ErrorKind) -> ErrorKind) -> Self {
        let Inner { kind, place, hint, source } = *self.0;
        Self(Box::new(Inner { kind: map(kind), place, hint, source }))
    }

    /// Sets the cause, which [`source`](std::error::Error::source) returns. The message does not change.
    ///
    /// ```
    /// use std::error::Error as _;
    ///
    /// let cause = "1x".parse::<u32>().unwrap_err();
    /// let error = nnz_core::Error::argument(format!("--rows: {cause}")).with_source(cause);
    /// assert!(error.source().is_some_and(|cause| cause.is::<std::num::ParseIntError>()));
    /// ```
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Sets the option, function or type of the library that helps, and what it does.
    #[must_use]
    pub fn with_hint(mut self, item: &'static str, effect: impl Into<String>) -> Self {
        self.0.hint = Some(Hint { item, effect: effect.into() });
        self
    }

    /// Returns the hint, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&Hint> {
        self.0.hint.as_ref()
    }

    /// Returns location and kind as text, for a program that prints its own hint.
    #[must_use]
    pub fn without_hint(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| write_message(f, self.place(), &self.kind().to_string()))
    }

    /// Splits the error into kind and location.
    #[must_use]
    pub fn into_parts(self) -> (ErrorKind, Place) {
        let Inner { kind, place, .. } = *self.0;
        (kind, place)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_message(f, self.place(), &self.kind().to_string())?;
        match self.hint() {
            Some(Hint { item, effect }) => write!(f, "; `{item}` {}", escaped(effect)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match (&self.0.source, self.kind()) {
            (Some(source), _) => Some(&**source),
            (None, ErrorKind::Io(error)) => Some(error),
            (None, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_path_array_position_found_and_expected() {
        let place = Place::array("a.bpcells", "idxptr").at(At::Element(5));
        let error = Error::mismatch(place, 3, "at least 4");
        assert_eq!(error.to_string(), "a.bpcells: idxptr, element 5: found 3, expected at least 4");
    }

    #[test]
    fn system_errors_are_words_in_lower_case() {
        let message =
            |number| Error::io(Path::new("a"), io::Error::from_raw_os_error(number)).to_string();
        if cfg!(target_os = "linux") {
            assert_eq!(message(13), "a: permission denied");
            assert_eq!(message(20), "a: not a directory");
            assert!(message(27).starts_with("a: file too large"), "{}", message(27));
        }
        let missing = Error::new(ErrorKind::Missing, Place::array("a.h5", "data"));
        assert_eq!(missing.to_string(), "a.h5: data is missing");
    }

    #[test]
    fn causes_are_kept() {
        use std::error::Error as _;

        let is_io = |error: &Error| error.source().is_some_and(|cause| cause.is::<io::Error>());
        let io = |kind| Error::io(Path::new("a"), io::Error::new(kind, "what"));
        let unsupported = io(io::ErrorKind::Unsupported);
        assert!(matches!(unsupported.kind(), ErrorKind::Unsupported(what) if what == "what"));
        assert!(matches!(io(io::ErrorKind::StaleNetworkFileHandle).kind(), ErrorKind::Changed));
        for kind in [
            io::ErrorKind::Other,
            io::ErrorKind::Unsupported,
            io::ErrorKind::StaleNetworkFileHandle,
        ] {
            assert!(is_io(&io(kind)), "{kind}");
        }
        let cause = || "x".parse::<u32>().unwrap_err();
        let place = || Place::path("a");
        for error in [
            Error::mismatch(place(), "bytes", "UTF-8"),
            Error::unsupported(place(), "bytes"),
            Error::argument("bytes"),
            Error::new(ErrorKind::Unrecognized("bytes".to_owned()), place()),
        ] {
            let text = error.to_string();
            assert!(error.source().is_none(), "{text}");
            let error = error.with_source(cause()).with_context(&Place::array("b", "c"));
            let found = error.source().and_then(|cause| cause.downcast_ref());
            assert_eq!(found, Some(&cause()), "{text}");
            let error = error.with_place(place()).with_hint("item", "helps");
            assert!(error.source().is_some(), "{text}");
        }
    }

    #[test]
    fn complex_numbers_in_messages_have_two_parts() {
        let kind = ErrorKind::Inexact {
            found: Scalar::ComplexF64([1.0, -2.5]),
            target: ValueType::F64,
            holds: None,
        };
        assert_eq!(kind.to_string(), "1-2.5i cannot be stored exactly as float64");
    }

    #[test]
    fn context_fills_only_unknown_parts() {
        let inner = Error::new(
            ErrorKind::Duplicate { other: None },
            Place::default().at(At::Line { line: 4, column: 1 }),
        );
        let error = inner.with_context(&Place::path("m.mtx").at(At::Byte(0)));
        assert_eq!(error.to_string(), "m.mtx: line 4, column 1: duplicate entry");
    }

    #[test]
    fn control_characters_in_a_path_are_escaped() {
        assert_eq!(Place::path("a\x1b[31m").to_string(), r#""a\u{1b}[31m""#);
        assert_eq!(Place::path("a\u{202e}").to_string(), r#""a\u{202e}""#);
        assert_eq!(Place::path("ä ö").to_string(), "ä ö");
    }

    #[cfg(unix)]
    #[test]
    fn invalid_utf8_in_a_path_is_shown() {
        use std::os::unix::ffi::OsStrExt as _;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"q\xff.h5"));
        assert_eq!(Place::path(path).to_string(), r#""q\xFF.h5""#);
    }

    #[test]
    fn control_characters_in_messages_are_escaped() {
        let text = "\x1b[2J\r\u{9b}\u{202e}\n!";
        let shown = r"\u{1b}[2J\r\u{9b}\u{202e}\n!";
        let place = || Place::array("f", text);
        for (kind, expected) in [
            (ErrorKind::Unrecognized(text.into()), shown.to_owned()),
            (ErrorKind::Unsupported(text.into()), shown.to_owned()),
            (ErrorKind::Argument(text.into()), shown.to_owned()),
            (ErrorKind::Io(io::Error::other(text)), shown.to_owned()),
            (
                ErrorKind::Mismatch { found: text.into(), expected: text.into() },
                format!("found {shown}, expected {shown}"),
            ),
        ] {
            let error = Error::new(kind, place());
            assert_eq!(error.to_string(), format!("f: {shown}: {expected}"));
        }
        // Lines of a list are kept.
        let list = Error::argument("one of\n  a\x1b\n  b");
        assert_eq!(list.to_string(), "one of\n  a\\u{1b}\n  b");
    }
}
