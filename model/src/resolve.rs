//! Control plane: resolves the names and functions of expressions to leaves, each once.

mod arguments;
mod carriers;
mod constraints;
mod contact;
mod controls;
mod data;
mod delay;
mod energies;
mod flexible;
mod functions;
mod measures;
mod memory;
mod tyres;

use self::arguments::check_count;
pub(super) use self::carriers::Carriers;
pub(super) use self::flexible::{functions_marker, load_case, mises};
pub(super) use self::functions::lookup_names;
pub(super) use self::functions::without_components;
use self::functions::{measure, reaction};
use super::errors::{At, quote};
use super::names::{MAX_CANDIDATES, Names};
use super::units::Dimension;
use super::validate::{Data, Sizes, Spline};
use crate::expr::{Argument, DelayParts, Macro, Program, ResolveError, Resolver};
use crate::units::ToSi as _;
use fixstep_kernel::ids::{LeafId, MarkerId, VariableId};
use fixstep_kernel::math::spline::{Curve, Method};
use fixstep_kernel::mechanism::{
    Body, Delay, Finding, Leaf, LintRule, MEASURES, Marker, UnitSystem,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The remedy for a number that looks like degrees.
const AS_DEGREES: &str = "write the number with D, as in 90D, if it is in degrees";

/// The quantities that an expression may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Parameters: numbers of elements.
    Parameters,
    /// Time, inputs, parameters, and variables made of those: motions.
    Driven,
    /// Time, inputs, parameters, displacements and angles, and variables made of those: constraints.
    Holonomic,
    /// Everything.
    All,
}

/// All leaves, each once.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    leaves: Vec<Leaf>,
    known: BTreeMap<Vec<u8>, LeafId>,
}

impl Leaves {
    /// The identifier of a leaf.
    pub(super) fn intern(&mut self, leaf: Leaf) -> LeafId {
        // As in a file: every field, and factors with all digits.
        let bytes = postcard::to_allocvec(&leaf);
        let known = bytes.as_ref().ok().and_then(|bytes| self.known.get(bytes));
        if let Some(known) = known {
            return *known;
        }
        let next = LeafId::from(self.leaves.len());
        self.leaves.push(leaf);
        if let Ok(bytes) = bytes {
            self.known.insert(bytes, next);
        }
        next
    }

    /// The leaves.
    pub(super) fn as_slice(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Replaces the variables that leaves refer to: `place` is indexed by the old ones.
    pub(super) fn renumber_variables(&mut self, place: &[VariableId]) {
        for leaf in &mut self.leaves {
            if let Leaf::Variable(id) = leaf {
                *id = place[id.index()];
            }
        }
        self.known.clear();
    }

    /// The leaves, to be kept.
    pub(super) fn into_vec(self) -> Vec<Leaf> {
        self.leaves
    }
}

/// Resolves the names of one expression.
pub(super) struct ModelResolver<'a> {
    /// The names of the model.
    pub(super) names: &'a Names,
    /// The user's units.
    pub(super) units: &'a UnitSystem,
    /// The elements between markers.
    pub(super) carriers: &'a Carriers,
    /// The quantities that the expression may read.
    pub(super) scope: Scope,
    /// For each variable of the file: does it read the motion of the mechanism?
    pub(super) moving: &'a [bool],
    /// For each variable of the file: does it read velocities, reactions or states?
    pub(super) rated: &'a [bool],
    /// The splines; `None`: broken.
    pub(super) splines: &'a mut [Option<Spline>],
    /// The sizes of sampled systems; `None`: broken.
    pub(super) sampled: &'a [Option<Sizes>],
    /// Macros, arrays and groups of signals.
    pub(super) data: Option<&'a Data>,
    /// Bodies; `None`: broken.
    pub(super) bodies: &'a [Option<Body>],
    /// Markers; `None`: broken.
    pub(super) markers: &'a mut Vec<Option<Marker>>,
    /// The delays so far.
    pub(super) delays: &'a mut Vec<Delay>,
    /// The expressions so far.
    pub(super) expressions: &'a mut Vec<Program>,
    /// The place of the expression.
    pub(super) at: &'a At,
    /// The warnings so far.
    pub(super) findings: &'a mut Vec<Finding>,
    /// The leaves so far.
    pub(super) leaves: &'a mut Leaves,
}

impl Resolver for ModelResolver<'_> {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        if name == "TIME" {
            return self.time();
        }
        self.quantity(name)
            .unwrap_or_else(|| Err(self.unknown_symbol(name)))
    }

    fn call(&mut self, function: &str, arguments: &[Argument]) -> Result<LeafId, ResolveError> {
        if function == "VARVAL" {
            return self.varval(arguments);
        }
        if let "PINVAL" | "POUVAL" = function {
            return self.signal(function, arguments);
        }
        match self.scope {
            Scope::All => {}
            Scope::Parameters => return Err(parameters_only(function)),
            Scope::Driven => return Err(driven_only(function)),
            Scope::Holonomic => {
                let row = measure(function);
                if !row.is_some_and(|row| row.holonomic) && function != "ARC" {
                    return Err(holonomic_only(function));
                }
            }
        }
        let leaf = if let Some(row) = measure(function) {
            self.kinematic(row, arguments)?
        } else if let Some(component) = reaction(function) {
            self.between(function, component, arguments)?
        } else if let "DIF" | "DIF1" = function {
            self.control(function, arguments)?
        } else if memory::NAMES.contains(&function) {
            self.held(function, arguments)?
        } else if flexible::NAMES.contains(&function) {
            self.flexible(function, arguments)?
        } else if function == "TYRE" {
            self.tyre(arguments)?
        } else if functions::is_energy(function) {
            self.energy(function, arguments)?
        } else if function == "CONTACT" {
            self.contact(arguments)?
        } else if function == "ARC" {
            self.arc(arguments)?
        } else if function == "GCON" {
            self.general(arguments)?
        } else if let "COUPLER" | "GEAR" = function {
            self.coupler(function, arguments)?
        } else {
            self.element(function, arguments)?
        };
        Ok(self.leaves.intern(leaf))
    }

    fn curve(&mut self, name: &str, method: Method) -> Result<Arc<Curve>, ResolveError> {
        let id = self.names.splines.find(name).map_err(ResolveError::new)?;
        match self.splines.get_mut(id.index()).and_then(Option::as_mut) {
            Some(spline) => spline.curve(method).map_err(ResolveError::new),
            None => Err(ResolveError::new(format!(
                "the spline {} has problems of its own",
                quote(name)
            ))),
        }
    }

    fn suspect(&mut self, what: String) {
        let rule = LintRule::DegreesAsRadians;
        let finding = Finding::new(rule, self.at.place(), what, AS_DEGREES);
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn macros(&self) -> Arc<[Macro]> {
        let macros = self.data.map(|data| Arc::clone(&data.macros));
        macros.unwrap_or_default()
    }

    fn array(&mut self, name: &str, index: Option<f64>) -> Result<Vec<LeafId>, ResolveError> {
        self.elements(name, index)
    }

    fn delay(&mut self, parts: DelayParts) -> Result<LeafId, ResolveError> {
        self.past(parts)
    }

    fn functions(&self) -> Vec<&str> {
        lookup_names().collect()
    }

    fn names(&self) -> Vec<&str> {
        let parameters = self.names.parameters.names();
        if self.scope == Scope::Parameters {
            return parameters.take(MAX_CANDIDATES).collect();
        }
        parameters
            .chain(self.names.inputs.names())
            .chain(self.names.variables.names())
            .take(MAX_CANDIDATES)
            .collect()
    }
}

fn parameters_only(what: &str) -> ResolveError {
    ResolveError::new(format!(
        "{what} is not valid here: a \"=expression\" number may use parameters only"
    ))
}

fn driven_only(what: &str) -> ResolveError {
    ResolveError::new(format!(
        "{what} depends on the mechanism's state: motions and gravity may use only TIME, inputs, parameters \
         and variables made of those"
    ))
}

fn holonomic_only(what: &str) -> ResolveError {
    let poses = MEASURES.iter().filter(|row| row.holonomic);
    let poses: Vec<&str> = poses.map(|row| row.name).collect();
    ResolveError::new(format!(
        "{what} is not valid here: a general constraint is holonomic, a function of displacements and \
         angles ({} ARC), TIME, inputs, parameters and variables made of those",
        poses.join(" ")
    ))
}

impl ModelResolver<'_> {
    fn time(&mut self) -> Result<LeafId, ResolveError> {
        if self.scope == Scope::Parameters {
            return Err(parameters_only("TIME"));
        }
        let scale = 1.0 / self.units.to_si(Dimension::Time);
        Ok(self.leaves.intern(Leaf::Time { scale }))
    }

    /// An input, parameter or variable, if there is one of that name.
    fn quantity(&mut self, name: &str) -> Option<Result<LeafId, ResolveError>> {
        let leaf = if let Some(id) = self.names.parameters.get(name) {
            Leaf::Parameter(id)
        } else if let Some(id) = self.names.inputs.get(name) {
            Leaf::Input(id)
        } else if let Some(id) = self.names.variables.get(name) {
            let implicit = self.names.plan.implicit.get(id.index()).copied();
            implicit.flatten().map_or(Leaf::Variable(id), Leaf::State)
        } else {
            self.scalar_control(name)?
        };
        let allowed = match (self.scope, &leaf) {
            (Scope::All, _) | (_, Leaf::Parameter(_)) | (Scope::Driven, Leaf::Input(_)) => Ok(()),
            (Scope::Parameters, Leaf::Input(_)) => {
                Err(parameters_only(&format!("the input {}", quote(name))))
            }
            (Scope::Parameters, _) => {
                Err(parameters_only(&format!("the variable {}", quote(name))))
            }
            (Scope::Driven, Leaf::Variable(id)) if self.moving.get(id.index()) == Some(&true) => {
                Err(driven_only(&format!("the variable {}", quote(name))))
            }
            (Scope::Driven, Leaf::State(_)) => Err(driven_only(&format!(
                "the implicit variable {}",
                quote(name)
            ))),
            (Scope::Holonomic, Leaf::State(_)) => Err(holonomic_only(&format!(
                "the implicit variable {}",
                quote(name)
            ))),
            (Scope::Holonomic, Leaf::Variable(id)) if self.rated.get(id.index()) == Some(&true) => {
                Err(holonomic_only(&format!("the variable {}", quote(name))))
            }
            (Scope::Driven | Scope::Holonomic, _) => Ok(()),
        };
        Some(allowed.map(|()| self.leaves.intern(leaf)))
    }

    fn unknown_symbol(&self, name: &str) -> ResolveError {
        let quoted = quote(name);
        if self.names.outputs.get(name).is_some() {
            return ResolveError::new(format!(
                "{quoted} is an output; expressions may read inputs, parameters and variables: \
                 make a variable of it that the output reads too"
            ));
        }
        if let Some(control) = self.names.plan.control(name) {
            return ResolveError::new(format!(
                "{quoted} is a {}: ARYVAL({name}, i) is its output i, DIF({name}, i) its state i",
                control.kind
            ));
        }
        if self.names.equations.get(name).is_some() {
            return ResolveError::new(format!(
                "{quoted} is a differential equation: DIF({name}) is its state, DIF1({name}) the \
                 state's rate"
            ));
        }
        if self.names.markers.get(name).is_some() {
            return ResolveError::new(format!(
                "{quoted} is a marker; it has a value only within a function such as DX({name})"
            ));
        }
        ResolveError::Unknown
    }

    fn varval(&mut self, arguments: &[Argument]) -> Result<LeafId, ResolveError> {
        let [Argument::Name(name)] = arguments else {
            return Err(ResolveError::new(
                "VARVAL takes the name of one input, parameter or variable: VARVAL(name)",
            ));
        };
        self.quantity(name).unwrap_or_else(|| {
            let hint = crate::expr::suggest::hint(name, self.names());
            Err(ResolveError::at(
                0,
                format!(
                    "there is no input, parameter or variable {}{hint}",
                    quote(name)
                ),
            ))
        })
    }

    /// The marker of an argument; absent or zero: ground.
    fn marker(&self, arguments: &[Argument], k: usize) -> Result<MarkerId, ResolveError> {
        match arguments.get(k) {
            None => Ok(self.names.ground),
            Some(Argument::Number(number)) if *number == 0.0 => Ok(self.names.ground),
            Some(Argument::Number(_)) => Err(ResolveError::at(
                k,
                "expected a marker's name (or 0 for ground), found a number",
            )),
            Some(Argument::Name(name)) => self
                .names
                .markers
                .find(name)
                .map_err(|message| ResolveError::at(k, message)),
        }
    }
}
