//! Control plane: chooses the Jacobian pattern and the number of Newton iterations if the model does not give them.
//!
//! A Jacobian that is kept through a step is right if slopes hardly change within the step. Contact, friction, limits
//! and tyres change slopes abruptly. There, a kept Jacobian can make the iteration diverge, and more iterations do
//! not help. Such models evaluate the Jacobian in every iteration. Two such iterations leave a smaller error than
//! three with a kept Jacobian, except with drives that have limits of effort, which take three
//! (docs/theory/time-stepping.md).

use fixstep_kernel::ids::ExprId;
use fixstep_kernel::lint::reading::{any, reached};
use fixstep_kernel::mechanism::{ForceKind, Leaf, Mechanism, SolverSettings};

/// Functions whose slope changes strongly within a small change of their argument.
const KINKED_FUNCTIONS: [&str; 16] = [
    "ABS", "AINT", "ANINT", "BISTOP", "DIM", "HAVSIN", "IF", "IMPACT", "INT", "MAX", "MIN", "MOD",
    "NINT", "SIGN", "STEP", "STEP5",
];

/// Iterations of a step with a Jacobian in each.
const FRESH_ITERATIONS: u8 = 2;

/// Sets the solver settings that a model leaves open.
pub(crate) fn choose(mechanism: &mut Mechanism) {
    let given = mechanism.solver.given;
    if given.has("pattern") || !slopes_change(mechanism) {
        return;
    }
    mechanism.solver.pattern = SolverSettings::every_iteration();
    if !given.has("fixit") && !efforts_are_limited(mechanism) {
        mechanism.solver.fixit = FRESH_ITERATIONS;
    }
}

/// Does a mechanism have drives with limits of effort? Each may jump from one limit to the other in an iteration.
fn efforts_are_limited(mechanism: &Mechanism) -> bool {
    let mut kinds = mechanism.forces.iter().map(|force| &force.kind);
    kinds.any(|kind| matches!(kind, ForceKind::JointDrive(drive) if drive.limits.effort))
}

/// Does a mechanism have elements whose slopes change strongly within a step?
fn slopes_change(mechanism: &Mechanism) -> bool {
    let of_forces = mechanism.forces.iter().any(|force| {
        let expressions = force.kind.expressions();
        let mut expressions = expressions.iter();
        force.kind.row().steep || expressions.any(|(_, scaled)| bends(mechanism, scaled.expr))
    });
    let mut equations = mechanism.equations.iter();
    of_forces || equations.any(|equation| bends(mechanism, equation.law.expression().expr))
}

/// Does an expression read unknowns of the step through one of [`KINKED_FUNCTIONS`]?
fn bends(mechanism: &Mechanism, root: ExprId) -> bool {
    reached(mechanism, root).iter().any(|reached| {
        let calls = mechanism.expressions[reached.expr.index()].calls();
        let mut bent = calls
            .iter()
            .filter(|call| KINKED_FUNCTIONS.contains(&call.function.as_ref()));
        bent.any(|call| {
            call.operands
                .iter()
                .any(|operand| any(mechanism, &operand.leaves, &is_solved_for))
        })
    })
}

/// Does a leaf depend on unknowns of the step?
fn is_solved_for(leaf: &Leaf) -> bool {
    !matches!(
        leaf,
        Leaf::Time { .. } | Leaf::Input(_) | Leaf::Parameter(_) | Leaf::Held(_)
    )
}
