//! Reports modes, for people and for scripts.

mod text;

use crate::effective::Effective;
use crate::eigen::{Balanced, NoRoots, Root};
use crate::energy::{Energies, KINETIC, OF_ELEMENTS, Store};
use crate::form::LinearForm;
use crate::modes::{Mode, Modes, NORMALISATION, list};
use crate::words::Words;
use core::f64::consts::TAU;
use faer::c64;
use fixstep_kernel::mechanism::{BodyKind, Mechanism};
use fixstep_kernel::simulation::{Coordinate, ElementOf, Linearization};
use serde::Serialize;

pub use text::figure;

/// What to show beside the table, as lists of modes.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Shapes.
    pub shapes: String,
    /// Energies.
    pub energies: String,
    /// Participation.
    pub participation: String,
    /// The modes to show at all.
    pub include: String,
    /// Modes to omit from these.
    pub exclude: String,
}

/// The contents of the report.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The mechanism.
    pub model: String,
    /// Its time \[s\].
    pub time: f64,
    /// Number of states of A.
    pub states: usize,
    /// Name of the normalisation.
    pub normalisation: &'static str,
    /// Was A balanced?
    pub balanced: Balanced,
    /// R of (LIN-23).
    pub conditioning: f64,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Number of modes, including those that are not shown.
    pub found: usize,
    /// The modes that are shown.
    pub modes: Vec<Row>,
    /// Effective masses of undamped modes, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_mass: Option<Effective>,
}

/// The kind of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Zero.
    Zero,
    /// A real root.
    Real,
    /// A conjugate pair, listed once.
    Pair,
}

/// A mode.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// From 1.
    pub mode: usize,
    /// The kind of its root.
    pub kind: Kind,
    /// Undamped frequency |λ| [rad/s].
    pub frequency: f64,
    /// The same \[Hz\].
    pub frequency_hz: f64,
    /// −Re λ / |λ|.
    pub damping_ratio: f64,
    /// Re λ [1/s].
    pub real: f64,
    /// Im λ [rad/s].
    pub imaginary: f64,
    /// A description of what moves mostly, with its share of the kinetic energy: `part "rod" about z 97 %`.
    pub moves: String,
    /// The shape by bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<BodyShape>>,
    /// Shares of energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energies: Option<Tables>,
    /// The participation of inputs and outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participation: Option<Participation>,
}

/// Real and imaginary part.
pub type Pair = [f64; 2];

/// How a body moves in a mode.
#[derive(Clone, Debug, Serialize)]
pub struct BodyShape {
    /// The body.
    pub name: String,
    /// Its centre of mass along x, y, z of ground.
    pub translation: [Pair; 3],
    /// Its rotation about them; a point mass has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[Pair; 3]>,
    /// Modal coordinates of a flexible body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modal: Vec<Pair>,
}

/// Shares of energy, in per cent.
#[derive(Clone, Debug, Serialize)]
pub struct Tables {
    /// Greatest kinetic energy of the normalised shape, ω²/2 \[J\].
    pub kinetic_energy: f64,
    /// Columns of `kinetic`.
    pub kinetic_columns: [&'static str; 10],
    /// By bodies.
    pub kinetic: Vec<(String, [f64; 10])>,
    /// Columns of `strain` and `dissipation`.
    pub element_columns: [&'static str; 8],
    /// By elements.
    pub strain: Vec<(String, [f64; 8])>,
    /// By elements.
    pub dissipation: Vec<(String, [f64; 8])>,
    /// Do differential equations take part? Their energy is in none of the tables.
    pub equations: bool,
}

/// Participation: modal entries of B and C.
#[derive(Clone, Debug, Serialize)]
pub struct Participation {
    /// yᴴ B by inputs; `None` for zero and multiple roots.
    pub inputs: Option<Vec<(String, Pair)>>,
    /// C x by outputs.
    pub outputs: Vec<(String, Pair)>,
}

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoReport {
    /// The roots cannot be computed.
    #[error(transparent)]
    Roots(#[from] NoRoots),
    /// A list of modes cannot be read.
    #[error("{0}")]
    List(String),
}

/// The name of a body with its kind.
pub fn called(mechanism: &Mechanism, body: usize) -> String {
    let Some(body) = mechanism.bodies.get(body) else {
        return String::new();
    };
    let kind = match body.kind {
        BodyKind::Flexible => "flexible body",
        BodyKind::Point => "point mass",
        BodyKind::Ground | BodyKind::Rigid => "part",
    };
    format!("{kind} \"{}\"", body.name)
}

/// The report of the modes of a mechanism at a time.
pub fn report(
    (mechanism, linearization, time): (&Mechanism, &Linearization, f64),
    form: &LinearForm,
    modes: &Modes,
    wanted: &Wanted,
) -> Result<Report, NoReport> {
    let count = modes.list.len();
    let chosen = |list: &str, option: &str| {
        list::chosen(list, count).map_err(|error| NoReport::List(format!("{option}: {error}")))
    };
    let shapes = chosen(&wanted.shapes, "--shapes")?;
    let energies = chosen(&wanted.energies, "--energy")?;
    let participation = chosen(&wanted.participation, "--participation")?;
    let include = chosen(&wanted.include, "--include")?;
    let exclude = chosen(&wanted.exclude, "--exclude")?;
    let told: Vec<bool> = include
        .iter()
        .zip(&exclude)
        .map(|(own, out)| *own && !*out)
        .collect();
    let lists = [
        ("--shapes", &wanted.shapes, &shapes),
        ("--energy", &wanted.energies, &energies),
        ("--participation", &wanted.participation, &participation),
    ];
    let by_number = lists.iter().filter(|(_, list, _)| !list::means_all(list));
    let lost = by_number.filter_map(|(option, _, list)| left_out(option, list, &told));
    let known = form.notes.iter().chain(&modes.notes).cloned();
    let notes = known.chain(lost).collect();
    let store = Store::new(linearization, form);
    let words = Words::of(linearization, form);
    let name = |body: usize| called(mechanism, body);
    let rows = modes.list.iter().enumerate().filter(|(k, _)| told[*k]);
    let rows = rows.map(|(k, mode)| Row {
        moves: words.text(&mode.shape, &name),
        shape: shapes[k].then(|| by_bodies(mechanism, linearization, form, mode)),
        energies: energies[k].then(|| Tables {
            equations: form.equations > 0,
            ..tables(mechanism, &store.of(&mode.shape), &mode.root)
        }),
        participation: participation[k].then(|| shares(form, mode)),
        ..row(k + 1, &mode.root)
    });
    Ok(Report {
        model: mechanism.name.clone(),
        time,
        states: form.own_states(),
        normalisation: NORMALISATION,
        balanced: modes.eigen.balanced,
        conditioning: modes.eigen.conditioning,
        notes,
        found: count,
        modes: rows.collect(),
        effective_mass: None,
    })
}

/// Modes that a list names but that are not shown.
fn left_out(option: &str, list: &[bool], told: &[bool]) -> Option<String> {
    let both = list.iter().zip(told).enumerate();
    let lost = both.filter(|(_, (own, told))| **own && !**told);
    let lost: Vec<String> = lost.map(|(k, _)| (k + 1).to_string()).collect();
    let plural = match lost.len() {
        0 => return None,
        1 => "mode",
        _ => "modes",
    };
    Some(format!(
        "{option}: nothing is shown for {plural} {}, which --include or --exclude leaves out",
        lost.join(", ")
    ))
}

/// The row of a root in the table.
fn row(number: usize, root: &Root) -> Row {
    let kind = match root {
        root if root.zero => Kind::Zero,
        root if root.is_pair() => Kind::Pair,
        _ => Kind::Real,
    };
    Row {
        mode: number,
        kind,
        frequency: root.frequency(),
        frequency_hz: root.frequency() / TAU,
        damping_ratio: root.damping_ratio(),
        real: root.value.re,
        imaginary: root.value.im,
        moves: String::new(),
        shape: None,
        energies: None,
        participation: None,
    }
}

fn pair(of: c64) -> Pair {
    [of.re, of.im]
}

fn by_bodies(
    mechanism: &Mechanism,
    linearization: &Linearization,
    form: &LinearForm,
    mode: &Mode,
) -> Vec<BodyShape> {
    let places = &linearization.tangents.places;
    let mut all: Vec<(usize, BodyShape)> = Vec::new();
    for (unknown, x) in form.shapes.coordinates.iter().zip(&mode.shape) {
        let (body, direction) = match places[*unknown].coordinate {
            Coordinate::Pose { body, direction } => (body.index(), Some(direction)),
            Coordinate::Modal { body, .. } => (body.index(), None),
            _ => continue,
        };
        let at = all.iter().position(|own| own.0 == body);
        let at = at.unwrap_or_else(|| {
            let is_point = mechanism.bodies[body].kind == BodyKind::Point;
            let shape = BodyShape {
                name: mechanism.bodies[body].name.clone(),
                translation: [[0.0; 2]; 3],
                rotation: (!is_point).then_some([[0.0; 2]; 3]),
                modal: Vec::new(),
            };
            all.push((body, shape));
            all.len() - 1
        });
        let own = &mut all[at].1;
        match (direction, own.rotation.as_mut()) {
            (Some(k), _) if k < 3 => own.translation[k] = pair(*x),
            (Some(k), Some(rotation)) => rotation[k - 3] = pair(*x),
            _ => own.modal.push(pair(*x)),
        }
    }
    all.into_iter().map(|(_, shape)| shape).collect()
}

fn tables(mechanism: &Mechanism, energies: &Energies, root: &Root) -> Tables {
    let name = |of: &ElementOf| match of {
        ElementOf::Force(force) => mechanism.forces[force.index()].name.clone(),
        ElementOf::Flexible(body) => mechanism.bodies[body.index()].name.clone(),
    };
    let elements = |of: &[(ElementOf, [f64; 8])]| {
        let all = of.iter();
        all.map(|(of, shares)| (name(of), *shares)).collect()
    };
    Tables {
        kinetic_energy: root.frequency() * root.frequency() / 2.0,
        kinetic_columns: KINETIC,
        kinetic: energies
            .kinetic
            .iter()
            .map(|(body, shares)| (mechanism.bodies[*body].name.clone(), *shares))
            .collect(),
        element_columns: OF_ELEMENTS,
        strain: elements(&energies.strain),
        dissipation: elements(&energies.dissipation),
        equations: false,
    }
}

fn shares(form: &LinearForm, mode: &Mode) -> Participation {
    let of = |names: &[crate::form::Variable], numbers: &[c64]| {
        let all = names.iter().zip(numbers);
        all.map(|(variable, x)| (variable.name.clone(), pair(*x)))
            .collect()
    };
    Participation {
        inputs: mode.inputs.as_ref().map(|inputs| of(&form.inputs, inputs)),
        outputs: of(&form.outputs, &mode.outputs),
    }
}
