//! Control plane: writes `documentation/index.html`, the page that an FMU's user reads first.

use std::fmt::Write as _;

use fixstep_kernel::mechanism::Mechanism as Resolved;
use fixstep_kernel::seconds::Seconds;
use model_description::parse::{Causality, Description, FmiVersion, Type, Variability, Variable};

use crate::markup::escape;
use crate::mechanism::{Mechanism, units};
use crate::slave::size;

const STYLE: &str = "\
:root{color-scheme:light}*{box-sizing:border-box}\
body{font:16px/1.55 'Inter','Segoe UI',system-ui,'Helvetica Neue',Arial,sans-serif;color:#24313d;\
background:#f5f7f9;margin:0}\
main{max-width:62rem;margin:0 auto;padding:2.5rem 1.5rem 4rem;background:#fff;min-height:100vh;\
box-shadow:0 0 24px #0b4f7d14}\
header{display:flex;gap:1.4rem;align-items:center;margin-bottom:1.5rem}\
header svg{width:88px;height:88px;flex:none}h1{margin:0;font-size:1.9rem;line-height:1.2}\
h2{margin:2.4rem 0 .6rem;font-size:1.25rem;border-bottom:2px solid #e4e9ee;padding-bottom:.3rem}\
.about{color:#5b6a78;margin:.25rem 0 0}table{border-collapse:collapse;width:100%;font-size:.92rem}\
th{text-align:left;font-weight:600;color:#5b6a78;border-bottom:1px solid #c8d2da;padding:.35rem .7rem .35rem 0}\
td{border-bottom:1px solid #eef1f4;padding:.35rem .7rem .35rem 0;vertical-align:top}\
td.u{white-space:nowrap}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}th.n{text-align:right}\
code{font:.88em/1.4 ui-monospace,'Cascadia Mono',Consolas,monospace;background:#f1f4f7;\
border-radius:4px;padding:.08em .35em;white-space:nowrap}\
img{max-width:100%}.scroll{overflow-x:auto}footer{margin-top:3rem;color:#5b6a78;font-size:.88rem}a{color:#0072b2}";

/// The page; if `picture` is true, the picture of the mechanism is beside it.
pub(super) fn html(model: &Resolved, description: &Description, picture: bool) -> String {
    let mut page = String::new();
    head(&mut page, description);
    if picture {
        page.push_str("<img src=\"mechanism.png\" alt=\"The mechanism at its start\">\n");
    }
    glance(&mut page, model, description);
    interface(&mut page, description);
    mechanism(&mut page, model);
    usage(&mut page, description.version);
    page.push_str(
        "<h2>Licence</h2>\n<p>The solver inside this FMU is licensed under MIT OR Apache-2.0; its \
         text and what it is made of stand in <a href=\"licenses/license.txt\">license.txt</a>. \
         The model belongs to its author.</p>\n",
    );
    let tool = escape(&description.generation_tool);
    let _ = write!(
        page,
        "<footer>Written by {tool}.</footer>\n</main>\n</body>\n</html>\n"
    );
    page
}

fn head(page: &mut String, description: &Description) {
    let name = escape(&description.name);
    let version = escape(&description.fmi_version);
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header>{}<div><h1>{name}</h1><p class=\"about\">A mechanism as a co-simulation FMU \
         (FMI {version}), advanced in fixed steps of fixed work</p></div></header>\n",
        include_str!("../../assets/icon.svg").trim_end()
    );
    if !description.description.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escape(&description.description));
    }
}

fn glance(page: &mut String, model: &Resolved, description: &Description) {
    let units: Vec<&str> = units(model)
        .into_iter()
        .map(|unit| unit.name.as_str())
        .collect();
    let experiment = model.experiment;
    let seconds = |value: f64| format!("{} s", Seconds(value));
    let identifier = description
        .co_simulation
        .as_ref()
        .map(|cs| cs.model_identifier.as_str());
    let rows = [
        (
            "Run",
            format!(
                "{} to {}",
                seconds(experiment.start),
                seconds(experiment.stop)
            ),
        ),
        ("Communication step", seconds(experiment.step)),
        (
            "Integration steps in one communication step",
            model.solver.hratio.to_string(),
        ),
        (
            "Newton iterations in one integration step",
            model.solver.fixit.to_string(),
        ),
        (
            "Units of the model (length, mass, force, time, angle)",
            units.join(", "),
        ),
        (
            "Model identifier",
            format!("<code>{}</code>", escape(identifier.unwrap_or_default())),
        ),
        (
            "Token",
            format!("<code>{}</code>", escape(&description.token)),
        ),
    ];
    page.push_str("<h2>At a glance</h2>\n<table>\n");
    for (name, value) in rows {
        let _ = writeln!(page, "<tr><td>{name}</td><td>{value}</td></tr>");
    }
    page.push_str("</table>\n");
}

/// Tables of variables, by purpose.
fn interface(page: &mut String, description: &Description) {
    let of_solver = |variable: &&Variable| {
        ["solver.", "rti.", "energy.", "power."]
            .iter()
            .any(|prefix| variable.name.starts_with(prefix))
    };
    let with = |causality: Causality, solver: bool| {
        let variables = description.variables.iter();
        variables
            .filter(|variable| variable.causality == causality)
            .filter(|variable| of_solver(variable) == solver)
            .collect::<Vec<_>>()
    };
    let sections = [
        ("Inputs", "", with(Causality::Input, false)),
        ("Outputs", "", with(Causality::Output, false)),
        (
            "Parameters",
            "Tunable parameters may be set between steps, the others before the run only.",
            with(Causality::Parameter, false),
        ),
        (
            "Local variables",
            "May be read at any time: states, sensors, poses and what else the model shows within.",
            with(Causality::Local, false),
        ),
        (
            "Settings of the solver",
            "To be set before initialization ends.",
            with(Causality::Parameter, true),
        ),
        (
            "Figures of the solver",
            "May be read at any time; they tell how good and how fast the steps are.",
            [with(Causality::Local, true), with(Causality::Output, true)].concat(),
        ),
    ];
    for (title, text, variables) in sections {
        if !variables.is_empty() {
            let _ = writeln!(page, "<h2>{title}</h2>");
            if !text.is_empty() {
                let _ = writeln!(page, "<p>{text}</p>");
            }
            table(page, description, &variables);
        }
    }
}

fn table(page: &mut String, description: &Description, variables: &[&Variable]) {
    let starts = variables.iter().any(|variable| !variable.start.is_empty());
    let bounds = variables
        .iter()
        .any(|variable| variable.min.is_some() || variable.max.is_some());
    page.push_str("<div class=\"scroll\"><table>\n<tr><th>Name</th><th>Unit or type</th>");
    page.push_str(if starts {
        "<th class=\"n\">Start</th>"
    } else {
        ""
    });
    page.push_str(if bounds {
        "<th class=\"n\">Least</th><th class=\"n\">Most</th>"
    } else {
        ""
    });
    page.push_str("<th>Description</th></tr>\n");
    for variable in variables {
        let unit = match (variable.unit.as_str(), variable.kind) {
            ("", Type::Float64 | Type::Float32) => "\u{2013}".to_owned(),
            ("", kind) => format!("<i>{kind:?}</i>").to_lowercase(),
            (unit, _) => escape(unit),
        };
        let size = if variable.is_array() {
            format!("[{}]", size(description, variable))
        } else {
            String::new()
        };
        let _ = write!(
            page,
            "<tr><td><code>{}</code>{size}</td><td class=\"u\">{unit}</td>",
            escape(&variable.name)
        );
        if starts {
            let _ = write!(
                page,
                "<td class=\"n\">{}</td>",
                start(description, variable)
            );
        }
        if bounds {
            for bound in [&variable.min, &variable.max] {
                let _ = write!(
                    page,
                    "<td class=\"n\">{}</td>",
                    escape(bound.as_deref().unwrap_or(""))
                );
            }
        }
        let tunable = if variable.variability == Variability::Tunable {
            " <i>(tunable)</i>"
        } else {
            ""
        };
        let _ = writeln!(
            page,
            "<td>{}{tunable}</td></tr>",
            escape(&variable.description)
        );
    }
    page.push_str("</table></div>\n");
    other_names(page, variables);
}

/// Other names of variables.
fn other_names(page: &mut String, variables: &[&Variable]) {
    for variable in variables {
        for alias in &variable.aliases {
            let (alias, name) = (escape(&alias.name), escape(&variable.name));
            let _ = writeln!(
                page,
                "<p><code>{alias}</code> is another name of <code>{name}</code>.</p>"
            );
        }
    }
}

/// Start value; an enumeration's by its item's name.
fn start(description: &Description, variable: &Variable) -> String {
    let text = variable.start.join(" ");
    let declared = description
        .types
        .iter()
        .find(|of| of.name == variable.declared_type);
    let item = declared.and_then(|of| of.items.iter().find(|item| item.value.to_string() == text));
    escape(item.map_or(text.as_str(), |item| &item.name))
}

/// The moving parts and their connections.
fn mechanism(page: &mut String, model: &Resolved) {
    let mechanism = Mechanism::of(model);
    page.push_str("<h2>Mechanism</h2>\n");
    let mut rows: Vec<[String; 3]> = Vec::new();
    for body in &mechanism.bodies {
        rows.push([body.kind.to_owned(), body.name.clone(), String::new()]);
    }
    for connection in &mechanism.connections {
        let [i, j] =
            [&connection.i, &connection.j].map(|at| format!("{} on {}", at.marker, at.body));
        let between = format!("{i} \u{2013} {j}");
        rows.push([connection.kind.to_owned(), connection.name.clone(), between]);
    }
    page.push_str(
        "<div class=\"scroll\"><table>\n<tr><th>What</th><th>Name</th><th>Between</th></tr>\n",
    );
    for [kind, name, text] in rows {
        let (name, text) = (escape(&name), escape(&text));
        let _ = writeln!(
            page,
            "<tr><td>{kind}</td><td><code>{name}</code></td><td>{text}</td></tr>"
        );
    }
    page.push_str("</table></div>\n");
}

fn usage(page: &mut String, version: FmiVersion) {
    let ended = match version {
        FmiVersion::V2 => {
            "<code>fmi2DoStep</code> returns <code>fmi2Discard</code> with <code>terminated</code>"
        }
        FmiVersion::V3 => "<code>fmi3DoStep</code> sets <code>terminateSimulation</code>",
    };
    let _ = write!(
        page,
        "<h2>How to run it</h2>\n<ul>\n\
         <li>Any positive communication step is accepted. The integration step is the communication \
         step divided by <code>solver.hratio</code>.</li>\n\
         <li>Each integration step does the same work: <code>solver.fixit</code> Newton iterations, \
         whatever the data. The same inputs give the same bits on every run.</li>\n\
         <li>If the local error passes <code>solver.maxerr</code>, or a number is not finite, the run \
         ends: {ended}, the log says why, and the state stays that of the last good step.</li>\n\
         <li>A Real Time Index (wall time of a step divided by its size) below 1 means faster than \
         real time. It may be read from <code>rti.last</code>, <code>rti.average</code> and \
         <code>rti.max</code>; a report is logged at the end.</li>\n</ul>\n"
    );
}
