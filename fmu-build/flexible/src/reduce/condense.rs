//! Control plane: gives interfaces their own unknowns: nodes, and spiders whose nodes follow a point.
//!
//! The unknowns u of the model become u = T q, where q holds the interior unknowns, followed by those of the
//! interfaces:
//!
//! ```text
//! u_t = t + θ × (p − r)      u_r = θ                 of a node at p on a spider about r      (CBR-1)
//! K → Tᵀ K T                 M → Tᵀ M T
//! ```

use fixstep_kernel::math::Vec3;
use nalgebra::{Matrix6, Vector6};

use super::ReduceError;
use super::options::{DIRECTIONS, Interface, Reference, place};
use crate::fe::{FeModel, Symmetric};
use crate::sparse::{Columns, Pencil};

/// A spider is not held in directions whose stiffness, relative to the strongest, is below this.
const HELD: f64 = 1e-10;

/// A model in interior and interface unknowns.
#[derive(Debug)]
pub struct Condensed<'a> {
    /// The model.
    pub model: &'a FeModel,
    /// Both matrices.
    pub pencil: Pencil,
    /// Number of interior unknowns, which come first.
    pub interior: usize,
    /// The directions of the interfaces, in the order of their unknowns.
    pub directions: Vec<Direction>,
    /// Names and points of the interfaces.
    pub interfaces: Vec<(String, Vec3)>,
    /// The unknown of the model that each interior unknown is.
    pub unknowns: Vec<usize>,
    rows: Vec<Row>,
}

/// A direction of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Place of the interface.
    pub interface: usize,
    /// 0 to 5.
    pub direction: usize,
}

/// An unknown of the model in terms of the new ones.
#[derive(Clone, Copy, Debug)]
enum Row {
    Own(usize),
    Spider {
        first: usize,
        arm: Vec3,
        direction: usize,
    },
}

impl Row {
    /// (CBR-1) row by row: up to three of the new unknowns with their factors, and their number.
    fn terms(self) -> ([(usize, f64); 3], usize) {
        match self {
            Self::Own(place) => ([(place, 1.0); 3], 1),
            Self::Spider {
                first, direction, ..
            } if direction >= 3 => ([(first + direction, 1.0); 3], 1),
            Self::Spider {
                first,
                arm,
                direction,
            } => {
                let (next, after) = ((direction + 1) % 3, (direction + 2) % 3);
                let turns = [
                    (first + 3 + next, arm[after]),
                    (first + 3 + after, -arm[next]),
                ];
                ([(first + direction, 1.0), turns[0], turns[1]], 3)
            }
        }
    }
}

impl<'a> Condensed<'a> {
    /// Makes the interfaces.
    pub fn new(model: &'a FeModel, interfaces: &[Interface]) -> Result<Self, ReduceError> {
        let owners = owners(model, interfaces)?;
        let free = |u: &usize| owners[model.unknowns[*u].node].is_none();
        let unknowns: Vec<usize> = (0..model.unknowns.len()).filter(free).collect();
        let mut rows = vec![Row::Own(0); model.unknowns.len()];
        for (at, u) in unknowns.iter().enumerate() {
            rows[*u] = Row::Own(at);
        }
        let of_node = of_nodes(model);
        let mut directions = Vec::new();
        let mut named = Vec::new();
        for (interface, given) in interfaces.iter().enumerate() {
            let first = unknowns.len() + directions.len();
            match &given.at {
                Reference::Node(node) => {
                    for (k, u) in of_node[*node].iter().enumerate() {
                        rows[*u] = Row::Own(first + k);
                        let direction = model.unknowns[*u].direction;
                        directions.push(Direction {
                            interface,
                            direction,
                        });
                    }
                    named.push((given.name.clone(), model.nodes[*node].position));
                }
                Reference::Spider { point, nodes } => {
                    for u in nodes.iter().flat_map(|node| &of_node[*node]) {
                        let unknown = model.unknowns[*u];
                        rows[*u] = Row::Spider {
                            first,
                            arm: model.nodes[unknown.node].position - point,
                            direction: unknown.direction,
                        };
                    }
                    directions.extend((0..6).map(|direction| Direction {
                        interface,
                        direction,
                    }));
                    named.push((given.name.clone(), *point));
                    let legs = nodes.iter().flat_map(|node| &of_node[*node]);
                    held(&given.name, legs.map(|u| rows[*u]), first)?;
                }
            }
        }
        let size = unknowns.len() + directions.len();
        let stiffness = condense(&model.stiffness, &rows, size);
        let mass = condense(&model.mass, &rows, size);
        Ok(Self {
            model,
            pencil: Pencil::new(&stiffness, &mass),
            interior: unknowns.len(),
            directions,
            interfaces: named,
            unknowns,
            rows,
        })
    }

    /// Number of new unknowns.
    pub fn size(&self) -> usize {
        self.interior + self.directions.len()
    }

    /// T q.
    pub fn expand(&self, q: &[f64]) -> Vec<f64> {
        let value = |row: &Row| {
            let (terms, count) = row.terms();
            terms[..count]
                .iter()
                .map(|(at, factor)| factor * q[*at])
                .sum()
        };
        self.rows.iter().map(value).collect()
    }

    /// Columns of T q.
    pub fn expand_all(&self, columns: &Columns) -> Columns {
        let mut all = Columns::new(self.rows.len());
        for column in columns.iter() {
            all.push(&self.expand(column));
        }
        all
    }

    /// Tᵀ f.
    pub fn gather(&self, forces: &[(usize, f64)]) -> Vec<f64> {
        let mut sum = vec![0.0; self.size()];
        for (unknown, force) in forces {
            let (terms, count) = self.rows[*unknown].terms();
            for (at, factor) in &terms[..count] {
                sum[*at] += factor * force;
            }
        }
        sum
    }

    /// `tip z` of the interface direction at a place.
    pub fn direction_name(&self, at: usize) -> String {
        let Direction {
            interface,
            direction,
        } = self.directions[at];
        format!("{} {}", self.interfaces[interface].0, DIRECTIONS[direction])
    }

    /// Node and direction, or interface and direction, of a new unknown.
    pub fn place(&self, at: usize) -> String {
        match self.unknowns.get(at) {
            Some(unknown) => place(self.model, *unknown),
            None => format!("interface {}", self.direction_name(at - self.interior)),
        }
    }
}

/// The unknowns of each node.
fn of_nodes(model: &FeModel) -> Vec<Vec<usize>> {
    let mut of_node = vec![Vec::new(); model.nodes.len()];
    for (u, unknown) in model.unknowns.iter().enumerate() {
        of_node[unknown.node].push(u);
    }
    for list in &mut of_node {
        list.sort_by_key(|u| model.unknowns[*u].direction);
    }
    of_node
}

/// Which interface each node belongs to.
fn owners(model: &FeModel, interfaces: &[Interface]) -> Result<Vec<Option<usize>>, ReduceError> {
    let of_node = of_nodes(model);
    let mut owners: Vec<Option<usize>> = vec![None; model.nodes.len()];
    for (k, interface) in interfaces.iter().enumerate() {
        let wrong = |message: String| {
            let name = interface.name.clone();
            Err(ReduceError::Interface { name, message })
        };
        if interfaces[..k]
            .iter()
            .any(|other| other.name == interface.name)
        {
            return wrong("another interface has this name; valid: names used once".to_owned());
        }
        let nodes = match &interface.at {
            Reference::Node(node) => std::slice::from_ref(node),
            Reference::Spider { nodes, .. } => nodes.as_slice(),
        };
        for node in nodes {
            let Some(owner) = owners.get_mut(*node) else {
                let count = model.nodes.len();
                return wrong(format!("node at place {node}: the model has {count} nodes"));
            };
            let id = model.nodes[*node].id;
            match *owner {
                Some(other) if other == k => {
                    return wrong(format!("node {id} is listed twice"));
                }
                Some(other) => {
                    return wrong(format!(
                        "node {id} also belongs to interface {:?}; valid: interfaces without common nodes",
                        interfaces[other].name
                    ));
                }
                None => *owner = Some(k),
            }
        }
        if nodes.iter().all(|node| of_node[*node].is_empty()) {
            return wrong(
                "none of its nodes has an unknown in the matrices; valid: nodes of elements that are not fixed"
                    .to_owned(),
            );
        }
    }
    Ok(owners)
}

/// A spider's nodes must hold all six of its motions.
fn held(name: &str, legs: impl Iterator<Item = Row>, first: usize) -> Result<(), ReduceError> {
    let mut gram = Matrix6::<f64>::zeros();
    for leg in legs {
        let mut row = Vector6::zeros();
        let (terms, count) = leg.terms();
        for (at, factor) in &terms[..count] {
            row[at - first] += factor;
        }
        gram += row * row.transpose();
    }
    // Rotations are measured in the spider's own size.
    let scale = |k: usize| {
        if gram[(k, k)] > 0.0 {
            1.0 / gram[(k, k)].sqrt()
        } else {
            0.0
        }
    };
    let scaled = Matrix6::from_fn(|i, j| gram[(i, j)] * scale(i) * scale(j));
    if scaled.symmetric_eigenvalues().min() > HELD {
        return Ok(());
    }
    Err(ReduceError::Interface {
        name: name.to_owned(),
        message: "its nodes do not hold all six motions of the spider: they lie on a line or are too few; valid: \
                  three nodes that are not on a line, or nodes with rotations"
            .to_owned(),
    })
}

/// Tᵀ A T.
fn condense(a: &Symmetric, rows: &[Row], size: usize) -> Symmetric {
    let mut entries = Vec::with_capacity(a.values.len());
    for (row, column, value) in a.entries() {
        let ((left, many), (right, more)) = (rows[row].terms(), rows[column].terms());
        for (i, f) in &left[..many] {
            for (j, g) in &right[..more] {
                // An entry above the diagonal represents its mirror image too.
                if row != column && i == j {
                    entries.push((*i, *j, 2.0 * value * f * g));
                } else if row != column || i <= j {
                    entries.push((*i, *j, value * f * g));
                }
            }
        }
    }
    Symmetric::from_entries(size, &mut entries)
}
