//! Control plane: texts and bytes of an FMI 3.0 instance.

use std::ffi::{c_char, c_int};
use std::fmt::Write as _;

use super::{Get, Handle, copy};
use crate::slave::Failure;

/// `fmi3GetBinary`.
pub(super) type GetBinary =
    unsafe extern "C" fn(Handle, *const u32, usize, *mut usize, *mut *const u8, usize) -> c_int;

/// Status, and what was read where it is OK or a warning.
type Read = (c_int, Vec<String>);

const WARNING: c_int = 1;

fn missing(name: &str) -> Failure {
    Failure(format!("the FMU's library does not export {name}"))
}

/// The elements of a text.
pub(super) fn strings(
    function: Option<Get<*const c_char>>,
    (handle, reference): (Handle, u32),
    size: usize,
) -> Result<Read, Failure> {
    let function = function.ok_or_else(|| missing("fmi3GetString"))?;
    let mut values = vec![std::ptr::null(); size];
    // SAFETY: one reference, and room for as many values as stated.
    let status = unsafe {
        function(
            handle,
            &raw const reference,
            1,
            values.as_mut_ptr(),
            values.len(),
        )
    };
    if status > WARNING {
        return Ok((status, Vec::new()));
    }
    Ok((status, values.into_iter().map(copy).collect()))
}

/// The elements of a binary variable in hexadecimal digits.
pub(super) fn bytes(
    function: Option<GetBinary>,
    (handle, reference): (Handle, u32),
    size: usize,
) -> Result<Read, Failure> {
    let function = function.ok_or_else(|| missing("fmi3GetBinary"))?;
    let (mut sizes, mut values) = (vec![0; size], vec![std::ptr::null(); size]);
    // SAFETY: one reference, and room for as many sizes and values as stated.
    let status = unsafe {
        function(
            handle,
            &raw const reference,
            1,
            sizes.as_mut_ptr(),
            values.as_mut_ptr(),
            values.len(),
        )
    };
    if status > WARNING {
        return Ok((status, Vec::new()));
    }
    let texts = values.into_iter().zip(sizes).map(|(start, size)| {
        if start.is_null() || size == 0 {
            return String::new();
        }
        // SAFETY: the FMU promises that this number of bytes is readable until its next function is called.
        hexadecimal(unsafe { std::slice::from_raw_parts(start, size) })
    });
    Ok((status, texts.collect()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    static FIRST: [u8; 3] = [0x00, 0x7f, 0xff];

    unsafe extern "C" fn two(
        _: Handle,
        reference: *const u32,
        _: usize,
        sizes: *mut usize,
        values: *mut *const u8,
        count: usize,
    ) -> c_int {
        // SAFETY: the caller has one reference.
        if unsafe { *reference } != 7 || count != 2 {
            return 3;
        }
        // SAFETY: the caller has room for `count` sizes.
        unsafe { *sizes = FIRST.len() };
        // SAFETY: the caller has room for `count` values.
        unsafe { *values = FIRST.as_ptr() };
        0
    }

    unsafe extern "C" fn word(
        _: Handle,
        _: *const u32,
        _: usize,
        values: *mut *const c_char,
        _: usize,
    ) -> c_int {
        // SAFETY: the caller has room for one.
        unsafe { *values = c"a \"b\"".as_ptr() };
        1
    }

    #[test]
    fn bytes_become_digits_and_errors_nothing() {
        let nobody = std::ptr::null_mut();
        let texts = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(
            bytes(Some(two), (nobody, 7), 2),
            Ok((0, texts(&["007fff", ""])))
        );
        assert_eq!(bytes(Some(two), (nobody, 8), 2), Ok((3, Vec::new())));
        assert_eq!(
            strings(Some(word), (nobody, 7), 1),
            Ok((1, texts(&["a \"b\""])))
        );
        let missing = bytes(None, (nobody, 7), 1).map_err(|failure| failure.0);
        assert!(missing.is_err_and(|text| text.contains("fmi3GetBinary")));
    }
}
