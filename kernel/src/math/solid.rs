//! Control plane: mass, centre of mass and inertia of solids of uniform density.

use super::{Mat3, Vec3};
use core::f64::consts::PI;
use serde::{Deserialize, Serialize};

/// Mass, centre of mass and inertia in some frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub center: Vec3,
    /// Tensor of inertia about the centre of mass, in the axes of the frame [kg m²].
    pub inertia: Mat3,
}

/// The shapes. Each is about its own origin; the axis of a round one is z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SolidShape {
    /// Edges along x, y, z.
    Box,
    /// Radius, length; the origin is its middle.
    Cylinder,
    /// Outer radius, inner radius, length; the origin is its middle.
    Tube,
    /// Radius.
    Sphere,
    /// Half axes along x, y, z.
    Ellipsoid,
    /// Radius of its base at z = −length/2, radius of its top at z = length/2, length.
    Cone,
    /// Radius, and length of its cylinder without the half spheres at both ends; the origin is its middle.
    Capsule,
    /// Volume, centre of mass x, y, z, and inertia xx, yy, zz, xy, xz, yz (tensor, about the centre of mass) at a density
    /// of one.
    Given,
}

/// Which numbers a dimension may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimensionRule {
    /// More than zero.
    Positive,
    /// Zero or more.
    NonNegative,
    /// Zero or more, and less than the one before.
    Less,
    /// Any.
    Any,
}

impl DimensionRule {
    /// The rule in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Positive => "more than zero",
            Self::NonNegative => "zero or more",
            Self::Less => "zero or more, and less than \"radius\"",
            Self::Any => "a finite number",
        }
    }

    /// Does a number satisfy it? `before`: the dimension before it.
    pub fn allows(self, number: f64, before: f64) -> bool {
        number.is_finite()
            && match self {
                Self::Positive => number > 0.0,
                Self::NonNegative => number >= 0.0,
                Self::Less => number >= 0.0 && number < before,
                Self::Any => true,
            }
    }
}

impl SolidShape {
    /// Its dimensions in their order, with their fields.
    pub const fn dimensions(self) -> &'static [(&'static str, DimensionRule)] {
        use DimensionRule::{Any, Less, NonNegative, Positive};
        match self {
            Self::Box => &[
                ("size[0]", Positive),
                ("size[1]", Positive),
                ("size[2]", Positive),
            ],
            Self::Cylinder => &[("radius", Positive), ("length", Positive)],
            Self::Tube => &[
                ("radius", Positive),
                ("inner_radius", Less),
                ("length", Positive),
            ],
            Self::Sphere => &[("radius", Positive)],
            Self::Ellipsoid => &[
                ("radii[0]", Positive),
                ("radii[1]", Positive),
                ("radii[2]", Positive),
            ],
            Self::Cone => &[
                ("radius", Positive),
                ("top_radius", NonNegative),
                ("length", Positive),
            ],
            Self::Capsule => &[("radius", Positive), ("length", NonNegative)],
            Self::Given => &[
                ("volume", Positive),
                ("center[0]", Any),
                ("center[1]", Any),
                ("center[2]", Any),
                ("inertia.xx", Positive),
                ("inertia.yy", Positive),
                ("inertia.zz", Positive),
                ("inertia.xy", Any),
                ("inertia.xz", Any),
                ("inertia.yz", Any),
            ],
        }
    }

    /// The first dimension that is not valid, by its index.
    pub fn fault(self, numbers: &[f64]) -> Option<usize> {
        let rules = self.dimensions();
        let mut before = f64::INFINITY;
        for (k, (_, rule)) in rules.iter().enumerate() {
            let number = numbers.get(k).copied().unwrap_or(f64::NAN);
            if !rule.allows(number, before) {
                return Some(k);
            }
            before = number;
        }
        None
    }

    /// Mass properties in its own axes at a density [kg/m³]; `None`: another count of numbers.
    pub fn properties(self, density: f64, numbers: &[f64]) -> Option<MassProperties> {
        let (volume, z, [xx, yy, zz]) = match (self, numbers) {
            // (MAS-1)
            (Self::Box, &[a, b, c]) => {
                let (a2, b2, c2) = (a * a, b * b, c * c);
                let of = [(b2 + c2) / 12.0, (a2 + c2) / 12.0, (a2 + b2) / 12.0];
                (a * b * c, 0.0, of)
            }
            (Self::Cylinder, &[r, h]) => round(r, 0.0, h),
            (Self::Tube, &[r, inner, h]) => round(r, inner, h),
            (Self::Sphere, &[r]) => ellipsoid(r, r, r),
            (Self::Ellipsoid, &[a, b, c]) => ellipsoid(a, b, c),
            (Self::Cone, &[base, top, h]) => cone(base, top, h),
            (Self::Capsule, &[r, h]) => capsule(r, h),
            (Self::Given, &[volume, x, y, z, xx, yy, zz, xy, xz, yz]) => {
                let inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                return Some(MassProperties {
                    mass: density * volume,
                    center: Vec3::new(x, y, z),
                    inertia: inertia * density,
                });
            }
            _ => return None,
        };
        let mass = density * volume;
        Some(MassProperties {
            mass,
            center: Vec3::new(0.0, 0.0, z),
            inertia: Mat3::from_diagonal(&(Vec3::new(xx, yy, zz) * mass)),
        })
    }
}

/// Volume, z of the centre of mass, and the moments of inertia per mass.
type PerMass = (f64, f64, [f64; 3]);

/// Cylinder or tube (MAS-2).
fn round(r: f64, inner: f64, h: f64) -> PerMass {
    let squares = r * r + inner * inner;
    let across = (3.0 * squares + h * h) / 12.0;
    let volume = PI * (r * r - inner * inner) * h;
    (volume, 0.0, [across, across, squares / 2.0])
}

/// Ellipsoid (MAS-3).
fn ellipsoid(a: f64, b: f64, c: f64) -> PerMass {
    let (a2, b2, c2) = (a * a, b * b, c * c);
    let volume = 4.0 / 3.0 * PI * a * b * c;
    let of = [(b2 + c2) / 5.0, (a2 + c2) / 5.0, (a2 + b2) / 5.0];
    (volume, 0.0, of)
}

/// Cone or frustum (MAS-4): R the base at z = −h/2, r the top.
fn cone(base: f64, top: f64, h: f64) -> PerMass {
    let (b2, t2) = (base * base, top * top);
    let second = b2 + base * top + t2;
    let fourth = b2 * b2 + b2 * base * top + b2 * t2 + base * top * t2 + t2 * t2;
    let volume = PI * h / 3.0 * second;
    let height = h / 4.0 * (b2 + 2.0 * base * top + 3.0 * t2) / second;
    let along = 0.3 * fourth / second;
    // About a diameter of the base, then about the centre of mass.
    let of_base = along / 2.0 + h * h / 10.0 * (b2 + 3.0 * base * top + 6.0 * t2) / second;
    let across = of_base - height * height;
    (volume, height - h / 2.0, [across, across, along])
}

/// Cylinder with half spheres at both ends (MAS-5).
fn capsule(r: f64, h: f64) -> PerMass {
    let r2 = r * r;
    let (cylinder, ball) = (PI * r2 * h, 4.0 / 3.0 * PI * r2 * r);
    let volume = cylinder + ball;
    let along = cylinder * r2 / 2.0 + ball * 0.4 * r2;
    let across =
        cylinder * (h * h / 12.0 + r2 / 4.0) + ball * (0.4 * r2 + h * h / 4.0 + 0.375 * h * r);
    (
        volume,
        0.0,
        [across / volume, across / volume, along / volume],
    )
}

impl MassProperties {
    /// The same in another frame, whose axes and origin place this one (MAS-6).
    #[must_use]
    pub fn placed(&self, axes: Option<&Mat3>, origin: Vec3) -> Self {
        match axes {
            None => Self {
                center: origin + self.center,
                ..*self
            },
            Some(r) => Self {
                mass: self.mass,
                center: origin + r * self.center,
                inertia: r * self.inertia * r.transpose(),
            },
        }
    }

    /// The sum of pieces, each counted +1 or −1 (MAS-7).
    pub fn sum(pieces: &[(f64, Self)]) -> Self {
        if let [(1.0, one)] = pieces {
            return *one;
        }
        let mass: f64 = pieces.iter().map(|(sign, piece)| sign * piece.mass).sum();
        let moment = |(sign, piece): &(f64, Self)| piece.center * (sign * piece.mass);
        let center = pieces.iter().map(moment).sum::<Vec3>() / mass;
        let about = |(sign, piece): &(f64, Self)| {
            let d = piece.center - center;
            let steiner = Mat3::identity() * d.norm_squared() - d * d.transpose();
            (piece.inertia + steiner * piece.mass) * *sign
        };
        Self {
            mass,
            center,
            inertia: pieces.iter().map(about).sum(),
        }
    }

    /// The same at another mass.
    #[must_use]
    pub fn of_mass(&self, mass: f64) -> Self {
        Self {
            mass,
            center: self.center,
            inertia: self.inertia * (mass / self.mass),
        }
    }

    /// Ixx, Iyy, Izz, and the products as positive integrals.
    pub fn values(&self) -> [f64; 6] {
        let i = &self.inertia;
        [
            i[(0, 0)],
            i[(1, 1)],
            i[(2, 2)],
            -i[(0, 1)],
            -i[(0, 2)],
            -i[(1, 2)],
        ]
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use SolidShape as S;
    use alloc::vec;
    use alloc::vec::Vec;

    const GRID: usize = 100;

    /// Sums over the middles of small cubes within a shape, which is given by its inside.
    fn by_cubes(size: [f64; 3], inside: impl Fn(Vec3) -> bool) -> MassProperties {
        let edge = size.map(|s| s / GRID as f64);
        let mut all = Vec::new();
        for k in 0..GRID * GRID * GRID {
            let at = [k % GRID, k / GRID % GRID, k / GRID / GRID];
            let x = Vec3::from_fn(|c, _| (at[c] as f64 + 0.5) * edge[c] - size[c] / 2.0);
            if inside(x) {
                all.push(x);
            }
        }
        let each = edge[0] * edge[1] * edge[2];
        let center = all.iter().sum::<Vec3>() / all.len() as f64;
        let inertia = |x: &Vec3| {
            let d = x - center;
            (Mat3::identity() * d.norm_squared() - d * d.transpose()) * each
        };
        MassProperties {
            mass: all.len() as f64 * each,
            center,
            inertia: all.iter().map(inertia).sum(),
        }
    }

    fn round(x: Vec3) -> f64 {
        x.x * x.x + x.y * x.y
    }

    #[test]
    fn formulas_are_the_sums_over_small_cubes() {
        type Inside = fn(Vec3) -> bool;
        let cases: [(S, Vec<f64>, [f64; 3], Inside); 7] = [
            (S::Box, vec![1.0, 0.6, 0.4], [1.2, 0.9, 0.8], |x| {
                x.x.abs() < 0.5 && x.y.abs() < 0.3 && x.z.abs() < 0.2
            }),
            (S::Cylinder, vec![0.5, 0.8], [1.0, 1.0, 1.0], |x| {
                round(x) < 0.25 && x.z.abs() < 0.4
            }),
            (S::Tube, vec![0.5, 0.3, 0.8], [1.0, 1.0, 1.0], |x| {
                round(x) < 0.25 && round(x) > 0.09 && x.z.abs() < 0.4
            }),
            (S::Sphere, vec![0.5], [1.0, 1.0, 1.0], |x| x.norm() < 0.5),
            (S::Ellipsoid, vec![0.5, 0.4, 0.3], [1.0, 1.0, 1.0], |x| {
                Vec3::new(x.x / 0.5, x.y / 0.4, x.z / 0.3).norm() < 1.0
            }),
            (S::Cone, vec![0.5, 0.2, 0.8], [1.0, 1.0, 0.8], |x| {
                let radius = 0.5 - 0.3 * (x.z + 0.4) / 0.8;
                round(x) < radius * radius
            }),
            (S::Capsule, vec![0.25, 0.5], [1.0, 1.0, 1.0], |x| {
                let end = Vec3::new(x.x, x.y, (x.z.abs() - 0.25).max(0.0));
                end.norm() < 0.25
            }),
        ];
        for (shape, numbers, size, inside) in cases {
            assert_eq!(shape.fault(&numbers), None);
            let own = shape.properties(1.0, &numbers).unwrap();
            let cubes = by_cubes(size, inside);
            let near = |a: f64, b: f64| (a - b).abs() < 0.02 * own.mass.abs().max(b.abs());
            assert!(near(own.mass, cubes.mass), "{shape:?}");
            assert!((own.center - cubes.center).norm() < 2e-3, "{shape:?}");
            let off = (own.inertia - cubes.inertia).abs().max();
            assert!(off < 0.02 * cubes.inertia.max(), "{shape:?}: {off}");
        }
    }

    #[test]
    fn limits_of_one_shape_are_others() {
        let of = |shape: S, numbers: &[f64]| shape.properties(3.0, numbers).unwrap();
        let same = |a: MassProperties, b: MassProperties| {
            assert!((a.mass / b.mass - 1.0).abs() < 1e-14);
            assert!((a.center - b.center).norm() < 1e-15);
            assert!((a.inertia - b.inertia).abs().max() < 1e-14 * b.inertia.max());
        };
        same(of(S::Cone, &[0.4, 0.4, 2.0]), of(S::Cylinder, &[0.4, 2.0]));
        same(of(S::Capsule, &[0.4, 0.0]), of(S::Sphere, &[0.4]));
        same(of(S::Tube, &[0.4, 0.0, 1.0]), of(S::Cylinder, &[0.4, 1.0]));
        let tube = MassProperties::sum(&[
            (1.0, of(S::Cylinder, &[0.4, 1.0])),
            (-1.0, of(S::Cylinder, &[0.3, 1.0])),
        ]);
        same(tube, of(S::Tube, &[0.4, 0.3, 1.0]));
        // A cone with its top: the height of its centre is a quarter of its own.
        let cone = of(S::Cone, &[0.4, 0.0, 2.0]);
        assert!((cone.center.z + 0.5).abs() < 1e-15);
        // Two halves of a box.
        let half = of(S::Box, &[0.5, 0.3, 0.2]);
        let halves = [0.25, -0.25].map(|x| (1.0, half.placed(None, Vec3::new(x, 0.0, 0.0))));
        same(MassProperties::sum(&halves), of(S::Box, &[1.0, 0.3, 0.2]));
        // Turned by a right angle.
        let turned = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        let turned = of(S::Box, &[0.3, 1.0, 0.2]).placed(Some(&turned), Vec3::zeros());
        same(turned, of(S::Box, &[1.0, 0.3, 0.2]));
        same(of(S::Sphere, &[0.2]).of_mass(7.0), {
            let sphere = of(S::Sphere, &[0.2]);
            S::Sphere
                .properties(3.0 * 7.0 / sphere.mass, &[0.2])
                .unwrap()
        });
    }

    #[test]
    fn wrong_dimensions_are_found() {
        assert_eq!(S::Box.fault(&[1.0, 0.0, 1.0]), Some(1));
        assert_eq!(S::Tube.fault(&[1.0, 1.0, 1.0]), Some(1));
        assert_eq!(S::Capsule.fault(&[1.0]), Some(1));
        assert_eq!(S::Sphere.fault(&[f64::NAN]), Some(0));
        assert_eq!(S::Cone.fault(&[1.0, 0.0, 1.0]), None);
        assert!(S::Cone.properties(1.0, &[1.0]).is_none());
    }
}
