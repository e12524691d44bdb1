//! Forwarding of methods to an inner source.

/// Implements methods of [`MatrixSource`](crate::MatrixSource) by calling the source in a field,
/// for a source that overrides the others.
///
/// ```
/// use nnz_core::{Axis, Header, MatrixSource, Names, Result};
///
/// /// A matrix without names.
/// struct Nameless(Box<dyn MatrixSource>);
///
/// impl MatrixSource for Nameless {
///     nnz_core::forward_source! {
///         0: about, random_access, rereadable, units, units_within, will_read, scattered, stored_before, packed_widths, locate, extras, metadata, levels, is_vector, notes
///     }
///
///     fn header(&self) -> &Header {
///         self.0.header()
///     }
///
///     fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
///         Ok(None)
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_source {
    ($inner:tt: $($method:ident),* $(,)?) => {
        $($crate::forward_source! { @ $method $inner })*
    };
    (@ about $inner:tt) => {
        fn about(&self) -> $crate::Result<$crate::About> {
            self.$inner.about()
        }
    };
    (@ random_access $inner:tt) => {
        fn random_access(&self) -> bool {
            self.$inner.random_access()
        }
    };
    (@ rereadable $inner:tt) => {
        fn rereadable(&self) -> bool {
            self.$inner.rereadable()
        }
    };
    (@ units $inner:tt) => {
        fn units(
            &self,
            majors: ::std::ops::Range<u64>,
            fields: $crate::Projection,
        ) -> $crate::Result<::std::boxed::Box<dyn $crate::UnitReader<'_> + '_>> {
            self.$inner.units(majors, fields)
        }
    };
    (@ units_within $inner:tt) => {
        fn units_within(
            &self,
            majors: ::std::ops::Range<u64>,
            minors: &[::std::ops::Range<u64>],
            fields: $crate::Projection,
        ) -> $crate::Result<
            ::std::option::Option<::std::boxed::Box<dyn $crate::UnitReader<'_> + '_>>,
        > {
            self.$inner.units_within(majors, minors, fields)
        }
    };
    (@ will_read $inner:tt) => {
        fn will_read(&self, majors: &[::std::ops::Range<u64>], fields: $crate::Projection) {
            self.$inner.will_read(majors, fields);
        }
    };
    (@ scattered $inner:tt) => {
        fn scattered(
            &self,
            majors: &[::std::ops::Range<u64>],
            most: u64,
            fields: $crate::Projection,
        ) -> ::std::option::Option<::std::boxed::Box<dyn $crate::Unit + '_>> {
            self.$inner.scattered(majors, most, fields)
        }
    };
    (@ stored_before $inner:tt) => {
        fn stored_before(&self, major: u64) -> $crate::Result<::std::option::Option<u64>> {
            self.$inner.stored_before(major)
        }
    };
    (@ packed_widths $inner:tt) => {
        fn packed_widths(
            &self,
            bins: usize,
        ) -> $crate::Result<::std::option::Option<::std::vec::Vec<$crate::PackedWidths>>> {
            self.$inner.packed_widths(bins)
        }
    };
    (@ locate $inner:tt) => {
        fn locate(&self, row: u64, col: u64) -> $crate::Result<::std::vec::Vec<$crate::At>> {
            self.$inner.locate(row, col)
        }
    };
    (@ extras $inner:tt) => {
        fn extras(&self) -> $crate::Result<::std::vec::Vec<::std::string::String>> {
            self.$inner.extras()
        }
    };
    (@ metadata $inner:tt) => {
        fn metadata(&self) -> $crate::Metadata {
            self.$inner.metadata()
        }
    };
    (@ levels $inner:tt) => {
        fn levels(&self) -> ::std::option::Option<::std::string::String> {
            self.$inner.levels()
        }
    };
    (@ is_vector $inner:tt) => {
        fn is_vector(&self) -> bool {
            self.$inner.is_vector()
        }
    };
    (@ notes $inner:tt) => {
        fn notes(&self) -> ::std::vec::Vec<::std::string::String> {
            self.$inner.notes()
        }
    };
}
