//! Elements of anndata: anything stored under a key, with attributes for its type.

use nnz_container::tree::{Attributes, ElementType, Group, NdArray};
use nnz_core::{Error, ErrorKind, Order, Place, Result, readable};

/// A member of a group.
pub(crate) enum Element {
    Group(Box<dyn Group>),
    Array(Box<dyn NdArray>),
}

impl Element {
    /// Opens a member of a group, which may be a group or an array.
    pub(crate) fn open(parent: &dyn Group, name: &str) -> Result<Self> {
        match parent.group(name) {
            Ok(group) => Ok(Self::Group(group)),
            Err(error) if error.is_system() => Err(error),
            // If it is neither, the error of the array has its type.
            Err(_) => parent.array(name).map(Self::Array),
        }
    }

    /// Opens a member of a group; `None` if it does not exist.
    pub(crate) fn find(parent: &dyn Group, name: &str) -> Result<Option<Self>> {
        match Self::open(parent, name) {
            Err(error) if matches!(error.kind(), ErrorKind::Missing) => Ok(None),
            found => found.map(Some),
        }
    }

    /// Finds the element at a path in a group; `None` if it does not exist, or if a parent is an
    /// array.
    pub(crate) fn at(root: &dyn Group, path: &str) -> Result<Option<Self>> {
        let Some((parent, rest)) = path.split_once('/') else { return Self::find(root, path) };
        match Self::find(root, parent)? {
            Some(Self::Group(group)) => Self::at(&*group, rest),
            // In anndata 0.5, the fields of `obsm` are columns of one array.
            Some(Self::Array(array)) => match array.element_type() {
                ElementType::Compound(fields) if fields.iter().any(|field| field.name == rest) => {
                    array.field(rest).map(Self::Array).map(Some)
                }
                _ => Ok(None),
            },
            None => Ok(None),
        }
    }

    /// Returns the group; `None` if it is an array.
    pub(crate) fn group(&self) -> Option<&dyn Group> {
        match self {
            Self::Group(group) => Some(&**group),
            Self::Array(_) => None,
        }
    }

    /// Returns its encoding.
    pub(crate) fn encoding(&self) -> Result<Encoding> {
        match self {
            Self::Group(group) => Encoding::of(&**group, &Place::path(group.path())),
            Self::Array(array) => Encoding::of(&**array, &array.place()),
        }
    }

    /// Returns whether it is null: anndata 0.12 writes such a `raw`.
    pub(crate) fn is_null(&self) -> Result<bool> {
        Ok(match self {
            Self::Group(_) => false,
            Self::Array(array) => {
                array.is_null()
                    || readable(self.encoding())?.is_some_and(|encoding| encoding.kind == "null")
            }
        })
    }

    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Group(group) => Place::path(group.path()),
            Self::Array(array) => array.place(),
        }
    }
}

/// The encodings that anndata reads.
const KNOWN: [&str; 18] = [
    "anndata",
    "array",
    "awkward-array",
    "bytes",
    "categorical",
    "csc_matrix",
    "csr_matrix",
    "dataframe",
    "dict",
    "null",
    "nullable-boolean",
    "nullable-integer",
    "nullable-string-array",
    "numeric-scalar",
    "raw",
    "rec-array",
    "string",
    "string-array",
];

/// The attributes `encoding-type` and `encoding-version`; empty if missing, as before anndata 0.8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Encoding {
    pub(crate) kind: String,
    pub(crate) version: String,
}

impl Encoding {
    pub(crate) fn of<T: Attributes + ?Sized>(element: &T, place: &Place) -> Result<Self> {
        Ok(Self {
            kind: text(element, "encoding-type", place)?,
            version: text(element, "encoding-version", place)?,
        })
    }

    /// Returns whether anndata has no such encoding, so that it does not open the file.
    pub(crate) fn is_unknown(&self) -> bool {
        !self.kind.is_empty() && !KNOWN.contains(&&*self.kind)
    }

    /// Checks the version: anndata reads only versions it knows.
    pub(crate) fn check(&self, versions: &[&str], place: &Place) -> Result<()> {
        if versions.contains(&&*self.version) {
            return Ok(());
        }
        let (kind, version) = (&self.kind, &self.version);
        let what = format!("{kind} of encoding-version {version:?} is not supported");
        Err(Error::unsupported(place.clone(), what))
    }
}

/// Reads a text attribute; empty if it is missing.
pub(crate) fn text<T: Attributes + ?Sized>(
    element: &T,
    name: &str,
    place: &Place,
) -> Result<String> {
    let Some(attribute) = element.attribute(name)? else { return Ok(String::new()) };
    let text = attribute.text().ok_or_else(|| {
        let found = format!("the attribute {name} of type {}", attribute.type_name());
        Error::mismatch(place.clone(), found, "text")
    })?;
    Ok(text.to_owned())
}

/// The storage of a sparse matrix according to its group.
pub(crate) struct SparseGroup {
    pub(crate) order: Order,
    pub(crate) shape: [u64; 2],
    /// Such as `csr_matrix`.
    pub(crate) encoding: Encoding,
}

impl SparseGroup {
    /// Reads the attributes of a group; `None` if it is not a sparse matrix.
    pub(crate) fn of(group: &dyn Group) -> Result<Option<Self>> {
        let place = Place::path(group.path());
        let mut encoding = Encoding::of(group, &place)?;
        let (kind, shape) = if encoding.kind.is_empty() {
            // anndata 0.6 and before.
            let format = text(group, "h5sparse_format", &place)?;
            if format.is_empty() {
                return Ok(None);
            }
            encoding.kind = format!("h5sparse {format}");
            (format, "h5sparse_shape")
        } else {
            let Some(kind) = encoding.kind.strip_suffix("_matrix") else { return Ok(None) };
            encoding.check(&["0.1.0"], &place)?;
            (kind.to_owned(), "shape")
        };
        let order = match &*kind {
            "csr" => Order::Row,
            "csc" => Order::Col,
            _ => {
                let what = format!("sparse matrices of format {kind:?} are not supported");
                return Err(Error::unsupported(place, what));
            }
        };
        let attribute = group.required_attribute(shape)?;
        let lengths = attribute.unsigned().and_then(|lengths| <[u64; 2]>::try_from(lengths).ok());
        let shape = lengths.ok_or_else(|| {
            let place = Place::array(group.path(), shape);
            let found = match attribute.unsigned() {
                Some(lengths) => format!("{lengths:?}"),
                None => format!("an attribute of type {}", attribute.type_name()),
            };
            Error::mismatch(place, found, "two nonnegative integers")
        })?;
        Ok(Some(Self { order, shape, encoding }))
    }
}
