//! Control plane: strain and stress at nodes of solid elements, from displacements of nodes.
//!
//! In an element with shape functions N over ξ, at its points of integration p, with the weights w of a linear
//! extrapolation to its node a, and over the elements e around that node:
//!
//! ```text
//! ∂N/∂x = J⁻¹ ∂N/∂ξ,   J = Σ ∂N_b/∂ξ x_bᵀ                                                     (STR-1)
//! ε_a = mean_e Σ_p w_ap ½ Σ_b (∂N_b/∂x u_bᵀ + u_b ∂N_b/∂xᵀ)                                    (STR-2)
//! σ = 2 G ε + λ tr ε E,   G = E/2(1 + ν),   λ = E ν/(1 + ν)(1 − 2 ν)                           (STR-3)
//! ```
//! (Zienkiewicz, Taylor & Zhu, *The Finite Element Method*, ch. 4 and 15: strains are most accurate at these points.)

pub mod element;
mod shape;
#[cfg(test)]
mod tests;

pub use element::Kind;

use std::collections::BTreeMap;

use fixstep_kernel::flex::{TENSOR, TensorPoint};
use fixstep_kernel::math::{Mat3, Vec3};

use crate::fe::FeModel;
use crate::sparse::Columns;

/// An isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E \[Pa\].
    pub young: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
}

/// A solid element.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Its kind.
    pub kind: Kind,
    /// Its number in its file.
    pub id: u64,
    /// Places of its nodes, in the order of CalculiX and Abaqus.
    pub nodes: Vec<usize>,
    /// Its material, if the files give it.
    pub material: Option<Material>,
}

/// A node for which strain or stress is requested.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The name of the point.
    pub name: String,
    /// Place of the node.
    pub node: usize,
}

/// The quantity at probes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// Strain: components of the tensor.
    Strain,
    /// Stress \[Pa\]; a material in the place of those that the elements have.
    Stress(Option<Material>),
}

impl Material {
    /// Checks the numbers.
    pub fn check(&self) -> Result<(), String> {
        let Self { young, poisson } = self;
        if !(young.is_finite() && *young > 0.0) {
            return Err(format!("Young's modulus is {young}; valid: above 0"));
        }
        if !(*poisson > -1.0 && *poisson < 0.5) {
            return Err(format!(
                "Poisson's ratio is {poisson}; valid: above -1 and below 0.5"
            ));
        }
        Ok(())
    }

    /// (STR-3).
    fn stress(&self, strain: &Mat3) -> Mat3 {
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        let pressure =
            self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson));
        strain * (2.0 * shear) + Mat3::identity() * (pressure * strain.trace())
    }
}

/// Strain or stress of some shapes, columns over the unknowns of the model, at nodes of its solids.
pub fn points(
    model: &FeModel,
    shapes: &Columns,
    probes: &[Probe],
    quantity: Quantity,
) -> Result<Vec<TensorPoint>, String> {
    if let Quantity::Stress(Some(material)) = quantity {
        material.check()?;
    }
    let around = around(model, probes);
    let motion = Motion::new(model);
    let point = |probe: &Probe| {
        let solids = around.get(&probe.node).map_or(&[][..], Vec::as_slice);
        Ok(TensorPoint {
            name: probe.name.clone(),
            values: mean(model, &motion, shapes, (probe.node, solids), quantity)
                .map_err(|message| format!("node {}: {message}", model.nodes[probe.node].id))?,
        })
    };
    probes.iter().map(point).collect()
}

/// The solid elements at each requested node.
fn around<'a>(model: &'a FeModel, probes: &[Probe]) -> BTreeMap<usize, Vec<&'a Solid>> {
    let mut around: BTreeMap<usize, Vec<&Solid>> = BTreeMap::new();
    for probe in probes {
        around.entry(probe.node).or_default();
    }
    for solid in &model.solids {
        for node in &solid.nodes {
            if let Some(list) = around.get_mut(node) {
                list.push(solid);
            }
        }
    }
    around
}

/// (STR-2) for all shapes.
fn mean(
    model: &FeModel,
    motion: &Motion,
    shapes: &Columns,
    (node, solids): (usize, &[&Solid]),
    quantity: Quantity,
) -> Result<Vec<[f64; TENSOR]>, String> {
    if let Some(kind) = model.opaque.get(&node) {
        return Err(format!(
            "it is on an element of type {kind}, whose strain its nodes do not tell; valid: nodes of {} alone",
            Kind::names()
        ));
    }
    if solids.is_empty() {
        return Err(format!(
            "it is not on a solid element of the mesh; valid: nodes of {}",
            Kind::names()
        ));
    }
    let mut sums = vec![Mat3::zeros(); shapes.count()];
    for solid in solids {
        let own = solid.nodes.iter().position(|other| *other == node);
        let places: Vec<Vec3> = solid
            .nodes
            .iter()
            .map(|node| model.nodes[*node].position)
            .collect();
        let slopes = element::slopes(solid.kind, &places, own.unwrap_or(0))
            .ok_or_else(|| format!("element {} is turned inside out or flat", solid.id))?;
        for (sum, shape) in sums.iter_mut().zip(shapes.iter()) {
            let mut gradient = Mat3::zeros();
            for (slope, node) in slopes.iter().zip(&solid.nodes) {
                gradient += slope * motion.of(model, *node, shape)?.transpose();
            }
            let strain = (gradient + gradient.transpose()) * 0.5;
            *sum += match quantity {
                Quantity::Strain => strain,
                Quantity::Stress(material) => material_of(solid, material)?.stress(&strain),
            };
        }
    }
    let count = solids.len() as f64;
    Ok(sums.iter().map(|sum| components(&(sum / count))).collect())
}

fn material_of(solid: &Solid, given: Option<Material>) -> Result<Material, String> {
    given.or(solid.material).ok_or_else(|| {
        format!(
            "the files do not say what element {} is made of; valid: *SOLID SECTION with a *MATERIAL of \
             isotropic *ELASTIC in the deck, or Young's modulus and Poisson's ratio as options",
            solid.id
        )
    })
}

fn components(t: &Mat3) -> [f64; TENSOR] {
    [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)].map(|at| t[at])
}

/// How nodes move with a shape.
struct Motion {
    /// Place of each direction of a node among the unknowns.
    places: Vec<[Option<usize>; 6]>,
    /// The node that a node of a rigid body follows.
    leaders: BTreeMap<usize, usize>,
}

impl Motion {
    fn new(model: &FeModel) -> Self {
        let mut places = vec![[None; 6]; model.nodes.len()];
        for (at, unknown) in model.unknowns.iter().enumerate() {
            places[unknown.node][unknown.direction] = Some(at);
        }
        let pairs = model.followers.iter().flat_map(|(leader, nodes)| {
            let followed = nodes.iter().map(move |node| (*node, *leader));
            followed.filter(|(node, leader)| node != leader)
        });
        Self {
            places,
            leaders: pairs.collect(),
        }
    }

    fn of(&self, model: &FeModel, node: usize, shape: &[f64]) -> Result<Vec3, String> {
        let part = |node: usize, first: usize| {
            let places = &self.places[node][first..first + 3];
            Vec3::from_fn(|k, _| places[k].map_or(0.0, |at| shape[at]))
        };
        if self.places[node][..3].iter().all(Option::is_some) {
            return Ok(part(node, 0));
        }
        match self.leaders.get(&node) {
            Some(leader) => {
                let arm = model.nodes[node].position - model.nodes[*leader].position;
                Ok(part(*leader, 0) + part(*leader, 3).cross(&arm))
            }
            None => Err(format!(
                "node {} beside it has no unknowns of its own",
                model.nodes[node].id
            )),
        }
    }
}
