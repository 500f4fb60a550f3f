//! Tests.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use super::*;

const V3: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0.1" modelName="m" instantiationToken="{t}" generationTool="someone">
  <ModelExchange modelIdentifier="m_me"/>
  <CoSimulation modelIdentifier="m_cs" canGetAndSetFMUState="true" fixedInternalStepSize="1e-3" hasEventMode="1"/>
  <UnitDefinitions>
    <Unit name="K"><BaseUnit K="1"/><DisplayUnit name="degC" offset="-273.15"/></Unit>
  </UnitDefinitions>
  <TypeDefinitions>
    <Float64Type name="Temperature" unit="K" displayUnit="degC" min="0"/>
    <EnumerationType name="Gear"><Item name="R" value="-1"/><Item name="D" value="1" description="drive"/></EnumerationType>
  </TypeDefinitions>
  <LogCategories><Category name="logAll"/></LogCategories>
  <DefaultExperiment startTime="0" stopTime="2.5" stepSize="0.01"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <UInt64 name="n" valueReference="1" causality="structuralParameter" start="3"/>
    <Float64 name="u" valueReference="2" causality="input" declaredType="Temperature" start="1 2 3">
      <Dimension valueReference="1"/><Alias name="w" description="same" displayUnit="K"/>
    </Float64>
    <Float64 name="A" valueReference="3" start="1 0 0 INF"><Dimension start="2"/><Dimension start="2"/></Float64>
    <String name="s" valueReference="4" causality="parameter"><Start value="a b"/></String>
    <Enumeration name="gear" valueReference="5" declaredType="Gear" causality="output" start="-1" initial="exact"/>
    <Binary name="blob" valueReference="6" mimeType="image/png"/>
    <Boolean name="flag" valueReference="7" causality="input" start="true"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="5" dependencies="2 7"/>
    <InitialUnknown valueReference="5"/>
  </ModelStructure>
</fmiModelDescription>"#;

const V2: &str = r#"<fmiModelDescription fmiVersion="2.0" modelName="m" guid="{g}">
  <CoSimulation modelIdentifier="m2" canSerializeFMUstate="true" canHandleVariableCommunicationStepSize="true"/>
  <TypeDefinitions><SimpleType name="Angle"><Real unit="rad" max="7"/></SimpleType></TypeDefinitions>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="9" causality="output"><Real declaredType="Angle"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="9" causality="parameter" variability="tunable"><Integer start="4"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1" dependencies=""/></Outputs></ModelStructure>
</fmiModelDescription>"#;

#[test]
fn reads_fmi_3() {
    let it = description(V3).unwrap();
    assert_eq!(it.version, FmiVersion::V3);
    assert_eq!((it.fmi_version.as_str(), it.name.as_str()), ("3.0.1", "m"));
    assert_eq!(it.token, "{t}");
    assert_eq!(it.generation_tool, "someone");
    assert_eq!(it.model_exchange.as_deref(), Some("m_me"));
    assert_eq!(it.scheduled_execution, None);
    let cs = it.co_simulation.as_ref().unwrap();
    assert_eq!(cs.model_identifier, "m_cs");
    assert!(cs.can_get_and_set_state && cs.has_event_mode && !cs.can_serialize_state);
    assert_eq!(cs.fixed_internal_step, Some(1e-3));
    assert_eq!(it.default_experiment.stop, Some(2.5));
    assert_eq!(it.default_experiment.tolerance, None);
    assert_eq!(it.units[0].base, Some(([0, 0, 0, 0, 1, 0, 0, 0], 1.0, 0.0)));
    assert_eq!(it.units[0].display_units[0].offset, -273.15);
    assert_eq!(it.type_definition("Gear").unwrap().items[0].value, -1);
    assert_eq!(it.log_categories, ["logAll"]);
    assert_eq!(it.outputs[0].dependencies, Some(vec![2, 7]));
    assert_eq!(it.initial_unknowns[0].dependencies, None);
}

#[test]
fn reads_the_variables_of_fmi_3() {
    let it = description(V3).unwrap();
    let variable = |name: &str| it.variable(name).unwrap();
    let array = variable("w");
    assert_eq!(array.name, "u");
    assert!(array.is_array());
    assert_eq!(array.dimensions, [Dimension::Variable(1)]);
    assert_eq!(array.fixed_size(), None);
    assert_eq!(array.start_numbers(), [1.0, 2.0, 3.0]);
    assert_eq!(
        (array.unit.as_str(), array.min.as_deref()),
        ("K", Some("0"))
    );
    assert_eq!(array.variability, Variability::Continuous);
    assert_eq!(variable("A").fixed_size(), Some(4));
    assert_eq!(variable("A").start_numbers()[3], f64::INFINITY);
    assert_eq!(variable("A").causality, Causality::Local);
    assert_eq!(variable("s").start, ["a b"]);
    assert_eq!(variable("s").variability, Variability::Fixed);
    assert_eq!(variable("gear").kind, Type::Enumeration);
    assert_eq!(variable("gear").variability, Variability::Discrete);
    assert_eq!(variable("blob").mime_type, "image/png");
    assert_eq!(variable("flag").start_numbers(), [1.0]);
    assert_eq!(variable("n").line, 16);
}

#[test]
fn reads_fmi_2() {
    let it = description(V2).unwrap();
    assert_eq!((it.version, it.token.as_str()), (FmiVersion::V2, "{g}"));
    let cs = it.co_simulation.as_ref().unwrap();
    assert!(cs.can_serialize_state && cs.can_handle_variable_step && !cs.can_get_and_set_state);
    let x = it.variable("x").unwrap();
    assert_eq!((x.kind, x.unit.as_str()), (Type::Float64, "rad"));
    assert_eq!(x.max.as_deref(), Some("7"));
    let k = it.variable("k").unwrap();
    assert_eq!((k.kind, k.reference), (Type::Int32, 9));
    assert_eq!(k.start, ["4"]);
    assert_eq!(it.outputs[0].reference, 0);
    assert_eq!(it.outputs[0].dependencies, Some(vec![]));
}

#[test]
fn errors_name_line_element_and_attribute() {
    for (from, to, part) in [
        (
            "fmiVersion=\"3.0.1\"",
            "fmiVersion=\"1.0\"",
            "\"1.0\" is not supported",
        ),
        (
            "fmiModelDescription",
            "fmiBuildDescription",
            "root element is <fmiBuildDescription>",
        ),
        (
            "instantiationToken",
            "guid",
            "instantiationToken: is missing",
        ),
        (
            "valueReference=\"2\"",
            "valueReference=\"-2\"",
            "line 17: <Float64> attribute valueReference",
        ),
        (
            "causality=\"input\"",
            "causality=\"inputs\"",
            "\"inputs\" is not a causality",
        ),
        ("<Binary", "<Bytes", "is not a type of FMI 3"),
        (
            "stopTime=\"2.5\"",
            "stopTime=\"soon\"",
            "\"soon\" is not a number",
        ),
        (
            "hasEventMode=\"1\"",
            "hasEventMode=\"yes\"",
            "true or false",
        ),
        (
            "<Dimension start=\"2\"/>",
            "<Dimension/>",
            "either start or valueReference",
        ),
        ("</ModelVariables>", "", "line 30"),
    ] {
        let text = V3.replace(from, to);
        assert_ne!(text, V3, "{from}");
        match description(&text) {
            Ok(_) => panic!("{to} was accepted"),
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains(part), "{to}: {message}");
            }
        }
    }
}
