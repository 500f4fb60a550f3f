//! Control plane: variables for requests of bodies: poses, velocities, modal coordinates, stresses.

use super::catalog::local;
use super::settings::real;
use fixstep_kernel::ids::BodyArrayId;
use fixstep_kernel::mechanism::{BodyArray, BodyQuantity};
use fixstep_variables::{Causality, Slot, Variable};

/// One variable for each element: `bodies.rod.position[1]`. `reaching` holds the dependencies of poses and of
/// velocities at the same instant after a step, and at the start.
pub(super) fn variables(arrays: &[BodyArray], reaching: &[[Vec<u32>; 2]; 2]) -> Vec<Variable> {
    let mut all = Vec::new();
    for (at, array) in arrays.iter().enumerate() {
        let id = BodyArrayId::from(at);
        let [step, start] = &reaching[usize::from(is_velocity(array.quantity))];
        for k in 0..array.length {
            let mut variable = Variable {
                name: format!("{}[{}]", array.name, k + 1),
                description: array.description.clone(),
                kind: real(&array.unit),
                ..local(Slot::Body(id, k))
            };
            if array.output {
                variable.causality = Causality::Output;
                variable.dependencies.clone_from(step);
                variable.initial_dependencies.clone_from(start);
            }
            all.push(variable);
        }
    }
    all
}

const fn is_velocity(quantity: BodyQuantity) -> bool {
    match quantity {
        BodyQuantity::Velocity | BodyQuantity::AngularVelocity | BodyQuantity::ModalVelocities => {
            true
        }
        BodyQuantity::Position
        | BodyQuantity::Orientation
        | BodyQuantity::ModalCoordinates
        | BodyQuantity::Stress(_)
        | BodyQuantity::Strain(_) => false,
    }
}
