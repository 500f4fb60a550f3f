//! Identifiers: `u32` newtypes, so that no bare index crosses a module.

/// Defines an index newtype with `index()`.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The identifier as a position in its table.
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
    /// A body (part or point mass) in [`crate::model::Model::bodies`]; number 0 is ground.
    BodyId
);
id!(
    /// A marker in [`crate::model::Model::markers`].
    MarkerId
);
id!(
    /// A joint or joint primitive in [`crate::model::Model::joints`].
    JointId
);
id!(
    /// A coupler or gear in [`crate::model::Model::couplers`].
    CouplerId
);
id!(
    /// A motion in [`crate::model::Model::motions`].
    MotionId
);
id!(
    /// A force element in [`crate::model::Model::forces`].
    ForceId
);
id!(
    /// An unknown with an equation of its own in [`crate::model::Model::equations`].
    EquationId
);
id!(
    /// A sampled system in [`crate::model::Memory::sampled`].
    SampledId
);
id!(
    /// A sensor in [`crate::model::Memory::sensors`].
    SensorId
);
id!(
    /// An array of parameters, in the order of the file.
    ArrayId
);
id!(
    /// An array of numbers of a body in [`crate::model::Model::body_arrays`].
    BodyArrayId
);
id!(
    /// A group of signals, in the order of the file.
    GroupId
);
id!(
    /// A named text in [`crate::model::Model::texts`].
    TextId
);
id!(
    /// A delay in [`crate::model::Memory::delays`].
    DelayId
);
id!(
    /// A spline, in the order of the file.
    SplineId
);
id!(
    /// A curve in [`crate::model::Model::curves`].
    CurveId
);
id!(
    /// A road in [`crate::model::Model::roads`]; the last is flat.
    RoadId
);
id!(
    /// A tyre, counted among the forces.
    TyreId
);
id!(
    /// A general constraint in [`crate::model::Model::general_constraints`].
    GeneralId
);
id!(
    /// An FMU input in [`crate::model::Model::inputs`].
    InputId
);
id!(
    /// A parameter in [`crate::model::Model::parameters`].
    ParameterId
);
id!(
    /// A model variable (named expression) in [`crate::model::Model::variables`].
    VariableId
);
id!(
    /// An FMU output in [`crate::model::Model::outputs`].
    OutputId
);
id!(
    /// A compiled expression in [`crate::model::Model::expressions`].
    ExprId
);
id!(
    /// A leaf of expressions (time, input, parameter, variable, measure) in [`crate::model::Model::leaves`].
    LeafId
);
id!(
    /// A number of an element, constant or computed from parameters, in [`crate::model::Model::values`].
    ValueId
);

impl BodyId {
    /// The ground body.
    pub const GROUND: Self = Self(0);
}
