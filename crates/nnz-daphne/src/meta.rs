//! The `.meta` file next to a `.dbdf` file, which DAPHNE requires.

use std::path::{Path, PathBuf};

use nnz_core::{Error, Result, ValueType};
use nnz_storage::InputFile;
use serde::{Deserialize, Serialize};

use crate::code;

/// The largest file that is read.
const LONGEST: u64 = 64 << 20;

/// The content of a `.meta` file. Fields are in the order in which DAPHNE writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The location of the data in HDFS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hdfs: Option<Hdfs>,
    /// The number of columns.
    pub num_cols: u64,
    /// The number of entries of a sparse matrix; -1 if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_non_zeros: Option<i64>,
    /// The number of rows.
    pub num_rows: u64,
    /// The columns of a frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Vec<MetaColumn>>,
    /// The value type of a matrix, such as `f64`; for a frame, the type of columns without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
}

/// The location of data in HDFS, in a `.meta` file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hdfs {
    /// The path in HDFS.
    #[serde(rename = "HDFSFilename", default)]
    pub filename: String,
    /// Whether the data is in HDFS.
    #[serde(rename = "isHDFS", default)]
    pub is_hdfs: bool,
}

/// A column in a `.meta` file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetaColumn {
    /// The label.
    #[serde(default)]
    pub label: String,
    /// The value type; empty for the value type of the frame.
    #[serde(default)]
    pub value_type: String,
}

impl Meta {
    /// Returns the path of the `.meta` file of a file.
    #[must_use]
    pub fn path_of(data: &Path) -> PathBuf {
        let mut path = data.as_os_str().to_owned();
        path.push(Self::SUFFIX);
        path.into()
    }

    /// The suffix that is appended to the name of the file.
    pub(crate) const SUFFIX: &str = ".meta";

    /// Reads the `.meta` file of a file; `None` if there is none. For a symbolic link it is next to
    /// the target, or else next to the link.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read, or has no number of rows or columns.
    pub fn read(data: &Path) -> Result<Option<Self>> {
        let file = InputFile::local_sidecar(data, Self::SUFFIX)?;
        file.as_ref().map(Self::of).transpose()
    }

    /// Reads an open `.meta` file.
    pub(crate) fn of(file: &InputFile) -> Result<Self> {
        let place = file.place();
        if file.len() > LONGEST {
            let expected = format_args!("at most {LONGEST}");
            return Err(Error::mismatch(place, "more bytes", expected));
        }
        let text = file.read_all(LONGEST)?;
        serde_json::from_slice(&text).map_err(|error| {
            let at =
                nnz_core::At::Line { line: error.line() as u64, column: error.column() as u64 };
            let expected = "a JSON object with numRows and numCols";
            Error::mismatch(place.at(at), &error, expected).with_source(error)
        })
    }

    /// Returns its text: one line without a line end, as DAPHNE writes it.
    pub(crate) fn text(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self)
            .map_err(|error| Error::argument(error.to_string()).with_source(error))
    }

    /// Describes a matrix. Only a sparse one has a number of entries.
    pub(crate) fn of_matrix(
        rows: u64,
        cols: u64,
        value_type: ValueType,
        entries: Option<u64>,
    ) -> Self {
        Self {
            num_rows: rows,
            num_cols: cols,
            value_type: code::meta_name(value_type).map(str::to_owned),
            num_non_zeros: entries.map(|entries| i64::try_from(entries).unwrap_or(-1)),
            ..Self::default()
        }
    }

    /// Returns the type of each column, if it is given and known.
    pub(crate) fn column_types(&self) -> impl Iterator<Item = Option<ValueType>> {
        let default = self.value_type.as_deref().unwrap_or_default();
        self.schema.iter().flatten().map(move |column| {
            let own = Some(&*column.value_type).filter(|name| !name.is_empty());
            code::parse_value_type(own.unwrap_or(default))
        })
    }

    /// Returns the value type of a matrix, if it is given and known.
    pub(crate) fn matrix_type(&self) -> Option<ValueType> {
        self.value_type.as_deref().and_then(code::parse_value_type)
    }
}
