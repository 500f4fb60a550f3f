//! Planar flexible bodies in minimal coordinates, derived from their nodes alone.
//!
//! The coordinates x of a mechanism move every node of mass m by r(x), with J = ∂r/∂x and J̇ ẋ = c written out by
//! hand. Then (d'Alembert) Σ m Jᵀ(J ẍ + c − g) = Q: no invariant, no multiplier, no frame of nine numbers. A method
//! of order 5 with a small step integrates ẍ.

use fixstep_kernel::flex::{FlexData, Invariants, Mode, Nodal, Node, frequency};
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};

/// A vector of the plane.
pub(crate) type V2 = [f64; 2];

/// Gravity along y.
pub(crate) const GRAVITY: f64 = -9.81;

pub(crate) fn add(a: V2, b: V2) -> V2 {
    [a[0] + b[0], a[1] + b[1]]
}

pub(crate) fn scaled(a: V2, s: f64) -> V2 {
    [a[0] * s, a[1] * s]
}

fn dot(a: V2, b: V2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// A quarter turn to the left.
pub(crate) fn left(a: V2) -> V2 {
    [-a[1], a[0]]
}

/// Turned by an angle.
pub(crate) fn turned(a: V2, angle: f64) -> V2 {
    let (c, s) = (cos(angle), sin(angle));
    [c * a[0] - s * a[1], s * a[0] + c * a[1]]
}

/// Where something is, ∂/∂x of it, and what of its second derivative does not depend on ẍ.
#[derive(Clone, Debug)]
pub(crate) struct Moving<T> {
    pub(crate) value: T,
    pub(crate) slopes: Vec<T>,
    pub(crate) rest: T,
}

impl Moving<V2> {
    /// What no coordinate moves.
    pub(crate) fn still(value: V2, count: usize) -> Self {
        Self {
            value,
            slopes: vec![[0.0; 2]; count],
            rest: [0.0; 2],
        }
    }

    /// The way from another.
    pub(crate) fn from(&self, other: &Self) -> Self {
        let minus = |a: V2, b: V2| add(a, scaled(b, -1.0));
        let pairs = self.slopes.iter().zip(&other.slopes);
        Self {
            value: minus(self.value, other.value),
            slopes: pairs.map(|(a, b)| minus(*a, *b)).collect(),
            rest: minus(self.rest, other.rest),
        }
    }

    /// J v.
    pub(crate) fn velocity(&self, v: &[f64]) -> V2 {
        let terms = self.slopes.iter().zip(v).map(|(s, v)| scaled(*s, *v));
        terms.fold([0.0; 2], add)
    }

    /// J a + c.
    pub(crate) fn acceleration(&self, a: &[f64]) -> V2 {
        add(self.velocity(a), self.rest)
    }
}

impl Moving<f64> {
    /// Coordinate k itself.
    pub(crate) fn coordinate(x: &[f64], k: usize) -> Self {
        let slopes = (0..x.len()).map(|j| f64::from(u8::from(j == k))).collect();
        Self {
            value: x[k],
            slopes,
            rest: 0.0,
        }
    }

    /// J v.
    pub(crate) fn velocity(&self, v: &[f64]) -> f64 {
        self.slopes.iter().zip(v).map(|(s, v)| s * v).sum()
    }

    /// Both angles together.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let pairs = self.slopes.iter().zip(&other.slopes);
        Self {
            value: self.value + other.value,
            slopes: pairs.map(|(a, b)| a + b).collect(),
            rest: self.rest + other.rest,
        }
    }
}

/// A flat truss of point masses that bends and stretches by polynomials; mode coordinates are the last of x.
#[derive(Clone, Debug)]
pub(crate) struct Truss {
    /// Mass \[kg\] and place \[m\] of each node.
    pub(crate) nodes: Vec<(f64, V2)>,
    /// Bending w and stretching u of each mode: coefficients of 1, x, x², x³.
    pub(crate) shapes: Vec<[[f64; 4]; 2]>,
    /// Modal stiffness, row by row.
    pub(crate) stiffness: Vec<f64>,
    /// Damping ratio of all modes.
    pub(crate) ratio: f64,
}

impl Truss {
    /// A metre of truss with masses at random, not straight, whose root moves in every mode.
    pub(crate) fn new(ratio: f64) -> Self {
        let nodes = vec![
            (0.11, [0.0, 0.01]),
            (0.07, [0.05, -0.06]),
            (0.13, [0.2, 0.07]),
            (0.09, [0.35, -0.05]),
            (0.12, [0.5, 0.06]),
            (0.08, [0.62, -0.07]),
            (0.1, [0.75, 0.05]),
            (0.06, [0.9, -0.04]),
            (0.05, [1.0, 0.02]),
        ];
        let shapes = vec![
            [[0.15, -0.8, 1.6, 0.1], [0.0; 4]],
            [[-0.1, 1.2, -3.4, 2.3], [0.0, 0.02, 0.0, 0.0]],
            [[0.02, 0.0, 0.1, 0.0], [-0.1, 0.3, 0.2, 0.0]],
        ];
        let mut truss = Self {
            nodes,
            shapes,
            stiffness: Vec::new(),
            ratio,
        };
        let m = truss.shapes.len();
        let mut stiffness = vec![0.0; m * m];
        for (j, hertz) in [1.6, 4.1, 7.3].into_iter().enumerate() {
            let omega: f64 = std::f64::consts::TAU * hertz;
            stiffness[j * m + j] = omega * omega * truss.modal_mass(j);
        }
        for (j, k, share) in [(0, 1, 0.2), (0, 2, -0.1), (1, 2, 0.15)] {
            let (a, b): (f64, f64) = (stiffness[j * m + j], stiffness[k * m + k]);
            let both = share * (a * b).sqrt();
            (stiffness[j * m + k], stiffness[k * m + j]) = (both, both);
        }
        truss.stiffness = stiffness;
        truss
    }

    /// Translation and rotation of a place in a mode: plane sections turn with the line.
    fn shape(&self, mode: usize, [x, y]: V2) -> (V2, f64) {
        let value = |c: &[f64; 4]| c[0] + x * (c[1] + x * (c[2] + x * c[3]));
        let [w, u] = &self.shapes[mode];
        let slope = w[1] + x * (2.0 * w[2] + 3.0 * x * w[3]);
        ([value(u) - y * slope, value(w)], slope)
    }

    fn modal_mass(&self, mode: usize) -> f64 {
        let of = |(m, s): &(f64, V2)| {
            let (phi, _) = self.shape(mode, *s);
            m * dot(phi, phi)
        };
        self.nodes.iter().map(of).sum()
    }

    /// The centre of mass, undeformed.
    pub(crate) fn center(&self) -> V2 {
        let mass: f64 = self.nodes.iter().map(|(m, _)| m).sum();
        let terms = self.nodes.iter().map(|(m, s)| scaled(*s, m / mass));
        terms.fold([0.0; 2], add)
    }

    /// Where a place of the body is in its frame, and how its section is turned.
    pub(crate) fn place(&self, s: V2, x: &[f64]) -> (Moving<V2>, Moving<f64>) {
        let (count, m) = (x.len(), self.shapes.len());
        let mut at = Moving::still(s, count);
        let mut turn = Moving {
            value: 0.0,
            slopes: vec![0.0; count],
            rest: 0.0,
        };
        for j in 0..m {
            let (phi, psi) = self.shape(j, s);
            let k = count - m + j;
            at.value = add(at.value, scaled(phi, x[k]));
            turn.value += psi * x[k];
            at.slopes[k] = phi;
            turn.slopes[k] = psi;
        }
        (at, turn)
    }

    /// Modal forces −K q − D q̇ into the last of `forces`; d = 2 ζ √(k m) mode by mode.
    pub(crate) fn resist(&self, x: &[f64], v: &[f64], forces: &mut [f64]) {
        let m = self.shapes.len();
        let first = x.len() - m;
        for j in 0..m {
            let own = self.stiffness[j * m + j] * self.modal_mass(j);
            forces[first + j] -= 2.0 * self.ratio * own.sqrt() * v[first + j];
            for k in 0..m {
                forces[first + j] -= self.stiffness[j * m + k] * x[first + k];
            }
        }
    }

    /// ½ qᵀ K q.
    pub(crate) fn strain(&self, x: &[f64]) -> f64 {
        let m = self.shapes.len();
        let q = &x[x.len() - m..];
        let pairs = (0..m * m).map(|at| q[at / m] * self.stiffness[at] * q[at % m]);
        0.5 * pairs.sum::<f64>()
    }

    /// As a file holds it: nodes `n0`, `n1`, …
    pub(crate) fn data(&self) -> FlexData {
        let m = self.shapes.len();
        let node = |(k, (_, s)): (usize, &(f64, V2))| {
            let shapes: Vec<(V2, f64)> = (0..m).map(|j| self.shape(j, *s)).collect();
            let moved = |(phi, _): &(V2, f64)| Vec3::new(phi[0], phi[1], 0.0);
            Node {
                id: 100 + k as u64,
                name: Some(format!("n{k}")),
                position: Vec3::new(s[0], s[1], 0.0),
                freedom: [true; 6],
                translation: shapes.iter().map(moved).collect(),
                rotation: shapes.iter().map(|s| Vec3::new(0.0, 0.0, s.1)).collect(),
            }
        };
        let nodes: Vec<Node> = self.nodes.iter().enumerate().map(node).collect();
        let nodal = nodes
            .iter()
            .zip(&self.nodes)
            .map(|(node, (mass, _))| Nodal {
                mass: *mass,
                inertia: Mat3::zeros(),
                position: node.position,
                translation: &node.translation,
                rotation: &node.rotation,
            });
        let mode = |j: usize| Mode {
            frequency: frequency(self.stiffness[j * m + j], self.modal_mass(j)),
            label: format!("shape {}", j + 1),
        };
        FlexData {
            description: "truss of point masses".to_owned(),
            sources: Vec::new(),
            modes: (0..m).map(mode).collect(),
            invariants: Invariants::lumped(m, nodal),
            stiffness: self.stiffness.clone(),
            lines: (1..nodes.len()).map(|k| [k - 1, k]).collect(),
            faces: Vec::new(),
            nodes,
            preload: None,
            loads: Vec::new(),
            stiffening: None,
            stresses: Vec::new(),
            strains: Vec::new(),
        }
    }
}

/// r = a + R(β) y: ṙ = ȧ + β̇ R⊥ y + R ẏ, r̈ = ä + β̈ R⊥ y − β̇² R y + 2 β̇ R⊥ ẏ + R ÿ.
pub(crate) fn swung(
    anchor: &Moving<V2>,
    angle: &Moving<f64>,
    arm: &Moving<V2>,
    v: &[f64],
) -> Moving<V2> {
    let (rate, bend) = (angle.velocity(v), turned(arm.velocity(v), angle.value));
    let out = turned(arm.value, angle.value);
    let slope = |k: usize| {
        let swing = scaled(left(out), angle.slopes[k]);
        add(
            anchor.slopes[k],
            add(swing, turned(arm.slopes[k], angle.value)),
        )
    };
    let inward = scaled(out, -rate * rate);
    let across = add(
        scaled(left(out), angle.rest),
        scaled(left(bend), 2.0 * rate),
    );
    let own = turned(arm.rest, angle.value);
    Moving {
        value: add(anchor.value, out),
        slopes: (0..v.len()).map(slope).collect(),
        rest: add(add(anchor.rest, own), add(inward, across)),
    }
}

/// The equations M a = f under construction.
pub(crate) struct Equations {
    size: usize,
    mass: Vec<f64>,
    /// Right side.
    pub(crate) forces: Vec<f64>,
}

impl Equations {
    /// Without anything.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            mass: vec![0.0; size * size],
            forces: vec![0.0; size],
        }
    }

    /// A point mass under gravity.
    pub(crate) fn point(&mut self, mass: f64, r: &Moving<V2>) {
        let free = add([0.0, GRAVITY], scaled(r.rest, -1.0));
        for j in 0..self.size {
            self.forces[j] += mass * dot(r.slopes[j], free);
            for k in 0..self.size {
                self.mass[j * self.size + k] += mass * dot(r.slopes[j], r.slopes[k]);
            }
        }
    }

    /// Inertia that turns.
    pub(crate) fn wheel(&mut self, inertia: f64, angle: &Moving<f64>) {
        for j in 0..self.size {
            self.forces[j] -= inertia * angle.slopes[j] * angle.rest;
            for k in 0..self.size {
                self.mass[j * self.size + k] += inertia * angle.slopes[j] * angle.slopes[k];
            }
        }
    }

    /// A force at a point.
    pub(crate) fn push(&mut self, force: V2, r: &Moving<V2>) {
        for (f, slope) in self.forces.iter_mut().zip(&r.slopes) {
            *f += dot(*slope, force);
        }
    }

    /// A torque on what turns.
    pub(crate) fn twist(&mut self, torque: f64, angle: &Moving<f64>) {
        for (f, slope) in self.forces.iter_mut().zip(&angle.slopes) {
            *f += slope * torque;
        }
    }

    /// ½ vᵀ M v.
    pub(crate) fn kinetic(&self, v: &[f64]) -> f64 {
        let n = self.size;
        let pairs = (0..n * n).map(|at| v[at / n] * self.mass[at] * v[at % n]);
        0.5 * pairs.sum::<f64>()
    }

    /// M⁻¹ f by Gauss and Cholesky: M is positive.
    pub(crate) fn solve(mut self) -> Vec<f64> {
        let n = self.size;
        for k in 0..n {
            for j in k + 1..n {
                let ratio = self.mass[j * n + k] / self.mass[k * n + k];
                for l in k..n {
                    self.mass[j * n + l] -= ratio * self.mass[k * n + l];
                }
                self.forces[j] -= ratio * self.forces[k];
            }
        }
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n)
                .map(|l| self.mass[k * n + l] * self.forces[l])
                .sum();
            self.forces[k] = (self.forces[k] - known) / self.mass[k * n + k];
        }
        self.forces
    }
}

/// Stages of the method of order 5 by Dormand and Prince (1980), without its last, which only estimates an error.
const STAGES: [&[f64]; 6] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
    ],
    &[
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
    ],
];
const PLACES: [f64; 6] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0];
const SHARES: [f64; 6] = [
    35.0 / 384.0,
    0.0,
    500.0 / 1113.0,
    125.0 / 192.0,
    -2187.0 / 6784.0,
    11.0 / 84.0,
];

/// A mechanism in minimal coordinates: ẍ at time, x, ẋ.
pub(crate) trait Mechanism {
    /// ẍ.
    fn acceleration(&self, t: f64, x: &[f64], v: &[f64]) -> Vec<f64>;

    /// One step of order 5.
    fn step(&self, t: f64, h: f64, x: &mut [f64], v: &mut [f64]) {
        let mut rates: Vec<(Vec<f64>, Vec<f64>)> = Vec::with_capacity(STAGES.len());
        let ahead = |start: &[f64], shares: &[f64], of: &dyn Fn(usize) -> Vec<f64>| {
            let mut y = start.to_vec();
            for (k, share) in shares.iter().enumerate() {
                y.iter_mut()
                    .zip(of(k))
                    .for_each(|(y, r)| *y += h * share * r);
            }
            y
        };
        for (shares, place) in STAGES.iter().zip(PLACES) {
            let at = ahead(x, shares, &|k| rates[k].0.clone());
            let speed = ahead(v, shares, &|k| rates[k].1.clone());
            let push = self.acceleration(t + place * h, &at, &speed);
            rates.push((speed, push));
        }
        let (place, speed) = (
            ahead(x, &SHARES, &|k| rates[k].0.clone()),
            ahead(v, &SHARES, &|k| rates[k].1.clone()),
        );
        x.copy_from_slice(&place);
        v.copy_from_slice(&speed);
    }

    /// x and ẋ at `samples` equal times up to `until`, in so many steps each.
    fn run(
        &self,
        start: (&[f64], &[f64]),
        until: f64,
        (samples, steps): (u32, u32),
    ) -> Vec<Sample> {
        let (mut x, mut v) = (start.0.to_vec(), start.1.to_vec());
        let h = until / f64::from(samples * steps);
        let mut list = Vec::new();
        for n in 0..samples * steps {
            self.step(f64::from(n) * h, h, &mut x, &mut v);
            if (n + 1) % steps == 0 {
                list.push(Sample {
                    time: f64::from(n + 1) * h,
                    x: x.clone(),
                    v: v.clone(),
                });
            }
        }
        list
    }
}

/// A state of a reference.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// \[s\].
    pub(crate) time: f64,
    /// Coordinates.
    pub(crate) x: Vec<f64>,
    /// Their rates.
    pub(crate) v: Vec<f64>,
}
