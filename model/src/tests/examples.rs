//! The example models are valid, and the published schema is that of the types.

use super::path;
use crate::Model;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::{BodyKind, ForceKind, JointKind, Leaf, ValueSource};

const EXAMPLES: &[&str] = &[
    "andrews_squeezer",
    "bicycle",
    "bouncer",
    "bricard",
    "cam_follower",
    "chain",
    "controlled_pendulum",
    "double_wishbone",
    "flexible_beam_twins",
    "flexible_slider_crank",
    "flyball_governor",
    "four_bar",
    "heavy_top",
    "overhead_crane",
    "passive_vehicle",
    "pendulum",
    "press",
    "quarter_car",
    "robot_arm",
    "robot_arm_flexible_link",
    "rocker",
    "servo_axis",
    "spatial_slider_crank",
    "stewart_platform",
    "vehicle",
    "washing_machine",
    "wheel_over_kerb",
];

fn example(name: &str) -> Model {
    let file = path("models").join(name).join("model.json");
    Model::from_file(&file).unwrap_or_else(|e| unreachable!("{name}: {e}"))
}

#[test]
fn every_folder_of_models_is_an_example_with_a_page() {
    let mut found: Vec<String> = std::fs::read_dir(path("models"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|folder| folder.is_dir())
        .map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, EXAMPLES);
    for name in EXAMPLES {
        let page = path("models").join(name).join("README.md");
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains("](picture.svg)"), "{name} shows its picture");
        assert_eq!(&example(name).mechanism.name, name);
    }
}

#[test]
fn joints_of_the_examples_close_where_the_file_places_the_bodies() {
    for name in EXAMPLES {
        let model = example(name);
        let place = |marker: fixstep_kernel::ids::MarkerId| {
            let marker = &model.mechanism.markers[marker.index()];
            let body = &model.mechanism.bodies[marker.body.index()];
            let axes = body.orientation * marker.orientation;
            (body.position + body.orientation * marker.position, axes)
        };
        for joint in &model.mechanism.joints {
            let ((p, r), (q, s)) = (place(joint.i), place(joint.j));
            let apart = match joint.kind {
                JointKind::Revolute | JointKind::Spherical | JointKind::Universal => p - q,
                JointKind::RollingWheel { radius, .. } => {
                    let normal = s.column(2);
                    let sine = r.column(2).cross(&normal).norm();
                    normal * (normal.dot(&(p - q)) - radius * sine)
                }
                // As long as the file places its ends.
                JointKind::Distance { length } => (p - q) * (1.0 - length / (p - q).norm()),
                JointKind::Planar => s.column(2) * s.column(2).dot(&(p - q)),
                _ => (p - q) - s.column(2) * s.column(2).dot(&(p - q)),
            };
            assert!(apart.norm() < 1e-14, "{name}: {}: {apart}", joint.name);
            if matches!(joint.kind, JointKind::Revolute | JointKind::Translational) {
                let skew = r.column(2).cross(&s.column(2)).norm();
                assert!(skew < 1e-14, "{name}: {}: {skew}", joint.name);
            }
            if joint.kind == JointKind::Universal {
                assert!(
                    r.column(0).dot(&s.column(1)).abs() < 1e-14,
                    "{name}: {}",
                    joint.name
                );
            }
        }
    }
}

#[test]
fn the_slider_crank_has_the_centres_of_its_source() {
    // Haug 1989: B = (0, 0.1, 0.2), C = (0.2, 0, 0) at the start.
    let model = example("spatial_slider_crank");
    let marker = |name: &str| {
        let marker = model
            .mechanism
            .markers
            .iter()
            .find(|m| m.name == name)
            .unwrap();
        let body = &model.mechanism.bodies[marker.body.index()];
        body.position + body.orientation * marker.position
    };
    assert!((marker("crank_pin") - fixstep_kernel::math::Vec3::new(0.0, 0.1, 0.2)).norm() < 1e-15);
    assert!((marker("rod_ball") - fixstep_kernel::math::Vec3::new(0.0, 0.1, 0.2)).norm() < 1e-15);
    assert!((marker("rod_cross") - fixstep_kernel::math::Vec3::new(0.2, 0.0, 0.0)).norm() < 1e-15);
    assert_eq!(model.mechanism.bodies[1].angular_velocity.unwrap().x, 6.0);
    assert_eq!(model.mechanism.bodies[2].angular_velocity, None);
}

#[test]
fn the_quarter_car_is_converted_from_millimetres() {
    let model = example("quarter_car");
    let ForceKind::TranslationalSpringDamper { stiffness, .. } = model.mechanism.forces[0].kind
    else {
        unreachable!("the suspension is a spring");
    };
    let ValueSource::Expression(stiffness) = model.mechanism.values[stiffness.index()].source
    else {
        unreachable!("its stiffness is a parameter");
    };
    assert_eq!(stiffness.to_si, 1000.0);
    let ValueSource::Constant(gravity) =
        model.mechanism.values[model.mechanism.gravity.numbers[2].index()].source
    else {
        unreachable!("gravity is a number");
    };
    assert!((gravity + 9.80665).abs() < 1e-15);
    assert_eq!(
        model.mechanism.bodies[BodyId(1).index()].kind,
        BodyKind::Rigid
    );
    // "tyre_force" reads "tyre_deflection", which therefore comes first.
    assert_eq!(
        model.mechanism.variables[0].quantity.name,
        "tyre_deflection"
    );
    let height = Leaf::Kinematic {
        measure: fixstep_kernel::mechanism::KinematicMeasure::Displacement(2),
        i: fixstep_kernel::ids::MarkerId(2),
        j: fixstep_kernel::ids::MarkerId(5),
        axes: fixstep_kernel::ids::MarkerId(5),
        frame: fixstep_kernel::ids::MarkerId(5),
        scale: 1000.0,
    };
    assert!(
        model.mechanism.leaves.contains(&height),
        "{:?}",
        model.mechanism.leaves
    );
}

/// Set this variable to write the schema instead of comparing it.
const REFRESH: &str = "FIXSTEP_WRITE_SCHEMA";

#[test]
fn the_published_schema_is_that_of_the_types() {
    let file = path("docs/model.schema.json");
    let current = super::super::json_schema();
    if std::env::var_os(REFRESH).is_some() {
        let text = serde_json::to_string_pretty(&current).unwrap() + "\n";
        std::fs::write(&file, text).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    let published: serde_json::Value = serde_json::from_str(&published).unwrap_or_default();
    assert!(
        published == current,
        "docs/model.schema.json is stale; refresh it with\n    \
         {REFRESH}=1 cargo test -p fixstep --lib --features schema published_schema"
    );
}

/// Programs that make classes of the schema call each by its title: `ForceElement17` tells nobody anything.
#[test]
fn every_variant_of_the_schema_has_a_title_of_its_own() {
    let schema = super::super::json_schema();
    let definitions = schema["$defs"].as_object().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for (name, definition) in definitions {
        let is_condition = |variant: &&serde_json::Value| {
            let fields = variant.as_object().unwrap();
            fields.keys().all(|key| key == "required")
        };
        for key in ["oneOf", "anyOf"] {
            let variants = definition[key].as_array().into_iter().flatten();
            for variant in variants.filter(|variant| !is_condition(variant)) {
                let title = variant["title"].as_str().unwrap_or_default();
                assert!(
                    !title.is_empty(),
                    "{name} has a variant without title: {variant}"
                );
                assert!(
                    seen.insert(title),
                    "{name}: {title} is the title of two variants"
                );
                let own = variant["$ref"].as_str() == Some(&format!("#/$defs/{title}"));
                let free = own || title == name.as_str() || !definitions.contains_key(title);
                assert!(free, "{name}: {title} is the name of another definition");
            }
        }
    }
    assert!(
        seen.contains("RevoluteJoint") && seen.contains("SpringDamper"),
        "{seen:?}"
    );
}

/// Words in back quotes of the reference, capitals and signatures split.
fn words_of_the_reference() -> std::collections::BTreeSet<String> {
    let page = super::text("docs/model-format.md");
    let quoted = page.split('`').skip(1).step_by(2);
    quoted
        .flat_map(|code| code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .map(str::to_owned)
        .collect()
}

/// The model with which the reference begins, as it stands there, does what the text says.
#[test]
fn the_first_model_of_the_reference_is_balanced() {
    let page = super::text("docs/model-format.md");
    let (_, rest) = page.split_once("## A first model").unwrap();
    let (_, rest) = rest.split_once("```jsonc\n").unwrap();
    let (model, _) = rest.split_once("\n```").unwrap();
    assert_eq!(super::problems(model), "");
    let mechanism = Model::from_json(model).unwrap().mechanism;
    let mut simulation = fixstep_kernel::simulation::Simulation::new(mechanism).unwrap();
    let opened = |simulation: &mut fixstep_kernel::simulation::Simulation, motor: f64| {
        simulation.set_input(fixstep_kernel::ids::InputId::from(0_usize), motor);
        simulation.initialize(0.0).unwrap();
        while simulation.time() < 9.9995 {
            simulation.step().unwrap();
        }
        simulation
            .output(fixstep_kernel::ids::OutputId::from(0_usize))
            .to_degrees()
    };
    // 1.31 N m/deg (90 deg - opening) + motor = 8 kg 9.81 m/s² 1.5 m cos opening
    let still = |angle: f64, motor: f64| {
        1.31 * (90.0 - angle) + motor
            - 8.0 * 9.81 * 1.5 * fixstep_kernel::math::cos(angle.to_radians())
    };
    let (closed, open) = (opened(&mut simulation, 0.0), opened(&mut simulation, 1e4));
    assert!(closed.abs() < 0.3 && open > 5.0, "{closed} {open}");
    assert!(still(closed, 0.0).abs() < 0.05, "{closed}");
    assert!(still(open, 10.0).abs() < 0.05, "{open}");
}

#[test]
fn the_reference_names_every_function() {
    let words = words_of_the_reference();
    for name in crate::resolve::lookup_names() {
        assert!(words.contains(name), "docs/model-format.md lacks {name}");
    }
    for function in crate::expr::FUNCTIONS {
        assert!(
            words.contains(function.name),
            "docs/model-format.md lacks {}",
            function.name
        );
    }
}

#[test]
fn the_reference_names_every_field_and_word() {
    fn collect(schema: &serde_json::Value, found: &mut Vec<String>) {
        match schema {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    if key == "properties" {
                        found.extend(value.as_object().unwrap().keys().cloned());
                    }
                    if key == "const" && value.is_string() {
                        found.push(value.as_str().unwrap().to_owned());
                    }
                    collect(value, found);
                }
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    collect(&super::super::json_schema(), &mut names);
    let words = words_of_the_reference();
    assert!(names.len() > 150);
    for name in names {
        for word in name.trim_start_matches('$').split('/') {
            assert!(words.contains(word), "docs/model-format.md lacks {word}");
        }
    }
}

/// The examples of the reference, each with its line.
fn examples_of_the_reference() -> Vec<(usize, String)> {
    let page = super::text("docs/model-format.md");
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (k, line) in page.lines().enumerate() {
        match &mut open {
            None if line.starts_with("```json") => open = Some((k + 2, String::new())),
            Some(_) if line.starts_with("```") => found.extend(open.take()),
            Some((_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    found
}

#[test]
fn the_examples_of_the_reference_have_known_fields_and_fitting_units() {
    let examples = examples_of_the_reference();
    assert!(examples.len() > 30);
    for (line, text) in examples {
        let fields = text.trim().trim_end_matches(',');
        let (whole, is_model) = match fields.strip_prefix('{') {
            // An entity alone, or a model.
            Some(_) if !fields.contains("fixstep") => (fields.to_owned(), false),
            Some(_) => (fields.to_owned(), true),
            None => (
                format!("{{\"fixstep\": 1, \"name\": \"x\", {fields}}}"),
                true,
            ),
        };
        let told = if is_model {
            super::problems(&whole)
        } else {
            crate::formatted("", &whole).map_or_else(|told| told.to_string(), |_| String::new())
        };
        // Fields of an entity.
        if told.contains("valid here: fixstep, name,") {
            continue;
        }
        let faults = [
            "unknown field",
            "does not fit",
            "expected",
            "is no number",
            "missing",
        ];
        let found = told.lines().find(|told| {
            let is_part = told.contains("the field \"name\" is missing")
                || told.contains("\"mass\" is missing");
            faults.iter().any(|fault| told.contains(fault)) && !is_part
        });
        assert_eq!(found, None, "docs/model-format.md:{line}");
    }
}

#[test]
fn the_chain_of_the_reference_is_a_model() {
    let examples = examples_of_the_reference();
    let (_, chain) = examples
        .iter()
        .find(|(_, text)| text.contains("\"count\": 20"))
        .unwrap();
    let template = r#"{"name": "link", "parameters": {"mass": "1 kg"}, "ports": {"before": "marker"},
        "parts": [{"name": "b", "mass": "${mass}", "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}}],
        "markers": [{"name": "begin", "part": "b"}, {"name": "end", "part": "b", "position": [0.1, 0, 0]}],
        "joints": [{"name": "h", "type": "spherical", "i": "begin", "j": "before"}]}"#;
    let text = format!(
        "{{\"fixstep\": 1, \"name\": \"chain\", \"gravity\": [0, 0, -9.81], \"templates\": [{template}], {chain}}}"
    );
    let model = crate::Model::from_json(&text).unwrap();
    let masses = model.mechanism.bodies.len();
    // Ground, and 19 links.
    assert_eq!(masses, 20);
}
