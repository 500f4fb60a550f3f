//! Control plane: matrices in text files of Abaqus (`.mtx`).
//!
//! `*MATRIX OUTPUT` writes a line `node, direction, node, direction, value` for each entry, with one file for each
//! matrix. `*SUBSTRUCTURE MATRIX OUTPUT` writes `*USER ELEMENT` with its nodes in a comment, the directions at each
//! node, and the lower triangles of `*MATRIX, TYPE=STIFFNESS` and `TYPE=MASS`.

use super::deck::{Card, Deck, Row, identifier};
use super::labelled::{KINDS, Labelled, assemble};
use super::mesh::Mesh;
use super::text::{Loader, ReadError, number, quote};
use super::{Opened, fingerprint};
use crate::fe::Unknown;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most unknowns of a dense matrix.
const MAX_DENSE: usize = 20_000;

/// Reads one file with both matrices, or one file each for stiffness and mass.
pub(super) fn read(
    files: &[PathBuf],
    mesh_file: Option<&Path>,
    load: Loader<'_>,
) -> Result<Opened, ReadError> {
    let first = files
        .first()
        .map_or(String::new(), |path| path.display().to_string());
    let Some(mesh_file) = mesh_file else {
        let message = "has no coordinates: give the deck with *NODE as the mesh";
        return Err(ReadError::of(&first, message));
    };
    let deck = Deck::open(mesh_file, load)?;
    let mesh = Mesh::of(&deck)?;
    let mut sources: Vec<_> = deck
        .files
        .iter()
        .map(|(name, text)| fingerprint(name, text))
        .collect();
    let mut found: [Option<Labelled>; 2] = [None, None];
    for (k, path) in files.iter().enumerate() {
        let deck = Deck::open(path, load)?;
        sources.extend(
            deck.files
                .iter()
                .map(|(name, text)| fingerprint(name, text)),
        );
        for (kind, matrix) in matrices(&deck, &mesh, which(path, k))? {
            if found[kind].replace(matrix).is_some() {
                let name = path.display().to_string();
                let message = format!("a {} matrix was read already", KINDS[kind]);
                return Err(ReadError::of(&name, message));
            }
        }
    }
    let [Some(stiffness), Some(mass)] = found else {
        let missing = usize::from(found[0].is_some());
        let message = format!(
            "there is no {} matrix; valid: stiffness and mass",
            KINDS[missing]
        );
        return Err(ReadError::of(&first, message));
    };
    assemble(mesh, [stiffness, mass], sources, &first)
}

/// The matrix in a file without keywords: by its name, or stiffness before mass.
fn which(path: &Path, place: usize) -> usize {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_uppercase();
    if name.contains("STIF") {
        0
    } else if name.contains("MASS") {
        1
    } else {
        place.min(1)
    }
}

/// The matrices of a file: 0 stiffness, 1 mass.
fn matrices(deck: &Deck, mesh: &Mesh, kind: usize) -> Result<Vec<(usize, Labelled)>, ReadError> {
    let elements: Vec<&Card> = deck
        .cards
        .iter()
        .filter(|card| card.keyword == "USER ELEMENT")
        .collect();
    let (name, text) = deck
        .files
        .first()
        .map_or(("", ""), |(name, text)| (name, text.as_str()));
    match elements[..] {
        [] => {
            let rows = (1..).zip(text.lines()).map(|(line, text)| Row {
                file: name,
                line,
                text,
            });
            let rows = rows.filter(|row| {
                let text = row.text.trim();
                !text.is_empty() && !text.starts_with('*')
            });
            Ok(vec![(kind, sparse(rows, mesh)?)])
        }
        [element] => dense(deck, element, mesh),
        [_, second, ..] => {
            let message = "is the second element; valid: one substructure in a file";
            Err(deck.error(second, message))
        }
    }
}

/// `node, direction, node, direction, value`
fn sparse<'a>(rows: impl Iterator<Item = Row<'a>>, mesh: &Mesh) -> Result<Labelled, ReadError> {
    let mut matrix = Labelled::default();
    for row in rows {
        let fields: Vec<&str> = row.fields().collect();
        let [a, b, c, d, value] = fields[..] else {
            let message = "expected `node, direction, node, direction, value` (FORMAT=MATRIX INPUT or \
                           LABELS; FORMAT=COORDINATE does not name its nodes)";
            return Err(row.error(message));
        };
        let from = unknown(&row, a, b, mesh)?;
        let to = unknown(&row, c, d, mesh)?;
        matrix.entries.push((from, to, value_of(&row, value)?));
    }
    Ok(matrix)
}

fn value_of(row: &Row<'_>, field: &str) -> Result<f64, ReadError> {
    let message = || row.error(format!("{} is not a finite number", quote(field)));
    number(field).ok_or_else(message)
}

/// A node and a direction 1 to 6.
fn unknown(row: &Row<'_>, node: &str, direction: &str, mesh: &Mesh) -> Result<Unknown, ReadError> {
    if node.starts_with('-') {
        let message = format!(
            "node {node} is internal (a multiplier or a mode); valid: nodes of the mesh alone"
        );
        return Err(row.error(message));
    }
    let id = identifier(row, node, "node")?;
    let missing = || row.error(format!("there is no node {id} in the mesh"));
    let node = mesh.places.get(&id).copied().ok_or_else(missing)?;
    match direction.parse() {
        Ok(direction @ 1..=6_usize) => Ok(Unknown {
            node,
            direction: direction - 1,
        }),
        _ => Err(row.error(format!(
            "node {id}: {} is not a direction 1 to 6",
            quote(direction)
        ))),
    }
}

/// A substructure: its unknowns and lower triangles.
fn dense(deck: &Deck, element: &Card, mesh: &Mesh) -> Result<Vec<(usize, Labelled)>, ReadError> {
    let unknowns = retained(deck, element, mesh)?;
    let size = unknowns.len();
    let mut matrices = Vec::new();
    for card in deck.cards.iter().filter(|card| card.keyword == "MATRIX") {
        let kind = match card
            .option("TYPE")
            .unwrap_or_default()
            .to_uppercase()
            .as_str()
        {
            "STIFFNESS" => 0,
            "MASS" => 1,
            _ => continue,
        };
        let mut values = Vec::with_capacity(size * (size + 1) / 2);
        for row in deck.rows(card) {
            for field in row.fields() {
                values.push(value_of(&row, field)?);
            }
        }
        let expected = size * (size + 1) / 2;
        if values.len() != expected {
            let message = format!(
                "{} numbers; valid: {expected} for the lower triangle of {size} unknowns",
                values.len()
            );
            return Err(deck.error(card, message));
        }
        let mut values = values.into_iter();
        let mut matrix = Labelled::default();
        for (k, row) in unknowns.iter().enumerate() {
            let entries = unknowns[..=k].iter().zip(&mut values);
            matrix
                .entries
                .extend(entries.map(|(column, value)| (*row, *column, value)));
        }
        matrices.push((kind, matrix));
    }
    Ok(matrices)
}

/// The unknowns of a substructure: nodes in the comment after `** ELEMENT NODES`, directions in data lines
/// `1, 2, 3` for all nodes and `place, 1, 2, 3` from a node on.
fn retained(deck: &Deck, element: &Card, mesh: &Mesh) -> Result<Vec<Unknown>, ReadError> {
    let mut nodes = Vec::new();
    let title = |row: &Row<'_>| row.text.trim().eq_ignore_ascii_case("ELEMENT NODES");
    let mut comments = deck.comments(element).skip_while(|row| !title(row));
    comments.next();
    for row in comments {
        for field in row.fields().filter(|field| !field.is_empty()) {
            nodes.push((row, field));
        }
    }
    let expected: Option<usize> = element.option("NODES").and_then(|count| count.parse().ok());
    if expected != Some(nodes.len()) || nodes.is_empty() {
        let message = format!(
            "{} nodes in the comments after `** ELEMENT NODES`; valid: as many as NODES says",
            nodes.len()
        );
        return Err(deck.error(element, message));
    }
    let mut rows = deck.rows(element);
    let Some(first) = rows.next() else {
        return Err(deck.error(element, "has no line of directions"));
    };
    let mut directions = vec![(0, first, first.fields().collect::<Vec<_>>())];
    for row in rows {
        let mut fields = row.fields();
        let place =
            identifier(&row, fields.next().unwrap_or_default(), "place of a node")? as usize;
        if place > nodes.len() || place < directions[directions.len() - 1].0 + 2 {
            return Err(row.error(format!(
                "place {place} is out of order; valid: up to {}",
                nodes.len()
            )));
        }
        directions.push((place - 1, row, fields.collect()));
    }
    let mut unknowns = Vec::new();
    let mut current = 0;
    for (place, (row, node)) in nodes.iter().enumerate() {
        if directions
            .get(current + 1)
            .is_some_and(|next| next.0 == place)
        {
            current += 1;
        }
        let (_, at, fields) = &directions[current];
        for direction in fields {
            unknown(row, node, "1", mesh)?;
            unknowns.push(unknown(at, node, direction, mesh)?);
        }
    }
    let distinct: BTreeSet<&Unknown> = unknowns.iter().collect();
    if distinct.len() != unknowns.len() || unknowns.len() > MAX_DENSE {
        let message = format!("valid: each direction of a node once, at most {MAX_DENSE} in all");
        return Err(deck.error(element, message));
    }
    Ok(unknowns)
}

#[cfg(test)]
mod tests;
