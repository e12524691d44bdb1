//! Lists the Binsparse matrices and tensors in a file.
#![allow(clippy::exit, reason = "a program ends with a status")]

use std::process::ExitCode;

use clap::Parser;
use nnz::binsparse::Descriptor;
use nnz::{Error, Location, matrix::Structure, text::escaped};
use nnz_storage::stdio::TerminalEscapes;

use nnz_cli::stdio::{failed, print_answer};

use nnz_binsparse_tools::{place, run as run_tool};

nnz_cli::occupy_closed_streams!();

const TOOL: &str = "bsp-ls";

/// List the Binsparse matrices and tensors in a file
///
/// One per line, separated by tabs: group, format, shape, number of stored values, type of values,
/// and other properties.
#[derive(Parser)]
#[command(name = TOOL, version)]
struct Args {
    /// The file or directory
    #[arg(value_name = "FILE", value_parser = place())]
    source: Location,
}

fn main() -> ExitCode {
    run_tool(TOOL, run)
}

fn run(args: Args) -> Result<bool, Error> {
    let (options, context) = (nnz::OpenOptions::new(), nnz::Context::default());
    let found = nnz::formats::list_binsparse(&args.source, &options, &context)?;
    if found.is_empty() {
        let place = args.source.source_place();
        return Err(Error::mismatch(place, "no Binsparse", "a Binsparse matrix or tensor"));
    }
    let mut text = String::new();
    let mut valid = true;
    for (group, descriptor) in found {
        let line = match &descriptor {
            Ok(descriptor) => summary(descriptor),
            Err(error) => format!("broken: {error}"),
        };
        valid &= descriptor.is_ok();
        text += &format!("/{}\t{line}\n", escaped(&group));
    }
    print_answer(TerminalEscapes::Text, |out| out.write_all(text.as_bytes()).map_err(failed))?;
    Ok(valid)
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
    let words: Vec<_> = words.iter().map(|word| escaped(word)).collect();
    words.join("\t")
}
