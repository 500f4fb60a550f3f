//! Control plane: puts the results of a reduction into the form of a flexible body's file.

use fixstep_kernel::flex::{FlexData, LoadCase, Mode, Node};
use fixstep_kernel::math::Vec3;

use super::ReduceError;
use super::condense::Condensed;
use super::integrals::invariants;
use super::options::{Load, Options, Reference};
use super::orthonormal::BodyModes;
use super::rigid::field;
use crate::fe::FeModel;
use crate::sparse::Columns;
use crate::strain::{self, Probe, Quantity};

/// Makes the body from the modes that are kept.
pub(super) fn assemble(
    model: &FeModel,
    options: &Options,
    condensed: &Condensed<'_>,
    modes: &BodyModes,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<FlexData, ReduceError> {
    let m = modes.frequencies.len();
    if m == 0 {
        return Err(ReduceError::Option(
            "no mode is left; valid: limits that keep at least one".to_owned(),
        ));
    }
    let shapes = condensed.expand_all(&modes.columns);
    let invariants = invariants(model, &shapes, progress)?;
    let mode = |j: usize| Mode {
        frequency: modes.frequencies[j],
        label: modes.labels[j].clone(),
    };
    let Kept {
        nodes,
        lines,
        faces,
    } = nodes(model, options, condensed, modes, &shapes);
    let load = |load: &Load| load_case(model, load, &shapes);
    let tensors = |what: &str, probes: &[Probe], quantity| {
        let points = strain::points(model, &shapes, probes, quantity);
        points.map_err(|message| ReduceError::Option(format!("{what}: {message}")))
    };
    let strains = tensors("strain", &options.strains, Quantity::Strain)?;
    let stresses = tensors(
        "stress",
        &options.stresses,
        Quantity::Stress(options.material),
    )?;
    let description = if options.description.is_empty() {
        format!(
            "Craig-Bampton, {} interfaces, {m} modes",
            condensed.interfaces.len()
        )
    } else {
        options.description.clone()
    };
    Ok(FlexData {
        description,
        sources: model.sources.clone(),
        modes: (0..m).map(mode).collect(),
        invariants,
        stiffness: (0..m * m)
            .map(|at| modes.stiffness[(at / m, at % m)])
            .collect(),
        nodes,
        lines,
        faces,
        preload: options.preload.as_ref().map(|preload| load(preload).modal),
        loads: options.loads.iter().map(load).collect(),
        stiffening: None,
        stresses,
        strains,
    })
}

/// Nodes of the body, and what is drawn between them.
struct Kept {
    nodes: Vec<Node>,
    lines: Vec<[usize; 2]>,
    faces: Vec<[usize; 4]>,
}

/// The nodes of the body, interfaces before recorded nodes, and the lines and faces between them.
fn nodes(
    model: &FeModel,
    options: &Options,
    condensed: &Condensed<'_>,
    modes: &BodyModes,
    shapes: &Columns,
) -> Kept {
    let mut places = vec![[None; 6]; model.nodes.len()];
    for (at, unknown) in model.unknowns.iter().enumerate() {
        places[unknown.node][unknown.direction] = Some(at);
    }
    let mut kept: Vec<Option<usize>> = vec![None; model.nodes.len()];
    let mut free = model.nodes.iter().map(|node| node.id).max().unwrap_or(0);
    let mut nodes = Vec::new();
    for (k, interface) in options.interfaces.iter().enumerate() {
        let name = Some(interface.name.clone());
        nodes.push(match &interface.at {
            Reference::Node(node) => {
                kept[*node] = Some(nodes.len());
                let given = model.nodes[*node];
                moving(name, given.id, given.position, &places[*node], shapes)
            }
            Reference::Spider { point, .. } => {
                free += 1;
                let mut own = [None; 6];
                for (at, d) in condensed
                    .directions
                    .iter()
                    .enumerate()
                    .filter(|(_, d)| d.interface == k)
                {
                    own[d.direction] = Some(condensed.interior + at);
                }
                moving(name, free, *point, &own, &modes.columns)
            }
        });
    }
    for node in &options.record {
        if kept[*node].is_none() {
            kept[*node] = Some(nodes.len());
            let given = model.nodes[*node];
            nodes.push(moving(
                None,
                given.id,
                given.position,
                &places[*node],
                shapes,
            ));
        }
    }
    let (mut lines, mut faces) = (Vec::new(), Vec::new());
    if options.lines {
        let between = |[a, b]: &[usize; 2]| Some([kept[*a]?, kept[*b]?]);
        lines.extend(model.edges.iter().filter_map(between));
        let among = |[a, b, c, d]: &[usize; 4]| Some([kept[*a]?, kept[*b]?, kept[*c]?, kept[*d]?]);
        faces.extend(model.faces.iter().filter_map(among));
    }
    Kept {
        nodes,
        lines,
        faces,
    }
}

/// A node with its displacement in each mode, from the rows `places` of the columns `shapes`.
fn moving(
    name: Option<String>,
    id: u64,
    position: Vec3,
    places: &[Option<usize>; 6],
    shapes: &Columns,
) -> Node {
    let part = |first: usize| {
        let of_mode =
            |shape: &[f64]| Vec3::from_fn(|k, _| places[first + k].map_or(0.0, |at| shape[at]));
        shapes.iter().map(of_mode).collect()
    };
    Node {
        id,
        name,
        position,
        freedom: places.map(|place| place.is_some()),
        translation: part(0),
        rotation: part(3),
    }
}

fn load_case(model: &FeModel, load: &Load, shapes: &Columns) -> LoadCase {
    let power = |motion: &[f64]| {
        load.forces
            .iter()
            .map(|(at, force)| motion[*at] * force)
            .sum::<f64>()
    };
    let rigid: Vec<f64> = (0..6)
        .map(|k| power(&field(model, k, &Vec3::zeros())))
        .collect();
    LoadCase {
        name: load.name.clone(),
        modal: shapes.iter().map(power).collect(),
        force: Vec3::new(rigid[0], rigid[1], rigid[2]),
        torque: Vec3::new(rigid[3], rigid[4], rigid[5]),
    }
}
