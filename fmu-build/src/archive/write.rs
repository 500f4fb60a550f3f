//! Control plane: writes archives whose bytes depend only on their contents.
//!
//! FMI requires deflated or stored entries, names with `/`, and nothing newer than version 2.0 of the ZIP format.
//! Entries are in the order of their names, all dated 1980-01-01.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::slave::Failure;

/// Files of an archive by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The archive's bytes.
pub fn write(files: &Files) -> Result<Vec<u8>, Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure(format!("writing the archive: {error}"));
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        // An archive cannot be compressed further.
        let options = if bytes.starts_with(b"PK\x03\x04") {
            options.compression_method(CompressionMethod::Stored)
        } else {
            options.compression_level(Some(6))
        };
        zip.start_file(name.as_str(), options)
            .map_err(|error| fail(&error))?;
        zip.write_all(bytes).map_err(|error| fail(&error))?;
    }
    Ok(zip.finish().map_err(|error| fail(&error))?.into_inner())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::io::Read;

    use super::*;

    fn sample() -> Vec<u8> {
        let mut files = Files::new();
        files.insert("resources/model.json".to_owned(), b"{}".repeat(1000));
        files.insert("binaries/linux64/m.so".to_owned(), (0..=255).collect());
        files.insert("modelDescription.xml".to_owned(), b"<x/>".to_vec());
        write(&files).unwrap()
    }

    #[test]
    fn the_same_files_are_the_same_bytes() {
        assert_eq!(sample(), sample());
    }

    #[test]
    fn entries_are_sorted_dated_deflated_and_old_enough() {
        let bytes = sample();
        // Local headers: signature, version needed, flags, method, time, date.
        let headers = bytes
            .windows(14)
            .filter(|window| window.starts_with(b"PK\x03\x04"));
        let mut count = 0;
        for header in headers {
            count += 1;
            let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
            assert!(half(4) <= 20, "needs version {}", half(4));
            assert_eq!(half(8), 8, "not deflated");
            assert_eq!((half(10), half(12)), (0, 0x21), "not 1980-01-01 00:00");
        }
        assert_eq!(count, 3);
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names: Vec<String> = (0..3)
            .map(|at| archive.by_index(at).unwrap().name().unwrap().into_owned())
            .collect();
        assert_eq!(
            names,
            [
                "binaries/linux64/m.so",
                "modelDescription.xml",
                "resources/model.json"
            ]
        );
        let mut text = String::new();
        archive
            .by_name("resources/model.json")
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "{}".repeat(1000));
    }
}
