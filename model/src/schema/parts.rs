//! Control plane: bodies and markers as they are written in the file.

use super::{NodeKey, Number, Solid};
use crate::errors::{At, Report};
use crate::read::{Entity, Fields, FromJson, choice, describe, schema};
use serde_json::Value;

schema! {
    /// A rigid body with six degrees of freedom.
    Part {
        /// Name, unique among parts and point masses.
        name: String,
        /// Mass, more than zero [mass]. Required without `solids`; with them, it takes the place of their
        /// own mass.
        mass: Option<Number>,
        /// Centre of mass, from the part's origin in part axes [length]. Default: the origin; with
        /// `solids`, theirs.
        center_of_mass: Option<[Number; 3]>,
        /// Inertia about the centre of mass, in part axes [mass·length²]. Required without `solids`.
        inertia: Option<Inertia>,
        /// Solids of uniform density, from which mass, centre of mass and inertia follow. Default: none.
        solids: Option<Vec<Solid>>,
        /// Origin of the part in ground [length]. Default: [0, 0, 0].
        position: Option<[Number; 3]>,
        /// Axes of the part in ground. Default: those of ground.
        orientation: Option<Orientation>,
        /// Constraints and cost of moving the body in assembly. Default: no coordinate is exact, weight
        /// 1.
        assembly: Option<Assembly>,
        /// Initial velocity of the centre of mass, ground axes [length/time]. If given, the start meets
        /// it exactly; if not, it follows from the rest of the mechanism.
        velocity: Option<[Number; 3]>,
        /// Initial angular velocity, ground axes [angle/time]. If given, the start meets it exactly; if
        /// not, it follows from the rest of the mechanism.
        angular_velocity: Option<[Number; 3]>,
        /// Free text.
        description: Option<String>,
    }

    /// A body without rotation: three degrees of freedom; its axes stay those of ground.
    PointMass {
        /// Name, unique among parts and point masses.
        name: String,
        /// Mass, more than zero [mass].
        mass: Number,
        /// Position in ground [length]. Default: [0, 0, 0].
        position: Option<[Number; 3]>,
        /// Constraints and cost of moving the body in assembly. Default: no coordinate is exact, weight
        /// 1.
        assembly: Option<Assembly>,
        /// Initial velocity, ground axes [length/time]. If given, the start meets it exactly; if not, it
        /// follows from the rest of the mechanism.
        velocity: Option<[Number; 3]>,
        /// Free text.
        description: Option<String>,
    }

    /// Constraints and cost of moving a body in assembly.
    Assembly {
        /// Start coordinates that must not change: x, y, z of the origin in ground; rx, ry, rz: no
        /// rotation about that axis of ground. Default: none.
        exact: Option<Vec<Coordinate>>,
        /// Cost of moving this body, 1e-6 to 1e6: small for a rough pose, large for a measured one.
        /// Default: 1.
        weight: Option<f64>,
    }

    /// Inertia about the centre of mass, in part axes [mass·length²]. The products xy, xz, yz are
    /// positive integrals: the tensor's off-diagonal elements are their negatives.
    Inertia {
        /// Moment about x [mass·length²].
        xx: Number,
        /// Moment about y [mass·length²].
        yy: Number,
        /// Moment about z [mass·length²].
        zz: Number,
        /// Product: the integral of x·y [mass·length²]. Default: 0.
        xy: Option<Number>,
        /// Product: the integral of x·z [mass·length²]. Default: 0.
        xz: Option<Number>,
        /// Product: the integral of y·z [mass·length²]. Default: 0.
        yz: Option<Number>,
    }

    /// A frame fixed on a body.
    Marker {
        /// Name, unique among markers.
        name: String,
        /// The part, point mass or flexible body, or `ground`.
        part: String,
        /// On a flexible body: the node that the marker is fixed to, by name or number. Default: the
        /// body's frame; such a marker can be measured, but no joint or force may act on it.
        node: Option<NodeKey>,
        /// Position relative to the part's origin, on a flexible body relative to the node, in part axes
        /// [length]. On a point mass it must be zero. Default: [0, 0, 0].
        position: Option<[Number; 3]>,
        /// Axes of the marker in the part. Default: those of the part.
        orientation: Option<Orientation>,
        /// Free text.
        description: Option<String>,
    }

    /// Body-fixed 3-1-3 angles: R = Rz(psi) Rx(theta) Rz(phi).
    EulerAngles {
        /// psi, theta, phi [angle].
        euler: [Number; 3],
    }

    /// Unit quaternion; it is normalised.
    Quaternion {
        /// w, x, y, z.
        quaternion: [Number; 4],
    }

    /// Two points, in the same coordinates as the position of the frame.
    Points {
        /// The z axis points from the frame's origin to this point [length].
        z_point: [Number; 3],
        /// This point lies in the half of the xz plane with positive x [length]. Default: an x axis is chosen.
        x_point: Option<[Number; 3]>,
    }
}

choice! {
    /// A start coordinate of a body.
    Coordinate ("start coordinate") {
        /// Origin along x of ground.
        X = "x",
        /// Origin along y of ground.
        Y = "y",
        /// Origin along z of ground.
        Z = "z",
        /// Rotation about x of ground.
        Rx = "rx",
        /// Rotation about y of ground.
        Ry = "ry",
        /// Rotation about z of ground.
        Rz = "rz",
    }
}

/// An orientation: Euler angles, a quaternion, or points.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Orientation {
    /// Body-fixed 3-1-3 angles.
    #[schemars(title = "OrientationEuler")]
    Euler(EulerAngles),
    /// Unit quaternion.
    #[schemars(title = "OrientationQuaternion")]
    Quaternion(Quaternion),
    /// Points on the axes.
    #[schemars(title = "OrientationPoints")]
    Points(Points),
}

impl FromJson for Orientation {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        const KNOWN: [&str; 4] = ["euler", "quaternion", "z_point", "x_point"];
        let Some(object) = value.as_object() else {
            let message = format!(
                "expected one of {{\"euler\": [psi, theta, phi]}}, {{\"quaternion\": [w, x, y, z]}}, \
                 {{\"z_point\": [...], \"x_point\": [...]}}, found {}",
                describe(value)
            );
            report.add(at, message);
            return None;
        };
        let forms = ["euler", "quaternion", "z_point"];
        let given: Vec<&str> = forms
            .into_iter()
            .filter(|form| object.contains_key(*form))
            .collect();
        match given.as_slice() {
            ["euler"] => EulerAngles::from_json(value, at, report).map(Self::Euler),
            ["quaternion"] => Quaternion::from_json(value, at, report).map(Self::Quaternion),
            ["z_point"] => Points::from_json(value, at, report).map(Self::Points),
            [] => {
                let known = KNOWN.map(|name| (name, false));
                Fields::open(value, at, &known, report)?;
                if object.keys().all(|key| KNOWN.contains(&key.as_str())) {
                    report.add(
                        at,
                        "one of \"euler\", \"quaternion\", \"z_point\" must be given",
                    );
                }
                None
            }
            several => {
                let message = format!("give only one of {}", several.join(", "));
                report.add(at, message);
                None
            }
        }
    }
}

impl Entity for Part {
    const KIND: &'static str = "part";
}

impl Entity for PointMass {
    const KIND: &'static str = "point mass";
}

impl Entity for Marker {
    const KIND: &'static str = "marker";
}
