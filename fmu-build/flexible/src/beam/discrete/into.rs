//! Control plane: inserts a chain into an existing model, attached to its markers.
//!
//! A named point of the line coincides with a marker, and the axes of the line's description are those of the marker;
//! further named points must then coincide with their markers too. Numbers are written in the model's units. The text
//! of the model does not change except for the additions.

use std::io::{self, Write};

use fixstep_kernel::math::rotation::matrix;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::Marker as Known;
use fixstep_model::Model;

use serde::Serialize;
use serde_json::ser::Formatter;

use super::{Chain, End, Joint, Law, orientation};
use crate::beam::Beams;
use crate::swap::json::{Edits, Spanned};

/// Largest distance of a point from its marker, in lengths of the line.
const APART: f64 = 1e-6;

/// Where a chain goes.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Number of segments.
    pub segments: usize,
    /// How the ends are held. By default an end at a marker is rigid, any other is free.
    pub ends: [Option<End>; 2],
    /// Points by name, and the markers with which they coincide; the first locates the line.
    pub at: Vec<(String, String)>,
}

/// A rigid displacement of the line.
#[derive(Clone, Copy)]
struct Place {
    origin: Vec3,
    axes: Mat3,
}

impl Place {
    fn of(&self, p: &Vec3) -> Vec3 {
        self.origin + self.axes * p
    }
}

/// The text of a model with a chain.
pub fn into(text: &str, model: &Model, beams: &Beams, ask: &Ask) -> Result<String, String> {
    let held = held(model, beams, ask)?;
    let place = place(model, beams, &held)?;
    let last = beams.points.len() - 1;
    let ends = [0, 1].map(|which| {
        let stands = held.iter().any(|(point, _)| *point == [0, last][which]);
        let usual = if stands { End::Rigid } else { End::Free };
        ask.ends[which].unwrap_or(usual)
    });
    let mut chain = super::chain(beams, ask.segments, ends)?;
    chain.move_to(&place);
    for (point, marker) in &held {
        chain.attach(model, beams, (*point, marker), &place);
    }
    chain.write_in(model);
    chain.join(text)
}

/// Places of points, and their markers.
fn held<'a>(model: &'a Model, beams: &Beams, ask: &Ask) -> Result<Vec<(usize, &'a Known)>, String> {
    let find = |(point, marker): &(String, String)| {
        let named = |p: &crate::beam::input::Point| p.name.as_deref() == Some(point);
        let names = || {
            let names: Vec<&str> = beams
                .points
                .iter()
                .filter_map(|p| p.name.as_deref())
                .collect();
            names.join(", ")
        };
        let missing = || format!("the line has no point \"{point}\"; valid: {}", names());
        let at = beams.points.iter().position(named).ok_or_else(missing)?;
        let known = model
            .mechanism
            .markers
            .iter()
            .find(|known| known.name == *marker);
        let missing = || format!("the model has no marker \"{marker}\"");
        Ok((at, known.ok_or_else(missing)?))
    };
    let held: Vec<_> = ask.at.iter().map(find).collect::<Result<_, String>>()?;
    if held.is_empty() {
        return Err("the chain is not attached; valid: a point at a marker".to_owned());
    }
    Ok(held)
}

/// Where a marker is at the start, and its axes.
fn pose(model: &Model, marker: &Known) -> (Vec3, Mat3) {
    let body = &model.mechanism.bodies[marker.body.index()];
    (
        body.position + body.orientation * marker.position,
        body.orientation * marker.orientation,
    )
}

/// The placement that the first point gives, if the other points agree.
fn place(model: &Model, beams: &Beams, held: &[(usize, &Known)]) -> Result<Place, String> {
    let (first, marker) = held[0];
    let (at, axes) = pose(model, marker);
    let place = Place {
        origin: at - axes * beams.points[first].position,
        axes,
    };
    let length: f64 = (0..beams.segments.len()).map(|k| beams.length(k)).sum();
    for (point, other) in &held[1..] {
        let point = &beams.points[*point];
        let off = pose(model, other).0 - place.of(&point.position);
        if off.norm() > APART * length {
            let seen = axes.tr_mul(&(pose(model, other).0 - place.origin));
            return Err(format!(
                "the point \"{}\" is {:.6} m from marker \"{}\" when the line begins at marker \"{}\" with its \
                 axes; valid: the position [{}, {}, {}] of this point, or other axes of the first marker",
                point.name.as_deref().unwrap_or_default(),
                off.norm(),
                other.name,
                marker.name,
                seen.x,
                seen.y,
                seen.z
            ));
        }
    }
    Ok(place)
}

/// The rotation that an orientation of a chain is.
fn axes_of(given: Option<&super::Orientation>) -> Mat3 {
    given.map_or(Mat3::identity(), |o| matrix(&o.quaternion))
}

impl Chain {
    /// Parts, and markers on ground.
    fn move_to(&mut self, place: &Place) {
        for part in &mut self.parts {
            let axes = place.axes * axes_of(part.orientation.as_ref());
            part.orientation = orientation(&axes);
            part.position = place.of(&Vec3::from(part.position)).into();
        }
        for marker in self.markers.iter_mut().filter(|m| m.part == "ground") {
            let axes = place.axes * axes_of(marker.orientation.as_ref());
            marker.orientation = orientation(&axes);
            let at = marker.position.map_or(Vec3::zeros(), Vec3::from);
            marker.position = Some(place.of(&at).into());
        }
    }

    /// Attaches a point to the part of a marker; a point between the ends is fixed there.
    fn attach(&mut self, model: &Model, beams: &Beams, held: (usize, &Known), place: &Place) {
        let (point, known) = held;
        let Some(name) = &beams.points[point].name else {
            return;
        };
        let own = format!("{}_{name}", beams.name);
        let base = format!("{own}_base");
        let body = &model.mechanism.bodies[known.body.index()];
        let between = point > 0 && point + 1 < beams.points.len();
        if between {
            // the axes of the segment's marker, which are those of its part
            let part = self.markers.iter().find(|m| m.name == own);
            let part = part.and_then(|m| self.parts.iter().find(|p| p.name == m.part));
            let axes = axes_of(part.and_then(|p| p.orientation.as_ref()));
            self.marker(base.clone(), String::new(), Vec3::zeros(), &axes);
            self.joints.push(Joint {
                name: own.clone(),
                kind: "fixed",
                i: own,
                j: base.clone(),
            });
        }
        let Some(marker) = self.markers.iter_mut().find(|m| m.name == base) else {
            return;
        };
        let axes = body
            .orientation
            .tr_mul(&axes_of(marker.orientation.as_ref()));
        let node = body.flexible.as_ref().zip(known.node());
        let node = node.map(|(flex, node)| &flex.data.nodes[node]);
        marker.part.clone_from(&body.name);
        marker.node = node.map(|node| match &node.name {
            Some(name) => name.as_str().into(),
            None => node.id.into(),
        });
        marker.orientation = orientation(&axes);
        let from = node.map_or(Vec3::zeros(), |node| node.position);
        let at = if known.body.index() == 0 {
            place.of(&beams.points[point].position)
        } else {
            known.position - from
        };
        marker.position = (at.norm() > 0.0).then_some(at.into());
    }

    /// To the units of a model.
    fn write_in(&mut self, model: &Model) {
        let units = &model.mechanism.units;
        let [length, mass, force, time, angle] = [
            &units.length,
            &units.mass,
            &units.force,
            &units.time,
            &units.angle,
        ]
        .map(|unit| unit.factor);
        for part in &mut self.parts {
            part.mass /= mass;
            let inertia = mass * length * length;
            for value in [
                &mut part.inertia.xx,
                &mut part.inertia.yy,
                &mut part.inertia.zz,
            ] {
                *value /= inertia;
            }
            for x in &mut part.position {
                *x /= length;
            }
        }
        for position in self.markers.iter_mut().filter_map(|m| m.position.as_mut()) {
            for x in position.iter_mut() {
                *x /= length;
            }
        }
        for law in &mut self.forces {
            if let Some(ratio) = &mut law.damping_ratio {
                *ratio /= time;
            }
            law.law.write_in(length, force, angle);
        }
        for output in &mut self.outputs {
            output.unit.clone_from(&units.length.name);
        }
    }

    /// The text of a model with all of it.
    fn join(&self, text: &str) -> Result<String, String> {
        let root = Spanned::of(text).ok_or_else(|| "the model is not JSON".to_owned())?;
        let mut edits = Edits::default();
        edits.append(text, &root, "parts", &texts(&self.parts));
        edits.append(text, &root, "markers", &texts(&self.markers));
        edits.append(text, &root, "joints", &texts(&self.joints));
        edits.append(text, &root, "forces", &texts(&self.forces));
        edits.append(text, &root, "outputs", &texts(&self.outputs));
        Ok(edits.apply(text, 0..text.len()))
    }
}

impl Law {
    fn write_in(&mut self, length: f64, force: f64, angle: f64) {
        match self {
            Self::Beam {
                length: l,
                youngs_modulus,
                shear_modulus,
                area,
                ixx,
                iyy,
                izz,
                ..
            } => {
                let square = length * length;
                *l /= length;
                *area /= square;
                for modulus in [youngs_modulus, shear_modulus] {
                    *modulus *= square / force;
                }
                for moment in [ixx, iyy, izz] {
                    *moment /= square * square;
                }
            }
            Self::Field {
                stiffness,
                displacement,
            } => {
                // force and torque, over length and angle
                let (load, motion) = ([force, force * length], [length, angle]);
                for (r, row) in stiffness.iter_mut().enumerate() {
                    for (c, value) in row.iter_mut().enumerate() {
                        *value *= motion[c / 3] / load[r / 3];
                    }
                }
                for x in displacement.iter_mut() {
                    *x /= length;
                }
            }
        }
    }
}

/// Each of a list on one line; plain data always has a text.
fn texts<T: Serialize>(list: &[T]) -> Vec<String> {
    let text = |x: &T| {
        let mut bytes = Vec::new();
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, Spaced);
        let _ = x.serialize(&mut writer);
        String::from_utf8(bytes).unwrap_or_default()
    };
    list.iter().map(text).collect()
}

/// JSON on one line, as people write it.
struct Spaced;

impl Spaced {
    fn comma<W: ?Sized + Write>(writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }
}

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        Self::comma(w, first)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        Self::comma(w, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        w.write_all(b": ")
    }
}

#[cfg(test)]
mod tests;
