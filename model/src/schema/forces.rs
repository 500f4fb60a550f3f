//! Control plane: force elements as they are written in the file.

use super::{Contact, Expression, FrictionLaw, JointDrive, JointFriction, Number, Tyre};
use crate::names::GROUND;
use crate::read::{Entity, schema, tagged};

tagged! {
    /// A force element: it acts on marker I, its reaction on marker J.
    ForceElement ("force type", "" _ "") {
        /// Spring and damper along the line from J to I.
        SpringDamper(SpringDamper) = "spring_damper",
        /// Spring and damper about J's z axis.
        TorsionSpringDamper(TorsionSpringDamper) = "torsion_spring_damper",
        /// Six-axis spring and damper in J's axes.
        Bushing(Box<Bushing>) = "bushing",
        /// Linear springs and dampers over all six relative coordinates, in J's axes.
        Field(Box<Field>) = "field",
        /// Beam from J to I along J's x axis.
        Beam(Box<Beam>) = "beam",
        /// A cable over points, with the same tension everywhere.
        Tendon(Tendon) = "tendon",
        /// A sphere on I against a surface on J.
        Contact(Box<Contact>) = "contact",
        /// Friction in a joint.
        JointFriction(Box<JointFriction>) = "joint_friction",
        /// A tyre on the wheel of I, which rolls on a road fixed on J.
        Tyre(Box<Tyre>) = "tyre",
        /// Drive of a joint, with limits.
        JointDrive(Box<JointDrive>) = "joint_drive",
        /// Force along the line from J to I; repulsion is positive.
        LineOfSight(OneForce) = "line_of_sight",
        /// Torque on I about J's z axis.
        Torque(OneTorque) = "torque",
        /// Force on I along J's z axis, without reaction.
        ActionOnlyForce(OneForce) = "action_only_force",
        /// Torque on I about J's z axis, without reaction.
        ActionOnlyTorque(OneTorque) = "action_only_torque",
        /// A load case of a flexible body's file, times a factor.
        ModalForce(ModalForce) = "modal_force",
        /// Three force components on I.
        VectorForce(VectorForce) = "vector_force",
        /// Three torque components on I.
        VectorTorque(VectorTorque) = "vector_torque",
        /// Three force and three torque components on I.
        GeneralForce(GeneralForce) = "general_force",
    }
}

schema! {
    /// Force along the line from J to I, repulsion positive: F = preload − damping·dL/dt − stiffness·(L −
    /// length).
    SpringDamper {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Stiffness, zero or more [force/length]. Default: 0.
        stiffness: Option<Number>,
        /// Damping, zero or more [force·time/length]. Default: 0.
        damping: Option<Number>,
        /// Length at which the spring exerts the preload [length]. Default: 0.
        length: Option<Number>,
        /// Force at that length [force]. Default: 0.
        preload: Option<Number>,
        /// Free text.
        description: Option<String>,
    }

    /// Torque on I about J's z axis: T = preload − damping·ω − stiffness·(φ − angle); φ counts full
    /// turns.
    TorsionSpringDamper {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Stiffness, zero or more [force·length/angle]. Default: 0.
        stiffness: Option<Number>,
        /// Damping, zero or more [force·length·time/angle]. Default: 0.
        damping: Option<Number>,
        /// Angle at which the spring exerts the preload [angle]. Default: 0.
        angle: Option<Number>,
        /// Torque at that angle [force·length]. Default: 0.
        preload: Option<Number>,
        /// Free text.
        description: Option<String>,
    }

    /// Six-axis spring and damper in J's axes, for small relative rotations.
    Bushing {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Stiffness in x, y, z, zero or more [force/length]. Default: 0.
        stiffness: Option<[Number; 3]>,
        /// Damping in x, y, z, zero or more [force·time/length]. Default: 0.
        damping: Option<[Number; 3]>,
        /// Force on I at zero displacement [force]. Default: 0.
        preload: Option<[Number; 3]>,
        /// Stiffness about x, y, z, zero or more [force·length/angle]. Default: 0.
        torsional_stiffness: Option<[Number; 3]>,
        /// Damping about x, y, z, zero or more [force·length·time/angle]. Default: 0.
        torsional_damping: Option<[Number; 3]>,
        /// Torque on I at zero rotation [force·length]. Default: 0.
        torsional_preload: Option<[Number; 3]>,
        /// Free text.
        description: Option<String>,
    }

    /// Force and torque, linear in the displacement of I from J, in the rotation vector and in their
    /// rates, in J's axes: (F, T) = preload − stiffness·(q − q0) − damping·q̇. Rows are Fx, Fy, Fz, Tx,
    /// Ty, Tz on I.
    Field {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// 6×6, by rows [force/length, force/angle; force·length/length, force·length/angle].
        stiffness: [[Number; 6]; 6],
        /// 6×6, by rows [force·time/length, force·time/angle; force·length·time/length, force·length·time/angle]. Default:
        /// none.
        damping: Option<[[Number; 6]; 6]>,
        /// This factor times the stiffness is added to the damping, zero or more [time]. Default: 0.
        damping_ratio: Option<Number>,
        /// Displacement at which the field exerts the preload [length]. Default: 0.
        displacement: Option<[Number; 3]>,
        /// Rotation vector at which the field exerts the preload [angle]. Default: 0.
        rotation: Option<[Number; 3]>,
        /// Force on I there [force]. Default: 0.
        preload: Option<[Number; 3]>,
        /// Torque on I there [force·length]. Default: 0.
        torsional_preload: Option<[Number; 3]>,
        /// Free text.
        description: Option<String>,
    }

    /// A straight beam from J to I along J's x axis, massless and linear: stretch, torsion, and bending
    /// with shear.
    Beam {
        /// Name, unique among forces.
        name: String,
        /// Marker I, at the end.
        i: String,
        /// Marker J, at the beginning; its x axis points to I.
        j: String,
        /// Free length, more than zero [length].
        length: Number,
        /// Young's modulus, more than zero [force/length²].
        youngs_modulus: Number,
        /// Shear modulus, more than zero [force/length²].
        shear_modulus: Number,
        /// Area of the cross section, more than zero [length²].
        area: Number,
        /// Torsional constant, zero or more [length⁴].
        ixx: Number,
        /// Second moment of area about y, zero or more [length⁴].
        iyy: Number,
        /// Second moment of area about z, zero or more [length⁴].
        izz: Number,
        /// Shear factor along y: 6/5 of a rectangle, 10/9 of a circle, 0 without shear. Default: 0.
        shear_y: Option<Number>,
        /// Shear factor along z. Default: 0.
        shear_z: Option<Number>,
        /// 6×6, by rows as in a field [force·time/length, force·time/angle; force·length·time/length,
        /// force·length·time/angle]. Default: none.
        damping: Option<[[Number; 6]; 6]>,
        /// This factor times the stiffness is added to the damping, zero or more [time]. Default: 0.
        damping_ratio: Option<Number>,
        /// Free text.
        description: Option<String>,
    }

    /// A massless cable without friction over two or more points: with its length L and the stretch
    /// s = L − length, its tension is zero where s is not above zero, else max(0, stiffness·s + damping·σ·dL/dt),
    /// where σ grows from 0 at s = 0 to 1 at s = damping_stretch.
    Tendon {
        /// Name, unique among forces.
        name: String,
        /// The markers that it runs over, 2 to 100, in order; one may come again, as in a block and tackle.
        points: Vec<String>,
        /// Stiffness EA/length, zero or more [force/length].
        stiffness: Number,
        /// Damping, zero or more [force·time/length]. Default: 0.
        damping: Option<Number>,
        /// Free length, more than zero [length].
        length: Number,
        /// Stretch from which damping is full, more than zero [length]. Default: length / 1000.
        damping_stretch: Option<Number>,
        /// For people.
        description: Option<String>,
    }

    /// One force component.
    OneForce {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Force [force].
        expression: Expression,
        /// Free text.
        description: Option<String>,
    }

    /// One torque component.
    OneTorque {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Torque [force·length].
        expression: Expression,
        /// Free text.
        description: Option<String>,
    }

    /// A distributed load on a flexible body: a load case of its file, times a factor. It rotates with
    /// the body.
    ModalForce {
        /// Name, unique among forces.
        name: String,
        /// The flexible body.
        part: String,
        /// The load case of the body's file.
        load: String,
        /// The factor, a number without unit.
        scale: Expression,
        /// Free text.
        description: Option<String>,
    }

    /// Three force components on I, with reaction on J's body at the origin of I.
    VectorForce {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Marker whose axes the components refer to. Default: J.
        axes: Option<String>,
        /// x component [force]. Default: 0.
        fx: Option<Expression>,
        /// y component [force]. Default: 0.
        fy: Option<Expression>,
        /// z component [force]. Default: 0.
        fz: Option<Expression>,
        /// Free text.
        description: Option<String>,
    }

    /// Three torque components on I, with reaction on J's body.
    VectorTorque {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Marker whose axes the components refer to. Default: J.
        axes: Option<String>,
        /// x component [force·length]. Default: 0.
        tx: Option<Expression>,
        /// y component [force·length]. Default: 0.
        ty: Option<Expression>,
        /// z component [force·length]. Default: 0.
        tz: Option<Expression>,
        /// Free text.
        description: Option<String>,
    }

    /// Three force and three torque components on I, with reaction on J's body at the origin of I.
    GeneralForce {
        /// Name, unique among forces.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J.
        j: String,
        /// Marker whose axes the components refer to. Default: J.
        axes: Option<String>,
        /// x component of the force [force]. Default: 0.
        fx: Option<Expression>,
        /// y component of the force [force]. Default: 0.
        fy: Option<Expression>,
        /// z component of the force [force]. Default: 0.
        fz: Option<Expression>,
        /// x component of the torque [force·length]. Default: 0.
        tx: Option<Expression>,
        /// y component of the torque [force·length]. Default: 0.
        ty: Option<Expression>,
        /// z component of the torque [force·length]. Default: 0.
        tz: Option<Expression>,
        /// Free text.
        description: Option<String>,
    }
}

impl Entity for ForceElement {
    const KIND: &'static str = "force";
}

/// The names of what an element acts on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ends<'a> {
    /// Markers I and J, on two bodies.
    Markers(&'a str, &'a str),
    /// Marker I; J gives the direction and takes no reaction.
    Alone(&'a str, &'a str),
    /// Markers one after the other.
    Points(&'a [String]),
    /// The markers of a joint.
    Joint(&'a str),
    /// A flexible body and a load case.
    Body(&'a str, &'a str),
}

impl ForceElement {
    /// Name of the element, and what it acts on.
    fn head(&self) -> (&str, Ends<'_>) {
        match self {
            Self::SpringDamper(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::TorsionSpringDamper(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::Bushing(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::Field(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::Beam(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::Tendon(x) => (&x.name, Ends::Points(&x.points)),
            Self::Contact(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::JointFriction(x) => (&x.name, Ends::Joint(&x.joint)),
            Self::Tyre(x) => {
                let j = x.j.as_deref().unwrap_or(GROUND);
                (&x.name, Ends::Markers(&x.i, j))
            }
            Self::JointDrive(x) => (&x.name, Ends::Joint(&x.joint)),
            Self::LineOfSight(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::Torque(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::ActionOnlyForce(x) => (&x.name, Ends::Alone(&x.i, &x.j)),
            Self::ActionOnlyTorque(x) => (&x.name, Ends::Alone(&x.i, &x.j)),
            Self::ModalForce(x) => (&x.name, Ends::Body(&x.part, &x.load)),
            Self::VectorForce(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::VectorTorque(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
            Self::GeneralForce(x) => (&x.name, Ends::Markers(&x.i, &x.j)),
        }
    }

    /// The pairs of markers between which it acts, except through a joint.
    pub(crate) fn pairs(&self) -> Vec<(&str, &str)> {
        match self.ends() {
            Ends::Markers(i, j) => vec![(i, j)],
            Ends::Points(points) => {
                let next = points.iter().skip(1);
                let pairs = points.iter().zip(next);
                pairs.map(|(i, j)| (i.as_str(), j.as_str())).collect()
            }
            Ends::Alone(..) | Ends::Joint(_) | Ends::Body(..) => Vec::new(),
        }
    }

    /// The joint whose friction has bristles.
    pub(crate) fn joint_with_bristles(&self) -> Option<&str> {
        match self {
            Self::JointFriction(x) if matches!(x.law, FrictionLaw::LuGre(_)) => Some(&x.joint),
            _ => None,
        }
    }

    /// Is it joint friction?
    pub(crate) fn is_friction(&self) -> bool {
        matches!(self, Self::JointFriction(_))
    }

    /// Name of the element.
    pub(crate) fn name(&self) -> &str {
        self.head().0
    }

    /// What it acts on.
    pub(crate) fn ends(&self) -> Ends<'_> {
        self.head().1
    }
}
