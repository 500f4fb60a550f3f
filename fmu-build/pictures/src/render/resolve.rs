//! Control plane: from triangles to pixels: what is nearest at each sample, what shines through it, and the mean colour.

use std::thread;

use super::Look;
use super::geometry::Geometry;
use super::raster::{Facet, NOTHING, Projector, crossing};
use super::shade::Scenery;
use super::small::{Small, mix, plus, screen, times};
use crate::picture::Picture;
use crate::scene::Color;

/// Rows that a thread takes at a time.
const BAND: usize = 24;

/// Places of samples in a pixel in 1/256 of it: every row and column of a fine grid has one.
const FOUR: [[i32; 2]; 4] = [[-32, -96], [96, -32], [-96, 32], [32, 96]];
const NINE: [[i32; 2]; 9] = [
    [-114, -28],
    [-85, 57],
    [-57, -85],
    [-28, 114],
    [0, 0],
    [28, -114],
    [57, 85],
    [85, -57],
    [114, 28],
];

/// A transparent triangle over some samples of a pixel.
struct Pane {
    pixel: usize,
    near: f32,
    facet: u32,
    samples: u16,
}

/// The picture without words.
pub(super) fn picture(
    scenery: &Scenery<'_>,
    facets: &[Facet],
    look: &Look,
    threads: usize,
) -> Picture {
    let (width, height) = (look.width, look.height);
    let mut picture = Picture::new(width, height, [0; 3]);
    let samples: &[[i32; 2]] = if look.fine { &NINE } else { &FOUR };
    let mut bins: Vec<Vec<u32>> = vec![Vec::new(); height.div_ceil(BAND)];
    for (k, facet) in facets.iter().enumerate() {
        let [top, below] = facet.rows(height);
        if top < below {
            for bin in &mut bins[top / BAND..=(below - 1) / BAND] {
                bin.push(k as u32);
            }
        }
    }
    let rows = (BAND * width).max(1);
    let mut bands: Vec<(usize, &mut [Color])> =
        picture.pixels.chunks_mut(rows).enumerate().collect();
    thread::scope(|scope| {
        for mine in super::shares(&mut bands, threads) {
            scope.spawn(|| {
                let mut near = vec![0.0; rows * samples.len()];
                let mut ids = vec![NOTHING; rows * samples.len()];
                for (band, pixels) in mine {
                    let mut sheet = Sheet {
                        scenery,
                        facets,
                        samples,
                        first: band * BAND,
                        width,
                        near: &mut near[..pixels.len() * samples.len()],
                        ids: &mut ids[..pixels.len() * samples.len()],
                    };
                    sheet.draw(&bins[band], pixels);
                }
            });
        }
    });
    picture
}

/// Triangles in the picture. Those that cross the nearest distance are cut there, which adds corners to the geometry.
pub(super) fn facets(
    geometry: &mut Geometry,
    projector: &Projector,
    size: [usize; 2],
) -> Vec<Facet> {
    let seen: Vec<Small> = geometry.points.iter().map(|p| projector.seen(*p)).collect();
    let mut facets = Vec::with_capacity(geometry.triangles.len() / 2);
    let mut cut = Vec::new();
    for triangle in &geometry.triangles {
        let at = triangle.corners.map(|k| seen[k as usize]);
        let hidden = at
            .iter()
            .filter(|p| projector.perspective && p[2] < projector.near)
            .count();
        let material = &geometry.materials[triangle.material as usize];
        match hidden {
            0 => facets.extend(
                Facet::of(projector, at, triangle.corners, triangle.material, size)
                    .filter(|facet| facet.front || !material.closed),
            ),
            3 => {}
            _ => cut.push((triangle.corners, triangle.material)),
        }
    }
    for (corners, material) in cut {
        let mut ring: Vec<(u32, Small)> = Vec::new();
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            let (from, to) = (seen[a as usize], seen[b as usize]);
            if from[2] >= projector.near {
                ring.push((a, from));
            }
            if (from[2] >= projector.near) != (to[2] >= projector.near) {
                let part = crossing(from, to, projector.near);
                ring.push((geometry.between(a, b, part), mix(from, to, part)));
            }
        }
        for k in 2..ring.len() {
            let [(a, p), (b, q), (c, r)] = [ring[0], ring[k - 1], ring[k]];
            facets.extend(Facet::of(projector, [p, q, r], [a, b, c], material, size));
        }
    }
    facets
}

/// Some rows.
struct Sheet<'a> {
    scenery: &'a Scenery<'a>,
    facets: &'a [Facet],
    samples: &'a [[i32; 2]],
    first: usize,
    width: usize,
    near: &'a mut [f32],
    ids: &'a mut [u32],
}

impl Sheet<'_> {
    fn draw(&mut self, bin: &[u32], pixels: &mut [Color]) {
        self.near.fill(f32::NEG_INFINITY);
        self.ids.fill(NOTHING);
        let rows = [self.first, self.first + pixels.len() / self.width];
        self.solids(bin, rows);
        let (facets, samples, width) = (self.facets, self.samples, self.width);
        let materials = &self.scenery.geometry.materials;
        let opaque = |facet: &Facet| materials[facet.material as usize].opacity >= 1.0;
        let nearest = &mut *self.near;
        let mut panes: Vec<Pane> = Vec::new();
        let count = self.samples.len();
        for &id in bin {
            let facet = &facets[id as usize];
            if !opaque(facet) {
                facet.scan(samples, rows, width, |k, near| {
                    if near <= nearest[k] {
                        return;
                    }
                    let (pixel, samples) = (k / count, 1 << (k % count));
                    match panes.last_mut() {
                        Some(last) if last.pixel == pixel && last.facet == id => {
                            last.samples |= samples;
                        }
                        _ => panes.push(Pane {
                            pixel,
                            near,
                            facet: id,
                            samples,
                        }),
                    }
                });
            }
        }
        // far ones first
        panes.sort_by(|a, b| {
            a.pixel
                .cmp(&b.pixel)
                .then(a.near.total_cmp(&b.near))
                .then(a.facet.cmp(&b.facet))
        });
        let mut panes = panes.as_slice();
        for (k, pixel) in pixels.iter_mut().enumerate() {
            let mut colors = self.colors(k);
            let here = panes.iter().take_while(|pane| pane.pixel == k).count();
            for pane in &panes[..here] {
                self.through(k, pane, &mut colors);
            }
            panes = &panes[here..];
            let sum = colors[..count]
                .iter()
                .fold([0.0; 3], |sum, color| plus(sum, *color));
            *pixel = screen(times(sum, 1.0 / count as f32));
        }
    }

    /// What is nearest of what is not transparent; over it, what is seen through everything.
    fn solids(&mut self, bin: &[u32], rows: [usize; 2]) {
        let (facets, materials) = (self.facets, &self.scenery.geometry.materials);
        let of = |facet: &Facet| &materials[facet.material as usize];
        let opaque = |facet: &Facet| of(facet).opacity >= 1.0;
        let over = |facet: &Facet| of(facet).over;
        let (samples, width) = (self.samples, self.width);
        let (nearest, ids) = (&mut *self.near, &mut *self.ids);
        for &id in bin {
            let facet = &facets[id as usize];
            if opaque(facet) && !over(facet) {
                facet.scan(samples, rows, width, |k, near| {
                    if near > nearest[k] {
                        nearest[k] = near;
                        ids[k] = id;
                    }
                });
            }
        }
        for &id in bin {
            let facet = &facets[id as usize];
            if opaque(facet) && over(facet) {
                facet.scan(samples, rows, width, |k, near| {
                    let known = facets.get(ids[k] as usize).is_some_and(over);
                    if !known || near > nearest[k] {
                        nearest[k] = near;
                        ids[k] = id;
                    }
                });
            }
        }
    }

    /// The middle of some samples of a pixel, in the picture.
    fn place(&self, pixel: usize, wanted: impl Fn(usize) -> bool) -> [f32; 2] {
        let (mut sum, mut count) = ([0, 0], 0);
        for (s, at) in self.samples.iter().enumerate() {
            if wanted(s) {
                sum = [sum[0] + at[0], sum[1] + at[1]];
                count += 1;
            }
        }
        let corner = [pixel % self.width, self.first + pixel / self.width];
        let many = 256.0 * count.max(1) as f32;
        [0, 1].map(|k| corner[k] as f32 + 0.5 + sum[k] as f32 / many)
    }

    fn light(&self, id: u32, [x, y]: [f32; 2]) -> Small {
        let light = if id == NOTHING {
            self.scenery.behind(x, y)
        } else {
            self.scenery.surface(&self.facets[id as usize], x, y)
        };
        // what is brighter than white would leave jags at its edge
        light.map(|c| c.min(1.0))
    }

    /// The light of each sample of a pixel, without what is transparent.
    fn colors(&self, pixel: usize) -> [Small; NINE.len()] {
        let count = self.samples.len();
        let ids = &self.ids[pixel * count..(pixel + 1) * count];
        let mut colors = [[0.0; 3]; NINE.len()];
        for (k, &id) in ids.iter().enumerate() {
            colors[k] = match ids[..k].iter().position(|known| *known == id) {
                Some(known) => colors[known],
                None => self.light(id, self.place(pixel, |s| ids[s] == id)),
            };
        }
        colors
    }

    /// A transparent triangle before what is there.
    fn through(&self, pixel: usize, pane: &Pane, colors: &mut [Small]) {
        let facet = &self.facets[pane.facet as usize];
        let covered = |s: usize| pane.samples >> s & 1 == 1;
        let light = self.light(pane.facet, self.place(pixel, covered));
        let opacity = self.scenery.geometry.materials[facet.material as usize].opacity;
        for (s, color) in colors.iter_mut().enumerate() {
            if covered(s) {
                *color = mix(*color, light, opacity);
            }
        }
    }
}
