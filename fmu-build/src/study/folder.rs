//! Control plane: the folder of a study: chunks of rows that are finished, each a file that was written aside and renamed.
//!
//! A chunk is valid if it carries the key of the study and the fingerprint of its rows. So a study that was killed at any
//! place, or whose disk was full, goes on with what is whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fixstep_kernel::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

use super::Study;
use super::table::{Columns, Row};
use crate::slave::Failure;

/// The version of chunks.
const HEAD: &str = "fixstep study chunk 1";
/// What the folder says of its study.
const RECORD: &str = "chunks.json";
const CHUNKS: &str = "chunks";
const SERIES: &str = "series";
const ASIDE: &str = ".fixstep-";

/// What a folder says of its study: a fingerprint of each thing on which rows depend.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    fixstep_study_folder: u32,
    name: String,
    key: String,
    parts: BTreeMap<String, String>,
}

/// The folder of a study.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    key: String,
    columns: Columns,
}

/// Rows that are known, and what is wrong with files.
#[derive(Debug, Default)]
pub struct Known {
    /// Rows by the numbers of their runs.
    pub rows: BTreeMap<usize, Row>,
    /// Files that are not whole, and were left aside.
    pub broken: Vec<String>,
}

fn fail(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}

/// Writes a file aside and renames it: readers see the old file, the new one, or none.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut aside = tempfile::Builder::new();
    aside.prefix(ASIDE);
    // Readable as other files are; the system removes the permissions in the user's mask.
    #[cfg(unix)]
    aside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let aside = aside.tempfile_in(folder);
    let mut file = aside.map_err(|error| fail(folder, &plain(&error)))?;
    file.write_all(bytes)
        .map_err(|error| fail(path, &plain(&error)))?;
    file.persist(path)
        .map_err(|error| fail(path, &plain(&error.error)))?;
    Ok(())
}

/// An error without the name of the file aside.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" at path ").unwrap_or(text.len());
    text[..end].to_owned()
}

impl Folder {
    /// The folder of a study, whatever is in it.
    pub fn of(path: &Path, study: &Study) -> Self {
        Self {
            path: path.to_owned(),
            key: study.key(),
            columns: Columns::of(study),
        }
    }

    /// Opens the folder of a study, or makes it. Rows of another study are refused; `fresh` drops them.
    pub fn open(path: &Path, study: &Study, fresh: bool) -> Result<Self, Failure> {
        let folder = Self::of(path, study);
        for name in [CHUNKS, SERIES] {
            let path = folder.path.join(name);
            if name == CHUNKS {
                folder.foreign()?;
            }
            if name == CHUNKS || !study.spec.series.is_empty() {
                fs::create_dir_all(&path).map_err(|error| fail(&path, &error))?;
            }
        }
        if fresh {
            folder.clear()?;
        }
        folder.check(study)?;
        Ok(folder)
    }

    /// Refuses a folder with other files.
    fn foreign(&self) -> Result<(), Failure> {
        let Ok(mut entries) = fs::read_dir(&self.path) else {
            return Ok(());
        };
        if entries.next().is_none()
            || self.path.join(RECORD).exists()
            || self.path.join(CHUNKS).exists()
        {
            return Ok(());
        }
        Err(fail(
            &self.path,
            &"the folder holds other files; valid: a new or an empty folder, or that of this study",
        ))
    }

    /// Does the folder belong to this study? A new one says so from now on.
    fn check(&self, study: &Study) -> Result<(), Failure> {
        let path = self.path.join(RECORD);
        let parts: BTreeMap<String, String> = study.parts().into_iter().collect();
        if path.exists() {
            let text = fs::read_to_string(&path).map_err(|error| fail(&path, &error))?;
            let remedy =
                "valid: the same study, another folder (-o), or --fresh, which drops the results";
            let record: Record = serde_json::from_str(&text).map_err(|error| {
                fail(
                    &path,
                    &format!("does not say what study this is ({error}); {remedy}"),
                )
            })?;
            let names: BTreeSet<&String> = record.parts.keys().chain(parts.keys()).collect();
            let differ = names
                .into_iter()
                .filter(|name| record.parts.get(*name) != parts.get(*name));
            let differ: Vec<&str> = differ.map(String::as_str).collect();
            if differ.is_empty() {
                return Ok(());
            }
            return Err(fail(
                &self.path,
                &format!(
                    "the folder has results of another study: what differs is {}; {remedy}",
                    differ.join(", ")
                ),
            ));
        }
        let record = Record {
            fixstep_study_folder: 1,
            name: study.spec.name.clone(),
            key: self.key.clone(),
            parts,
        };
        let text = serde_json::to_string_pretty(&record).map_err(|error| fail(&path, &error))?;
        write(&path, (text + "\n").as_bytes())
    }

    /// Drops the results of whatever study the folder has.
    fn clear(&self) -> Result<(), Failure> {
        let record = self.path.join(RECORD);
        if !record.exists() {
            return Ok(());
        }
        // Nothing is dropped that is not of a study.
        let text = fs::read_to_string(&record).map_err(|error| fail(&record, &error))?;
        serde_json::from_str::<Record>(&text).map_err(|error| fail(&record, &error))?;
        for (name, ending) in [(CHUNKS, ".rows"), (SERIES, ".csv")] {
            for path in files(&self.path.join(name))? {
                if path.to_string_lossy().ends_with(ending) {
                    fs::remove_file(&path).map_err(|error| fail(&path, &error))?;
                }
            }
        }
        match fs::remove_file(&record) {
            Err(error) if record.exists() => Err(fail(&record, &error)),
            _ => Ok(()),
        }
    }

    /// Where a file of the study is.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Where the series of a run are.
    pub fn series(&self, run: usize) -> PathBuf {
        self.path.join(SERIES).join(format!("{run:07}.csv"))
    }

    /// The text of a chunk.
    pub fn chunk(&self, rows: &[Row]) -> String {
        let body: String = rows.iter().map(|row| self.columns.line(row)).collect();
        let print = Fingerprint::of(body.as_bytes());
        format!(
            "{HEAD}\nkey {}\nrows {}\nprint {print}\n{body}",
            self.key,
            rows.len()
        )
    }

    /// Keeps a chunk of rows.
    pub fn keep(&self, rows: &[Row]) -> Result<(), Failure> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
            return Ok(());
        };
        let name = format!("{:07}-{:07}.rows", first.run, last.run);
        write(
            &self.path.join(CHUNKS).join(name),
            self.chunk(rows).as_bytes(),
        )
    }

    /// The rows of a chunk.
    fn read(&self, text: &str) -> Option<Vec<Row>> {
        let mut lines = text.splitn(5, '\n');
        let head = lines.next()? == HEAD;
        let key = lines.next()?.strip_prefix("key ")? == self.key;
        let count: usize = lines.next()?.strip_prefix("rows ")?.parse().ok()?;
        let print = lines.next()?.strip_prefix("print ")?;
        let body = lines.next()?;
        if !(head && key && Fingerprint::of(body.as_bytes()) == print) {
            return None;
        }
        let rows: Vec<Row> = body
            .lines()
            .map(|line| self.columns.row(line))
            .collect::<Result<_, _>>()
            .ok()?;
        (rows.len() == count).then_some(rows)
    }

    /// All rows below a number that finished chunks have.
    pub fn known(&self, runs: usize) -> Result<Known, Failure> {
        let mut known = Known::default();
        for path in files(&self.path.join(CHUNKS))? {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.starts_with(ASIDE) {
                continue;
            }
            let text = fs::read_to_string(&path).ok();
            match text.and_then(|text| self.read(&text)) {
                Some(rows) => {
                    let rows = rows.into_iter().filter(|row| row.run < runs);
                    known.rows.extend(rows.map(|row| (row.run, row)));
                }
                None => known.broken.push(name),
            }
        }
        Ok(known)
    }

    /// Removes what a killed worker has left aside.
    pub fn sweep(&self) -> Result<(), Failure> {
        for name in [CHUNKS, SERIES] {
            for path in files(&self.path.join(name))? {
                let aside = path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with(ASIDE));
                if aside {
                    // Another worker may have removed it.
                    let _ = fs::remove_file(&path);
                }
            }
        }
        Ok(())
    }
}

/// The files of a folder in the order of their names; none if there is no such folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(folder, &error)),
    };
    let mut all = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| fail(folder, &error))?.path();
        if path.is_file() {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}
