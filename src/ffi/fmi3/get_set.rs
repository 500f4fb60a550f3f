//! Control plane: get and set of FMI 3.0. The elements of arrays follow one another, so there may be more values than
//! value references.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::{Binary, Boolean, Text, ValueReference};
use crate::ffi::exports::exports;
use crate::ffi::guard::Inner;
use crate::ffi::pointers::{Out, input, output, texts};
use crate::instance::access::Kind;
use crate::instance::mode::{Fmi3, Rule};
use crate::instance::status::Refusal;

type Places<'a, T> = (&'a [ValueReference], Out<'a, T>);

/// Value references and the places of their values.
fn places<'a, T>(
    (inner, rule): (&Inner, Rule),
    (references, n): (*const ValueReference, usize),
    (values, n_values): (*mut T, usize),
) -> Result<Places<'a, T>, Refusal> {
    let references = input(rule, "valueReferences", references, n)?;
    inner
        .instance
        .check_size(rule, references, ("nValues", n_values))?;
    Ok((references, output(rule, "values", values, n_values)?))
}

type Given<'a, T> = (&'a [ValueReference], &'a [T]);

/// Value references and their values.
fn given<'a, T>(
    (inner, rule): (&Inner, Rule),
    (references, n): (*const ValueReference, usize),
    (values, n_values): (*const T, usize),
) -> Result<Given<'a, T>, Refusal> {
    let references = input(rule, "valueReferences", references, n)?;
    inner
        .instance
        .check_size(rule, references, ("nValues", n_values))?;
    Ok((references, input(rule, "values", values, n_values)?))
}

/// Types that variables have.
macro_rules! integers {
    ($($get:ident $get_row:ident $set:ident $set_row:ident $type:ty, $kind:ident;)*) => {
        exports!(Fmi3: $(
            fn $get.$get_row(
                valueReferences: *const ValueReference, nValueReferences: usize,
                values: *mut $type, nValues: usize,
            ) |inner, rule| {
                let (references, mut values) =
                    places((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
                let put = |at, value| values.put(at, value as $type);
                inner.instance.get_integer(rule, &[Kind::$kind], references, put)
            };

            fn $set.$set_row(
                valueReferences: *const ValueReference, nValueReferences: usize,
                values: *const $type, nValues: usize,
            ) |inner, rule| {
                let (references, values) =
                    given((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
                let value = |at: usize| i64::from(values[at]);
                inner.instance.set_integer(rule, &[Kind::$kind], references, value)
            };
        )*);
    };
}

integers!(
    fmi3GetInt32 GetInt32 fmi3SetInt32 SetInt32 i32, Integer;
    fmi3GetInt64 GetInt64 fmi3SetInt64 SetInt64 i64, Enumeration;
);

/// Types that no variable has.
macro_rules! unused_types {
    ($($get:ident $get_row:ident $set:ident $set_row:ident $type:ty;)*) => {
        exports!(Fmi3: $(
            fn $get.$get_row(
                valueReferences: *const ValueReference, nValueReferences: usize,
                values: *mut $type, nValues: usize,
            ) |inner, rule| {
                let (references, _) =
                    places((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
                inner.instance.no_such_type(rule, references)
            };

            fn $set.$set_row(
                valueReferences: *const ValueReference, nValueReferences: usize,
                values: *const $type, nValues: usize,
            ) |inner, rule| {
                let (references, _) =
                    given((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
                inner.instance.no_such_type(rule, references)
            };
        )*);
    };
}

unused_types!(
    fmi3GetFloat32 GetFloat32 fmi3SetFloat32 SetFloat32 f32;
    fmi3GetInt8 GetInt8 fmi3SetInt8 SetInt8 i8;
    fmi3GetUInt8 GetUInt8 fmi3SetUInt8 SetUInt8 u8;
    fmi3GetInt16 GetInt16 fmi3SetInt16 SetInt16 i16;
    fmi3GetUInt16 GetUInt16 fmi3SetUInt16 SetUInt16 u16;
    fmi3GetUInt32 GetUInt32 fmi3SetUInt32 SetUInt32 u32;
    fmi3GetUInt64 GetUInt64 fmi3SetUInt64 SetUInt64 u64;
);

exports!(Fmi3:
    fn fmi3GetFloat64.GetFloat64(
        valueReferences: *const ValueReference, nValueReferences: usize,
        values: *mut f64, nValues: usize,
    ) |inner, rule| {
        let (references, mut values) =
            places((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
        inner.instance.get_real(rule, references, |at, value| values.put(at, value))
    };

    fn fmi3SetFloat64.SetFloat64(
        valueReferences: *const ValueReference, nValueReferences: usize,
        values: *const f64, nValues: usize,
    ) |inner, rule| {
        let (references, values) = given((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
        inner.instance.set_real(rule, references, values)
    };

    fn fmi3GetBoolean.GetBoolean(
        valueReferences: *const ValueReference, nValueReferences: usize,
        values: *mut Boolean, nValues: usize,
    ) |inner, rule| {
        let (references, mut values) =
            places((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
        let put = |at, value| values.put(at, Boolean::from(value));
        inner.instance.get_boolean(rule, references, put)
    };

    fn fmi3SetBoolean.SetBoolean(
        valueReferences: *const ValueReference, nValueReferences: usize,
        values: *const Boolean, nValues: usize,
    ) |inner, rule| {
        let (references, values) = given((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
        inner.instance.set_boolean(rule, references, |at| values[at] != 0)
    };

    fn fmi3GetString.GetString(
        valueReferences: *const ValueReference, nValueReferences: usize,
        values: *mut Text, nValues: usize,
    ) |inner, rule| {
        let (references, mut values) =
            places((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
        inner.instance.get_string(rule, references, |at, text| values.put(at, text.as_ptr()))
    };

    fn fmi3SetString.SetString(
        valueReferences: *const ValueReference, nValueReferences: usize,
        values: *const Text, nValues: usize,
    ) |inner, rule| {
        let references = input(rule, "valueReferences", valueReferences, nValueReferences)?;
        inner.instance.check_size(rule, references, ("nValues", nValues))?;
        let values = texts(rule, "values", values, nValues)?;
        inner.instance.set_string(rule, references, &values)
    };

    fn fmi3GetBinary.GetBinary(
        valueReferences: *const ValueReference, nValueReferences: usize,
        _valueSizes: *mut usize, values: *mut Binary, nValues: usize,
    ) |inner, rule| {
        let (references, _) = places((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
        inner.instance.no_such_type(rule, references)
    };

    fn fmi3SetBinary.SetBinary(
        valueReferences: *const ValueReference, nValueReferences: usize,
        _valueSizes: *const usize, values: *const Binary, nValues: usize,
    ) |inner, rule| {
        let (references, _) = given((inner, rule), (valueReferences, nValueReferences), (values, nValues))?;
        inner.instance.no_such_type(rule, references)
    };
);
