//! Identifiers: `u32` newtypes, so that no bare index passes between modules.

use serde::{Deserialize, Serialize};

/// Defines an index newtype with `index()`.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The identifier as an index into its table.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                Self(index as u32)
            }
        }
    };
}

id!(
    /// A body (part or point mass) in [`crate::mechanism::Mechanism::bodies`]; number 0 is ground.
    BodyId
);
id!(
    /// A marker in [`crate::mechanism::Mechanism::markers`].
    MarkerId
);
id!(
    /// A joint or joint primitive in [`crate::mechanism::Mechanism::joints`].
    JointId
);
id!(
    /// A coupler or gear in [`crate::mechanism::Mechanism::couplers`].
    CouplerId
);
id!(
    /// A motion in [`crate::mechanism::Mechanism::motions`].
    MotionId
);
id!(
    /// A force element in [`crate::mechanism::Mechanism::forces`].
    ForceId
);
id!(
    /// The equation of a state or implicit variable in [`crate::mechanism::Mechanism::equations`].
    EquationId
);
id!(
    /// A sampled system in [`crate::mechanism::Memory::sampled`].
    SampledId
);
id!(
    /// A sensor in [`crate::mechanism::Memory::sensors`].
    SensorId
);
id!(
    /// An array of parameters, in the order of the file.
    ArrayId
);
id!(
    /// An array of body quantities in [`crate::mechanism::Mechanism::body_arrays`].
    BodyArrayId
);
id!(
    /// A constraint group of a compiled mechanism: the rows of a joint, motion, coupler or general constraint between
    /// two markers.
    ConstraintGroupId
);
id!(
    /// A group of signals, in the order of the file.
    GroupId
);
id!(
    /// A named text in [`crate::mechanism::Mechanism::texts`].
    TextId
);
id!(
    /// A delay in [`crate::mechanism::Memory::delays`].
    DelayId
);
id!(
    /// A spline, in the order of the file.
    SplineId
);
id!(
    /// A curve in [`crate::mechanism::Mechanism::curves`].
    CurveId
);
id!(
    /// A road in [`crate::mechanism::Mechanism::roads`]; the last is flat.
    RoadId
);
id!(
    /// A tyre, as an index into the system's tyres.
    TyreId
);
id!(
    /// A general constraint in [`crate::mechanism::Mechanism::general_constraints`].
    GeneralId
);
id!(
    /// An FMU input in [`crate::mechanism::Mechanism::inputs`].
    InputId
);
id!(
    /// A parameter in [`crate::mechanism::Mechanism::parameters`].
    ParameterId
);
id!(
    /// A model variable (named expression) in [`crate::mechanism::Mechanism::variables`].
    VariableId
);
id!(
    /// An FMU output in [`crate::mechanism::Mechanism::outputs`].
    OutputId
);
id!(
    /// A compiled expression in [`crate::mechanism::Mechanism::expressions`].
    ExprId
);
id!(
    /// A leaf of expressions (time, input, parameter, variable, measure) in [`crate::mechanism::Mechanism::leaves`].
    LeafId
);
id!(
    /// A number of an element, constant or computed from parameters, in [`crate::mechanism::Mechanism::values`].
    ValueId
);

impl BodyId {
    /// The ground body.
    pub const GROUND: Self = Self(0);
}

impl Default for BodyId {
    fn default() -> Self {
        Self::GROUND
    }
}
