//! Writes a linear form with its operating point, as text and as files, in memory.
//!
//! Every format that can also contains E, the unit matrix if no input prescribes a displacement, and the second-order
//! form as `mass`, `damping`, `stiffness`. These names do not differ by capitals alone, because some file systems
//! ignore capitals.

mod ascii;
mod eigenvalues;
mod json;
mod market;
mod matlab;
mod model;
mod numpy;
mod proper;
mod script;
mod simulink;
mod text;

use crate::eigen::NoRoots;
use crate::form::{LinearForm, Variable};
use faer::Mat;
pub use proper::{Improper, Proper, proper};
use std::fmt::Write as _;
pub use text::count;

/// A number with its name.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Value {
    /// Its name in the model.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The number.
    pub value: f64,
}

/// The operating point.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Point {
    /// Time \[s\].
    pub time: f64,
    /// All inputs of the model.
    pub inputs: Vec<Value>,
    /// All its parameters.
    pub parameters: Vec<Value>,
    /// All its outputs.
    pub outputs: Vec<Value>,
}

/// The contents of the files.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The model's name.
    pub name: &'a str,
    /// The operating point.
    pub point: &'a Point,
    /// The form.
    pub form: &'a LinearForm,
}

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One file with everything.
    Json,
    /// A file for each matrix, and one of names.
    MatrixMarket,
    /// `.npz`.
    Numpy,
    /// `.mat`, version 5.
    Matlab,
    /// `.a`, `.b`, `.c`, `.d`: rows of numbers; `.eig`: the roots.
    Ascii,
    /// A model with a State-Space block.
    Simulink,
    /// A script.
    Oml,
}

/// Endings of the formats with one file for each matrix.
const MARKET: [&str; 9] = [
    "A.mtx",
    "B.mtx",
    "C.mtx",
    "D.mtx",
    "E.mtx",
    "mass.mtx",
    "damping.mtx",
    "stiffness.mtx",
    "names.txt",
];
const ASCII: [&str; 10] = [
    "a",
    "b",
    "c",
    "d",
    "e",
    "mass",
    "damping",
    "stiffness",
    "eig",
    "names",
];

impl Format {
    /// All formats and their names.
    pub const ALL: [(&'static str, Self); 7] = [
        ("json", Self::Json),
        ("matrix-market", Self::MatrixMarket),
        ("numpy", Self::Numpy),
        ("matlab", Self::Matlab),
        ("ascii", Self::Ascii),
        ("simulink", Self::Simulink),
        ("oml", Self::Oml),
    ];

    /// The format for the ending of a file name.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Some(match ending.to_ascii_lowercase().as_str() {
            "json" => Self::Json,
            "mtx" => Self::MatrixMarket,
            "npz" => Self::Numpy,
            "mat" => Self::Matlab,
            "a" => Self::Ascii,
            "mdl" => Self::Simulink,
            "oml" | "m" => Self::Oml,
            _ => return None,
        })
    }

    /// For a format with several files, what replaces the ending; empty for one file.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::MatrixMarket => &MARKET,
            Self::Ascii => &ASCII,
            _ => &[],
        }
    }
}

/// The contents of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// One file.
    One(Vec<u8>),
    /// Several files, in the order of [`Format::endings`].
    Several(Vec<Vec<u8>>),
}

/// Why a form cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFile {
    /// A State-Space block cannot have E.
    #[error(transparent)]
    Improper(#[from] Improper),
    /// The roots cannot be computed.
    #[error(transparent)]
    Roots(#[from] NoRoots),
    /// The archive is too large.
    #[error("{0}")]
    Archive(String),
}

impl Export<'_> {
    /// The files of a format.
    pub fn files(&self, format: Format) -> Result<Files, NoFile> {
        Ok(match format {
            Format::Json => Files::One(self.json().into_bytes()),
            Format::MatrixMarket => {
                let matrices = self.matrices();
                let own = matrices
                    .iter()
                    .map(|(name, of)| market::bytes(self.name, name, of));
                Files::Several(own.chain([self.names().into_bytes()]).collect())
            }
            Format::Numpy => Files::One(self.npz()?),
            Format::Matlab => Files::One(self.mat()),
            Format::Ascii => {
                let matrices = self.matrices();
                let own = matrices.iter().map(|(_, of)| ascii::bytes(of));
                let more = [self.eig()?, self.names().into_bytes()];
                Files::Several(own.chain(more).collect())
            }
            Format::Simulink => Files::One(self.mdl()?.into_bytes()),
            Format::Oml => Files::One(self.oml().into_bytes()),
        })
    }

    /// All matrices by name, in the order of the endings.
    pub fn matrices(&self) -> Vec<(&'static str, Mat<f64>)> {
        let form = self.form;
        let n = form.states.len();
        let second = &form.second_order;
        let e = form.e.clone().unwrap_or_else(|| Mat::identity(n, n));
        vec![
            ("A", form.a.clone()),
            ("B", form.b.clone()),
            ("C", form.c.clone()),
            ("D", form.d.clone()),
            ("E", e),
            ("mass", second.mass.clone()),
            ("damping", second.damping.clone()),
            ("stiffness", second.stiffness.clone()),
        ]
    }

    /// Names and units of states, inputs and outputs.
    fn labels(&self) -> Vec<(&'static str, Vec<&str>)> {
        let form = self.form;
        vec![
            ("states", form.states.iter().map(|x| &*x.name).collect()),
            (
                "state_units",
                form.states.iter().map(|x| &*x.unit).collect(),
            ),
            ("inputs", form.inputs.iter().map(|x| &*x.name).collect()),
            (
                "input_units",
                form.inputs.iter().map(|x| &*x.unit).collect(),
            ),
            ("outputs", form.outputs.iter().map(|x| &*x.name).collect()),
            (
                "output_units",
                form.outputs.iter().map(|x| &*x.unit).collect(),
            ),
        ]
    }

    /// Values of the inputs and outputs of the form at the operating point.
    fn levels(&self) -> Vec<(&'static str, Vec<f64>)> {
        let of = |list: &[Variable], values: &[Value]| {
            let value = |x: &Variable| values.iter().find(|v| v.name == x.name);
            let values = list.iter().map(|x| value(x).map_or(0.0, |v| v.value));
            values.collect()
        };
        vec![
            ("input_values", of(&self.form.inputs, &self.point.inputs)),
            ("output_values", of(&self.form.outputs, &self.point.outputs)),
        ]
    }

    /// A line for each state, input and output: kind, number, unit, name.
    fn names(&self) -> String {
        let form = self.form;
        let states = form.states.iter().map(|x| ("state", &x.unit, &x.name));
        let inputs = form.inputs.iter().map(|x| ("input", &x.unit, &x.name));
        let outputs = form.outputs.iter().map(|x| ("output", &x.unit, &x.name));
        let lines = [
            states.collect::<Vec<_>>(),
            inputs.collect(),
            outputs.collect(),
        ];
        let mut text = String::new();
        for list in lines {
            for (k, (what, unit, name)) in (1..).zip(list) {
                let _ = writeln!(text, "{what} {k} [{unit}] {name}");
            }
        }
        text
    }
}

/// Selects inputs and outputs, in the order of two lists of indices.
pub fn choose(form: &mut LinearForm, inputs: Option<&[usize]>, outputs: Option<&[usize]>) {
    use crate::matrix::{pick_columns, pick_rows};
    if let Some(list) = inputs {
        form.inputs = list.iter().map(|k| form.inputs[*k].clone()).collect();
        form.b = pick_columns(&form.b, list);
        form.d = pick_columns(&form.d, list);
    }
    if let Some(list) = outputs {
        form.outputs = list.iter().map(|k| form.outputs[*k].clone()).collect();
        form.c = pick_rows(&form.c, list);
        form.d = pick_rows(&form.d, list);
    }
}

/// A number as text that reads back to the same bits.
fn number(x: f64) -> String {
    if x == 0.0 {
        return String::from("0");
    }
    let plain = format!("{x}");
    let short = format!("{x:e}");
    if short.len() < plain.len() {
        short
    } else {
        plain
    }
}
