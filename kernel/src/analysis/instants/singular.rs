//! Control plane: names what a kinematic run cannot pass: dead points, jumps, singular positions.

use super::Instants;
use crate::analysis::accelerations::AccelerationFailure;
use crate::analysis::steady::null_space;
use crate::analysis::{owner_name, row_size};
use crate::mechanism::{MotionLevel, called};
use crate::seconds::Seconds;
use crate::state::State;
use crate::system::residual::{Level, larger};
use crate::system::{Owner, eval};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use nalgebra::DVector;

/// Passes of the inverse iteration.
const PASSES: usize = 4;
/// Entries below this part of the largest do not count.
const COUNTS: f64 = 0.05;
/// A displacement of a motion jumps if it changes by more than this beyond its rate [m, rad].
const JUMPS: f64 = 1e-7;
/// Positions that move less than this in the shortest part of an interval do not jump [characteristic lengths, rad].
const RUNS_OFF: f64 = 1e-3;
/// Most names in a list.
const NAMES: usize = 5;

/// What the smallest singular value of G belongs to.
struct Weakest {
    /// Constraints that hold against one another: Gᵀy ≈ 0.
    owners: Vec<Owner>,
    /// The body that moves fastest: G x ≈ 0.
    body: usize,
}

/// The reason if constraints cannot be closed beyond the state.
pub(super) fn locked(at: &mut Instants<'_>) -> String {
    let time = Seconds(at.time());
    let remedy = "turn the motion round before, drive another joint, or change lengths";
    let Some(weakest) = weakest(at) else {
        return format!(
            "no position near that of {time} s satisfies all constraints: the mechanism locks there; {remedy}"
        );
    };
    let part = called(&at.system.bodies[weakest.body].name);
    let (motions, others): (Vec<Owner>, Vec<Owner>) =
        { weakest.owners.into_iter() }.partition(|owner| matches!(owner, Owner::Motion(_)));
    let list = |owners: &[Owner]| {
        let names = owners.iter().take(NAMES);
        let names: Vec<String> = names.map(|o| owner_name(at.mechanism, *o)).collect();
        names.join(", ")
    };
    let drives = if motions.is_empty() {
        String::from("the mechanism reaches a dead point")
    } else {
        format!("a dead point of {}", list(&motions))
    };
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("{} hold against it, and ", list(&others))
    };
    format!(
        "beyond {time} s no position satisfies all constraints: {drives}, where {others}part {part} would have to move \
         infinitely fast; {remedy}"
    )
}

/// The smallest singular value by inverse iteration.
fn weakest(at: &mut Instants<'_>) -> Option<Weakest> {
    at.evaluate(Level::Position);
    let rows = null_space::rows(at.system);
    let columns = null_space::body_columns(at.system);
    let (system, length) = (at.system, at.length);
    let mut g = null_space::gradient(system, at.state, at.ws, (&rows, &columns));
    let own = || system.groups.iter().filter(|group| !group.adds());
    for (r, row) in own().flat_map(|group| group.rows.range()).enumerate() {
        let by = row_size(system, at.ws, length, row);
        g.row_mut(r).scale_mut(1.0 / by);
    }
    for (c, column) in columns.iter().enumerate() {
        let by = if column % crate::linalg::TILE < 3 {
            length
        } else {
            1.0
        };
        g.column_mut(c).scale_mut(by);
    }
    if !g.is_square() || g.is_empty() {
        return None;
    }
    let (lu, transposed) = (g.clone().lu(), g.transpose().lu());
    // An irregular sequence, so that the start is not orthogonal to what is sought.
    let mut fraction = 0.0_f64;
    let mut y = DVector::from_fn(g.nrows(), |_, _| {
        fraction = (fraction + 0.618_033_988_749_895) % 1.0;
        0.5 + fraction
    });
    let mut x = y.clone();
    for _ in 0..PASSES {
        x = lu.solve(&y)?;
        x /= x.norm();
        y = transposed.solve(&x)?;
        y /= y.norm();
    }
    if !x.iter().chain(y.iter()).all(|number| number.is_finite()) {
        return None;
    }
    let most = y.amax();
    let mut owners: Vec<(f64, Owner)> = Vec::new();
    let mut next = 0;
    for group in own() {
        let largest = y.rows(next, group.rows.len).amax();
        next += group.rows.len;
        if largest > COUNTS * most {
            owners.push((largest, group.owner));
        }
    }
    owners.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut fastest = (0.0, 0);
    let mut next = 0;
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_none() {
            continue;
        }
        let speed = x.rows(next, entry.dof).amax();
        next += entry.dof;
        if speed > fastest.0 {
            fastest = (speed, body);
        }
    }
    Some(Weakest {
        owners: owners.into_iter().map(|(_, owner)| owner).collect(),
        body: fastest.1,
    })
}

/// The reason if accelerations do not follow from the equations.
pub(super) fn unbalanced(at: &mut Instants<'_>, failure: AccelerationFailure) -> String {
    let after = Seconds(at.time());
    match failure {
        AccelerationFailure::Singular(_) => format!(
            "just after {after} s the constraints do not determine the motion: {}",
            locked(at)
        ),
        AccelerationFailure::NotFinite(_) => format!(
            "just after {after} s a force or a motion is not a finite number; look for a division by zero, or a root or \
             logarithm of a negative number"
        ),
        AccelerationFailure::Empty(equation) | AccelerationFailure::Unsettled(equation) => format!(
            "just after {after} s the search for {} does not converge; check that its equation has a solution there",
            at.system.equations[equation.index()].name
        ),
        AccelerationFailure::Diverged => format!(
            "just after {after} s no accelerations are found: forces that read accelerations or reactions do not settle"
        ),
    }
}

impl Instants<'_> {
    /// The reason if positions jump from the state to another one just after it.
    pub(super) fn jump(&mut self, beyond: &State) -> String {
        let layout = &self.system.layout;
        let (from, to) = (self.time(), beyond.time(layout));
        let mut named = Vec::new();
        for (m, motion) in self.system.motions.iter().enumerate() {
            if motion.level != MotionLevel::Displacement {
                continue;
            }
            let before = eval::motion_jet(self.system, self.state, self.ws, m, from);
            let after = eval::motion_jet(self.system, beyond, self.ws, m, to);
            let jump =
                after.value - before.value - 0.5 * (to - from) * (before.first + after.first);
            if jump.abs() > JUMPS {
                named.push(called(&self.mechanism.motions[m].name));
            }
        }
        let travels = self.travels(beyond);
        let mut most = (0.0, 0);
        for (body, travel) in travels.iter().enumerate() {
            let size = self.size(travel);
            if larger(size, most.0) > most.0 {
                most = (size, body);
            }
        }
        // Near a dead point positions run off as the square root of time does.
        if named.is_empty() && most.0 < RUNS_OFF {
            return locked(self);
        }
        let part = called(&self.system.bodies[most.1].name);
        let (moved, turned) = &travels[most.1];
        let unit = &self.mechanism.units.length;
        let jump = format!(
            "positions jump just after {} s: part {part} by {:.3e} {} and {:.3e} rad",
            Seconds(from),
            moved.norm() / unit.factor,
            unit.name,
            turned.norm()
        );
        if named.is_empty() {
            format!(
                "{jump}, although no motion jumps: the constraints have several positions here, and the one that the \
                 mechanism came along ends; {}",
                locked(self)
            )
        } else {
            format!(
                "{jump}, since the displacement of these motions jumps: {}; give them a continuous function, such as STEP",
                named.join(", ")
            )
        }
    }
}
