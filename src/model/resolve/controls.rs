//! Control plane: the functions that read states and control elements.

use super::{Leaf, ModelResolver};
use crate::expr::{Argument, ResolveError, suggest};
use crate::model::errors::quote;
use crate::model::plan::Control;

impl ModelResolver<'_> {
    /// The output of a control element whose name stands for it.
    pub(super) fn scalar_control(&self, name: &str) -> Option<Leaf> {
        let control = self.names.plan.control(name)?;
        control.scalar.then(|| Leaf::Variable(control.output(0)))
    }

    /// DIF(name), DIF1(name) of a differential equation; DIF(name, i), DIF1(name, i), ARYVAL(name, i) of a
    /// control element.
    pub(super) fn control(
        &self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        match arguments {
            [Argument::Name(name)] if function != "ARYVAL" => self.equation(function, name),
            [Argument::Name(name), Argument::Number(number)] => {
                self.component(function, name, *number)
            }
            _ => {
                let signature = if function == "ARYVAL" {
                    "the name of a control element and a number from 1: ARYVAL(name, i)".to_owned()
                } else {
                    format!(
                        "the name of one differential equation: {function}(name); or of a control \
                         element, and a number from 1: {function}(name, i)"
                    )
                };
                Err(ResolveError::new(format!("{function} takes {signature}")))
            }
        }
    }

    fn equation(&self, function: &str, name: &str) -> Result<Leaf, ResolveError> {
        if let Some(control) = self.names.plan.control(name) {
            return Err(ResolveError::new(format!(
                "{} is a {}: name the state, {function}({name}, 1)",
                quote(name),
                control.kind
            )));
        }
        let found = self.names.equations.find(name);
        let equation = found.map_err(|message| ResolveError::at(0, message))?;
        let rate = self.names.plan.rates.get(equation.index()).copied();
        Ok(match (function, rate.flatten()) {
            ("DIF", _) => Leaf::State(equation),
            (_, Some(unknown)) => Leaf::State(unknown),
            (_, None) => Leaf::StateRate(equation),
        })
    }

    fn component(&self, function: &str, name: &str, number: f64) -> Result<Leaf, ResolveError> {
        let (control, part) = self.part(function, name)?;
        if !control.sound {
            let message = format!(
                "the {} {} has problems of its own",
                control.kind,
                quote(name)
            );
            return Err(ResolveError::at(0, message));
        }
        let (count, what) = match part {
            Part::State | Part::Rate => (control.sizes.states, "states"),
            Part::Input => (control.sizes.inputs, "inputs"),
            Part::Output => (control.sizes.outputs, "outputs"),
        };
        if number.fract() != 0.0 || number < 1.0 || number > count as f64 {
            let message = format!("{} has {count} {what}, counted from 1", quote(name));
            return Err(ResolveError::at(1, message));
        }
        let k = number as usize - 1;
        Ok(match part {
            Part::State => Leaf::State(control.state(k)),
            Part::Rate => Leaf::StateRate(control.state(k)),
            Part::Input => Leaf::Variable(control.input(k)),
            Part::Output => Leaf::Variable(control.output(k)),
        })
    }

    /// The control element of a name, and which of its arrays is meant: `name.u`, `name.x`, `name.y`.
    fn part(&self, function: &str, name: &str) -> Result<(&Control, Part), ResolveError> {
        let plan = &self.names.plan;
        let own = match function {
            "DIF" => Part::State,
            "DIF1" => Part::Rate,
            _ => Part::Output,
        };
        if let Some(control) = plan.control(name) {
            return Ok((control, own));
        }
        if function == "ARYVAL"
            && let Some((element, array)) = name.rsplit_once('.')
            && let Some(control) = plan.control(element)
        {
            match array {
                "u" => return Ok((control, Part::Input)),
                "x" => return Ok((control, Part::State)),
                "y" => return Ok((control, Part::Output)),
                _ => {}
            }
        }
        if self.names.equations.get(name).is_some() {
            return Err(ResolveError::new(format!(
                "{} is a differential equation, whose state has no number: DIF({name}), DIF1({name})",
                quote(name)
            )));
        }
        let hint = suggest::hint(name, plan.control_names());
        let message = format!(
            "there is no state equation, transfer function or controller {}{hint}",
            quote(name)
        );
        Err(ResolveError::at(0, message))
    }
}

/// An array of a control element.
#[derive(Clone, Copy, Debug)]
enum Part {
    Input,
    State,
    Rate,
    Output,
}
