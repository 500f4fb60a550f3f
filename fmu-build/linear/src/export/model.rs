//! The linear form as a JSON model, which can be packed as an FMU.

use super::json::{pretty, rows};
use super::{Export, Improper, number, proper};
use serde_json::{Value, json};

impl Export<'_> {
    /// The text of the model: its inputs and outputs are those of the mechanism, not deviations from the operating
    /// point.
    pub fn model(&self) -> Result<String, Improper> {
        let form = proper(self.form)?;
        let [inputs, outputs] = [&self.levels()[0].1, &self.levels()[1].1].map(Clone::clone);
        let list = self.form.inputs.iter().zip(&inputs);
        let inputs: Vec<Value> = list
            .clone()
            .map(|(input, at)| json!({"name": input.name, "unit": input.unit, "start": *at + 0.0}))
            .collect();
        let differences: Vec<String> = list
            .map(|(input, at)| format!("'{}' - ({})", input.name, number(*at)))
            .collect();
        let mut model = json!({
            "fixstep": 1,
            "name": format!("{}_linear", self.name),
            "description": format!(
                "Linear form of {} at {} s: y0 + C x + D (u - u0)", self.name, number(self.point.time)
            ),
            "gravity": [0, 0, 0],
            "inputs": inputs,
        });
        let many = !form.states.is_empty();
        if many {
            let mut plant = json!({
                "name": "linear form",
                "description": "dx/dt = A x + B (u - u0)",
                "a": rows(&form.a), "c": rows(&form.c),
            });
            if !inputs.is_empty() {
                plant["inputs"] = json!(differences);
                plant["b"] = rows(&form.b);
                plant["d"] = rows(&form.d);
            }
            model["linear_state_equations"] = json!([plant]);
        }
        let list = (1..).zip(self.form.outputs.iter().zip(&outputs));
        let outputs: Vec<Value> = list
            .map(|(k, (output, at))| {
                let direct = || {
                    let terms = differences.iter().enumerate();
                    let terms =
                        terms.map(|(u, of)| format!(" + {}*({of})", bracket(form.d[(k - 1, u)])));
                    terms.collect::<String>()
                };
                let change = if many {
                    format!(" + ARYVAL('linear form', {k})")
                } else {
                    direct()
                };
                json!({"name": output.name, "unit": output.unit, "expression": format!("{}{change}", bracket(*at))})
            })
            .collect();
        model["outputs"] = json!(outputs);
        Ok(format!("{}\n", pretty(&model, 0)))
    }
}

/// A number in an expression.
fn bracket(x: f64) -> String {
    if x < 0.0 {
        format!("({})", number(x))
    } else {
        number(x)
    }
}
