//! Compares inertia invariants with the mass matrix.

use fixstep_kernel::flex::{FlexData, Invariants, Nodal};
use fixstep_kernel::math::{Mat3, Vec3};
use flexible_bodies::fe::{FeModel, FeNode, Symmetric, Unknown};
use flexible_bodies::reduce::integrals::invariants;
use flexible_bodies::reduce::{Interface, NormalModes, Options, Reference, reduce};
use flexible_bodies::sparse::Columns;

use super::brick::{DENSITY, block, end};
use super::close;

/// Numbers between −1 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::from_fn(|_, _| self.next())
    }
}

/// v'Mv/2 of the nodes' velocities in body axes.
fn nodal_energy(model: &FeModel, shapes: &Columns, motion: &Motion) -> f64 {
    let field = |weights: &[f64]| {
        let mut sum = vec![0.0; model.unknowns.len()];
        for (shape, q) in shapes.iter().zip(weights) {
            sum.iter_mut().zip(shape).for_each(|(s, x)| *s += q * x);
        }
        sum
    };
    let (u, rate) = (field(&motion.q), field(&motion.rate));
    let mut speeds = vec![0.0; u.len()];
    for node in 0..model.nodes.len() {
        let moved =
            model.nodes[node].position + Vec3::from_column_slice(&u[3 * node..3 * node + 3]);
        let own = Vec3::from_column_slice(&rate[3 * node..3 * node + 3]);
        let speed = motion.speed + motion.turn.cross(&moved) + own;
        speeds[3 * node..3 * node + 3].copy_from_slice(speed.as_slice());
    }
    let mut momentum = vec![0.0; speeds.len()];
    model.mass.add_product(&speeds, &mut momentum);
    0.5 * speeds
        .iter()
        .zip(&momentum)
        .map(|(v, p)| v * p)
        .sum::<f64>()
}

struct Motion {
    q: Vec<f64>,
    rate: Vec<f64>,
    speed: Vec3,
    turn: Vec3,
}

/// The same from the invariants: ½ [v; ω; q']ᵀ M(q) [v; ω; q'] with the blocks of the mass matrix.
fn modal_energy(i: &Invariants, motion: &Motion) -> f64 {
    let m = i.modes;
    let (q, rate, v, w) = (&motion.q, &motion.rate, motion.speed, motion.turn);
    let mut first = i.first;
    let (mut inertia, mut momentum, mut spin) = (i.i7, Vec3::zeros(), Vec3::zeros());
    let mut own = 0.0;
    for j in 0..m {
        first += i.i3[j] * q[j];
        momentum += i.i3[j] * rate[j];
        spin += i.i4[j] * rate[j];
        inertia -= (i.i8[j] + i.i8[j].transpose()) * q[j];
        for k in 0..m {
            let at = j * m + k;
            inertia -= i.i9[at] * (q[j] * q[k]);
            spin += i.i5[at] * (q[j] * rate[k]);
            own += i.i6[at] * rate[j] * rate[k];
        }
    }
    let turning = v.dot(&w.cross(&first));
    0.5 * (i.mass * v.dot(&v) + w.dot(&(inertia * w)) + own)
        + turning
        + v.dot(&momentum)
        + w.dot(&spin)
}

fn options(model: &FeModel, length: f64) -> Options {
    let spider = |name: &str, x: f64| Interface {
        name: name.to_owned(),
        at: Reference::Spider {
            point: Vec3::new(x, 0.0, 0.0),
            nodes: end(model, x),
        },
    };
    Options {
        interfaces: vec![spider("root", 0.0), spider("tip", length)],
        normal_modes: NormalModes::Count(4),
        record: (0..model.nodes.len()).collect(),
        ..Options::default()
    }
}

/// The shapes at all nodes, from those of the recorded nodes, which include the nodes of spiders.
fn shapes(model: &FeModel, body: &FlexData) -> Columns {
    let mut shapes = Columns::new(model.unknowns.len());
    for j in 0..body.modes.len() {
        let of = |u: &Unknown| {
            let id = model.nodes[u.node].id;
            body.nodes.iter().find(|n| n.id == id).unwrap().translation[j][u.direction]
        };
        let column: Vec<f64> = model.unknowns.iter().map(of).collect();
        shapes.push(&column);
    }
    shapes
}

#[test]
fn kinetic_energy_is_that_of_the_nodes() {
    let model = block([1.0, 0.02, 0.04], [10, 1, 2]);
    for orthonormalise in [true, false] {
        let mut options = options(&model, 1.0);
        options.orthonormalise = orthonormalise;
        let (body, _) = reduce(&model, &options, &mut |_, _| ()).unwrap();
        let shapes = shapes(&model, &body);
        let mut random = Random(1);
        for _ in 0..20 {
            let m = body.modes.len();
            let motion = Motion {
                q: (0..m).map(|_| random.next()).collect(),
                rate: (0..m).map(|_| random.next()).collect(),
                speed: random.vector(),
                turn: random.vector(),
            };
            let nodal = nodal_energy(&model, &shapes, &motion);
            close(
                modal_energy(&body.invariants, &motion),
                nodal,
                1e-13,
                "energy",
            );
        }
    }
}

#[test]
fn a_block_has_the_inertia_of_the_closed_form() {
    let (l, w, h) = (1.0, 0.02, 0.04);
    let model = block([l, w, h], [10, 1, 2]);
    let (body, report) = reduce(&model, &options(&model, l), &mut |_, _| ()).unwrap();
    let mass = DENSITY * l * w * h;
    close(body.invariants.mass, mass, 1e-12, "mass");
    close(report.center.x, l / 2.0, 1e-12, "centre");
    assert!(report.center.y.abs() + report.center.z.abs() < 1e-14);
    let about_origin = body.invariants.i7;
    close(
        about_origin[(0, 0)],
        mass * (w * w + h * h) / 12.0,
        1e-11,
        "xx",
    );
    close(
        about_origin[(1, 1)],
        mass * (l * l / 3.0 + h * h / 12.0),
        1e-11,
        "yy",
    );
    close(
        about_origin[(2, 2)],
        mass * (l * l / 3.0 + w * w / 12.0),
        1e-11,
        "zz",
    );
    // Free orthonormal modes have neither momentum nor spin, and modal mass one.
    for j in 0..body.modes.len() {
        assert!(body.invariants.i3[j].norm() < 1e-12 && body.invariants.i4[j].norm() < 1e-12);
        for k in 0..body.modes.len() {
            let unit = f64::from(u8::from(j == k));
            assert!((body.invariants.i6[j * body.modes.len() + k] - unit).abs() < 1e-10);
        }
    }
}

#[test]
fn lumped_masses_give_the_single_sums() {
    let mut random = Random(7);
    let (n, m) = (5, 3);
    let mut model = FeModel::default();
    let (mut mass, mut inertias) = (Vec::new(), Vec::new());
    for node in 0..n {
        model.nodes.push(FeNode {
            id: node as u64,
            position: random.vector(),
        });
        model
            .unknowns
            .extend((0..6).map(|direction| Unknown { node, direction }));
        let value = 1.5 + random.next();
        let root = Mat3::from_fn(|_, _| random.next());
        let inertia = root * root.transpose();
        for a in 0..3 {
            mass.push((6 * node + a, 6 * node + a, value));
            for b in a..3 {
                mass.push((6 * node + 3 + a, 6 * node + 3 + b, inertia[(a, b)]));
            }
        }
        inertias.push((value, inertia));
    }
    model.mass = Symmetric::from_entries(6 * n, &mut mass);
    let mut shapes = Columns::new(6 * n);
    for _ in 0..m {
        let column: Vec<f64> = (0..6 * n).map(|_| random.next()).collect();
        shapes.push(&column);
    }
    let part = |node: usize, first: usize| -> Vec<Vec3> {
        shapes
            .iter()
            .map(|s| Vec3::from_column_slice(&s[6 * node + first..6 * node + first + 3]))
            .collect()
    };
    let parts: Vec<_> = (0..n).map(|k| (part(k, 0), part(k, 3))).collect();
    let nodes = (0..n).map(|k| Nodal {
        mass: inertias[k].0,
        inertia: inertias[k].1,
        position: model.nodes[k].position,
        translation: &parts[k].0,
        rotation: &parts[k].1,
    });
    let single = Invariants::lumped(m, nodes);
    let double = invariants(&model, &shapes, &mut |_, _| ()).unwrap();
    let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-13, "{a} {b}");
    same(single.mass, double.mass);
    same((single.first - double.first).norm(), 0.0);
    same((single.i7 - double.i7).norm(), 0.0);
    for j in 0..m {
        same((single.i3[j] - double.i3[j]).norm(), 0.0);
        same((single.i4[j] - double.i4[j]).norm(), 0.0);
        same((single.i8[j] - double.i8[j]).norm(), 0.0);
        for k in 0..m {
            let at = j * m + k;
            same((single.i5[at] - double.i5[at]).norm(), 0.0);
            same(single.i6[at], double.i6[at]);
            same((single.i9[at] - double.i9[at]).norm(), 0.0);
        }
    }
}

/// The shape at a node with six unknowns.
fn six(shape: &[f64], node: usize, first: usize) -> Vec3 {
    Vec3::from_column_slice(&shape[6 * node + first..6 * node + first + 3])
}

fn random_shapes(random: &mut Random, rows: usize, count: usize) -> Columns {
    let mut shapes = Columns::new(rows);
    for _ in 0..count {
        let column: Vec<f64> = (0..rows).map(|_| random.next()).collect();
        shapes.push(&column);
    }
    shapes
}

/// Adds the masses of points that are rigid with a node: ½ ρ (u + θ×r)².
fn add_rigid(mass: &mut Vec<(usize, usize, f64)>, node: usize, points: &[(f64, Vec3)]) {
    for (m, r) in points {
        // Columns: how the point moves with each of the six unknowns.
        let turn = -r.cross_matrix();
        let moves = |k: usize| match k {
            0..3 => Vec3::ith(k, 1.0),
            _ => turn.column(k - 3).into_owned(),
        };
        for a in 0..6 {
            for b in a..6 {
                let value = m * moves(a).dot(&moves(b));
                mass.push((6 * node + a, 6 * node + b, value));
            }
        }
    }
}

/// Groups of points that are rigid with nodes, as finite-element programs condense them: the sums over the points.
#[test]
fn rigid_groups_give_the_sums_over_their_points() {
    let mut random = Random(3);
    let (n, m, each) = (4, 3, 5);
    let mut model = FeModel::default();
    let (mut mass, mut groups) = (Vec::new(), Vec::new());
    for node in 0..n {
        let position = random.vector();
        model.nodes.push(FeNode {
            id: node as u64,
            position,
        });
        let six = (0..6).map(|direction| Unknown { node, direction });
        model.unknowns.extend(six);
        let points: Vec<(f64, Vec3)> = (0..each)
            .map(|_| (1.5 + random.next(), random.vector() * 0.5))
            .collect();
        add_rigid(&mut mass, node, &points);
        groups.push(points);
    }
    model.mass = Symmetric::from_entries(6 * n, &mut mass);
    let shapes = random_shapes(&mut random, 6 * n, m);
    let points = || (0..n).flat_map(|node| groups[node].iter().map(move |point| (node, point)));
    let moves: Vec<Vec<Vec3>> = points()
        .map(|(node, (_, r))| {
            let of = |s: &[f64]| six(s, node, 0) + six(s, node, 3).cross(r);
            shapes.iter().map(of).collect()
        })
        .collect();
    let none = vec![Vec3::zeros(); m];
    let nodal = points()
        .zip(&moves)
        .map(|((node, (mass, r)), moves)| Nodal {
            mass: *mass,
            inertia: Mat3::zeros(),
            position: model.nodes[node].position + r,
            translation: moves,
            rotation: &none,
        });
    let points = Invariants::lumped(m, nodal);
    let groups = invariants(&model, &shapes, &mut |_, _| ()).unwrap();
    same(&points, &groups, 1e-12);
}

/// Every number of two sets of invariants.
fn same(a: &Invariants, b: &Invariants, tolerance: f64) {
    let mut worst = (a.mass - b.mass).abs();
    let mut see = |error: f64| worst = worst.max(error);
    see((a.first - b.first).norm());
    see((a.i7 - b.i7).norm());
    for j in 0..a.modes {
        see((a.i3[j] - b.i3[j]).norm());
        see((a.i4[j] - b.i4[j]).norm());
        see((a.i8[j] - b.i8[j]).norm());
    }
    for at in 0..a.modes * a.modes {
        see((a.i5[at] - b.i5[at]).norm());
        see((a.i6[at] - b.i6[at]).abs());
        see((a.i9[at] - b.i9[at]).norm());
    }
    assert!(worst < tolerance, "{worst:e}");
}

/// A beam along x with the customary consistent mass matrix, whose bending is interpolated by cubics: the integrals of
/// what the cubics say, for shapes that bend but do not stretch.
#[test]
fn a_beam_of_cubics_gives_the_integrals_of_its_bending() {
    let mut random = Random(11);
    let (elements, m, l, density) = (4_usize, 3, 0.7, 1.3);
    let n = elements + 1;
    let mut model = FeModel::default();
    for node in 0..n {
        let position = Vec3::x() * (l * node as f64);
        model.nodes.push(FeNode {
            id: node as u64,
            position,
        });
        let six = (0..6).map(|direction| Unknown { node, direction });
        model.unknowns.extend(six);
    }
    let mut entries = Vec::new();
    for e in 0..elements {
        for x in gauss(l) {
            // u, v, w at the point by the unknowns of both nodes; 4 points are exact.
            let moves = cubics(x.0, l);
            for a in 0..12 {
                for b in a..12 {
                    let value = density * x.1 * moves[a].dot(&moves[b]);
                    entries.push((6 * e + a, 6 * e + b, value));
                }
            }
        }
    }
    model.mass = Symmetric::from_entries(6 * n, &mut entries);
    let mut shapes = random_shapes(&mut random, 6 * n, m);
    for j in 0..m {
        let stretch = (0..n).flat_map(|node| [6 * node, 6 * node + 3]);
        stretch.for_each(|at| shapes.col_mut(j)[at] = 0.0);
    }
    let mut points = Vec::new();
    for e in 0..elements {
        for (x, weight) in gauss(l) {
            let moves = cubics(x, l);
            let of = |s: &[f64]| -> Vec3 { (0..12).map(|a| moves[a] * s[6 * e + a]).sum() };
            let at = Vec3::x() * (l * e as f64 + x);
            let translation: Vec<Vec3> = shapes.iter().map(of).collect();
            points.push((density * weight, at, translation));
        }
    }
    let none = vec![Vec3::zeros(); m];
    let nodal = points.iter().map(|(mass, position, moves)| Nodal {
        mass: *mass,
        inertia: Mat3::zeros(),
        position: *position,
        translation: moves,
        rotation: &none,
    });
    let integrals = Invariants::lumped(m, nodal);
    let reduced = invariants(&model, &shapes, &mut |_, _| ()).unwrap();
    same(&integrals, &reduced, 1e-12);
}

/// Four points and weights of Gauss and Legendre on 0 to l.
fn gauss(l: f64) -> [(f64, f64); 4] {
    let (near, far) = (0.339_981_043_584_856_3, 0.861_136_311_594_052_6);
    let (heavy, light) = (0.652_145_154_862_546_1, 0.347_854_845_137_453_9);
    [(-far, light), (-near, heavy), (near, heavy), (far, light)]
        .map(|(z, w)| (0.5 * l * (1.0 + z), 0.5 * l * w))
}

/// How a point of a beam element moves with each of its twelve unknowns.
fn cubics(x: f64, l: f64) -> [Vec3; 12] {
    let z = x / l;
    let (z2, z3) = (z * z, z * z * z);
    let of_node = |line: f64, value: f64, slope: f64| {
        [
            Vec3::x() * line,
            Vec3::y() * value,
            Vec3::z() * value,
            Vec3::zeros(),
            Vec3::z() * -slope,
            Vec3::y() * slope,
        ]
    };
    let first = of_node(1.0 - z, 1.0 - 3.0 * z2 + 2.0 * z3, l * (z - 2.0 * z2 + z3));
    let second = of_node(z, 3.0 * z2 - 2.0 * z3, l * (z3 - z2));
    std::array::from_fn(|a| if a < 6 { first[a] } else { second[a - 6] })
}
