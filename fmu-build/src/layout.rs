//! Control plane: names of folders and files inside an FMU, and of its libraries.

use model_description::parse::FmiVersion;
use object::{Architecture, BinaryFormat, File, FileKind, Object as _, ObjectSegment as _};

/// The platform of a shared library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    system: System,
    processor: Processor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Linux,
    Windows,
    Darwin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Processor {
    X86_64,
    Aarch64,
}

impl Platform {
    /// The computer that this program runs on.
    pub const HOST: Self = Self {
        system: if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::Darwin
        } else {
            System::Linux
        },
        processor: if cfg!(target_arch = "aarch64") {
            Processor::Aarch64
        } else {
            Processor::X86_64
        },
    };

    /// The platform of a shared library, by the headers of its file.
    pub fn of_library(bytes: &[u8]) -> Option<Self> {
        let file = File::parse(bytes).ok()?;
        let system = match file.format() {
            BinaryFormat::Elf => System::Linux,
            BinaryFormat::Pe => System::Windows,
            BinaryFormat::MachO => System::Darwin,
            _ => return None,
        };
        let processor = match file.architecture() {
            Architecture::X86_64 => Processor::X86_64,
            Architecture::Aarch64 => Processor::Aarch64,
            _ => return None,
        };
        Some(Self { system, processor })
    }

    /// Folder below `binaries/`.
    pub const fn folder(self, version: FmiVersion) -> &'static str {
        match (version, self.system, self.processor) {
            (FmiVersion::V2, System::Linux, Processor::X86_64) => "linux64",
            (FmiVersion::V2, System::Windows, Processor::X86_64) => "win64",
            (FmiVersion::V2, System::Darwin, Processor::X86_64) => "darwin64",
            (FmiVersion::V3, System::Linux, Processor::X86_64) => "x86_64-linux",
            (FmiVersion::V3, System::Windows, Processor::X86_64) => "x86_64-windows",
            (FmiVersion::V3, System::Darwin, Processor::X86_64) => "x86_64-darwin",
            // FMI 2.0.5 uses the names of FMI 3 for platforms that it does not name itself.
            (_, System::Linux, Processor::Aarch64) => "aarch64-linux",
            (_, System::Windows, Processor::Aarch64) => "aarch64-windows",
            (_, System::Darwin, Processor::Aarch64) => "aarch64-darwin",
        }
    }

    /// Extension of shared libraries.
    pub const fn extension(self) -> &'static str {
        match self.system {
            System::Linux => "so",
            System::Windows => "dll",
            System::Darwin => "dylib",
        }
    }

    /// File name that a build gives the shared library of the solver.
    pub const fn library_name(self) -> &'static str {
        match self.system {
            System::Linux => "libfixstep.so",
            System::Windows => "fixstep.dll",
            System::Darwin => "libfixstep.dylib",
        }
    }
}

/// Why a shared library must not be loaded: a loader maps as much as the headers declare, and a process that reads
/// beyond the end of the file is killed.
pub(crate) fn cut_off(bytes: &[u8]) -> Option<String> {
    let file = match File::parse(bytes) {
        Ok(file) => file,
        Err(reason) => {
            return match FileKind::parse(bytes) {
                // In formats that are not read here, the loader decides.
                Err(_) | Ok(FileKind::MachOFat32 | FileKind::MachOFat64) => None,
                Ok(_) => Some(format!("is no library that can be loaded: {reason}")),
            };
        }
    };
    let ends = file.segments().map(|segment| {
        let (start, length) = segment.file_range();
        start.saturating_add(length)
    });
    let (end, have) = (ends.max().unwrap_or(0), bytes.len() as u64);
    (end > have)
        .then(|| format!("is cut off: it has {have} bytes, and its segments end at byte {end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_tell_their_platform() {
        let mut elf = b"\x7fELF\x02\x01\x01\0".to_vec();
        elf.resize(64, 0);
        elf[18] = 0xb7;
        let platform = Platform::of_library(&elf);
        assert_eq!(
            platform.map(|p| p.folder(FmiVersion::V3)),
            Some("aarch64-linux")
        );
        let mut pe = b"MZ".to_vec();
        pe.resize(0x40 + 24 + 240, 0);
        pe[0x3c] = 0x40;
        pe[0x40..0x46].copy_from_slice(b"PE\0\0\x64\x86");
        // The optional header, of 64 bits, with its sixteen directories.
        pe[0x54..0x56].copy_from_slice(&240_u16.to_le_bytes());
        pe[0x58..0x5a].copy_from_slice(&0x20b_u16.to_le_bytes());
        pe[0x58 + 108] = 16;
        let platform = Platform::of_library(&pe);
        assert_eq!(platform.map(|p| p.folder(FmiVersion::V2)), Some("win64"));
        assert_eq!(platform.map(Platform::extension), Some("dll"));
        assert_eq!(Platform::of_library(b"MZ"), None);
        assert_eq!(Platform::of_library(b"#!/bin/sh"), None);
    }

    #[test]
    fn what_a_library_promises_is_there() {
        let mut elf = b"\x7fELF\x02\x01\x01\0".to_vec();
        elf.resize(64, 0);
        (elf[18], elf[20]) = (0x3e, 1);
        assert_eq!(cut_off(&elf), None);
        // One segment of 200 bytes from the beginning of the file: its header follows that of the file.
        (elf[32], elf[54], elf[56]) = (64, 56, 1);
        elf.resize(64 + 56, 0);
        (elf[64], elf[64 + 32]) = (1, 200);
        assert_eq!(
            cut_off(&elf).as_deref(),
            Some("is cut off: it has 120 bytes, and its segments end at byte 200")
        );
        elf.resize(200, 0);
        assert_eq!(cut_off(&elf), None);
        elf.truncate(70);
        assert!(cut_off(&elf).is_some());
        assert_eq!(cut_off(b"#!/bin/sh"), None);
    }

    #[test]
    fn the_host_is_what_the_loader_says() {
        assert_eq!(Platform::HOST.extension(), std::env::consts::DLL_EXTENSION);
    }
}
