//! Stress and strain of flexible bodies in linear forms, and the density of the equivalent stress of von Mises.
//!
//! Stress is linear in the modal coordinates, σ = Σ S_k q_k. The square of the equivalent stress is a quadratic form
//! of the components, so its mean square and its density follow from their densities and cross densities (Segalman et
//! al. 1998):
//!
//! ```text
//! σ_vm² = σᵀ A σ:   S_vm = Σ_i Σ_j A_ij S_ij,   A = [ 1 −½ −½; −½ 1 −½; −½ −½ 1 ] ⊕ 3 I                  (LIN-104)
//! ```

use fixstep_kernel::expr::Program;
use fixstep_kernel::flex::TENSOR;
use fixstep_kernel::ids::{BodyId, ExprId, LeafId, MarkerId};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{
    BodyKind, Functional, KinematicMeasure, Leaf, Marker, MarkerBase, Mechanism, NamedExpr,
    Quantity,
};

/// Names of the components in expressions.
pub const COMPONENTS: [&str; TENSOR] = ["XX", "YY", "ZZ", "XY", "YZ", "ZX"];

/// Stress or strain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tensor {
    /// In Pa.
    Stress,
    /// Without unit; shear as ε, half of γ.
    Strain,
}

/// A point of a flexible body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Stress or strain.
    pub tensor: Tensor,
    /// The body.
    pub body: BodyId,
    /// The point, by its index in the body's file.
    pub point: usize,
}

/// Adds the six components at a point to the outputs of a mechanism, and returns their names.
pub fn add(mechanism: &mut Mechanism, at: At) -> [String; TENSOR] {
    let body = &mechanism.bodies[at.body.index()];
    let data = body.flexible.as_ref().map(|flex| flex.data.clone());
    let (word, unit) = match at.tensor {
        Tensor::Stress => ("STRESS", "Pa"),
        Tensor::Strain => ("STRAIN", ""),
    };
    let points = data.as_ref().map(|data| match at.tensor {
        Tensor::Stress => &data.stresses,
        Tensor::Strain => &data.strains,
    });
    let point = points.and_then(|points| points.get(at.point));
    let point = point.map_or("", |point| point.name.as_str());
    let place = format!("{}, {point}", body.name);
    let names = COMPONENTS.map(|component| format!("{word}({place}, {component})"));
    let mut bodies = mechanism.bodies.iter();
    let ground = bodies.position(|body| body.kind == BodyKind::Ground);
    let ground = BodyId::from(ground.unwrap_or(0));
    let ground = marker(mechanism, ground, MarkerBase::Body);
    for (k, name) in names.iter().enumerate() {
        let first = k - k % 3;
        let functions = std::array::from_fn(|j| match at.tensor {
            Tensor::Stress => Functional::Stress(at.point, first + j),
            Tensor::Strain => Functional::Strain(at.point, first + j),
        });
        let i = marker(mechanism, at.body, MarkerBase::Functions(functions));
        let leaf = Leaf::Kinematic {
            measure: KinematicMeasure::Displacement((k % 3) as u8),
            i,
            j: ground,
            axes: ground,
            frame: ground,
            scale: 1.0,
        };
        let expr = read(mechanism, leaf);
        let quantity = quantity(name.clone(), unit.to_owned());
        mechanism.outputs.push(NamedExpr { quantity, expr });
    }
    names
}

/// Name of the equivalent stress at a point.
pub fn equivalent_name(mechanism: &Mechanism, body: BodyId, point: usize) -> String {
    let body = &mechanism.bodies[body.index()];
    let data = body.flexible.as_ref().map(|flex| &flex.data);
    let point = data.and_then(|data| data.stresses.get(point));
    let point = point.map_or("", |point| point.name.as_str());
    format!("MISES({}, {point})", body.name)
}

/// trace(A S) of (LIN-104), with S by pairs of components; negative results are rounding errors.
pub fn equivalent_density(s: impl Fn(usize, usize) -> f64) -> f64 {
    let own = |k: usize| s(k, k);
    let mixed = |i: usize, j: usize| f64::midpoint(s(i, j), s(j, i));
    let normal = own(0) + own(1) + own(2) - mixed(0, 1) - mixed(1, 2) - mixed(2, 0);
    let shear = own(3) + own(4) + own(5);
    let all = normal + 3.0 * shear;
    // NaN remains NaN.
    if all < 0.0 { 0.0 } else { all }
}

/// A marker on the body with this position and orientation; added if there is none.
fn marker(mechanism: &mut Mechanism, body: BodyId, base: MarkerBase) -> MarkerId {
    let same = |marker: &Marker| {
        marker.body == body
            && marker.base == base
            && marker.position == Vec3::zeros()
            && marker.orientation == Mat3::identity()
    };
    let at = mechanism.markers.iter().position(same).unwrap_or_else(|| {
        mechanism.markers.push(Marker {
            name: mechanism.bodies[body.index()].name.clone(),
            body,
            base,
            position: Vec3::zeros(),
            orientation: Mat3::identity(),
        });
        mechanism.markers.len() - 1
    });
    MarkerId::from(at)
}

/// A variable without bounds.
pub(crate) fn quantity(name: String, unit: String) -> Quantity {
    Quantity {
        name,
        description: String::new(),
        unit,
        display_unit: String::new(),
        min: None,
        max: None,
        start: 0.0,
    }
}

/// An expression that consists of a leaf.
pub(crate) fn read(mechanism: &mut Mechanism, leaf: Leaf) -> ExprId {
    let known = mechanism.leaves.iter().position(|own| *own == leaf);
    let at = known.unwrap_or_else(|| {
        mechanism.leaves.push(leaf);
        mechanism.leaves.len() - 1
    });
    mechanism.expressions.push(Program {
        constants: Vec::new(),
        leaves: vec![LeafId::from(at)],
        curves: Vec::new(),
        operations: Vec::new(),
        result: 0,
        calls: Vec::new(),
    });
    ExprId::from(mechanism.expressions.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_of_a_sure_stress_have_its_equivalent() {
        let of = |stress: [f64; 6]| equivalent_density(|i, j| stress[i] * stress[j]);
        // Along one axis, hydrostatic, in a plane, pure shear.
        assert_eq!(of([3.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 9.0);
        assert_eq!(of([5.0, 5.0, 5.0, 0.0, 0.0, 0.0]), 0.0);
        assert_eq!(of([0.0, 4.0, -2.0, 0.0, 0.0, 0.0]), 16.0 + 8.0 + 4.0);
        assert_eq!(of([0.0, 0.0, 0.0, 1.0, 2.0, 3.0]), 3.0 * 14.0);
        // Two uncorrelated normal stresses do not shield each other.
        let apart = equivalent_density(|i, j| if i == j && i < 2 { 1.0 } else { 0.0 });
        assert_eq!(apart, 2.0);
    }
}
