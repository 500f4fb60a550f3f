//! Control plane: reads the files of finite-element programs.
//!
//! [`open`] picks the format by the given files. Error messages name file and line.

mod abaqus;
mod calculix;
mod deck;
mod labelled;
mod matrix_market;
mod mesh;
mod nastran;
pub(crate) mod outline;
mod solids;
mod text;
mod units;

pub use text::ReadError;
pub(crate) use text::bytes;
pub use units::Units;

use crate::fe::FeModel;
use fixstep_kernel::fingerprint::Fingerprint;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most unknowns of one model.
pub const MAX_UNKNOWNS: usize = 20_000_000;

/// Which program wrote the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.sti`, `.mas` and `.dof` of CalculiX.
    Calculix,
    /// `.mtx` of Abaqus.
    Abaqus,
    /// DMIG cards of Nastran.
    Nastran,
    /// `.mtx` of Matrix Market.
    MatrixMarket,
}

impl Format {
    /// Names on the command line.
    pub const NAMES: [(&str, Self); 4] = [
        ("calculix", Self::Calculix),
        ("abaqus", Self::Abaqus),
        ("nastran", Self::Nastran),
        ("matrix-market", Self::MatrixMarket),
    ];
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _)| name).join(", ");
            format!("{text:?} is not a format; valid: {names}")
        })
    }
}

/// The files to read.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files with matrices: one of CalculiX's, one or two of Abaqus', any of Nastran's.
    pub files: Vec<PathBuf>,
    /// Where the files do not say it themselves.
    pub format: Option<Format>,
    /// The file with the nodes, unless it is one of the files or beside them.
    pub mesh: Option<PathBuf>,
    /// Units of the files.
    pub units: Units,
}

/// A finite-element model, and notes for the user.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The model in SI.
    pub model: FeModel,
    /// Notes about data that were ignored.
    pub notes: Vec<String>,
}

/// Reads a finite-element model.
pub fn open(request: &Request) -> Result<Opened, ReadError> {
    open_by(request, &text::load)
}

fn open_by(request: &Request, load: text::Loader<'_>) -> Result<Opened, ReadError> {
    let Some(first) = request.files.first() else {
        return Err(ReadError::of(
            "no file",
            "expected files with stiffness and mass",
        ));
    };
    let format = match request.format {
        Some(format) => format,
        None => guess(first, load)?,
    };
    let mesh = request.mesh.as_deref();
    let mut opened = match format {
        Format::Calculix => {
            let stem = |path: &PathBuf| path.with_extension("");
            if let Some(other) = request.files.iter().find(|file| stem(file) != stem(first)) {
                let message = format!("belongs to another job than {}", first.display());
                return Err(ReadError::of(&other.display().to_string(), message));
            }
            calculix::read(first, mesh, load)?
        }
        Format::Abaqus => abaqus::read(&request.files, mesh, load)?,
        Format::Nastran => nastran::read(&request.files, mesh, load)?,
        Format::MatrixMarket => matrix_market::read(&request.files, mesh, load)?,
    };
    scale(&mut opened.model, &request.units);
    name_drawn(&mut opened.model);
    Ok(opened)
}

/// The set of nodes that the drawn lines end on.
pub const OUTLINE: &str = "OUTLINE";
/// The set of nodes that are corners of the surface.
pub const SURFACE: &str = "SURFACE";

/// Adds both sets, unless they would be empty or the mesh has one of that name.
fn name_drawn(model: &mut FeModel) {
    let outline: BTreeSet<usize> = model.edges.iter().flatten().copied().collect();
    let surface: BTreeSet<usize> = model.faces.iter().flatten().copied().collect();
    for (name, nodes) in [(OUTLINE, outline), (SURFACE, surface)] {
        let known = |(other, _): &(String, Vec<usize>)| other.eq_ignore_ascii_case(name);
        if !nodes.is_empty() && !model.sets.iter().any(known) {
            let nodes = nodes.into_iter().collect();
            model.sets.push((name.to_owned(), nodes));
        }
    }
}

/// The format of a file by its ending or its first words.
fn guess(file: &Path, load: text::Loader<'_>) -> Result<Format, ReadError> {
    let ending = file.extension().unwrap_or_default().to_ascii_lowercase();
    let ending = ending.to_string_lossy();
    if calculix::ENDINGS.contains(&ending.as_ref()) {
        return Ok(Format::Calculix);
    }
    if nastran::ENDINGS.contains(&ending.as_ref()) {
        return Ok(Format::Nastran);
    }
    if ending == "mtx" {
        let banner = load(file)?.starts_with(matrix_market::BANNER);
        return Ok(if banner {
            Format::MatrixMarket
        } else {
            Format::Abaqus
        });
    }
    if load(file)?.lines().any(nastran::begins_matrix) {
        return Ok(Format::Nastran);
    }
    let names = Format::NAMES.map(|(name, _)| name).join(", ");
    let message = format!("the format is not known by the ending; say which: {names}");
    Err(ReadError::of(&file.display().to_string(), message))
}

/// Name and fingerprint of a text.
fn fingerprint(name: &str, text: &str) -> (String, String) {
    let name = Path::new(name).file_name().unwrap_or_default();
    let print = Fingerprint::of(text.as_bytes());
    (name.to_string_lossy().into_owned(), print)
}

/// Takes a model to SI.
fn scale(model: &mut FeModel, units: &Units) {
    if *units == Units::default() {
        return;
    }
    for node in &mut model.nodes {
        node.position *= units.length;
    }
    for solid in &mut model.solids {
        if let Some(material) = &mut solid.material {
            material.young *= units.pressure();
        }
    }
    let unknowns = &model.unknowns;
    let direction = |k: usize| unknowns[k].direction;
    for column in 0..unknowns.len() {
        let stiffness = &mut model.stiffness;
        for k in stiffness.starts[column]..stiffness.starts[column + 1] {
            let row = stiffness.rows[k];
            stiffness.values[k] *= units.stiffness(direction(row), direction(column));
        }
        let mass = &mut model.mass;
        for k in mass.starts[column]..mass.starts[column + 1] {
            let row = mass.rows[k];
            mass.values[k] *= units.inertia(direction(row), direction(column));
        }
    }
}

#[cfg(test)]
mod tests;
