//! Triangle meshes: the signed distance to the nearest point. A table, built once (control plane), lists the
//! triangles that can be nearest from each cell of space; every look-up examines the same number of triangles (data
//! plane).
//!
//! The box about the mesh is divided into cells of half diagonal h. Let D be the distance of the nearest triangle
//! from a cell's centre c. The triangle nearest to any point of the cell is then one of
//!
//! ```text
//! { T: |c − T| ≤ D + 2 h }                                                        (MSH-1)
//! ```
//! Every look-up examines as many triangles as the longest of these lists has. The sign of the distance follows from
//! normals of faces, of edges (sum of both faces) and of vertices (faces weighted by their angle): Bærentzen and
//! Aanæs, IEEE Trans. Vis. Comp. Graph. 11 (2005).

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::{Mat3, Vec3, acos};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Closer than this to a surface \[m\], the normal is that of the surface feature.
const NOWHERE: f64 = 1e-12;

/// Points at least this many cells within the sides of the box are in it despite rounding.
const INSIDE: f64 = 1e-6;

/// Numbers of cells along the longest side; tried in turn until all lists are short enough.
const CELLS: [usize; 4] = [8, 16, 32, 64];

/// A triangle with all its normals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Triangle {
    corners: [Vec3; 3],
    /// Face, edges (0–1, 1–2, 2–0), vertices.
    normals: [Vec3; 7],
}

/// A mesh, with distances known within reach of its surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    triangles: Box<[Triangle]>,
    low: Vec3,
    cell: f64,
    counts: [usize; 3],
    /// Per cell: start and length of its list; length 0 means out of reach.
    cells: Box<[(u32, u32)]>,
    lists: Box<[u32]>,
    /// Length of the longest list.
    longest: usize,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// Signed distance.
    pub distance: f64,
    /// Its gradient.
    pub normal: Vec3,
    /// The gradient of the normal.
    pub turn: Mat3,
}

/// The nearest point of a triangle: squared distance, point, feature (index of its normal).
type Foot = (f64, Vec3, usize);

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshError {
    /// No area.
    #[error("the mesh has no triangle with an area")]
    Empty,
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {0} names a vertex that does not exist")]
    Corner(usize),
    /// More candidates than allowed.
    #[error(
        "from some place {0} triangles may be the nearest, and the budget is {1}; raise \"budget\", or make \
         the mesh coarser there"
    )]
    Budget(usize, usize),
}

impl Mesh {
    /// A mesh of triangles (counter-clockwise seen from outside), with distances up to `reach` from the surface;
    /// `budget` limits the triangles that a look-up examines.
    pub fn new(
        vertices: &[Vec3],
        faces: &[[usize; 3]],
        reach: f64,
        budget: usize,
    ) -> Result<Self, MeshError> {
        let triangles = with_normals(vertices, faces)?;
        let bound = |pick: fn(f64, f64) -> f64, start: f64| {
            let corners = triangles.iter().flat_map(|t| t.corners);
            corners.fold(Vec3::repeat(start), |a, c| a.zip_map(&c, pick))
        };
        let low = bound(f64::min, f64::INFINITY).add_scalar(-reach);
        let size = bound(f64::max, f64::NEG_INFINITY).add_scalar(reach) - low;
        let mut mesh = Self {
            triangles,
            low,
            cell: 1.0,
            counts: [0; 3],
            cells: Box::default(),
            lists: Box::default(),
            longest: usize::MAX,
        };
        for along in CELLS {
            mesh.divide(&size, along, reach);
            if mesh.longest <= budget {
                return Ok(mesh);
            }
        }
        Err(MeshError::Budget(mesh.longest, budget))
    }

    /// Is the mesh valid: do the lists refer to existing triangles with nonzero area, and are all numbers finite?
    pub fn is_sound(&self) -> bool {
        let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
        let listed = |(first, length): &(u32, u32)| {
            *first as usize + *length as usize <= self.lists.len()
                && *length as usize <= self.longest
        };
        let cells = self.counts.iter().try_fold(1_usize, |product, count| {
            product.checked_mul(*count).filter(|cells| *cells > 0)
        });
        let triangles = self.triangles.len();
        let within = |t: &u32| (*t as usize) < triangles;
        triangles > 0
            && finite(&self.low)
            && self.cell.is_finite()
            && self.cell > 0.0
            && cells == Some(self.cells.len())
            && self.longest <= triangles
            && self.cells.iter().all(listed)
            && self.lists.iter().all(within)
            && self.triangles.iter().all(Triangle::is_sound)
    }

    /// Number of triangles that every look-up examines.
    pub fn candidates(&self) -> usize {
        self.longest
    }

    /// The corners of all triangles, for a picture.
    pub fn triangles(&self) -> impl Iterator<Item = [Vec3; 3]> {
        self.triangles.iter().map(|triangle| triangle.corners)
    }

    /// The outlines of at most this many triangles, for a picture.
    pub fn outlines(&self, most: usize) -> Vec<Vec<Vec3>> {
        let every = self.triangles.len().div_ceil(most.max(1)).max(1);
        let closed = |t: &Triangle| {
            let [a, b, c] = t.corners;
            vec![a, b, c, a]
        };
        self.triangles.iter().step_by(every).map(closed).collect()
    }

    /// Builds the lists for a number of cells along the longest side.
    fn divide(&mut self, size: &Vec3, along: usize, reach: f64) {
        self.cell = size.max() / along as f64;
        self.counts =
            core::array::from_fn(|k| ((size[k] / self.cell).ceil() as usize).clamp(1, along));
        let mut build = Build {
            mesh: self,
            reach,
            cells: vec![(0, 0); self.counts.iter().product()],
            lists: Vec::new(),
        };
        let all: Vec<u32> = (0..self.triangles.len() as u32).collect();
        build.split([0; 3], self.counts, &all);
        let Build { cells, lists, .. } = build;
        self.longest = cells
            .iter()
            .map(|(_, len)| *len as usize)
            .max()
            .unwrap_or(0);
        self.cells = cells.into();
        self.lists = lists.into();
    }

    /// The range of fractions of a path within the box of the cells, slightly inside its sides; both 0 if the path
    /// misses it.
    pub fn within(&self, from: &Vec3, along: &Vec3) -> [f64; 2] {
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for k in 0..3 {
            let low = self.low[k] + INSIDE * self.cell;
            let high = self.low[k] + (self.counts[k] as f64 - INSIDE) * self.cell;
            // If the path has no extent along an axis, the quotients are infinite or NaN, and every comparison
            // ignores them.
            let [a, b] = [low, high].map(|side| (side - from[k]) / along[k]);
            let [first, last] = if a < b { [a, b] } else { [b, a] };
            enters = if first > enters { first } else { enters };
            leaves = if last < leaves { last } else { leaves };
        }
        if enters < leaves {
            [enters, leaves]
        } else {
            [0.0; 2]
        }
    }

    /// The edge of a cell.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// Half of the height over the longest edge that nine tenths of its triangles have \[m\]: a bump of two of them is twice
    /// as long at least.
    pub fn grain(&self) -> f64 {
        let mut heights: Vec<f64> = { self.triangles.iter() }
            .map(|triangle| {
                let [a, b, c] = &triangle.corners;
                let longest = (a - b).norm().max((b - c).norm()).max((c - a).norm());
                (b - a).cross(&(c - a)).norm() / longest
            })
            .collect();
        heights.sort_by(f64::total_cmp);
        0.5 * heights.get(heights.len() / 10).copied().unwrap_or(0.0)
    }

    /// Distance of a point from the box of the cells; zero within it.
    pub fn from_box(&self, p: &Vec3) -> f64 {
        let beyond = |k: usize| {
            let high = self.low[k] + self.counts[k] as f64 * self.cell;
            (self.low[k] - p[k]).max(p[k] - high).max(0.0)
        };
        Vec3::new(beyond(0), beyond(1), beyond(2)).norm()
    }

    /// The nearest point from p; `None` if out of reach. The work does not depend on p.
    pub fn nearest(&self, p: &Vec3) -> Option<NearestPoint> {
        let mut cell = 0;
        let mut within = true;
        for k in (0..3).rev() {
            let at = (p[k] - self.low[k]) / self.cell;
            within &= at >= 0.0 && at < self.counts[k] as f64;
            cell = cell * self.counts[k] + (at.max(0.0) as usize).min(self.counts[k] - 1);
        }
        let (first, len) = self.cells[cell];
        let mut best: (Foot, usize) = ((f64::INFINITY, *p, 0), 0);
        for k in 0..self.longest {
            let on = if k < len as usize { k } else { 0 };
            let list = self.lists.get(first as usize + on);
            let triangle = list.map_or(0, |t| *t as usize);
            let foot = self.triangles[triangle].foot(p);
            if foot.0 < best.0.0 {
                best = (foot, triangle);
            }
        }
        let ((_, place, feature), triangle) = best;
        let near = self.triangles[triangle].near(p, &place, feature);
        (within && len > 0).then_some(near)
    }
}

/// The lists under construction.
struct Build<'a> {
    mesh: &'a Mesh,
    reach: f64,
    cells: Vec<(u32, u32)>,
    lists: Vec<u32>,
}

impl Build<'_> {
    /// Fills cells from `from` to `to`, given the triangles that can be nearest to them.
    fn split(&mut self, from: [usize; 3], to: [usize; 3], among: &[u32]) {
        let mesh = self.mesh;
        let half = Vec3::from_fn(|k, _| (to[k] - from[k]) as f64 * mesh.cell * 0.5);
        let middle = mesh.low + Vec3::from_fn(|k, _| from[k] as f64) * mesh.cell + half;
        let reach = half.norm();
        let far = |t: &u32| mesh.triangles[*t as usize].foot(&middle).0.sqrt();
        let distances: Vec<f64> = among.iter().map(far).collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        if nearest > self.reach + reach {
            return;
        }
        let keep = nearest + 2.0 * reach * (1.0 + 1e-9);
        let zip = among.iter().zip(&distances);
        let kept: Vec<u32> = zip.filter(|(_, d)| **d <= keep).map(|(t, _)| *t).collect();
        let longest = (0..3).max_by_key(|k| to[*k] - from[*k]).unwrap_or(0);
        if to[longest] - from[longest] == 1 {
            let [nx, ny, _] = mesh.counts;
            let cell = (from[2] * ny + from[1]) * nx + from[0];
            self.cells[cell] = (self.lists.len() as u32, kept.len() as u32);
            self.lists.extend(kept);
            return;
        }
        let cut = usize::midpoint(from[longest], to[longest]);
        let (mut below, mut above) = (to, from);
        below[longest] = cut;
        above[longest] = cut;
        self.split(from, below, &kept);
        self.split(above, to, &kept);
    }
}

impl Triangle {
    fn is_sound(&self) -> bool {
        let [a, b, c] = &self.corners;
        let all = self.corners.iter().chain(&self.normals);
        let apart = [(a, b), (b, c), (c, a)]
            .iter()
            .all(|(p, q)| (*p - *q).norm_squared() > 0.0);
        apart && all.flatten().all(|x| x.is_finite())
    }

    /// The point nearest to p: on the face if p projects onto it, and on all three edges; whichever is nearest.
    fn foot(&self, p: &Vec3) -> Foot {
        let [a, b, c] = &self.corners;
        let normal = &self.normals[0];
        let height = normal.dot(&(p - a));
        let mut over = true;
        let mut best = (f64::INFINITY, *a, 0);
        for (k, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            let along = to - from;
            let to_p = p - from;
            over &= along.cross(&to_p).dot(normal) >= 0.0;
            let t = (along.dot(&to_p) / along.norm_squared()).clamp(0.0, 1.0);
            let place = from + along * t;
            let square = (p - place).norm_squared();
            let corner = if t >= 1.0 { 4 + (k + 1) % 3 } else { 4 + k };
            let feature = if t > 0.0 && t < 1.0 { 1 + k } else { corner };
            if square < best.0 {
                best = (square, place, feature);
            }
        }
        let face = (height * height, p - normal * height, 0);
        if over { face } else { best }
    }

    /// Distance, normal and its gradient, from the nearest point.
    fn near(&self, p: &Vec3, place: &Vec3, feature: usize) -> NearestPoint {
        let out = p - place;
        let own = &self.normals[feature];
        let length = out.norm();
        let reach = length.max(NOWHERE);
        let sign = if out.dot(own) < 0.0 { -1.0 } else { 1.0 };
        let free = match feature {
            0 => Mat3::zeros(),
            1..=3 => {
                let along = self.corners[feature % 3] - self.corners[feature - 1];
                Mat3::identity() - along * along.transpose() / along.norm_squared()
            }
            _ => Mat3::identity(),
        };
        let away = out / reach;
        let flat = feature == 0;
        let turn = (free - away * away.transpose()) * (sign / reach);
        NearestPoint {
            distance: sign * length,
            normal: if flat || length < NOWHERE {
                *own
            } else {
                away * sign
            },
            turn: if flat { Mat3::zeros() } else { turn },
        }
    }
}

/// The triangles with nonzero area, with the normals of their faces, edges and vertices. Vertices at the same
/// position are merged.
fn with_normals(vertices: &[Vec3], faces: &[[usize; 3]]) -> Result<Box<[Triangle]>, MeshError> {
    let mut places: BTreeMap<[u64; 3], usize> = BTreeMap::new();
    // Adding zero makes −0 and 0 equal.
    let mut one = |v: &Vec3| {
        let key = [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits());
        let next = places.len();
        *places.entry(key).or_insert(next)
    };
    let names: Vec<usize> = vertices.iter().map(&mut one).collect();
    let (mut edges, mut corners) = (BTreeMap::new(), BTreeMap::new());
    let mut kept = Vec::new();
    for (k, face) in faces.iter().enumerate() {
        if face.iter().any(|v| *v >= vertices.len()) {
            return Err(MeshError::Corner(k));
        }
        let places = face.map(|v| vertices[v]);
        let ids = face.map(|v| names[v]);
        let [a, b, c] = places;
        let normal = (b - a).cross(&(c - a));
        let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
        if normal.norm() <= 1e-12 * longest * longest {
            continue;
        }
        let normal = normal.normalize();
        for at in 0..3 {
            let (next, last) = ((at + 1) % 3, (at + 2) % 3);
            let edge = (ids[at].min(ids[next]), ids[at].max(ids[next]));
            *edges.entry(edge).or_insert_with(Vec3::zeros) += normal;
            let (u, v) = (places[next] - places[at], places[last] - places[at]);
            let angle = acos((u.dot(&v) / (u.norm() * v.norm())).clamp(-1.0, 1.0));
            *corners.entry(ids[at]).or_insert_with(Vec3::zeros) += normal * angle;
        }
        kept.push((places, ids, normal));
    }
    if kept.is_empty() {
        return Err(MeshError::Empty);
    }
    // Two faces back to back have no edge normal; the face normal replaces it.
    let unit = |sum: Option<&Vec3>, face: &Vec3| {
        sum.filter(|s| s.norm() > 1e-9)
            .map_or(*face, Vec3::normalize)
    };
    let finish = |(corner, ids, normal): ([Vec3; 3], [usize; 3], Vec3)| {
        let edge = |k: usize| {
            let (a, b) = (ids[k], ids[(k + 1) % 3]);
            unit(edges.get(&(a.min(b), a.max(b))), &normal)
        };
        let vertex = |k: usize| unit(corners.get(&ids[k]), &normal);
        Triangle {
            corners: corner,
            normals: [
                normal,
                edge(0),
                edge(1),
                edge(2),
                vertex(0),
                vertex(1),
                vertex(2),
            ],
        }
    };
    Ok(kept.into_iter().map(finish).collect())
}

#[cfg(test)]
mod tests;
