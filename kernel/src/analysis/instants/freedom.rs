//! Control plane: names the parts and joints that can still move where a kinematic run needs a mechanism without freedom.

use super::Instants;
use crate::analysis::steady::null_space::NullSpace;
use crate::ids::MarkerId;
use crate::math::Vec3;
use crate::mechanism::called;
use crate::state::vec3;
use crate::system::layout::BLOCK;
use crate::system::residual::larger;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use nalgebra::DVector;

/// Motion below this part of the largest counts as none.
const COUNTS: f64 = 1e-6;
/// Most names in a list.
const NAMES: usize = 5;

impl Instants<'_> {
    /// Which parts the constraints leave free, and in which joints: the middle of a sentence; empty if that cannot be told.
    pub fn freedoms(&mut self) -> String {
        let own = (self.system, &*self.state, &mut *self.ws);
        let Some(space) = NullSpace::new(own, self.length) else {
            return String::new();
        };
        let motions = (0..space.freedom()).map(|k| {
            let unit = DVector::from_fn(space.freedom(), |n, _| f64::from(u8::from(n == k)));
            self.by_body(&space.padded(self.system, &space.spread(&unit)))
        });
        let motions: Vec<Vec<(Vec3, Vec3)>> = motions.collect();
        let size = |travel: &(Vec3, Vec3)| self.size(travel);
        let of_body = |body: usize| motions.iter().map(|m| size(&m[body])).fold(0.0, larger);
        let sizes: Vec<f64> = (0..self.system.bodies.len()).map(of_body).collect();
        let most = sizes.iter().fold(0.0, |most, x| larger(most, *x));
        let moving = sizes.iter().enumerate();
        let moving = moving.filter(|(_, own)| **own > COUNTS * most);
        let parts: Vec<String> = moving
            .map(|(body, _)| called(&self.system.bodies[body].name))
            .collect();
        let mut joints = Vec::new();
        for joint in &self.mechanism.joints {
            let own = motions.iter().map(|m| self.between(m, (joint.i, joint.j)));
            let own: Vec<(Vec3, Vec3)> = own.collect();
            let moved = own
                .iter()
                .map(|x| x.0.norm() / self.length)
                .fold(0.0, larger);
            let turned = own.iter().map(|x| x.1.norm()).fold(0.0, larger);
            let how = match (moved > COUNTS * most, turned > COUNTS * most) {
                (true, true) => "slides and turns",
                (true, false) => "slides",
                (false, true) => "turns",
                (false, false) => continue,
            };
            joints.push(format!("{} ({how})", called(&joint.name)));
        }
        let list = |names: &[String]| {
            let more = names.len().saturating_sub(NAMES);
            let shown = names.iter().take(NAMES).cloned().collect::<Vec<_>>();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("{}{more}", shown.join(", "))
        };
        let kind = |one: &str, names: &[String]| {
            let plural = if names.len() == 1 { "" } else { "s" };
            format!("{one}{plural} {}", list(names))
        };
        match (parts.is_empty(), joints.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!(
                "what can move: {}, which no joint holds",
                kind("part", &parts)
            ),
            (false, false) => format!(
                "what can move: {}, in {}",
                kind("part", &parts),
                kind("joint", &joints)
            ),
        }
    }

    /// A motion of all unknowns by bodies.
    fn by_body(&self, padded: &[f64]) -> Vec<(Vec3, Vec3)> {
        let of = |entry: &crate::system::BodyEntry| {
            let Some(block) = entry.block else {
                return (Vec3::zeros(), Vec3::zeros());
            };
            let mut own = [0.0; BLOCK];
            own[..entry.dof].copy_from_slice(&padded[block.offset()..][..entry.dof]);
            (vec3(&own, 0), vec3(&own, 3))
        };
        self.system.bodies.iter().map(of).collect()
    }

    /// The motion of marker I seen from J.
    fn between(&self, bodies: &[(Vec3, Vec3)], (i, j): (MarkerId, MarkerId)) -> (Vec3, Vec3) {
        let p = self.ws.markers[i.index()].p;
        let of = |marker: MarkerId| {
            let body = self.system.owner(self.system.body_of(marker));
            let (moved, turned) = bodies[body];
            (moved + turned.cross(&(p - self.ws.bodies[body].r)), turned)
        };
        let (a, b) = (of(i), of(j));
        (a.0 - b.0, a.1 - b.1)
    }
}
