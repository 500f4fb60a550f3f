//! Random mechanisms for tests: coupled blocks, with values of realistic size for bodies and joints.

use crate::linalg::{BlockId, Pattern, PatternBuilder, Slot, TileMatrix};
use alloc::vec;
use alloc::vec::Vec;

/// A xorshift generator: the same numbers everywhere.
pub(in crate::linalg) struct Random(pub(in crate::linalg) u64);

impl Random {
    pub(in crate::linalg) fn next(&mut self) -> u64 {
        let mut x = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0 = x;
        x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// Uniform in -1..1.
    pub(in crate::linalg) fn symmetric(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// The blocks and what connects them; values are drawn separately.
pub(super) struct Topology {
    pub(super) bodies: Vec<(BlockId, usize)>,
    masses: Vec<f64>,
    pub(super) joints: Vec<Joint>,
    bushings: Vec<(usize, usize)>,
    pub(super) pattern: Pattern,
}

pub(super) struct Joint {
    pub(super) block: BlockId,
    rows: usize,
    /// Bodies, or ground.
    ends: (Option<usize>, usize),
}

#[derive(Default)]
pub(super) struct Plan {
    pub(super) sizes: Vec<usize>,
    pub(super) joints: Vec<(usize, Option<usize>, usize)>,
    pub(super) bushings: Vec<(usize, usize)>,
}

impl Plan {
    /// A serial chain on ground.
    pub(super) fn chain(links: usize, rows: usize) -> Self {
        let joints = (0..links).map(|i| (rows, i.checked_sub(1), i)).collect();
        Self {
            sizes: vec![6; links],
            joints,
            bushings: Vec::new(),
        }
    }

    /// A random tree with `loops` extra one- or two-row joints and some bushings.
    pub(super) fn tree(bodies: usize, loops: usize, bushings: usize, random: &mut Random) -> Self {
        let mut plan = Self::default();
        for body in 0..bodies {
            plan.sizes.push(if random.below(6) == 0 { 3 } else { 6 });
            let parent = random.below(body + 1).checked_sub(1);
            let rows = 1 + random.below(if plan.sizes[body] == 3 { 2 } else { 4 });
            plan.joints.push((rows, parent, body));
        }
        for _ in 0..loops {
            let (a, b) = (random.below(bodies), random.below(bodies));
            if a != b {
                plan.joints.push((1, Some(a), b));
            }
        }
        for _ in 0..bushings {
            plan.bushings
                .push((random.below(bodies), random.below(bodies)));
        }
        plan
    }

    pub(super) fn build(self) -> Topology {
        let mut builder = PatternBuilder::new();
        let bodies: Vec<_> = self
            .sizes
            .iter()
            .map(|&size| (builder.add_block(size), size))
            .collect();
        let mut joints = Vec::new();
        for (rows, parent, body) in self.joints {
            let block = builder.add_block(rows);
            builder.add_entry(block, bodies[body].0);
            if let Some(parent) = parent {
                builder.add_entry(bodies[parent].0, block);
                builder.add_entry(bodies[parent].0, bodies[body].0);
            }
            joints.push(Joint {
                block,
                rows,
                ends: (parent, body),
            });
        }
        for &(a, b) in &self.bushings {
            builder.add_entry(bodies[a].0, bodies[b].0);
        }
        // 0.1 to 1000, neighbours unequal
        let masses = (0..bodies.len())
            .map(|i| 10.0_f64.powi((i * 3 % 5) as i32 - 1))
            .collect();
        Topology {
            bodies,
            masses,
            joints,
            bushings: self.bushings,
            pattern: builder.build(),
        }
    }
}

impl Topology {
    pub(super) fn slot(&self, row: BlockId, column: BlockId) -> Slot {
        self.pattern.slot(row, column).unwrap()
    }

    /// Masses between 0.1 and 1000 with radii of gyration of 0.3, constraint gradients of size one and lever arms of
    /// half that, weak unsymmetric couplings along joints, stiff ones in bushings.
    pub(super) fn values(&self, random: &mut Random) -> TileMatrix {
        let mut a = TileMatrix::new(&self.pattern);
        for (&(block, size), &mass) in self.bodies.iter().zip(&self.masses) {
            let slot = self.slot(block, block);
            for i in 0..size {
                let inertia = if i < 3 { mass } else { mass * 0.1 };
                a.add(slot, i, i, inertia * (1.0 + 0.5 * random.symmetric()));
                for j in 0..size {
                    let lever = if i < 3 && j < 3 { mass } else { mass * 0.1 };
                    a.add(slot, i, j, 0.05 * lever * random.symmetric());
                }
            }
        }
        for joint in &self.joints {
            let ends = [joint.ends.0, Some(joint.ends.1)];
            for body in ends.into_iter().flatten() {
                let (block, size) = self.bodies[body];
                let (lower, upper) = (self.slot(joint.block, block), self.slot(block, joint.block));
                for i in 0..joint.rows {
                    for j in 0..size {
                        let gradient = 0.5 * random.symmetric() + if i == j { 1.0 } else { 0.0 };
                        a.add(lower, i, j, gradient);
                        a.add(upper, j, i, gradient);
                    }
                }
            }
            if let Some(parent) = joint.ends.0 {
                self.couple(&mut a, random, (parent, joint.ends.1), 1e-4);
            }
        }
        for &ends in &self.bushings {
            self.couple(&mut a, random, ends, 3.0);
        }
        a
    }

    /// A relative stiffness between two bodies, 1 % unsymmetric.
    fn couple(&self, a: &mut TileMatrix, random: &mut Random, ends: (usize, usize), size: f64) {
        if ends.0 == ends.1 {
            return;
        }
        let common = self.bodies[ends.0].1.min(self.bodies[ends.1].1);
        for i in 0..common {
            let stiffness = size * (1.0 + 0.5 * random.symmetric());
            for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let sign = if row == column { 1.0 } else { -1.0 };
                let blocks = [self.bodies[ends.0].0, self.bodies[ends.1].0];
                let slot = self.slot(blocks[row], blocks[column]);
                a.add(slot, i, i, sign * stiffness);
                a.add(
                    slot,
                    i,
                    (i + 1) % common,
                    0.01 * stiffness * random.symmetric(),
                );
            }
        }
    }
}
