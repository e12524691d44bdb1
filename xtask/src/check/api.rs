//! The public interface, compared with its listing in `crates/nnz/api.txt`.
//!
//! The listing has everything that is visible through the crate `nnz`: its own items, and those that it re-exports from
//! the other crates. A change of it is a change of the public interface.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use public_api::Builder;
use serde_json::Value;

use crate::cargo::{cargo, root, run, target_directory};
use crate::error::{Error, Result};

/// Set while this program runs in place of rustdoc.
const AS_RUSTDOC: &str = "NNZ_XTASK_AS_RUSTDOC";

/// Lists the interface, and compares or updates the listing.
pub(super) fn check(update: bool) -> Result<()> {
    let found = listing()?;
    let path = root().join("crates/nnz/api.txt");
    if update {
        check_exhaustive(&found)?;
        return fs::write(&path, found).map_err(|error| Error::new(error.to_string()));
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    let [known_lines, found_lines] =
        [&known, &found].map(|text| text.lines().collect::<BTreeSet<_>>());
    for removed in known_lines.difference(&found_lines) {
        println!("-{removed}");
    }
    for added in found_lines.difference(&known_lines) {
        println!("+{added}");
    }
    check_exhaustive(&found)?;
    match known == found {
        true => Ok(()),
        false => Err(Error::new(
            "the public interface differs from crates/nnz/api.txt; if it should, update it with \
             `cargo xtask check api --update`",
        )),
    }
}

/// Types without `#[non_exhaustive]`: the data model, whose users must handle each variant and field. All others can
/// get more of them without breaking what is compiled against this version.
const EXHAUSTIVE: &[&str] = &[
    "nnz::numpy::TensorArrays",
    "nnz_binsparse::DataType",
    "nnz_binsparse::Level",
    "nnz_binsparse::LevelKind",
    "nnz_binsparse::Tensor",
    "nnz_container::tree::Attribute",
    "nnz_container::tree::Child",
    "nnz_container::tree::Field",
    "nnz_container::tree::FieldValues",
    "nnz_container::tree::Member",
    "nnz_container::tree::NodeId",
    "nnz_core::At",
    "nnz_core::Axis",
    "nnz_core::AxisKind",
    "nnz_core::Batch",
    "nnz_core::Categorical",
    "nnz_core::Categories",
    "nnz_core::ChromosomeSizes",
    "nnz_core::Column",
    "nnz_core::ColumnType",
    "nnz_core::ColumnValues",
    "nnz_core::Duplicates",
    "nnz_core::FragmentBatch",
    "nnz_core::FragmentFields",
    "nnz_core::Majors",
    "nnz_core::Minors",
    "nnz_core::Order",
    "nnz_core::PackedWidths",
    "nnz_core::Projection",
    "nnz_core::Rounding",
    "nnz_core::Scalar",
    "nnz_core::Segment",
    "nnz_core::SequentialReader",
    "nnz_core::Severity",
    "nnz_core::Shape",
    "nnz_core::Storage",
    "nnz_core::Structure",
    "nnz_core::Triangle",
    "nnz_core::UrlParts",
    "nnz_core::ValueType",
    "nnz_core::Values",
    "nnz_core::Wrapped",
    "nnz_daphne::Column",
    "nnz_daphne::FrameBatch",
    "nnz_engine::Dense",
    "nnz_engine::Moments",
    "nnz_engine::Number",
    "nnz_engine::Spread",
    "nnz_engine::Total",
    "nnz_engine::fragments::FragmentRange",
    "nnz_engine::fragments::Region",
    "nnz_engine::fragments::Tiles",
    "nnz_engine::plot::ValueBin",
    "nnz_matrix_market::Layout",
    "nnz_plot::Bar",
    "nnz_plot::Line",
    "nnz_plot::Tick",
    "nnz_storage::Opened",
];

/// Fails if a type whose variants or fields are public is neither `#[non_exhaustive]` nor in [`EXHAUSTIVE`].
fn check_exhaustive(listing: &str) -> Result<()> {
    let with_fields: BTreeSet<_> = listing
        .lines()
        .filter_map(|line| line.strip_prefix("pub ")?.split_once(": ")?.0.rsplit_once("::"))
        .map(|(name, _)| name)
        .collect();
    let is_path = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == ':';
    let found: BTreeSet<_> = listing
        .lines()
        .filter_map(|line| {
            let (kind, rest) = line.strip_prefix("pub ")?.split_once(' ')?;
            let name = rest.split(|sign| !is_path(sign)).next()?;
            let exposed = match kind {
                "enum" => true,
                "struct" => with_fields.contains(name) || rest.contains("(pub "),
                _ => false,
            };
            exposed.then_some(name)
        })
        .collect();
    let expected = EXHAUSTIVE.iter().copied().collect();
    if found == expected {
        return Ok(());
    }
    let names: Vec<_> = found.symmetric_difference(&expected).copied().collect();
    Err(Error::new(format!(
        "to be marked as non-exhaustive, or to be added to or removed from EXHAUSTIVE: {}",
        names.join(", ")
    )))
}

/// Runs rustdoc with the options that are not stable yet, if this program was started in its place.
///
/// Only rustdoc may have them: `RUSTC_BOOTSTRAP` for all of a build compiles the dependencies again.
pub(crate) fn as_rustdoc() -> Option<Result<()>> {
    let rustdoc = env::var_os(AS_RUSTDOC)?;
    let mut command = std::process::Command::new(rustdoc);
    command.args(env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").env_remove(AS_RUSTDOC);
    Some(run(&mut command))
}

/// Returns a line for each public item.
fn listing() -> Result<String> {
    let documentation = document()?;
    let mut lines = Vec::new();
    // The paths of items that are visible, in the crates that define them.
    let mut visible = BTreeSet::new();
    let mut waiting = vec!["nnz".to_owned()];
    while let Some(path) = waiting.pop() {
        if !visible.insert(path.clone()) {
            continue;
        }
        let name = path.split("::").next().unwrap_or_default();
        let krate = Crate::read(&documentation, name)?;
        lines.extend(krate.items.into_iter().filter(|item| is_inside(own_path(item), &path)));
        let exports = krate.exports.into_iter().filter(|(at, _)| is_inside(at, &path));
        waiting.extend(exports.map(|(_, source)| source));
    }
    lines.sort_unstable();
    lines.dedup();
    Ok(lines.join("\n") + "\n")
}

/// Creates the documentation as JSON, and returns its directory.
fn document() -> Result<PathBuf> {
    let this = env::current_exe().map_err(|error| Error::new(error.to_string()))?;
    let mut command = cargo();
    command.args(["doc", "--workspace", "--no-deps", "--lib", "--exclude", "xtask", "--quiet"]);
    command.env(AS_RUSTDOC, env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into()));
    command.env("RUSTDOC", this);
    command.env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json");
    run(&mut command)?;
    Ok(target_directory()?.join("doc"))
}

/// The public items of a crate.
struct Crate {
    items: Vec<String>,
    /// The paths of re-exports of other crates of the workspace, and what they re-export.
    exports: Vec<(String, String)>,
}

impl Crate {
    fn read(documentation: &Path, name: &str) -> Result<Self> {
        let path = documentation.join(format!("{name}.json"));
        let text = fs::read_to_string(&path).map_err(|error| Error::new(error.to_string()))?;
        let items = Builder::from_rustdoc_json(&path)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()
            .map_err(|error| Error::new(format!("{}: {error}", path.display())))?;
        let json: Value =
            serde_json::from_str(&text).map_err(|error| Error::new(error.to_string()))?;
        let mut exports = Vec::new();
        collect_exports(&json, json.get("root"), "", &mut exports);
        Ok(Self { items: items.items().map(ToString::to_string).collect(), exports })
    }
}

/// Collects the re-exports of other crates of the workspace in a module.
fn collect_exports(json: &Value, id: Option<&Value>, at: &str, into: &mut Vec<(String, String)>) {
    let item = id.and_then(|id| json.get("index")?.get(id.to_string()));
    let Some(item) = item else { return };
    let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(inner) = item.get("inner") else { return };
    if let Some(module) = inner.get("module") {
        let at = if at.is_empty() { name.to_owned() } else { format!("{at}::{name}") };
        for id in module.get("items").and_then(Value::as_array).into_iter().flatten() {
            collect_exports(json, Some(id), &at, into);
        }
    } else if let Some(export) = inner.get("use") {
        let text = |key| export.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("source").starts_with("nnz_") {
            into.push((format!("{at}::{}", text("name")), text("source").to_owned()));
        }
    }
}

/// Returns the path of an item in its line.
fn own_path(item: &str) -> &str {
    let item = match item.strip_prefix("impl") {
        Some(of) => of.split_once(" for ").map_or(of, |(_, of)| of),
        None => item,
    };
    let start = item.find("nnz").unwrap_or(item.len());
    let path = item.get(start..).unwrap_or_default();
    let end = path.find(|sign: char| !(sign.is_alphanumeric() || sign == '_' || sign == ':'));
    path.get(..end.unwrap_or(path.len())).unwrap_or_default().trim_end_matches(':')
}

fn is_inside(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}
