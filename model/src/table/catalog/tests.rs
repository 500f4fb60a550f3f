//! Tests.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::table::test_model::{empty_model, quantity};
use fixstep_kernel::mechanism::{NamedExpr, Parameter, SolverSettings};
use fixstep_variables::naming::NamingConvention;

fn sample() -> Mechanism {
    let mut model = empty_model();
    for name in ["road", "front axle"] {
        model.inputs.push(fixstep_kernel::mechanism::Input {
            quantity: quantity(name, "mm", 0.5),
        });
    }
    for (name, tunable) in [("k", true), ("m", false)] {
        model.parameters.push(Parameter {
            quantity: quantity(name, "", 2.0),
            tunable,
        });
    }
    model.outputs.push(NamedExpr {
        quantity: quantity("gap", "mm", 0.0),
        expr: fixstep_kernel::ids::ExprId(0),
    });
    model
}

#[test]
fn order_is_time_inputs_parameters_outputs_settings_figures() {
    let table = of(&sample());
    let names: Vec<&str> = table
        .variables
        .iter()
        .take(8)
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "time",
            "road",
            "'front axle'",
            "k",
            "m",
            "gap",
            "solver.integrator",
            "solver.formulation"
        ]
    );
    assert_eq!(table.variables.len(), 6 + 18 + 22 + 8);
    // The settings of a variable step came later: the references of all others stay.
    assert_eq!(table.by_name("solver.mode"), Some(46));
    assert_eq!(table.by_name("energy.potential"), Some(37));
    assert_eq!(table.by_name("front axle"), Some(2));
    assert_eq!(table.by_name("'front axle'"), Some(2));
    assert_eq!(table.by_name("nobody"), None);
    assert_eq!(
        table.by_reference(5).unwrap().slot,
        Slot::Output(OutputId(0))
    );
    assert!(table.by_reference(54).is_none());
    assert_eq!(table.naming_convention(), NamingConvention::Structured);
}

#[test]
fn settings_start_from_the_model() {
    let mut model = sample();
    model.units.time.name = "Milliseconds".to_owned();
    model.units.time.factor = 1e-3;
    model.solver = SolverSettings {
        fixit: 4,
        hratio: 7,
        pattern: vec![true, false],
        maxerr: f64::INFINITY,
        hmax: Some(2e-3),
        ..SolverSettings::default()
    };
    let table = of(&model);
    let kind = |name: &str| {
        let at = table.by_name(name).unwrap();
        table.by_reference(at).unwrap().kind.clone()
    };
    assert!(matches!(
        kind("solver.fixit"),
        VariableKind::Integer {
            start: 4,
            min: Some(1),
            max: Some(10)
        }
    ));
    assert!(matches!(
        kind("solver.hratio"),
        VariableKind::Integer { start: 7, .. }
    ));
    assert!(matches!(kind("solver.pattern"), VariableKind::String { start } if start == "T:F"));
    assert!(matches!(
        kind("solver.maxerr"),
        VariableKind::Real { start: 0.0, .. }
    ));
    assert!(matches!(
        kind("solver.hmax"),
        VariableKind::Real { start: 2.0, unit, .. } if unit == "ms"
    ));
    assert!(matches!(
        kind("solver.hinit"),
        VariableKind::Real { start: 0.0, .. }
    ));
}

/// FMI 3.0 section 2.4.7.4 (FMI 2.0 section 2.2.7): the combinations that the standard allows.
#[test]
fn combinations_follow_the_standard() {
    for (reference, variable) in of(&sample()).iter() {
        let name = &variable.name;
        let real = matches!(variable.kind, VariableKind::Real { .. });
        let continuous = variable.variability == Variability::Continuous;
        assert!(real || !continuous, "{name}: only reals are continuous");
        let expected = match variable.causality {
            Causality::Independent => (reference == 0 && continuous, None),
            Causality::Input => (continuous, None),
            Causality::Parameter => (
                matches!(
                    variable.variability,
                    Variability::Fixed | Variability::Tunable
                ),
                Some(Initial::Exact),
            ),
            Causality::Output => (continuous, Some(Initial::Calculated)),
            Causality::Local => (
                continuous || variable.variability == Variability::Discrete,
                Some(Initial::Calculated),
            ),
        };
        assert_eq!((true, variable.initial), expected, "{name}");
        if name.starts_with("rti.") {
            assert_ne!(variable.causality, Causality::Output, "{name}");
        }
    }
}

#[test]
fn states_of_differential_equations_come_after_figures() {
    let mut model = sample();
    let before = of(&model).by_name("solver.mode").unwrap();
    for name in ["lag", "2nd lag"] {
        model.equations.push(fixstep_kernel::mechanism::Equation {
            label: name.to_owned(),
            kind: "differential equation".into(),
            field: "derivative".into(),
            quantity: quantity(name, "N.m", 0.0),
            shown: fixstep_kernel::mechanism::Shown::Value,
            law: fixstep_kernel::mechanism::Law::Residual(fixstep_kernel::mechanism::ScaledExpr {
                expr: fixstep_kernel::ids::ExprId(0),
                to_si: 1.0,
            }),
            initial: fixstep_kernel::ids::ValueId(0),
            start: fixstep_kernel::mechanism::StateStart::Given,
            checked: vec![],
        });
    }
    let table = of(&model);
    assert_eq!(table.by_name("equations.lag.value"), Some(before));
    let second = table.by_reference(before + 1).unwrap();
    assert_eq!(second.name, "equations.'2nd lag'.value");
    assert_eq!(second.slot, Slot::State(EquationId(1)));
    assert_eq!((second.causality, second.unit()), (Causality::Local, "N.m"));
    assert_eq!(table.naming_convention(), NamingConvention::Structured);
}
