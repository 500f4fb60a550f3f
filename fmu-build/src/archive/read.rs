//! Control plane: opening an `.fmu` that may come from anyone.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use crate::slave::Failure;

/// Largest number of files.
const FILES: usize = 50_000;
/// Largest unpacked size, in bytes.
const BYTES: u64 = 8 << 30;
/// Largest single file that is read into memory, in bytes.
const FILE_BYTES: u64 = 1 << 30;

/// An entry of an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name as written.
    pub name: String,
    /// Stored or deflated?
    pub plain_method: bool,
    /// Encrypted?
    pub encrypted: bool,
    /// A symbolic link?
    pub link: bool,
}

/// The entries of an archive.
pub fn entries(path: &Path) -> Result<Vec<Entry>, Failure> {
    let mut archive = open(path)?;
    (0..archive.len())
        .map(|index| {
            let entry = archive
                .by_index_raw(index)
                .map_err(|error| fail(path, &error))?;
            let method = entry.compression();
            Ok(Entry {
                name: entry
                    .name()
                    .map_err(|error| fail(path, &error))?
                    .into_owned(),
                plain_method: matches!(
                    method,
                    CompressionMethod::Stored | CompressionMethod::Deflated
                ),
                encrypted: entry.encrypted(),
                link: entry.is_symlink(),
            })
        })
        .collect()
}

/// The bytes of one file.
pub fn read(path: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let mut archive = open(path)?;
    let file = archive
        .by_name(name)
        .map_err(|error| Failure(format!("{}: {name}: {error}", path.display())))?;
    let mut bytes = Vec::new();
    let taken = file.take(FILE_BYTES).read_to_end(&mut bytes);
    taken.map_err(|error| Failure(format!("{}: {name}: {error}", path.display())))?;
    Ok(bytes)
}

/// The `modelDescription.xml` of an FMU.
pub fn read_xml(path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(read(path, "modelDescription.xml")?);
    text.map_err(|_| fail(path, &"modelDescription.xml is not UTF-8"))
}

/// Unpacks all files into `target`. Names that lead out of it, links, and archives that grow
/// beyond bounds are refused.
pub fn unpack(path: &Path, target: &Path) -> Result<(), Failure> {
    let mut archive = open(path)?;
    let mut left = BYTES;
    for index in 0..archive.len() {
        let mut entry = archive
            .by_index(index)
            .map_err(|error| fail(path, &error))?;
        let name = entry
            .name()
            .map_err(|error| fail(path, &error))?
            .into_owned();
        let relative = safe_name(&name)
            .filter(|_| !entry.is_symlink())
            .ok_or_else(|| {
                let reason = "names must stay below the archive's top, and links are refused";
                fail(
                    path,
                    &format!("the entry \"{name}\" is not allowed: {reason}"),
                )
            })?;
        let file = target.join(relative);
        if entry.is_dir() {
            fs::create_dir_all(&file).map_err(|error| fail(&file, &error))?;
            continue;
        }
        let written = write(&mut entry, &file, left).map_err(|error| fail(&file, &error))?;
        left = left
            .checked_sub(written)
            .filter(|left| *left > 0)
            .ok_or_else(|| {
                fail(
                    path,
                    &format!("more than {} GiB when unpacked", BYTES >> 30),
                )
            })?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<ZipArchive<File>, Failure> {
    let file = File::open(path).map_err(|error| fail(path, &error))?;
    let archive = ZipArchive::new(file).map_err(|error| fail(path, &error))?;
    if archive.len() > FILES {
        return Err(fail(path, &format!("more than {FILES} files")));
    }
    Ok(archive)
}

fn fail(path: &Path, reason: &dyn std::fmt::Display) -> Failure {
    Failure(format!("{}: {reason}", path.display()))
}

/// The entry's name as a relative path without `..`; some exporters write `\` for `/`.
fn safe_name(name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    let path = Path::new(&name);
    let safe = path.components().all(|part| match part {
        Component::Normal(part) => !part.to_string_lossy().contains([':', '\0']),
        Component::CurDir => true,
        _ => false,
    });
    (safe && !name.is_empty()).then(|| path.to_owned())
}

/// Writes one file, at most one byte more than `limit`.
fn write(entry: &mut ZipFile<'_, File>, file: &Path, limit: u64) -> io::Result<u64> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = File::create_new(file)?;
    io::copy(&mut entry.take(limit.saturating_add(1)), &mut out)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(names: &[&str]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut zip = ZipWriter::new(file.reopen().unwrap());
        for name in names {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(b"text").unwrap();
        }
        zip.finish().unwrap();
        file
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        for name in [
            "../x",
            "a/../../x",
            "/etc/x",
            "a\\..\\..\\x",
            "C:\\x",
            "C:/x",
        ] {
            assert_eq!(safe_name(name), None, "{name}");
            let target = tempfile::tempdir().unwrap();
            let error = unpack(archive(&[name]).path(), target.path());
            assert!(error.is_err(), "{name}");
            assert_eq!(fs::read_dir(target.path()).unwrap().count(), 0, "{name}");
        }
    }

    #[test]
    fn backslashes_of_careless_exporters_are_folders() {
        let target = tempfile::tempdir().unwrap();
        unpack(
            archive(&["modelDescription.xml", "resources\\a.txt"]).path(),
            target.path(),
        )
        .unwrap();
        assert_eq!(
            fs::read(target.path().join("resources/a.txt")).unwrap(),
            b"text"
        );
    }

    #[test]
    fn what_is_no_archive_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "no archive").unwrap();
        let Failure(message) = read_xml(file.path()).unwrap_err();
        assert!(
            message.contains(&file.path().display().to_string()),
            "{message}"
        );
        let Failure(message) = read_xml(archive(&["a.txt"]).path()).unwrap_err();
        assert!(message.contains("modelDescription.xml"), "{message}");
    }
}
