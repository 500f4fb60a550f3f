//! Control plane: macros, arrays and groups of signals as they are written in the file.

use crate::read::{Entity, schema};

schema! {
    /// A macro: a function of the model's own, written out wherever an expression calls it.
    MacroText {
        /// Name; called like a function.
        name: String,
        /// Names of the arguments. They may stand for expressions, markers and other names.
        arguments: Vec<String>,
        /// What a call stands for.
        expression: String,
        /// Free text; it has no effect.
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
        /// May they change between steps? Default: false, they are fixed after initialization.
        tunable: Option<bool>,
        /// Free text; it has no effect.
        description: Option<String>,
    }

    /// A named text, for messages of sensors and names of files: there `"=name"` stands for it.
    StringQuantity {
        /// Name.
        name: String,
        /// The text.
        start: String,
        /// Free text; it has no effect.
        description: Option<String>,
    }

    /// Signals that belong together: the inputs of a plant, or its outputs.
    SignalGroup {
        /// Name.
        name: String,
        /// Names of inputs, parameters or variables.
        signals: Vec<String>,
        /// Free text; it has no effect.
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
