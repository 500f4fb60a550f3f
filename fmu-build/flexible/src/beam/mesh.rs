//! Control plane: the finite-element mesh of a line of beams: nodes, elements, mass and stiffness matrix.

use fixstep_kernel::flex::Nodal;
use fixstep_kernel::math::{Mat3, Vec3};

use super::element::{Element, Square};
use super::input::{Beams, Mass};
use crate::fe::{FeModel, FeNode, Symmetric, Unknown};

/// Unknowns of a node.
pub const SIX: usize = 6;

/// Elements along a line.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Positions of the nodes \[m\].
    pub nodes: Vec<Vec3>,
    /// The elements, in order.
    pub elements: Vec<Element>,
    /// The node at each point of the beams.
    pub points: Vec<usize>,
}

impl Mesh {
    /// Divides each segment into its elements.
    pub fn of(beams: &Beams) -> Self {
        let mut mesh = Self {
            nodes: vec![beams.points[0].position],
            elements: Vec::new(),
            points: vec![0],
        };
        for (segment, ends) in beams.segments.iter().zip(beams.points.windows(2)) {
            let (from, to) = (ends[0].position, ends[1].position);
            let axes = axes(&(to - from), &segment.z_axis);
            let count = segment.elements;
            for k in 0..count {
                let share = (k + 1) as f64 / count as f64;
                let end = if k + 1 == count {
                    to
                } else {
                    from + (to - from) * share
                };
                let node = mesh.nodes.len();
                mesh.elements.push(Element {
                    nodes: [node - 1, node],
                    start: mesh.nodes[node - 1],
                    axes,
                    length: (to - from).norm() / count as f64,
                    section: segment.section,
                    material: segment.material,
                    theory: beams.theory,
                });
                mesh.nodes.push(end);
            }
            mesh.points.push(mesh.nodes.len() - 1);
        }
        mesh
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        SIX * self.nodes.len()
    }

    /// Indices of an element's unknowns among those of the mesh.
    pub fn places(element: &Element) -> [usize; 12] {
        let [a, b] = element.nodes;
        std::array::from_fn(|k| SIX * if k < SIX { a } else { b } + k % SIX)
    }

    /// Assembles a matrix of the mesh; `of` gives that of an element, in the axes of the model.
    pub fn assembled(&self, of: impl Fn(&Element) -> Square) -> Symmetric {
        let mut entries = Vec::with_capacity(78 * self.elements.len());
        for element in &self.elements {
            let (matrix, places) = (of(element), Self::places(element));
            for column in 0..12 {
                for row in 0..=column {
                    entries.push((places[row], places[column], matrix[(row, column)]));
                }
            }
        }
        Symmetric::from_entries(self.unknowns(), &mut entries)
    }

    /// The finite-element model: named points are sets of one node.
    pub fn model(&self, beams: &Beams) -> FeModel {
        let node = |(k, position): (usize, &Vec3)| FeNode {
            id: k as u64 + 1,
            position: *position,
        };
        let unknown = |k: usize| Unknown {
            node: k / SIX,
            direction: k % SIX,
        };
        let named = beams.points.iter().zip(&self.points);
        FeModel {
            nodes: self.nodes.iter().enumerate().map(node).collect(),
            unknowns: (0..self.unknowns()).map(unknown).collect(),
            stiffness: self.assembled(|e| e.turned(&e.stiffness())),
            mass: match beams.mass {
                Mass::Consistent => self.assembled(|e| e.turned(&e.mass())),
                Mass::Lumped => self.assembled(lumped),
            },
            edges: self.elements.iter().map(|e| e.nodes).collect(),
            sets: named
                .filter_map(|(point, node)| Some((point.name.clone()?, vec![*node])))
                .collect(),
            ..FeModel::default()
        }
    }
}

/// Axes of a section: x along the beam, z as near as possible to the given direction.
pub fn axes(along: &Vec3, z_axis: &Vec3) -> Mat3 {
    let x = along.normalize();
    let y = z_axis.cross(&x).normalize();
    Mat3::from_columns(&[x, y, x.cross(&y)])
}

/// Lumped mass matrix of an element, half of its mass at either end, in the axes of the model.
fn lumped(element: &Element) -> Square {
    let mut m = Square::zeros();
    let half = 0.5 * element.length;
    let inertia =
        element.axes * Mat3::from_diagonal(&(element.slice() * half)) * element.axes.transpose();
    for end in [0, 6] {
        for k in 0..3 {
            m[(end + k, end + k)] = element.line_mass() * half;
        }
        m.fixed_view_mut::<3, 3>(end + 3, end + 3)
            .copy_from(&inertia);
    }
    m
}

/// A point mass with inertia that stands for a piece of beam, and its displacement in each mode.
#[derive(Clone, Debug)]
pub struct LumpedMass {
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia [kg m²].
    pub inertia: Mat3,
    /// Position \[m\].
    pub position: Vec3,
    /// Translation per mode.
    pub translation: Vec<Vec3>,
    /// Rotation per mode.
    pub rotation: Vec<Vec3>,
}

impl LumpedMass {
    /// As the sums of the invariants take it.
    pub fn nodal(&self) -> Nodal<'_> {
        Nodal {
            mass: self.mass,
            inertia: self.inertia,
            position: self.position,
            translation: &self.translation,
            rotation: &self.rotation,
        }
    }
}

impl Mesh {
    /// The mass of the beams as point masses with inertia: at Gauss points, where every product of two displacement
    /// fields is integrated exactly, or at nodes for lumped mass.
    pub fn lumps(&self, mass: Mass, modes: &[Vec<f64>]) -> Vec<LumpedMass> {
        let mut lumps = Vec::new();
        for element in &self.elements {
            let spread = |inertia: Vec3, weight: f64| {
                let tensor = Mat3::from_diagonal(&(inertia * weight));
                element.axes * tensor * element.axes.transpose()
            };
            let places: Vec<(f64, f64, Vec3)> = match mass {
                Mass::Consistent => {
                    let point = |(xi, weight)| (xi, weight, element.rotary());
                    element.points().into_iter().map(point).collect()
                }
                Mass::Lumped => [0.0, 1.0]
                    .map(|xi| (xi, 0.5 * element.length, element.slice()))
                    .to_vec(),
            };
            for (xi, weight, inertia) in places {
                let fields = element.fields(xi);
                let turned = |field: &super::element::Field, mode: &Vec<f64>| {
                    element.axes * (field * element.own(Self::ends(element, mode)))
                };
                lumps.push(LumpedMass {
                    mass: element.line_mass() * weight,
                    inertia: spread(inertia, weight),
                    position: element.start + element.axes.column(0) * (xi * element.length),
                    translation: modes
                        .iter()
                        .map(|m| turned(&fields.displacement, m))
                        .collect(),
                    rotation: modes.iter().map(|m| turned(&fields.rotation, m)).collect(),
                });
            }
        }
        lumps
    }

    /// Translation and rotation of either end, in a vector of all unknowns.
    pub fn ends(element: &Element, x: &[f64]) -> [[Vec3; 2]; 2] {
        element.nodes.map(|node| {
            let v = &x[SIX * node..SIX * (node + 1)];
            [Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5])]
        })
    }
}
