//! Control plane: a mechanism at one state as chains of points, and how small motions of its bodies displace them.

use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::Mechanism;

use super::Pose;
use super::scene::{Kind, Scene};
use super::soft::BodyPoint;
use crate::page::{self, Style};

/// Largest number of bodies whose names are shown: more would hide the bodies.
const NAMED: usize = 12;

/// A mechanism at one state.
#[derive(Debug)]
pub struct Skeleton {
    scene: Scene,
    poses: Vec<Pose>,
    centers: Vec<Vec3>,
    /// Where each point belongs.
    spots: Vec<(usize, BodyPoint)>,
    /// The points in ground \[m\].
    points: Vec<Vec3>,
    chains: Vec<(Style, Vec<usize>)>,
}

/// How a body moves a little.
#[derive(Clone, Debug, Default)]
pub struct SmallMotion {
    /// Its centre of mass, in ground \[m\].
    pub translation: Vec3,
    /// In ground \[rad\].
    pub rotation: Vec3,
    /// Modal coordinates of a flexible body.
    pub modal: Vec<f64>,
}

impl Skeleton {
    /// The skeleton of a mechanism with bodies at given poses.
    pub fn of(mechanism: &Mechanism, poses: &[Pose]) -> Self {
        let scene = Scene::of(mechanism, 1.0);
        let mut skeleton = Self {
            poses: poses.to_vec(),
            centers: mechanism.bodies.iter().map(|b| b.center_of_mass).collect(),
            spots: Vec::new(),
            points: Vec::new(),
            chains: Vec::new(),
            scene,
        };
        let chains: Vec<_> = skeleton.scene.chains().collect();
        for (kind, spots) in chains {
            let still = spots.iter().all(|(body, _)| *body == 0);
            let style = match kind {
                None => Style::Spring,
                Some(Kind::Joint) => Style::Joint,
                Some(_) if still => Style::Ground,
                Some(Kind::Limb) => Style::Limb,
                Some(Kind::Shape) => Style::Outline,
            };
            let first = skeleton.points.len();
            for (body, spot) in spots {
                let place = skeleton.scene.seen(poses, body, &[spot]);
                skeleton.points.extend(place);
                skeleton.spots.push((body, spot));
            }
            let chain = (first..skeleton.points.len()).collect();
            skeleton.chains.push((style, chain));
        }
        skeleton
    }

    /// The picture, without shapes.
    pub fn scene(&self) -> page::Scene {
        let mut scene = page::Scene::of(&self.points, self.chains.clone(), Some(self.scene.up));
        let names = &self.scene.names;
        if names.len() <= NAMED + 1 {
            for (body, name) in names.iter().enumerate().skip(1) {
                let own = |spot: &(usize, BodyPoint)| spot.0 == body;
                if let Some(point) = self.spots.iter().position(own) {
                    scene.name(point, name);
                }
            }
        }
        self.attach(&mut scene);
        scene
    }

    /// Lets the points of the picture go with their bodies.
    fn attach(&self, scene: &mut page::Scene) {
        let owners = self.spots.iter().map(|(body, _)| *body).collect();
        let arm = |((body, _), point): (&(usize, BodyPoint), &Vec3)| point - self.center(*body);
        let arms: Vec<Vec3> = self.spots.iter().zip(&self.points).map(arm).collect();
        let bends = self.spots.iter().enumerate();
        let bends = bends.filter_map(|(point, (body, spot))| {
            let soft = self.scene.soft(*body)?;
            spot.on?;
            let column = |mode: usize| {
                let mut modal = vec![0.0; soft.modes()];
                modal[mode] = 1.0;
                self.poses[*body].axes * soft.displaced(spot, &modal)
            };
            Some((point, (0..soft.modes()).map(column).collect()))
        });
        scene.attach(owners, &arms, bends.collect());
    }

    /// Where a body's centre of mass is.
    fn center(&self, body: usize) -> Vec3 {
        let pose = &self.poses[body];
        pose.place + pose.axes * self.centers[body]
    }

    /// How all points move with their bodies.
    pub fn displaced(&self, motions: &[SmallMotion]) -> Vec<Vec3> {
        let spots = self.spots.iter().zip(&self.points);
        let displaced = |((body, spot), point): (&(usize, BodyPoint), &Vec3)| {
            let Some(motion) = motions.get(*body) else {
                return Vec3::zeros();
            };
            let pose = &self.poses[*body];
            let center = self.center(*body);
            let bent = self.scene.soft(*body);
            let bent = bent.map_or(Vec3::zeros(), |soft| soft.displaced(spot, &motion.modal));
            motion.translation + motion.rotation.cross(&(point - center)) + pose.axes * bent
        };
        spots.map(displaced).collect()
    }
}
