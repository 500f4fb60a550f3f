//! Control plane: visits the large data of a mechanism, which elements may share and which files store separately.

use super::{ContactBody, ContactShape, ForceKind, Mechanism};
use crate::flex::FlexData;
use crate::math::curve::SpaceCurve;
use crate::math::mesh::Mesh;
use crate::math::road::RoadShape;
use crate::math::spline::Curve;
use crate::math::terrain::Terrain;
use alloc::sync::Arc;

/// A place of a mechanism that refers to large data.
pub enum Large<'a> {
    /// A flexible body.
    Flexible(&'a mut Arc<FlexData>),
    /// A spline of an expression or a road.
    Curve(&'a mut Arc<Curve>),
    /// A curve in space or in the plane.
    SpaceCurve(&'a mut Arc<SpaceCurve>),
    /// Ground of varying height.
    Terrain(&'a mut Arc<Terrain>),
    /// Triangles.
    Mesh(&'a mut Arc<Mesh>),
}

impl Mechanism {
    /// Visits every such place, always in the same order, until a visit fails.
    pub fn each_large<E>(
        &mut self,
        visit: &mut dyn FnMut(Large<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for flexible in self.bodies.iter_mut().filter_map(|b| b.flexible.as_mut()) {
            visit(Large::Flexible(&mut flexible.data))?;
        }
        for curve in &mut self.curves {
            visit(Large::SpaceCurve(curve))?;
        }
        for force in &mut self.forces {
            let ForceKind::Contact(contact) = &mut force.kind else {
                continue;
            };
            if let ContactBody::Curve(curve) = &mut contact.body {
                visit(Large::SpaceCurve(curve))?;
            }
            match &mut contact.shape {
                ContactShape::Terrain(terrain) => visit(Large::Terrain(terrain))?,
                ContactShape::Mesh(mesh) => visit(Large::Mesh(mesh))?,
                ContactShape::Curve { curve, .. } => visit(Large::SpaceCurve(curve))?,
                ContactShape::Plane
                | ContactShape::Sphere { .. }
                | ContactShape::Cylinder { .. }
                | ContactShape::Drum
                | ContactShape::Box => {}
            }
        }
        for road in &mut self.roads {
            if let RoadShape::Profile(curve) = &mut road.road.shape {
                visit(Large::Curve(curve))?;
            }
        }
        for program in &mut self.expressions {
            for curve in &mut program.curves {
                visit(Large::Curve(curve))?;
            }
        }
        Ok(())
    }
}
