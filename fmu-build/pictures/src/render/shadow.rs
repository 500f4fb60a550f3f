//! Control plane: what the light does not reach: a picture of distances, seen from the light (Williams 1978), looked up
//! over several of its pixels for a soft edge (Reeves, Salesin, Cook 1987).

use std::thread;

use super::geometry::Geometry;
use super::raster::{Facet, Projector};
use super::small::{Small, dot, plus, times};

/// Rows that one thread takes at a time.
const BAND: usize = 64;

/// Distances from the light.
pub(super) struct Shadow {
    projector: Projector,
    size: usize,
    /// How near the nearest surface is to the light, by pixel.
    near: Vec<f32>,
    /// The width of a pixel.
    texel: f32,
}

impl Shadow {
    /// Of a light from a direction, in which `right` is across.
    pub(super) fn of(
        geometry: &Geometry,
        light: Small,
        right: Small,
        size: usize,
        threads: usize,
    ) -> Option<Self> {
        let up = super::small::unit(cross(light, right));
        let right = cross(up, light);
        let casts = || {
            geometry
                .triangles
                .iter()
                .filter(|t| geometry.materials[t.material as usize].casts)
        };
        let mut least = [f32::INFINITY; 2];
        let mut most = [f32::NEG_INFINITY; 2];
        for p in casts()
            .flat_map(|t| t.corners)
            .map(|k| geometry.points[k as usize])
        {
            for (k, axis) in [right, up].into_iter().enumerate() {
                least[k] = least[k].min(dot(axis, p));
                most[k] = most[k].max(dot(axis, p));
            }
        }
        let wide = (most[0] - least[0]).max(most[1] - least[1]);
        if !(wide > 0.0 && wide.is_finite()) {
            return None;
        }
        let scale = (size as f32 - 8.0) / wide;
        let middle = [0, 1].map(|k| 0.5 * (least[k] + most[k]));
        let projector = Projector {
            eye: plus(times(right, middle[0]), times(up, middle[1])),
            right,
            up,
            back: light,
            scale,
            middle: [0.5 * size as f32; 2],
            perspective: false,
            near: 0.0,
        };
        let seen: Vec<Small> = geometry.points.iter().map(|p| projector.seen(*p)).collect();
        let facets: Vec<Facet> = casts()
            .filter_map(|t| {
                let corners = t.corners.map(|k| seen[k as usize]);
                Facet::of(&projector, corners, t.corners, t.material, [size; 2])
            })
            .collect();
        let mut near = vec![f32::NEG_INFINITY; size * size];
        let mut bands: Vec<(usize, &mut [f32])> =
            near.chunks_mut(BAND * size).enumerate().collect();
        thread::scope(|scope| {
            for mine in super::shares(&mut bands, threads) {
                scope.spawn(|| {
                    for (band, rows) in mine {
                        draw(&facets, band, rows, size);
                    }
                });
            }
        });
        Some(Shadow {
            projector,
            size,
            near,
            texel: 1.0 / scale,
        })
    }

    /// The part of the light that reaches a point with a normal.
    pub(super) fn light(&self, point: Small, normal: Small) -> f32 {
        let raised = plus(point, times(normal, 1.6 * self.texel));
        let [x, y, away] = self.projector.seen(raised);
        let (u, v) = (
            self.projector.middle[0] + x * self.projector.scale - 0.5,
            self.projector.middle[1] - y * self.projector.scale - 0.5,
        );
        let most = self.size as f32 - 4.0;
        if !(u > 2.0 && v > 2.0 && u < most && v < most) {
            return 1.0;
        }
        let (column, row) = (u as usize, v as usize);
        let weights = |part: f32| [1.0 - part, 1.0, 1.0, part];
        let (across, down) = (weights(u - column as f32), weights(v - row as f32));
        let depth = -away + 1.2 * self.texel;
        let mut lit = 0.0;
        for (j, weight) in down.iter().enumerate() {
            let from = (row + j - 1) * self.size + column - 1;
            for (near, part) in self.near[from..from + 4].iter().zip(&across) {
                if depth >= *near {
                    lit += weight * part;
                }
            }
        }
        lit / 9.0
    }
}

fn draw(facets: &[Facet], band: usize, rows: &mut [f32], size: usize) {
    let first = band * BAND;
    let end = first + rows.len() / size;
    for facet in facets {
        let [top, below] = facet.rows(size);
        if top < end && below > first {
            facet.scan(&[[0, 0]], [first, end], size, |k, near| {
                rows[k] = rows[k].max(near);
            });
        }
    }
}

pub(super) fn cross(a: Small, b: Small) -> Small {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
