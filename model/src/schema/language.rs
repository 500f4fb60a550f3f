//! Control plane: the published schema of models as people write them: the flat format, with units, includes, constants,
//! templates and instances.

use serde_json::{Map, Value, json};

/// The text that stands for all instances in a list of entities.
pub(crate) const HERE: &str = "instances";

/// Lists that belong to the model as a whole: what is in them would not be the same for every instance.
pub(crate) const OF_THE_MODEL: [&str; 2] = ["plant_inputs", "plant_outputs"];

/// What templates call their parameters of the FMU: `parameters` are those of the template.
pub(crate) const FMU_PARAMETERS: &str = "fmu_parameters";

/// Kinds of ports, and the lists whose entities they take; `ground` is a part and a marker.
pub(crate) const PORTS: &[(&str, &[&str])] = &[
    ("part", &["parts", "point_masses", "flexible_bodies"]),
    ("marker", &["markers"]),
    ("joint", &["joints"]),
    ("force", &["forces"]),
    ("motion", &["motions"]),
    (
        "signal",
        &[
            "inputs",
            "parameters",
            "variables",
            "transfer_functions",
            "pid_controllers",
        ],
    ),
    (
        "state",
        &[
            "differential_equations",
            "linear_state_equations",
            "general_state_equations",
        ],
    ),
    ("sampled_system", &["sampled_systems"]),
    ("sensor", &["sensors"]),
    ("array", &["arrays"]),
    ("spline", &["splines"]),
    ("curve", &["curves"]),
    ("road", &["roads"]),
    ("shape", &["shapes"]),
    ("string", &["strings"]),
    ("macro", &["macros"]),
];

/// A number with a unit, or a text with `${…}`.
const QUANTITY: &str = r"^\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\s*[A-Za-z°%µμ1].*$|\$\{";
/// A text with `${…}`.
const BRACKETS: &str = r"\$\{";

/// Extends the schema of flat models.
pub(super) fn extended(mut schema: Value) -> Value {
    let lists = lists(&schema);
    numbers(&mut schema);
    let flat: Map<String, Value> = lists
        .iter()
        .map(|list| (list.clone(), schema["properties"][list.as_str()].clone()))
        .collect();
    for list in &lists {
        conditions(&mut schema, list);
        let items = &mut schema["properties"][list.as_str()]["items"];
        let own = items.take();
        *items = with_instances(&own);
    }
    let defaults = defaults(&schema, &lists);
    schema["$defs"]["Defaults"] = defaults;
    schema["$defs"]["Template"] = template(&flat);
    schema["$defs"]["Instance"] = instance();
    let properties = &mut schema["properties"];
    properties["include"] = json!({
        "description": "Files whose constants, templates, instances and lists are taken over; paths count from this file.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    });
    properties["constants"] = json!({
        "description": "Named values for texts with ${…}, in the units of the file or with their own: \"2.7 m\".",
        "type": "object",
        "additionalProperties": {"type": ["number", "string", "boolean", "array"]}
    });
    properties["defaults"] = json!({"$ref": "#/$defs/Defaults"});
    properties["templates"] = json!({
        "description": "Templates: entities that instances repeat, with parameters and ports.",
        "type": "array",
        "items": {"$ref": "#/$defs/Template"}
    });
    properties["instances"] = json!({
        "description": "Instances of templates.",
        "type": "array",
        "items": {"$ref": "#/$defs/Instance"}
    });
    schema
}

/// The lists of entities.
fn lists(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let entities = properties
        .filter(|(_, list)| list["items"]["$ref"].is_string() && list["maxItems"].is_null());
    entities.map(|(name, _)| name.clone()).collect()
}

/// An entity, or the place of those of the instances.
fn with_instances(entity: &Value) -> Value {
    let place = json!({
        "const": HERE,
        "description": "Here come the entities of all instances that have no place of their own. Default: at the end."
    });
    let one = json!({
        "description": "Here come the entities of the instance with this name.",
        "type": "string",
        "pattern": r"^[A-Za-z_][A-Za-z0-9_]*(\[[0-9]+\])?$|\$\{"
    });
    json!({"anyOf": [entity, place, one]})
}

/// Fields that every entity has for itself.
const OF_ITS_OWN: [&str; 4] = ["name", "type", "class", "when"];

/// Fields that entities have by default: for each list, each type, and each class of either.
fn defaults(schema: &Value, lists: &[String]) -> Value {
    let mut properties = Map::new();
    let mut patterns = Map::new();
    for list in lists {
        let name = definition(schema, list);
        let entity = &schema["$defs"][name];
        let path = format!("#/$defs/{name}");
        let variants: Vec<(String, &Value)> = match entity["oneOf"].as_array() {
            Some(variants) => (0..)
                .zip(variants)
                .map(|(k, variant)| (format!("{path}/oneOf/{k}"), variant))
                .collect(),
            None => vec![(path, entity)],
        };
        let mut all = Map::new();
        for (path, variant) in &variants {
            let own = variant["properties"].as_object().into_iter().flatten();
            let fields: Map<String, Value> = own
                .filter(|(field, _)| !OF_ITS_OWN.contains(&field.as_str()))
                .map(|(field, _)| {
                    let place = json!({"$ref": format!("{path}/properties/{field}")});
                    (field.clone(), place)
                })
                .collect();
            if let Some(word) = variant["properties"]["type"]["const"].as_str() {
                let key = format!("{list}/{word}");
                let about = format!("Of all entities of {list} with the type {word}.");
                add_kind((&mut properties, &mut patterns), &key, &about, &fields);
                // Among all types, a field may be what any of them has.
                all.extend(fields.into_iter().map(|(field, _)| (field, json!({}))));
            } else {
                all.extend(fields);
            }
        }
        let about = format!("Of all {list}.");
        add_kind((&mut properties, &mut patterns), list, &about, &all);
    }
    json!({
        "description": "Fields that entities have unless they give their own: of a list, as parts; of a type, as forces/bushing; of a \
                        class, as forces/bushing:soft.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "patternProperties": patterns
    })
}

/// Adds a kind of entities to the schema of defaults, and its classes.
fn add_kind(
    (properties, patterns): (&mut Map<String, Value>, &mut Map<String, Value>),
    key: &str,
    about: &str,
    fields: &Map<String, Value>,
) {
    let object = json!({
        "description": about, "type": "object", "additionalProperties": false, "properties": fields
    });
    properties.insert(key.to_owned(), object);
    let class = json!({"$ref": format!("#/$defs/Defaults/properties/{}", key.replace('/', "~1"))});
    patterns.insert(format!("^{key}:.+$"), class);
}

/// The definition of the entities of a list.
fn definition<'a>(schema: &'a Value, list: &str) -> &'a str {
    let reference = schema["properties"][list]["items"]["$ref"].as_str();
    let own = || {
        let choices = schema["properties"][list]["items"]["anyOf"].as_array();
        choices
            .into_iter()
            .flatten()
            .find_map(|one| one["$ref"].as_str())
    };
    let path = reference.or_else(own).unwrap_or_default();
    path.rsplit('/').next().unwrap_or(path)
}

/// Lets every entity of a list have a condition and a class.
fn conditions(schema: &mut Value, list: &str) {
    let reference = schema["properties"][list]["items"]["$ref"].as_str();
    let name = reference
        .and_then(|path| path.rsplit('/').next())
        .map(str::to_owned);
    let Some(name) = name else { return };
    let condition = json!({
        "description": "Is the entity there? true, false, or a number, which is false if it is 0. Default: true.",
        "type": ["boolean", "number", "string"]
    });
    let class = json!({
        "description": "The class whose defaults it has, besides those of its kind. Default: none.",
        "type": "string"
    });
    let entity = &mut schema["$defs"][name.as_str()];
    let add = |entity: &mut Value| {
        if let Some(properties) = entity.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert("when".to_owned(), condition.clone());
            properties.insert("class".to_owned(), class.clone());
        }
    };
    if entity["properties"].is_object() {
        add(entity);
    }
    if let Some(variants) = entity.get_mut("oneOf").and_then(Value::as_array_mut) {
        variants.iter_mut().for_each(add);
    }
}

/// Lets every number have a unit, and every number and list be a text with `${…}`.
fn numbers(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let types: Vec<String> = match map.get("type") {
                Some(Value::String(word)) => vec![word.clone()],
                Some(Value::Array(words)) => words
                    .iter()
                    .filter_map(|w| w.as_str().map(str::to_owned))
                    .collect(),
                _ => Vec::new(),
            };
            let is = |kind: &str| types.iter().any(|word| word == kind);
            let pattern = if is("number") {
                Some(QUANTITY)
            } else if is("integer") && !map.contains_key("const")
                || is("boolean")
                || is("array") && map.contains_key("minItems")
            {
                Some(BRACKETS)
            } else {
                None
            };
            if let Some(pattern) = pattern.filter(|_| !is("string")) {
                let mut words = types;
                words.push("string".to_owned());
                map.insert("type".to_owned(), json!(words));
                map.insert("pattern".to_owned(), json!(pattern));
            }
            map.values_mut().for_each(numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(numbers),
        _ => {}
    }
}

fn template(flat: &Map<String, Value>) -> Value {
    let kinds: Vec<&str> = PORTS.iter().map(|(kind, _)| *kind).collect();
    let mut properties = json!({
        "name": {"description": "Name.", "type": "string"},
        "description": {"description": "Free text.", "type": "string"},
        "parameters": {
            "description": "Names with their default values; null: every instance gives one. Texts with ${…} read them.",
            "type": "object",
            "additionalProperties": {"anyOf": [
                {"type": ["number", "string", "boolean", "array", "null"]},
                {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "default": {"description": "Default: every instance gives a value."},
                        "unit": {"description": "Unit of values without one.", "type": "string"},
                        "values": {"description": "The valid values. Default: all.", "type": "array"},
                        "file": {"description": "Is it the path of a file, from the file that gives the value? Default: false.", "type": "boolean"},
                        "description": {"description": "Free text.", "type": "string"}
                    }
                }
            ]}
        },
        "ports": {
            "description": "What every instance connects: names with the kind of what they take.",
            "type": "object",
            "additionalProperties": {"anyOf": [
                {"enum": kinds},
                {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["kind"],
                    "properties": {
                        "kind": {"description": "Kind of what it takes.", "enum": kinds},
                        "description": {"description": "Free text.", "type": "string"}
                    }
                }
            ]}
        },
        "instances": {
            "description": "Instances of other templates.",
            "type": "array",
            "items": {"$ref": "#/$defs/Instance"}
        }
    });
    properties["defaults"] = json!({"$ref": "#/$defs/Defaults"});
    for (list, property) in flat {
        if !OF_THE_MODEL.contains(&list.as_str()) {
            let mut property = property.clone();
            let items = property["items"].take();
            property["items"] = with_instances(&items);
            let key = match list.as_str() {
                "parameters" => FMU_PARAMETERS,
                list => list,
            };
            properties[key] = property;
        }
    }
    json!({
        "description": "Entities that instances repeat. Their axes are those of the instance; names in them are their own.",
        "type": "object",
        "additionalProperties": false,
        "required": ["name"],
        "properties": properties
    })
}

fn instance() -> Value {
    let vector = json!({"type": ["number", "string"]});
    json!({
        "description": "Entities of a template, at a place, with values for its parameters and ports.",
        "type": "object",
        "additionalProperties": false,
        "required": ["template"],
        "oneOf": [{"required": ["name"]}, {"required": ["pair"]}],
        "properties": {
            "name": {"description": "Name: letters, digits and _. What is in it is called NAME.ENTITY, in an array NAME[k].ENTITY.", "type": "string"},
            "pair": {"description": "In the place of name: the names of two instances. The second is the mirror image of the first, y → −y in the axes of what they are in.", "type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            "template": {"description": "The template.", "type": "string"},
            "description": {"description": "Free text.", "type": "string"},
            "count": {"description": "Number of elements of an array of instances; they are counted from 1. Default: it is no array.", "type": ["integer", "string"]},
            "when": {"description": "Is the instance there? true, false, or a number, which is false if it is 0. Default: true.", "type": ["boolean", "number", "string"]},
            "at": {"description": "A marker of what the instance is in, or of another instance there: position and orientation are in its axes. Default: the axes of what the instance is in.", "type": "string"},
            "position": {"description": "Origin in the axes of what the instance is in [length]. Default: [0, 0, 0].", "type": ["array", "string"], "items": vector, "minItems": 3, "maxItems": 3},
            "orientation": {"description": "Axes in those of what the instance is in. Default: the same.", "$ref": "#/$defs/Orientation"},
            "mirrored": {"description": "Is it the mirror image, y → −y in the axes of the template? Default: false.", "type": ["boolean", "string"]},
            "parameters": {"description": "Values of parameters of the template.", "type": "object"},
            "ports": {"description": "What each port of the template is connected to.", "type": "object", "additionalProperties": {"type": ["string", "number"]}},
            "overrides": {"description": "Fields of entities of the template that are different here: {\"spring\": {\"stiffness\": 5}}; null takes a field away.", "type": "object", "additionalProperties": {"type": "object"}},
            "elements": {"description": "Fields of this instance that are different in one element of an array or a pair: {\"1\": {\"ports\": {…}}}, {\"right\": {…}}.", "type": "object", "additionalProperties": {"type": "object"}}
        }
    })
}
