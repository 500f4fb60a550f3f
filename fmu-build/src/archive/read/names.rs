//! Control plane: refuses archives whose entries have names that cannot exist together in one folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::{Limits, Planned};

/// Names that are longer than folders and paths take.
pub(super) fn length(place: &Path, limits: &Limits) -> Result<(), String> {
    let longest = place.iter().map(std::ffi::OsStr::len).max().unwrap_or(0);
    let (part, most) = (limits.part_bytes, limits.name_bytes);
    let whole = place.as_os_str().len();
    if longest <= part && whole <= most {
        return Ok(());
    }
    Err(format!(
        "the name is too long: {whole} bytes, of which the longest between two / has {longest}; valid: at most {most} \
         and {part}"
    ))
}

/// Refuses entries that are the same file as another one, or that need a folder that is a file. In the order of
/// paths, the entries below a file follow it directly.
pub(super) fn collisions(all: &mut [Planned], folders: &[bool]) {
    let mut order: Vec<(PathBuf, bool, usize)> = Vec::new();
    for (at, planned) in all.iter().enumerate() {
        if let Ok(place) = &planned.place {
            order.push((place.clone(), folders[at], at));
        }
    }
    order.sort();
    let mut last: Option<(PathBuf, usize)> = None;
    let mut refused = Vec::new();
    for (place, folder, at) in order {
        if let Some((file, first)) = &last
            && place.starts_with(file)
        {
            refused.push((at, *first, place == *file && !folder));
        } else if !folder {
            last = Some((place, at));
        }
    }
    for (at, first, same) in refused {
        let other = &all[first].name;
        let reason = if same {
            format!("is the same file as \"{other}\"; a file may appear only once")
        } else {
            format!("needs a folder in the place of the file \"{other}\"; valid: one of them")
        };
        all[at].place = Err(reason);
    }
}

/// Why duplicate names in the archive's directory are refused: one belongs to a file, or there are too many entries.
pub(super) fn repeated(
    path: &Path,
    archive: &ZipArchive<File>,
    most: usize,
) -> io::Result<Option<String>> {
    let refused = |which: &str| {
        format!("two files of the archive have one name{which}; a name may appear only once")
    };
    let mut file = BufReader::new(File::open(path)?);
    file.seek(SeekFrom::Start(archive.central_directory_start()))?;
    // For each name: does it belong to a folder only?
    let mut seen: BTreeMap<Vec<u8>, bool> = BTreeMap::new();
    for count in 0..=most {
        let mut signature = [0; 4];
        file.read_exact(&mut signature)?;
        if signature != *b"PK\x01\x02" {
            // An entry may have another name in a separate field.
            let same = seen.len() == archive.len();
            return Ok((!same).then(|| refused("")));
        }
        if count == most {
            break;
        }
        let mut head = [0; 42];
        file.read_exact(&mut head)?;
        let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let mut name = vec![0; usize::from(half(24))];
        file.read_exact(&mut name)?;
        file.seek_relative(i64::from(half(26)) + i64::from(half(28)))?;
        // Both sizes.
        let empty = head[16..24].iter().all(|byte| *byte == 0);
        let folder = empty && name.ends_with(b"/");
        if seen.get(&name).is_some_and(|other| !(*other && folder)) {
            let shown = String::from_utf8_lossy(&name);
            return Ok(Some(refused(&format!(", \"{shown}\""))));
        }
        seen.insert(name, folder);
    }
    Ok(Some(format!(
        "the archive's directory has more entries than it may; valid: at most {most}"
    )))
}
