//! Control plane: computes area, moments of inertia and shear factors of the sections of beams.
//!
//! y and z are the section's own axes through its centroid, Iyy = ∫ z² dA and Izz = ∫ y² dA. Ixx is the torsional
//! constant. For a rectangle with sides a ≥ b it is Saint-Venant's series
//!
//! ```text
//! Ixx = a b³ (1/3 − 64 b/(π⁵ a) Σ tanh(n π a/2b)/n⁵),  n = 1, 3, 5, …       (BEA-1)
//! ```
//! (Timoshenko and Goodier, *Theory of Elasticity*, art. 109). Shear factors are the area over the shear area: 6/5
//! for a rectangle, and Cowper's at Poisson's ratio 0 for circle and tube (*J. Appl. Mech.* 33, 1966).

use std::f64::consts::PI;

use fixstep_kernel::math;
use serde::Deserialize;

/// The section as the file gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Sides along y and z \[m\].
    Rectangle {
        /// Along y.
        y: f64,
        /// Along z.
        z: f64,
    },
    /// A full circle.
    Circle {
        /// Its diameter \[m\].
        diameter: f64,
    },
    /// A circle with a round hole.
    Tube {
        /// Outer diameter \[m\].
        outer: f64,
        /// Inner diameter \[m\].
        inner: f64,
    },
    /// Numbers of any other section.
    Values {
        /// Area \[m²\].
        area: f64,
        /// Torsional constant \[m⁴\].
        ixx: f64,
        /// ∫ z² dA \[m⁴\].
        iyy: f64,
        /// ∫ y² dA \[m⁴\].
        izz: f64,
        /// Area over shear area along y.
        #[serde(default)]
        shear_y: f64,
        /// Area over shear area along z.
        #[serde(default)]
        shear_z: f64,
    },
}

/// Numbers of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Area \[m²\].
    pub area: f64,
    /// Torsional constant \[m⁴\].
    pub ixx: f64,
    /// ∫ z² dA \[m⁴\].
    pub iyy: f64,
    /// ∫ y² dA \[m⁴\].
    pub izz: f64,
    /// Area over shear area along y.
    pub shear_y: f64,
    /// Area over shear area along z.
    pub shear_z: f64,
    /// Shear stress in torsion is that of a circle: G × twist × radius.
    pub round: bool,
}

impl Section {
    /// The polar moment of area \[m⁴\], which determines the torsional inertia.
    pub fn polar(&self) -> f64 {
        self.iyy + self.izz
    }
}

impl Shape {
    /// The numbers; the failure names a field.
    pub fn section(&self) -> Result<Section, String> {
        let positive = |name: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(value)
            } else {
                Err(format!("{name} is {value}; valid: more than zero"))
            }
        };
        match *self {
            Self::Rectangle { y, z } => Ok(rectangle(positive("y", y)?, positive("z", z)?)),
            Self::Circle { diameter } => Ok(tube(positive("diameter", diameter)?, 0.0)),
            Self::Tube { outer, inner } => {
                positive("outer", outer)?;
                if !(inner > 0.0 && inner < outer) {
                    let message =
                        format!("inner is {inner}; valid: more than zero, less than outer {outer}");
                    return Err(message);
                }
                Ok(tube(outer, inner))
            }
            Self::Values {
                area,
                ixx,
                iyy,
                izz,
                shear_y,
                shear_z,
            } => {
                for (name, value) in [("shear_y", shear_y), ("shear_z", shear_z)] {
                    if !(value >= 0.0 && value.is_finite()) {
                        return Err(format!("{name} is {value}; valid: zero or more"));
                    }
                }
                Ok(Section {
                    area: positive("area", area)?,
                    ixx: positive("ixx", ixx)?,
                    iyy: positive("iyy", iyy)?,
                    izz: positive("izz", izz)?,
                    shear_y,
                    shear_z,
                    round: false,
                })
            }
        }
    }
}

fn rectangle(y: f64, z: f64) -> Section {
    Section {
        area: y * z,
        ixx: torsion_of_rectangle(y.max(z), y.min(z)),
        iyy: y * z * z * z / 12.0,
        izz: z * y * y * y / 12.0,
        shear_y: 1.2,
        shear_z: 1.2,
        round: false,
    }
}

/// (BEA-1).
fn torsion_of_rectangle(a: f64, b: f64) -> f64 {
    // the 40th term is below rounding
    let term = |k: u32| {
        let n = f64::from(2 * k + 1);
        math::tanh(n * PI * a / (2.0 * b)) / (n * n * n * n * n)
    };
    let series: f64 = (0..400).rev().map(term).sum();
    let pi5 = PI * PI * PI * PI * PI;
    a * b * b * b * (1.0 / 3.0 - 64.0 * b / (pi5 * a) * series)
}

fn tube(outer: f64, inner: f64) -> Section {
    let (outer2, inner2) = (outer * outer, inner * inner);
    let bending = PI * (outer2 * outer2 - inner2 * inner2) / 64.0;
    let m2 = inner2 / outer2;
    // Cowper's factor at Poisson's ratio 0: of a circle 7/6
    let ring = (1.0 + m2) * (1.0 + m2);
    let shear = (7.0 * ring + 20.0 * m2) / (6.0 * ring);
    Section {
        area: PI * (outer2 - inner2) / 4.0,
        ixx: 2.0 * bending,
        iyy: bending,
        izz: bending,
        shear_y: shear,
        shear_z: shear,
        round: true,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn torsional_constants_are_those_of_the_tables() {
        // Timoshenko and Goodier, table of k1: Ixx = k1 a b³
        for (ratio, k1) in [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (10.0, 0.312)] {
            let found = torsion_of_rectangle(ratio, 1.0) / ratio;
            assert!((found - k1).abs() < 6e-4, "{ratio}: {found}");
        }
    }

    #[test]
    fn a_thin_tube_and_a_circle_have_the_known_shear_factors() {
        let circle = Shape::Circle { diameter: 0.02 }.section().unwrap();
        assert!((circle.shear_y - 7.0 / 6.0).abs() < 1e-15);
        assert!((circle.iyy - 7.853_981_633_974_483e-9).abs() < 1e-23);
        let thin = Shape::Tube {
            outer: 1.0,
            inner: 0.9999,
        };
        assert!((thin.section().unwrap().shear_z - 2.0).abs() < 1e-3);
    }

    #[test]
    fn a_section_without_extent_is_refused_by_its_field() {
        let message = Shape::Tube {
            outer: 0.02,
            inner: 0.03,
        };
        assert_eq!(
            message.section().unwrap_err(),
            "inner is 0.03; valid: more than zero, less than outer 0.02"
        );
        let flat = Shape::Rectangle { y: 0.0, z: 0.1 }.section();
        assert_eq!(flat.unwrap_err(), "y is 0; valid: more than zero");
    }
}
