//! Control plane: matrices that CalculiX stores with `*FREQUENCY, SOLVER=MATRIXSTORAGE`.
//!
//! `JOB.dof` names the equations, one line `node.direction` each; `JOB.sti` and `JOB.mas` hold `row column value` of
//! the upper triangle, column by column. The rotations of a rigid body are written as translations of its ROT NODE.

use super::deck::Deck;
use super::mesh::Mesh;
use super::text::{Loader, ReadError, number, quote};
use super::{MAX_UNKNOWNS, Opened, fingerprint};
use crate::fe::{Symmetric, Unknown};
use std::path::{Path, PathBuf};

/// The endings of a job's files.
pub(super) const ENDINGS: [&str; 3] = ["dof", "sti", "mas"];

/// Reads the job that a file belongs to.
pub(super) fn read(
    file: &Path,
    mesh: Option<&Path>,
    load: Loader<'_>,
) -> Result<Opened, ReadError> {
    let [dof, sti, mas] = ENDINGS.map(|ending| file.with_extension(ending));
    let deck_file = mesh.map_or_else(|| file.with_extension("inp"), PathBuf::from);
    let deck = Deck::open(&deck_file, load)?;
    let mesh = Mesh::of(&deck)?;
    let mut sources: Vec<_> = deck
        .files
        .iter()
        .map(|(name, text)| fingerprint(name, text))
        .collect();
    drop(deck);
    let mut text = |path: &Path| {
        let (name, text) = (path.display().to_string(), load(path)?);
        sources.push(fingerprint(&name, &text));
        Ok::<_, ReadError>((name, text))
    };
    let (name, body) = text(&dof)?;
    let unknowns = unknowns(&name, &body, &mesh)?;
    let (name, body) = text(&sti)?;
    let stiffness = matrix(&name, &body, &unknowns, &mesh)?;
    let (name, body) = text(&mas)?;
    let mass = matrix(&name, &body, &unknowns, &mesh)?;
    Ok(mesh.with_matrices(unknowns, [stiffness, mass], sources))
}

/// The unknown of each equation.
fn unknowns(name: &str, text: &str, mesh: &Mesh) -> Result<Vec<Unknown>, ReadError> {
    whole(name, text)?;
    let mut unknowns = Vec::new();
    let mut seen = std::collections::BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        let fail = |message: String| ReadError::at(name, line, message);
        let parts = text.trim().split_once('.');
        let numbers = parts.and_then(|(node, direction)| {
            Some((node.parse::<u64>().ok()?, direction.parse::<usize>().ok()?))
        });
        let Some((id, direction @ 1..=3)) = numbers else {
            let found = quote(text.trim());
            return Err(fail(format!(
                "{found} is not `node.direction` with a direction 1 to 3"
            )));
        };
        let (id, direction) = match mesh.rotations.get(&id) {
            Some(reference) => (*reference, direction + 3),
            None => (id, direction),
        };
        let Some(node) = mesh.places.get(&id).copied() else {
            return Err(fail(format!(
                "there is no node {id} in the mesh (CalculiX makes nodes of its own for beams, shells and \
                 rigid bodies without ROT NODE); valid: a mesh of solid elements"
            )));
        };
        let direction = direction - 1;
        if unknowns.len() >= MAX_UNKNOWNS {
            return Err(fail(format!("more than {MAX_UNKNOWNS} unknowns")));
        }
        let unknown = Unknown { node, direction };
        if let Some(first) = seen.insert(unknown, line) {
            return Err(fail(format!("{} is already in line {first}", text.trim())));
        }
        unknowns.push(unknown);
    }
    if unknowns.is_empty() {
        return Err(ReadError::of(
            name,
            "is empty; valid: a line `node.direction` for each equation",
        ));
    }
    Ok(unknowns)
}

/// The upper triangle that a file holds.
fn matrix(
    name: &str,
    text: &str,
    unknowns: &[Unknown],
    mesh: &Mesh,
) -> Result<Symmetric, ReadError> {
    whole(name, text)?;
    let size = unknowns.len();
    let mut entries = Vec::new();
    let mut diagonal = vec![false; size];
    for (line, text) in (1..).zip(text.lines()) {
        let (row, column, value) = entry(text, size).map_err(|m| ReadError::at(name, line, m))?;
        if row == column {
            if diagonal[row] {
                let message = format!("entry {} {} occurs twice", row + 1, row + 1);
                return Err(ReadError::at(name, line, message));
            }
            diagonal[row] = true;
        }
        entries.push((row, column, value));
    }
    if let Some(k) = diagonal.iter().position(|found| !found) {
        let id = mesh.nodes[unknowns[k].node].id;
        let message = format!(
            "there is no diagonal entry for equation {} of {size} (node {id}, direction {}): the file is cut \
             short or belongs to another job",
            k + 1,
            unknowns[k].direction + 1
        );
        return Err(ReadError::of(name, message));
    }
    Ok(Symmetric::from_entries(size, &mut entries))
}

/// `row column value`
fn entry(text: &str, size: usize) -> Result<(usize, usize, f64), String> {
    let mut words = text.split_ascii_whitespace();
    let mut index = |what: &str| {
        let word = words.next().unwrap_or_default();
        let found = word.parse().ok().filter(|k| (1..=size).contains(k));
        found.ok_or_else(|| {
            format!(
                "{what}: {} is not an equation from 1 to {size}",
                quote(word)
            )
        })
    };
    let (row, column): (usize, usize) = (index("row")?, index("column")?);
    let word = words.next().unwrap_or_default();
    let value = number(word).ok_or_else(|| format!("{} is not a finite number", quote(word)))?;
    if row > column {
        return Err(format!(
            "row {row} is below column {column}; valid: the upper triangle (the matrix must be symmetric)"
        ));
    }
    if let Some(more) = words.next() {
        return Err(format!("{} follows `row column value`", quote(more)));
    }
    Ok((row - 1, column - 1, value))
}

/// A file of lines ends with the end of a line.
fn whole(name: &str, text: &str) -> Result<(), ReadError> {
    if text.is_empty() || text.ends_with('\n') {
        return Ok(());
    }
    let line = text.lines().count();
    Err(ReadError::at(
        name,
        line,
        "the last line does not end: the file is cut short",
    ))
}

#[cfg(test)]
mod tests;
