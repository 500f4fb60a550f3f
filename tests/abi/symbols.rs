//! Tests of the symbols that the library exports.

use std::collections::BTreeSet;
use std::ffi::c_char;
use std::fs;

use fixstep::instance::mode::{Fmi2, Fmi3};
use object::{NameOrOrdinal, Object as _};

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

#[test]
fn nothing_else_carries_the_prefixes() {
    let bytes = fs::read(path()).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let names = file
        .exports()
        .unwrap()
        .filter_map(|export| match export.unwrap().name() {
            NameOrOrdinal::Name(name) => {
                // Names of macOS begin with a line.
                let name = name.strip_prefix(b"_").unwrap_or(name);
                String::from_utf8(name.to_owned()).ok()
            }
            NameOrOrdinal::Ordinal(_) => None,
        });
    let ours = names.filter(|name| name.starts_with("fmi2") || name.starts_with("fmi3"));
    assert_eq!(ours.collect::<BTreeSet<_>>(), standard());
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
