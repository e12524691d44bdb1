//! Units decoded, and batches encoded, in any order on any thread give the same result as in order
//! on one thread.

use nnz_storage::TaskContext;
use std::fmt::Write as _;
use std::sync::Mutex;

use nnz_core::{
    Batch, Bint8, Encoded, Header, MatrixSource, Order, Projection, Result, Scalar, Structure,
    Triangle, ValueType, Values,
};
use nnz_matrix_market::{Layout, MatrixMarketSource, Options, TextTarget, create};
use nnz_testing::random::Random;

use crate::common;
use crate::common::{Entry, Shared, batch, entries, exact, header, open_text};

/// Runs a function on each element, on three threads and in the order of the list; returns the
/// results by the indices of the elements.
fn on_threads<T: Send, R: Send>(
    list: Vec<(usize, T)>,
    each: impl Fn(T) -> R + Sync,
) -> Vec<(usize, R)> {
    let list = Mutex::new(list);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((number, element)) = { list.lock().unwrap().pop() } {
                    let result = each(element);
                    results.lock().unwrap().push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(number, _)| *number);
    results
}

fn empty(header: &Header) -> Batch {
    Batch::new(header.order, Values::new(header.value_type))
}

fn in_order(source: &MatrixMarketSource) -> Result<Vec<Batch>> {
    let header = source.header();
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut batches = Vec::new();
    let mut batch = empty(header);
    while reader.next_batch(&mut batch)? {
        batches.push(batch.clone());
    }
    Ok(batches)
}

fn in_any_order(source: &MatrixMarketSource, random: &mut Random) -> Result<Vec<Batch>> {
    let header = source.header();
    let mut reader = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let mut units = Vec::new();
    // Later errors are reported after errors of earlier units.
    let ended = loop {
        match reader.next_unit() {
            Ok(Some(unit)) => units.push((units.len(), unit)),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    random.shuffle(&mut units);
    let decoded = on_threads(units, |unit| {
        let mut batch = empty(header);
        unit.decode(&mut batch).map(|()| batch)
    });
    let mut batches = Vec::new();
    for (_, batch) in decoded {
        let batch = batch?;
        reader.on_decoded(batch.entries() as u64)?;
        batches.push(batch);
    }
    ended?;
    reader.end()?;
    Ok(batches)
}

/// Creates a text of several blocks, with everything that is allowed between lines.
fn text(banner: &str, lines: usize, random: &mut Random, plain: bool) -> String {
    let side = 1000;
    let mut text = format!("%%MatrixMarket matrix {banner}\n");
    let array = banner.starts_with("array");
    // An array with about as many elements.
    let cols = if banner.ends_with("general") { lines / side } else { side };
    let lines = match banner.rsplit(' ').next().unwrap() {
        _ if !array => lines,
        "general" => cols * side,
        "skew-symmetric" => side * (side - 1) / 2,
        _ => side * (side + 1) / 2,
    };
    let sizes = if array { format!("{side} {cols}\n") } else { format!("{side} {side} {lines}\n") };
    text += &sizes;
    let mut element = (0, 0);
    for _ in 0..lines {
        if !plain && random.below(50) == 0 {
            text += ["\n", "\r\n", " \t\n", "% a comment\n", "  %1 1 1\n"][random.below(5)];
        }
        let (mut row, mut col) = (random.below(side), random.below(side));
        if array {
            (row, col) = element;
            element.0 += 1;
        } else {
            if banner.ends_with("skew-symmetric") && row == col {
                row = (row + 1) % side;
            }
            // Entries above the diagonal are rare.
            if !banner.ends_with("general") && row < col && random.below(1000) > 0 {
                (row, col) = (col, row);
            }
            if !plain && random.below(20) == 0 {
                text += [" ", "\t", "+", "000"][random.below(4)];
            }
            write!(text, "{} {}", row + 1, col + 1).unwrap();
            text += if plain || random.below(20) > 0 { " " } else { " \t " };
        }
        let real = |random: &mut Random| {
            let value = f64::from_bits(random.next() >> 2);
            match random.below(4) {
                0 => {
                    format!("{:.3}", f64::from(u32::try_from(random.next() >> 40).unwrap()) / 64.0)
                }
                1 => format!("-{}", random.below(500)),
                2 => format!(
                    "{:.16e}",
                    f64::from(u32::try_from(random.next() >> 32).unwrap()) / 3.3e9
                ),
                _ => format!("{value:e}"),
            }
        };
        if banner.contains("integer") {
            let bits = u32::try_from(random.below(64)).unwrap();
            write!(text, "{}", random.next().cast_signed() >> bits).unwrap();
        } else if banner.contains("complex") {
            let im = if row == col || array { "-0".to_owned() } else { real(random) };
            write!(text, "{} {im}", real(random)).unwrap();
        } else if !banner.contains("pattern") {
            text += &real(random);
        }
        text += if plain || random.below(20) > 0 { "\n" } else { [" \n", "\r\n"][random.below(2)] };
    }
    text
}

const BANNERS: &[&str] = &[
    "coordinate integer general",
    "coordinate real symmetric",
    "coordinate complex hermitian",
    "coordinate real skew-symmetric",
    "coordinate pattern general",
    "array real general",
    "array integer symmetric",
    "array integer skew-symmetric",
    "array complex hermitian",
];

#[test]
fn units_decode_in_any_order() {
    let mut random = Random::new(41);
    for banner in BANNERS {
        for plain in [true, false] {
            let text = text(banner, 60_000, &mut random, plain);
            let expected = open_text(&text).unwrap();
            let batches = in_order(&expected).unwrap();
            assert!(batches.len() > 1, "{banner}");
            for _ in 0..2 {
                let source = open_text(&text).unwrap();
                let read = in_any_order(&source, &mut random).unwrap();
                // Compared as text, because NaN is not equal to itself.
                assert_eq!(format!("{read:?}"), format!("{batches:?}"), "{banner}");
                assert_eq!(source.notes(), expected.notes());
            }
            let above = banner.contains("symmetric") || banner.contains("hermitian");
            assert_eq!(!expected.notes().is_empty(), above && banner.starts_with("coordinate"));
        }
    }
}

#[test]
fn the_first_error_does_not_depend_on_the_order_of_decoding() {
    let mut random = Random::new(43);
    let alphabet = b"0123456789 \t\r\n%+-.eEdDinfa\0\xff";
    let mut refused = 0;
    for banner in BANNERS {
        let text = text(banner, 60_000, &mut random, false).into_bytes();
        for _ in 0..5 {
            let mut text = text.clone();
            // Anywhere, and some lines too many or too few.
            for _ in 0..=random.below(4) {
                let at = random.below(text.len());
                match random.below(4) {
                    0 => text[at] = *random.pick(alphabet),
                    1 => text.insert(at, *random.pick(alphabet)),
                    2 => {
                        let line = text[at..].split_inclusive(|&b| b == b'\n').nth(1);
                        text.extend(line.unwrap_or(b"\n").to_vec());
                    }
                    _ => drop(text.remove(at)),
                }
            }
            let Ok(source) = open_text(&text) else { continue };
            let expected = in_order(&source).map(|batches| format!("{batches:?}"));
            let source = open_text(&text).unwrap();
            let read = in_any_order(&source, &mut random);
            let read = read.map(|batches| format!("{batches:?}"));
            refused += usize::from(read.is_err());
            let text_of = |result: Result<String>| result.map_err(|error| error.to_string());
            assert_eq!(text_of(read), text_of(expected), "{banner}");
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn an_extra_entry_is_an_error_with_its_line() {
    let mut random = Random::new(47);
    for banner in ["coordinate integer general", "array integer symmetric"] {
        let whole = text(banner, 60_000, &mut random, false);
        let surplus = if banner.starts_with("array") { "  7\n" } else { "  1 1 7\n" };
        // Errors after it do not matter.
        let text = format!("{whole}%\n\n{surplus}{}x\n", surplus.repeat(100_000));
        let source = open_text(&text).unwrap();
        let line = whole.lines().count() + 3;
        let found = surplus.trim().split(' ').next().unwrap();
        let expected = format!(
            "text.mtx: line {line}, column 3: found \"{found}\", \
             expected the end of the file after {} entries",
            source.header().nnz.unwrap()
        );
        assert_eq!(in_any_order(&source, &mut random).unwrap_err().to_string(), expected);
        let source = open_text(&text).unwrap();
        assert_eq!(in_order(&source).unwrap_err().to_string(), expected);
    }
}

/// Writes batches that are encoded in any order.
fn write_in_any_order(
    header: &Header,
    layout: Layout,
    gzip: bool,
    batches: &[Batch],
    random: &mut Random,
) -> Result<Vec<u8>> {
    let shared = Shared::default();
    let target = TextTarget::Stream {
        writer: Box::new(shared.clone()),
        name: "out.mtx".to_owned(),
        context: TaskContext::default(),
    };
    let options = Options { gzip, ..Options::new(layout, &target) };
    let mut sink = create(target, header, options)?;
    let encoder = sink.encoder().unwrap();
    let mut first = 0;
    let mut numbered = Vec::new();
    for (number, batch) in batches.iter().enumerate() {
        numbered.push((number, (batch, first)));
        first += batch.entries() as u64;
    }
    random.shuffle(&mut numbered);
    let ready = on_threads(numbered, |(batch, first)| encoder.encode(batch, first));
    for (_, ready) in ready {
        sink.write_encoded(ready?)?;
    }
    sink.finish()?;
    let bytes = shared.0.lock().unwrap().clone();
    Ok(bytes)
}

#[test]
fn batches_encode_in_any_order() {
    let mut random = Random::new(53);
    for banner in BANNERS {
        // Entries of a coordinate file are unsorted, and may be duplicates.
        let layout = if banner.starts_with("array") { Layout::Array } else { Layout::Coordinate };
        let source = open_text(text(banner, 30_000, &mut random, true)).unwrap();
        let mut read = entries(&source).unwrap();
        let header = source.header().clone().order(Order::Col);
        let lower = header.structure.triangle().is_some();
        read.retain(|&(row, col, _)| !lower || row >= col);
        read.sort_by_key(|&(row, col, _)| (col, row));
        read.dedup_by_key(|&mut (row, col, _)| (row, col));
        for stored in [Some(read.len() as u64), None] {
            let header = header.clone().nnz(stored);
            let batches: Vec<_> = read
                .chunks(777)
                .map(|entries| batch(Order::Col, entries, header.value_type))
                .collect();
            for gzip in [false, true] {
                let expected = common::write(&header, layout, gzip, &batches).unwrap();
                let ready =
                    write_in_any_order(&header, layout, gzip, &batches, &mut random).unwrap();
                assert!(ready == expected, "{banner}");
                let back = entries(&open_text(&ready).unwrap()).unwrap();
                if !header.iso {
                    assert_eq!(exact(&back), exact(&read), "{banner}");
                }
            }
        }
    }
}

#[test]
fn checks_across_batches_are_made_when_writing() {
    let one = |row, col| [(row, col, Scalar::I8(1))];
    let header = header(3, 3, ValueType::I8, None);
    let mut random = Random::new(59);
    let mut write = |layout, places: &[Entry]| {
        let batches: Vec<_> =
            places.chunks(1).map(|entry| batch(Order::Col, entry, ValueType::I8)).collect();
        write_in_any_order(&header, layout, false, &batches, &mut random).map_err(|e| e.to_string())
    };
    let twice = [one(2, 1), one(2, 1)].concat();
    for layout in [Layout::Coordinate, Layout::Array] {
        let message = write(layout, &twice).unwrap_err();
        assert!(message.starts_with("out.mtx: duplicate entry (row 2, column 1)"), "{message}");
    }
    let backwards = [one(2, 1), one(1, 1)].concat();
    assert!(write(Layout::Array, &backwards).is_err());
    assert!(write(Layout::Coordinate, &backwards).is_ok());

    // Errors have the positions before mirroring.
    let upper = header.clone().structure(Structure::Symmetric(Triangle::Upper)).order(Order::Row);
    let entry = batch(Order::Row, &one(0, 2), ValueType::I8);
    for layout in [Layout::Coordinate, Layout::Array] {
        let twice = [entry.clone(), entry.clone()];
        let error = write_in_any_order(&upper, layout, false, &twice, &mut random).unwrap_err();
        assert!(error.to_string().contains("(row 0, column 2)"), "{error}");
    }
}

#[test]
fn batches_must_be_written_in_order_and_by_their_own_sink() {
    let header = header(3, 3, ValueType::I8, None);
    let entry = batch(Order::Col, &[(1, 1, Scalar::I8(1))], ValueType::I8);
    for layout in [Layout::Coordinate, Layout::Array] {
        let sink = || {
            let target = TextTarget::Stream {
                writer: Box::new(std::io::sink()),
                name: "out".to_owned(),
                context: TaskContext::default(),
            };
            let options = Options::new(layout, &target);
            create(target, &header, options).unwrap()
        };
        let mut late = sink();
        let ready = late.encoder().unwrap().encode(&entry, 1).unwrap();
        assert!(late.write_encoded(ready).is_err());
        assert!(late.finish().is_err());

        let foreign: Encoded = Box::new(5_u8);
        assert!(sink().write_encoded(foreign).is_err());

        // A batch that could not be encoded is missing.
        let failed = sink();
        let outside = batch(Order::Col, &[(7, 1, Scalar::I8(1))], ValueType::I8);
        assert!(failed.encoder().unwrap().encode(&outside, 0).is_err());
        assert!(failed.finish().is_err());
    }
}

#[test]
fn the_first_batch_decides_whether_it_is_a_pattern() {
    let mut random = Random::new(61);
    let header = header(3, 3, ValueType::Bint8, None);
    let with = |row, values| Batch {
        values,
        ..batch(Order::Col, &[(row, 0, Scalar::Bint8(Bint8(1)))], ValueType::Bint8)
    };
    let shared = Values::Iso(Scalar::Bint8(Bint8(1)));
    let own = |value| Values::Bint8(vec![Bint8(value)]);
    let mut write = |batches: &[Batch]| {
        let text = write_in_any_order(&header, Layout::Coordinate, false, batches, &mut random);
        text.map(|text| String::from_utf8(text).unwrap())
    };
    assert_eq!(
        write(&[with(0, shared.clone()), with(1, own(1))]).unwrap(),
        "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 1\n2 1\n"
    );
    assert!(write(&[with(0, shared.clone()), with(1, own(0))]).is_err());
    assert_eq!(
        write(&[with(0, own(0)), with(1, shared)]).unwrap(),
        "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 0\n2 1 1\n"
    );
}
