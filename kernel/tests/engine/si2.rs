//! The matrix of the projection against central differences of its right-hand side, over every
//! constraint.

use crate::newton::{Fixture, JOINTS, base};
use fixstep_kernel::integrator::displace;
use fixstep_kernel::linalg::{BlockId, entry};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, SolverSettings};
use fixstep_kernel::system::stage::Constrained;
use fixstep_kernel::system::{eval, jacobian};
use serde_json::{Value, json};

impl Fixture {
    /// The right-hand side of (SI2-3) at the present c and μ.
    fn projection_residual(&mut self) -> Vec<f64> {
        let projection = self.stepper.projection.clone();
        let offsets = (
            &mut self.stepper.velocity_offset[..],
            &mut self.stepper.acceleration_offset[..],
        );
        projection.place(&self.system, &self.state, offsets, &self.scheme);
        let (system, state, ws) = (&self.system, &self.state, &mut self.ws);
        let mut placed = displace(system, state, ws, &self.stepper, &self.scheme);
        placed.targets(system, state, 0.4, |_| (0.2, 0.1));
        let mut constrained = eval::constraint_wrenches(system, state, placed);
        let projection = &mut self.stepper.projection;
        projection.balance(system, state, &mut constrained);
        projection.rates(system, &constrained, &self.scheme);
        projection.rhs.clone()
    }

    /// The same after moving one unknown: c of a body in ground axes, or μ.
    fn projection_moved(&mut self, block: BlockId, k: usize, by: f64) -> Vec<f64> {
        let kept = self.stepper.projection.clone();
        let mut bodies = self.system.bodies.iter();
        if let Some(body) = bodies.position(|b| b.block == Some(block)) {
            let mut change = Vec3::zeros();
            change[k % 3] = by;
            if k >= 3 {
                change = self.ws.bodies[body].rotation.tr_mul(&change);
            }
            for c in 0..3 {
                let at = 6 * body + 3 * (k / 3) + c;
                self.stepper.projection.correction[at] += change[c];
            }
        } else {
            let mut groups = self.system.groups.iter();
            let group = groups.position(|g| g.block == block).unwrap();
            self.stepper.projection.multipliers[6 * group + k] += by;
        }
        let residual = self.projection_residual();
        self.stepper.projection = kept;
        residual
    }

    fn check_projection(&mut self, name: &str) {
        // The residual is linear in c and μ: any size of difference will do.
        let size = 0.5;
        self.projection_residual();
        let mut matrix = self.ws.matrix.clone();
        let constrained = &mut Constrained::kept(&mut self.ws);
        jacobian::assemble_metric(&self.system, &self.state, constrained, &mut matrix);
        let pattern = self.system.pattern.clone();
        for column in pattern.block_ids() {
            for k in 0..pattern.size(column) {
                let up = self.projection_moved(column, k, size);
                let down = self.projection_moved(column, k, -size);
                for row in pattern.block_ids() {
                    for r in 0..pattern.size(row) {
                        let at = row.offset() + r;
                        let wanted = (down[at] - up[at]) / (2.0 * size);
                        let got = pattern
                            .slot(row, column)
                            .map_or(0.0, |slot| matrix.tile(slot)[entry(r, k)]);
                        assert!(
                            (got - wanted).abs() < 1e-11 * (1.0 + wanted.abs()),
                            "{name}: row {row:?}.{r}, column {column:?}.{k}: {got} against {wanted}"
                        );
                    }
                }
            }
        }
    }
}

fn check(name: &str, change: impl Fn(&mut Value)) {
    let mut model = base();
    change(&mut model);
    let settings = SolverSettings {
        integrator: IntegratorKind::Gstiff,
        formulation: Formulation::Si2,
        ..SolverSettings::default()
    };
    for seed in [1, 2, 3] {
        let scheme = fixstep_kernel::integrator::scheme(&settings, 0.4);
        Fixture::new(&model, seed, scheme).check_projection(name);
    }
}

#[test]
fn the_matrix_of_the_projection_under_every_joint() {
    for kind in JOINTS {
        check(kind, |m| {
            m["joints"] = json!([{"name": "j", "type": kind, "i": "ma", "j": "mb"}]);
        });
    }
    check("screw, rack and point mass", |m| {
        m["joints"] = json!([
            {"name": "s", "type": "screw", "i": "ma", "j": "mb", "pitch": 0.4},
            {"name": "r", "type": "rack_and_pinion", "i": "mc", "j": "g", "diameter": 0.4},
            {"name": "p", "type": "spherical", "i": "mp", "j": "mc"}
        ]);
    });
}

#[test]
fn the_matrix_of_the_projection_under_every_motion() {
    for direction in ["x", "y", "z", "b1", "b2", "b3"] {
        check(direction, |m| {
            m["motions"] = json!([{"name": "d", "i": "ma", "j": "mb", "direction": direction,
                                   "displacement": "0.2 + 0.1*TIME"}]);
        });
    }
}
