//! Control plane: the licence text that goes into an FMU.

use std::fmt::Write as _;

/// Crates compiled into the shared library, with their licences (SPDX).
const CRATES: [(&str, &str); 22] = [
    ("approx", "Apache-2.0"),
    ("bytemuck", "Zlib OR Apache-2.0 OR MIT"),
    ("cobs", "MIT OR Apache-2.0"),
    ("crossbeam-queue", "MIT OR Apache-2.0"),
    ("crossbeam-utils", "MIT OR Apache-2.0"),
    ("libc", "MIT OR Apache-2.0"),
    ("libm", "MIT"),
    ("matrixmultiply", "MIT/Apache-2.0"),
    ("nalgebra", "Apache-2.0"),
    ("num-complex", "MIT OR Apache-2.0"),
    ("num-integer", "MIT OR Apache-2.0"),
    ("num-rational", "MIT OR Apache-2.0"),
    ("num-traits", "MIT OR Apache-2.0"),
    ("postcard", "MIT OR Apache-2.0"),
    ("rawpointer", "MIT/Apache-2.0"),
    ("safe_arch", "Zlib OR Apache-2.0 OR MIT"),
    ("serde", "MIT OR Apache-2.0"),
    ("serde_core", "MIT OR Apache-2.0"),
    ("simba", "Apache-2.0"),
    ("thiserror", "MIT OR Apache-2.0"),
    ("typenum", "MIT OR Apache-2.0"),
    ("wide", "Zlib OR Apache-2.0 OR MIT"),
];

/// The whole text.
pub(super) fn text() -> String {
    let mut text = String::from(
        "The shared library of this FMU is Fixstep, licensed under MIT OR Apache-2.0 at your\n\
         choice; both texts stand below. The model in resources and documentation/source belongs to its author.\n\
         \n\
         Compiled into the library are Rust's standard library (MIT OR Apache-2.0) and the crates\n",
    );
    for (name, license) in CRATES {
        let _ = writeln!(text, "  {name:<18} {license}");
    }
    text += "\nA library that `cargo xtask dist` has built also holds parts of LLVM's libunwind and compiler-rt\n\
             (Apache-2.0 WITH LLVM-exception) and, for Windows, of mingw-w64 (ZPL-2.1, and public domain).\n";
    let rule = "-".repeat(80);
    let mit = include_str!("../../../LICENSE-MIT");
    let apache = include_str!("../../../LICENSE-APACHE");
    let _ = write!(text, "\n{rule}\n\n{mit}\n{rule}\n\n{apache}");
    text
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::process::Command;

    use super::*;

    #[test]
    fn every_crate_in_the_library_is_listed() {
        let output = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--offline",
                "--locked",
                "-p",
                "fixstep-library",
                "-e",
                "normal,no-proc-macro",
            ])
            .args(["--prefix", "none", "-f", "{p}|{l}"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).unwrap();
        let mut found: Vec<(&str, &str)> = text
            .lines()
            .filter_map(|line| line.trim_end_matches(" (*)").split_once('|'))
            .map(|(package, license)| (package.split(' ').next().unwrap_or(""), license))
            .filter(|(name, _)| !name.starts_with("fixstep"))
            .collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, CRATES);
    }

    #[test]
    fn both_licences_are_there() {
        let text = text();
        assert!(text.contains("Permission is hereby granted, free of charge"));
        assert!(text.contains("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"));
    }
}
