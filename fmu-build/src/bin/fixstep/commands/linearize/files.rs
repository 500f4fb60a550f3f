//! Control plane: the files that a linear form goes to.

use std::path::{Path, PathBuf};

use fmu_build::slave::Failure;
use linear_analysis::export::{Export, Files, Format};

use crate::console::write_file;
use crate::places::Stop;

/// A format with its files.
pub(super) struct Target {
    format: Format,
    pub(super) paths: Vec<PathBuf>,
}

impl Target {
    /// Of all options `--output`.
    pub(super) fn all(outputs: &[PathBuf], format: Option<Format>) -> Result<Vec<Self>, Stop> {
        if format.is_some() && outputs.len() > 1 {
            return Err(Stop::CommandLine(String::from(
                "--format is for one --output; of several the endings tell the formats",
            )));
        }
        outputs.iter().map(|path| Self::of(path, format)).collect()
    }

    fn of(path: &Path, format: Option<Format>) -> Result<Self, Stop> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let by_ending = || Format::of_ending(&ending);
        let format = format.or_else(by_ending).ok_or_else(|| {
            let words: Vec<&str> = Format::ALL.iter().map(|(word, _)| *word).collect();
            Stop::CommandLine(format!(
                "--output {}: the ending tells no format; valid: .json, .npz, .mat, .mtx, .a, .mdl, .oml, .m, or \
                 --format with one of {}",
                path.display(),
                words.join(", ")
            ))
        })?;
        let endings = format.endings();
        if endings.is_empty() {
            let paths = vec![path.to_owned()];
            return Ok(Self { format, paths });
        }
        let place = |ending: &&str| {
            if path.is_dir() {
                return match format {
                    Format::MatrixMarket => path.join(ending),
                    _ => path.join(format!("linear.{ending}")),
                };
            }
            // The ending that told the format goes, dots within a name stay.
            let stem = match by_ending() {
                Some(of) if of == format => path.with_extension(""),
                _ => path.to_owned(),
            };
            let mut name = stem.into_os_string();
            name.push(format!(".{ending}"));
            PathBuf::from(name)
        };
        let paths = endings.iter().map(place).collect();
        Ok(Self { format, paths })
    }

    /// Writes them.
    pub(super) fn write(&self, export: &Export<'_>) -> Result<&[PathBuf], Failure> {
        let files = export.files(self.format);
        let all = match files.map_err(|error| Failure(error.to_string()))? {
            Files::One(bytes) => vec![bytes],
            Files::Several(all) => all,
        };
        for (path, bytes) in self.paths.iter().zip(&all) {
            write_file(path, bytes)?;
        }
        Ok(&self.paths)
    }
}
