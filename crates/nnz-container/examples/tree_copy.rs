//! Copies a tree from any container to a new one.
//!
//! `tree_copy [--gzip LEVEL] [--zstd LEVEL] [--memory BYTES] hdf5|zarr2|zarr3|npz|netcdf FROM TO`
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

use std::path::Path;
use std::process::ExitCode;

use nnz_container::Compression;
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::npz::{NpzOptions, NpzWriter};
use nnz_container::tree::{CopyOptions, NodeId, TreeWriter, copy_tree, open};
use nnz_container::zarr::{ZarrOptions, ZarrVersion, ZarrWriter};
use nnz_storage::staging::WriteOptions;

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
    let mut options = CopyOptions::new();
    let mut plain = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match argument.as_str() {
            "--gzip" => options = options.compress(Compression::Gzip(value()?.parse()?)),
            "--zstd" => options = options.compress(Compression::Zstd(value()?.parse()?)),
            "--memory" => options = options.memory(value()?.parse()?),
            _ => plain.push(argument),
        }
    }
    let [kind, from, to] = &plain[..] else { return Err("give a container, FROM and TO".into()) };
    let write = WriteOptions::default().overwrite(true).sync(false);
    let mut writer = create(kind, Path::new(to), write)?;
    let report = copy_tree(&*open(Path::new(from), "")?, &mut *writer, NodeId::ROOT, &options)?;
    for change in &report.changes {
        println!("{change}");
    }
    writer.finish()?;
    Ok(())
}

fn create(
    kind: &str,
    path: &Path,
    write: WriteOptions,
) -> Result<Box<dyn TreeWriter>, Box<dyn std::error::Error>> {
    let zarr = |version| {
        let options = ZarrOptions { version, ..ZarrOptions::default() };
        ZarrWriter::create(path, "", write.clone(), options)
    };
    let hdf5 = |netcdf| {
        let options = Hdf5Options { netcdf, ..Hdf5Options::default() };
        Hdf5Writer::create(path, "", write.clone(), options)
    };
    Ok(match kind {
        "hdf5" => Box::new(hdf5(false)?),
        "zarr2" => Box::new(zarr(ZarrVersion::V2)?),
        "zarr3" => Box::new(zarr(ZarrVersion::V3)?),
        "netcdf" => Box::new(hdf5(true)?),
        "npz" => Box::new(NpzWriter::create(path, write, NpzOptions::default())?),
        other => return Err(format!("no container {other:?}").into()),
    })
}
