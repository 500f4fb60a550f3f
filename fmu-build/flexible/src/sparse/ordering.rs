//! Control plane: nested dissection by the positions of the nodes.
//!
//! A set of nodes is cut in half across its longest extent; the nodes of one half that touch the other
//! are eliminated last, and so on in each half (George, *Nested dissection of a regular finite element
//! mesh*, SIAM J. Numer. Anal. 10, 1973). On meshes of solids this needs a fraction of the fill of
//! minimum degree.

use fixstep_kernel::math::Vec3;

use super::Pencil;

/// Sets of at most this many nodes are not cut.
const LEAF: usize = 24;

/// An elimination order of the rows of a pencil: `node[row]` is the node of a row, and `places[node]` its position.
pub fn dissection(pencil: &Pencil, node: &[usize], places: &[Vec3]) -> Vec<usize> {
    let graph = Graph::new(pencil, node, places.len());
    let mut sides = vec![0; places.len()];
    let mut order = Vec::with_capacity(places.len());
    let present = (0..places.len()).filter(|k| !graph.rows[*k].is_empty());
    let mut cutter = Cutter {
        graph: &graph,
        places,
        sides: &mut sides,
        next_side: 1,
        order: &mut order,
    };
    cutter.cut(present.collect());
    let rows = order.iter().flat_map(|k| &graph.rows[*k]);
    rows.copied().collect()
}

/// Which nodes touch each other.
struct Graph {
    rows: Vec<Vec<usize>>,
    starts: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Graph {
    fn new(pencil: &Pencil, node: &[usize], count: usize) -> Self {
        let mut rows = vec![Vec::new(); count];
        for (row, k) in node.iter().enumerate() {
            rows[*k].push(row);
        }
        let mut pairs = Vec::new();
        for (column, of_column) in node.iter().enumerate() {
            for k in pencil.starts[column]..pencil.starts[column + 1] {
                let of_row = node[pencil.rows[k]];
                if of_row != *of_column {
                    pairs.push((of_row, *of_column));
                    pairs.push((*of_column, of_row));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; count + 1];
        for (from, _) in &pairs {
            starts[from + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        Self {
            rows,
            starts,
            neighbours: pairs.into_iter().map(|(_, to)| to).collect(),
        }
    }

    fn touching(&self, node: usize) -> &[usize] {
        &self.neighbours[self.starts[node]..self.starts[node + 1]]
    }
}

struct Cutter<'a> {
    graph: &'a Graph,
    places: &'a [Vec3],
    /// Which part of the last cut a node is in.
    sides: &'a mut [usize],
    next_side: usize,
    order: &'a mut Vec<usize>,
}

impl Cutter<'_> {
    /// Appends nodes to the order. The depth is the logarithm of their number.
    fn cut(&mut self, mut nodes: Vec<usize>) {
        if nodes.len() <= LEAF {
            self.order.extend(nodes);
            return;
        }
        let axis = self.longest(&nodes);
        let places = self.places;
        nodes.sort_by(|a, b| places[*a][axis].total_cmp(&places[*b][axis]).then(a.cmp(b)));
        let right = nodes.split_off(nodes.len() / 2);
        let side = self.next_side;
        self.next_side += 1;
        for k in &right {
            self.sides[*k] = side;
        }
        let (border, left): (Vec<_>, Vec<_>) = nodes.into_iter().partition(|k| {
            let touching = self.graph.touching(*k);
            touching.iter().any(|other| self.sides[*other] == side)
        });
        self.cut(left);
        self.cut(right);
        self.order.extend(border);
    }

    fn longest(&self, nodes: &[usize]) -> usize {
        let extent = |axis: usize| {
            let of = |k: &usize| self.places[*k][axis];
            let least = nodes.iter().map(of).fold(f64::INFINITY, f64::min);
            nodes.iter().map(of).fold(f64::NEG_INFINITY, f64::max) - least
        };
        (1..3).fold(0, |best, axis| {
            if extent(axis) > extent(best) {
                axis
            } else {
                best
            }
        })
    }
}
