//! The steps that a conversion needs.

use nnz_core::{
    Error, Header, Order, Place, Result, Rounding, Scalar, Shape, SinkCapabilities, Storage,
    Structure, Triangle, ValueType,
};
use nnz_storage::TaskContext;

use super::structure::{self, DetectedStructure};
use super::{ConvertOptions, StructurePolicy};
use crate::MatrixTarget;
use crate::flow::Workers;
use crate::stages::{
    DuplicatePolicy, Mirroring, PatternValues, Step, drop_unstored, negates_integers, stays_shared,
};
use crate::transposed::exchanged;
use crate::types;

/// The result of a separate pass over the entries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FirstPass {
    /// The smallest type that holds all values, if requested.
    pub(super) value_type: Option<ValueType>,
    /// The structure that was found.
    pub(super) found: Option<DetectedStructure>,
}

/// Decisions before anything is written.
pub(super) struct Plan<'a> {
    pub(super) shape: Shape,
    pub(super) order: Order,
    pub(super) value_type: ValueType,
    pub(super) rounding: Rounding,
    /// Handling of the structure of the source, if it has one.
    pub(super) mirroring: Option<Mirroring>,
    /// The structure that was found, of which the lower triangle is written.
    pub(super) found: Option<DetectedStructure>,
    pub(super) drop_zeros: bool,
    pub(super) duplicates: DuplicatePolicy,
    pub(super) capabilities: SinkCapabilities,
    pub(super) memory: u64,
    pub(super) workers: Workers<'a>,
    source: Header,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        source: &Header,
        own: Option<Order>,
        target: &dyn MatrixTarget,
        options: &'a ConvertOptions,
        first_pass: FirstPass,
        context: &'a TaskContext,
    ) -> Result<Self> {
        let capabilities = target.capabilities();
        let fill = fill(source, &capabilities);
        if let Some(fill) = fill.filter(|_| !capabilities.fill) {
            return Err(Error::unsupported(target.place(), no_fill_value(fill)));
        }
        let mirroring = mirroring(source, &capabilities, options);
        // Text of an upper triangle is written as the lower one, with its entries in the other
        // order.
        let upper = source.structure.triangle() == Some(Triangle::Upper);
        let turned = mirroring == Some(Mirroring::Fold) && upper && target.writes_lower();
        let turn = |order| if turned { exchanged(order) } else { order };
        let own = own.map(|own| if turned { turn(source.order) } else { own });
        let order = options.order.or(own).unwrap_or(Order::Col);
        let order = match capabilities.orders {
            orders if orders.contains(&order) => order,
            // The order of the source can be changed, but not the one that was requested.
            [only, ..] if options.order.is_none() => *only,
            _ => {
                return Err(Error::argument(target.unsupported_order(order)));
            }
        };
        let order = turn(order);
        let refused = source.duplicates == nnz_core::Duplicates::Refused || capabilities.unique;
        let duplicates = if refused { DuplicatePolicy::Refuse } else { DuplicatePolicy::Keep };
        let duplicates = match options.duplicates.unwrap_or(duplicates) {
            // The target would refuse them, but only the source has them.
            DuplicatePolicy::Keep if capabilities.unique => DuplicatePolicy::Refuse,
            policy => policy,
        };
        let sum = duplicates == DuplicatePolicy::Sum;
        let summed = PatternValues::of_pattern(source).filter(|_| sum);
        let own = summed.unwrap_or(source.value_type);
        let wanted = options.value_type.or(first_pass.value_type);
        let value_type = value_type(own, &capabilities, wanted)
            .map_err(|what| Error::unsupported(target.place(), what))?;
        let negated = mirroring == Some(Mirroring::Fold) && value_type != source.value_type;
        if negated && negates(source) && !structure::suits(source.structure, value_type) {
            let what = format!(
                "a skew-symmetric matrix has negated values as well, which {value_type} does not \
                 support"
            );
            return Err(Error::unsupported(target.place(), what));
        }
        let fill = fill.map(|fill| fill.cast(value_type, options.rounding)).transpose();
        let fill = fill.map_err(|_| {
            let what = format!("the fill value cannot be stored exactly as {value_type}");
            Error::unsupported(Place::default(), what)
        })?;
        let shared = mirroring != Some(Mirroring::Expand) || stays_shared(source);
        let found = first_pass.found.filter(|found| structure::suits(found.structure, value_type));
        Ok(Self {
            shape: source.shape,
            order,
            value_type,
            rounding: options.rounding,
            mirroring,
            found,
            // A target that stores all elements adds the other triangle itself.
            drop_zeros: source.storage == Storage::Dense
                && (!capabilities.dense || found.is_some()),
            duplicates,
            capabilities,
            memory: context.memory(),
            workers: Workers::of(context),
            source: source.clone().iso(source.iso && shared && !sum).fill(fill),
        })
    }

    /// Returns whether values are cast before mirroring: their own type may not hold the negatives
    /// of integers. Sums are cast, not their terms.
    pub(super) fn casts_first(&self) -> bool {
        self.mirroring == Some(Mirroring::Expand)
            && negates_integers(&self.source)
            && self.duplicates != DuplicatePolicy::Sum
    }

    /// Returns the step that drops entries that the target does not store.
    pub(super) fn drop_unstored(&self, source: &Header) -> Option<Box<dyn Step>> {
        let kept = self.source.fill;
        let (value_type, fill) = match self.casts_first() {
            true => (self.value_type, kept),
            false => (source.value_type, source.fill.filter(|_| kept.is_some())),
        };
        drop_unstored(&source.clone().value_type(value_type).fill(fill))
    }

    /// Describes what the sink gets.
    pub(super) fn sink_header(&self, stored: Option<u64>) -> Header {
        self.source
            .clone()
            .order(self.order)
            .sorted_majors(true)
            .sorted_indices(true)
            .value_type(self.value_type)
            .nnz(stored)
            .storage(if self.capabilities.dense { Storage::Dense } else { Storage::Sparse })
            .structure(match (self.mirroring, self.found) {
                (Some(Mirroring::Fold), _) => self.source.structure,
                (_, Some(found)) => found.structure,
                _ => Structure::General,
            })
    }
}

/// Returns whether negated values follow from a structure.
fn negates(source: &Header) -> bool {
    matches!(source.structure, Structure::SkewSymmetric(_)) && source.nnz != Some(0)
}

/// Returns what is done with the structure of a source, if it has one.
pub(super) fn mirroring(
    source: &Header,
    capabilities: &SinkCapabilities,
    options: &ConvertOptions,
) -> Option<Mirroring> {
    match source.structure {
        Structure::General => None,
        _ if capabilities.structure && options.structure != StructurePolicy::General => {
            Some(Mirroring::Fold)
        }
        _ => Some(Mirroring::Expand),
    }
}

/// Returns the fill value of a source. If all elements are stored, it has no meaning and is dropped if
/// the target does not support it.
pub(super) fn fill(source: &Header, capabilities: &SinkCapabilities) -> Option<Scalar> {
    source.fill.filter(|_| capabilities.fill || source.storage == Storage::Sparse)
}

/// The error for a target without fill values.
fn no_fill_value(fill: Scalar) -> String {
    format!("the fill value is {fill}, but in this format it is always zero")
}

/// Selects the value type of the target.
fn value_type(
    source: ValueType,
    capabilities: &SinkCapabilities,
    wanted: Option<ValueType>,
) -> std::result::Result<ValueType, String> {
    let possible = capabilities.value_types;
    let chosen = match wanted {
        Some(wanted) => possible.contains(&wanted).then_some(wanted),
        None if possible.contains(&source) => Some(source),
        None => types::narrowest_type(source, possible).or_else(|| match possible {
            // If the target has only one type, values that fit exactly are stored in it.
            [only] if !source.is_complex() => Some(*only),
            // Integers that fit are stored in an integer type of the target, or in its widest floats.
            _ if source.is_integer() => {
                let floats = || possible.iter().copied().filter(|t| !t.is_complex());
                let integer = possible.iter().copied().find(|t| t.is_integer());
                integer.or_else(|| floats().max_by_key(|t| t.size()))
            }
            _ => None,
        }),
    };
    chosen.ok_or_else(|| {
        let names: Vec<&str> = possible.iter().map(|t| t.name()).collect();
        let names = match &*names {
            [before @ .., last] if !before.is_empty() => {
                format!("{} and {last}", before.join(", "))
            }
            _ => names.concat(),
        };
        format!("cannot store {}, only {names}", wanted.unwrap_or(source))
    })
}
