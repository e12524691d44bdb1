//! Copies all BPCells groups of an HDF5 file to a new or existing file.
//!
//! `hdf5_copy [--gzip LEVEL] [--chunk ELEMENTS] [--into GROUP] [--force] FROM TO`
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

use std::path::Path;
use std::process::ExitCode;

use nnz_container::hdf5::{Compression, Hdf5Group, Hdf5Options, Hdf5Writer, groups_with};
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_core::Error;
use nnz_storage::staging::WriteOptions;

/// Number of elements that are copied at once.
const BLOCK: u64 = 1 << 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (mut compress, mut chunk) = (Compression::None, None);
    let mut write = WriteOptions::default().overwrite(false).sync(false);
    let mut into = String::new();
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match argument.as_str() {
            "--gzip" => compress = Compression::Gzip(value()?.parse()?),
            "--chunk" => chunk = Some(value()?.parse()?),
            "--into" => into = value()?,
            "--force" => write.overwrite = true,
            _ => paths.push(argument),
        }
    }
    let [from, to] = &paths[..] else { return Err("give FROM and TO".into()) };
    for found in groups_with(Path::new(from), &["version"])? {
        let group = format!("{into}/{}", found.group);
        let source = Hdf5Group::open(Path::new(from), &found.group).map(NamedArrays::new)?;
        let writer =
            Hdf5Writer::create(Path::new(to), &group, write.clone(), Hdf5Options::default())?;
        let mut writer = NamedArraysWriter::new(writer).compress(compress);
        if let Some(chunk) = chunk {
            writer = writer.chunk(chunk);
        }
        writer.set_attribute("version", &source.attribute("version")?)?;
        for name in source.members()? {
            if name != "version" {
                copy_member(&source, &mut writer, &name)?;
            }
        }
        println!("{group}: {} bytes", writer.finish()?);
    }
    Ok(())
}

fn copy_member(from: &NamedArrays, to: &mut NamedArraysWriter, name: &str) -> Result<(), Error> {
    // A member is a list of strings, or else an array of numbers.
    if from.strings_size(name).is_ok() {
        let strings = from.strings(name)?;
        return to.write_strings(name, &mut strings.iter());
    }
    let array = from.array(name)?;
    let id = to.create_array(name, array.value_type())?;
    let mut block = Vec::new();
    let mut first = 0;
    while first < array.len() {
        let count = BLOCK.min(array.len() - first);
        let elements = usize::try_from(count).unwrap_or(0);
        block.resize(elements * array.value_type().size(), 0);
        array.read_bytes(first, &mut block)?;
        to.append_bytes(id, &block)?;
        first += count;
    }
    Ok(())
}
