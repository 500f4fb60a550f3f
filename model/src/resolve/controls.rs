//! Control plane: the functions that read states and control elements.

use super::arguments::place;
use super::{Leaf, ModelResolver};
use crate::errors::quote;
use crate::expr::{Argument, ResolveError, suggest};
use crate::plan::Control;

impl ModelResolver<'_> {
    /// The output of a control element, if its bare name means that output.
    pub(super) fn scalar_control(&self, name: &str) -> Option<Leaf> {
        let control = self.names.plan.control(name)?;
        control.scalar.then(|| Leaf::Variable(control.output(0)))
    }

    /// DIF(name), DIF1(name) of a differential equation; DIF(name, i), DIF1(name, i) of a control element.
    pub(super) fn control(
        &self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        match arguments {
            [Argument::Name(name)] => self.equation(function, name),
            [Argument::Name(name), Argument::Number(number)] => {
                let (control, part) = self.part(function, name)?;
                let (count, what) = part.count(control);
                Ok(part.leaf(control, place(name, *number, count, what)?))
            }
            _ => Err(ResolveError::new(format!(
                "{function} takes the name of one differential equation: {function}(name); or of a \
                 control element, and a number from 1: {function}(name, i)"
            ))),
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

    /// The leaves that ARYVAL(name, i) may read of a control element: one if i is a number, otherwise all.
    pub(super) fn control_array(
        &self,
        name: &str,
        index: Option<f64>,
    ) -> Result<Vec<Leaf>, ResolveError> {
        let (control, part) = self.part("ARYVAL", name)?;
        let (count, what) = part.count(control);
        let all = match index {
            None if count > 0 => 0..count,
            _ => {
                let k = place(name, index.unwrap_or(1.0), count, what)?;
                k..k + 1
            }
        };
        Ok(all.map(|k| part.leaf(control, k)).collect())
    }

    /// The control element with a name, and the array that is meant.
    fn part(&self, function: &str, name: &str) -> Result<(&Control, Part), ResolveError> {
        let (control, part) = self.named_part(function, name)?;
        if control.sound {
            return Ok((control, part));
        }
        let message = format!(
            "the {} {} has problems of its own",
            control.kind,
            quote(name)
        );
        Err(ResolveError::at(0, message))
    }

    /// The same by the name alone: `name.u`, `name.x`, `name.y`.
    fn named_part(&self, function: &str, name: &str) -> Result<(&Control, Part), ResolveError> {
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
        let arrays = self.names.arrays.names();
        let arrays = arrays.filter(|_| function == "ARYVAL");
        let hint = suggest::hint(name, plan.control_names().chain(arrays));
        let kinds = if function == "ARYVAL" {
            "array, state equation"
        } else {
            "state equation"
        };
        let message = format!(
            "there is no {kinds}, transfer function or controller {}{hint}",
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

impl Part {
    /// How many there are, and their names.
    fn count(self, control: &Control) -> (usize, &'static str) {
        match self {
            Self::State | Self::Rate => (control.sizes.states, "states"),
            Self::Input => (control.sizes.inputs, "inputs"),
            Self::Output => (control.sizes.outputs, "outputs"),
        }
    }

    /// One of them, counted from 0.
    fn leaf(self, control: &Control, k: usize) -> Leaf {
        match self {
            Self::State => Leaf::State(control.state(k)),
            Self::Rate => Leaf::StateRate(control.state(k)),
            Self::Input => Leaf::Variable(control.input(k)),
            Self::Output => Leaf::Variable(control.output(k)),
        }
    }
}
