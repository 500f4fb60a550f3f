//! Control plane: writes numbers in display units.

use model_description::parse::{Description, Variable};

/// How the numbers of a column are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Display {
    /// The unit that is shown; empty: none.
    pub unit: String,
    factor: f64,
    offset: f64,
}

impl Display {
    /// The numbers in their own unit.
    pub fn plain(unit: &str) -> Self {
        Self {
            unit: unit.to_owned(),
            factor: 1.0,
            offset: 0.0,
        }
    }

    /// In the variable's display unit, if the description gives the conversion.
    pub fn of(description: &Description, variable: &Variable) -> Self {
        let unit = &variable.unit;
        let known = description.units.iter().find(|it| it.name == *unit);
        let wanted = known.and_then(|it| {
            let mut all = it.display_units.iter();
            all.find(|display| display.name == variable.display_unit && !display.inverse)
        });
        match wanted {
            Some(display) => Self {
                unit: display.name.clone(),
                factor: display.factor,
                // A difference of two temperatures has no zero.
                offset: if variable.relative_quantity {
                    0.0
                } else {
                    display.offset
                },
            },
            None => Self::plain(unit),
        }
    }

    /// A number in the unit of display.
    pub fn shown(&self, value: f64) -> f64 {
        if self.factor == 1.0 && self.offset == 0.0 {
            return value;
        }
        self.factor * value + self.offset
    }

    /// Factor and offset: what is shown is factor · number + offset.
    pub fn conversion(&self) -> (f64, f64) {
        (self.factor, self.offset)
    }

    /// `name [unit]`.
    pub fn label(&self, name: &str) -> String {
        if self.unit.is_empty() {
            name.to_owned()
        } else {
            format!("{name} [{}]", self.unit)
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::Display;
    use model_description::parse::description;

    const XML: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<UnitDefinitions>
<Unit name="K"><BaseUnit K="1"/><DisplayUnit name="degC" offset="-273.15"/></Unit>
<Unit name="rad"><BaseUnit rad="1"/><DisplayUnit name="deg" factor="57.29577951308232"/></Unit>
<Unit name="s"><BaseUnit s="1"/><DisplayUnit name="Hz" inverse="true"/></Unit>
</UnitDefinitions>
<TypeDefinitions><Float64Type name="Rise" unit="K" displayUnit="degC" relativeQuantity="true"/></TypeDefinitions>
<ModelVariables>
<Float64 name="temperature" valueReference="1" unit="K" displayUnit="degC"/>
<Float64 name="rise" valueReference="2" declaredType="Rise"/>
<Float64 name="angle" valueReference="3" unit="rad" displayUnit="deg"/>
<Float64 name="bare" valueReference="4" unit="rad"/>
<Float64 name="period" valueReference="5" unit="s" displayUnit="Hz"/>
<Float64 name="number" valueReference="6"/>
</ModelVariables><ModelStructure/></fmiModelDescription>"#;

    #[test]
    fn numbers_are_shown_as_the_description_says() {
        let description = description(XML).unwrap();
        let shown = |name: &str, value: f64| {
            let mut all = description.variables.iter();
            let variable = all.find(|variable| variable.name == name).unwrap();
            let display = Display::of(&description, variable);
            (display.label(name), display.shown(value))
        };
        let (label, value) = shown("temperature", 300.0);
        assert_eq!(label, "temperature [degC]");
        assert!((value - 26.85).abs() < 1e-12);
        // A difference has no zero.
        assert_eq!(shown("rise", 5.0), ("rise [degC]".to_owned(), 5.0));
        let (label, value) = shown("angle", std::f64::consts::PI);
        assert_eq!(label, "angle [deg]");
        assert!((value - 180.0).abs() < 1e-12);
        assert_eq!(shown("bare", 2.0), ("bare [rad]".to_owned(), 2.0));
        assert_eq!(shown("period", 2.0), ("period [s]".to_owned(), 2.0));
        assert_eq!(shown("number", 2.0), ("number".to_owned(), 2.0));
    }
}
