//! Control plane: requests as they are written in the file; each gives several outputs.

use crate::read::{Entity, choice, schema, tagged};

tagged! {
    /// A request: outputs that belong together, named after it, in the units of the file.
    Request("request") {
        /// Displacement and angles: dm, dx, dy, dz, psi, theta, phi.
        Displacement(PairRequest) = "displacement",
        /// Velocity and angular velocity: vm, vx, vy, vz, wm, wx, wy, wz.
        Velocity(FrameRequest) = "velocity",
        /// Acceleration and angular acceleration: accm, accx, accy, accz, wdtm, wdtx, wdty, wdtz.
        Acceleration(FrameRequest) = "acceleration",
        /// What a joint exerts: fm, fx, fy, fz, tm, tx, ty, tz.
        Joint(ElementRequest) = "joint",
        /// What a motion exerts: fm, fx, fy, fz, tm, tx, ty, tz.
        Motion(ElementRequest) = "motion",
        /// What a force element exerts: fm, fx, fy, fz, tm, tx, ty, tz.
        Force(ElementRequest) = "force",
        /// Energies and powers: of a part ke, pe; of a force se, power, dissipation; of a motion or joint
        /// power.
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
    /// Numbers of a body.
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
    /// Arrays of numbers of bodies, called `NAME.PART.QUANTITY`.
    BodyRequest {
        /// Name, first part of the variables' names.
        name: String,
        /// The parts, point masses and flexible bodies. Default: all.
        parts: Option<Vec<String>>,
        /// What of them. Default: all but stress and strain, as far as a body has it.
        quantities: Option<Vec<BodyNumbers>>,
        /// Are they outputs? Default: false, local variables.
        output: Option<bool>,
        /// Free text; it has no effect.
        description: Option<String>,
    }

    /// Where a marker is.
    PairRequest {
        /// Name, first part of the outputs' names.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, from which is measured. Default: ground.
        j: Option<String>,
        /// Marker whose axes give the components. Default: ground.
        axes: Option<String>,
        /// Free text; it has no effect.
        description: Option<String>,
    }

    /// How a marker moves.
    FrameRequest {
        /// Name, first part of the outputs' names.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, from which is measured. Default: ground.
        j: Option<String>,
        /// Marker whose axes give the components. Default: ground.
        axes: Option<String>,
        /// Marker from which derivatives are seen. Default: ground.
        frame: Option<String>,
        /// Free text; it has no effect.
        description: Option<String>,
    }

    /// What an element exerts.
    ElementRequest {
        /// Name, first part of the outputs' names.
        name: String,
        /// Name of the joint, motion or force.
        of: String,
        /// On which of its markers: i or j. Default: i.
        on: Option<End>,
        /// Marker whose axes give the components. Default: ground.
        axes: Option<String>,
        /// Free text; it has no effect.
        description: Option<String>,
    }

    /// Energies and powers of one of these.
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
        /// Free text; it has no effect.
        description: Option<String>,
    }
}

impl Entity for Request {
    const KIND: &'static str = "request";
}
