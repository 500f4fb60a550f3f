//! Control plane: finds expressions of forces and derivatives that jump or have kinks.

use fixstep_kernel::expr::Call;
use fixstep_kernel::ids::ExprId;
use fixstep_kernel::lint::reading::{any, changes, is_velocity, reached};
use fixstep_kernel::mechanism::{Finding, Leaf, LintRule, Mechanism};

/// Functions with a kink or a jump.
const ROUGH: [(&str, &str); 10] = [
    ("ABS", "has a kink at zero"),
    ("SIGN", "jumps where its second argument changes sign"),
    (
        "MIN",
        "has a kink where another argument becomes the smallest",
    ),
    (
        "MAX",
        "has a kink where another argument becomes the greatest",
    ),
    ("DIM", "has a kink where its arguments are equal"),
    ("MOD", "jumps from period to period"),
    ("AINT", "jumps from number to number"),
    ("INT", "jumps from number to number"),
    ("ANINT", "jumps from number to number"),
    ("NINT", "jumps from number to number"),
];

/// Forces and derivatives.
pub(super) fn check(mechanism: &Mechanism, found: &mut Vec<Finding>) {
    for force in &mechanism.forces {
        for (field, scaled) in force.kind.expressions() {
            expression(mechanism, ("force", &force.name, field), scaled.expr, found);
        }
    }
    for equation in &mechanism.equations {
        let place = (
            equation.kind.as_ref(),
            equation.quantity.name.as_str(),
            equation.field.as_ref(),
        );
        expression(mechanism, place, equation.law.expression().expr, found);
    }
}

fn expression(
    mechanism: &Mechanism,
    place: (&str, &str, &str),
    root: ExprId,
    found: &mut Vec<Finding>,
) {
    for reached in reached(mechanism, root) {
        let via = reached
            .variable
            .map_or_else(String::new, |name| format!(" in variable {name:?}"));
        let mut told: Vec<&str> = Vec::new();
        for call in mechanism.expressions[reached.expr.index()].calls() {
            let moves = call
                .operands
                .iter()
                .any(|o| any(mechanism, &o.leaves, &changes));
            if !moves || told.contains(&call.function.as_ref()) {
                continue;
            }
            if call.function == "IF" {
                told.push(&call.function);
                found.push(Finding::new(
                LintRule::IfInForce,
                place,
                    format!("IF{via} switches between branches at once, which a fixed step cannot resolve"),
                    "go from one branch to the other by STEP or STEP5 over some width",
                ));
            }
            let rough = ROUGH.iter().find(|(name, _)| *name == call.function);
            let Some((name, why)) = rough.filter(|_| !call.kink_cancelled) else {
                continue;
            };
            // A separate rule covers functions of a velocity that goes through zero.
            let sign = *name == "SIGN"
                && call
                    .operands
                    .get(1)
                    .is_some_and(|o| any(mechanism, &o.leaves, &is_velocity))
                && is_zero_at_rest(mechanism, reached.expr, call);
            if sign && place.0 == "force" {
                continue;
            }
            told.push(&call.function);
            found.push(Finding::new(
                LintRule::KinkInForce,
                place,
                format!("{name}{via} {why}: the Newton iteration of a step may not settle there"),
                "round it off, by STEP or SQRT(x**2 + small**2)",
            ));
        }
    }
}

/// Is the second argument of a call zero where all that moves has the value zero?
fn is_zero_at_rest(mechanism: &Mechanism, expr: ExprId, call: &Call) -> bool {
    let at_rest = |leaf: &Leaf| match leaf {
        Leaf::Parameter(p) => mechanism.parameters[p.index()].quantity.start,
        _ => 0.0,
    };
    let leaves: Vec<f64> = mechanism.leaves.iter().map(at_rest).collect();
    let program = &mechanism.expressions[expr.index()];
    let mut registers = vec![0.0; program.registers()];
    program.value(&leaves, &mut registers);
    let argument = call.operands.get(1).and_then(|o| o.after(&registers));
    argument.is_some_and(|x| x == 0.0)
}
