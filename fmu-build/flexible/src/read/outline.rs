//! Control plane: what shows the shape of a mesh: the faces of its surface, their sharp and free edges, and beams.

use crate::fe::FeNode;
use fixstep_kernel::math::Vec3;

/// Faces that meet at more than this show the edge between them: cosine of 30 degrees.
const SHARP: f64 = 0.866;

/// The form of an element, from its corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A line of nodes.
    Line,
    /// A face of three or four corners.
    Face(usize),
    /// Four faces.
    Tetrahedron,
    /// Five faces.
    Wedge,
    /// Six faces.
    Brick,
}

/// Shape and number of nodes of a type of element; letters after it (`R`, `I`, `M`) change neither.
pub(super) fn shape(kind: &str) -> Option<(Shape, usize)> {
    let end = kind.rfind(|last: char| last.is_ascii_digit())? + 1;
    Some(match &kind[..end] {
        "C3D4" => (Shape::Tetrahedron, 4),
        "C3D10" => (Shape::Tetrahedron, 10),
        "C3D6" | "SC6" => (Shape::Wedge, 6),
        "C3D15" => (Shape::Wedge, 15),
        "C3D8" | "SC8" => (Shape::Brick, 8),
        "C3D20" => (Shape::Brick, 20),
        "S3" | "M3D3" => (Shape::Face(3), 3),
        "S6" | "STRI65" | "M3D6" => (Shape::Face(3), 6),
        "S4" | "M3D4" => (Shape::Face(4), 4),
        "S8" | "M3D8" => (Shape::Face(4), 8),
        "B31" | "T3D2" | "B33" => (Shape::Line, 2),
        "B32" | "T3D3" => (Shape::Line, 3),
        _ => return None,
    })
}

const TETRAHEDRON: [&[usize]; 4] = [&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]];
const WEDGE: [&[usize]; 5] = [
    &[0, 2, 1],
    &[3, 4, 5],
    &[0, 1, 4, 3],
    &[1, 2, 5, 4],
    &[2, 0, 3, 5],
];
const BRICK: [&[usize]; 6] = [
    &[0, 3, 2, 1],
    &[4, 5, 6, 7],
    &[0, 1, 5, 4],
    &[1, 2, 6, 5],
    &[2, 3, 7, 6],
    &[3, 0, 4, 7],
];

/// What shows the shape of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Faces of the surface: corners in sequence, of a triangle the last one twice.
    pub(crate) faces: Vec<[usize; 4]>,
    /// Pairs of nodes between which a line is drawn.
    pub(crate) edges: Vec<[usize; 2]>,
}

/// Collects elements.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    lines: Vec<[usize; 2]>,
    /// Corners in ascending order (for a triangle the last one twice), corners in sequence, whether of a solid.
    faces: Vec<([usize; 4], Vec<usize>, bool)>,
}

impl Outline {
    /// Takes an element with its nodes.
    pub(crate) fn add(&mut self, shape: Shape, nodes: &[usize]) {
        let faces: &[&[usize]] = match shape {
            Shape::Line => {
                self.lines
                    .extend(nodes.windows(2).map(|pair| [pair[0], pair[1]]));
                return;
            }
            Shape::Face(corners) => {
                self.add_face(nodes[..corners].to_vec(), false);
                return;
            }
            Shape::Tetrahedron => &TETRAHEDRON,
            Shape::Wedge => &WEDGE,
            Shape::Brick => &BRICK,
        };
        for face in faces {
            self.add_face(face.iter().map(|corner| nodes[*corner]).collect(), true);
        }
    }

    fn add_face(&mut self, corners: Vec<usize>, solid: bool) {
        let mut key = [usize::MAX; 4];
        for (slot, corner) in key.iter_mut().zip(&corners) {
            *slot = *corner;
        }
        key.sort_unstable();
        self.faces.push((key, corners, solid));
    }

    /// The faces that no two elements share, and the lines to draw.
    pub(crate) fn drawn(mut self, nodes: &[FeNode]) -> Drawn {
        self.faces.sort_unstable_by_key(|(key, ..)| *key);
        let corners =
            |corners: &[usize]| std::array::from_fn(|k| corners[k.min(corners.len() - 1)]);
        let single = |group: &[(_, Vec<usize>, _)]| match group {
            [(_, face, _)] => Some(corners(face)),
            _ => None,
        };
        let groups = self.faces.chunk_by(|a, b| a.0 == b.0);
        Drawn {
            faces: groups.filter_map(single).collect(),
            edges: self.edges(nodes),
        }
    }

    /// The lines to draw; faces are sorted.
    fn edges(self, nodes: &[FeNode]) -> Vec<[usize; 2]> {
        // Edge in ascending order, normal of the face, whether of a solid.
        let mut sides: Vec<([usize; 2], Vec3, bool)> = Vec::new();
        for group in self.faces.chunk_by(|a, b| a.0 == b.0) {
            let [(_, corners, solid)] = group else {
                continue;
            };
            let normal = normal(corners, nodes);
            for (k, a) in corners.iter().enumerate() {
                let b = corners[(k + 1) % corners.len()];
                sides.push(([*a.min(&b), *a.max(&b)], normal, *solid));
            }
        }
        sides.sort_by_key(|(edge, ..)| *edge);
        let groups = || sides.chunk_by(|a, b| a.0 == b.0);
        let sharp = |group: &&[([usize; 2], Vec3, bool)]| {
            let [(_, n, solid), (_, m, other)] = group else {
                return true;
            };
            let cosine = n.dot(m);
            if *solid && *other {
                cosine < SHARP
            } else {
                cosine.abs() < SHARP
            }
        };
        let mut edges = self.lines;
        edges.extend(groups().filter(sharp).map(|group| group[0].0));
        if edges.is_empty() {
            // A body without any edge, such as a ball.
            edges.extend(groups().map(|group| group[0].0));
        }
        edges
    }
}

/// Unit normal of a face by its diagonals or sides; zero where it has no area.
fn normal(corners: &[usize], nodes: &[FeNode]) -> Vec3 {
    let at = |corner: usize| nodes[corners[corner % corners.len()]].position;
    let last = corners.len() - 1;
    let cross = if corners.len() == 4 {
        (at(2) - at(0)).cross(&(at(3) - at(1)))
    } else {
        (at(1) - at(0)).cross(&(at(last) - at(0)))
    };
    cross.try_normalize(0.0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(size: [usize; 3]) -> Vec<FeNode> {
        let mut nodes = Vec::new();
        for z in 0..=size[2] {
            for y in 0..=size[1] {
                for x in 0..=size[0] {
                    let position = Vec3::new(x as f64, y as f64, z as f64);
                    let id = nodes.len() as u64 + 1;
                    nodes.push(FeNode { id, position });
                }
            }
        }
        nodes
    }

    #[test]
    fn two_bricks_show_the_edges_of_a_box() {
        let nodes = grid([2, 1, 1]);
        let mut outline = Outline::default();
        for k in 0..2 {
            let corners = [k, k + 1, k + 4, k + 3].map(|corner| [corner, corner + 6]);
            let bottom = corners.map(|pair| pair[0]);
            let top = corners.map(|pair| pair[1]);
            outline.add(Shape::Brick, &[bottom, top].concat());
        }
        let Drawn { faces, edges } = outline.drawn(&nodes);
        // All but the two that meet.
        assert_eq!(faces.len(), 10);
        assert!(
            !faces
                .iter()
                .any(|face| [1, 4, 7, 10].iter().all(|k| face.contains(k)))
        );
        // Four long edges of two pieces each, eight short ones; nothing where the bricks meet.
        assert_eq!(edges.len(), 16);
        assert!(!edges.contains(&[1, 4]));
        assert!(edges.contains(&[0, 1]) && edges.contains(&[1, 2]));
    }

    #[test]
    fn a_tetrahedron_a_shell_and_a_beam() {
        let nodes = grid([1, 1, 1]);
        let mut outline = Outline::default();
        outline.add(Shape::Tetrahedron, &[0, 1, 2, 4]);
        let drawn = outline.drawn(&nodes);
        assert_eq!((drawn.edges.len(), drawn.faces[0]), (6, [0, 2, 1, 1]));
        let mut outline = Outline::default();
        // The second is turned over: still flat between them.
        outline.add(Shape::Face(3), &[0, 1, 3]);
        outline.add(Shape::Face(3), &[0, 2, 3]);
        assert_eq!(
            outline.drawn(&nodes).edges,
            [[0, 1], [0, 2], [1, 3], [2, 3]]
        );
        let mut outline = Outline::default();
        outline.add(Shape::Line, &[0, 1, 3]);
        assert_eq!(outline.drawn(&nodes).edges, [[0, 1], [1, 3]]);
    }

    #[test]
    fn types_by_name() {
        assert_eq!(shape("C3D20R"), Some((Shape::Brick, 20)));
        assert_eq!(shape("C3D8I"), Some((Shape::Brick, 8)));
        assert_eq!(shape("S8R"), Some((Shape::Face(4), 8)));
        assert_eq!(shape("MASS"), None);
        assert_eq!(shape("SPRINGA"), None);
    }
}
