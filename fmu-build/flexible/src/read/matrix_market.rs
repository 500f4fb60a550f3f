//! Control plane: matrices in Matrix Market files (`.mtx`) with a table of nodes.
//!
//! `%%MatrixMarket matrix coordinate real symmetric` (or `general`, whose matrix must be symmetric too; or `array`)
//! is followed by sizes and entries `row column value`, counted from 1. The nodes come from a deck with `*NODE`, or
//! from a table `id,x,y,z` (`.csv`). A file of lines `node.direction` (`.dof`), directions 1 to 6, says which unknown
//! each equation has. Without it, every node has 3 or 6 unknowns in the order of the table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fixstep_kernel::math::Vec3;

use super::deck::Deck;
use super::labelled::{KINDS, Labelled, assemble};
use super::mesh::Mesh;
use super::text::{Loader, ReadError, number, quote};
use super::{MAX_UNKNOWNS, Opened, fingerprint};
use crate::fe::{FeNode, Unknown};

/// How the first line begins.
pub(super) const BANNER: &str = "%%MatrixMarket";

/// Most unknowns of a dense matrix.
const MAX_DENSE: usize = 20_000;

/// Reads stiffness and mass, in this order unless their names say otherwise, and the file that names the unknowns.
pub(super) fn read(
    files: &[PathBuf],
    mesh_file: Option<&Path>,
    load: Loader<'_>,
) -> Result<Opened, ReadError> {
    let (dofs, matrices): (Vec<_>, Vec<_>) = files.iter().partition(|path| ending(path) == "dof");
    let first = files
        .first()
        .map_or(String::new(), |path| path.display().to_string());
    let ([a, b], true, Some(mesh_file)) = (matrices.as_slice(), dofs.len() <= 1, mesh_file) else {
        let message =
            "expected the stiffness, the mass, at most one .dof file, and the nodes as the mesh";
        return Err(ReadError::of(&first, message));
    };
    let mut sources = Vec::new();
    let mesh = mesh(mesh_file, load, &mut sources)?;
    let mut open = |path: &Path| {
        let (name, text) = (path.display().to_string(), load(path)?);
        sources.push(fingerprint(&name, &text));
        Ok::<_, ReadError>((name, text))
    };
    let swapped = kind(a) == Some(1) || kind(b) == Some(0);
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    let (name, text) = open(a)?;
    let stiffness = Matrix::parse(&name, &text)?;
    let unknowns = match dofs.first() {
        Some(path) => {
            let (name, text) = open(path)?;
            listed(&name, &text, &mesh)?
        }
        None => regular(&name, stiffness.size, &mesh)?,
    };
    let (mass_name, text) = open(b)?;
    let mass = Matrix::parse(&mass_name, &text)?;
    for (matrix, name, kind) in [(&stiffness, &name, 0), (&mass, &mass_name, 1)] {
        if matrix.size != unknowns.len() {
            let message = format!(
                "the {} matrix has {} rows, and there are {} unknowns",
                KINDS[kind],
                matrix.size,
                unknowns.len()
            );
            return Err(ReadError::of(name, message));
        }
    }
    let labelled = [stiffness, mass].map(|matrix| matrix.labelled(&unknowns));
    assemble(mesh, labelled, sources, &first)
}

fn ending(path: &Path) -> String {
    path.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase()
}

/// The kind of a matrix by its name: 0 stiffness, 1 mass.
fn kind(path: &Path) -> Option<usize> {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    if name == "k" || name.contains("stiff") {
        Some(0)
    } else if name == "m" || name.contains("mass") {
        Some(1)
    } else {
        None
    }
}

/// Nodes from a table or a deck.
fn mesh(
    path: &Path,
    load: Loader<'_>,
    sources: &mut Vec<(String, String)>,
) -> Result<Mesh, ReadError> {
    if ending(path) != "csv" {
        let deck = Deck::open(path, load)?;
        sources.extend(
            deck.files
                .iter()
                .map(|(name, text)| fingerprint(name, text)),
        );
        return Mesh::of(&deck);
    }
    let (name, text) = (path.display().to_string(), load(path)?);
    sources.push(fingerprint(&name, &text));
    let mut mesh = Mesh::default();
    for (line, text) in (1..).zip(text.lines()) {
        let fields: Vec<&str> = text.split([',', ';', '\t']).map(str::trim).collect();
        if text.trim().is_empty() || (line == 1 && number(fields[0]).is_none()) {
            continue;
        }
        let fail = |message: String| Err(ReadError::at(&name, line, message));
        let places: Vec<f64> = fields
            .iter()
            .skip(1)
            .filter_map(|field| number(field))
            .collect();
        let (Ok(id), [x, y, z], 4) = (fields[0].parse::<u64>(), places.as_slice(), fields.len())
        else {
            return fail(format!("{} is not `id, x, y, z`", quote(text.trim())));
        };
        if mesh.places.insert(id, mesh.nodes.len()).is_some() {
            return fail(format!("node {id} appears twice"));
        }
        mesh.nodes.push(FeNode {
            id,
            position: Vec3::new(*x, *y, *z),
        });
    }
    if mesh.nodes.is_empty() {
        return Err(ReadError::of(
            &name,
            "has no node; valid: lines `id, x, y, z`",
        ));
    }
    Ok(mesh)
}

/// Unknowns by a list `node.direction`.
fn listed(name: &str, text: &str, mesh: &Mesh) -> Result<Vec<Unknown>, ReadError> {
    let mut unknowns = Vec::new();
    let mut seen = BTreeMap::new();
    for (line, text) in (1..)
        .zip(text.lines())
        .filter(|(_, text)| !text.trim().is_empty())
    {
        let fail = |message: String| Err(ReadError::at(name, line, message));
        let parts = text.trim().split_once('.');
        let numbers = parts.and_then(|(node, direction)| {
            Some((node.parse::<u64>().ok()?, direction.parse::<usize>().ok()?))
        });
        let Some((id, direction @ 1..=6)) = numbers else {
            let found = quote(text.trim());
            return fail(format!(
                "{found} is not `node.direction` with a direction 1 to 6"
            ));
        };
        let Some(node) = mesh.places.get(&id).copied() else {
            return fail(format!("there is no node {id}"));
        };
        let unknown = Unknown {
            node,
            direction: direction - 1,
        };
        if let Some(first) = seen.insert(unknown, line) {
            return fail(format!("{} is already in line {first}", text.trim()));
        }
        unknowns.push(unknown);
    }
    Ok(unknowns)
}

/// Three or six unknowns at every node.
fn regular(name: &str, size: usize, mesh: &Mesh) -> Result<Vec<Unknown>, ReadError> {
    let count = mesh.nodes.len();
    let directions = [3, 6]
        .into_iter()
        .find(|directions| count * directions == size);
    let Some(directions) = directions else {
        let message = format!(
            "{size} rows are neither 3 nor 6 at each of {count} nodes; valid: that, or a .dof file with a line \
             `node.direction` for each row"
        );
        return Err(ReadError::of(name, message));
    };
    let unknown = |at: usize| Unknown {
        node: at / directions,
        direction: at % directions,
    };
    Ok((0..size).map(unknown).collect())
}

/// A matrix as its file has it.
struct Matrix {
    size: usize,
    entries: Vec<(usize, usize, f64)>,
}

impl Matrix {
    fn parse(name: &str, text: &str) -> Result<Self, ReadError> {
        let mut lines = (1..).zip(text.lines());
        let banner = lines.next().map_or("", |(_, line)| line).to_lowercase();
        let words: Vec<&str> = banner.split_whitespace().collect();
        let [
            _,
            "matrix",
            layout @ ("coordinate" | "array"),
            "real" | "integer",
            symmetry,
        ] = words[..]
        else {
            let message = format!(
                "{} is not understood; valid: `{BANNER} matrix coordinate real symmetric`, or array, or general",
                quote(&banner)
            );
            return Err(ReadError::at(name, 1, message));
        };
        if !matches!(symmetry, "symmetric" | "general") {
            let message =
                format!("{symmetry} matrices are not stiffness or mass; valid: symmetric, general");
            return Err(ReadError::at(name, 1, message));
        }
        let mut data = lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
        let Some((line, sizes)) = data.next() else {
            return Err(ReadError::of(name, "ends before the sizes"));
        };
        let counts: Option<Vec<usize>> = sizes.split_whitespace().map(|x| x.parse().ok()).collect();
        let dense = layout == "array";
        let (size, count) = match (counts.as_deref(), dense) {
            (Some(&[rows, columns, count]), false) if rows == columns => (rows, count),
            (Some(&[rows, columns]), true) if rows == columns && rows <= MAX_DENSE => {
                let half = rows * (rows + 1) / 2;
                (
                    rows,
                    if symmetry == "symmetric" {
                        half
                    } else {
                        rows * rows
                    },
                )
            }
            _ => {
                let message = format!("{} are not the sizes of a square matrix", quote(sizes));
                return Err(ReadError::at(name, line, message));
            }
        };
        if size == 0 || size > MAX_UNKNOWNS {
            let message = format!("{size} rows; valid: 1 to {MAX_UNKNOWNS}");
            return Err(ReadError::at(name, line, message));
        }
        let places = dense.then(|| places(size, symmetry == "symmetric"));
        Self::entries(name, data, size, count, places)
    }

    fn entries<'a>(
        name: &str,
        data: impl Iterator<Item = (usize, &'a str)>,
        size: usize,
        count: usize,
        mut places: Option<impl Iterator<Item = (usize, usize)>>,
    ) -> Result<Self, ReadError> {
        let mut entries = Vec::new();
        for (line, text) in data {
            let fail = |message: String| ReadError::at(name, line, message);
            if entries.len() == count {
                return Err(fail(format!("more than the {count} entries announced")));
            }
            let words: Vec<&str> = text.split_whitespace().collect();
            let entry = match &mut places {
                Some(places) => {
                    let value = if words.len() == 1 {
                        number(words[0])
                    } else {
                        None
                    };
                    places
                        .next()
                        .zip(value)
                        .map(|((row, column), value)| (row, column, value))
                }
                None => coordinate(&words, size),
            };
            let Some(entry) = entry else {
                return Err(fail(format!(
                    "{} is not an entry of a matrix with {size} rows",
                    quote(text.trim())
                )));
            };
            entries.push(entry);
        }
        if entries.len() < count {
            let message = format!(
                "{} entries of {count}: the file is cut short",
                entries.len()
            );
            return Err(ReadError::of(name, message));
        }
        Ok(Self { size, entries })
    }

    /// With unknowns for rows and columns; zeros are left out, but for the diagonal.
    fn labelled(self, unknowns: &[Unknown]) -> Labelled {
        let entries = self.entries.into_iter();
        let present = entries.filter(|(row, column, value)| row == column || *value != 0.0);
        Labelled {
            entries: present
                .map(|(row, column, value)| (unknowns[row], unknowns[column], value))
                .collect(),
        }
    }
}

/// `row column value`, counted from 1.
fn coordinate(words: &[&str], size: usize) -> Option<(usize, usize, f64)> {
    let [row, column, value] = words else {
        return None;
    };
    let place = |word: &str| {
        word.parse::<usize>()
            .ok()
            .filter(|k| (1..=size).contains(k))
    };
    Some((place(row)? - 1, place(column)? - 1, number(value)?))
}

/// The positions of the entries of a dense matrix, column by column; for a symmetric one the lower triangle.
fn places(size: usize, symmetric: bool) -> impl Iterator<Item = (usize, usize)> {
    (0..size).flat_map(move |column| {
        let first = if symmetric { column } else { 0 };
        (first..size).map(move |row| (row, column))
    })
}

#[cfg(test)]
mod tests;
