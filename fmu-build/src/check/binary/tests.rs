//! Control plane: tests with libraries of three formats that consist only of headers and symbol tables.

use super::*;

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Texts one after another, each followed by a zero byte; and where each begins.
fn texts(first: &[u8], names: &[&str]) -> (Vec<u8>, Vec<u32>) {
    let (mut all, mut places) = (first.to_vec(), Vec::new());
    for name in names {
        places.push(all.len() as u32);
        all.extend(name.bytes());
        all.push(0);
    }
    (all, places)
}

/// A shared library for Linux on x86-64 that exports these.
pub(in crate::check) fn elf(names: &[&str]) -> Vec<u8> {
    let (strings, places) = texts(b"\0", names);
    let symbols = 24 * (names.len() + 1);
    let sections = 64 + symbols + strings.len();
    let mut bytes = vec![0; 64];
    put(&mut bytes, 0, b"\x7fELF\x02\x01\x01");
    put(&mut bytes, 16, &[3, 0, 0x3e, 0, 1]);
    put(&mut bytes, 40, &(sections as u64).to_le_bytes());
    put(&mut bytes, 52, &[64, 0, 56, 0, 0, 0, 64, 0, 3, 0, 2, 0]);
    bytes.extend([0; 24]);
    for place in places {
        let mut symbol = [0; 24];
        put(&mut symbol, 0, &place.to_le_bytes());
        // A function for all, in a section.
        put(&mut symbol, 4, &[0x12, 0, 1, 0, 0, 16]);
        bytes.extend(symbol);
    }
    bytes.extend(&strings);
    bytes.extend([0; 64]);
    for (kind, at, length, link, info, entry) in [
        (11_u32, 64, symbols, 2_u32, 1_u32, 24_u64),
        (3, 64 + symbols, strings.len(), 0, 0, 0),
    ] {
        let mut section = [0; 64];
        put(&mut section, 4, &kind.to_le_bytes());
        put(&mut section, 24, &(at as u64).to_le_bytes());
        put(&mut section, 32, &(length as u64).to_le_bytes());
        put(&mut section, 40, &link.to_le_bytes());
        put(&mut section, 44, &info.to_le_bytes());
        put(&mut section, 56, &entry.to_le_bytes());
        bytes.extend(section);
    }
    bytes
}

/// A shared library for Windows on x86-64 that exports these.
fn pe(names: &[&str]) -> Vec<u8> {
    const BASE: u32 = 0x1000;
    let count = names.len() as u32;
    let (functions, ordinals) = (40, 40 + 8 * count);
    let first = ordinals + 2 * count;
    let (strings, places) = texts(b"m.dll\0", names);
    let mut edata = vec![0; first as usize];
    let fields = [
        first + BASE,
        1,
        count,
        count,
        BASE + functions,
        BASE + functions + 4 * count,
        BASE + ordinals,
    ];
    for (at, field) in fields.iter().enumerate() {
        put(&mut edata, 12 + 4 * at, &field.to_le_bytes());
    }
    for (at, place) in places.iter().enumerate() {
        put(&mut edata, 40 + 4 * at, &0x5000_u32.to_le_bytes());
        let name = (BASE + first + place).to_le_bytes();
        put(&mut edata, 40 + 4 * (names.len() + at), &name);
        put(
            &mut edata,
            ordinals as usize + 2 * at,
            &(at as u16).to_le_bytes(),
        );
    }
    edata.extend(&strings);
    let head = 64 + 24 + 240;
    let mut bytes = vec![0; head + 40];
    put(&mut bytes, 0, b"MZ");
    put(&mut bytes, 0x3c, &[64]);
    put(&mut bytes, 64, b"PE\0\0\x64\x86\x01\0");
    put(&mut bytes, 64 + 20, &[240, 0, 0x22, 0x20]);
    let optional = 64 + 24;
    put(&mut bytes, optional, &[0x0b, 0x02]);
    put(&mut bytes, optional + 108, &[16]);
    let length = edata.len() as u32;
    put(&mut bytes, optional + 112, &BASE.to_le_bytes());
    put(&mut bytes, optional + 116, &length.to_le_bytes());
    put(&mut bytes, head, b".edata");
    for (at, field) in [length, BASE, length, (head + 40) as u32]
        .iter()
        .enumerate()
    {
        put(&mut bytes, head + 8 + 4 * at, &field.to_le_bytes());
    }
    bytes.extend(edata);
    bytes
}

/// A shared library for macOS that exports these, for x86-64 (7) or 64-bit Arm (12).
fn mach_o(processor: u8, names: &[&str]) -> Vec<u8> {
    let names: Vec<String> = names.iter().map(|name| format!("_{name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (strings, places) = texts(b"\0", &names);
    let mut bytes = vec![0; 56];
    put(&mut bytes, 0, &[0xcf, 0xfa, 0xed, 0xfe, processor, 0, 0, 1]);
    put(&mut bytes, 12, &[6, 0, 0, 0, 1, 0, 0, 0, 24]);
    put(&mut bytes, 32, &[2, 0, 0, 0, 24, 0, 0, 0, 56]);
    put(&mut bytes, 44, &(names.len() as u32).to_le_bytes());
    put(
        &mut bytes,
        48,
        &(56 + 16 * names.len() as u32).to_le_bytes(),
    );
    put(&mut bytes, 52, &(strings.len() as u32).to_le_bytes());
    for place in places {
        bytes.extend(place.to_le_bytes());
        // For all, and in no section.
        bytes.extend([0x03, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0]);
    }
    bytes.extend(strings);
    bytes
}

/// Libraries for macOS on several processors in one file.
fn universal(of: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, of.len() as u8];
    let mut at = bytes.len() + 20 * of.len();
    for (processor, library) in of {
        bytes.extend([1, 0, 0, *processor, 0, 0, 0, 0]);
        bytes.extend((at as u32).to_be_bytes());
        bytes.extend((library.len() as u32).to_be_bytes());
        bytes.extend([0; 4]);
        at += library.len();
    }
    bytes.extend(of.iter().flat_map(|(_, library)| library.clone()));
    bytes
}

const V2: FmiVersion = FmiVersion::V2;
const V3: FmiVersion = FmiVersion::V3;

/// A library that is right for one format is wrong in the folder of another.
#[test]
fn libraries_stand_in_their_own_folder() {
    for (version, folders) in [
        (V2, ["linux64", "win64", "darwin64"]),
        (V3, ["x86_64-linux", "x86_64-windows", "x86_64-darwin"]),
    ] {
        let names = required(version);
        let all = [elf(names), pe(names), mach_o(7, names)];
        for (k, bytes) in all.iter().enumerate() {
            for (other, folder) in folders.iter().enumerate() {
                let extension = SYSTEMS[other].3;
                let found = problems(bytes, (folder, extension), version);
                let told = format!("is for {}, not for {folder}", folders[k]);
                let expected: Vec<String> = [told].into_iter().filter(|_| k != other).collect();
                assert_eq!(found, expected, "{version:?} {folder}");
            }
        }
        let other = problems(&all[0], ("aarch64-linux", "so"), version);
        assert!(other[0].contains("not for aarch64-linux"), "{other:?}");
        assert_eq!(
            problems(&all[0], ("vax-vms", "so"), version),
            Vec::<String>::new()
        );
    }
    let names = required(V3);
    let old = problems(&elf(names), ("linux64", "so"), V3);
    assert!(
        old[0].starts_with("is for x86_64-linux, not for linux64"),
        "{old:?}"
    );
    assert_eq!(
        problems(&elf(required(V2)), ("x86_64-linux", "so"), V2),
        Vec::<String>::new()
    );
    let ending = problems(&elf(names), ("x86_64-linux", "dll"), V3);
    assert!(
        ending[0].contains("valid for x86_64-linux: .so"),
        "{ending:?}"
    );
}

#[test]
fn missing_functions_are_named() {
    let names = required(V2);
    let without = |name: &str| {
        names
            .iter()
            .copied()
            .filter(|it| *it != name)
            .collect::<Vec<_>>()
    };
    let few = without("fmi2DoStep");
    for (bytes, folder, extension) in [
        (elf(&few), "linux64", "so"),
        (pe(&few), "win64", "dll"),
        (mach_o(7, &few), "darwin64", "dylib"),
    ] {
        let found = problems(&bytes, (folder, extension), V2);
        let told = "does not export fmi2DoStep: of the 14 functions that a run needs it has 13";
        assert_eq!(found, [told], "{folder}");
    }
    let found = problems(&elf(&["main"]), ("x86_64-linux", "so"), V3);
    assert!(
        found[0].starts_with("does not export fmi3InstantiateCoSimulation, ")
            && found[0].contains(" and 3 more"),
        "{found:?}"
    );
}

#[test]
fn a_universal_file_holds_the_right_one() {
    let names = required(V3);
    let both = universal(&[(7, mach_o(7, names)), (12, mach_o(12, &["none"]))]);
    assert_eq!(
        problems(&both, ("x86_64-darwin", "dylib"), V3),
        Vec::<String>::new()
    );
    let found = problems(&both, ("aarch64-darwin", "dylib"), V3);
    assert!(found[0].contains("does not export"), "{found:?}");
    let arm = universal(&[(12, mach_o(12, names))]);
    let found = problems(&arm, ("x86_64-darwin", "dylib"), V3);
    assert_eq!(found, ["is for aarch64-darwin, not for x86_64-darwin"]);
    let found = problems(&both[..60], ("x86_64-darwin", "dylib"), V3);
    assert!(
        found[0].contains("is no library that can be loaded"),
        "{found:?}"
    );
}

#[test]
fn what_is_no_shared_library_is_told() {
    for bytes in [&b"hello"[..], b"", b"!<arch>\n"] {
        let found = problems(bytes, ("riscv64-linux", "so"), V3);
        assert!(
            found[0].starts_with("is no library for riscv64-linux"),
            "{found:?}"
        );
    }
    let mut object = elf(required(V3));
    object[16] = 1;
    let found = problems(&object, ("x86_64-linux", "so"), V3);
    assert!(
        found[0].starts_with("is no library for x86_64-linux"),
        "{found:?}"
    );
}
