//! Control plane: solid elements: shape functions, points of integration, extrapolation to nodes.
//!
//! Nodes are in the order of CalculiX and Abaqus: corners, then middles of edges. Tetrahedra and the triangles of
//! wedges have coordinates from 0 to 1, all others from −1 to 1.

use fixstep_kernel::math::{Mat3, Vec3};

use super::shape::Sloped;

/// The kinds of solid elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Four corners: constant strain.
    Tetrahedron4,
    /// Four corners, six edges.
    Tetrahedron10,
    /// Six corners.
    Wedge6,
    /// Six corners, nine edges.
    Wedge15,
    /// Eight corners.
    Brick8,
    /// Eight corners, twelve edges.
    Brick20,
}

const TETRAHEDRON_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
#[rustfmt::skip]
const WEDGE_EDGES: [[usize; 2]; 9] = [
    [0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5],
];
#[rustfmt::skip]
const BRICK_EDGES: [[usize; 2]; 12] = [
    [0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7],
];
#[rustfmt::skip]
const BRICK_CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0],
];
/// 1/√3: Gauss points of two.
const GAUSS: f64 = 0.577_350_269_189_625_8;
/// Coordinate of the four points of a tetrahedron next to a corner, and that of the others: (5 + 3√5)/20.
const NEAR: f64 = 0.585_410_196_624_968_5;
const FAR: f64 = 0.138_196_601_125_010_5;

impl Kind {
    /// By the name of its type in a deck; variants whose displacements do not depend on the nodes alone are excluded.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.strip_suffix(['R', 'T']).unwrap_or(name);
        Some(match name {
            "C3D4" => Self::Tetrahedron4,
            "C3D10" => Self::Tetrahedron10,
            "C3D6" => Self::Wedge6,
            "C3D15" => Self::Wedge15,
            "C3D8" => Self::Brick8,
            "C3D20" => Self::Brick20,
            _ => return None,
        })
    }

    /// For messages.
    pub fn names() -> &'static str {
        "C3D4, C3D10, C3D6, C3D15, C3D8, C3D8R, C3D20, C3D20R"
    }

    fn corners(self) -> usize {
        match self {
            Self::Tetrahedron4 | Self::Tetrahedron10 => 4,
            Self::Wedge6 | Self::Wedge15 => 6,
            Self::Brick8 | Self::Brick20 => 8,
        }
    }

    fn edges(self) -> &'static [[usize; 2]] {
        match self {
            Self::Tetrahedron10 => &TETRAHEDRON_EDGES,
            Self::Wedge15 => &WEDGE_EDGES,
            Self::Brick20 => &BRICK_EDGES,
            Self::Tetrahedron4 | Self::Wedge6 | Self::Brick8 => &[],
        }
    }

    /// Points of integration.
    fn points(self) -> Vec<Vec3> {
        match self {
            Self::Tetrahedron4 => vec![Vec3::repeat(0.25)],
            Self::Tetrahedron10 => {
                let mut points = vec![Vec3::repeat(FAR)];
                points.extend((0..3).map(|k| {
                    let mut point = Vec3::repeat(FAR);
                    point[k] = NEAR;
                    point
                }));
                points
            }
            Self::Wedge6 | Self::Wedge15 => {
                let (near, far) = (2.0 / 3.0, 1.0 / 6.0);
                let triangle = [[far, far], [near, far], [far, near]];
                let layer = |z: f64| triangle.map(|[x, y]| Vec3::new(x, y, z));
                [layer(-GAUSS), layer(GAUSS)].concat()
            }
            Self::Brick8 | Self::Brick20 => BRICK_CORNERS
                .iter()
                .map(|corner| Vec3::from(*corner) * GAUSS)
                .collect(),
        }
    }

    /// Weights of the points that extrapolate a linear field to a corner. Each point is next to one corner.
    fn at_corner(self, corner: usize) -> Vec<f64> {
        // Extrapolates from points at 1/√3 from the middle to distance 1.
        let along = |same: bool| 0.5 * (1.0 + if same { 1.0 } else { -1.0 } / GAUSS);
        match self {
            Self::Tetrahedron4 => vec![1.0],
            Self::Tetrahedron10 => {
                let reach = 1.0 / (NEAR - FAR);
                let own = |point| if point == corner { reach } else { 0.0 };
                (0..4).map(|p| own(p) + 0.25 * (1.0 - reach)).collect()
            }
            Self::Wedge6 | Self::Wedge15 => {
                // points of a triangle are twice as far in as its middle is
                let own = |p: usize| if p % 3 == corner % 3 { 2.0 } else { 0.0 } - 1.0 / 3.0;
                let weight = |p: usize| own(p) * along(p / 3 == corner / 3);
                (0..6).map(weight).collect()
            }
            Self::Brick8 | Self::Brick20 => {
                let at = BRICK_CORNERS[corner];
                let weight = |point: &[f64; 3]| {
                    (0..3)
                        .map(|k| along(point[k] * at[k] > 0.0))
                        .product::<f64>()
                };
                BRICK_CORNERS.iter().map(weight).collect()
            }
        }
    }

    /// Weights of the points at a node; in the middle of an edge the mean of its ends.
    fn weights(self, node: usize) -> Vec<f64> {
        let Some(edge) = node.checked_sub(self.corners()).map(|k| self.edges()[k]) else {
            return self.at_corner(node);
        };
        let ends = edge.map(|corner| self.at_corner(corner));
        let pairs = ends[0].iter().zip(&ends[1]);
        pairs.map(|(a, b)| 0.5 * (a + b)).collect()
    }

    /// Shape functions at a point.
    fn shapes(self, at: &Vec3) -> Vec<Sloped> {
        let one = Sloped::constant(1.0);
        let [x, y, z] = [0, 1, 2].map(|axis| Sloped::coordinate(at, axis));
        let mut shapes = match self {
            Self::Tetrahedron4 | Self::Tetrahedron10 => vec![one - x - y - z, x, y, z],
            Self::Wedge6 | Self::Wedge15 => {
                let triangle = [one - x - y, x, y];
                let layer = |side: Sloped| triangle.map(|l| l * side * 0.5);
                [layer(one - z), layer(one + z)].concat()
            }
            Self::Brick8 | Self::Brick20 => {
                let corner = |c: &[f64; 3]| (one + x * c[0]) * (one + y * c[1]) * (one + z * c[2]);
                BRICK_CORNERS.iter().map(|c| corner(c) * 0.125).collect()
            }
        };
        // The middle of an edge gets half of the value at each of its corners.
        let middles: Vec<Sloped> = self
            .edges()
            .iter()
            .enumerate()
            .map(|(k, edge)| self.middle(k, edge, &shapes, [x, y, z]))
            .collect();
        for (edge, middle) in self.edges().iter().zip(&middles) {
            for corner in edge {
                shapes[*corner] = shapes[*corner] - *middle * 0.5;
            }
        }
        shapes.extend(middles);
        shapes
    }

    /// The function of the middle of an edge.
    fn middle(self, k: usize, edge: &[usize; 2], corners: &[Sloped], xyz: [Sloped; 3]) -> Sloped {
        let one = Sloped::constant(1.0);
        let [a, b] = edge.map(|corner| corners[corner]);
        match self {
            Self::Brick8 | Self::Brick20 => {
                let ends = edge.map(|corner| BRICK_CORNERS[corner]);
                let factor = |axis: usize| {
                    let along = xyz[axis];
                    if ends[0][axis] * ends[1][axis] < 0.0 {
                        one - along * along
                    } else {
                        (one + along * ends[0][axis]) * 0.5
                    }
                };
                factor(0) * factor(1) * factor(2)
            }
            Self::Wedge6 | Self::Wedge15 => {
                let triangle = [one - xyz[0] - xyz[1], xyz[0], xyz[1]];
                let [from, to] = edge.map(|corner| triangle[corner % 3]);
                match k {
                    0..3 => from * to * (one - xyz[2]) * 2.0,
                    3..6 => from * to * (one + xyz[2]) * 2.0,
                    _ => from * (one - xyz[2] * xyz[2]),
                }
            }
            Self::Tetrahedron4 | Self::Tetrahedron10 => a * b * 4.0,
        }
    }
}

/// The contribution of the displacement of each node to the gradient at one of them, ∂N/∂x of (STR-1) with the
/// weights of (STR-2); `None` if the element has no volume.
pub fn slopes(kind: Kind, places: &[Vec3], node: usize) -> Option<Vec<Vec3>> {
    let mut slopes = vec![Vec3::zeros(); places.len()];
    for (point, weight) in kind.points().iter().zip(kind.weights(node)) {
        let shapes = kind.shapes(point);
        let mut jacobian = Mat3::zeros();
        for (shape, place) in shapes.iter().zip(places) {
            jacobian += shape.slope * place.transpose();
        }
        if jacobian.determinant() <= 0.0 {
            return None;
        }
        let inverse = jacobian.try_inverse()?;
        for (slope, shape) in slopes.iter_mut().zip(&shapes) {
            *slope += inverse * shape.slope * weight;
        }
    }
    Some(slopes)
}
