//! Control plane: opens an `.fmu` from an untrusted source.

mod names;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use crate::slave::Failure;

/// The limits of an archive. docs/command-line.md lists them for users.
struct Limits {
    /// Number of files. The largest FMUs, with sources of a whole tool, have some thousands.
    files: usize,
    /// Bytes of all files, unpacked: the space of a disk for temporary files.
    bytes: u64,
    /// Bytes of one file that is read into memory: a description of ten thousand variables has 5 MB.
    file_bytes: u64,
    /// Largest ratio of the files' size to that of the archive. Deflated libraries, texts and tables of numbers
    /// shrink to a third or a tenth.
    ratio: u64,
    /// Bytes that are always allowed, whatever the ratio: a resource may be all zeros.
    free_bytes: u64,
    /// Bytes of the name of one folder or file: the limit of file systems.
    part_bytes: usize,
    /// Bytes of a name with all its folders, which follows that of a temporary folder.
    name_bytes: usize,
}

const LIMITS: Limits = Limits {
    files: 50_000,
    bytes: 8 << 30,
    file_bytes: 1 << 30,
    ratio: 100,
    free_bytes: 256 << 20,
    part_bytes: 255,
    name_bytes: 900,
};

impl Limits {
    /// Bytes to which an archive of some length may unpack, and why not to more.
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
}

/// The entries of an archive.
pub fn entries(path: &Path) -> Result<Vec<Entry>, Failure> {
    let mut archive = open(path, &LIMITS)?;
    (0..archive.len())
        .map(|index| {
            let entry = archive
                .by_index_raw(index)
                .map_err(|error| fail(path, &error))?;
            Ok(Entry {
                name: entry
                    .name()
                    .map_err(|error| fail(path, &error))?
                    .into_owned(),
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

/// Unpacks all files into `target`. These are refused: names that lead out of it or that no file system accepts,
/// links, entries that differ from what the archive declares, and archives that grow beyond the limits.
pub fn unpack(path: &Path, target: &Path) -> Result<(), Failure> {
    unpack_within(path, target, &LIMITS)
}

fn unpack_within(path: &Path, target: &Path, limits: &Limits) -> Result<(), Failure> {
    let mut archive = open(path, limits)?;
    for Planned { index, name, place } in plan(path, &mut archive, limits)? {
        let about = |reason: &dyn std::fmt::Display| fail(path, &format!("\"{name}\": {reason}"));
        let place = target.join(place.map_err(|reason| about(&reason))?);
        let mut entry = archive.by_index(index).map_err(|error| about(&error))?;
        if entry.is_dir() {
            fs::create_dir_all(&place).map_err(|error| about(&error))?;
            continue;
        }
        let declared = entry.size();
        let written = write(&mut entry, &place, declared).map_err(|error| about(&error))?;
        as_declared(declared, written).map_err(|reason| about(&reason))?;
    }
    Ok(())
}

/// The entries that [`unpack`] refuses, each with the reason; nothing is written.
pub fn refused(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    refused_within(path, &LIMITS)
}

fn refused_within(path: &Path, limits: &Limits) -> Result<Vec<(String, String)>, Failure> {
    let mut archive = open(path, limits)?;
    let mut refused = Vec::new();
    for Planned { index, name, place } in plan(path, &mut archive, limits)? {
        if let Err(reason) = place.and_then(|_| reads(&mut archive, index)) {
            refused.push((name, reason));
        }
    }
    Ok(refused)
}

/// Reads an entry to its end.
fn reads(archive: &mut ZipArchive<File>, index: usize) -> Result<(), String> {
    let entry = archive.by_index(index);
    let mut entry = entry.map_err(|error| error.to_string())?;
    let declared = entry.size();
    if entry.is_dir() {
        return Ok(());
    }
    let mut bytes = entry.by_ref().take(declared.saturating_add(1));
    let found = io::copy(&mut bytes, &mut io::sink()).map_err(|error| error.to_string())?;
    as_declared(declared, found)
}

/// An entry and where it is to be unpacked to.
struct Planned {
    index: usize,
    name: String,
    /// The path below the folder of all files, or why it is refused.
    place: Result<PathBuf, String>,
}

/// The destination of every entry, in order, by the archive's directory alone.
fn plan(
    path: &Path,
    archive: &mut ZipArchive<File>,
    limits: &Limits,
) -> Result<Vec<Planned>, Failure> {
    let length = fs::metadata(path).map_err(|error| fail(path, &error))?;
    let (mut left, most) = limits.unpacked(length.len());
    let (mut all, mut folders) = (Vec::new(), Vec::new());
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index);
        let entry = entry.map_err(|error| fail(path, &error))?;
        let name = entry.name().map_err(|error| fail(path, &error))?;
        let mut place = place(&entry, &name, limits);
        if place.is_ok() && !entry.is_dir() {
            match left.checked_sub(entry.size()) {
                Some(rest) => left = rest,
                None => {
                    place = Err(format!(
                        "with it the archive would unpack to more than it may; valid: at most {most}"
                    ));
                }
            }
        }
        folders.push(entry.is_dir());
        all.push(Planned {
            index,
            name: name.into_owned(),
            place,
        });
    }
    names::collisions(&mut all, &folders);
    Ok(all)
}

/// Where an entry goes by itself.
fn place(entry: &ZipFile<'_, File>, name: &str, limits: &Limits) -> Result<PathBuf, String> {
    let fail = |reason: &str| Err(reason.to_owned());
    let Some(place) = safe_name(name).filter(|_| !entry.is_symlink()) else {
        return fail(
            "the entry is not allowed: names must stay below the archive's top, and links are refused",
        );
    };
    if place.as_os_str().is_empty() && !entry.is_dir() {
        return fail("the entry has no name of a file");
    }
    names::length(&place, limits)?;
    if entry.encrypted() {
        return fail("is encrypted, which is not allowed");
    }
    if !is_plain(entry.compression()) {
        return fail("is neither stored nor deflated; no other method is allowed");
    }
    Ok(place)
}

fn is_plain(method: CompressionMethod) -> bool {
    matches!(
        method,
        CompressionMethod::Stored | CompressionMethod::Deflated
    )
}

/// Checks that the size found is the declared one.
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

/// Opens an archive that means the same to every reader: no two files share a name or bytes. A folder may be listed
/// more than once, which has no effect.
fn open(path: &Path, limits: &Limits) -> Result<ZipArchive<File>, Failure> {
    let file = File::open(path).map_err(|error| fail(path, &error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| fail(path, &error))?;
    let (count, most) = (archive.len(), limits.files);
    if count > most {
        let reason = format!("the archive has {count} files; valid: at most {most}");
        return Err(fail(path, &reason));
    }
    if archive.has_duplicate_names()
        && let Some(reason) = names::repeated(path, &archive, most).map_err(|e| fail(path, &e))?
    {
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

/// The entry's name as a relative path without `.` and `..`; some exporters write `\` for `/`.
pub(crate) fn safe_name(name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    let mut safe = PathBuf::new();
    for part in Path::new(&name).components() {
        match part {
            Component::Normal(part) if !part.to_string_lossy().contains([':', '\0']) => {
                safe.push(part);
            }
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!name.is_empty()).then_some(safe)
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
