//! Control plane: nodes, coordinate systems, sets and drawn elements of Nastran's bulk data.

use super::super::mesh::Mesh;
use super::super::outline::{Outline, Shape};
use super::super::text::{ReadError, quote};
use super::bulk::Card;
use crate::fe::FeNode;
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};
use std::collections::BTreeMap;

/// How deep systems may refer to one another.
const MAX_DEPTH: usize = 100;

/// The mesh that cards describe.
pub(super) fn mesh(cards: &[Card<'_>]) -> Result<Mesh, ReadError> {
    let mut systems = BTreeMap::new();
    for card in cards
        .iter()
        .filter(|card| card.keyword.starts_with("CORD2"))
    {
        if systems.insert(card.identifier(1)?, card).is_some() {
            return Err(card.error(format!("system {} is given twice", card.field(1))));
        }
    }
    let mut mesh = Mesh::default();
    for card in cards {
        match card.keyword.as_str() {
            "GRID" => add_node(card, &systems, &mut mesh)?,
            "GRDSET" => {
                let message = "gives defaults for all nodes, which are not read; valid: GRID cards with all fields";
                return Err(card.error(message));
            }
            _ => {}
        }
    }
    let mut outline = Outline::default();
    for card in cards {
        if let Some((shape, corners, first)) = shape(&card.keyword) {
            let nodes = (first..first + corners).map(|at| place(card, at, &mesh));
            let nodes: Vec<usize> = nodes.collect::<Result<_, _>>()?;
            outline.add(shape, &nodes);
        } else if card.keyword == "SET1" {
            let set = (card.field(1).to_owned(), set(card, &mesh)?);
            mesh.sets.push(set);
        }
    }
    mesh.drawn = outline.drawn(&mesh.nodes);
    Ok(mesh)
}

fn place(card: &Card<'_>, at: usize, mesh: &Mesh) -> Result<usize, ReadError> {
    let id = card.identifier(at)?;
    let found = mesh.places.get(&id).copied();
    found.ok_or_else(|| card.error_at(at, format!("there is no GRID {id}")))
}

/// Shape, number of corners, field of the first corner.
fn shape(keyword: &str) -> Option<(Shape, usize, usize)> {
    Some(match keyword {
        "CTETRA" => (Shape::Tetrahedron, 4, 3),
        "CPENTA" => (Shape::Wedge, 6, 3),
        "CHEXA" => (Shape::Brick, 8, 3),
        "CTRIA3" | "CTRIA6" | "CTRIAR" => (Shape::Face(3), 3, 3),
        "CQUAD4" | "CQUAD8" | "CQUADR" => (Shape::Face(4), 4, 3),
        "CBAR" | "CBEAM" | "CROD" => (Shape::Line, 2, 3),
        _ => return None,
    })
}

fn add_node(
    card: &Card<'_>,
    systems: &BTreeMap<u64, &Card<'_>>,
    mesh: &mut Mesh,
) -> Result<(), ReadError> {
    let id = card.identifier(1)?;
    if !matches!(card.field(6), "" | "0") {
        let message = format!(
            "GRID {id} moves along the axes of system {}, which is not read; valid: CD 0",
            card.field(6)
        );
        return Err(card.error_at(6, message));
    }
    let position = position(card, 2, 3, systems, 0)?;
    let place = mesh.nodes.len();
    if let Some(known) = mesh.places.get(&id) {
        if mesh.nodes[*known].position != position {
            return Err(card.error(format!("GRID {id} is already defined elsewhere")));
        }
        return Ok(());
    }
    mesh.places.insert(id, place);
    mesh.nodes.push(FeNode { id, position });
    Ok(())
}

/// Three fields from `at` on, seen in the system that field `system` names.
fn position(
    card: &Card<'_>,
    system: usize,
    at: usize,
    systems: &BTreeMap<u64, &Card<'_>>,
    depth: usize,
) -> Result<Vec3, ReadError> {
    let real = |at: usize| {
        if card.field(at).is_empty() {
            Ok(0.0)
        } else {
            card.real(at)
        }
    };
    let local = Vec3::new(real(at)?, real(at + 1)?, real(at + 2)?);
    let name = card.field(system);
    if matches!(name, "" | "0") {
        return Ok(local);
    }
    let known = name.parse().ok().and_then(|id: u64| systems.get(&id));
    let Some(frame) = known else {
        let message = format!(
            "there is no system {}; valid: 0 or one of CORD2R, CORD2C, CORD2S",
            quote(name)
        );
        return Err(card.error_at(system, message));
    };
    if depth > MAX_DEPTH {
        return Err(frame.error("systems refer to one another in a circle"));
    }
    let point = |at: usize| position(frame, 2, at, systems, depth + 1);
    let (a, b, c) = (point(3)?, point(6)?, point(9)?);
    let axes = (b - a).try_normalize(0.0).and_then(|z| {
        let y = z.cross(&(c - a)).try_normalize(0.0)?;
        Some(Mat3::from_columns(&[y.cross(&z), y, z]))
    });
    let Some(axes) = axes else {
        return Err(frame.error("its three points are on one line"));
    };
    let radians = |degrees: f64| degrees.to_radians();
    let cartesian = match frame.keyword.as_str() {
        "CORD2R" => local,
        "CORD2C" => {
            let angle = radians(local.y);
            Vec3::new(local.x * cos(angle), local.x * sin(angle), local.z)
        }
        _ => {
            let (theta, phi) = (radians(local.y), radians(local.z));
            Vec3::new(sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)) * local.x
        }
    };
    Ok(a + axes * cartesian)
}

/// `SET1, number, nodes…`, with `THRU` between two for a range.
fn set(card: &Card<'_>, mesh: &Mesh) -> Result<Vec<usize>, ReadError> {
    let mut places = Vec::new();
    let (mut last, mut range) = (None, false);
    for at in 2..card.fields.len() {
        let field = card.field(at);
        if field.is_empty() {
            continue;
        }
        if field.eq_ignore_ascii_case("THRU") {
            range = true;
            continue;
        }
        match (range, last) {
            (true, Some(first)) => {
                let end = card.identifier(at)?;
                if end < first {
                    return Err(
                        card.error_at(at, format!("the range ends with {end} below {first}"))
                    );
                }
                places.extend(mesh.places.range(first..=end).map(|(_, place)| *place));
            }
            (true, None) => return Err(card.error_at(at, "THRU has no number before it")),
            _ => places.push(place(card, at, mesh)?),
        }
        last = Some(card.identifier(at)?);
        range = false;
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}
