//! Control plane: mass properties of parts that consist of solids, which are drawn too.

use super::builder::{Builder, Settled};
use super::parts::Masses;
use super::{shapes, surfaces};
use crate::errors::{At, quote};
use crate::mesh_mass::{self, Summary};
use crate::schema::{Number, Solid, SolidCommon, SolidMesh};
use crate::shapes::{Kind, Shape};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::ValueId;
use fixstep_kernel::math::axes::AxesForm;
use fixstep_kernel::math::solid::{MassProperties, SolidShape};
use fixstep_kernel::mechanism::{
    BodyKind, Construction, Finding, LintRule, MassFault, MassRule, Piece, Source, ValueRule,
};

/// The densest stuff there is has 22600 kg/m³, the lightest solids about 0.2.
const DENSITIES: std::ops::RangeInclusive<f64> = 0.1..=25_000.0;
/// Sizes \[m\] of a part that are usual: from that of a grain to that of a large ship.
const SIZES: std::ops::RangeInclusive<f64> = 1e-4..=500.0;
/// The same of a mesh whose unit the model does not say: files do not say it either, and metres are taken for millimetres, or the
/// reverse.
const UNSAID: std::ops::RangeInclusive<f64> = 3e-3..=10.0;

/// The mass properties of the part that is read.
pub(super) fn masses(
    b: &mut Builder<'_>,
    solids: &[Solid],
    mass: Option<&Number>,
    at: &At,
) -> Masses {
    let own = b.own_body(BodyKind::Rigid);
    let at_solids = at.field("solids");
    let before = b.report.count();
    let mut numbers = Vec::new();
    if let Some(mass) = mass {
        let unit = b.units.to_si(Dimension::Mass);
        numbers.push(b.settled(mass, unit, &at.field("mass")));
    }
    let mut pieces = Vec::new();
    for (k, solid) in solids.iter().enumerate() {
        let at = at_solids.index(k);
        pieces.extend(piece(b, (solid, mass.is_some()), &mut numbers, &at));
    }
    if solids.is_empty() {
        b.report.add(&at_solids, "there is none; give one or more");
    }
    let rule = MassRule {
        pieces,
        weighed: mass.is_some(),
    };
    let found = (b.report.count() == before)
        .then(|| {
            let plain: Vec<f64> = numbers.iter().map(|settled| settled.value).collect();
            let found = rule.properties(&plain);
            found.map_err(|fault| tell(b, &fault, at)).ok()
        })
        .flatten();
    b.build(Construction::Mass(own, rule), &numbers, &at_solids);
    let whole = found.unwrap_or_else(|| {
        // It has been reported; a unit sphere hides nothing else.
        let one = SolidShape::Sphere.properties(1.0, &[1.0]);
        one.unwrap_or_else(|| MassProperties::sum(&[]))
    });
    if found.is_some() {
        let (kind, name, _) = at.place();
        let line = format!("{kind} {}, by its solids: {}", quote(name), words(&whole));
        b.solids.push(line);
    }
    let [xx, yy, zz, xy, xz, yz] = whole.values();
    let mut value = |si: f64, rule| constant(b, si, rule, &at_solids);
    let (some, any) = (ValueRule::Positive, ValueRule::Finite);
    Masses {
        mass: value(whole.mass, some),
        center: whole.center,
        inertia: [
            value(xx, some),
            value(yy, some),
            value(zz, some),
            value(xy, any),
            value(xz, any),
            value(yz, any),
        ],
    }
}

/// Mass properties in words.
fn words(of: &MassProperties) -> String {
    let values = of.values();
    let largest = values.into_iter().fold(0.0, f64::max);
    let [xx, yy, zz, xy, xz, yz] = values.map(|x| without_rounding(x, largest));
    // A length of the part, against which the centre is at zero or not.
    let length = (largest / of.mass).sqrt();
    let [x, y, z] =
        [of.center.x, of.center.y, of.center.z].map(|x| digits(without_rounding(x, length)));
    format!(
        "{} kg, centre of mass ({x}, {y}, {z}) m, inertia about it xx {xx:.6e}, yy {yy:.6e}, zz {zz:.6e}, xy {xy:.6e}, \
         xz {xz:.6e}, yz {yz:.6e} kg m²",
        digits(of.mass)
    )
}

/// A number with six decimals, or with six digits if it is small.
fn digits(x: f64) -> String {
    if x == 0.0 || x.abs() >= 1e-3 {
        format!("{x:.6}")
    } else {
        format!("{x:.6e}")
    }
}

/// Zero for what is nothing but rounding beside numbers of this size.
fn without_rounding(x: f64, size: f64) -> f64 {
    if x.abs() <= 1e-12 * size { 0.0 } else { x }
}

/// A mesh in words.
fn mesh_words(path: &str, found: &Summary) -> String {
    let shells = match found.shells.as_slice() {
        [_] => "one shell".to_owned(),
        shells => {
            let cavities = shells.iter().filter(|volume| **volume < 0.0).count();
            format!("{} shells, {cavities} of them cavities", shells.len())
        }
    };
    format!(
        "mesh {}: {} triangles ({} of them without area) in {shells}; {} x {} x {} m, surface {:.6e} m², volume {:.6e} m³",
        quote(path),
        found.triangles,
        found.flat,
        digits(found.size.x),
        digits(found.size.y),
        digits(found.size.z),
        found.area,
        found.whole.mass
    )
}

/// A number of an element in SI.
fn constant(b: &mut Builder<'_>, si: f64, rule: ValueRule, at: &At) -> ValueId {
    b.si_number(si, rule, at)
}

fn tell(b: &mut Builder<'_>, fault: &MassFault, at: &At) {
    let at_solids = at.field("solids");
    let at = match fault {
        MassFault::Number { piece, field, .. } => at_solids.index(*piece).field(field),
        MassFault::Axes(piece, axes) => {
            let at = at_solids.index(*piece).field("orientation");
            crate::frames::tell(*axes, &at, b.report);
            return;
        }
        MassFault::Weighed(_) => at.field("mass"),
        _ => at_solids,
    };
    let message = match fault {
        MassFault::Number { value, valid, .. } => {
            format!("must be {valid}; found {value} in SI units")
        }
        MassFault::Weighed(mass) => format!("must be more than zero; found {mass} in SI units"),
        other => other.to_string(),
    };
    b.report.add(&at, message);
}

/// A solid, whose numbers are appended; `None` after a report.
fn piece(
    b: &mut Builder<'_>,
    (solid, weighed): (&Solid, bool),
    numbers: &mut Vec<Settled>,
    at: &At,
) -> Option<Piece> {
    let common = common(solid);
    let density = match (common.density, weighed) {
        (Some(density), _) => {
            let unit = b.units.to_si(Dimension::Density);
            let density = b.settled(density, unit, &at.field("density"));
            if !weighed {
                doubt_density(b, density.value, at);
            }
            density
        }
        (None, true) => plain(1.0),
        (None, false) => {
            let message = "the field \"density\" is missing; give it, or the \"mass\" of the part";
            b.report.add(at, message);
            return None;
        }
    };
    numbers.push(density);
    let first = numbers.len();
    let (shape, kind) = dimensions(b, solid, numbers, at)?;
    let unit = b.units.to_si(Dimension::Length);
    for k in 0..3 {
        let at = at.field("position").index(k);
        let zero = Number::Constant(0.0);
        let number = common.position.map_or(&zero, |position| &position[k]);
        numbers.push(b.settled(number, unit, &at));
    }
    let axes = common.orientation.map(|orientation| {
        let (form, own) = b.axes_numbers(orientation, common.position, at);
        numbers.extend(own);
        form
    });
    draw(b, (kind, axes), &common, &numbers[first..], at);
    Some(Piece {
        shape,
        axes,
        hole: common.hole,
    })
}

/// A solid that is no hole is drawn; its numbers are its dimensions, its origin, and those of its axes.
fn draw(
    b: &mut Builder<'_>,
    (kind, axes): (Kind, Option<AxesForm>),
    common: &SolidCommon<'_>,
    numbers: &[Settled],
    at: &At,
) {
    let color = shapes::color(b, common.color, at);
    let opacity = shapes::opacity(b, common.opacity, at);
    if common.hole {
        return;
    }
    // A mesh has mass properties in place of dimensions.
    let skipped = match kind {
        Kind::Mesh(_) => SolidShape::Given.dimensions().len(),
        _ => 0,
    };
    let numbers = numbers.iter().skip(skipped);
    let shape = Shape {
        name: String::new(),
        body: b.own_body(BodyKind::Rigid),
        marker: None,
        kind,
        axes,
        numbers: numbers.map(|settled| settled.source).collect(),
        color,
        opacity,
    };
    b.drawn.push(shape);
}

fn plain(value: f64) -> Settled {
    Settled {
        value,
        source: Source::Number(value),
    }
}

fn common(solid: &Solid) -> SolidCommon<'_> {
    match solid {
        Solid::Box(x) => x.into(),
        Solid::Cylinder(x) => x.into(),
        Solid::Tube(x) => x.into(),
        Solid::Sphere(x) => x.into(),
        Solid::Ellipsoid(x) => x.into(),
        Solid::Cone(x) => x.into(),
        Solid::Capsule(x) => x.into(),
        Solid::Mesh(x) => x.into(),
    }
}

/// The shape, whose dimensions are appended.
fn dimensions(
    b: &mut Builder<'_>,
    solid: &Solid,
    numbers: &mut Vec<Settled>,
    at: &At,
) -> Option<(SolidShape, Kind)> {
    let zero = Number::Constant(0.0);
    let (shape, given): (SolidShape, Vec<&Number>) = match solid {
        Solid::Box(x) => (SolidShape::Box, x.size.iter().collect()),
        Solid::Cylinder(x) => (SolidShape::Cylinder, vec![&x.radius, &x.length]),
        Solid::Tube(x) => (
            SolidShape::Tube,
            vec![&x.radius, &x.inner_radius, &x.length],
        ),
        Solid::Sphere(x) => (SolidShape::Sphere, vec![&x.radius]),
        Solid::Ellipsoid(x) => (SolidShape::Ellipsoid, x.radii.iter().collect()),
        Solid::Cone(x) => {
            let top = x.top_radius.as_ref().unwrap_or(&zero);
            (SolidShape::Cone, vec![&x.radius, top, &x.length])
        }
        Solid::Capsule(x) => (SolidShape::Capsule, vec![&x.radius, &x.length]),
        Solid::Mesh(x) => return mesh(b, x, numbers, at),
    };
    let unit = b.units.to_si(Dimension::Length);
    for (number, (field, _)) in given.into_iter().zip(shape.dimensions()) {
        numbers.push(b.settled(number, unit, &at.field(field)));
    }
    Some((shape, Kind::Solid(shape)))
}

/// What a mesh encloses, at a density of one.
fn mesh(
    b: &mut Builder<'_>,
    data: &SolidMesh,
    numbers: &mut Vec<Settled>,
    at: &At,
) -> Option<(SolidShape, Kind)> {
    let at_file = at.field("file");
    let scale = surfaces::mesh_scale(b, &data.file, data.scale.as_ref(), at)?;
    let triangles = b.triangles(&data.file, &at_file)?;
    let mirrored = data.mirrored.unwrap_or(false);
    let found = match mesh_mass::summary(&triangles, scale, mirrored) {
        Ok(found) => found,
        Err(fault) => {
            let message = format!("{}: {fault}", quote(&data.file));
            b.report.add(&at_file, message);
            return None;
        }
    };
    doubt_size(b, &found, data, at);
    b.solids.push(mesh_words(&data.file, &found));
    let (of, i) = (&found.whole, &found.whole.inertia);
    let own = [
        of.mass,
        of.center.x,
        of.center.y,
        of.center.z,
        i[(0, 0)],
        i[(1, 1)],
        i[(2, 2)],
        i[(0, 1)],
        i[(0, 2)],
        i[(1, 2)],
    ];
    numbers.extend(own.map(plain));
    let (vertices, triangles) = triangles;
    let surface = shapes::surface(vertices, triangles, scale, mirrored);
    Some((SolidShape::Given, surface))
}

/// Warns of a density that nothing has.
fn doubt_density(b: &mut Builder<'_>, density: f64, at: &At) {
    if density <= 0.0 || DENSITIES.contains(&density) {
        return;
    }
    let what = format!("its density is {density:.4e} kg/m³; steel has 7850, water 1000, cork 200");
    let remedy = "give the density with its unit: \"7850 kg/m3\"";
    doubt(b, "solids", what, remedy, at);
}

/// Warns of a mesh that is as large as no part.
fn doubt_size(b: &mut Builder<'_>, found: &Summary, data: &SolidMesh, at: &At) {
    let largest = found.size.max();
    let said = data.scale.is_some() || surfaces::is_gltf(&data.file);
    let usual = if said { &SIZES } else { &UNSAID };
    if usual.contains(&largest) {
        return;
    }
    let taken = if said {
        ""
    } else {
        ", as it says no unit and that of the model is taken"
    };
    let what = format!(
        "the mesh {} is {largest:.4e} m long and encloses {:.4e} m³, {:.4e} kg if it were of steel{taken}",
        quote(&data.file),
        found.whole.mass,
        found.whole.mass * 7850.0
    );
    let remedy = "give the length of its unit: \"scale\": \"1 mm\"";
    doubt(b, "solids", what, remedy, at);
}

fn doubt(b: &mut Builder<'_>, field: &str, what: String, remedy: &str, at: &At) {
    let (kind, name, _) = at.place();
    let entity = (kind, name, field);
    let finding = Finding::new(LintRule::UnitMismatch, entity, what, remedy);
    b.findings.push(finding);
}
