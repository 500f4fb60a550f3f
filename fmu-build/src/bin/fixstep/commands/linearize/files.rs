//! Control plane: writes the files of a linear form.

use std::path::{Path, PathBuf};

use fmu_build::slave::Failure;
use linear_analysis::export::{Export, Files, Format};

use crate::console::write_file;
use crate::places::Stop;

/// The name of a format.
fn word(of: Format) -> &'static str {
    let mut all = Format::ALL.iter();
    all.find(|(_, own)| *own == of).map_or("", |(word, _)| word)
}

/// A format with its files.
pub(super) struct Target {
    format: Format,
    pub(super) paths: Vec<PathBuf>,
}

impl Target {
    /// From all options `--output`.
    pub(super) fn all(outputs: &[PathBuf], format: Option<Format>) -> Result<Vec<Self>, Stop> {
        if format.is_some() && outputs.len() > 1 {
            return Err(Stop::CommandLine(String::from(
                "--format is for one --output; with several, the endings determine the formats",
            )));
        }
        outputs.iter().map(|path| Self::of(path, format)).collect()
    }

    /// Does the file contain mass, damping and stiffness?
    pub(super) fn has_second_order(&self) -> bool {
        self.format != Format::Simulink
    }

    fn of(path: &Path, format: Option<Format>) -> Result<Self, Stop> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let by_ending = || Format::of_ending(&ending);
        if let (Some(wanted), Some(told)) = (format, by_ending())
            && wanted != told
        {
            let (wanted, told) = (word(wanted), word(told));
            return Err(Stop::CommandLine(format!(
                "--output {} and --format {wanted}: the ending is that of {told}, and programs that read the file \
                 would expect that; give it an ending of {wanted}, or leave --format out",
                path.display()
            )));
        }
        let format = format.or_else(by_ending).ok_or_else(|| {
            let words: Vec<&str> = Format::ALL.iter().map(|(word, _)| *word).collect();
            Stop::CommandLine(format!(
                "--output {}: the ending determines no format; valid: .json, .npz, .mat, .mtx, .a, .mdl, .oml, .m, \
                 or --format with one of {}",
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
            // The ending that gave the format is removed; dots within the name remain.
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

    /// Checks that the file is useful: a State-Space block needs inputs and outputs.
    fn possible(&self, export: &Export<'_>) -> Result<(), Failure> {
        let missing = match (export.form.inputs.len(), export.form.outputs.len()) {
            _ if self.format != Format::Simulink => return Ok(()),
            (0, 0) => "no input and no output",
            (0, _) => "no input",
            (_, 0) => "no output",
            _ => return Ok(()),
        };
        let path = self.paths.first().map_or(Path::new(""), PathBuf::as_path);
        Err(Failure(format!(
            "--output {}: the linear form has {missing}, and a State-Space block needs both; give the model some (\"inputs\", \
             \"outputs\"), or write json, npz, mat, mtx, oml or ascii",
            path.display()
        )))
    }

    /// Writes the files.
    pub(super) fn write(&self, export: &Export<'_>) -> Result<&[PathBuf], Failure> {
        self.possible(export)?;
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
