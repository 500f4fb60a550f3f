//! A block of eight-node hexahedra, written for these tests alone: 2 × 2 × 2 Gauss points, consistent mass.

use fixstep_kernel::math::Vec3;
use flexible_bodies::fe::{FeModel, FeNode, Symmetric, Unknown};
use flexible_bodies::strain::{Kind, Material, Solid};

/// Steel.
pub(crate) const YOUNG: f64 = 210e9;
pub(crate) const DENSITY: f64 = 7800.0;
const POISSON: f64 = 0.3;
const STEEL: Material = Material {
    young: YOUNG,
    poisson: POISSON,
};

/// A block of given size and number of elements, from (0, −w/2, −h/2).
pub(crate) fn block(size: [f64; 3], count: [usize; 3]) -> FeModel {
    let [nx, ny, nz] = count;
    let at = |i: usize, j: usize, k: usize| (i * (ny + 1) + j) * (nz + 1) + k;
    let mut model = FeModel::default();
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                let share = |n: usize, of: usize| n as f64 / of as f64;
                model.nodes.push(FeNode {
                    id: 1 + model.nodes.len() as u64,
                    position: Vec3::new(
                        size[0] * share(i, nx),
                        size[1] * (share(j, ny) - 0.5),
                        size[2] * (share(k, nz) - 0.5),
                    ),
                });
            }
        }
    }
    for node in 0..model.nodes.len() {
        model
            .unknowns
            .extend((0..3).map(|direction| Unknown { node, direction }));
    }
    let edges = [0, 1, 2].map(|a| size[a] / count[a] as f64);
    let (k, m) = element(edges);
    let (mut stiffness, mut mass) = (Vec::new(), Vec::new());
    for i in 0..nx {
        for j in 0..ny {
            for l in 0..nz {
                let corner = |c: usize| at(i + (c & 1), j + (c >> 1 & 1), l + (c >> 2 & 1));
                model.edges.push([corner(0), corner(1)]);
                model.solids.push(Solid {
                    kind: Kind::Brick8,
                    id: 1 + model.solids.len() as u64,
                    nodes: [0, 1, 3, 2, 4, 5, 7, 6].map(corner).to_vec(),
                    material: Some(STEEL),
                });
                for p in 0..24 {
                    for q in p..24 {
                        let row = 3 * corner(p / 3) + p % 3;
                        let column = 3 * corner(q / 3) + q % 3;
                        stiffness.push((row, column, k[p][q]));
                        if p % 3 == q % 3 {
                            mass.push((row, column, m[p / 3][q / 3]));
                        }
                    }
                }
            }
        }
    }
    let n = model.unknowns.len();
    model.stiffness = Symmetric::from_entries(n, &mut stiffness);
    model.mass = Symmetric::from_entries(n, &mut mass);
    model
}

/// Stiffness over 24 unknowns and mass over 8 nodes; corner c has the signs of its bits.
fn element(edges: [f64; 3]) -> ([[f64; 24]; 24], [[f64; 8]; 8]) {
    let g = (1.0_f64 / 3.0).sqrt();
    let volume: f64 = edges.iter().product();
    let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let (mut k, mut m) = ([[0.0; 24]; 24], [[0.0; 8]; 8]);
    let sign = |c: usize, a: usize| if c >> a & 1 == 1 { 1.0 } else { -1.0 };
    for point in 0..8 {
        let x = [0, 1, 2].map(|a| g * sign(point, a));
        let factor = |c: usize, a: usize| 0.5 * (1.0 + sign(c, a) * x[a]);
        let shape = |c: usize| factor(c, 0) * factor(c, 1) * factor(c, 2);
        let slope = |c: usize, a: usize| {
            let (b, d) = ((a + 1) % 3, (a + 2) % 3);
            sign(c, a) / edges[a] * factor(c, b) * factor(c, d)
        };
        for p in 0..8 {
            for q in 0..8 {
                m[p][q] += DENSITY * volume / 8.0 * shape(p) * shape(q);
                let product: f64 = (0..3).map(|a| slope(p, a) * slope(q, a)).sum();
                for a in 0..3 {
                    for b in 0..3 {
                        let mut value =
                            lambda * slope(p, a) * slope(q, b) + shear * slope(p, b) * slope(q, a);
                        if a == b {
                            value += shear * product;
                        }
                        k[3 * p + a][3 * q + b] += volume / 8.0 * value;
                    }
                }
            }
        }
    }
    (k, m)
}

/// The nodes at one end.
pub(crate) fn end(model: &FeModel, x: f64) -> Vec<usize> {
    let nodes = model.nodes.iter().enumerate();
    let near = nodes.filter(|(_, node)| (node.position.x - x).abs() < 1e-9);
    near.map(|(k, _)| k).collect()
}
