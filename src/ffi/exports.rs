//! Control plane: the macro that writes the exports.

/// Defines exported C functions, each with its row of the mode table.
///
/// `fn name.Row(arguments) |inner, rule| body` runs the body if the row allows the call. `never name.Row(arguments)`
/// is always refused by its row, whatever the mode.
macro_rules! exports {
    ($table:ident:) => {};
    ($table:ident:
        fn $name:ident . $row:ident ($($arg:ident: $type:ty),* $(,)?)
            |$inner:ident, $rule:ident| $body:expr;
        $($rest:tt)*
    ) => {
        #[doc = concat!("`", stringify!($name), "` as the standard defines it.")]
        ///
        /// # Safety
        /// Pointers must be what the standard says, or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            instance: *mut ::std::ffi::c_void,
            $($arg: $type),*
        ) -> $crate::instance::status::Status {
            $crate::ffi::guard::call(instance, $table::$row.rule(), |$inner, $rule| $body)
        }
        $crate::ffi::exports::exports!($table: $($rest)*);
    };
    ($table:ident:
        never $name:ident . $row:ident ($($arg:ident: $type:ty),* $(,)?);
        $($rest:tt)*
    ) => {
        $crate::ffi::exports::exports!($table:
            fn $name . $row ($($arg: $type),*) |_inner, _rule| {
                let _ = ($($arg,)*);
                Ok($crate::instance::status::Status::Ok)
            };
            $($rest)*
        );
    };
}

pub(super) use exports;
