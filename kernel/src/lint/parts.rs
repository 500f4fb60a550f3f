//! Control plane: finds masses and inertias that do not fit their part, and parts that nothing acts on.

use super::{Subject, show};
use crate::ids::MarkerId;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::mechanism::{
    Body, BodyKind, ContactBody, ContactShape, Finding, ForceKind, LintRule, MarkerBase, Mechanism,
};
use crate::system::length::characteristic_length;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Plausible radius of gyration, relative to the distance of markers and shapes from the centre of mass. The least: a
/// mass in grams falls short by the root of its factor. The greatest: a flywheel between close bearings may reach a
/// third of this limit.
const NARROW: f64 = 1.0 / 30.0;
const WIDE: f64 = 100.0;
/// The greatest for a part with a single marker, which may be an axis close to the centre of mass.
const WIDE_OF_ONE: f64 = 250.0;
/// Largest mass per cube of the size that any material has [kg/m³].
const DENSEST: f64 = 1e7;
/// A mass and density are odd if they exceed those of all other parts by this factor.
const HEAVIER: f64 = 100.0;
/// Likewise if they are smaller by this factor; and the ratio below which a mass is a dummy, meant as none.
const LIGHTER: f64 = 1.0 / 300.0;
const DUMMY: f64 = 1e-4;
/// Above this mass per cube of the size a part itself is heavy, rather than the others dummies: a steel ball has half
/// of it [kg/m³].
const HEAVY: f64 = 3e5;

/// Checks all parts.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let loaded = loaded(s.mechanism);
    let builds = builds(s, &loaded);
    for build in &builds {
        inertia(s, build, found);
    }
    masses(s, &builds, found);
    loose(s, &loaded, found);
}

/// Measurements of a part.
struct Build<'a> {
    body: &'a Body,
    mass: f64,
    /// Largest radius of gyration \[m\].
    gyration: f64,
    /// Distance from the centre of mass to the farthest shape or marker with a load \[m\].
    reach: f64,
    /// Are there at least two points that define the extent?
    extended: bool,
}

impl Build<'_> {
    /// Mass per cube of the size.
    fn density(&self) -> f64 {
        let size = self.gyration.max(self.reach);
        self.mass / (size * size * size)
    }
}

/// All rigid parts.
fn builds<'a>(s: &Subject<'a>, loaded: &[bool]) -> Vec<Build<'a>> {
    let is_rigid = |body: &&Body| body.kind == BodyKind::Rigid;
    let bodies = s.mechanism.bodies.iter().enumerate();
    let rigid = bodies.filter(|(_, body)| is_rigid(body));
    rigid.map(|(b, body)| build(s, loaded, b, body)).collect()
}

fn build<'a>(s: &Subject<'a>, loaded: &[bool], b: usize, body: &'a Body) -> Build<'a> {
    let mass = s.number(body.mass);
    let moments = [0, 1, 2].map(|k| s.number(body.inertia[k]));
    let greatest = moments.into_iter().fold(0.0, f64::max);
    let (mut reach, mut extended) = (0.0_f64, false);
    let mut first = None;
    for (m, marker) in s.mechanism.markers.iter().enumerate() {
        // A marker that is only measured may be anywhere.
        if marker.body.index() != b || marker.base != MarkerBase::Body || !loaded[m] {
            continue;
        }
        let place = marker.position - body.center_of_mass;
        let shape = shape(s, m);
        let first = first.get_or_insert(place);
        extended |= shape > 0.0 || (place - *first).norm() > 1e-6 * place.norm();
        reach = reach.max(place.norm() + shape);
    }
    Build {
        body,
        mass,
        gyration: (greatest / mass).sqrt(),
        reach,
        extended,
    }
}

/// Extent of contact shapes from a marker \[m\].
fn shape(s: &Subject<'_>, marker: usize) -> f64 {
    let mut reach = 0.0_f64;
    for force in &s.mechanism.forces {
        let ForceKind::Contact(contact) = &force.kind else {
            continue;
        };
        let [own, other] = contact.sizes.map(|sizes| sizes.map(|id| s.number(id)));
        if force.i.index() == marker {
            reach = reach.max(body_reach(&contact.body, own));
        }
        if force.j.index() == marker {
            reach = reach.max(surface_reach(&contact.shape, other));
        }
    }
    reach
}

fn body_reach(body: &ContactBody, sizes: [f64; 3]) -> f64 {
    match body {
        ContactBody::Sphere => sizes[0],
        ContactBody::Box => 0.5 * Vec3::from(sizes).norm(),
        ContactBody::Cylinder => drum(sizes),
        ContactBody::Hull(points) => points.iter().map(Vec3::norm).fold(0.0, f64::max),
        ContactBody::Curve(_) => 0.0,
    }
}

fn surface_reach(shape: &ContactShape, sizes: [f64; 3]) -> f64 {
    match shape {
        ContactShape::Sphere { .. } | ContactShape::Cylinder { .. } => sizes[0],
        ContactShape::Drum => drum(sizes),
        ContactShape::Box => 0.5 * Vec3::from(sizes).norm(),
        ContactShape::Plane
        | ContactShape::Terrain(_)
        | ContactShape::Mesh(_)
        | ContactShape::Curve { .. } => 0.0,
    }
}

/// Distance to the rim of a cylinder of this radius and length.
fn drum([radius, length, _]: [f64; 3]) -> f64 {
    (radius * radius + 0.25 * length * length).sqrt()
}

/// Checks the radius of gyration against the extent.
fn inertia(s: &Subject<'_>, build: &Build<'_>, found: &mut Vec<Finding>) {
    if build.reach <= 1e-6 * characteristic_length(s.system) {
        return;
    }
    let ratio = build.gyration / build.reach;
    let most = if build.extended { WIDE } else { WIDE_OF_ONE };
    if (NARROW..=most).contains(&ratio) {
        return;
    }
    let units = &s.mechanism.units;
    let (length, mass) = (&units.length, &units.mass);
    found.push(Finding::new(
        LintRule::OddInertia,
        ("part", &build.body.name, "inertia"),
        format!(
            "its largest radius of gyration is {} {}, but its markers and shapes reach {} {} from its centre of mass",
            show(build.gyration / length.factor),
            length.name,
            show(build.reach / length.factor),
            length.name
        ),
        &format!(
            "give inertia and mass in the units of the model, {} {}^2 and {}",
            mass.name, length.name, mass.name
        ),
    ));
}

/// Finds masses that no material gives, and masses far from all others.
fn masses(s: &Subject<'_>, builds: &[Build<'_>], found: &mut Vec<Finding>) {
    for (k, build) in builds.iter().enumerate() {
        let is_known = |f: &Finding| f.rule == LintRule::LightPart && f.name == build.body.name;
        if found.iter().any(is_known) {
            continue;
        }
        let others = builds.iter().enumerate().filter(|(other, _)| *other != k);
        let others: Vec<_> = others
            .map(|(_, other)| (other.mass, other.density()))
            .collect();
        let units = &s.mechanism.units;
        let given = format!(
            "{} {}",
            show(build.mass / units.mass.factor),
            units.mass.name
        );
        let what = if build.density() > DENSEST {
            let size = build.gyration.max(build.reach) / units.length.factor;
            format!(
                "{given} with an extent of about {} {} are denser than any material",
                show(size),
                units.length.name
            )
        } else if let Some((times, than)) = stands_out(build, &others) {
            format!(
                "{given} are {} times as much as {than} of all other parts",
                show(times)
            )
        } else {
            continue;
        };
        found.push(Finding::new(
            LintRule::OddMass,
            ("part", &build.body.name, "mass"),
            what,
            &format!(
                "give mass and inertia in the units of the model, {} and {} {}^2",
                units.mass.name, units.mass.name, units.length.name
            ),
        ));
    }
}

/// Compares a mass with those of at least two others; a result means that neither it nor its density is similar to
/// theirs.
fn stands_out(build: &Build<'_>, others: &[(f64, f64)]) -> Option<(f64, &'static str)> {
    if others.len() < 2 {
        return None;
    }
    let most = others
        .iter()
        .fold((0.0_f64, 0.0_f64), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    let first = (f64::INFINITY, f64::INFINITY);
    let least = others
        .iter()
        .fold(first, |a, b| (a.0.min(b.0), a.1.min(b.1)));
    let (over, under) = (build.mass / most.0, build.mass / least.0);
    let is_heavy = over < 1.0 / DUMMY || build.density() > HEAVY;
    if over > HEAVIER && is_heavy && build.density() > HEAVIER * most.1 {
        return Some((over, "the heaviest"));
    }
    let light = under < LIGHTER && under > DUMMY && build.density() < LIGHTER * least.1;
    light.then_some((under, "the lightest"))
}

/// Flags the markers at which a joint, a motion, a constraint or a force acts.
fn loaded(mechanism: &Mechanism) -> Vec<bool> {
    let mut loaded = vec![false; mechanism.markers.len()];
    let mut hold = |marker: MarkerId| loaded[marker.index()] = true;
    for joint in &mechanism.joints {
        [joint.i, joint.j].into_iter().for_each(&mut hold);
    }
    for motion in &mechanism.motions {
        [motion.i, motion.j].into_iter().for_each(&mut hold);
    }
    for constraint in &mechanism.general_constraints {
        constraint.markers.iter().copied().for_each(&mut hold);
    }
    for force in &mechanism.forces {
        hold(force.i);
        if !force.kind.row().alone {
            hold(force.j);
        }
    }
    loaded
}

/// Finds parts that no joint, motion or force acts on.
fn loose(s: &Subject<'_>, loaded: &[bool], found: &mut Vec<Finding>) {
    let mut held = vec![false; s.mechanism.bodies.len()];
    for (marker, loaded) in s.mechanism.markers.iter().zip(loaded) {
        held[marker.body.index()] |= loaded;
    }
    for (body, held) in s.mechanism.bodies.iter().zip(held) {
        // A part with an initial velocity is meant to fly.
        let flies = body.velocity.is_some() || body.angular_velocity.is_some();
        if held || flies || body.kind == BodyKind::Ground {
            continue;
        }
        found.push(Finding::new(
            LintRule::LoosePart,
            ("part", &body.name, ""),
            "no joint, motion or force acts on it: it only falls".to_owned(),
            "join it to another part or to ground, give it an initial velocity if it is meant to fly, or leave it out",
        ));
    }
}
