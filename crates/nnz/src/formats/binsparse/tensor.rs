//! Writing Binsparse tensors.

use crate::Context;
use std::time::Instant;

use nnz_binsparse::Descriptor;
use nnz_core::{Error, Metadata, Narrowest, Result};

use super::target::{LEVELS, write_options};
use crate::container_target::{ContainerTarget, DirectoryKind};
use crate::formats::target::named;
use crate::tensor::cast;
use crate::{ConvertOptions, Location, Summary, tensor::TensorFile};

/// Writes a tensor with another layout or into another container, through memory.
pub(super) fn write(
    from: &TensorFile,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let started = Instant::now();
    let descriptor = from.descriptor();
    let (path, group) = named(to, "binsparse")?;
    if options.order.is_some() || options.transpose {
        let what = "a tensor has a layout instead of rows and columns";
        return Err(Error::argument(what).with_hint("format", "sets it, such as COOR"));
    }
    let how = write_options(&options.format_options, &metadata(descriptor))?;
    let container = ContainerTarget::new(path, group, DirectoryKind::Npy, options, context)?;
    container.check(&[])?;
    let lost = container.groups_lost();
    let layout = options.format_options.parse(LEVELS)?.unwrap_or(descriptor.layout.clone());
    let mut tensor = from.read(context.memory())?;
    let wanted = options.value_type.or_else(|| {
        let mut narrowest = Narrowest::new(tensor.value_type());
        narrowest.add(&tensor.values);
        narrowest.add(&tensor.background().repeat(1));
        how.minimize.then(|| narrowest.value_type())
    });
    if let Some(value_type) = wanted {
        cast(&mut tensor, value_type, options.rounding)?;
    }
    let mut writer = container.writer(&[])?;
    nnz_binsparse::write_tensor(&mut writer, &tensor, &layout, &how)?;
    let bytes_after = writer.finish()?;
    Ok(Summary::default()
        .content(nnz_engine::SummaryContent::Tensor(tensor.shape.clone()))
        .entries(tensor.len() as u64)
        .bytes_before(from.about()?.bytes)
        .bytes_after(bytes_after)
        .seconds(started.elapsed().as_secs_f64())
        .dropped(descriptor.unknown.iter().map(|(key, _)| format!("the key {key:?}")).collect())
        .notes(lost.into_iter().collect()))
}

fn metadata(descriptor: &Descriptor) -> Metadata {
    let pairs = |keys: &nnz_binsparse::Keys| {
        keys.iter().map(|(key, json)| (key.to_owned(), json.to_owned())).collect()
    };
    Metadata::default().keys(pairs(&descriptor.user)).attributes(pairs(&descriptor.attributes))
}
