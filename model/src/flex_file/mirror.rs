//! Control plane: the mirror image of a flexible body: y becomes −y in the axes of its finite-element model.

use fixstep_kernel::flex::{FlexData, STIFFENINGS, TensorPoint};
use fixstep_kernel::math::{Mat3, Vec3};

/// The mirrored body. With M = diag(1, −1, 1): M v for points, translations and forces, −M v for rotations and torques, M J M
/// for the matrices of the inertia invariants (a product of two cross-product matrices mirrors as they do:
/// (M s)~ = −M s~ M). Modal masses, stiffnesses and forces stay.
pub(crate) fn mirrored(data: &FlexData) -> FlexData {
    let mut data = data.clone();
    for node in &mut data.nodes {
        polar(&mut node.position);
        node.translation.iter_mut().for_each(polar);
        node.rotation.iter_mut().for_each(axial);
    }
    for load in &mut data.loads {
        polar(&mut load.force);
        axial(&mut load.torque);
    }
    let invariants = &mut data.invariants;
    polar(&mut invariants.first);
    invariants.i3.iter_mut().for_each(polar);
    invariants.i4.iter_mut().for_each(axial);
    invariants.i5.iter_mut().for_each(axial);
    tensor(&mut invariants.i7);
    invariants.i8.iter_mut().for_each(tensor);
    invariants.i9.iter_mut().for_each(tensor);
    if let Some(stiffening) = &mut data.stiffening {
        let size = stiffening.len() / STIFFENINGS;
        // Accelerations along y, angular accelerations about x and z, products xy and yz of angular velocities.
        for motion in [1, 3, 5, 9, 10] {
            let matrix = stiffening.iter_mut().skip(motion * size).take(size);
            matrix.for_each(|entry| *entry = -*entry);
        }
    }
    data.stresses.iter_mut().for_each(point);
    data.strains.iter_mut().for_each(point);
    data
}

fn polar(v: &mut Vec3) {
    v[1] = -v[1];
}

fn axial(v: &mut Vec3) {
    v[0] = -v[0];
    v[2] = -v[2];
}

fn tensor(m: &mut Mat3) {
    for (i, j) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
        m[(i, j)] = -m[(i, j)];
    }
}

/// Stress or strain: xx, yy, zz, xy, yz, zx.
fn point(point: &mut TensorPoint) {
    for value in &mut point.values {
        value[3] = -value[3];
        value[4] = -value[4];
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_mirrored_mirror_is_the_body() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/rocker/arm.flex");
        let data = crate::flex_file::read(&std::fs::read(file).unwrap()).unwrap();
        let once = mirrored(&data);
        assert!(once != data);
        assert_eq!(mirrored(&once), data);
        // The mirrored nodes with the mirrored centre of mass: the inertia is that of a real body.
        assert_eq!(once.invariants.center()[1], -data.invariants.center()[1]);
        assert_eq!(once.invariants.i7[(0, 1)], -data.invariants.i7[(0, 1)]);
        assert_eq!(once.invariants.i6, data.invariants.i6);
    }
}
