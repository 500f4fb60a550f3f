//! Writes a linear form as text for people.

use super::{Export, Value};
use faer::Mat;
use std::fmt::Write as _;

/// Larger matrices are not printed.
const LARGEST: (usize, usize) = (24, 12);

/// Entries below this fraction of the largest entry of their matrix are rounding errors and shown as 0.
const ROUNDING: f64 = 1e-15;

/// Width of a number.
const WIDTH: usize = 12;

impl Export<'_> {
    /// Operating point, states, inputs, outputs, and the matrices if they are small.
    pub fn text(&self, second_order: bool) -> String {
        let form = self.form;
        let mut text = format!("{} at {} s", self.name, brief(self.point.time));
        list_values(&mut text, "inputs", &self.point.inputs);
        list_values(&mut text, "parameters", &self.point.parameters);
        let (x, u, y) = (form.states.len(), form.inputs.len(), form.outputs.len());
        let (x, u, y) = (count(x, "state"), count(u, "input"), count(y, "output"));
        let _ = write!(
            text,
            "\n{x}, {u}, {y}; {}",
            count(form.positions, "position")
        );
        let rolled = form.position_states().len() - form.positions;
        if rolled > 0 {
            let _ = write!(text, ", {rolled} more beyond rolling");
        }
        text.push('\n');
        let states = form.states.iter().map(|s| (&s.name, &s.unit));
        list_names(&mut text, "states", &states.collect::<Vec<_>>());
        let inputs = form.inputs.iter().map(|s| (&s.name, &s.unit));
        list_names(&mut text, "inputs", &inputs.collect::<Vec<_>>());
        let outputs = form.outputs.iter().map(|s| (&s.name, &s.unit));
        list_names(&mut text, "outputs", &outputs.collect::<Vec<_>>());
        let descriptor = form.e.is_some();
        for (name, of) in self.matrices() {
            let is_second = name.len() > 1;
            if is_second == second_order && (name != "E" || descriptor) {
                print_matrix(&mut text, name, &of);
            }
        }
        text
    }
}

/// `3 states`.
pub fn count(n: usize, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {what}{s}")
}

fn list_values(text: &mut String, what: &str, values: &[Value]) {
    if values.is_empty() {
        return;
    }
    let one = |v: &Value| {
        let unit = if v.unit.is_empty() {
            String::new()
        } else {
            format!(" {}", v.unit)
        };
        format!("{} = {}{unit}", v.name, brief(v.value))
    };
    let all: Vec<String> = values.iter().map(one).collect();
    let _ = write!(text, "\n{what}: {}", all.join(", "));
}

fn list_names(text: &mut String, what: &str, list: &[(&String, &String)]) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{what}");
    for (k, (name, unit)) in (1..).zip(list) {
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" [{unit}]")
        };
        let _ = writeln!(text, "{k:4}  {name}{unit}");
    }
}

fn print_matrix(text: &mut String, name: &str, of: &Mat<f64>) {
    let (rows, columns) = (of.nrows(), of.ncols());
    if rows == 0 || columns == 0 {
        return;
    }
    let _ = writeln!(text, "\n{name} ({rows} x {columns})");
    if rows > LARGEST.0 || columns > LARGEST.1 {
        let _ = writeln!(
            text,
            "    too large to read here; --json prints it, -o writes it"
        );
        return;
    }
    let most = crate::matrix::largest(of);
    for r in 0..rows {
        let _ = write!(text, "{:4}", r + 1);
        for c in 0..columns {
            let x = of[(r, c)];
            let x = if x.abs() < ROUNDING * most { 0.0 } else { x };
            let _ = write!(text, " {:>WIDTH$}", brief(x));
        }
        text.push('\n');
    }
}

/// Six digits.
fn brief(x: f64) -> String {
    if x == 0.0 {
        return String::from("0");
    }
    let text = format!("{x:.5e}");
    let parts = text.split_once('e');
    let Some((digits, Ok(power))) = parts.map(|(digits, power)| (digits, power.parse::<i32>()))
    else {
        return text;
    };
    if !(-4..7).contains(&power) {
        return format!("{}e{power}", trimmed(digits));
    }
    let places = (5 - power).max(0) as usize;
    trimmed(&format!("{x:.places$}")).to_owned()
}

/// Removes zeros at the end of decimals.
fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}
