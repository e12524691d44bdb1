//! The `.meta` file beside a `.dbdf` file, which DAPHNE needs to read it.

use std::path::{Path, PathBuf};

use nnz_core::{Error, Result, ValueType};
use nnz_storage::InputFile;
use serde::{Deserialize, Serialize};

use crate::code;

/// The longest that is read.
const LONGEST: u64 = 64 << 20;

/// What a `.meta` file says. Projection come in the order DAPHNE writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Where the data lies in HDFS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hdfs: Option<Hdfs>,
    /// Number of columns.
    pub num_cols: u64,
    /// Number of entries of a sparse matrix; -1 where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_non_zeros: Option<i64>,
    /// Number of rows.
    pub num_rows: u64,
    /// The columns of a frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Vec<MetaColumn>>,
    /// The value type of a matrix, such as `f64`; of a frame, that of columns that say none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
}

/// What a `.meta` file says of where the data lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hdfs {
    /// The path in HDFS.
    #[serde(rename = "HDFSFilename", default)]
    pub filename: String,
    /// Whether the data is in HDFS.
    #[serde(rename = "isHDFS", default)]
    pub is_hdfs: bool,
}

/// What a `.meta` file says of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetaColumn {
    /// The label.
    #[serde(default)]
    pub label: String,
    /// The value type; empty where it is that of the frame.
    #[serde(default)]
    pub value_type: String,
}

impl Meta {
    /// Returns where the `.meta` of a file lies.
    #[must_use]
    pub fn path_of(data: &Path) -> PathBuf {
        let mut path = data.as_os_str().to_owned();
        path.push(Self::SUFFIX);
        path.into()
    }

    /// What is behind the name of a file in the name of its `.meta`.
    pub(crate) const SUFFIX: &str = ".meta";

    /// Reads the `.meta` of a file; `None` where there is none. It lies where a link leads to, or else
    /// beside the link.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read, or does not say how many rows and columns there are.
    pub fn read(data: &Path) -> Result<Option<Self>> {
        let beside = InputFile::local_sidecar(data, Self::SUFFIX)?;
        beside.as_ref().map(Self::of).transpose()
    }

    /// Reads a `.meta` file that was opened.
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
            Error::mismatch(place.at(at), error, expected)
        })
    }

    /// Returns its text: one line without an end, as DAPHNE writes it.
    pub(crate) fn text(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::argument(error.to_string()))
    }

    /// Describes a matrix. Only a sparse one tells its entries.
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

    /// Returns the type of each column, where it is told and known.
    pub(crate) fn column_types(&self) -> impl Iterator<Item = Option<ValueType>> {
        let default = self.value_type.as_deref().unwrap_or_default();
        self.schema.iter().flatten().map(move |column| {
            let own = Some(&*column.value_type).filter(|name| !name.is_empty());
            code::parse_value_type(own.unwrap_or(default))
        })
    }

    /// Returns the value type of a matrix, where it is told and known.
    pub(crate) fn matrix_type(&self) -> Option<ValueType> {
        self.value_type.as_deref().and_then(code::parse_value_type)
    }
}
