//! Control plane: roads and tyres as they are written in the file.

use super::{Levels, Number, Places, Values};
use crate::read::{Entity, schema, tagged};

schema! {
    /// A road: heights above the xy plane of the marker that carries it.
    Road {
        /// Name.
        name: String,
        /// Its shape.
        shape: RoadShape,
        /// Start of the road, in the axes of the marker that carries it [length]. Default: [0, 0, 0].
        position: Option<[Number; 3]>,
        /// Direction of the road: rotation about z [angle]. Default: 0.
        yaw: Option<Number>,
        /// Factor of all friction of tyres on it, zero or more. Default: 1.
        friction: Option<Number>,
        /// Free text.
        description: Option<String>,
    }

    /// A plane.
    FlatRoad {
    }

    /// A plane that rises.
    SlopeRoad {
        /// Rise per length along the road: 0.1 is 10 %. Default: 0.
        grade: Option<Number>,
        /// Rise per length to the left. Default: 0.
        bank: Option<Number>,
    }

    /// Waves along the road: amplitude·sin(2π·s/wavelength + phase).
    SineRoad {
        /// Half of the height from trough to crest [length].
        amplitude: Number,
        /// From crest to crest, more than zero [length].
        wavelength: Number,
        /// Phase at the beginning [angle]. Default: 0.
        phase: Option<Number>,
    }

    /// A plank across the road: its top from s = 0 to the width, a smooth edge before and behind.
    PlankRoad {
        /// Height [length].
        height: Number,
        /// Length of the top along the road, zero or more [length].
        width: Number,
        /// Length of either edge along the road, more than zero [length].
        edge: Number,
    }

    /// A step across the road: the top from s = 0 on, a smooth edge before it.
    KerbRoad {
        /// Height [length].
        height: Number,
        /// Length of the edge along the road, more than zero [length].
        edge: Number,
    }

    /// Heights at points along the road, from a CSV file or as numbers.
    ProfileRoad {
        /// CSV file beside the model.
        file: Option<String>,
        /// Positions along the road, increasing [length]; with a file, their column. Default: column 1.
        s: Option<Places>,
        /// Heights [length], one for each position; with t, an array for each track. With a file, their
        /// column or columns. Default: column 2; with t all columns except that of s.
        z: Option<Values>,
        /// Lateral positions of the tracks, increasing to the left [length]; between them the height is
        /// linear. With a file, `header`: they are the names of the columns. Default: one height for all.
        t: Option<Levels>,
        /// Interpolation between the points: akima, cubic, linear. Default: akima.
        interpolation: Option<String>,
        /// Extrapolation before the first and after the last point: constant, linear. Default: constant.
        extrapolation: Option<String>,
    }
}

tagged! {
    /// The shape of a road.
    RoadShape ("road shape", "" _ "Road") {
        /// A plane at height 0.
        Flat(FlatRoad) = "flat",
        /// A plane that rises.
        Slope(SlopeRoad) = "slope",
        /// Waves.
        Sine(SineRoad) = "sine",
        /// A plank across the road.
        Plank(PlankRoad) = "plank",
        /// A step across the road.
        Kerb(KerbRoad) = "kerb",
        /// Heights at points.
        Profile(Box<ProfileRoad>) = "profile",
    }
}

impl Entity for Road {
    const KIND: &'static str = "road";
}

schema! {
    /// A tyre on the wheel of I, which rolls on a road fixed on J.
    Tyre {
        /// Name, unique among forces.
        name: String,
        /// Marker I: the centre of the wheel.
        i: String,
        /// Marker J: the road lies on its xy plane, z up. Default: ground.
        j: Option<String>,
        /// The road. Default: a flat one.
        road: Option<String>,
        /// Tyre law.
        law: TyreLaw,
        /// Axis of I that is the wheel's axis and points to the left of forward travel: z, -z, y, -y.
        /// Default: z.
        axis: Option<String>,
        /// Side of the vehicle on which the tyre runs: left, right. The law is mirrored if it was
        /// measured on the other side. Default: as measured.
        side: Option<String>,
        /// Factor of all friction, zero or more. Default: 1.
        friction: Option<Number>,
        /// Damping of the tyre's body near standstill.
        low_speed: Option<LowSpeed>,
        /// Free text.
        description: Option<String>,
    }

    /// Damping near standstill, where a tyre acts as a spring between wheel and road.
    LowSpeed {
        /// Speed above which this damping is zero, more than zero [length/time]. Default: 2.5 m/s.
        velocity: Option<Number>,
        /// Damping over stiffness, zero or more [time]. Default: 0.02 s.
        time: Option<Number>,
    }

    /// Forces in proportion to slip, bounded by friction as in Fiala's tyre.
    LinearTyre {
        /// Radius without load, more than zero [length].
        radius: Number,
        /// Vertical stiffness, more than zero [force/length].
        vertical_stiffness: Number,
        /// Vertical damping, zero or more [force·time/length]. Default: 0.
        vertical_damping: Option<Number>,
        /// Longitudinal force per slip, more than zero [force].
        slip_stiffness: Number,
        /// Lateral force per slip angle, more than zero [force/angle].
        cornering_stiffness: Number,
        /// Lateral force per camber angle, zero or more [force/angle]. Default: 0.
        camber_stiffness: Option<Number>,
        /// Coefficient of friction, more than zero.
        mu: Number,
        /// Relaxation length of the longitudinal force, more than zero [length]. Default: half of the
        /// radius.
        longitudinal_relaxation: Option<Number>,
        /// Relaxation length of the lateral force, more than zero [length]. Default: the radius.
        lateral_relaxation: Option<Number>,
        /// Pneumatic trail: lever of the lateral force at small slip, behind the contact point [length].
        /// Default: 0.
        trail: Option<Number>,
        /// Rolling resistance over load, zero or more. Default: 0.
        rolling_resistance: Option<Number>,
    }
}

schema! {
    /// The Magic Formula with the coefficients of a tyre property file.
    MagicTyre {
        /// The property file (.tir) beside the model.
        file: String,
        /// Forces that are computed: 0 load only, 1 longitudinal, 2 lateral, 3 both, 4 combined; 10 more
        /// with relaxation lengths. Negative: mirrored. Default: USE_MODE of the file.
        use_mode: Option<i64>,
        /// Is it the mirror image of the tyre of the file? Default: false.
        mirrored: Option<bool>,
    }
}

tagged! {
    /// Forces of a tyre as functions of load, slip and camber.
    TyreLaw ("tyre law", "" _ "Tyre") {
        /// In proportion to slip, bounded by friction.
        Linear(Box<LinearTyre>) = "linear",
        /// The Magic Formula, MF 5.2 or PAC2002.
        Magic(MagicTyre) = "pac2002",
    }
}
