//! Control plane: describes an FMU or a model, as text for people and as JSON for programs.

use std::fmt::{self, Write as _};

use fixstep_kernel::seconds::Seconds;
use model_description::parse::{Description, Variable};
use serde::Serialize;

use crate::csv::number;
use crate::mechanism::Mechanism;
use crate::slave::size;

/// An inspected file.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// Model name.
    pub name: String,
    /// The description, as free text.
    pub description: String,
    /// FMI version; empty: a model, not an FMU.
    pub fmi_version: String,
    /// GUID or instantiation token.
    pub token: String,
    /// Exporter; empty: not given.
    pub generation_tool: String,
    /// Default experiment (s).
    pub experiment: Experiment,
    /// Paths of the binaries inside the FMU.
    pub binaries: Vec<String>,
    /// The mechanism, if the file holds one.
    pub mechanism: Option<Mechanism>,
    /// Notes of the solver: redundant constraints it removed, settings it ignores.
    pub notes: Vec<String>,
    /// All variables.
    pub variables: Vec<Row>,
}

/// Default experiment (s), as far as given.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Experiment {
    /// Start time.
    pub start: Option<f64>,
    /// Stop time.
    pub stop: Option<f64>,
    /// Communication step.
    pub step: Option<f64>,
}

/// A variable.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name.
    pub name: String,
    /// Value reference.
    pub reference: u32,
    /// Type.
    pub kind: String,
    /// Causality.
    pub causality: String,
    /// Variability.
    pub variability: String,
    /// Unit; empty: none.
    pub unit: String,
    /// Start value; empty: none.
    pub start: String,
    /// Lower bound.
    pub min: Option<String>,
    /// Upper bound.
    pub max: Option<String>,
    /// The description, as free text.
    pub description: String,
}

impl Inspection {
    /// Collects the data of a description.
    pub fn of(description: &Description) -> Self {
        let default = &description.default_experiment;
        let rows = description
            .variables
            .iter()
            .map(|variable| row(description, variable));
        Self {
            name: description.name.clone(),
            description: description.description.clone(),
            fmi_version: description.fmi_version.clone(),
            token: description.token.clone(),
            generation_tool: description.generation_tool.clone(),
            experiment: Experiment {
                start: default.start,
                stop: default.stop,
                step: default.step,
            },
            binaries: Vec::new(),
            mechanism: None,
            notes: Vec::new(),
            variables: rows.collect(),
        }
    }
}

fn row(description: &Description, variable: &Variable) -> Row {
    let start = variable.start.join(" ");
    let declared = description
        .types
        .iter()
        .find(|of| of.name == variable.declared_type);
    let item = declared.and_then(|of| of.items.iter().find(|item| item.value.to_string() == start));
    Row {
        name: variable.name.clone(),
        reference: variable.reference,
        kind: if variable.is_array() {
            format!("{:?}[{}]", variable.kind, size(description, variable))
        } else {
            format!("{:?}", variable.kind)
        },
        causality: lower_camel(&format!("{:?}", variable.causality)),
        variability: lower_camel(&format!("{:?}", variable.variability)),
        unit: variable.unit.clone(),
        start: item.map_or(start, |item| item.name.clone()),
        min: variable.min.clone(),
        max: variable.max.clone(),
        description: variable.description.clone(),
    }
}

/// `CalculatedParameter` as FMI writes it.
fn lower_camel(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if !self.fmi_version.is_empty() {
            write!(f, "  (FMI {} co-simulation", self.fmi_version)?;
            if !self.generation_tool.is_empty() {
                write!(f, ", by {}", self.generation_tool)?;
            }
            f.write_str(")")?;
        }
        f.write_str("\n")?;
        if !self.description.is_empty() {
            writeln!(f, "{}", self.description)?;
        }
        let told = |value: Option<f64>, what: &str| {
            value.map(|value| format!("{what} {} s", Seconds(value)))
        };
        let Experiment { start, stop, step } = self.experiment;
        let times = [told(start, "start"), told(stop, "stop"), told(step, "step")];
        let times: Vec<String> = times.into_iter().flatten().collect();
        if !times.is_empty() {
            writeln!(f, "\nDefault experiment: {}", times.join(", "))?;
        }
        if !self.binaries.is_empty() {
            writeln!(f, "Binaries: {}", self.binaries.join(", "))?;
        }
        if let Some(mechanism) = &self.mechanism {
            write_mechanism(f, mechanism)?;
        }
        if !self.notes.is_empty() {
            writeln!(f, "\nNotes of the solver")?;
            for note in &self.notes {
                writeln!(f, "  {note}")?;
            }
        }
        writeln!(f, "\nVariables")?;
        let rows = self.variables.iter().map(|row| {
            let range = match (&row.min, &row.max) {
                (None, None) => String::new(),
                (min, max) => format!(
                    "{} \u{2026} {}",
                    min.as_deref().unwrap_or(""),
                    max.as_deref().unwrap_or("")
                ),
            };
            let causality = format!("{} {}", row.variability, row.causality);
            [
                &row.name,
                &causality,
                &row.kind,
                &row.unit,
                &row.start,
                &range,
                &row.description,
            ]
            .map(Clone::clone)
        });
        let head = [
            "name",
            "causality",
            "type",
            "unit",
            "start",
            "range",
            "description",
        ];
        write_table(f, head.map(str::to_owned), rows)
    }
}

fn write_mechanism(f: &mut fmt::Formatter<'_>, mechanism: &Mechanism) -> fmt::Result {
    let Mechanism {
        coordinates,
        joint_equations,
        motion_equations,
        gruebler_count,
        ..
    } = mechanism;
    let [length, mass, force, time, angle] = &mechanism.units;
    writeln!(f, "Units: {length}, {mass}, {force}, {time}, {angle}")?;
    writeln!(
        f,
        "Degrees of freedom by count: {coordinates} coordinates \u{2212} {joint_equations} equations of \
         joints \u{2212} {motion_equations} of motions = {gruebler_count}"
    )?;
    writeln!(f, "\nBodies")?;
    let rows = mechanism.bodies.iter().map(|body| {
        let weight = body.mass.map_or("expression".to_owned(), |value| {
            format!("{} {mass}", number(value))
        });
        [body.name.clone(), body.kind.to_owned(), weight]
    });
    write_table(f, ["name", "kind", "mass"].map(str::to_owned), rows)?;
    if mechanism.connections.is_empty() {
        return Ok(());
    }
    writeln!(f, "\nConnections")?;
    let rows = mechanism.connections.iter().map(|connection| {
        let [i, j] =
            [&connection.i, &connection.j].map(|at| format!("{} on {}", at.marker, at.body));
        let equations = match connection.equations {
            0 => String::new(),
            count => format!("{count}"),
        };
        [
            connection.name.clone(),
            connection.kind.to_owned(),
            i,
            j,
            equations,
        ]
    });
    let head = ["name", "kind", "marker I", "marker J", "equations"];
    write_table(f, head.map(str::to_owned), rows)
}

/// Columns as wide as needed, the last one as it comes.
fn write_table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    head: [String; N],
    rows: impl Iterator<Item = [String; N]>,
) -> fmt::Result {
    let rows: Vec<[String; N]> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    for row in &rows {
        let mut line = String::from(" ");
        for (text, width) in row.iter().zip(&widths) {
            write!(line, " {text:<width$} ")?;
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use model_description::parse::description;

    use super::*;

    #[test]
    fn tables_line_up_and_json_is_complete() {
        let xml = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t" generationTool="tool">
<CoSimulation modelIdentifier="m"/><ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="angle.of.hinge" valueReference="1" causality="output" unit="rad"/>
<Int32 name="n" valueReference="2" causality="calculatedParameter" variability="fixed" min="0"/>
</ModelVariables><ModelStructure/></fmiModelDescription>"#;
        let inspection = Inspection::of(&description(xml).unwrap());
        let text = inspection.to_string();
        let column = |line: &str| {
            text.lines()
                .find(|l| l.contains(line))
                .unwrap()
                .find("  Float64")
        };
        assert!(column("angle.of.hinge").is_some());
        assert_eq!(column("angle.of.hinge"), column("time "));
        assert!(text.contains("m  (FMI 3.0 co-simulation, by tool)"));
        let json = serde_json::to_value(&inspection).unwrap();
        assert_eq!(json["variables"][2]["causality"], "calculatedParameter");
        assert_eq!(json["variables"][2]["min"], "0");
    }
}
