//! Control plane: matrices on DMIG cards of Nastran, with nodes on GRID cards.
//!
//! A header names the form (6 symmetric: one triangle; 1 square: both); each further card holds a column:
//! node and direction of the column, then node, direction and value of each row.

mod bulk;
mod grid;

use super::labelled::{KINDS, Labelled, assemble};
use super::mesh::Mesh;
use super::text::{Loader, ReadError, quote};
use super::{Opened, fingerprint};
use crate::fe::Unknown;
use bulk::Card;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Endings of files that are Nastran's.
pub(super) const ENDINGS: [&str; 5] = ["pch", "bdf", "nas", "dmig", "asm"];

/// Is a line a card of a matrix?
pub(super) fn begins_matrix(line: &str) -> bool {
    let word = line.get(..4).unwrap_or_default();
    word.eq_ignore_ascii_case("DMIG")
}

/// Form of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Symmetric,
    Square,
}

/// Reads files of cards; the nodes may be in a separate file.
pub(super) fn read(
    files: &[PathBuf],
    mesh_file: Option<&Path>,
    load: Loader<'_>,
) -> Result<Opened, ReadError> {
    let mut texts = Vec::new();
    for path in mesh_file
        .into_iter()
        .chain(files.iter().map(PathBuf::as_path))
    {
        let name = path.display().to_string();
        if !texts
            .iter()
            .any(|(known, _): &(String, String)| *known == name)
        {
            texts.push((name, load(path)?));
        }
    }
    let mut cards = Vec::new();
    for (name, text) in &texts {
        bulk::read(name, text, &mut cards)?;
    }
    let mesh = grid::mesh(&cards)?;
    let matrices = matrices(&cards, &mesh)?;
    let file = files
        .first()
        .map_or(String::new(), |path| path.display().to_string());
    let chosen = choose(matrices, &file)?;
    let sources = texts
        .iter()
        .map(|(name, text)| fingerprint(name, text))
        .collect();
    assemble(mesh, chosen, sources, &file)
}

/// All matrices by name.
fn matrices(cards: &[Card<'_>], mesh: &Mesh) -> Result<BTreeMap<String, Labelled>, ReadError> {
    let mut forms: BTreeMap<String, Form> = BTreeMap::new();
    let mut matrices: BTreeMap<String, Labelled> = BTreeMap::new();
    for card in cards.iter().filter(|card| card.keyword == "DMIG") {
        let name = card.field(1).to_uppercase();
        if kind(&name).is_none() {
            continue;
        }
        if card.field(2) == "0" {
            if forms.insert(name.clone(), form(card, &name)?).is_some() {
                return Err(card.error(format!("matrix {name} has two headers")));
            }
            continue;
        }
        match forms.get(&name) {
            None => {
                return Err(card.error(format!("matrix {name} has no header `DMIG, {name}, 0, …`")));
            }
            Some(_) => column(card, mesh, matrices.entry(name).or_default())?,
        }
    }
    for (name, form) in &forms {
        let Some(matrix) = matrices.get_mut(name) else {
            continue;
        };
        if *form == Form::Square {
            complete(matrix);
        }
    }
    Ok(matrices)
}

/// A square matrix whose zeros are left out: the missing mirror images are zeros.
fn complete(matrix: &mut Labelled) {
    let known: std::collections::BTreeSet<(Unknown, Unknown)> = matrix
        .entries
        .iter()
        .map(|(row, column, _)| (*row, *column))
        .collect();
    let missing = known
        .iter()
        .filter(|(row, column)| !known.contains(&(*column, *row)));
    matrix
        .entries
        .extend(missing.map(|(row, column)| (*column, *row, 0.0)));
}

/// The form in a header.
fn form(card: &Card<'_>, name: &str) -> Result<Form, ReadError> {
    let form = match card.field(3) {
        "6" => Form::Symmetric,
        "1" => Form::Square,
        other => {
            let other = quote(other);
            let message =
                format!("matrix {name} has form {other}; valid: 6 (symmetric), 1 (square)");
            return Err(card.error(message));
        }
    };
    match card.field(4) {
        "1" | "2" => Ok(form),
        other => {
            let other = quote(other);
            let message = format!("matrix {name} has type {other}; valid: 1 and 2 (real)");
            Err(card.error(message))
        }
    }
}

/// A column.
fn column(card: &Card<'_>, mesh: &Mesh, matrix: &mut Labelled) -> Result<(), ReadError> {
    let to = unknown(card, 2, mesh)?;
    let mut at = 5;
    while at < card.fields.len() {
        if card.field(at).is_empty() && card.field(at + 2).is_empty() {
            at += 4;
            continue;
        }
        let from = unknown(card, at, mesh)?;
        let value = card.real(at + 2)?;
        matrix.entries.push((from, to, value));
        at += 4;
    }
    Ok(())
}

/// Node and direction in two fields.
fn unknown(card: &Card<'_>, at: usize, mesh: &Mesh) -> Result<Unknown, ReadError> {
    let id = card.identifier(at)?;
    let Some(node) = mesh.places.get(&id).copied() else {
        let message = format!("there is no GRID {id} (scalar points are not read)");
        return Err(card.error_at(at, message));
    };
    let direction = card.field(at + 1).parse().ok();
    let Some(direction @ 1..=6_usize) = direction else {
        let direction = quote(card.field(at + 1));
        let message = format!("GRID {id}: {direction} is not a direction 1 to 6");
        return Err(card.error_at(at + 1, message));
    };
    Ok(Unknown {
        node,
        direction: direction - 1,
    })
}

/// 0 for the names of stiffness, 1 for those of mass.
fn kind(name: &str) -> Option<usize> {
    let stiffness = ["KAAX", "KAA", "KGG", "KFF", "K2GG", "KJJ", "KNN"];
    let mass = ["MAAX", "MAA", "MGG", "MFF", "M2GG", "MJJ", "MNN"];
    [&stiffness, &mass]
        .iter()
        .position(|names| names.contains(&name))
}

/// One stiffness and one mass.
fn choose(matrices: BTreeMap<String, Labelled>, file: &str) -> Result<[Labelled; 2], ReadError> {
    let mut found: [Option<(String, Labelled)>; 2] = [None, None];
    for (name, matrix) in matrices {
        let Some(kind) = kind(&name) else { continue };
        let next = name.clone();
        if let Some((other, _)) = found[kind].replace((name, matrix)) {
            let message = format!(
                "holds {other} and {next}; valid: one {} matrix",
                KINDS[kind]
            );
            return Err(ReadError::of(file, message));
        }
    }
    match found {
        [Some((_, stiffness)), Some((_, mass))] => Ok([stiffness, mass]),
        [stiffness, _] => {
            let (kind, names) = match stiffness {
                None => (KINDS[0], "KAAX, KAA, KGG, KFF, K2GG"),
                Some(_) => (KINDS[1], "MAAX, MAA, MGG, MFF, M2GG"),
            };
            let message = format!("there is no {kind} matrix; valid names: {names}");
            Err(ReadError::of(file, message))
        }
    }
}

#[cfg(test)]
mod tests;
