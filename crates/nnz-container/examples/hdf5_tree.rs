//! Writes HDF5 files, to check them with other programs.
//!
//! `hdf5_tree tree|order|h5ad|columns|sizes PATH [THREADS]`
#![allow(clippy::print_stderr, missing_docs)]

use std::path::Path;
use std::process::ExitCode;

use nnz_container::Compression;
use nnz_core::{Element, Result, ValueType};
use nnz_hdf5::{
    CharacterSet, DatasetSpec, Dataspace, ElementType, Field, FileOptions, FileWriter, ObjectId,
    StringPadding, Value,
};
use nnz_storage::staging::{StagedFile, WriteOptions};

type File = FileWriter<StagedFile>;

const I32: ElementType = ElementType::Number(ValueType::I32);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, path, threads @ ..] = &arguments[..] else {
        eprintln!("give what to write, and PATH");
        return ExitCode::FAILURE;
    };
    let threads = threads.first().and_then(|threads| threads.parse().ok()).unwrap_or(1);
    match write(what, Path::new(path), threads) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write(what: &str, path: &Path, threads: usize) -> Result<()> {
    let options = FileOptions { threads, track_order: what == "order" };
    let write = WriteOptions::default().overwrite(true).sync(false);
    let mut file = FileWriter::create(path, write, options)?;
    match what {
        "h5ad" => h5ad(&mut file)?,
        "columns" => columns(&mut file)?,
        "sizes" => sizes(&mut file)?,
        _ => tree(&mut file)?,
    }
    file.commit().map(drop)
}

/// A tree with all features.
fn tree(file: &mut File) -> Result<()> {
    numbers(file)?;
    let storage = file.group("storage/deep/er")?;
    layouts(file, storage)?;
    strings(file)?;
    let group = file.create_group(ObjectId::ROOT, "attributes")?;
    attributes(file, group)
}

fn numbers(file: &mut File) -> Result<()> {
    let group = file.create_group(ObjectId::ROOT, "numbers")?;
    for value_type in ValueType::ALL {
        let spec = DatasetSpec::contiguous(ElementType::Number(*value_type), &[3]);
        let id = file.create_dataset(group, value_type.name(), spec)?;
        let zeros = vec![0; 3 * value_type.size() - 1];
        // The lowest byte of the first element is 1.
        file.append(id, &[1])?;
        file.append(id, &zeros)?;
    }
    let half = file.create_dataset(group, "half", DatasetSpec::scalar(ElementType::Float16))?;
    file.append(half, &[0, 0x3e])?;
    file.create_dataset(group, "null", DatasetSpec::null(ElementType::Number(ValueType::F32)))?;
    let empty = DatasetSpec::contiguous(ElementType::Number(ValueType::F64), &[0]);
    file.create_dataset(group, "empty", empty)?;
    let none = DatasetSpec::chunked(I32, &[0], &[1024]).growing();
    file.create_dataset(group, "none", none)?;
    Ok(())
}

/// Appends 0, 1, 2, ... to a dataset.
fn count(file: &mut File, id: ObjectId, len: i32) -> Result<()> {
    let numbers: Vec<u8> = (0..len).flat_map(i32::to_le_bytes).collect();
    // Pieces of an odd size.
    numbers.chunks(4 * 1_237).try_for_each(|piece| file.append(id, piece))
}

fn layouts(file: &mut File, group: ObjectId) -> Result<()> {
    let gzip = |spec: DatasetSpec| spec.compress(Compression::Gzip(4), true);
    for (name, spec, len) in [
        ("compact", DatasetSpec::compact(I32, &[2, 3]), 6),
        ("contiguous", DatasetSpec::contiguous(I32, &[40_000, 2]), 80_000),
        ("chunked", DatasetSpec::chunked(I32, &[1000], &[100]), 1000),
        ("gzip", gzip(DatasetSpec::chunked(I32, &[0], &[1000]).growing()), 300_001),
        (
            "plain_gzip",
            DatasetSpec::chunked(I32, &[99], &[9]).compress(Compression::Gzip(1), false),
            99,
        ),
        ("shuffled", DatasetSpec::chunked(I32, &[99], &[9]).compress(Compression::None, true), 99),
        ("zstd", DatasetSpec::chunked(I32, &[99], &[9]).compress(Compression::Zstd(3), true), 99),
        ("tiles", gzip(DatasetSpec::chunked(I32, &[130, 100], &[64, 64])), 13_000),
        (
            "volume",
            gzip(DatasetSpec::chunked(I32, &[7, 5, 6], &[2, 3, 4]).max_shape(&[
                Some(9),
                None,
                Some(6),
            ])),
            210,
        ),
    ] {
        let id = file.create_dataset(group, name, spec)?;
        count(file, id, len)?;
    }
    Ok(())
}

fn strings(file: &mut File) -> Result<()> {
    let group = file.create_group(ObjectId::ROOT, "strings")?;
    let scalar = file.create_dataset(group, "scalar", DatasetSpec::scalar(ElementType::TEXT))?;
    file.append_strings(scalar, ["hällo"])?;
    let spec = DatasetSpec::chunked(ElementType::TEXT, &[0], &[512])
        .growing()
        .compress(Compression::Gzip(4), false);
    let many = file.create_dataset(group, "many", spec)?;
    file.append_strings(many, (0..100_000).map(|at| format!("cell{at}")))?;
    let lengths = [0, 1, 4095, 4096, 70_000, 0];
    let spec = DatasetSpec::contiguous(ElementType::TEXT, &[lengths.len() as u64]);
    let lengthy = file.create_dataset(group, "lengths", spec)?;
    file.append_strings(lengthy, lengths.map(|len| "x".repeat(len)))?;
    for (name, padding) in
        [("padded", StringPadding::NullPadded), ("terminated", StringPadding::NullTerminated)]
    {
        let element =
            ElementType::FixedString { bytes: 4, padding, character_set: CharacterSet::Ascii };
        let id = file.create_dataset(group, name, DatasetSpec::contiguous(element, &[3]))?;
        file.append_strings(id, ["abc", "", "d"])?;
    }
    let field = |name: &str, element| Field { name: name.to_owned(), element };
    let record = ElementType::Compound(vec![
        field("name", ElementType::TEXT),
        field("value", ElementType::Number(ValueType::F64)),
        field("good", ElementType::Number(ValueType::Bint8)),
    ]);
    let id = file.create_dataset(group, "records", DatasetSpec::contiguous(record, &[2]))?;
    for (name, value) in [("a", 1.5_f64), ("bé", -0.0)] {
        let name = file.store_string(name.as_bytes())?;
        file.append(id, &[&name[..], &value.to_le_bytes(), &[1]].concat())?;
    }
    Ok(())
}

fn attributes(file: &mut File, group: ObjectId) -> Result<()> {
    let id = file.create_dataset(group, "target", DatasetSpec::scalar(I32))?;
    file.append(id, &7_i32.to_le_bytes())?;
    file.set_attribute(id, "unit", Value::text("m"))?;
    file.set_attribute(group, "text", Value::text("two\nlines, é"))?;
    file.set_attribute(group, "no text", Value::text(""))?;
    file.set_attribute(group, "texts", Value::texts(["a", "", "ccc"]))?;
    file.set_attribute(group, "é", Value::number(-1_i64))?;
    file.set_attribute(group, "shape", Value::numbers(&[3_i64, 4]))?;
    file.set_attribute(group, "ordered", Value::boolean(true))?;
    file.set_attribute(group, "reference", Value::reference(id))?;
    file.set_attribute(group, "references", Value::references(&[id, group, ObjectId::ROOT]))?;
    file.set_attribute(group, "null", Value::null(ElementType::TEXT))?;
    file.set_attribute(group, "none", Value::numbers::<f64>(&[]))?;
    let table = Value::numbers(&[1.5_f32, 2.5, 3.5, 4.5]).reshape(Dataspace::simple(&[2, 2]))?;
    file.set_attribute(group, "table", table)?;
    let fixed = Value::fixed_text("matrix", StringPadding::NullPadded, CharacterSet::Ascii)?;
    file.set_attribute(group, "fixed", fixed)?;

    let large = file.create_group(group, "large")?;
    file.create_group(large, "member")?;
    file.set_attribute(large, "column-order", Value::texts((0..100_000).map(|n| n.to_string())))?;
    file.set_attribute(large, "encoding-type", Value::text("dataframe"))?;
    for at in 0..100 {
        file.set_attribute(large, &format!("x{at}"), Value::number(at))?;
    }
    let many = file.create_group(group, "many")?;
    for at in 0..1000 {
        file.set_attribute(many, &format!("x{at}"), Value::number(at))?;
    }
    Ok(())
}

/// A small AnnData file.
fn h5ad(file: &mut File) -> Result<()> {
    encoding(file, ObjectId::ROOT, "anndata", "0.1.0")?;
    let matrix = file.create_group(ObjectId::ROOT, "X")?;
    encoding(file, matrix, "csr_matrix", "0.1.0")?;
    file.set_attribute(matrix, "shape", Value::numbers(&[3_i64, 2]))?;
    for (name, element, bytes) in [
        ("data", ElementType::Number(ValueType::F32), bytes(&[1.0_f32, 2.0, 3.5])),
        ("indices", I32, bytes(&[0_i32, 1, 1])),
        ("indptr", I32, bytes(&[0_i32, 1, 2, 3])),
    ] {
        let len = u32::try_from(bytes.len() as u64 / element.size()).unwrap_or(0);
        let spec = DatasetSpec::chunked(element, &[0], &[len]).growing();
        let id = file.create_dataset(matrix, name, spec.compress(Compression::Gzip(4), false))?;
        file.append(id, &bytes)?;
    }
    let obs = dataframe(file, "obs", &["cell0", "cell1", "cell2"], &["kind", "note", "n"])?;
    let kind = file.create_group(obs, "kind")?;
    encoding(file, kind, "categorical", "0.2.0")?;
    file.set_attribute(kind, "ordered", Value::boolean(false))?;
    let codes = DatasetSpec::contiguous(ElementType::Number(ValueType::I8), &[3]);
    let codes = file.create_dataset(kind, "codes", codes)?;
    file.append(codes, &[0, 255, 1])?;
    encoding(file, codes, "array", "0.2.0")?;
    text_array(file, kind, "categories", &["B", "T"])?;
    text_array(file, obs, "note", &["", "zwei", "é"])?;
    let n = file.create_dataset(obs, "n", DatasetSpec::contiguous(I32, &[3]))?;
    file.append(n, &bytes(&[7_i32, 8, 9]))?;
    encoding(file, n, "array", "0.2.0")?;
    dataframe(file, "var", &["g0", "g1"], &[])?;
    for name in ["layers", "obsm", "varm", "obsp", "varp", "uns"] {
        let group = file.create_group(ObjectId::ROOT, name)?;
        encoding(file, group, "dict", "0.1.0")?;
    }
    let uns = file.group("uns")?;
    let spec = DatasetSpec::scalar(ElementType::Number(ValueType::I64));
    let scalar = file.create_dataset(uns, "answer", spec)?;
    file.append(scalar, &42_i64.to_le_bytes())?;
    encoding(file, scalar, "numeric-scalar", "0.2.0")?;
    let text = file.create_dataset(uns, "title", DatasetSpec::scalar(ElementType::TEXT))?;
    file.append_strings(text, ["a study"])?;
    encoding(file, text, "string", "0.2.0")
}

fn bytes<T: Element>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

fn encoding(file: &mut File, id: ObjectId, kind: &str, version: &str) -> Result<()> {
    file.set_attribute(id, "encoding-type", Value::text(kind))?;
    file.set_attribute(id, "encoding-version", Value::text(version))
}

fn text_array(file: &mut File, group: ObjectId, name: &str, texts: &[&str]) -> Result<()> {
    let spec = DatasetSpec::contiguous(ElementType::TEXT, &[texts.len() as u64]);
    let id = file.create_dataset(group, name, spec)?;
    file.append_strings(id, texts)?;
    encoding(file, id, "string-array", "0.2.0")
}

fn dataframe(file: &mut File, name: &str, index: &[&str], columns: &[&str]) -> Result<ObjectId> {
    let group = file.create_group(ObjectId::ROOT, name)?;
    encoding(file, group, "dataframe", "0.2.0")?;
    file.set_attribute(group, "_index", Value::text("_index"))?;
    let order = match columns {
        [] => Value::numbers::<f64>(&[]),
        columns => Value::texts(columns.iter().copied()),
    };
    file.set_attribute(group, "column-order", order)?;
    text_array(file, group, "_index", index)?;
    Ok(group)
}

/// A dataframe with 100,000 columns.
fn columns(file: &mut File) -> Result<()> {
    let group = file.create_group(ObjectId::ROOT, "obs")?;
    let names: Vec<String> = (0..100_000).map(|at| format!("column{at}")).collect();
    for (at, name) in (0_i32..).zip(&names) {
        let id = file.create_dataset(group, name, DatasetSpec::contiguous(I32, &[2]))?;
        file.append(id, &bytes(&[at, 1]))?;
        file.set_attribute(id, "encoding-type", Value::text("array"))?;
    }
    file.set_attribute(group, "column-order", Value::texts(names))
}

/// Groups, chunks and strings in the numbers at which structures are divided.
fn sizes(file: &mut File) -> Result<()> {
    for members in [0, 1, 8, 9, 256, 257, 1000, 70_000] {
        let group = file.group(&format!("members/{members}"))?;
        for at in 0..members {
            file.create_group(group, &format!("m{at}"))?;
        }
    }
    for chunks in [0, 1, 63, 64, 65, 4096, 4097, 5000] {
        let group = file.group("chunks")?;
        let spec = DatasetSpec::chunked(I32, &[0], &[3]).growing();
        let id = file.create_dataset(group, &chunks.to_string(), spec)?;
        count(file, id, chunks * 3)?;
    }
    Ok(())
}
