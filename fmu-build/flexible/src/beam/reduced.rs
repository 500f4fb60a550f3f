//! Control plane: reduces beams to a flexible body.
//!
//! The interfaces are the points with names. All nodes of the line stay in the body, so that markers can be fixed
//! everywhere and pictures show the line. In addition to the results of any reduction, beams give invariants that are
//! integrals of the displacement fields, [`super::stiffening`] and [`super::stress`].

use fixstep_kernel::flex::{FlexData, Invariants};
use fixstep_kernel::math::Vec3;

use super::mesh::{LumpedMass, Mesh, SIX};
use super::{Beams, stiffening, stress};
use crate::reduce::{Interface, Options, ReduceError, Reference, Report, reduce};

/// Why beams were not reduced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// The reduction failed.
    #[error("{0}")]
    Reduce(#[from] ReduceError),
    /// The support does not hold the beams.
    #[error("the support does not hold the beams: their stiffness is not positive")]
    Support,
}

/// Reduces beams. Interfaces, kept nodes and description come from the beams and not from the options.
pub fn body(
    beams: &Beams,
    options: Options,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<(FlexData, Report), BodyError> {
    let mesh = Mesh::of(beams);
    let model = mesh.model(beams);
    let interface = |(point, node): (&super::input::Point, &usize)| {
        Some(Interface {
            name: point.name.clone()?,
            at: Reference::Node(*node),
        })
    };
    let named = beams.points.iter().zip(&mesh.points);
    let options = Options {
        interfaces: named.filter_map(interface).collect(),
        record: (0..mesh.nodes.len()).collect(),
        lines: true,
        description: description(beams),
        ..options
    };
    let (mut body, report) = reduce(&model, &options, progress)?;
    let modes = shapes(&mesh, &body);
    let lumps = mesh.lumps(beams.mass, &modes);
    body.invariants = Invariants::lumped(modes.len(), lumps.iter().map(LumpedMass::nodal));
    let support = beams.support.map(|point| mesh.points[point]);
    progress("stiffening", 0.0);
    let stiffening = stiffening::stiffening(&mesh, support, &modes).ok_or(BodyError::Support)?;
    body.stiffening = Some(stiffening);
    body.stresses = stress::stresses(&mesh, beams, &modes);
    Ok((body, report))
}

fn description(beams: &Beams) -> String {
    if beams.description.is_empty() {
        beams.name.clone()
    } else {
        format!("{}: {}", beams.name, beams.description)
    }
}

/// The modes as vectors over all unknowns, from the nodes of the body.
fn shapes(mesh: &Mesh, body: &FlexData) -> Vec<Vec<f64>> {
    let mut modes = vec![vec![0.0; mesh.unknowns()]; body.modes.len()];
    for node in &body.nodes {
        // nodes are numbered from one along the line
        let at = SIX * (node.id as usize - 1);
        for (k, mode) in modes.iter_mut().enumerate() {
            put(&mut mode[at..at + 3], &node.translation[k]);
            put(&mut mode[at + 3..at + SIX], &node.rotation[k]);
        }
    }
    modes
}

fn put(place: &mut [f64], v: &Vec3) {
    place.copy_from_slice(v.as_slice());
}

#[cfg(test)]
mod tests;
