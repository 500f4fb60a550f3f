//! Control plane: reads and checks the JSON file that describes beams: a line of points, with a section between each
//! and the next.

use fixstep_kernel::math::Vec3;
use serde::Deserialize;

use super::element::Material;
use super::section::{Section, Shape};

/// Most elements of one file.
pub const MAX_ELEMENTS: usize = 20_000;
/// Number of elements of a segment for which the file gives none.
const ELEMENTS: usize = 10;

/// Why a file does not describe beams.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}: {message}")]
pub struct BeamError {
    /// The file.
    pub file: String,
    /// A line and column, or a field.
    pub place: String,
    /// The fault, and what would be valid.
    pub message: String,
}

/// The beam theory: behaviour of cross-sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theory {
    /// They stay perpendicular to the axis, and their rotation has no inertia.
    #[default]
    EulerBernoulli,
    /// They stay perpendicular, with inertia.
    Rayleigh,
    /// They shear, with inertia.
    Timoshenko,
}

/// How the mass of an element is distributed to its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mass {
    /// By the shape functions of the displacements.
    #[default]
    Consistent,
    /// Half of each element at either end, with the moments of inertia of that half.
    Lumped,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    description: String,
    points: Vec<FilePoint>,
    #[serde(default)]
    segments: Vec<FileSegment>,
    material: FileMaterial,
    section: Option<Shape>,
    #[serde(default)]
    elements: Option<usize>,
    #[serde(default)]
    z_axis: Option<[f64; 3]>,
    #[serde(default)]
    theory: Theory,
    #[serde(default)]
    mass: Mass,
    #[serde(default)]
    support: Option<String>,
    #[serde(default)]
    stresses: Vec<FileStress>,
    #[serde(default)]
    damping: Option<Damping>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePoint {
    name: Option<String>,
    position: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSegment {
    section: Option<Shape>,
    elements: Option<usize>,
    z_axis: Option<[f64; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileMaterial {
    youngs_modulus: f64,
    #[serde(default)]
    shear_modulus: Option<f64>,
    #[serde(default)]
    poissons_ratio: Option<f64>,
    density: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStress {
    name: String,
    point: String,
    y: f64,
    z: f64,
}

/// Damping of a beam that becomes a chain of rigid segments.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Damping {
    /// Share of critical damping.
    pub ratio: f64,
    /// At this frequency \[Hz\].
    pub frequency: f64,
}

/// Beams along a line of points.
#[derive(Clone, Debug)]
pub struct Beams {
    /// Name.
    pub name: String,
    /// Description for the reader.
    pub description: String,
    /// The points of the line.
    pub points: Vec<Point>,
    /// The connection of each point with the next.
    pub segments: Vec<Segment>,
    /// The beam theory.
    pub theory: Theory,
    /// How the mass of an element is distributed to its nodes.
    pub mass: Mass,
    /// The point that holds the body when inertia loads stretch it, or none.
    pub support: Option<usize>,
    /// Points for which stress is computed.
    pub stresses: Vec<StressPoint>,
    /// Damping of a beam that becomes a chain of rigid segments.
    pub damping: Option<Damping>,
}

/// A point of the line.
#[derive(Clone, Debug)]
pub struct Point {
    /// Points with names are interfaces.
    pub name: Option<String>,
    /// Where \[m\].
    pub position: Vec3,
}

/// The beam from one point to the next.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its section.
    pub section: Section,
    /// Its material.
    pub material: Material,
    /// How many elements.
    pub elements: usize,
    /// Approximate direction of the section's z axis; its part along the beam is ignored.
    pub z_axis: Vec3,
}

/// A point of a section for which stress is computed.
#[derive(Clone, Debug)]
pub struct StressPoint {
    /// Its name.
    pub name: String,
    /// Index among the points.
    pub point: usize,
    /// Along y and z of the section \[m\].
    pub place: [f64; 2],
}

impl Beams {
    /// Reads a description; `file` is for messages.
    pub fn read(text: &str, file: &str) -> Result<Self, BeamError> {
        let fail = |(place, message): (String, String)| BeamError {
            file: file.to_owned(),
            place,
            message,
        };
        let parsed: File = serde_json::from_str(text).map_err(|error| {
            let place = format!("line {} column {}", error.line(), error.column());
            let message = error.to_string();
            let end = message.rfind(" at line ").unwrap_or(message.len());
            fail((place, message[..end].to_owned()))
        })?;
        parsed.beams().map_err(fail)
    }

    /// The place of a point by its name.
    pub fn point(&self, name: &str) -> Option<usize> {
        let named = |point: &Point| point.name.as_deref() == Some(name);
        self.points.iter().position(named)
    }

    /// Length of a segment \[m\].
    pub fn length(&self, segment: usize) -> f64 {
        (self.points[segment + 1].position - self.points[segment].position).norm()
    }
}

type Fault = (String, String);

fn fault<T>(place: impl Into<String>, message: impl Into<String>) -> Result<T, Fault> {
    Err((place.into(), message.into()))
}

fn vector(place: &str, v: [f64; 3]) -> Result<Vec3, Fault> {
    if v.iter().all(|x| x.is_finite()) {
        return Ok(Vec3::from(v));
    }
    fault(place, "is not finite; valid: three finite numbers")
}

impl File {
    fn beams(&self) -> Result<Beams, Fault> {
        let points = self.points()?;
        let named: Vec<&str> = points.iter().filter_map(|p| p.name.as_deref()).collect();
        if named.is_empty() {
            return fault(
                "points",
                "no point has a name; valid: names at the points where joints or forces act",
            );
        }
        let find = |place: &str, name: &str| {
            let found = points.iter().position(|p| p.name.as_deref() == Some(name));
            let message = format!("there is no point \"{name}\"; valid: {}", named.join(", "));
            found.ok_or((place.to_owned(), message))
        };
        let support = match self.support.as_deref() {
            Some("free") => None,
            Some(name) => Some(find("support", name)?),
            None => points.iter().position(|p| p.name.is_some()),
        };
        let stress = |(k, s): (usize, &FileStress)| {
            let place = format!("stresses[{k}] \"{}\"", s.name);
            let point = find(&format!("{place}, field point"), &s.point)?;
            vector(&place, [s.y, s.z, 0.0])?;
            if self.stresses[..k].iter().any(|other| other.name == s.name) {
                return fault(place, "occurs twice; valid: a name of its own");
            }
            Ok(StressPoint {
                name: s.name.clone(),
                point,
                place: [s.y, s.z],
            })
        };
        if let Some(Damping { ratio, frequency }) = self.damping
            && !(ratio >= 0.0 && ratio.is_finite() && frequency > 0.0 && frequency.is_finite())
        {
            let message = format!(
                "ratio {ratio} at {frequency} Hz; valid: zero or more at a frequency more than zero"
            );
            return fault("damping", message);
        }
        Ok(Beams {
            name: self.name.clone(),
            description: self.description.clone(),
            segments: self.segments(&points)?,
            theory: self.theory,
            mass: self.mass,
            support,
            stresses: self
                .stresses
                .iter()
                .enumerate()
                .map(stress)
                .collect::<Result<_, _>>()?,
            damping: self.damping,
            points,
        })
    }

    fn points(&self) -> Result<Vec<Point>, Fault> {
        if self.points.len() < 2 {
            let message = format!("{}; valid: two or more", self.points.len());
            return fault("points", message);
        }
        let mut points: Vec<Point> = Vec::with_capacity(self.points.len());
        for (k, point) in self.points.iter().enumerate() {
            let place = format!("points[{k}]");
            let position = vector(&format!("{place}, field position"), point.position)?;
            if let Some(last) = points.last()
                && (last.position - position).norm() == 0.0
            {
                return fault(
                    place,
                    "is at the same place as the point before; valid: another place",
                );
            }
            if point.name.is_some() && points.iter().any(|other| other.name == point.name) {
                let name = point.name.as_deref().unwrap_or_default();
                return fault(place, format!("the name \"{name}\" occurs twice"));
            }
            points.push(Point {
                name: point.name.clone(),
                position,
            });
        }
        Ok(points)
    }

    fn segments(&self, points: &[Point]) -> Result<Vec<Segment>, Fault> {
        let count = points.len() - 1;
        if !self.segments.is_empty() && self.segments.len() != count {
            let message = format!(
                "{} for {} points; valid: {count}, one between each point and the next, or none",
                self.segments.len(),
                points.len()
            );
            return fault("segments", message);
        }
        let material = self.material.material()?;
        let mut segments = Vec::with_capacity(count);
        let mut total = 0;
        for k in 0..count {
            let own = self.segments.get(k);
            let place = format!("segments[{k}]");
            let Some(shape) = own
                .and_then(|s| s.section.as_ref())
                .or(self.section.as_ref())
            else {
                return fault(
                    place,
                    "has no section; valid: one here, or one for the whole file",
                );
            };
            let section = shape
                .section()
                .map_err(|message| (format!("{place}, field section"), message))?;
            let along = points[k + 1].position - points[k].position;
            let wanted = own.and_then(|s| s.z_axis).or(self.z_axis);
            let z_axis = match wanted {
                Some(v) => vector(&format!("{place}, field z_axis"), v)?,
                // z, or x where the beam itself is along z
                None if along.xy().norm() > 1e-6 * along.norm() => Vec3::z(),
                None => Vec3::x(),
            };
            if along.cross(&z_axis).norm() <= 1e-9 * along.norm() * z_axis.norm() {
                let message = "is parallel to the beam; valid: any other direction";
                return fault(format!("{place}, field z_axis"), message);
            }
            let elements = own
                .and_then(|s| s.elements)
                .or(self.elements)
                .unwrap_or(ELEMENTS);
            total += elements.max(1);
            if elements == 0 || total > MAX_ELEMENTS {
                let message = format!("{elements}; valid: 1 to {MAX_ELEMENTS} in all segments");
                return fault(format!("{place}, field elements"), message);
            }
            segments.push(Segment {
                section,
                material,
                elements,
                z_axis,
            });
        }
        Ok(segments)
    }
}

impl FileMaterial {
    fn material(&self) -> Result<Material, Fault> {
        for (name, value) in [
            ("youngs_modulus", self.youngs_modulus),
            ("density", self.density),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                let message = format!("is {value}; valid: more than zero");
                return fault(format!("material, field {name}"), message);
            }
        }
        let shear_modulus = match (self.shear_modulus, self.poissons_ratio) {
            (Some(g), None) if g > 0.0 && g.is_finite() => g,
            (None, Some(nu)) if nu > -1.0 && nu <= 0.5 => self.youngs_modulus / (2.0 + 2.0 * nu),
            (g, nu) => {
                let message = format!(
                    "shear_modulus {g:?}, poissons_ratio {nu:?}; valid: one of them, the modulus more than zero, \
                     the ratio above -1, at most 0.5"
                );
                return fault("material", message);
            }
        };
        Ok(Material {
            youngs_modulus: self.youngs_modulus,
            shear_modulus,
            density: self.density,
        })
    }
}

#[cfg(test)]
mod tests;
