//! A container that only this test knows, added to the registry: formats of named arrays are written to
//! it and read from it.

use nnz::Context;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use nnz::container::Memory;
use nnz::container::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz::container::{ContainerInfo, ContainerKind, CreateOptions, OpenContainer};
use nnz::matrix::StringReader;
use nnz::output::StagedFile;
use nnz::storage::Opened;
use nnz::{CatOptions, ConvertOptions, Error, Location, OpenOptions, Place, Result};

/// The word `bundle` and, as JSON, the name, type and bytes of each member. Strings are lines.
#[derive(Debug)]
struct Bundle;

type Member = (String, String, Vec<u8>);

const INFO: ContainerInfo = ContainerInfo::new("bundle", "a bundle", &["bundle"]);

#[derive(Debug)]
struct Writer {
    file: StagedFile,
    members: Vec<Member>,
}

impl ContainerKind for Bundle {
    fn info(&self) -> &'static ContainerInfo {
        &INFO
    }

    fn matches(&self, opened: &Opened) -> Result<bool> {
        opened.file().map_or(Ok(false), |file| Ok(file.start(6)? == b"bundle"))
    }

    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>> {
        let file = opened.file().ok_or_else(|| Error::unsupported(Place::default(), "no file"))?;
        let broken = |error| Error::mismatch(file.place(), format!("{error}"), "JSON");
        let members: Vec<Member> =
            serde_json::from_slice(&file.read_all(1 << 20)?[6..]).map_err(broken)?;
        let memory = Memory::named(file.path());
        let mut writer = memory.writer();
        for (name, kind, bytes) in &members {
            match kind.as_str() {
                "text" => writer.set_attribute(name, &String::from_utf8_lossy(bytes))?,
                "strings" => {
                    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
                    writer.write_strings(name, &mut lines.by_ref().map(|l| &l[..l.len() - 1]))?;
                }
                number => {
                    let number = number.parse().map_err(Error::argument)?;
                    let array = writer.create_array(name, number)?;
                    writer.append_bytes(array, bytes)?;
                }
            }
        }
        writer.finish()?;
        Ok(Arc::new(memory))
    }

    fn create(&self, to: &Path, _: &str, how: &CreateOptions) -> Result<Box<dyn TreeWriter>> {
        Ok(Box::new(Writer { file: StagedFile::create(to, &how.write)?, members: Vec::new() }))
    }
}

impl TreeWriter for Writer {
    fn info(&self) -> &'static ContainerInfo {
        &INFO
    }

    fn place(&self, _: NodeId) -> Place {
        Place::path(self.file.path())
    }

    fn create_array(&mut self, _: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let kind = match spec.list_element(&self.place(NodeId::ROOT))? {
            ElementType::Number(number) => number.name(),
            _ => "strings",
        };
        self.members.push((name.to_owned(), kind.to_owned(), Vec::new()));
        Ok(NodeId(self.members.len()))
    }

    fn set_text(&mut self, _: NodeId, name: &str, text: &str) -> Result<()> {
        self.members.push((name.to_owned(), "text".to_owned(), text.into()));
        Ok(())
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        self.members[array.0 - 1].2.extend_from_slice(bytes);
        Ok(())
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        while let Some(string) = strings.next_string()? {
            self.members[array.0 - 1].2.extend(string.iter().chain(b"\n"));
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        let json = serde_json::to_vec(&self.members).unwrap();
        let written = self.file.write_all(b"bundle").and_then(|()| self.file.write_all(&json));
        written.map_err(|error| Error::io(Path::new("bundle"), error))?;
        self.file.commit()
    }
}

const MATRIX: &str =
    "%%MatrixMarket matrix coordinate integer general\n3 4 3\n1 2 5\n3 1 7\n1 4 6\n";

/// Lists the entries of a location as `nnz cat` prints them, sorted.
fn entries(context: &Context, place: &Location) -> Vec<String> {
    let matrix = context.open(place).unwrap().into_matrix().unwrap();
    let mut text = Vec::new();
    nnz::engine::cat(&*matrix, &CatOptions::default(), &Context::default(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn formats_of_arrays_round_trip_through_an_added_container() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| Location::Path { path: folder.path().join(name), group: None };
    std::fs::write(folder.path().join("a.mtx"), MATRIX).unwrap();
    let context = Context::default().with_container(&Bundle);
    let expected = entries(&context, &at("a.mtx"));
    let options = ConvertOptions::default().sync(false);
    let convert = |from: &str, to: &str, format: Option<&'static str>| {
        let mut options = options.clone();
        options.format = format.map(Into::into);
        nnz::convert(at(from), at(to), &options, &context).unwrap();
        // Rows are cells there; in BPCells, columns are.
        if !to.ends_with("h5ad") {
            assert_eq!(entries(&context, &at(to)), expected, "{from} to {to}");
        }
    };

    for name in ["bpcells", "binsparse"] {
        let bundle = format!("{name}.bundle");
        convert("a.mtx", &bundle, Some(name));
        let found = context.detect(&at(&bundle), &OpenOptions::new()).unwrap();
        assert_eq!(found.format().info().name, name);
        // Only in the registry that has it.
        assert!(nnz::open(at(&bundle)).is_err());
        let others =
            ["bpcells", "bsp.h5", "bsp.npz", "bsp.zarr", "nc", "rds", "dbdf", "mtx", "h5ad", "npz"];
        for other in others {
            convert(&bundle, &format!("{bundle}.{other}"), None);
            convert(&format!("{bundle}.{other}"), &format!("{other}.{bundle}"), Some(name));
        }
    }

    // It does not support nested groups, which AnnData needs.
    let anndata = options.clone().format("anndata");
    let refused = nnz::convert(at("a.mtx"), at("b.bundle"), &anndata, &context).unwrap_err();
    assert!(
        refused.to_string().contains("the extension belongs to bundle, not to anndata"),
        "{refused}"
    );
}
