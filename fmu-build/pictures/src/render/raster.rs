//! Control plane: triangles onto a grid of samples. Corners are rounded to 1/256 of a pixel, and what is inside is decided
//! in whole numbers: neighbours leave no gap between them.

use super::small::{Small, minus, plus, times};

/// Parts of a pixel.
const PARTS: f32 = 256.0;
/// Corners farther out are moved to here [pixels].
const FAR: f32 = 1e6;
/// Nothing is here.
pub(super) const NOTHING: u32 = u32::MAX;

/// How points become pixels. `right`, `up` and `back` are those of the viewer.
pub(super) struct Projector {
    pub(super) eye: Small,
    pub(super) right: Small,
    pub(super) up: Small,
    pub(super) back: Small,
    /// Pixels per unit, at distance 1 with perspective.
    pub(super) scale: f32,
    /// The middle of the picture [pixels].
    pub(super) middle: [f32; 2],
    pub(super) perspective: bool,
    /// Nothing nearer is seen, with perspective.
    pub(super) near: f32,
}

impl Projector {
    /// In the viewer's axes; the last is the distance in front of the eye.
    pub(super) fn seen(&self, p: Small) -> Small {
        let p = minus(p, self.eye);
        let along = |axis: Small| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        [along(self.right), along(self.up), -along(self.back)]
    }

    /// The pixel of a point in the viewer's axes, and how near it is: 1/distance, or minus the distance without
    /// perspective. Both are linear over the picture of a triangle.
    fn flat(&self, [x, y, away]: Small) -> Small {
        let (k, near) = if self.perspective {
            (self.scale / away, 1.0 / away)
        } else {
            (self.scale, -away)
        };
        let held = |x: f32| x.clamp(-FAR, FAR);
        [
            held(self.middle[0] + x * k),
            held(self.middle[1] - y * k),
            near,
        ]
    }

    /// The direction through a place of the picture, so long that it goes one unit away from the eye, and where it begins.
    pub(super) fn ray(&self, x: f32, y: f32) -> (Small, Small) {
        let [u, v] = [
            (x - self.middle[0]) / self.scale,
            (self.middle[1] - y) / self.scale,
        ];
        let across = plus(times(self.right, u), times(self.up, v));
        let ahead = times(self.back, -1.0);
        if self.perspective {
            (self.eye, plus(ahead, across))
        } else {
            (plus(self.eye, across), ahead)
        }
    }
}

/// A triangle in the picture.
pub(super) struct Facet {
    /// Its corners' numbers.
    pub(super) corners: [u32; 3],
    /// What it is made of.
    pub(super) material: u32,
    /// Seen from its outer side?
    pub(super) front: bool,
    x: [i64; 3],
    y: [i64; 3],
    near: [f32; 3],
    /// Twice its area in parts of pixels.
    area: f32,
}

impl Facet {
    /// None if it has no area or stands outside of a picture.
    pub(super) fn of(
        projector: &Projector,
        seen: [Small; 3],
        corners: [u32; 3],
        material: u32,
        size: [usize; 2],
    ) -> Option<Self> {
        let flat = seen.map(|p| projector.flat(p));
        let mut x = flat.map(|p| (p[0] * PARTS).round() as i64);
        let mut y = flat.map(|p| (p[1] * PARTS).round() as i64);
        let mut near = flat.map(|p| p[2]);
        let mut corners = corners;
        let area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
        let outside = |v: &[i64; 3], most: usize| {
            v.iter().all(|&v| v < 0) || v.iter().all(|&v| v > most as i64 * PARTS as i64)
        };
        if area == 0 || outside(&x, size[0]) || outside(&y, size[1]) {
            return None;
        }
        // y is down: what is anticlockwise for a viewer is clockwise here
        if area < 0 {
            x.swap(1, 2);
            y.swap(1, 2);
            near.swap(1, 2);
            corners.swap(1, 2);
        }
        Some(Facet {
            corners,
            material,
            front: area < 0,
            x,
            y,
            near,
            area: area.unsigned_abs() as f32,
        })
    }

    /// The rows it touches, from and to, within a number of rows.
    pub(super) fn rows(&self, height: usize) -> [usize; 2] {
        span(&self.y, height)
    }

    /// The parts of the three corners at a place of the picture, as they are in space; outside of the triangle those of a
    /// place at its edge.
    pub(super) fn weights(&self, x: f32, y: f32) -> [f32; 3] {
        let (px, py) = (x * PARTS, y * PARTS);
        let side = |k: usize| {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            let (ax, ay) = (self.x[a] as f32, self.y[a] as f32);
            let (bx, by) = (self.x[b] as f32, self.y[b] as f32);
            (((bx - ax) * (py - ay) - (by - ay) * (px - ax)) / self.area).max(0.0)
        };
        let near = |k: usize| {
            if self.near[k] > 0.0 {
                self.near[k]
            } else {
                1.0
            }
        };
        let flat: [f32; 3] = std::array::from_fn(|k| side(k) * near(k));
        let sum = flat[0] + flat[1] + flat[2];
        if sum > 0.0 {
            times(flat, 1.0 / sum)
        } else {
            [1.0, 0.0, 0.0]
        }
    }

    /// Calls with each sample inside the triangle: its number in the rows (row by row, pixel by pixel), and how near the
    /// triangle is there.
    pub(super) fn scan(
        &self,
        samples: &[[i32; 2]],
        [first, end]: [usize; 2],
        width: usize,
        mut hit: impl FnMut(usize, f32),
    ) {
        let [top, below] = span(&self.y, end);
        let [left, right] = span(&self.x, width);
        let edges: [Edge; 3] = std::array::from_fn(|k| self.edge(k, samples));
        let plane = self.plane();
        let count = samples.len();
        for row in top.max(first)..below {
            let middle = [left as i64 * 256 + 128, row as i64 * 256 + 128];
            let mut at = edges.each_ref().map(|edge| edge.at(middle));
            let mut skip = 0;
            for k in 0..3 {
                skip = skip.max(edges[k].skipped(at[k]));
            }
            for k in 0..3 {
                at[k] += edges[k].a * 256 * skip;
            }
            for column in left as i64 + skip..right as i64 {
                if (0..3).any(|k| at[k] + edges[k].most < 0) {
                    break;
                }
                let whole = (0..3).all(|k| at[k] + edges[k].least >= 0);
                let base = ((row - first) * width + column as usize) * count;
                for (s, [sx, sy]) in samples.iter().enumerate() {
                    let inside = |edge: &Edge, at: i64| {
                        at + edge.a * i64::from(*sx) + edge.b * i64::from(*sy) >= 0
                    };
                    if whole || (0..3).all(|k| inside(&edges[k], at[k])) {
                        let x = column as f32 + 0.5 + *sx as f32 / PARTS;
                        let y = row as f32 + 0.5 + *sy as f32 / PARTS;
                        hit(base + s, plane.at(x, y));
                    }
                }
                for k in 0..3 {
                    at[k] += edges[k].a * 256;
                }
            }
        }
    }

    fn edge(&self, k: usize, samples: &[[i32; 2]]) -> Edge {
        let (x, y, n) = (&self.x, &self.y, (k + 1) % 3);
        let (a, b) = (y[k] - y[n], x[n] - x[k]);
        let moved = samples
            .iter()
            .map(|&[sx, sy]| a * i64::from(sx) + b * i64::from(sy));
        Edge {
            a,
            b,
            from: [x[k], y[k]],
            // a sample on the edge of two triangles belongs to one: the one on its right, or below
            taken: i64::from(!(a > 0 || (a == 0 && b > 0))),
            least: moved.clone().min().unwrap_or(0),
            most: moved.max().unwrap_or(0),
        }
    }

    fn plane(&self) -> Plane {
        let [x, y] = [self.x, self.y].map(|v| v.map(|v| v as f32 / PARTS));
        let d = self.near;
        let area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
        let (u, v) = (d[1] - d[0], d[2] - d[0]);
        let along = (u * (y[2] - y[0]) - v * (y[1] - y[0])) / area;
        let down = (v * (x[1] - x[0]) - u * (x[2] - x[0])) / area;
        Plane {
            from: [x[0], y[0]],
            value: d[0],
            slope: [along, down],
            range: [d[0].min(d[1]).min(d[2]), d[0].max(d[1]).max(d[2])],
        }
    }
}

/// Pixels that a range of parts of pixels touches, within a number of pixels.
fn span(v: &[i64; 3], most: usize) -> [usize; 2] {
    let least = v[0].min(v[1]).min(v[2]).max(0) as usize / 256;
    let end = v[0].max(v[1]).max(v[2]).max(-256) / 256 + 1;
    [least.min(most), (end as usize).min(most)]
}

/// a (x − from) + b (y − from) − taken, which is not negative inside.
struct Edge {
    a: i64,
    b: i64,
    from: [i64; 2],
    taken: i64,
    /// What samples of a pixel have more than its middle, at least and at most.
    least: i64,
    most: i64,
}

impl Edge {
    fn at(&self, [x, y]: [i64; 2]) -> i64 {
        self.a * (x - self.from[0]) + self.b * (y - self.from[1]) - self.taken
    }

    /// Pixels to the right of one with a value that cannot be inside.
    fn skipped(&self, at: i64) -> i64 {
        let missing = -(at + self.most);
        if missing > 0 && self.a > 0 {
            (missing + 256 * self.a - 1) / (256 * self.a)
        } else {
            0
        }
    }
}

/// What is linear over the picture of a triangle.
struct Plane {
    from: [f32; 2],
    value: f32,
    slope: [f32; 2],
    range: [f32; 2],
}

impl Plane {
    fn at(&self, x: f32, y: f32) -> f32 {
        let value =
            self.value + self.slope[0] * (x - self.from[0]) + self.slope[1] * (y - self.from[1]);
        value.clamp(self.range[0], self.range[1])
    }
}

/// A corner between two, where a line crosses the nearest distance that is seen: the part of the way.
pub(super) fn crossing(from: Small, to: Small, near: f32) -> f32 {
    ((near - from[2]) / (to[2] - from[2])).clamp(0.0, 1.0)
}
