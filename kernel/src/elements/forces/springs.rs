//! Data plane: forces and tangents of translational and rotational spring-dampers, (SPR-1) and (SPR-2).
//!
//! ```text
//! F = F0 − c L̇ − k (L − L0)    on I along e = d/L, repulsion positive       (SPR-1)
//! T = T0 − c ω − k (φ − φ0)    on I about z of J, φ counting full turns     (SPR-2)
//! ```
//! Adams SPRINGDAMPER; k [N/m, N m/rad], c [N s/m, N m s/rad], L0 \[m\], φ0 \[rad\], F0 \[N\], T0 [N m].

use crate::elements::angle::{AngleDefinition, angle, unwrap};
use crate::elements::forces::ForceContext;
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};

/// Length, direction, rate and force of a translational spring.
struct Line {
    length: f64,
    e: Vec3,
    rate: Vec3,
    force: f64,
}

fn line(values: usize, c: &ForceContext<'_>) -> Line {
    let [stiffness, damping, free, preload] = c.numbers::<4>(values);
    let d = c.i.p - c.j.p;
    let rate = c.i.v - c.j.v;
    let length = d.norm().max(f64::MIN_POSITIVE);
    let e = d / length;
    let force = preload - damping * e.dot(&rate) - stiffness * (length - free);
    Line {
        length,
        e,
        rate,
        force,
    }
}

/// (SPR-1).
pub fn translational(values: usize, c: &ForceContext<'_>) -> Wrench {
    let line = line(values, c);
    Wrench::force(line.e * line.force)
}

/// δF = e δF + (F/L)(𝟙 − e eᵀ) δd.
pub fn translational_slopes(values: usize, c: &ForceContext<'_>) -> WrenchSlopes {
    let [stiffness, damping, _, _] = c.numbers::<4>(values);
    let Line {
        length,
        e,
        rate,
        force,
    } = line(values, c);
    let ee = e * e.transpose();
    let across = Mat3::identity() - ee;
    let mut slopes = WrenchSlopes::zero();
    // δL̇ = e·δḋ + (ḋ − e L̇)·δd / L
    let sway = (rate - e * e.dot(&rate)) / length;
    slopes.d.f = across * (force / length) - ee * stiffness - e * (sway.transpose() * damping);
    slopes.d_rate.f = ee * -damping;
    slopes
}

/// ½ k (L − L0)² − F0 (L − L0).
pub fn translational_energy(values: usize, c: &ForceContext<'_>) -> f64 {
    let [stiffness, _, free, preload] = c.numbers::<4>(values);
    let stretch = (c.i.p - c.j.p).norm() - free;
    (0.5 * stiffness * stretch - preload) * stretch
}

fn turn(memory: usize, c: &ForceContext<'_>) -> (f64, Vec3) {
    let a = angle(&AngleDefinition::Z, 0.0, c.i, c.j);
    (unwrap(a.value, c.angles[memory]), a.normal)
}

/// (SPR-2).
pub fn rotational(values: usize, memory: usize, c: &ForceContext<'_>) -> Wrench {
    let [stiffness, damping, free, preload] = c.numbers::<4>(values);
    let z = c.j.axis(2);
    let rate = (c.i.omega - c.j.omega).dot(&z);
    let torque = preload - damping * rate - stiffness * (turn(memory, c).0 - free);
    Wrench::torque(z * torque)
}

/// δT = z δT + T δψ_J×z.
pub fn rotational_slopes(values: usize, memory: usize, c: &ForceContext<'_>) -> WrenchSlopes {
    let [stiffness, damping, free, preload] = c.numbers::<4>(values);
    let (z, relative) = (c.j.axis(2), c.i.omega - c.j.omega);
    let (phi, normal) = turn(memory, c);
    let torque = preload - damping * relative.dot(&z) - stiffness * (phi - free);
    let spring = z * (normal.transpose() * -stiffness);
    let mut slopes = WrenchSlopes::zero();
    slopes.psi_i.t = spring;
    // ω·(δψ_J×z) = δψ_J·(z×ω)
    slopes.psi_j.t = -spring - skew(&z) * torque - z * (z.cross(&relative).transpose() * damping);
    slopes.omega_i.t = z * (z.transpose() * -damping);
    slopes.omega_j.t = z * (z.transpose() * damping);
    slopes
}

/// ½ k (φ − φ0)² − T0 (φ − φ0).
pub fn rotational_energy(values: usize, memory: usize, c: &ForceContext<'_>) -> f64 {
    let [stiffness, _, free, preload] = c.numbers::<4>(values);
    let twist = turn(memory, c).0 - free;
    (0.5 * stiffness * twist - preload) * twist
}
