//! Control plane: checks that the dimensions of expressions agree with their units and places.

use crate::expr::{BASES, Dimension, infer};
use fixstep_kernel::ids::{ExprId, LeafId};
use fixstep_kernel::mechanism::{
    Finding, ForceKind, Functional, Law, Leaf, LintRule, MarkerBase, Mechanism, Quantity,
    ReactionComponent,
};
use fixstep_variables::units::parse_unit;

/// The remedy for each of these.
const REMEDY: &str = "correct the unit or the expression; labels are never converted";

/// Kilogram, metre, second.
type Powers = [i32; 3];

const LENGTH: Powers = [0, 1, 0];
const FORCE: Powers = [1, 1, -2];
const TORQUE: Powers = [1, 2, -2];

fn dimension([kg, m, s]: Powers, factor: f64) -> Dimension {
    let mut exponents = [0; BASES];
    exponents[..3].copy_from_slice(&[kg, m, s]);
    Dimension {
        exponents,
        factor,
        leaf: None,
    }
}

/// The dimension of a label; `None`: nothing that can be compared.
fn labelled(quantity: &Quantity) -> Option<Dimension> {
    if quantity.unit.is_empty() {
        return None;
    }
    let unit = parse_unit(&quantity.unit).ok()?;
    let mut exponents = [0; BASES];
    exponents.copy_from_slice(&unit.exponents[..BASES]);
    (unit.offset == 0.0).then_some(Dimension {
        exponents,
        factor: unit.factor,
        leaf: None,
    })
}

/// Units that cannot be read or converted, and expressions with a wrong dimension.
pub(super) fn unit_findings(model: &Mechanism) -> Vec<Finding> {
    let mut found: Vec<Finding> = super::of(model)
        .unit_problems()
        .into_iter()
        .map(|what| finding(("", "", ""), what))
        .collect();
    for (kind, list) in [("variable", &model.variables), ("output", &model.outputs)] {
        for named in list {
            let place = (kind, named.quantity.name.as_str(), "expression");
            let unit = &named.quantity.unit;
            let wanted = labelled(&named.quantity).map(|d| (d, format!("its unit is {unit}")));
            check(model, named.expr, wanted, place, &mut found);
        }
    }
    for equation in &model.equations {
        let place = (
            equation.kind.as_ref(),
            equation.quantity.name.as_str(),
            equation.field.as_ref(),
        );
        let (scaled, rate) = match equation.law {
            Law::Rate { derivative, .. } => (derivative, true),
            Law::Residual(residual) => (residual, false),
        };
        let wanted = labelled(&equation.quantity).filter(|_| rate).map(|mut d| {
            d.exponents[2] -= 1;
            d.factor *= scaled.to_si;
            let unit = &equation.quantity.unit;
            (d, format!("the state is in {unit}, its rate per time unit"))
        });
        check(model, scaled.expr, wanted, place, &mut found);
    }
    for force in &model.forces {
        for (field, scaled) in force.kind.expressions() {
            let (powers, what) = load(&force.kind, field);
            let wanted = Some((
                dimension(powers, scaled.to_si),
                format!("{what} in the units of the model is wanted"),
            ));
            let place = ("force", force.name.as_str(), field);
            check(model, scaled.expr, wanted, place, &mut found);
        }
    }
    found
}

/// The dimension of an expression, if it can be found.
pub fn dimension_of(model: &Mechanism, expr: ExprId) -> Option<Dimension> {
    let program = &model.expressions[expr.index()];
    infer(program, &|leaf| measured(model, leaf)).0
}

/// The dimension of the expression in a field of a force, in base units and in words.
fn load(kind: &ForceKind, field: &str) -> (Powers, &'static str) {
    let torque = match kind {
        ForceKind::Torque(_) | ForceKind::ActionOnlyTorque(_) => true,
        ForceKind::Modal(_) => return ([0, 0, 0], "a factor"),
        ForceKind::JointDrive(drive) => match (field, drive.turns) {
            ("position", true) => return ([0, 0, 0], "an angle"),
            ("position", false) => return (LENGTH, "a length"),
            ("velocity", true) => return ([0, 0, -1], "an angular velocity"),
            ("velocity", false) => return ([0, 1, -1], "a velocity"),
            (_, turns) => turns,
        },
        _ => field.starts_with('t'),
    };
    if torque {
        (TORQUE, "a torque")
    } else {
        (FORCE, "a force")
    }
}

fn finding((kind, name, field): (&str, &str, &str), what: String) -> Finding {
    Finding {
        rule: LintRule::UnitMismatch,
        kind: kind.to_owned().into(),
        name: name.to_owned(),
        field: field.to_owned(),
        what,
        remedy: REMEDY.to_owned(),
    }
}

/// One expression: within itself, and against what is wanted.
fn check(
    model: &Mechanism,
    expr: ExprId,
    wanted: Option<(Dimension, String)>,
    place: (&str, &str, &str),
    found: &mut Vec<Finding>,
) {
    let (value, clashes) = infer(&model.expressions[expr.index()], &|leaf| {
        measured(model, leaf)
    });
    for clash in clashes {
        let [left, right] = [clash.left, clash.right].map(|side| shown(model, &side));
        let what = format!("{left} and {right} are added or compared");
        found.push(finding(place, what));
    }
    if let (Some(value), Some((wanted, why))) = (value, wanted)
        && !value.agrees(&wanted)
        && !(value.is_number() && is_course(model, expr))
    {
        let what = format!(
            "the expression yields {}{}, but {why} ({})",
            shown(model, &value),
            match (value.exponents == [0; BASES], value.leaf) {
                (true, Some(_)) => ", a plain number or an angle in radians",
                _ => "",
            },
            base_units(&wanted)
        );
        let mut clash = finding(place, what);
        if value.exponents == wanted.exponents && why.ends_with(" deg") {
            "angles of expressions are in radians: give \"unit\": \"rad\" and \"display_unit\": \"deg\""
                .clone_into(&mut clash.remedy);
        }
        found.push(clash);
    }
}

/// Does an expression read no measure of the mechanism? `1 + SIN(w*TIME)` may be a force or any other quantity, since
/// its amplitude is a number of the text.
fn is_course(model: &Mechanism, expr: ExprId) -> bool {
    let leaves = &model.expressions[expr.index()].leaves;
    leaves.iter().all(|id| {
        let free = matches!(
            model.leaves[id.index()],
            Leaf::Time { .. } | Leaf::Parameter(_)
        );
        free || measured(model, *id).is_none()
    })
}

/// The dimension of a leaf, if it is known.
fn measured(model: &Mechanism, leaf: LeafId) -> Option<Dimension> {
    match &model.leaves[leaf.index()] {
        Leaf::Time { scale } => Some(dimension([0, 0, 1], 1.0 / scale)),
        Leaf::Input(k) => labelled(&model.inputs[k.index()].quantity),
        Leaf::Parameter(k) => labelled(&model.parameters[k.index()].quantity),
        Leaf::Variable(k) => labelled(&model.variables[k.index()].quantity),
        Leaf::State(k) => labelled(&model.equations[k.index()].quantity),
        Leaf::Kinematic {
            measure, i, scale, ..
        } => {
            let powers = match model.markers[i.index()].base {
                MarkerBase::Functions(functions) => functional(functions[0]),
                MarkerBase::Body | MarkerBase::Node(_) => Some(measure.powers()),
            };
            powers.map(|powers| dimension(powers, 1.0 / scale))
        }
        Leaf::Deformation { scale, .. } => Some(dimension(LENGTH, 1.0 / scale)),
        Leaf::Reaction {
            component, scale, ..
        } => {
            let powers = match component {
                ReactionComponent::ForceMagnitude | ReactionComponent::Force(_) => FORCE,
                ReactionComponent::TorqueMagnitude | ReactionComponent::Torque(_) => TORQUE,
            };
            Some(dimension(powers, 1.0 / scale))
        }
        _ => None,
    }
}

/// The dimension of a function of modal coordinates, if it is known.
fn functional(function: Functional) -> Option<Powers> {
    match function {
        Functional::Stress(..) => Some([1, -1, -2]),
        Functional::Strain(..) => Some([0, 0, 0]),
        Functional::None | Functional::Coordinate(_) | Functional::Load(_) => None,
    }
}

/// `"gap" [mm]`, `a displacement [0.001 m]`.
fn shown(model: &Mechanism, side: &Dimension) -> String {
    let unit = base_units(side);
    let Some(leaf) = side.leaf else {
        return format!("a number [{unit}]");
    };
    let named = |quantity: &Quantity| format!("\"{}\" [{unit}]", quantity.name);
    match &model.leaves[leaf.index()] {
        Leaf::Input(k) => named(&model.inputs[k.index()].quantity),
        Leaf::Parameter(k) => named(&model.parameters[k.index()].quantity),
        Leaf::Variable(k) => named(&model.variables[k.index()].quantity),
        Leaf::State(k) => named(&model.equations[k.index()].quantity),
        Leaf::Time { .. } => format!("TIME [{unit}]"),
        Leaf::Kinematic { i, j, .. } => format!(
            "a measure between the markers \"{}\" and \"{}\" [{unit}]",
            model.markers[i.index()].name,
            model.markers[j.index()].name
        ),
        _ => format!("a force or torque [{unit}]"),
    }
}

/// `0.001 m`, `kg m s-2`, `1`.
fn base_units(side: &Dimension) -> String {
    let mut words = Vec::new();
    if (side.factor - 1.0).abs() > 1e-9 {
        words.push(format!("{}", side.factor));
    }
    for (name, exponent) in fixstep_variables::units::BASE_UNIT_NAMES
        .iter()
        .zip(side.exponents)
    {
        match exponent {
            0 => {}
            1 => words.push((*name).to_owned()),
            n => words.push(format!("{name}{n}")),
        }
    }
    if words.is_empty() {
        words.push("1".to_owned());
    }
    words.join(" ")
}
