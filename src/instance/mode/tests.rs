//! Compares the mode tables with tables transcribed from the standards.

use super::*;
use std::collections::BTreeMap;

/// FMI 2.0, section 4.2.4, "FMI 2.0 for Co-Simulation". Columns: instantiated, Initialization Mode,
/// stepComplete, stepFailed, terminated, error; last, Intermediate Update Mode, which FMI 2.0 has not. Left out: "start, end" and "fatal" (no instance),
/// "stepInProgress" and "stepCanceled" (never entered: `canRunAsynchronuously = false`). A number is
/// a condition on the variable or on the use of the values; the call itself is allowed.
const FMI2_STANDARD: &str = "
    GetTypesPlatform         x x x x x x .
    GetVersion               x x x x x x .
    SetDebugLogging          x x x x x x .
    Instantiate              . . . . . . .
    FreeInstance             x x x x x x .
    SetupExperiment          x . . . . . .
    EnterInitializationMode  x . . . . . .
    ExitInitializationMode   . x . . . . .
    Terminate                . . x x . . .
    Reset                    x x x x x x .
    GetReal                  . 2 x 8 x 7 .
    GetInteger               . 2 x 8 x 7 .
    GetBoolean               . 2 x 8 x 7 .
    GetString                . 2 x 8 x 7 .
    SetReal                  1 3 6 . . . .
    SetInteger               1 3 6 . . . .
    SetBoolean               1 3 6 . . . .
    SetString                1 3 6 . . . .
    GetFMUstate              x x x 8 x 7 .
    SetFMUstate              x x x x x x .
    FreeFMUstate             x x x x x x .
    SerializedFMUstateSize   x x x x x x .
    SerializeFMUstate        x x x x x x .
    DeSerializeFMUstate      x x x x x x .
    GetDirectionalDerivative . x x 8 x 7 .
    SetRealInputDerivatives  x x x . . . .
    GetRealOutputDerivatives . . x 8 x 7 .
    DoStep                   . . x . . . .
    CancelStep               . . . . . . .
    GetStatus                . . x x x . .
    GetRealStatus            . . x x x . .
    GetIntegerStatus         . . x x x . .
    GetBooleanStatus         . . x x x . .
    GetStringStatus          . . x x x . .
";

/// FMI 3.0, sections 2.3 (common states) and 4.2.1 (co-simulation), event mode not used. Columns:
/// Instantiated, Initialization Mode, Step Mode, the same after `terminateSimulation`, Terminated,
/// Terminated by an error, Intermediate Update Mode. What event mode, clocks, structural parameters, Model Exchange or
/// Scheduled Execution would allow is allowed nowhere.
const FMI3_STANDARD: &str = "
    GetVersion               x x x x x x x
    SetDebugLogging          x x x x x x x
    InstantiateCoSimulation  . . . . . . .
    FreeInstance             x x x x x x .
    EnterInitializationMode  x . . . . . .
    ExitInitializationMode   . x . . . . .
    Terminate                . . x x . . .
    Reset                    x x x x x x .
    GetNumberOfVariableDependencies x x x x x x x
    GetVariableDependencies  x x x x x x x
    GetFMUState              x x x x x x .
    SetFMUState              x x x x x x .
    FreeFMUState             x x x x x x .
    SerializedFMUStateSize   x x x x x x .
    SerializeFMUState        x x x x x x .
    DeserializeFMUState      x x x x x x .
    GetDirectionalDerivative . x x x x x x
    GetAdjointDerivative     . x x x x x x
    GetOutputDerivatives     . . x x x x x
    DoStep                   . . x . . . .
";

const FMI3_TYPES: [&str; 13] = [
    "Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64",
    "Boolean", "String", "Binary",
];

fn parse(prefix: &str, table: &str) -> BTreeMap<String, Vec<bool>> {
    let rows = table.lines().filter(|line| !line.trim().is_empty());
    rows.map(|row| {
        let mut words = row.split_whitespace();
        let name = format!("{prefix}{}", words.next().unwrap_or_default());
        (name, words.map(|mark| mark != ".").collect())
    })
    .collect()
}

fn check(rules: &[Rule], mut standard: BTreeMap<String, Vec<bool>>) {
    for rule in rules {
        let modes: Vec<bool> = Mode::ALL.iter().map(|m| rule.modes.contains(*m)).collect();
        if let Some(expected) = standard.remove(rule.function) {
            assert_eq!(modes, expected, "{}", rule.function);
        } else {
            assert_eq!(modes, [false; 7], "{}", rule.function);
            assert!(!rule.never.is_empty(), "{}", rule.function);
        }
    }
    assert!(standard.is_empty(), "not in the table: {standard:?}");
}

#[test]
fn fmi2_follows_the_standard() {
    let rules: Vec<Rule> = Fmi2::ALL.iter().map(|f| f.rule()).collect();
    assert_eq!(rules.len(), 44);
    check(&rules, parse("fmi2", FMI2_STANDARD));
}

#[test]
fn fmi3_follows_the_standard() {
    let mut standard = parse("fmi3", FMI3_STANDARD);
    for name in FMI3_TYPES {
        standard.insert(format!("fmi3Get{name}"), vec![true; 7]);
        let set = [true, true, true, false, false, false, true];
        standard.insert(format!("fmi3Set{name}"), set.to_vec());
    }
    let rules: Vec<Rule> = Fmi3::ALL.iter().map(|f| f.rule()).collect();
    assert_eq!(rules.len(), 75);
    check(&rules, standard);
}

#[test]
fn refusals_say_what_would_be_valid() {
    let refusal = Fmi2::DoStep.rule().check(Mode::Initialization);
    assert_eq!(
        refusal,
        Err(
            "fmi2DoStep is not allowed in the state \"Initialization Mode\"; it is allowed in: \
             Step Mode"
                .to_owned()
        )
    );
    let refusal = Fmi3::SetTime.rule().check(Mode::Step);
    assert!(refusal.is_err_and(|text| text.contains("belongs to Model Exchange")));
    assert_eq!(Fmi3::DoStep.rule().check(Mode::Step), Ok(()));
}

#[test]
fn modes_survive_their_numbers() {
    for mode in Mode::ALL {
        assert_eq!(Mode::from_number(mode as u8), Some(mode));
    }
    assert_eq!(Mode::from_number(7), None);
}
