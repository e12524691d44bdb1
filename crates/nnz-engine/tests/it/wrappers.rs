//! Sources that wrap another one forward the methods that they do not change.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use nnz_core::{
    About, Annotations, At, Axis, AxisKind, Header, MatrixSource, Metadata, Names, Order,
    PackedWidths, Place, Projection, Result, Shape, Unit, UnitReader, Wrapped,
};
use nnz_engine::compute::{Computed, ValueStep};
use nnz_engine::{
    CsMatrix, Labelled, Labels, NoProgress, Observed, Padded, Selection, Slice, Summed,
    TaskContext, Transposed,
};

/// Methods that describe the matrix. All wrappers forward them.
const DESCRIBING: [&str; 12] = [
    "about",
    "annotations",
    "extras",
    "is_vector",
    "levels",
    "metadata",
    "names_column",
    "notes",
    "place",
    "read_names",
    "rereadable",
    "usual_axis_kinds",
];

/// Methods about positions of entries, which are forwarded if the entries are the same.
const READING: [&str; 6] =
    ["locate", "packed_widths", "scattered", "stored_before", "units_within", "will_read"];

/// Methods that each wrapper implements.
const REQUIRED: [&str; 3] = ["header", "random_access", "units"];

/// Methods that are implemented by others.
const PROVIDED: [&str; 4] = ["batches", "entries", "names", "wrapped"];

/// Methods of values that are computed, which are forwarded if the entries are the same; tests of components need them.
const COMPUTED: [&str; 4] = ["as_difference", "is_log1p", "over_copy", "unscaled"];

/// A source that lists which of its methods are called.
struct Probe {
    inner: Box<dyn MatrixSource>,
    called: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl Probe {
    fn note(&self, method: &'static str) {
        self.called.lock().unwrap().insert(method);
    }
}

impl MatrixSource for Probe {
    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }

    fn place(&self) -> Place {
        self.note("place");
        Place::default()
    }

    fn about(&self) -> Result<About> {
        self.note("about");
        Ok(About::default())
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        self.note("read_names");
        Ok(None)
    }

    fn annotations(&self, _: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        self.note("annotations");
        Ok(None)
    }

    fn rereadable(&self) -> bool {
        self.note("rereadable");
        true
    }

    fn units_within(
        &self,
        _: Range<u64>,
        _: &[Range<u64>],
        _: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        self.note("units_within");
        Ok(None)
    }

    fn stored_before(&self, _: u64) -> Result<Option<u64>> {
        self.note("stored_before");
        Ok(None)
    }

    fn packed_widths(&self, _: usize) -> Result<Option<Vec<PackedWidths>>> {
        self.note("packed_widths");
        Ok(None)
    }

    fn will_read(&self, _: &[Range<u64>], _: Projection) {
        self.note("will_read");
    }

    fn scattered(&self, _: &[Range<u64>], _: u64, _: Projection) -> Option<Box<dyn Unit + '_>> {
        self.note("scattered");
        None
    }

    fn locate(&self, _: u64, _: u64) -> Result<Vec<At>> {
        self.note("locate");
        Ok(Vec::new())
    }

    fn extras(&self) -> Result<Vec<String>> {
        self.note("extras");
        Ok(Vec::new())
    }

    fn metadata(&self) -> Metadata {
        self.note("metadata");
        Metadata::default()
    }

    fn levels(&self) -> Option<String> {
        self.note("levels");
        None
    }

    fn is_vector(&self) -> bool {
        self.note("is_vector");
        true
    }

    fn names_column(&self, _: Axis) -> Option<String> {
        self.note("names_column");
        None
    }

    fn usual_axis_kinds(&self) -> [AxisKind; 2] {
        self.note("usual_axis_kinds");
        [AxisKind::Unknown; 2]
    }

    fn notes(&self) -> Vec<String> {
        self.note("notes");
        Vec::new()
    }
}

/// Calls a method with some arguments.
fn call(source: &dyn MatrixSource, method: &str) {
    match method {
        "about" => drop(source.about().unwrap()),
        "annotations" => drop(source.annotations(Axis::Rows).unwrap()),
        "extras" => drop(source.extras().unwrap()),
        "is_vector" => drop(source.is_vector()),
        "levels" => drop(source.levels()),
        "locate" => drop(source.locate(0, 0).unwrap()),
        "metadata" => drop(source.metadata()),
        "names_column" => drop(source.names_column(Axis::Rows)),
        "notes" => drop(source.notes()),
        "packed_widths" => drop(source.packed_widths(1).unwrap()),
        "place" => drop(source.place()),
        "read_names" => drop(source.read_names(Axis::Rows).unwrap()),
        "rereadable" => drop(source.rereadable()),
        "scattered" => {
            drop(source.scattered(std::slice::from_ref(&(0..1)), 1, Projection::ALL));
        }
        "usual_axis_kinds" => drop(source.usual_axis_kinds()),
        "stored_before" => drop(source.stored_before(0).unwrap()),
        "units_within" => {
            let minors = std::slice::from_ref(&(0..1));
            drop(source.units_within(0..1, minors, Projection::ALL).unwrap());
        }
        "will_read" => source.will_read(std::slice::from_ref(&(0..1)), Projection::ALL),
        other => panic!("{other} is not called"),
    }
}

/// Returns the methods that do not reach the wrapped source.
fn not_forwarded<'a>(
    methods: &[&'static str],
    wrap: impl FnOnce(Box<dyn MatrixSource>) -> Box<dyn MatrixSource + 'a>,
) -> Vec<&'static str> {
    let shape = Shape { rows: 3, cols: 1 };
    let matrix =
        CsMatrix::from_parts(shape, Order::Col, vec![0, 2], vec![0_u32, 2], vec![1.0, 2.0]);
    let called = Arc::default();
    let inner = matrix.unwrap().into_source().unwrap();
    let wrapped = wrap(Box::new(Probe { inner, called: Arc::clone(&called) }));
    let reaches = |method: &str| {
        called.lock().unwrap().clear();
        call(&*wrapped, method);
        called.lock().unwrap().contains(method)
    };
    methods.iter().copied().filter(|method| !reaches(method)).collect()
}

/// A wrapper with nothing but what it has to implement.
struct Minimal {
    inner: Box<dyn MatrixSource>,
    same: bool,
}

impl MatrixSource for Minimal {
    fn wrapped(&self) -> Wrapped<'_> {
        match self.same {
            true => Wrapped::SameEntries(&*self.inner),
            false => Wrapped::OtherEntries(&*self.inner),
        }
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }
}

#[test]
fn every_method_of_sources_is_forwarded() {
    let text = include_str!("../../../nnz-core/src/source.rs");
    let (_, body) = text.split_once("\npub trait MatrixSource").unwrap();
    let (body, _) = body.split_once("\n}\n").unwrap();
    let name = |line: &'static str| line.strip_prefix("    fn ")?.split(['(', '<']).next();
    let declared: BTreeSet<_> = body.lines().filter_map(name).collect();
    let known =
        DESCRIBING.iter().chain(&READING).chain(&REQUIRED).chain(&PROVIDED).chain(&COMPUTED);
    assert_eq!(declared, known.copied().collect());

    let all = [&DESCRIBING[..], &READING].concat();
    for same in [true, false] {
        let missing = not_forwarded(&all, |inner| Box::new(Minimal { inner, same }));
        assert_eq!(missing, if same { &[][..] } else { &READING });
    }
    // A reference forwards as well.
    let inner = |inner: Box<dyn MatrixSource>| -> Box<dyn MatrixSource> {
        Box::new(&*Box::leak(inner) as &'static dyn MatrixSource)
    };
    assert_eq!(not_forwarded(&all, inner), [""; 0]);
}

#[test]
fn wrappers_of_the_engine_forward_all_but_what_they_change() {
    let describing =
        |wrap: fn(Box<dyn MatrixSource>) -> Box<dyn MatrixSource>| not_forwarded(&DESCRIBING, wrap);
    let all = Selection::all;
    let none: [&str; 0] = [];
    let labels = Labels::default();
    let relabelled = describing(|inner| {
        let labels = Labels::default();
        Box::new(Labelled::new(inner, [&labels, &labels], u64::MAX).unwrap())
    });
    assert_eq!(relabelled, none);
    let relabelled = not_forwarded(&READING, |inner| {
        Box::new(Labelled::new(inner, [&labels, &labels], u64::MAX).unwrap())
    });
    assert_eq!(relabelled, none);
    let observed = |inner: Box<dyn MatrixSource>| -> Box<dyn MatrixSource> {
        Box::new(Observed::new(&*Box::leak(inner), "reading", &NoProgress))
    };
    assert_eq!(not_forwarded(&DESCRIBING, observed), none);
    assert_eq!(not_forwarded(&READING, observed), none);
    let sliced =
        not_forwarded(&DESCRIBING, |inner| Box::new(Slice::new(inner, &all(), &all()).unwrap()));
    // It keeps it, and has another name if it is a part.
    assert_eq!(sliced, ["place"]);
    let computed =
        describing(|inner| Box::new(Computed::new(inner, vec![ValueStep::Log1p]).unwrap()));
    assert_eq!(computed, none);
    let summed = describing(|inner| Box::new(Summed::new(inner, &TaskContext::default())));
    assert_eq!(summed, none);
    // No longer a vector.
    let transposed = describing(|inner| Box::new(Transposed::new(inner)));
    assert_eq!(transposed, ["is_vector"]);
    // Rows and columns that are added have neither.
    let shape = Shape { rows: 4, cols: 2 };
    let padded = not_forwarded(&DESCRIBING, |inner| Box::new(Padded::new(inner, shape).unwrap()));
    assert_eq!(padded, ["annotations", "is_vector", "read_names"]);
}
