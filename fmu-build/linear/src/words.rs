//! Describes what moves most in a mode: `part "chassis" along z 92 %`.

use crate::form::{LinearForm, MODAL};
use crate::modes::Inertia;
use faer::c64;
use fixstep_kernel::simulation::Linearization;

/// The description ends when it covers this share of the kinetic energy,
const MOSTLY: f64 = 0.8;
/// or when the next share is below this,
const LITTLE: f64 = 0.05;
/// or after this many entries.
const MOST: usize = 3;

/// Names of the directions of a body.
const DIRECTIONS: [&str; 7] = [
    "along x",
    "along y",
    "along z",
    "about x",
    "about y",
    "about z",
    "in its modes",
];

/// A body in a direction, and its share of the kinetic energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The number of the body.
    pub body: usize,
    /// 0 to 2 along, 3 to 5 about x, y, z; 6: modal coordinates.
    pub direction: usize,
    /// From 0 to 1.
    pub share: f64,
}

/// The quantities of a mechanism from which modes are described.
#[derive(Debug)]
pub struct Words {
    inertia: Inertia,
    /// All bodies and directions.
    known: Vec<(usize, usize)>,
    /// The index in it of each coordinate.
    slots: Vec<usize>,
}

impl Words {
    /// Prepares them for a mechanism.
    pub fn of(linearization: &Linearization, form: &LinearForm) -> Self {
        let places = form.shapes.places(linearization);
        let mut known = places.clone();
        known.sort_unstable();
        known.dedup();
        let slot = |place| known.binary_search(place).unwrap_or(0);
        Self {
            inertia: Inertia::of(linearization, &form.shapes.coordinates),
            slots: places.iter().map(slot).collect(),
            known,
        }
    }

    /// The directions of bodies with the most kinetic energy, in decreasing order.
    pub fn moved(&self, shape: &[c64]) -> Vec<Moved> {
        let known = self.known.iter();
        let mut all: Vec<Moved> = known
            .map(|(body, direction)| Moved {
                body: *body,
                direction: *direction,
                share: 0.0,
            })
            .collect();
        // Energy that couples two directions counts half for each.
        for (r, c, mass) in &self.inertia.entries {
            all[self.slots[*r]].share += mass * (shape[*r].conj() * shape[*c]).re;
        }
        let whole: f64 = all.iter().map(|own| own.share).sum();
        if whole <= 0.0 || !whole.is_finite() {
            return Vec::new();
        }
        for own in &mut all {
            own.share /= whole;
        }
        // Equal shares, except for rounding, remain in the order of bodies.
        let rank = |own: &Moved| (own.share * 1e6).round();
        all.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        let mut told = 0.0;
        let mut kept = Vec::new();
        for own in all {
            let enough = told >= MOSTLY || kept.len() == MOST;
            if !kept.is_empty() && (enough || own.share < LITTLE) {
                break;
            }
            told += own.share;
            kept.push(own);
        }
        kept
    }

    /// The same as text; empty for a mode without motion.
    pub fn text(&self, shape: &[c64], name: &dyn Fn(usize) -> String) -> String {
        let one = |own: &Moved| {
            let direction = DIRECTIONS[own.direction.min(MODAL)];
            format!("{} {direction} {:.0} %", name(own.body), 100.0 * own.share)
        };
        let all: Vec<String> = self.moved(shape).iter().map(one).collect();
        all.join(", ")
    }
}
