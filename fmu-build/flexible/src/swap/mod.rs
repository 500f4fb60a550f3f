//! Control plane: replaces a rigid part by a flexible body.
//!
//! The body takes the part's name, pose and initial velocities; mass, centre and inertia come from its file. Each
//! marker of the part goes to the nearest named node (to any node if none has a name), and the remaining distance
//! becomes the marker's position from there. The text of the model changes only at these places.

pub mod json;

use std::fmt;

use fixstep_kernel::flex::FlexData;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{BodyKind, ValueSource};
use fixstep_model::Model;
use fixstep_model::resources::path_fault;
use json::{Edits, Member, Spanned, separator};

/// Distance below which a marker is at its node, relative to the size of the body.
const AT_NODE: f64 = 1e-9;
/// Largest distance of a marker from the nearest node, as a share of the size of the body.
const NEAR: f64 = 0.01;

/// The settings of a replacement.
#[derive(Clone, Debug, Default)]
pub struct Swap {
    /// The part.
    pub part: String,
    /// The path of the body's file, as the model will contain it.
    pub file: String,
    /// Markers and the nodes that they must go to.
    pub attach: Vec<(String, String)>,
    /// Largest distance of a marker from its node \[m\]; none: a hundredth of the size of the body.
    pub tolerance: Option<f64>,
}

/// Why a part was not swapped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct SwapError(pub Vec<String>);

impl From<String> for SwapError {
    fn from(message: String) -> Self {
        Self(vec![message])
    }
}

/// A model with a flexible body.
#[derive(Clone, Debug)]
pub struct Swapped {
    /// Its text.
    pub text: String,
    /// Where markers went.
    pub markers: Vec<Attached>,
    /// How the body differs from the part.
    pub difference: Difference,
}

/// A marker at its node.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// The marker.
    pub marker: String,
    /// The node: its name or its number.
    pub node: String,
    /// From the node to the marker \[m\].
    pub offset: Vec3,
}

/// Mass properties of the part and of the undeformed body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Mass and inertia of the part; `None` if they depend on parameters.
    pub part: Option<Inertia>,
    /// Mass and inertia of the body.
    pub body: Inertia,
}

/// Mass, centre and inertia about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass from the origin \[m\].
    pub center: Vec3,
    /// Inertia about the centre [kg m²].
    pub inertia: Mat3,
}

impl Inertia {
    /// Mass and inertia of an undeformed body.
    pub fn of(data: &FlexData) -> Self {
        let center = data.invariants.center();
        Self {
            mass: data.invariants.mass,
            center,
            inertia: data.invariants.about(&center).i7,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(part) = &self.part else {
            return write!(
                f,
                "the part's mass or inertia follows parameters; the body's mass is {:.6} kg",
                self.body.mass
            );
        };
        let body = &self.body;
        let percent = |a: f64, b: f64, of: f64| 100.0 * (b - a) / of;
        writeln!(
            f,
            "{:<18}{:>14}{:>14}{:>12}",
            "", "part", "body", "difference"
        )?;
        let mut row = |name: &str, a: f64, b: f64, of: f64| {
            let [a, b] = [a, b].map(|x| fixed(x, 6));
            let share = fixed(percent(a.0, b.0, of), 2).1;
            writeln!(f, "{name:<18}{:>14}{:>14}{share:>10} %", a.1, b.1)
        };
        row("mass [kg]", part.mass, body.mass, part.mass)?;
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let of = part
                .center
                .norm()
                .max(body.center.norm())
                .max(f64::MIN_POSITIVE);
            row(
                &format!("centre {axis} [m]"),
                part.center[k],
                body.center[k],
                of,
            )?;
        }
        for (r, c, name) in [
            (0, 0, "Ixx"),
            (1, 1, "Iyy"),
            (2, 2, "Izz"),
            (0, 1, "Ixy"),
            (0, 2, "Ixz"),
            (1, 2, "Iyz"),
        ] {
            // products are positive integrals, as in the model
            let sign = if r == c { 1.0 } else { -1.0 };
            let of = (part.inertia[(r, r)] * part.inertia[(c, c)]).sqrt();
            let (a, b) = (sign * part.inertia[(r, c)], sign * body.inertia[(r, c)]);
            row(&format!("{name} [kg m2]"), a, b, of)?;
        }
        Ok(())
    }
}

/// A number as text with some digits; zero has no sign.
fn fixed(x: f64, digits: usize) -> (f64, String) {
    let text = format!("{x:.digits$}");
    let zero = text.bytes().all(|b| b"-0.".contains(&b));
    let bare = text.strip_prefix('-').filter(|_| zero);
    (x, bare.unwrap_or(&text).to_owned())
}

/// Swaps a part of a valid model for a body.
pub fn swap(text: &str, model: &Model, data: &FlexData, ask: &Swap) -> Result<Swapped, SwapError> {
    if let Some(fault) = path_fault(&ask.file) {
        return Err(format!("the file of the body, \"{}\": {fault}", ask.file).into());
    }
    let parts: Vec<&str> = model
        .mechanism
        .bodies
        .iter()
        .filter(|body| body.kind == BodyKind::Rigid)
        .map(|body| body.name.as_str())
        .collect();
    let Some(body) = model
        .mechanism
        .bodies
        .iter()
        .position(|body| body.name == ask.part && body.kind == BodyKind::Rigid)
    else {
        let message = format!(
            "there is no part \"{}\"; valid: {}",
            ask.part,
            parts.join(", ")
        );
        return Err(message.into());
    };
    let root = Spanned::of(text).ok_or_else(|| "the model is not JSON".to_owned())?;
    let markers = attach(model, body, data, ask)?;
    let mut edits = Edits::default();
    let list = root
        .member("markers")
        .map(|m| m.value.elements())
        .unwrap_or_default();
    for element in list {
        let name = element.string("name", text).unwrap_or_default();
        if let Some(attached) = markers.iter().find(|a| a.marker == name) {
            move_marker(
                &mut edits,
                text,
                element,
                attached,
                data,
                model.mechanism.units.length.factor,
            );
        }
    }
    move_part(&mut edits, text, &root, ask);
    Ok(Swapped {
        text: edits.apply(text, 0..text.len()),
        markers,
        difference: Difference {
            part: inertia(model, body),
            body: Inertia::of(data),
        },
    })
}

/// Mass properties of a part, where they are constants.
fn inertia(model: &Model, body: usize) -> Option<Inertia> {
    let body = &model.mechanism.bodies[body];
    let number =
        |id: fixstep_kernel::ids::ValueId| match model.mechanism.values.get(id.index())?.source {
            ValueSource::Constant(value) => Some(value),
            ValueSource::Expression(_) => None,
        };
    let mut i = [0.0; 6];
    for (value, id) in i.iter_mut().zip(body.inertia) {
        *value = number(id)?;
    }
    let [xx, yy, zz, xy, xz, yz] = i;
    Some(Inertia {
        mass: number(body.mass)?,
        center: body.center_of_mass,
        inertia: Mat3::new(xx, -xy, -xz, -xy, yy, -yz, -xz, -yz, zz),
    })
}

/// The node of each marker of a part.
fn attach(
    model: &Model,
    body: usize,
    data: &FlexData,
    ask: &Swap,
) -> Result<Vec<Attached>, SwapError> {
    let size = size(data);
    let tolerance = ask.tolerance.unwrap_or(NEAR * size);
    let mut problems = Vec::new();
    let mut attached = Vec::new();
    for (marker, _) in &ask.attach {
        let own = model
            .mechanism
            .markers
            .iter()
            .any(|m| m.name == *marker && m.body.index() == body);
        if !own {
            problems.push(format!(
                "the part \"{}\" has no marker \"{marker}\"",
                ask.part
            ));
        }
    }
    for marker in model
        .mechanism
        .markers
        .iter()
        .filter(|m| m.body.index() == body)
    {
        let forced = ask.attach.iter().find(|(name, _)| *name == marker.name);
        let node = match forced {
            Some((_, key)) => data.node(key).ok_or_else(|| {
                format!("marker \"{}\": the body has no node \"{key}\"; valid: {}", marker.name, names(data))
            }),
            None => nearest(data, &marker.position).filter(|(_, far)| *far <= tolerance).map(|(k, _)| k).ok_or_else(|| {
                let (name, far) = nearest(data, &marker.position)
                    .map_or(("none".to_owned(), f64::INFINITY), |(k, far)| (key(data, k), far));
                format!(
                    "marker \"{}\": the nearest node \"{name}\" is {far:.6} m away, the tolerance is {tolerance:.6} m; \
                     valid: a greater tolerance, or a node for this marker (--attach '{}={name}')",
                    marker.name, marker.name
                )
            }),
        };
        match node {
            Ok(k) => {
                let offset = marker.position - data.nodes[k].position;
                attached.push(Attached {
                    marker: marker.name.clone(),
                    node: key(data, k),
                    offset: if offset.norm() <= AT_NODE * size {
                        Vec3::zeros()
                    } else {
                        offset
                    },
                });
            }
            Err(message) => problems.push(message),
        }
    }
    if problems.is_empty() {
        Ok(attached)
    } else {
        Err(SwapError(problems))
    }
}

/// The diagonal of the box about the nodes.
fn size(data: &FlexData) -> f64 {
    let places = || data.nodes.iter().map(|node| node.position);
    let least = places().reduce(|a, b| a.inf(&b)).unwrap_or_default();
    let most = places().reduce(|a, b| a.sup(&b)).unwrap_or_default();
    (most - least).norm()
}

/// The node nearest to a place, and its distance: among those with names, if there are any.
fn nearest(data: &FlexData, place: &Vec3) -> Option<(usize, f64)> {
    let named = data.nodes.iter().any(|node| node.name.is_some());
    let candidates = data.nodes.iter().enumerate();
    let far = candidates
        .filter(|(_, node)| !named || node.name.is_some())
        .map(|(k, node)| (k, (node.position - place).norm()));
    far.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// A node's name or its number.
fn key(data: &FlexData, k: usize) -> String {
    let node = &data.nodes[k];
    node.name.clone().unwrap_or_else(|| node.id.to_string())
}

fn names(data: &FlexData) -> String {
    let named: Vec<&str> = data
        .nodes
        .iter()
        .filter_map(|node| node.name.as_deref())
        .collect();
    if named.is_empty() {
        format!("the numbers of its {} nodes", data.nodes.len())
    } else {
        format!("{}, or a number", named.join(", "))
    }
}

/// A marker's text: `node` after `part`, `position` relative to the node, and likewise points of the orientation.
fn move_marker(
    edits: &mut Edits,
    text: &str,
    element: &Spanned,
    attached: &Attached,
    data: &FlexData,
    unit: f64,
) {
    let spans: Vec<_> = element.members().iter().map(|m| m.span.clone()).collect();
    let between = separator(&spans, text);
    let Some(part) = element.member("part") else {
        return;
    };
    let Some(node) = data.node(&attached.node) else {
        return;
    };
    let named = data.nodes[node].name.is_some();
    let mut added = format!("{between}\"node\": ");
    added.push_str(&if named {
        quoted(&attached.node)
    } else {
        attached.node.clone()
    });
    let offset = attached.offset / unit;
    let place = element.members().iter().position(|m| m.key == "position");
    match place {
        Some(k) if attached.offset.norm() == 0.0 => edits.remove(&spans, k),
        Some(k) => edits.replace(element.members()[k].value.span.clone(), vector(&offset)),
        None if attached.offset.norm() > 0.0 => {
            added.push_str(&between);
            added.push_str("\"position\": ");
            added.push_str(&vector(&offset));
        }
        None => {}
    }
    edits.replace(part.span.end..part.span.end, added);
    let Some(orientation) = element.member("orientation") else {
        return;
    };
    for point in ["z_point", "x_point"] {
        if let Some(member) = orientation.value.member(point)
            && let Some(place) = orientation.value.vector(point, text)
        {
            let moved = Vec3::from(place) - data.nodes[node].position / unit;
            edits.replace(member.value.span.clone(), vector(&moved));
        }
    }
}

/// Removes the part from its list, and adds its text to the flexible bodies with a file in place of mass and inertia.
fn move_part(edits: &mut Edits, text: &str, root: &Spanned, ask: &Swap) {
    let Some(parts) = root.member("parts") else {
        return;
    };
    let elements = parts.value.elements();
    let named = |e: &Spanned| e.string("name", text).as_deref() == Some(&ask.part);
    let Some(at) = elements.iter().position(named) else {
        return;
    };
    let body = flexible(text, &elements[at], &ask.file);
    let spans: Vec<_> = elements.iter().map(|e| e.span.clone()).collect();
    edits.remove(&spans, at);
    if root.member("flexible_bodies").is_some() {
        edits.append(text, root, "flexible_bodies", &[body]);
        return;
    }
    // a new list after the parts, in their style
    let opening = &text[parts.value.span.start..spans[0].start];
    let closing = &text[spans[spans.len() - 1].end..parts.value.span.end];
    let before = root.members().iter().map(|m| m.span.clone());
    let before = before
        .take_while(|span| span.start < parts.span.start)
        .last();
    let between = before.map_or(", ".to_owned(), |span| {
        text[span.end..parts.span.start].to_owned()
    });
    let list = format!("{between}\"flexible_bodies\": {opening}{body}{closing}");
    edits.replace(parts.span.end..parts.span.end, list);
}

/// The text of a flexible body, from that of its part.
fn flexible(text: &str, part: &Spanned, file: &str) -> String {
    let spans: Vec<_> = part.members().iter().map(|m| m.span.clone()).collect();
    let kept =
        |m: &Member| !["mass", "center_of_mass", "inertia", "solids"].contains(&m.key.as_str());
    let between = separator(&spans, text);
    let mut members = Vec::new();
    for member in part.members().iter().filter(|m| kept(m)) {
        members.push(text[member.span.clone()].to_owned());
        if member.key == "name" {
            members.push(format!("\"file\": {}", quoted(file)));
        }
    }
    let (first, last) = (spans.first(), spans.last());
    let opening = first.map_or("{", |s| &text[part.span.start..s.start]);
    let closing = last.map_or("}", |s| &text[s.end..part.span.end]);
    format!("{opening}{}{closing}", members.join(&between))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn vector(v: &Vec3) -> String {
    // without the sign of a zero, and without rounding of a difference in the last digit
    let near = |x: f64| {
        if x.abs() < 4.0 {
            (x * 1e15).round() / 1e15
        } else {
            x
        }
    };
    let number = |x: f64| serde_json::Value::from(near(x) + 0.0).to_string();
    format!("[{}, {}, {}]", number(v.x), number(v.y), number(v.z))
}

#[cfg(test)]
mod tests;
