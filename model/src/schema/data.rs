//! Control plane: macros, arrays and groups of signals as they are written in the file.

use crate::read::{Entity, schema};

schema! {
    /// A macro: a function defined in the model. Its text replaces each call in an expression.
    MacroText {
        /// Name, which expressions call as a function.
        name: String,
        /// Names of the arguments. A call gives an expression, a marker or another name for each.
        arguments: Vec<String>,
        /// The text that replaces a call.
        expression: String,
        /// Free text.
        description: Option<String>,
    }

    /// An array of parameters. In the FMU they are `name[1]`, `name[2]` and so on.
    ArrayQuantity {
        /// Name.
        name: String,
        /// The values, in the array's own unit.
        start: Vec<f64>,
        /// FMI unit of the values: a label, never converted.
        unit: Option<String>,
        /// Can the values change between steps? Default: false, they are fixed after initialization.
        tunable: Option<bool>,
        /// Free text.
        description: Option<String>,
    }

    /// A named text for messages of sensors and names of files, which refer to it as `"=name"`.
    StringQuantity {
        /// Name.
        name: String,
        /// The text.
        start: String,
        /// Free text.
        description: Option<String>,
    }

    /// A group of signals: the inputs of a plant, or its outputs.
    SignalGroup {
        /// Name.
        name: String,
        /// Names of inputs, parameters or variables.
        signals: Vec<String>,
        /// Free text.
        description: Option<String>,
    }
}

impl Entity for MacroText {
    const KIND: &'static str = "macro";
}

impl Entity for ArrayQuantity {
    const KIND: &'static str = "array";
}

impl Entity for StringQuantity {
    const KIND: &'static str = "string";
}

impl Entity for SignalGroup {
    const KIND: &'static str = "group of signals";
}
