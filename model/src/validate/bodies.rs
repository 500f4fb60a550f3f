//! Control plane: turns requests for bodies into arrays of the numbers in their states.

use super::builder::Builder;
use super::requests::{Kind, check_free, quoted, units_of};
use crate::errors::{At, quote};
use crate::schema::{BodyNumbers, BodyRequest, Document, Request};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::flex::{TENSOR, TensorPoint};
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::{Body, BodyArray, BodyKind, BodyQuantity};
use std::collections::BTreeSet;

/// The default quantities of a request.
const USUAL: [BodyNumbers; 6] = [
    BodyNumbers::Position,
    BodyNumbers::Orientation,
    BodyNumbers::Velocity,
    BodyNumbers::AngularVelocity,
    BodyNumbers::ModalCoordinates,
    BodyNumbers::ModalVelocities,
];

/// The arrays of all requests.
pub(super) fn arrays(b: &mut Builder<'_>, document: &Document) -> Vec<BodyArray> {
    let mut names = BTreeSet::new();
    let (mut all, mut numbers) = (Vec::new(), 0);
    for item in &document.requests.0 {
        if let Some(Request::Bodies(request)) = &item.data {
            for mut array in requested(b, request, &item.at) {
                array.first = numbers;
                numbers += array.length as usize;
                if !names.insert(array.name.clone()) {
                    let message = format!("another request gives {} too", quote(&array.name));
                    b.report.add(&item.at, message);
                }
                for k in 1..=array.length {
                    check_free(b, &format!("{}[{k}]", array.name), &item.at);
                }
                check_free(b, &array.name, &item.at);
                all.push(array);
            }
        }
    }
    all
}

fn requested(b: &mut Builder<'_>, request: &BodyRequest, at: &At) -> Vec<BodyArray> {
    let ids: Vec<BodyId> = match &request.parts {
        None => (1..b.bodies.len()).map(BodyId::from).collect(),
        Some(parts) => {
            let place = |k: usize| at.field("parts").index(k);
            let mut ids = Vec::new();
            for (k, part) in parts.iter().enumerate() {
                match b.names.bodies.find(part) {
                    Ok(BodyId::GROUND) => b.report.add(&place(k), "ground does not move"),
                    Ok(id) => ids.push(id),
                    Err(message) => b.report.add(&place(k), message),
                }
            }
            ids
        }
    };
    let wanted = request.quantities.as_deref().unwrap_or(&USUAL);
    let mut all = Vec::new();
    for id in ids {
        // A broken body has been reported.
        let Some(Some(body)) = b.bodies.get(id.index()) else {
            continue;
        };
        let (mut own, mut missing) = (Vec::new(), Vec::new());
        for numbers in wanted {
            match arrays_of(body, *numbers) {
                Ok(found) => own.extend(found),
                Err(why) => missing.push(format!("{} {why}", quote(&body.name))),
            }
        }
        let stem = format!("{}.{}", quoted(&request.name), quoted(&body.name));
        let name = body.name.clone();
        if request.quantities.is_some() && request.parts.is_some() {
            for message in missing {
                b.report.add(&at.field("quantities"), message);
            }
        }
        all.extend(own.into_iter().map(|(quantity, suffix, length, what)| {
            let (unit, scale) = measured(b, quantity);
            let what = format!("{what} of {name}");
            BodyArray {
                name: format!("{stem}.{suffix}"),
                description: match &request.description {
                    Some(text) => format!("{text}: {what}"),
                    None => what,
                },
                body: id,
                quantity,
                first: 0,
                length: length as u32,
                unit,
                scale,
                output: request.output.unwrap_or(false),
            }
        }));
    }
    all
}

/// Quantity, last part of the name, length and description of an array.
type Found = (BodyQuantity, String, usize, String);

/// The quantities of a body, or the reason why it has none.
fn arrays_of(body: &Body, numbers: BodyNumbers) -> Result<Vec<Found>, &'static str> {
    use BodyNumbers as N;
    let one = |quantity: BodyQuantity, length: usize, what: &str| {
        Ok(vec![(
            quantity,
            numbers.word().to_owned(),
            length,
            what.to_owned(),
        )])
    };
    let flex = body.flexible.as_deref();
    let modes = flex.map_or(0, |flex| flex.modes.len());
    match numbers {
        N::Position => one(
            BodyQuantity::Position,
            3,
            "Position of the origin in ground",
        ),
        N::Velocity => one(
            BodyQuantity::Velocity,
            3,
            "Velocity of the origin, ground axes",
        ),
        N::Orientation | N::AngularVelocity if body.kind == BodyKind::Point => {
            Err("is a point mass and does not turn")
        }
        N::Orientation => one(
            BodyQuantity::Orientation,
            4,
            "Quaternion (w, x, y, z) from the axes to those of ground",
        ),
        N::AngularVelocity => one(
            BodyQuantity::AngularVelocity,
            3,
            "Angular velocity, ground axes",
        ),
        N::ModalCoordinates | N::ModalVelocities if modes == 0 => Err("has no modes"),
        N::ModalCoordinates => one(
            BodyQuantity::ModalCoordinates,
            modes,
            "Modal coordinates in SI",
        ),
        N::ModalVelocities => one(
            BodyQuantity::ModalVelocities,
            modes,
            "Rates of the modal coordinates in SI",
        ),
        N::Stress => tensors(
            ("stress", "Stress", BodyQuantity::Stress),
            flex.map_or(&[], |flex| &flex.data.stresses),
        ),
        N::Strain => tensors(
            ("strain", "Strain", BodyQuantity::Strain),
            flex.map_or(&[], |flex| &flex.data.strains),
        ),
    }
}

/// An array for each point of the file of a flexible body.
fn tensors(
    (word, name, kind): (&str, &str, fn(usize) -> BodyQuantity),
    points: &[TensorPoint],
) -> Result<Vec<Found>, &'static str> {
    if points.is_empty() {
        return Err("has no such points in its file");
    }
    let of = |(k, point): (usize, &TensorPoint)| {
        let suffix = format!("{word}.{}", quoted(&point.name));
        let what = format!("{name} xx, yy, zz, xy, yz, zx at point {}", point.name);
        (kind(k), suffix, TENSOR, what)
    };
    Ok(points.iter().enumerate().map(of).collect())
}

/// FMI unit, and user units per SI unit.
fn measured(b: &Builder<'_>, quantity: BodyQuantity) -> (String, f64) {
    let (kind, dimension) = match quantity {
        BodyQuantity::Position => (Kind::Length, Dimension::Length),
        BodyQuantity::Velocity => (Kind::Velocity, Dimension::Velocity),
        BodyQuantity::AngularVelocity => {
            let time = b.units.to_si(Dimension::Time);
            return (units_of(b.units, Kind::AngularVelocity).0, time);
        }
        BodyQuantity::Stress(_) => (Kind::Pressure, Dimension::Pressure),
        BodyQuantity::Orientation
        | BodyQuantity::ModalCoordinates
        | BodyQuantity::ModalVelocities
        | BodyQuantity::Strain(_) => return (String::new(), 1.0),
    };
    (units_of(b.units, kind).0, 1.0 / b.units.to_si(dimension))
}
