//! Control plane: light on surfaces and on the ground.
//!
//! A surface has light from above and below (a hemisphere), from one lamp that throws shadows, and from a weak one
//! opposite, with highlights after Blinn (1977). The ground is a plane with a grid that fades into the background.

use super::geometry::{Geometry, Material};
use super::raster::{Facet, Projector};
use super::shadow::Shadow;
use super::small::{Small, dot, linear, minus, mix, plus, scale, smooth, times, unit};
use crate::scene::Color;

/// The colours of a background.
pub(super) struct Theme {
    top: Small,
    bottom: Small,
    floor: Small,
    line: Small,
    bold: Small,
    /// How much of the floor's light a shadow takes.
    shade: f32,
    sky: Small,
    bounce: Small,
    lamp: f32,
    fill: f32,
}

impl Theme {
    pub(super) fn of(dark: bool) -> Self {
        let l = |c: Color| linear(c);
        if dark {
            Theme {
                top: l([22, 26, 33]),
                bottom: l([44, 51, 61]),
                floor: l([40, 46, 56]),
                line: l([56, 64, 76]),
                bold: l([78, 88, 103]),
                shade: 0.62,
                sky: [0.40, 0.43, 0.48],
                bounce: [0.13, 0.13, 0.14],
                lamp: 0.72,
                fill: 0.14,
            }
        } else {
            Theme {
                top: l([205, 218, 233]),
                bottom: l([246, 248, 250]),
                floor: l([233, 236, 240]),
                line: l([212, 217, 224]),
                bold: l([182, 190, 201]),
                shade: 0.46,
                sky: [0.50, 0.52, 0.55],
                bounce: [0.24, 0.23, 0.22],
                lamp: 0.70,
                fill: 0.12,
            }
        }
    }
}

/// A plane to stand on.
pub(super) struct Floor {
    /// A point of it, from the middle of the view.
    pub(super) point: Small,
    /// Along its lines.
    pub(super) axes: [Small; 2],
    /// What the middle of the view has along the lines, less whole numbers of bold steps.
    pub(super) offset: [f32; 2],
    /// Between lines.
    pub(super) step: f32,
    /// Lines per bold line.
    pub(super) bold: f32,
    /// Where it begins to fade, and where it has faded away, from the middle of the view.
    pub(super) fade: [f32; 2],
}

/// All that light needs to know.
pub(super) struct Scenery<'a> {
    pub(super) geometry: &'a Geometry,
    pub(super) projector: &'a Projector,
    pub(super) shadow: Option<&'a Shadow>,
    pub(super) floor: Option<&'a Floor>,
    pub(super) theme: &'a Theme,
    /// Towards the lamp.
    pub(super) lamp: Small,
    /// Towards the weak lamp.
    pub(super) fill: Small,
    pub(super) up: Small,
    pub(super) height: f32,
}

impl Scenery<'_> {
    /// The light of a facet at a place of the picture.
    pub(super) fn surface(&self, facet: &Facet, x: f32, y: f32) -> Small {
        let weights = facet.weights(x, y);
        let corners = facet.corners.map(|k| k as usize);
        let all = self.geometry;
        let sum = |of: &[Small]| {
            let part = |k: usize| times(of[corners[k]], weights[k]);
            plus(plus(part(0), part(1)), part(2))
        };
        let (point, mut normal) = (sum(&all.points), unit(sum(&all.normals)));
        let material = &all.materials[facet.material as usize];
        let (_, ahead) = self.projector.ray(x, y);
        let view = unit(times(ahead, -1.0));
        if !facet.front && !material.closed {
            normal = times(normal, -1.0);
        }
        let color = if material.mapped {
            let value = (0..3)
                .map(|k| all.values[corners[k]] * weights[k])
                .sum::<f32>();
            linear_scale(value)
        } else {
            material.color
        };
        self.lit(material, color, point, normal, view)
    }

    fn lit(
        &self,
        material: &Material,
        color: Small,
        point: Small,
        normal: Small,
        view: Small,
    ) -> Small {
        let theme = self.theme;
        let facing = dot(normal, self.lamp);
        let mut lamp = 0.0;
        if facing > 0.0 {
            let open = self
                .shadow
                .map_or(1.0, |shadow| shadow.light(point, normal));
            // surfaces at a grazing angle lose their light before the shadow's grain shows
            lamp = facing * open * smooth(facing, 0.0, 0.12);
        }
        let ambient = mix(theme.bounce, theme.sky, 0.5 + 0.5 * dot(normal, self.up));
        let fill = theme.fill * dot(normal, self.fill).max(0.0);
        let light: Small = std::array::from_fn(|k| ambient[k] + theme.lamp * lamp + fill);
        let matte: Small = std::array::from_fn(|k| color[k] * light[k]);
        // a highlight of the lamp, and a faint one of the sky at the rim
        let half = unit(plus(self.lamp, view));
        let cosine = dot(normal, half).max(0.0);
        let (c4, rim) = (
            cosine * cosine * (cosine * cosine),
            1.0 - dot(normal, view).max(0.0),
        );
        let c16 = c4 * c4 * (c4 * c4);
        let shine =
            material.gloss * (0.55 * lamp * c16 * c16 + 0.20 * rim * rim * rim * ambient[2]);
        matte.map(|m| m + shine)
    }

    /// The background at a place of the picture, with the ground.
    pub(super) fn behind(&self, x: f32, y: f32) -> Small {
        let theme = self.theme;
        let sky = mix(theme.top, theme.bottom, smooth(y / self.height, -0.1, 0.85));
        let Some(floor) = self.floor else {
            return sky;
        };
        let (from, ahead) = self.projector.ray(x, y);
        let (falls, above) = (-dot(ahead, self.up), dot(minus(from, floor.point), self.up));
        if !self.projector.perspective && falls.abs() < 1e-3 {
            // seen from the side it is cut open
            let cut = mix(sky, theme.bold, 0.45);
            return if above < 0.0 { cut } else { sky };
        }
        // seen from below it would hide what stands on it
        if falls <= 1e-6 || above <= 0.0 {
            return sky;
        }
        let away = above / falls;
        let point = plus(from, times(ahead, away));
        let here = floor.axes.map(|axis| dot(axis, point));
        let far = (here[0] * here[0] + here[1] * here[1]).sqrt();
        let seen = (1.0 - smooth(far, floor.fade[0], floor.fade[1])) * smooth(falls, 0.0, 0.08);
        if seen <= 0.0 {
            return sky;
        }
        let [fine, bold] = self.lines(floor, here, away, ahead, falls);
        let mut color = mix(mix(theme.floor, theme.line, fine), theme.bold, bold);
        if let Some(shadow) = self.shadow {
            let open = shadow.light(point, self.up);
            color = times(color, 1.0 - theme.shade * (1.0 - open));
        }
        mix(sky, color, seen)
    }

    /// How much of a pixel is covered by fine and by bold lines.
    fn lines(
        &self,
        floor: &Floor,
        here: [f32; 2],
        away: f32,
        ahead: Small,
        falls: f32,
    ) -> [f32; 2] {
        let per_pixel = if self.projector.perspective {
            away
        } else {
            1.0
        } / self.projector.scale;
        let mut cover = [0.0_f32; 2];
        for (k, axis) in floor.axes.iter().enumerate() {
            // how far the point on the floor goes with a pixel to the right and one up
            let along = |side: Small| {
                let drop = dot(side, self.up) / falls;
                (per_pixel * (dot(side, *axis) + dot(ahead, *axis) * drop)).abs()
            };
            let pixel = (along(self.projector.right) + along(self.projector.up)).max(1e-12);
            for (n, step) in [floor.step, floor.step * floor.bold]
                .into_iter()
                .enumerate()
            {
                let place = (here[k] + floor.offset[k]) / step;
                let distance = (place - place.round()).abs() * step;
                let line = (1.15 - distance / pixel).clamp(0.0, 1.0);
                // lines closer than a few pixels would flicker
                cover[n] = cover[n].max(line * (1.0 - smooth(pixel / step, 0.12, 0.4)));
            }
        }
        cover
    }
}

/// The scale of colours in linear light.
fn linear_scale(value: f32) -> Small {
    use std::sync::OnceLock;
    static TABLE: OnceLock<Vec<Small>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        (0..=255)
            .map(|k| linear(scale(f64::from(k) / 255.0)))
            .collect()
    });
    table[(value.clamp(0.0, 1.0) * 255.0 + 0.5) as usize]
}
