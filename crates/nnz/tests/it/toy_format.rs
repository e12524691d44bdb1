//! A format that only this test knows, added to the registry: opened, printed, checked and converted.

use nnz::Context;
use std::io::Write;
use std::path::{Path, PathBuf};

use nnz::formats::{Confidence, DatasetKind, Format, FormatInfo, MatrixTarget, Probe};
use nnz::{
    Batch, CatOptions, ConvertOptions, CsMatrix, Dataset, Error, Header, Location, MatrixSource,
    OpenOptions, Order, Place, Result, Scalar, Shape, ValidateOptions, ValueType, Values,
    formats::Registry,
    matrix::{MatrixSink, Minors, Names, SinkCapabilities, Written},
    output::{StagedFile, WriteOptions},
};

/// A line `toy`, a line with the numbers of rows and columns, and a line `row col value` for each
/// entry, by row.
struct Toy;

/// The format.
pub(crate) static TOY: &dyn Format = &Toy;

static INFO: FormatInfo = (FormatInfo::new("toy", "rows, columns and values of a test"))
    .extensions(&["toy"])
    .reads(&[DatasetKind::Matrix])
    .writes(&[DatasetKind::Matrix]);

impl Format for Toy {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = probe.file().is_some_and(|(_, start)| start.starts_with(b"toy\n"));
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        let path = probe.path().unwrap_or(Path::new(""));
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
        let broken = || Error::mismatch(Place::path(path), "a broken line", "whole numbers");
        Ok(Dataset::Matrix(parse(&text).ok_or_else(broken)??.into_source()?))
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        _: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        let Location::Path { path, group: None } = to else {
            return Err(Error::argument("toy is written to files"));
        };
        Ok(Box::new(ToyTarget(path.clone(), options.output(context))))
    }
}

fn parse(text: &str) -> Option<Result<CsMatrix>> {
    let numbers =
        |line: &str| line.split(' ').map(|word| word.parse().ok()).collect::<Option<Vec<u32>>>();
    let mut lines = text.lines().skip(1).map(numbers);
    let [rows, cols] = lines.next()??[..] else { return None };
    let mut pointers = vec![0; usize::try_from(rows).ok()? + 1];
    let (mut minors, mut values) = (Vec::new(), Vec::new());
    for line in lines {
        let [row, col, value] = line?[..] else { return None };
        minors.push(col);
        values.push(value);
        pointers.get_mut(usize::try_from(row).ok()? + 1..)?.iter_mut().for_each(|end| *end += 1);
    }
    let shape = Shape { rows: rows.into(), cols: cols.into() };
    let (minors, values) = (Minors::U32(minors), Values::U32(values));
    Some(CsMatrix::from_parts(shape, Order::Row, pointers, minors, values))
}

struct ToyTarget(PathBuf, WriteOptions);

impl MatrixTarget for ToyTarget {
    fn capabilities(&self) -> SinkCapabilities {
        let (orders, value_types) = (&[Order::Row], &[ValueType::U32]);
        SinkCapabilities::new(orders, value_types)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.0)
    }

    fn check(&self) -> Result<()> {
        StagedFile::create(&self.0, &self.1).map(drop)
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        let mut sink = Sink(StagedFile::create(&self.0, &self.1)?);
        sink.line(format_args!("toy\n{} {}", header.shape.rows, header.shape.cols))?;
        Ok(Box::new(sink))
    }
}

struct Sink(StagedFile);

impl Sink {
    fn line(&mut self, line: std::fmt::Arguments<'_>) -> Result<()> {
        writeln!(self.0, "{line}").map_err(|error| Error::io(Path::new(""), error))
    }
}

impl MatrixSink for Sink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        batch.try_for_each(|entry, row, col| match batch.values.get(entry) {
            Some(Scalar::U32(value)) => self.line(format_args!("{row} {col} {value}")),
            _ => Err(Error::argument("toy holds uint32")),
        })
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Ok(Written::new(self.0.commit()?))
    }
}

pub(crate) const TEXT: &str = "toy\n3 4\n0 1 5\n0 3 6\n2 0 7\n";
const ENTRIES: &str = "0\t1\t5\n0\t3\t6\n2\t0\t7\n";

/// Prints entries as `nnz cat` does.
fn entries(dataset: Dataset) -> String {
    let mut text = Vec::new();
    let matrix = dataset.into_matrix().unwrap();
    nnz::engine::cat(&*matrix, &CatOptions::default(), &Context::default(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn an_added_format_round_trips_through_all_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toy");
    std::fs::write(&path, TEXT).unwrap();
    let toy = Location::parse(&path);
    let (context, options) = (Context::default().with_format(&Toy), OpenOptions::new());

    // Only in the registry that has it.
    assert!(nnz::open(&toy).unwrap_err().to_string().contains("unknown file format"));
    assert_eq!(context.detect(&toy, &options).unwrap().format().info().name, "toy");
    assert_eq!(entries(context.open(&toy).unwrap()), ENTRIES);

    for name in ["a.bpcells", "a.bsp.h5", "a.bsp.npz", "a.zarr", "a.nc", "a.rds", "a.dbdf", "a.mtx"]
    {
        let target = Location::parse(folder.path().join(name));
        let convert = ConvertOptions::default().order(Order::Row).sync(false);
        let dataset = context.open(&toy).unwrap();
        dataset.convert(&target, &convert, &Context::default()).unwrap();
        assert_eq!(entries(context.open(&target).unwrap()), ENTRIES, "{name}");

        let again = Location::parse(folder.path().join(format!("{name}.toy")));
        let convert = convert.value_type(ValueType::U32);
        nnz::convert(&target, &again, &convert, &context).unwrap();
        assert_eq!(
            std::fs::read_to_string(folder.path().join(format!("{name}.toy"))).unwrap(),
            TEXT
        );

        // Sources use the registry as well.
        let mtx = Location::parse(folder.path().join(format!("{name}.again.mtx")));
        let convert = convert.value_type(None);
        nnz::convert(&again, &mtx, &convert, &context).unwrap();
        assert_eq!(entries(context.open(&mtx).unwrap()).lines().count(), 3, "{name}");
    }
}

#[test]
fn faults_of_an_added_format_are_findings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toy");
    let context = Context::default().with_format(&Toy);
    let findings = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let found = context.detect(&Location::parse(&path), &OpenOptions::new()).unwrap();
        let mut findings = Vec::new();
        found
            .validate(&ValidateOptions::default(), &Context::default(), &mut |finding| {
                findings.push(finding)
            })
            .unwrap();
        findings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(findings(TEXT).is_empty());
    let [broken] = &findings("toy\n3 4\n0 x 5\n")[..] else { panic!("no finding") };
    assert!(broken.contains("a.toy") && broken.contains("a broken line"), "{broken}");
    // Column 4 of 4.
    let [outside] = &findings("toy\n3 4\n0 4 5\n")[..] else { panic!("no finding") };
    assert!(outside.contains("a.toy"), "{outside}");
}

#[test]
fn formats_are_opened_by_name_without_detection() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mtx");
    std::fs::write(&path, TEXT).unwrap();
    let place = Location::parse(&path);
    let context = Context::default().with_format(&Toy);
    // The extension belongs to Matrix Market.
    assert!(context.open(&place).is_err());
    let opened = OpenOptions::new().format("toy").open(&place, &context).unwrap();
    assert_eq!(entries(opened), ENTRIES);
    let error = OpenOptions::new().format("tow").open(&place, &context).unwrap_err();
    assert!(error.to_string().contains("unknown format \"tow\""), "{error}");
}

#[test]
fn all_names_of_targets_are_listed() {
    let formats = nnz::formats::list();
    for name in ["bpcells", "binsparse", "dgCMatrix", "mtx", "daphne"] {
        assert!(formats.iter().any(|format| format.name == name), "{name}");
        let registry = Registry::default();
        assert_eq!(registry.parse_target(name).unwrap().0.info().name, name);
    }
    for format in formats {
        for name in format.aliases {
            assert_eq!(Registry::default().find(name).unwrap().info().name, format.name);
        }
    }
}
