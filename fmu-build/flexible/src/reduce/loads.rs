//! Control plane: load cases as tables of forces at nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::options::DIRECTIONS;
use crate::fe::FeModel;

/// The columns of a table: the node, three forces, and three torques that may be absent.
const COLUMNS: [&str; 7] = ["node", "fx", "fy", "fz", "mx", "my", "mz"];

/// Reads lines `node,fx,fy,fz` or `node,fx,fy,fz,mx,my,mz` under a line with these names: forces \[N\] and
/// torques [N m] by unknown. The error names the line.
pub fn table(text: &str, model: &FeModel) -> Result<Vec<(usize, f64)>, String> {
    let ids: BTreeMap<u64, usize> = model.nodes.iter().map(|node| node.id).zip(0..).collect();
    let unknowns = model.unknowns.iter().map(|u| (u.node, u.direction));
    let places: BTreeMap<(usize, usize), usize> = unknowns.zip(0..).collect();
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let names: Vec<&str> = lines
        .next()
        .map_or("", |(_, line)| line)
        .split(',')
        .map(str::trim)
        .collect();
    if names != COLUMNS[..4] && names != COLUMNS {
        let (short, long) = (COLUMNS[..4].join(","), COLUMNS.join(","));
        return Err(format!(
            "line 1: the columns are {}; valid: {short} or {long}",
            names.join(",")
        ));
    }
    let (mut forces, mut seen) = (Vec::new(), BTreeSet::new());
    for (at, line) in lines {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != names.len() {
            return Err(format!(
                "line {at}: {} fields for {} columns",
                fields.len(),
                names.len()
            ));
        }
        let node = fields[0].parse().ok().and_then(|id: u64| ids.get(&id));
        let Some(node) = node else {
            return Err(format!(
                "line {at}: {:?} is not a node of the model",
                fields[0]
            ));
        };
        if !seen.insert(*node) {
            return Err(format!(
                "line {at}: node {} appears twice; valid: once, with the sum of its forces",
                fields[0]
            ));
        }
        for (direction, field) in fields[1..].iter().enumerate() {
            let value: Option<f64> = field.parse().ok();
            let Some(value) = value.filter(|value| value.is_finite()) else {
                return Err(format!("line {at}: {field:?} is not a finite number"));
            };
            match places.get(&(*node, direction)) {
                Some(unknown) if value != 0.0 => forces.push((*unknown, value)),
                None if value != 0.0 => {
                    let (id, name) = (fields[0], DIRECTIONS[direction]);
                    return Err(format!(
                        "line {at}: node {id} has no unknown in direction {name} that could be loaded"
                    ));
                }
                _ => {}
            }
        }
    }
    if forces.is_empty() {
        return Err("no force is above or below zero; valid: at least one".to_owned());
    }
    Ok(forces)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fe::{FeNode, Unknown};
    use fixstep_kernel::math::Vec3;

    fn model() -> FeModel {
        FeModel {
            nodes: [4, 9]
                .map(|id| FeNode {
                    id,
                    position: Vec3::zeros(),
                })
                .to_vec(),
            unknowns: (0..6)
                .map(|k| Unknown {
                    node: k / 3,
                    direction: k % 3,
                })
                .collect(),
            ..FeModel::default()
        }
    }

    #[test]
    fn forces_reach_their_unknowns() {
        let read = table("node, fx, fy, fz\n9, 0, -2.5, 0\n\n4,1e3,0,7\n", &model()).unwrap();
        assert_eq!(read, [(4, -2.5), (0, 1e3), (2, 7.0)]);
        assert!(table("node,fx,fy,fz,mx,my,mz\n4,1,0,0,0,0,0\n", &model()).is_ok());
    }

    #[test]
    fn what_is_wrong_with_a_table() {
        for (text, part) in [
            ("", "valid: node,fx,fy,fz or"),
            ("node,fz\n", "the columns are node,fz"),
            ("node,fx,fy,fz\n4,1,2\n", "line 2: 3 fields for 4 columns"),
            ("node,fx,fy,fz\n5,1,2,3\n", "line 2: \"5\" is not a node"),
            (
                "node,fx,fy,fz\n4,1,2,3\n9,0,0,1\n4,1,0,0\n",
                "line 4: node 4 appears twice",
            ),
            ("node,fx,fy,fz\n4,0,0,0\n", "no force is above or below"),
            ("node,fx,fy,fz\n", "no force is above or below"),
            (
                "node,fx,fy,fz\n4,1,2,nan\n",
                "\"nan\" is not a finite number",
            ),
            (
                "node,fx,fy,fz,mx,my,mz\n4,1,0,0,0,0,2\n",
                "node 4 has no unknown in direction rz",
            ),
        ] {
            let error = table(text, &model()).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
