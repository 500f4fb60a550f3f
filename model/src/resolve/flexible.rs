//! Control plane: the functions of expressions that read the deformation of flexible bodies.
//!
//! Modal coordinates, stresses and strains are coordinates of special markers that represent linear functions of
//! modal coordinates. Everything that reads markers can therefore read them.

use super::ModelResolver;
use super::arguments::check_count;
use crate::errors::{quote, quote_all};
use crate::expr::suggest::hint;
use crate::expr::{Argument, Macro, ResolveError};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::flex::{FlexData, TENSOR, TensorPoint};
use fixstep_kernel::ids::{BodyId, MarkerId};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{FlexBody, Functional, KinematicMeasure, Leaf, Marker, MarkerBase};

/// The functions; [`MISES`] is a macro of them.
pub(super) const NAMES: &[&str] = &["MODEQ", "MODEV", "MODEA", "STRESS", "STRAIN", "DEFORMATION"];

/// The equivalent stress of von Mises.
pub(super) const MISES: &str = "MISES";

/// Components in the order of the file.
const COMPONENTS: [&str; TENSOR] = ["XX", "YY", "ZZ", "XY", "YZ", "ZX"];

/// `MISES(body, point)` in terms of components. A lower bound keeps its slope finite where there is no stress.
pub(crate) fn mises() -> Macro {
    let text = "SQRT(MAX(1e-300, 0.5*((STRESS(body, point, XX) - STRESS(body, point, YY))**2 \
                + (STRESS(body, point, YY) - STRESS(body, point, ZZ))**2 \
                + (STRESS(body, point, ZZ) - STRESS(body, point, XX))**2) \
                + 3*(STRESS(body, point, XY)**2 + STRESS(body, point, YZ)**2 + STRESS(body, point, ZX)**2)))";
    Macro {
        name: MISES.to_owned(),
        arguments: vec!["body".to_owned(), "point".to_owned()],
        text: text.to_owned(),
    }
}

/// The marker that represents functions of a flexible body's modal coordinates; it is made if there is none.
pub(crate) fn functions_marker(
    markers: &mut Vec<Option<Marker>>,
    body: BodyId,
    name: &str,
    functions: [Functional; 3],
) -> MarkerId {
    let base = MarkerBase::Functions(functions);
    let same = |marker: &Option<Marker>| {
        let marker = marker.as_ref();
        marker.is_some_and(|marker| marker.body == body && marker.base == base)
    };
    let place = markers.iter().position(same).unwrap_or_else(|| {
        markers.push(Some(Marker {
            name: name.to_owned(),
            body,
            base,
            position: Vec3::zeros(),
            orientation: Mat3::identity(),
        }));
        markers.len() - 1
    });
    MarkerId::from(place)
}

/// A load case of a file by its name.
pub(crate) fn load_case(data: &FlexData, name: &str) -> Result<usize, String> {
    named("load case", data.loads.iter().map(|load| &load.name), name)
}

/// The place of a name among others.
fn named<'a>(
    what: &str,
    names: impl Iterator<Item = &'a String> + Clone,
    wanted: &str,
) -> Result<usize, String> {
    if let Some(place) = names.clone().position(|name| name == wanted) {
        return Ok(place);
    }
    let valid = match names.clone().next() {
        None => "its file has none".to_owned(),
        Some(_) => format!("valid: {}", quote_all(names.clone().map(String::as_str))),
    };
    let hint = hint(wanted, names.map(String::as_str));
    Err(format!(
        "there is no {what} {}{hint}; {valid}",
        quote(wanted)
    ))
}

/// A name, or a whole number as one.
fn word(argument: &Argument) -> String {
    match argument {
        Argument::Name(name) => name.clone(),
        Argument::Number(number) => number.to_string(),
    }
}

impl ModelResolver<'_> {
    /// MODEQ(body, mode), MODEV, MODEA; STRESS(body, point, comp), STRAIN; DEFORMATION(body).
    pub(super) fn flexible(
        &mut self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        let (count, signature) = match function {
            "DEFORMATION" => (1, "(body)"),
            "STRESS" | "STRAIN" => (3, "(body, point, comp): comp XX, YY, ZZ, XY, YZ or ZX"),
            _ => (
                2,
                "(body, mode): the mode by its number in the file, from 1",
            ),
        };
        check_count(arguments, count, count, || format!("{function}{signature}"))?;
        let name = word(&arguments[0]);
        let at_name = |message| ResolveError::at(0, message);
        let id = self.names.bodies.find(&name).map_err(at_name)?;
        let body = self.bodies.get(id.index()).and_then(Option::as_ref);
        let Some(body) = body else {
            // A broken body is already reported; the model will not run, so the value does not matter.
            let scale = 1.0;
            return Ok(Leaf::Deformation { body: id, scale });
        };
        let Some(flex) = body.flexible.as_ref() else {
            let message = format!("{} is not a flexible body", quote(&name));
            return Err(at_name(message));
        };
        let place = (id, name.as_str());
        match function {
            "DEFORMATION" => Ok(Leaf::Deformation {
                body: id,
                scale: 1.0 / self.units.to_si(Dimension::Length),
            }),
            "STRESS" | "STRAIN" => {
                let points = if function == "STRESS" {
                    &flex.data.stresses
                } else {
                    &flex.data.strains
                };
                let (functions, row) = tensor(function, points, arguments)?;
                let scale = match function {
                    "STRESS" => 1.0 / self.units.to_si(Dimension::Pressure),
                    _ => 1.0,
                };
                Ok(self.function(place, functions, KinematicMeasure::Displacement(row), scale))
            }
            _ => {
                let (functions, row) = coordinate(flex, &name, &arguments[1])?;
                let time = self.units.to_si(Dimension::Time);
                let (measure, scale) = match function {
                    "MODEQ" => (KinematicMeasure::Displacement(row), 1.0),
                    "MODEV" => (KinematicMeasure::Velocity(row), time),
                    _ => (KinematicMeasure::Acceleration(row), time * time),
                };
                Ok(self.function(place, functions, measure, scale))
            }
        }
    }

    fn function(
        &mut self,
        (body, name): (BodyId, &str),
        functions: [Functional; 3],
        measure: KinematicMeasure,
        scale: f64,
    ) -> Leaf {
        let ground = self.names.ground;
        Leaf::Kinematic {
            measure,
            i: functions_marker(self.markers, body, name, functions),
            j: ground,
            axes: ground,
            frame: ground,
            scale,
        }
    }
}

/// The three modes that include the wanted one, and which of the three it is.
fn coordinate(
    flex: &FlexBody,
    name: &str,
    argument: &Argument,
) -> Result<([Functional; 3], u8), ResolveError> {
    let count = flex.data.modes.len();
    let number = match argument {
        Argument::Number(number) if number.fract() == 0.0 => *number,
        _ => f64::NAN,
    };
    if !(1.0..=count as f64).contains(&number) {
        let message = format!(
            "the file of {} has {count} modes, counted from 1",
            quote(name)
        );
        return Err(ResolveError::at(1, message));
    }
    let file = number as usize - 1;
    let Some(mode) = flex.modes.iter().position(|mode| *mode == file) else {
        let message = format!(
            "mode {number} is in the file, but not among the \"modes\" of {}",
            quote(name)
        );
        return Err(ResolveError::at(1, message));
    };
    let first = mode - mode % 3;
    let functions = std::array::from_fn(|k| {
        if first + k < flex.modes.len() {
            Functional::Coordinate(first + k)
        } else {
            Functional::None
        }
    });
    Ok((functions, (mode % 3) as u8))
}

/// The three components of a point that include the wanted one, and which of the three it is.
fn tensor(
    function: &str,
    points: &[TensorPoint],
    arguments: &[Argument],
) -> Result<([Functional; 3], u8), ResolveError> {
    let what = if function == "STRESS" {
        "point with stress"
    } else {
        "point with strain"
    };
    let names = points.iter().map(|point| &point.name);
    let point = named(what, names, &word(&arguments[1]));
    let point = point.map_err(|message| ResolveError::at(1, message))?;
    let wanted = word(&arguments[2]);
    let is = |component: &str| component.eq_ignore_ascii_case(&wanted);
    let Some(component) = COMPONENTS.into_iter().position(is) else {
        let message = format!("valid: {}", quote_all(COMPONENTS.into_iter()));
        return Err(ResolveError::at(2, message));
    };
    let first = component - component % 3;
    let functions = std::array::from_fn(|k| match function {
        "STRESS" => Functional::Stress(point, first + k),
        _ => Functional::Strain(point, first + k),
    });
    Ok((functions, (component % 3) as u8))
}
