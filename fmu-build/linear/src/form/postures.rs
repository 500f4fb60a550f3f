//! Positions that constraints leave free: more than velocities, if some constraints hold velocities only, (LIN-111).

use super::unknowns::Kinds;
use crate::condense::Condensation;
use crate::matrix::{pick_rows, put};
use crate::sparse::Sparse;
use faer::Mat;
use fixstep_kernel::simulation::Linearization;

/// The free positions.
pub(super) struct Postures {
    /// The coordinates whose remainders are the rolled positions, in order.
    pub(super) rolled: Vec<usize>,
    /// The condensation by rows of positions, with those rows among all; `None` if all rows are of positions.
    own: Option<(Condensation, Vec<usize>)>,
}

impl Postures {
    /// From the gradient of all constraints, and the velocities that they leave free.
    pub(super) fn new(
        from: &Linearization,
        kinds: &Kinds,
        (gradient, scale): (&Sparse, &[f64]),
        velocities: &Condensation,
    ) -> Self {
        let only = &from.rates.only;
        if only.is_empty() {
            let (rolled, own) = (Vec::new(), None);
            return Self { rolled, own };
        }
        let of_positions = |row: &usize| !only.contains(&kinds.held.list()[*row]);
        let rows: Vec<usize> = (0..kinds.held.len()).filter(of_positions).collect();
        let columns: Vec<usize> = (0..gradient.ncols()).collect();
        let free = &velocities.independent;
        let own = Condensation::with(&gradient.pick(&rows, &columns), scale, free);
        let more = own.independent.iter().filter(|k| !free.contains(k));
        Self {
            rolled: more.copied().collect(),
            own: Some((own, rows)),
        }
    }

    /// Writes T, and T_r in the columns of rolled positions.
    pub(super) fn put(&self, to: &mut Mat<f64>, map: &Mat<f64>, first_rolled: usize) {
        put(to, (0, 0), map);
        let Some((own, _)) = &self.own else { return };
        let all = own.independent.iter().enumerate();
        let rolled = all.filter(|(_, k)| self.rolled.contains(k));
        for (n, (c, _)) in rolled.enumerate() {
            for r in 0..own.map.nrows() {
                to[(r, first_rolled + n)] = own.map[(r, c)];
            }
        }
    }

    /// The rolled positions of all coordinates, or their rates: what the independent ones of velocities leave.
    pub(super) fn rolled(&self, velocities: &Condensation, all: &Mat<f64>) -> Mat<f64> {
        let follows = pick_rows(&velocities.map, &self.rolled);
        pick_rows(all, &self.rolled) - follows * pick_rows(all, &velocities.independent)
    }

    /// P_p c, for columns c with a row for each constraint.
    pub(super) fn particular(&self, velocities: &Condensation, given: &Mat<f64>) -> Mat<f64> {
        match &self.own {
            Some((own, rows)) => own.particular(&pick_rows(given, rows)),
            None => velocities.particular(given),
        }
    }
}
