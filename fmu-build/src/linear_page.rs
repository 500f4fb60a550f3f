//! Control plane: the contents of pages for linear analyses: shapes on the mechanism, roots, and the operating point.

use faer::c64;
use fixstep_kernel::simulation::Coordinate;
use linear_analysis::LinearForm;
use linear_analysis::eigen::Root;
use linear_analysis::export::Value;
use linear_analysis::modes_report::figure;

use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::matrix;
use fixstep_pictures::payload::{Shape, ShapeMotion, SmallMotion};

use crate::operating_point::OperatingPoint;
use crate::page::{Cell, Page, Table};
use crate::plot::{Line, Panel, Plot, Scale};
use crate::scene;

/// Imaginary parts below this part of the largest displacement count as zero.
const IN_PHASE: f64 = 1e-3;

/// A shape and its description.
#[derive(Clone, Debug)]
pub struct Moving {
    /// Its frequency, in words.
    pub frequency: String,
    /// Its name.
    pub label: String,
    /// Displacements of the form's coordinates.
    pub shape: Vec<c64>,
}

/// Draws the mechanism at the operating point, and lets it move in shapes; the state of a form that has none is drawn at rest.
pub fn draw(page: &mut Page, at: &OperatingPoint, form: &LinearForm, all: &[Moving]) {
    let Some(scene) = &at.scene else {
        return;
    };
    let shape = |moving: &Moving| {
        let part = |part: fn(&c64) -> f64| -> Vec<Vec<f64>> {
            let numbers: Vec<f64> = moving.shape.iter().map(part).collect();
            motions(at, form, &numbers)
        };
        let (re, im) = (part(|x| x.re), part(|x| x.im));
        let largest = |of: &[Vec<f64>]| {
            of.iter()
                .flatten()
                .fold(0.0_f64, |most, x| most.max(x.abs()))
        };
        let turning = largest(&im) > IN_PHASE * largest(&re);
        let bodies = re.into_iter().zip(im).enumerate();
        let motion = |(body, (real, imaginary))| SmallMotion {
            body,
            real,
            imaginary: turning.then_some(imaginary),
        };
        Shape {
            name: moving.frequency.clone(),
            text: moving.label.clone(),
            of: None,
            motion: ShapeMotion::Small(bodies.map(motion).collect()),
        }
    };
    page.in_units(&at.mechanism.units);
    page.draw(
        (scene.clone(), at.frame.clone()),
        scene::markers(&at.mechanism),
        all.iter().map(shape).collect(),
    );
}

/// How bodies move with the coordinates of a form: the origin of their axes, rotation, modal coordinates.
fn motions(at: &OperatingPoint, form: &LinearForm, numbers: &[f64]) -> Vec<Vec<f64>> {
    let bodies = at.mechanism.bodies.iter();
    let mut motions: Vec<Vec<f64>> = bodies
        .map(|body| vec![0.0; 6 + body.flexible.as_ref().map_or(0, |own| own.modes.len())])
        .collect();
    let places = &at.linearization.tangents.places;
    for (unknown, x) in form.shapes.coordinates.iter().zip(numbers) {
        let (body, k) = match places[*unknown].coordinate {
            Coordinate::Pose { body, direction } => (body, direction),
            Coordinate::Modal { body, mode } => (body, 6 + mode),
            _ => continue,
        };
        if let Some(own) = motions[body.index()].get_mut(k) {
            *own = *x;
        }
    }
    // The coordinates are those of the centre of mass.
    let bodies = motions.iter_mut().zip(&at.mechanism.bodies);
    for ((motion, body), pose) in bodies.zip(&at.frame.poses) {
        let arm = matrix(&pose.place.rotation) * body.center_of_mass;
        let turn = Vec3::new(motion[3], motion[4], motion[5]);
        let moved = Vec3::new(motion[0], motion[1], motion[2]) - turn.cross(&arm);
        motion[..3].copy_from_slice(&[moved.x, moved.y, moved.z]);
    }
    motions
}

/// Is a root of a kind?
type OfKind = fn(&Root) -> bool;

/// Adds pictures of roots: in the plane of complex numbers, and damping over frequency. The first of them stand for so many shapes
/// of the page.
pub fn add_roots(page: &mut Page, roots: &[Root], shapes: usize) {
    if roots.is_empty() {
        return;
    }
    let shape = |k: usize| (k < shapes).then_some(k);
    let kinds: [(&str, OfKind); 3] = [
        ("stable", |root| !root.zero && root.value.re <= 0.0),
        ("unstable", |root| !root.zero && root.value.re > 0.0),
        ("zero", |root| root.zero),
    ];
    let mut numbers = Vec::new();
    let mut lines = Vec::new();
    for (name, of) in &kinds {
        let own = roots.iter().enumerate().filter(|(_, root)| of(root));
        let both = |(k, root): (usize, &Root)| {
            let conjugate = root
                .is_pair()
                .then_some((k, (root.value.re, -root.value.im)));
            std::iter::once((k, (root.value.re, root.value.im))).chain(conjugate)
        };
        let all: Vec<(usize, (f64, f64))> = own.flat_map(both).collect();
        if all.is_empty() {
            continue;
        }
        let (line, own) = marks(name, all);
        lines.push(line);
        numbers.push(own);
    }
    page.add_chart_of(
        "Roots",
        &Plot {
            x_label: String::from("real part [1/s]"),
            equal: true,
            panels: vec![Panel {
                y_label: String::from("imaginary part [rad/s]"),
                lines,
                ..Panel::default()
            }],
            ..Plot::default()
        },
        &|line, point| shape(numbers[line][point]),
    );
    let pairs = roots.iter().enumerate().filter(|(_, root)| root.is_pair());
    let damped = pairs.map(|(k, root)| {
        let hertz = root.frequency() / core::f64::consts::TAU;
        (k, (hertz, root.damping_ratio()))
    });
    let (damped, numbers) = marks("", damped.collect());
    if !damped.x.is_empty() {
        page.add_chart_of(
            "Damping",
            &Plot {
                x_label: String::from("undamped frequency [Hz]"),
                x_scale: Scale::Logarithmic,
                panels: vec![Panel {
                    y_label: String::from("damping ratio"),
                    lines: vec![damped],
                    ..Panel::default()
                }],
                ..Plot::default()
            },
            &|_, point| shape(numbers[point]),
        );
    }
}

/// Points by themselves, in the order of their abscissae, and the numbers of what they stand for.
fn marks(name: &str, mut points: Vec<(usize, (f64, f64))>) -> (Line, Vec<usize>) {
    points.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let numbers = points.iter().map(|(k, _)| *k).collect();
    let (x, y) = points.into_iter().map(|(_, at)| at).unzip();
    let line = Line {
        name: name.to_owned(),
        x,
        y,
        dots: true,
    };
    (line, numbers)
}

/// Adds the values of inputs, parameters and outputs at the operating point.
pub fn add_point(page: &mut Page, at: &OperatingPoint) {
    let kinds = [
        ("input", &at.point.inputs),
        ("parameter", &at.point.parameters),
        ("output", &at.point.outputs),
    ];
    let row = |kind: &str, value: &Value| {
        let texts = [&value.name, kind, &figure(value.value), &value.unit];
        texts.map(|text| Cell::Text(text.to_owned())).to_vec()
    };
    let rows = kinds.iter();
    let rows = rows.flat_map(|(kind, values)| values.iter().map(move |value| row(kind, value)));
    let table = Table {
        columns: ["variable", "kind", "value", "unit"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
        ..Table::default()
    };
    page.tab("Point");
    page.add_table("Operating point", table);
}

/// The line below the title: what was analysed, and when.
pub fn subtitle(what: &str, at: &OperatingPoint) -> String {
    format!("{what} at {} s", figure(at.time))
}
