//! Tests of the symbols that the shared library exports.

use std::collections::BTreeSet;
use std::ffi::c_char;
use std::fs;

use fixstep::instance::mode::{Fmi2, Fmi3};

use crate::functions::function;
use crate::library::{library, path};
use crate::world::read;

fn standard() -> BTreeSet<String> {
    let names2 = Fmi2::ALL.iter().map(|f| f.rule().function);
    let names3 = Fmi3::ALL.iter().map(|f| f.rule().function);
    names2.chain(names3).map(str::to_owned).collect()
}

#[test]
fn all_functions_of_both_standards_can_be_loaded() {
    let names = standard();
    assert_eq!(names.len(), 44 + 75);
    for name in &names {
        let _: unsafe extern "C" fn() = function(library(), name);
    }
}

/// Where a shared library keeps the names of its symbols: in an ELF file, the table of texts that is loaded (a text of
/// the program may look like a name); elsewhere, in the whole file.
fn names(file: &[u8]) -> &[u8] {
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return file;
    }
    let number = |at: usize, length: usize| {
        let bytes = file[at..at + length].iter().rev();
        bytes.fold(0_usize, |all, byte| (all << 8) | usize::from(*byte))
    };
    let [first, each, count] = [number(0x28, 8), number(0x3a, 2), number(0x3c, 2)];
    let mut sections = (0..count).map(|k| first + k * each);
    // Of type STRTAB, with the flag ALLOC.
    let found = sections.find(|at| number(at + 4, 4) == 3 && number(at + 8, 8) & 2 != 0);
    let at = found.unwrap();
    &file[number(at + 0x18, 8)..][..number(at + 0x20, 8)]
}

#[test]
fn nothing_else_carries_the_prefixes() {
    let bytes = fs::read(path()).unwrap();
    let names = names(&bytes).split(|byte| *byte == 0).filter_map(|name| {
        let text = std::str::from_utf8(name).ok()?;
        let rest = text
            .strip_prefix("fmi2")
            .or_else(|| text.strip_prefix("fmi3"))?;
        let plain = rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (plain && !rest.is_empty()).then(|| text.to_owned())
    });
    assert_eq!(names.collect::<BTreeSet<_>>(), standard());
}

#[test]
fn versions_are_those_of_the_standards() {
    type Text = unsafe extern "C" fn() -> *const c_char;
    for (name, expected) in [
        ("fmi2GetVersion", "2.0"),
        ("fmi2GetTypesPlatform", "default"),
        ("fmi3GetVersion", "3.0"),
    ] {
        let text: Text = function(library(), name);
        // SAFETY: these functions take nothing.
        let found = unsafe { text() };
        assert_eq!(read(found), expected);
    }
}

/// The counters of the proof that steps do not allocate (tests/real_time) are not in what is packed.
#[test]
fn nothing_counts_allocations() {
    type Arm = unsafe extern "C" fn(i32);
    for name in ["fixstep_arm", "fixstep_counted"] {
        // SAFETY: the symbol is looked up and not called.
        let found = unsafe { library().get::<Arm>(name.as_bytes()) };
        assert!(found.is_err(), "{name}");
    }
}
