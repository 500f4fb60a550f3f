//! The Newton matrix of a mechanism with states at shrinking steps: no entry grows.

use super::*;
use fixstep_kernel::integrator::scheme;
use fixstep_kernel::mechanism::{IntegratorKind, SolverSettings};

/// Norm of a matrix times that of its inverse (largest row sums).
fn condition(matrix: &[Vec<f64>]) -> f64 {
    let n = matrix.len();
    let size = |row: &[f64]| row.iter().map(|x| x.abs()).sum::<f64>();
    let identity = |r: usize| (0..n).map(move |c| f64::from(u8::from(c == r)));
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(r, row)| row.iter().copied().chain(identity(r)).collect())
        .collect();
    for k in 0..n {
        let largest = |a: &usize, b: &usize| rows[*a][k].abs().total_cmp(&rows[*b][k].abs());
        let pivot = (k..n).max_by(largest).unwrap();
        rows.swap(k, pivot);
        let base = rows[k].clone();
        for (r, row) in rows.iter_mut().enumerate() {
            let factor = if r == k {
                1.0 - 1.0 / base[k]
            } else {
                row[k] / base[k]
            };
            for (x, b) in row.iter_mut().zip(&base) {
                *x -= factor * b;
            }
        }
    }
    let norm = matrix.iter().map(|row| size(row)).fold(0.0, f64::max);
    let inverse = rows.iter().map(|row| size(&row[n..])).fold(0.0, f64::max);
    norm * inverse
}

impl Fixture {
    /// The Newton matrix of a scheme, dense, without padding.
    fn dense(&mut self, settings: &SolverSettings, h: f64) -> Vec<Vec<f64>> {
        self.scheme = scheme(settings, h);
        for x in self
            .stepper
            .delta
            .iter_mut()
            .chain(&mut self.stepper.states.delta)
        {
            *x *= h;
        }
        self.residual();
        for x in self
            .stepper
            .delta
            .iter_mut()
            .chain(&mut self.stepper.states.delta)
        {
            *x /= h;
        }
        let scaling = Scaling {
            motion: self.scheme.scale,
            constraints: 1.0,
            rates: self.scheme.rate_scale(),
            states: self.scheme.states.rows(self.scheme.scale),
        };
        let weights = self.scheme.weights;
        let balanced = &mut Balanced::kept(&mut self.ws);
        jacobian::assemble(&self.system, &self.state, balanced, &weights, &scaling);
        let pattern = &self.system.pattern;
        let places = || {
            let of = |b: BlockId| (0..pattern.size(b)).map(move |k| (b, k));
            pattern.block_ids().flat_map(of)
        };
        let entry = |(r, i): (BlockId, usize), (c, j): (BlockId, usize)| {
            let slot = pattern.slot(r, c);
            slot.map_or(0.0, |s| {
                self.ws.matrix.tile(s)[fixstep_kernel::linalg::entry(i, j)]
            })
        };
        places()
            .map(|row| places().map(|column| entry(row, column)).collect())
            .collect()
    }
}

#[test]
fn small_steps_leave_the_matrix_with_states_well_conditioned() {
    let mut model = base();
    model["joints"] = json!([{"name": "j", "type": "revolute", "i": "ma", "j": "mb"}]);
    model["differential_equations"] = json!([
        {"name": "z", "derivative": "50*(DX(ma, mb) + VX(ma, mb) + ACCX(mc) - DIF(z))"},
        {"name": "y", "derivative": "JOINT(j, 0, 3, mc) - DIF(z) + DIF1(z)"}
    ]);
    model["forces"] = json!([{"name": "t", "type": "torque", "i": "ma", "j": "mb",
                              "expression": "20*DIF(y) + DIF(z)"}]);
    for integrator in [
        IntegratorKind::Gstiff,
        IntegratorKind::Hht,
        IntegratorKind::GeneralizedAlpha,
    ] {
        let settings = SolverSettings {
            integrator,
            ..SolverSettings::default()
        };
        let numbers: Vec<f64> = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7]
            .iter()
            .map(|h| condition(&Fixture::new(&model, 1, no_scheme()).dense(&settings, *h)))
            .collect();
        let (first, last) = (numbers[1], numbers[4]);
        assert!(
            (last / first - 1.0).abs() < 0.05,
            "{integrator:?}: {numbers:?}"
        );
    }
}
