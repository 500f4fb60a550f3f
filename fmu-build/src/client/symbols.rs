//! Control plane: C functions of a loaded library as typed tables.

use libloading::Library;

use crate::slave::Failure;

/// Looks a function up.
///
/// # Safety
/// `T` must be the type of the C function that the FMI standard gives this name.
pub(super) unsafe fn required<T: Copy>(library: &Library, name: &str) -> Result<T, Failure> {
    // SAFETY: the caller vouches for the type.
    let found = unsafe { optional(library, name) };
    found.ok_or_else(|| Failure(format!("the FMU's library does not export {name}")))
}

/// Looks a function up that may be missing.
///
/// # Safety
/// As [`required`].
pub(super) unsafe fn optional<T: Copy>(library: &Library, name: &str) -> Option<T> {
    // SAFETY: the caller vouches for the type.
    let symbol = unsafe { library.get::<T>(name) };
    symbol.ok().map(|symbol| *symbol)
}

/// Declares a struct of C function pointers with `load`: first the required ones, then those that older libraries
/// lack; and the names of the required ones.
macro_rules! symbols {
    (
        $(#[$doc:meta])* $name:ident, $names:ident, $prefix:literal;
        required { $($field:ident = $symbol:literal: $type:ty,)* }
        optional { $($maybe:ident = $maybe_symbol:literal: $maybe_type:ty,)* }
    ) => {
        $(#[$doc])*
        struct $name {
            $($field: $type,)*
            $($maybe: Option<$maybe_type>,)*
        }

        /// Names of the required ones.
        pub(super) const $names: &[&str] = &[$(concat!($prefix, $symbol)),*];

        impl $name {
            fn load(library: &libloading::Library) -> Result<Self, $crate::slave::Failure> {
                Ok(Self {
                    $(
                        // SAFETY: the type is that of the standard's header.
                        $field: unsafe {
                            $crate::client::symbols::required(library, concat!($prefix, $symbol))
                        }?,
                    )*
                    $(
                        // SAFETY: the type is that of the standard's header.
                        $maybe: unsafe {
                            $crate::client::symbols::optional(library, concat!($prefix, $maybe_symbol))
                        },
                    )*
                })
            }
        }
    };
}

pub(super) use symbols;
