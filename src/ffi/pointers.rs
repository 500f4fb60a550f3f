//! Control plane: pointers of C calls as checked slices and texts.
//!
//! A pointer that is null while elements are expected, or not aligned, is refused by name.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::slice;

use crate::instance::mode::Rule;
use crate::instance::status::Refusal;

/// The destination of a call's results; nothing is read from it.
pub(super) struct Out<'a, T>(&'a mut [MaybeUninit<T>]);

impl<T> Out<'_, T> {
    /// Writes element `at`.
    pub(super) fn put(&mut self, at: usize, value: T) {
        if let Some(place) = self.0.get_mut(at) {
            place.write(value);
        }
    }
}

/// `n` elements to read.
pub(super) fn input<'a, T>(
    rule: Rule,
    name: &str,
    pointer: *const T,
    n: usize,
) -> Result<&'a [T], Refusal> {
    if n == 0 {
        return Ok(&[]);
    }
    usable(rule, name, pointer, n)?;
    // SAFETY: not null, aligned, not longer than an object can be; the importer says that it holds
    // `n` elements.
    Ok(unsafe { slice::from_raw_parts(pointer, n) })
}

/// `n` elements to write.
pub(super) fn output<'a, T>(
    rule: Rule,
    name: &str,
    pointer: *mut T,
    n: usize,
) -> Result<Out<'a, T>, Refusal> {
    if n == 0 {
        return Ok(Out(&mut []));
    }
    usable(rule, name, pointer, n)?;
    // SAFETY: as in `input`; `MaybeUninit` makes no assumption about the memory.
    Ok(Out(unsafe {
        slice::from_raw_parts_mut(pointer.cast::<MaybeUninit<T>>(), n)
    }))
}

/// One value to write.
pub(super) fn place<'a, T>(rule: Rule, name: &str, pointer: *mut T) -> Result<Out<'a, T>, Refusal> {
    output(rule, name, pointer, 1)
}

/// A text; bytes that are no UTF-8 are replaced.
pub(super) fn text(rule: Rule, name: &str, pointer: *const c_char) -> Result<String, Refusal> {
    match bytes(pointer) {
        Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        None => Err(null(rule, name)),
    }
}

/// `n` texts.
pub(super) fn texts(
    rule: Rule,
    name: &str,
    pointer: *const *const c_char,
    n: usize,
) -> Result<Vec<String>, Refusal> {
    let list = input(rule, name, pointer, n)?;
    list.iter().map(|one| text(rule, name, *one)).collect()
}

/// The bytes of a text; `None`: null.
pub(super) fn bytes(pointer: *const c_char) -> Option<Vec<u8>> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null; the importer passes texts that end with a zero byte.
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_bytes().to_vec())
}

/// A copy of a structure; `None`: null.
pub(super) fn copy<T: Copy>(pointer: *const T) -> Option<T> {
    // SAFETY: a pointer that is not null is a structure of the importer, readable during the call.
    unsafe { pointer.as_ref() }.copied()
}

fn usable<T>(rule: Rule, name: &str, pointer: *const T, n: usize) -> Result<(), Refusal> {
    if pointer.is_null() {
        return Err(null(rule, name));
    }
    if pointer.is_aligned() && n <= isize::MAX as usize / size_of::<T>().max(1) {
        return Ok(());
    }
    Err(Refusal::error(format!(
        "{}: argument {name} is no array of {n} elements",
        rule.function
    )))
}

#[cold]
fn null(rule: Rule, name: &str) -> Refusal {
    Refusal::error(format!("{}: argument {name} is NULL", rule.function))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::instance::mode::Fmi2;
    use std::ptr;

    const RULE: Rule = Fmi2::GetReal.rule();

    #[test]
    fn null_is_fine_for_nothing_and_refused_for_something() {
        assert!(
            input::<f64>(RULE, "value", ptr::null(), 0)
                .unwrap()
                .is_empty()
        );
        let refusal = input::<f64>(RULE, "value", ptr::null(), 2).unwrap_err();
        assert_eq!(refusal.text, "fmi2GetReal: argument value is NULL");
        assert!(output::<f64>(RULE, "value", ptr::null_mut(), 2).is_err());
        assert!(text(RULE, "name", ptr::null()).is_err());
        assert_eq!(bytes(ptr::null()), None);
        assert_eq!(copy::<u64>(ptr::null()), None);
    }

    #[test]
    fn impossible_arrays_are_refused() {
        let numbers = [1.0_f64, 2.0];
        let off = numbers.as_ptr().wrapping_byte_add(1);
        assert!(input(RULE, "value", off, 1).is_err());
        assert!(input(RULE, "value", numbers.as_ptr(), usize::MAX).is_err());
        assert_eq!(input(RULE, "value", numbers.as_ptr(), 2).unwrap(), numbers);
    }

    #[test]
    fn results_land_where_they_belong() {
        let mut numbers = [0, 0];
        let mut out = output(RULE, "value", numbers.as_mut_ptr(), 2).unwrap();
        out.put(1, 7);
        out.put(2, 8);
        assert_eq!(numbers, [0, 7]);
    }

    #[test]
    fn texts_may_be_no_utf8() {
        let list = [c"a".as_ptr(), c"b\xff".as_ptr()];
        assert_eq!(
            texts(RULE, "s", list.as_ptr(), 2).unwrap(),
            ["a", "b\u{fffd}"]
        );
        let list = [c"a".as_ptr(), ptr::null()];
        assert!(texts(RULE, "s", list.as_ptr(), 2).is_err());
    }
}
