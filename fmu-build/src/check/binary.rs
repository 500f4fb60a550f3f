//! Control plane: checks that a library matches the folder that holds it, and exports the functions of FMI. The
//! headers and the symbol table are read; nothing is loaded.

use std::collections::BTreeSet;

use model_description::parse::FmiVersion;
use object::read::macho::{FatArch, MachOFatFile};
use object::{Architecture, BinaryFormat, File, FileKind, NameOrOrdinal, Object, ObjectKind};

use crate::client::required;
use crate::layout::cut_off;

/// Largest number of names that are read from a table of exported functions.
const EXPORTS: usize = 1_000_000;
/// Most missing functions that a message names.
const NAMED: usize = 5;

/// Processors by the names of FMI 3 and, with 32 and 64 bits, of FMI 2.
const PROCESSORS: [(&str, Architecture); 8] = [
    ("x86", Architecture::I386),
    ("x86_64", Architecture::X86_64),
    ("aarch32", Architecture::Arm),
    ("aarch64", Architecture::Aarch64),
    ("riscv32", Architecture::Riscv32),
    ("riscv64", Architecture::Riscv64),
    ("ppc32", Architecture::PowerPc),
    ("ppc64", Architecture::PowerPc64),
];

/// Systems by the names of FMI 3 and of FMI 2, the format of their libraries, and the ending of their names.
const SYSTEMS: [(&str, &str, BinaryFormat, &str); 3] = [
    ("linux", "linux", BinaryFormat::Elf, "so"),
    ("windows", "win", BinaryFormat::Pe, "dll"),
    ("darwin", "darwin", BinaryFormat::MachO, "dylib"),
];

/// The kind of library that a folder below `binaries/` must hold.
#[derive(Clone, Copy)]
struct Target {
    processor: Architecture,
    format: BinaryFormat,
    extension: &'static str,
    /// Is the name one of FMI 2?
    old: bool,
}

impl Target {
    /// By the names of either version; none: the platform is unknown.
    fn of_folder(folder: &str) -> Option<Self> {
        let old = SYSTEMS.iter().find_map(|system| {
            let processor = match folder.strip_prefix(system.1)? {
                "32" => Architecture::I386,
                "64" => Architecture::X86_64,
                _ => return None,
            };
            Some((*system, processor, true))
        });
        let new = || {
            let (processor, rest) = folder.split_once('-')?;
            // The calling convention may follow.
            let name = rest.split('-').next()?;
            let system = SYSTEMS.iter().find(|system| system.0 == name)?;
            let mut processors = PROCESSORS.iter();
            let processor = processors.find(|known| known.0 == processor)?.1;
            Some((*system, processor, false))
        };
        let ((_, _, format, extension), processor, old) = old.or_else(new)?;
        Some(Self {
            processor,
            format,
            extension,
            old,
        })
    }
}

/// The folder of a library, by the names of an FMI version, if there is one.
fn folder_of(format: BinaryFormat, processor: Architecture, version: FmiVersion) -> String {
    let system = SYSTEMS.iter().find(|system| system.2 == format);
    let (new, old) = system.map_or(("another system", ""), |system| (system.0, system.1));
    match (version, processor) {
        (FmiVersion::V2, Architecture::X86_64) if !old.is_empty() => return format!("{old}64"),
        (FmiVersion::V2, Architecture::I386) if !old.is_empty() => return format!("{old}32"),
        _ => {}
    }
    let known = PROCESSORS.iter().find(|known| known.1 == processor);
    known.map_or_else(
        || format!("{new} on another processor"),
        |known| format!("{}-{new}", known.0),
    )
}

/// The faults of the library in a platform's folder, whose name has this ending.
pub(super) fn problems(
    bytes: &[u8],
    (folder, extension): (&str, &str),
    version: FmiVersion,
) -> Vec<String> {
    let Some(target) = Target::of_folder(folder) else {
        // Libraries of other platforms are not known and not checked.
        return Vec::new();
    };
    let wanted = target.extension;
    let no_library =
        format!("is no library for {folder}; valid: a shared library (.{wanted}) of that platform");
    let parts = match parts(bytes) {
        Ok(parts) => parts,
        Err(Unread::NoLibrary) => return vec![no_library],
        Err(Unread::Broken(reason)) => {
            return vec![format!("is no library that can be loaded: {reason}")];
        }
    };
    let fits =
        |file: &File<'_>| file.format() == target.format && file.architecture() == target.processor;
    let Some((bytes, file)) = parts.iter().find(|(_, file)| fits(file)) else {
        let those: Vec<String> = parts
            .iter()
            .map(|(_, file)| folder_of(file.format(), file.architecture(), version))
            .collect();
        return match those.as_slice() {
            [] => vec![no_library],
            all => vec![format!("is for {}, not for {folder}", all.join(" and "))],
        };
    };
    let mut problems = Vec::new();
    if version == FmiVersion::V3 && target.old {
        let right = folder_of(target.format, target.processor, version);
        problems.push(format!(
            "is for {right}, not for {folder}, which is a name of FMI 2"
        ));
    }
    if extension != wanted {
        problems.push(format!(
            "ends in .{extension}, so that importers do not find it; valid for {folder}: .{wanted}"
        ));
    }
    if let ObjectKind::Relocatable | ObjectKind::Executable | ObjectKind::Core = file.kind() {
        problems.push(no_library);
    } else if let Some(reason) = cut_off(bytes) {
        problems.push(reason);
    } else {
        problems.extend(missing(file, version));
    }
    problems
}

/// Why the libraries in a file cannot be identified.
enum Unread {
    NoLibrary,
    Broken(String),
}

type Part<'a> = (&'a [u8], File<'a>);

/// The library in a file, or those for several processors.
fn parts(bytes: &[u8]) -> Result<Vec<Part<'_>>, Unread> {
    match FileKind::parse(bytes) {
        Ok(FileKind::MachOFat32) => several::<object::macho::FatArch32>(bytes),
        Ok(FileKind::MachOFat64) => several::<object::macho::FatArch64>(bytes),
        Ok(_) => part(bytes).map(|part| vec![part]),
        Err(_) => Err(Unread::NoLibrary),
    }
}

fn several<Fat: FatArch>(bytes: &[u8]) -> Result<Vec<Part<'_>>, Unread> {
    let broken = |error: object::Error| Unread::Broken(error.to_string());
    let whole = MachOFatFile::<'_, Fat>::parse(bytes).map_err(broken)?;
    let all = whole.arches().iter();
    all.map(|of| part(of.data(bytes).map_err(broken)?))
        .collect()
}

fn part(bytes: &[u8]) -> Result<Part<'_>, Unread> {
    match File::parse(bytes) {
        Ok(file) => Ok((bytes, file)),
        Err(error) => Err(Unread::Broken(error.to_string())),
    }
}

/// The functions that a run needs but the library does not export.
fn missing(file: &File<'_>, version: FmiVersion) -> Option<String> {
    let exported = match exports(file) {
        Ok(exported) => exported,
        Err(error) => return Some(format!("its exported functions cannot be read: {error}")),
    };
    let all = required(version);
    let missing: Vec<&str> = all
        .iter()
        .copied()
        .filter(|name| !exported.contains(name.as_bytes()))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let shown = missing[..missing.len().min(NAMED)].join(", ");
    let more = match missing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "does not export {shown}{more}: of the {} functions that a run needs it has {}",
        all.len(),
        all.len() - missing.len()
    ))
}

/// Names of exported functions, as a program in C writes them.
fn exports(file: &File<'_>) -> object::Result<BTreeSet<Vec<u8>>> {
    let underscore = file.format() == BinaryFormat::MachO;
    let mut names = BTreeSet::new();
    for export in file.exports()?.take(EXPORTS) {
        if let NameOrOrdinal::Name(name) = export?.name() {
            let name = match name.strip_prefix(b"_") {
                Some(rest) if underscore => rest,
                _ => name,
            };
            names.insert(name.to_vec());
        }
    }
    Ok(names)
}

#[cfg(test)]
pub(super) mod tests;
