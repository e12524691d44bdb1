//! Setters for options.

/// Defines a setter for each field of options, with the same name, because other crates cannot
/// construct `non_exhaustive` structs. A setter for an `Option` also accepts its value. After `const`, the
/// setters can be called in constants, and accept the type of the field only.
///
/// ```
/// #[derive(Debug, Default)]
/// #[non_exhaustive]
/// pub struct Options {
///     /// The number of threads.
///     pub threads: usize,
///     /// The greatest length.
///     pub limit: Option<u64>,
/// }
///
/// nnz_core::setters! { Options { threads: usize, limit: Option<u64> } }
///
/// let options = Options::default().threads(2).limit(7_u64);
/// assert_eq!(options.limit, Some(7));
/// ```
#[macro_export]
macro_rules! setters {
    ($options:ident { $($field:ident: $kind:ident $(<$inner:ty>)?),* $(,)? }) => {
        impl $options {
            $($crate::setters! { @setter $field: $kind $(<$inner>)? })*
        }
    };
    (const $options:ident { $($field:ident: $value:ty),* $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                #[must_use]
                pub const fn $field(mut self, $field: $value) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
    (@setter $field:ident: Option<$inner:ty>) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: impl ::std::convert::Into<Option<$inner>>) -> Self {
            self.$field = $field.into();
            self
        }
    };
    (@setter $field:ident: $value:ty) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: $value) -> Self {
            self.$field = $field;
            self
        }
    };
}
