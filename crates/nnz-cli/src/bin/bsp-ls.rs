//! Lists what there is of Binsparse in a file.
#![allow(clippy::exit, reason = "a program ends with a status")]

#[path = "tools/ending.rs"]
mod ending;
#[path = "tools/place.rs"]
mod place;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use nnz::binsparse::Descriptor;
use nnz::{Error, Location, Structure};

const TOOL: &str = "bsp-ls";

/// List the matrices and tensors of Binsparse in a file
///
/// One a line, with tabs between: group, format, shape, stored values, type of the values, and what
/// else there is to say of it.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The file or directory
    #[arg(value_name = "FILE", value_parser = place::place())]
    source: Location,
}

fn main() -> ExitCode {
    let args = Args::parse();
    ending::run(TOOL, || run(&args))
}

fn run(args: &Args) -> Result<bool, Error> {
    let found = nnz::list_binsparse(&args.source, nnz::default_memory())?;
    if found.is_empty() {
        let place = nnz::Place::path(args.source.to_string());
        return Err(Error::mismatch(place, "no Binsparse", "a matrix or tensor of it"));
    }
    let mut text = String::new();
    let mut sound = true;
    for (group, descriptor) in found {
        let told = match &descriptor {
            Ok(descriptor) => summary(descriptor),
            Err(error) => format!("broken: {error}"),
        };
        sound &= descriptor.is_ok();
        // A name may hold anything.
        text += &format!("/{}\t{told}\n", group.escape_debug());
    }
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io(Path::new("standard output"), error))
        }
        _ => Ok(sound),
    }
}

fn summary(descriptor: &Descriptor) -> String {
    let shape: Vec<String> = descriptor.shape.iter().map(u64::to_string).collect();
    let values = descriptor.data_type("values").map(|values| values.to_string());
    let mut words = vec![
        descriptor.layout.to_string(),
        if shape.is_empty() { "scalar".to_owned() } else { shape.join(" x ") },
        descriptor.stored.to_string(),
        values.unwrap_or_default(),
    ];
    if descriptor.structure != Structure::General {
        words.push(descriptor.structure.to_string());
    }
    if descriptor.fill {
        words.push("fill".to_owned());
    }
    words.push(format!("version {}", descriptor.version));
    words.extend(descriptor.user.iter().map(|(key, _)| format!("key {key:?}")));
    words.join("\t")
}
