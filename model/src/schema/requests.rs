//! Control plane: requests as they are written in the file; each gives several outputs.

use crate::read::{Entity, choice, schema, tagged};

tagged! {
    /// A request: a group of outputs, in the units of the file. Their names begin with the name of the
    /// request.
    Request ("request", "" _ "Request") {
        /// Displacement and angles: dm, dx, dy, dz, psi, theta, phi.
        Displacement(PairRequest) = "displacement",
        /// Velocity and angular velocity: vm, vx, vy, vz, wm, wx, wy, wz.
        Velocity(FrameRequest) = "velocity",
        /// Acceleration and angular acceleration: accm, accx, accy, accz, wdtm, wdtx, wdty, wdtz.
        Acceleration(FrameRequest) = "acceleration",
        /// Force and torque of a joint: fm, fx, fy, fz, tm, tx, ty, tz.
        Joint(ElementRequest) = "joint",
        /// Force and torque of a motion: fm, fx, fy, fz, tm, tx, ty, tz.
        Motion(ElementRequest) = "motion",
        /// Force and torque of a force element: fm, fx, fy, fz, tm, tx, ty, tz.
        Force(ElementRequest) = "force",
        /// Energies and powers: ke, pe of a part; se, power, dissipation of a force; power of a motion or
        /// joint.
        Energy(EnergyRequest) = "energy",
        /// States of bodies as arrays: position, orientation,
        /// velocity, angular_velocity, modal_coordinates, modal_velocities, stress, strain.
        Bodies(BodyRequest) = "bodies",
    }
}

choice! {
    /// A marker of an element.
    End("marker of the element") {
        /// Marker I.
        I = "i",
        /// Marker J.
        J = "j",
    }
}

choice! {
    /// A quantity of a body.
    BodyNumbers("quantity of a body") {
        /// Its origin, ground axes.
        Position = "position",
        /// Quaternion w, x, y, z from its axes to those of ground.
        Orientation = "orientation",
        /// Velocity of its origin, ground axes.
        Velocity = "velocity",
        /// Angular velocity, ground axes.
        AngularVelocity = "angular_velocity",
        /// Modal coordinates of a flexible body, SI.
        ModalCoordinates = "modal_coordinates",
        /// Their rates, SI.
        ModalVelocities = "modal_velocities",
        /// Stress at each point of a flexible body's file.
        Stress = "stress",
        /// Strain at each point of a flexible body's file.
        Strain = "strain",
    }
}

schema! {
    /// States of bodies as arrays, named `NAME.PART.QUANTITY`.
    BodyRequest {
        /// Name, first part of the variables' names.
        name: String,
        /// The parts, point masses and flexible bodies. Default: all.
        parts: Option<Vec<String>>,
        /// Their quantities. Default: all that the body has, without stress and strain.
        quantities: Option<Vec<BodyNumbers>>,
        /// Are the variables outputs? Default: false, they are local.
        output: Option<bool>,
        /// Free text.
        description: Option<String>,
    }

    /// Displacement of a marker.
    PairRequest {
        /// Name, first part of the outputs' names.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, the reference. Default: ground.
        j: Option<String>,
        /// Marker whose axes give the components. Default: ground.
        axes: Option<String>,
        /// Free text.
        description: Option<String>,
    }

    /// Velocity or acceleration of a marker.
    FrameRequest {
        /// Name, first part of the outputs' names.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, the reference. Default: ground.
        j: Option<String>,
        /// Marker whose axes give the components. Default: ground.
        axes: Option<String>,
        /// Marker in whose frame time derivatives are taken. Default: ground.
        frame: Option<String>,
        /// Free text.
        description: Option<String>,
    }

    /// Force and torque of an element.
    ElementRequest {
        /// Name, first part of the outputs' names.
        name: String,
        /// Name of the joint, motion or force.
        of: String,
        /// The marker on which they act: i or j. Default: i.
        on: Option<End>,
        /// Marker whose axes give the components. Default: ground.
        axes: Option<String>,
        /// Free text.
        description: Option<String>,
    }

    /// Energies and powers of one element.
    EnergyRequest {
        /// Name, first part of the outputs' names.
        name: String,
        /// A part or point mass.
        part: Option<String>,
        /// A force.
        force: Option<String>,
        /// A motion.
        motion: Option<String>,
        /// A joint.
        joint: Option<String>,
        /// Free text.
        description: Option<String>,
    }
}

impl Entity for Request {
    const KIND: &'static str = "request";
}
