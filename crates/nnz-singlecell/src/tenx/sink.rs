//! Writing a matrix like Cell Ranger.

mod strings;

use std::path::{Path, PathBuf};

use nnz_container::Compression;
use nnz_container::matrix::{CompressedArray, CompressedOutput, CompressedSink, IndexType};
use nnz_core::{
    Axis, Error, Header, Names, Order, Place, Result, SinkCapabilities, StringList, ValueType,
};
use nnz_hdf5::{
    CharacterSet, DatasetSpec, Dataspace, ElementType, FileChange, FileOptions, FileWriter,
    ObjectId, StringPadding, Value,
};
use nnz_storage::staging::{StagedFile, WriteOptions};

use super::features::{Features, GENE_EXPRESSION, repeated};
use super::find::FormatVersion;
use super::root;
use strings::write_strings;

/// Capabilities of 10x HDF5 files: integers and floats, by cell. Cell Ranger itself writes `int32`.
pub const CAPABILITIES: SinkCapabilities =
    SinkCapabilities::new(&[Order::Col], &[ValueType::I32, ValueType::F32, ValueType::F64])
        .names(true)
        .annotations(true)
        .positions(false);

/// The same with integers larger than `int32`, which most other programs can read.
pub const WIDE_CAPABILITIES: SinkCapabilities = SinkCapabilities::new(
    &[Order::Col],
    &[ValueType::I32, ValueType::I64, ValueType::F32, ValueType::F64],
)
.names(true)
.annotations(true)
.positions(false);

/// The root attribute with the program and its version.
const SOFTWARE: &str = "software_version";

/// Entries in a chunk, like in files of Cell Ranger.
const CHUNK: u32 = 1 << 16;

/// Options for writing a file.
#[derive(Clone, Debug)]
pub struct SinkOptions {
    /// The layout.
    pub format_version: FormatVersion,
    /// The genome of features that have none.
    pub genome: Option<String>,
    /// Whether the genome is added to an existing file of version 2, whose other genomes are kept.
    pub add: bool,
    /// The compression of entries: gzip or none, because only h5py can read others.
    pub compress: Compression,
    /// Attributes of the root of a 10x file, from which the matrix was read, as JSON.
    pub attributes: Vec<(String, String)>,
}

/// Creates a file with a matrix of features x cells, or adds one to a file. All names are read.
///
/// # Errors
///
/// Fails if the target must not be replaced or cannot be written, if rows or columns have no names,
/// if names take too much memory, or if the layout does not support the columns of features.
pub fn create(
    path: &Path,
    header: &Header,
    names: [Option<Names<'_>>; 2],
    features: Features,
    write: WriteOptions,
    options: &SinkOptions,
) -> Result<CompressedSink> {
    let place = Place::path(path);
    let unknown = |axis| unnamed(&place, axis);
    let [rows, cols] = names;
    let mut rows = rows.ok_or_else(|| unknown(Axis::Rows))?;
    let mut cols = cols.ok_or_else(|| unknown(Axis::Cols))?;
    let ids = rows.list_with_limit(write.context.memory() / 4)?;
    let barcodes = cols.list_with_limit(write.context.memory() / 4)?;
    options.compress.gzip_level("10x files")?;
    let genome = genome(&place, &features, options)?;
    let threads = write.context.threads();
    let file_options = FileOptions { threads, track_order: false };
    let mut file = match options.add {
        true => {
            let (file, added) = FileChange::add(path, &[&genome], write, (file_options, false))?;
            if added.names_around.contains("matrix") {
                let what = "a file of version 3, which has no groups of genomes";
                return Err(Error::unsupported(place, what));
            }
            file
        }
        false => FileWriter::create(path, write, file_options)?,
    };
    if !options.add {
        describe(&mut file, options)?;
    }
    let group = match options.format_version {
        FormatVersion::V3 => file.create_group(ObjectId::ROOT, "matrix")?,
        FormatVersion::V2 => file.create_group(ObjectId::ROOT, &genome)?,
    };
    write_strings(&mut file, group, "barcodes", &barcodes)?;
    match options.format_version {
        FormatVersion::V3 => {
            let table = file.create_group(group, "features")?;
            write_features(&mut file, table, &ids, features, &genome)?;
        }
        FormatVersion::V2 => {
            write_strings(&mut file, group, "genes", &ids)?;
            write_strings(&mut file, group, "gene_names", features.names.as_ref().unwrap_or(&ids))?;
        }
    }
    write_shape(&mut file, group, header)?;
    let mut array = |name, value_type| {
        let spec = DatasetSpec::chunked(ElementType::Number(value_type), &[0], &[CHUNK]);
        let shuffle = options.compress != Compression::None;
        let spec = spec.growing().compress(options.compress, shuffle);
        file.create_dataset(group, name, spec).map(|id| (id, value_type))
    };
    let values = array("data", header.value_type)?;
    let indices = array("indices", ValueType::I64)?;
    let pointers = array("indptr", ValueType::I64)?;
    let path = path.to_path_buf();
    let output = Box::new(Output { file, path, pointers, indices, values });
    Ok(CompressedSink::new(output, header, [IndexType::I64; 2], place))
}

/// Returns the error for an axis without names.
#[must_use]
pub fn unnamed(place: &Place, axis: Axis) -> Error {
    let what = match axis {
        Axis::Rows => "the rows have no names; 10x requires an id for each feature",
        Axis::Cols => "the columns have no names; 10x requires a barcode for each cell",
    };
    Error::unsupported(place.clone(), what)
}

/// Returns the common genome of all features: the name of the group in version 2, and the default
/// otherwise.
fn genome(place: &Place, features: &Features, options: &SinkOptions) -> Result<String> {
    if let Some(genome) = &options.genome {
        return Ok(genome.clone());
    }
    if options.format_version == FormatVersion::V3 {
        return Ok(String::new());
    }
    let mut found: Vec<&[u8]> = features.genomes.iter().flat_map(StringList::iter).collect();
    found.retain(|genome| !genome.is_empty());
    found.sort_unstable();
    found.dedup();
    match found[..] {
        [] => Ok("unknown".to_owned()),
        [only] => Ok(String::from_utf8_lossy(only).into_owned()),
        _ => {
            let what = "features of several genomes, which version 2 stores in several groups; \
                        write version 3, or one genome at a time";
            Err(Error::unsupported(place.clone(), what))
        }
    }
}

/// Writes the attributes of the root that Cell Ranger reads, taken from the source if it is a 10x file.
fn describe(file: &mut FileWriter<StagedFile>, options: &SinkOptions) -> Result<()> {
    let mut set = |name: &str, value| file.set_attribute(ObjectId::ROOT, name, value);
    let v3 = options.format_version == FormatVersion::V3;
    set("filetype", Value::text("matrix"))?;
    if v3 {
        set("version", Value::number(2_i64))?;
    }
    for (name, json) in &options.attributes {
        let own = matches!(&**name, "filetype" | "version") || (name == SOFTWARE && !v3);
        if let Some(value) = root::to_value(json).filter(|_| !own) {
            set(name, value)?;
        }
    }
    if v3 && options.attributes.iter().all(|(name, _)| name != SOFTWARE) {
        let software = format!("nnz-{}", env!("CARGO_PKG_VERSION"));
        set(SOFTWARE, Value::text(software))?;
    }
    // Of several 10x files with different libraries they would be wrong.
    if options.attributes.is_empty() {
        set("chemistry_description", Value::text("unknown"))?;
        let library = Value::fixed_text("unknown", StringPadding::NullPadded, CharacterSet::Ascii)?;
        set("library_ids", library.reshape(Dataspace::simple(&[1]))?)?;
        set("original_gem_groups", Value::numbers(&[1_i64]))?;
    }
    Ok(())
}

fn write_features(
    file: &mut FileWriter<StagedFile>,
    table: ObjectId,
    ids: &StringList,
    features: Features,
    genome: &str,
) -> Result<()> {
    let count = ids.len();
    let Features { names, types, genomes, tags } = features;
    write_strings(file, table, "id", ids)?;
    write_strings(file, table, "name", names.as_ref().unwrap_or(ids))?;
    let types = types.unwrap_or_else(|| repeated(GENE_EXPRESSION, count));
    write_strings(file, table, "feature_type", &types)?;
    let genomes = genomes.filter(|_| genome.is_empty());
    write_strings(file, table, "genome", &genomes.unwrap_or_else(|| repeated(genome, count)))?;
    let mut keys: StringList = ["genome"].into_iter().collect();
    for (name, strings) in tags {
        write_strings(file, table, &name, &strings)?;
        keys.push(name.as_bytes());
    }
    write_strings(file, table, "_all_tag_keys", &keys)
}

fn write_shape(file: &mut FileWriter<StagedFile>, group: ObjectId, header: &Header) -> Result<()> {
    let lengths = [header.shape.rows, header.shape.cols];
    let narrow: Vec<u8> =
        lengths.iter().flat_map(|&len| i32::try_from(len).unwrap_or(-1).to_le_bytes()).collect();
    let fits = lengths.iter().all(|&len| i32::try_from(len).is_ok());
    let (value_type, bytes) = match fits {
        true => (ValueType::I32, narrow),
        false => (ValueType::U64, lengths.iter().flat_map(|len| len.to_le_bytes()).collect()),
    };
    let spec = DatasetSpec::contiguous(ElementType::Number(value_type), &[2]);
    let shape = file.create_dataset(group, "shape", spec)?;
    file.append(shape, &bytes)
}

struct Output {
    file: FileWriter<StagedFile>,
    path: PathBuf,
    pointers: (ObjectId, ValueType),
    indices: (ObjectId, ValueType),
    values: (ObjectId, ValueType),
}

impl CompressedOutput for Output {
    fn append(&mut self, array: CompressedArray, bytes: &[u8]) -> Result<()> {
        let (dataset, value_type) = match array {
            CompressedArray::Pointers => self.pointers,
            CompressedArray::Indices => self.indices,
            CompressedArray::Values => self.values,
        };
        if cfg!(target_endian = "big") {
            let mut little = bytes.to_vec();
            little.chunks_exact_mut(value_type.size()).for_each(<[u8]>::reverse);
            return self.file.append(dataset, &little);
        }
        self.file.append(dataset, bytes)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let Self { file, path, .. } = *self;
        file.commit().map_err(|error| error.with_context(&Place::path(path)))
    }
}
