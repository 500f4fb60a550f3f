//! Control plane: opening an `.fmu` that may come from anyone.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use crate::slave::Failure;

/// What an archive may hold. docs/command-line.md lists it for users.
struct Limits {
    /// Files. The largest FMUs, with sources of a whole tool, have some thousands.
    files: usize,
    /// Bytes of all files, unpacked: what a disk for temporary files has.
    bytes: u64,
    /// Bytes of one file that is read into memory: a description of ten thousand variables has 5 MB.
    file_bytes: u64,
    /// How many times as large as the archive its files may be. Deflated libraries, texts and tables of numbers
    /// shrink to a third or a tenth.
    ratio: u64,
    /// Bytes that are always allowed, whatever the ratio: a resource may be all zeros.
    free_bytes: u64,
}

const LIMITS: Limits = Limits {
    files: 50_000,
    bytes: 8 << 30,
    file_bytes: 1 << 30,
    ratio: 100,
    free_bytes: 256 << 20,
};

impl Limits {
    /// Bytes that an archive of some length may unpack to, and why not more.
    fn unpacked(&self, length: u64) -> (u64, String) {
        let most = length.saturating_mul(self.ratio).max(self.free_bytes);
        if most < self.bytes {
            let times = self.ratio;
            return (most, format!("{times} times its {length} bytes, or {most}"));
        }
        (self.bytes, format!("{} bytes", self.bytes))
    }
}

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
    let mut archive = open(path, &LIMITS)?;
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
    read_within(path, name, &LIMITS)
}

fn read_within(path: &Path, name: &str, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let about = |reason: &dyn std::fmt::Display| fail(path, &format!("{name}: {reason}"));
    let mut archive = open(path, limits)?;
    let mut file = archive.by_name(name).map_err(|error| about(&error))?;
    let declared = file.size();
    if declared > limits.file_bytes {
        let most = limits.file_bytes;
        return Err(about(&format!(
            "has {declared} bytes; valid: at most {most}"
        )));
    }
    let mut bytes = Vec::new();
    let taken = file.by_ref().take(declared + 1).read_to_end(&mut bytes);
    taken.map_err(|error| about(&error))?;
    as_declared(declared, bytes.len() as u64).map_err(|reason| about(&reason))?;
    Ok(bytes)
}

/// The `modelDescription.xml` of an FMU.
pub fn read_xml(path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(read(path, "modelDescription.xml")?);
    text.map_err(|_| fail(path, &"modelDescription.xml is not UTF-8"))
}

/// Unpacks all files into `target`. Names that lead out of it, links, entries that are not what the archive says of
/// them, and archives that grow beyond bounds are refused.
pub fn unpack(path: &Path, target: &Path) -> Result<(), Failure> {
    unpack_within(path, target, &LIMITS)
}

fn unpack_within(path: &Path, target: &Path, limits: &Limits) -> Result<(), Failure> {
    let mut archive = open(path, limits)?;
    let length = fs::metadata(path).map_err(|error| fail(path, &error))?;
    let (mut left, most) = limits.unpacked(length.len());
    for index in 0..archive.len() {
        let mut entry = archive
            .by_index(index)
            .map_err(|error| fail(path, &error))?;
        let name = entry
            .name()
            .map_err(|error| fail(path, &error))?
            .into_owned();
        let about = |reason: &dyn std::fmt::Display| fail(path, &format!("\"{name}\": {reason}"));
        let relative = safe_name(&name)
            .filter(|_| !entry.is_symlink())
            .ok_or_else(|| {
                let reason = "names must stay below the archive's top, and links are refused";
                about(&format!("the entry is not allowed: {reason}"))
            })?;
        let file = target.join(relative);
        if entry.is_dir() {
            fs::create_dir_all(&file).map_err(|error| about(&error))?;
            continue;
        }
        let declared = entry.size();
        left = left.checked_sub(declared).ok_or_else(|| {
            let reason = "the archive would unpack to more than it may";
            about(&format!("with it {reason}; valid: at most {most}"))
        })?;
        let written = write(&mut entry, &file, declared).map_err(|error| about(&error))?;
        as_declared(declared, written).map_err(|reason| about(&reason))?;
    }
    Ok(())
}

/// What was found is what was said.
fn as_declared(declared: u64, found: u64) -> Result<(), String> {
    if found == declared {
        return Ok(());
    }
    let found = if found > declared {
        "more".to_owned()
    } else {
        found.to_string()
    };
    Err(format!(
        "the archive says that it has {declared} bytes, and it has {found}"
    ))
}

/// Opens an archive that means the same to every reader: no two entries have one name or share bytes.
fn open(path: &Path, limits: &Limits) -> Result<ZipArchive<File>, Failure> {
    let file = File::open(path).map_err(|error| fail(path, &error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| fail(path, &error))?;
    let (count, most) = (archive.len(), limits.files);
    if count > most {
        let reason = format!("the archive has {count} files; valid: at most {most}");
        return Err(fail(path, &reason));
    }
    if archive.has_duplicate_names() {
        let reason = "two files of the archive have one name; every name may stand once";
        return Err(fail(path, &reason));
    }
    let shared = archive.has_overlapping_entries();
    if shared.map_err(|error| fail(path, &error))? {
        let reason = "files of the archive lie over one another; each has bytes of its own";
        return Err(fail(path, &reason));
    }
    Ok(archive)
}

fn fail(path: &Path, reason: &dyn std::fmt::Display) -> Failure {
    Failure(format!("{}: {reason}", path.display()))
}

/// The entry's name as a relative path without `..`; some exporters write `\` for `/`.
pub(crate) fn safe_name(name: &str) -> Option<PathBuf> {
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
mod tests;
