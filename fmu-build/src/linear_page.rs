//! Control plane: the contents of pages for linear analyses: shapes on the mechanism, roots, and the operating point.

use faer::c64;
use fixstep_kernel::simulation::Coordinate;
use linear_analysis::LinearForm;
use linear_analysis::eigen::Root;
use linear_analysis::export::Value;
use linear_analysis::modes_report::figure;

use crate::animation::{Skeleton, SmallMotion};
use crate::operating_point::OperatingPoint;
use crate::page::{BodyMotion, Cell, Content, Page, Shape, Table};
use crate::plot::{Line, Panel, Plot, Scale};
use fixstep_kernel::math::Vec3;

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

/// Shapes that move on the mechanism.
pub fn shapes(at: &OperatingPoint, form: &LinearForm, all: &[Moving]) -> Content {
    let skeleton = Skeleton::of(&at.mechanism, &at.poses);
    let mut scene = skeleton.scene();
    for moving in all {
        let part = |part: fn(&c64) -> f64| -> Vec<SmallMotion> {
            let numbers: Vec<f64> = moving.shape.iter().map(part).collect();
            motions(at, form, &numbers)
        };
        let (re, im) = (part(|x| x.re), part(|x| x.im));
        let (real, imaginary) = (skeleton.displaced(&re), skeleton.displaced(&im));
        let pairs = real.iter().zip(&imaginary);
        let length = |(re, im): (&Vec3, &Vec3)| (re.norm_squared() + im.norm_squared()).sqrt();
        let largest = pairs.map(length).fold(0.0, f64::max);
        let aside = imaginary.iter().map(Vec3::norm).fold(0.0, f64::max);
        let turning = aside > IN_PHASE * largest;
        let bodies = re.iter().zip(&im).enumerate();
        let bodies: Vec<BodyMotion> = bodies
            .map(|(body, (re, im))| BodyMotion {
                body,
                real: numbers(re),
                imaginary: turning.then(|| numbers(im)),
            })
            .collect();
        let shape = Shape {
            frequency: moving.frequency.clone(),
            label: moving.label.clone(),
            real,
            imaginary: turning.then_some(imaginary),
            largest: largest.max(f64::MIN_POSITIVE),
        };
        scene.add_bodies(&shape, &bodies);
    }
    Content::Scene(Box::new(scene))
}

/// Translation, rotation and modal coordinates one after another.
fn numbers(of: &SmallMotion) -> Vec<f64> {
    let rigid = of.translation.iter().chain(of.rotation.iter());
    rigid.chain(&of.modal).copied().collect()
}

/// How bodies move with the coordinates of a form.
fn motions(at: &OperatingPoint, form: &LinearForm, numbers: &[f64]) -> Vec<SmallMotion> {
    let bodies = at.mechanism.bodies.iter();
    let mut motions: Vec<SmallMotion> = bodies
        .map(|body| SmallMotion {
            modal: vec![0.0; body.flexible.as_ref().map_or(0, |own| own.modes.len())],
            ..SmallMotion::default()
        })
        .collect();
    let places = &at.linearization.tangents.places;
    for (unknown, x) in form.shapes.coordinates.iter().zip(numbers) {
        match places[*unknown].coordinate {
            Coordinate::Pose { body, direction } if direction < 3 => {
                motions[body.index()].translation[direction] = *x;
            }
            Coordinate::Pose { body, direction } => {
                motions[body.index()].rotation[direction - 3] = *x;
            }
            Coordinate::Modal { body, mode } => {
                if let Some(own) = motions[body.index()].modal.get_mut(mode) {
                    *own = *x;
                }
            }
            _ => {}
        }
    }
    motions
}

/// Is a root of a kind?
type OfKind = fn(&Root) -> bool;

/// Adds pictures of roots: in the plane of complex numbers, and damping over frequency.
pub fn add_roots(page: &mut Page, roots: &[Root]) {
    if roots.is_empty() {
        return;
    }
    let kinds: [(&str, OfKind); 3] = [
        ("stable", |root| !root.zero && root.value.re <= 0.0),
        ("unstable", |root| !root.zero && root.value.re > 0.0),
        ("zero", |root| root.zero),
    ];
    let plane = |(name, of): &(&str, OfKind)| {
        let own: Vec<&Root> = roots.iter().filter(|root| of(root)).collect();
        let conjugates = own.iter().filter(|root| root.is_pair());
        let all = own.iter().map(|root| (root.value.re, root.value.im));
        let all = all.chain(conjugates.map(|root| (root.value.re, -root.value.im)));
        marks(name, all)
    };
    page.add_chart(
        "Roots",
        &Plot {
            x_label: String::from("real part [1/s]"),
            panels: vec![Panel {
                y_label: String::from("imaginary part [rad/s]"),
                lines: kinds
                    .iter()
                    .map(plane)
                    .filter(|x| !x.x.is_empty())
                    .collect(),
                ..Panel::default()
            }],
            ..Plot::default()
        },
    );
    let pairs = roots.iter().filter(|root| root.is_pair());
    let damped = pairs.map(|root| {
        let hertz = root.frequency() / core::f64::consts::TAU;
        (hertz, root.damping_ratio())
    });
    let damped = marks("", damped);
    if !damped.x.is_empty() {
        page.add_chart(
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
        );
    }
}

/// Points by themselves, in the order of their abscissae.
fn marks(name: &str, points: impl Iterator<Item = (f64, f64)>) -> Line {
    let mut points: Vec<(f64, f64)> = points.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (x, y) = points.into_iter().unzip();
    Line {
        name: name.to_owned(),
        x,
        y,
        dots: true,
    }
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
        shade: false,
    };
    page.add_table("Operating point", table);
}

/// The line below the title: what was analysed, and when.
pub fn subtitle(what: &str, at: &OperatingPoint) -> String {
    format!("{what} at {} s", figure(at.time))
}
