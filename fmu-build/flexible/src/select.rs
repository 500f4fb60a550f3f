//! Control plane: selects the nodes of an interface: by a list, a set, a sphere or a cylinder.

use crate::fe::FeModel;
use fixstep_kernel::math::Vec3;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Nodes by number, name or place.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// By number.
    Nodes(Vec<u64>),
    /// A set of the mesh.
    Set(String),
    /// Within a radius of a point.
    Sphere {
        /// \[m\]
        center: Vec3,
        /// \[m\]
        radius: f64,
    },
    /// Within a radius of the line between two points, ends included.
    Cylinder {
        /// \[m\]
        from: Vec3,
        /// \[m\]
        to: Vec3,
        /// \[m\]
        radius: f64,
    },
    /// The one nearest to a point \[m\].
    Closest(Vec3),
}

/// A place of a body where joints and forces attach.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// Its name, later that of its node.
    pub name: String,
    /// The nodes that move with it.
    pub selection: Selection,
    /// Its position; by default the centre of its nodes \[m\].
    pub center: Option<Vec3>,
}

/// Nodes where results are wanted, under a chosen name or by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// The name, where a single node has one.
    pub name: Option<String>,
    /// The nodes.
    pub selection: Selection,
}

/// Distances that count as rounding, as a part of the size of the selecting shape.
const SLACK: f64 = 1e-9;

impl Selection {
    /// Indices of the nodes in the model, ascending; never empty. Nodes without unknowns (such as those of a rigid
    /// body) can only be chosen by number.
    pub fn nodes(&self, model: &FeModel) -> Result<Vec<usize>, String> {
        let moving = moving(model);
        let within = |test: &dyn Fn(&Vec3) -> bool| -> Vec<usize> {
            let nodes = model.nodes.iter().enumerate();
            let nodes = nodes.filter(|(k, node)| moving[*k] && test(&node.position));
            nodes.map(|(k, _)| k).collect()
        };
        let mut places = match self {
            Self::Nodes(list) => listed(list, model)?,
            Self::Set(name) => {
                let same = |known: &&(String, Vec<usize>)| known.0.eq_ignore_ascii_case(name);
                let Some((_, places)) = model.sets.iter().find(same) else {
                    let names: Vec<&str> =
                        model.sets.iter().map(|(name, _)| name.as_str()).collect();
                    let names = if names.is_empty() {
                        "none".to_owned()
                    } else {
                        names.join(", ")
                    };
                    return Err(format!(
                        "there is no set {name:?}; sets of the mesh: {names}"
                    ));
                };
                places
                    .iter()
                    .copied()
                    .filter(|place| moving[*place])
                    .collect()
            }
            Self::Sphere { center, radius } => {
                let reach = radius * (1.0 + SLACK);
                within(&|p| (p - center).norm() <= reach)
            }
            Self::Cylinder { from, to, radius } => {
                let (length, axis) = ((to - from).norm(), (to - from).normalize());
                let slack = SLACK * (length + radius);
                within(&|p| {
                    let along = (p - from).dot(&axis);
                    let across = (p - from - axis * along).norm();
                    across <= radius + slack && (-slack..=length + slack).contains(&along)
                })
            }
            Self::Closest(point) => {
                let distance = |k: &usize| (model.nodes[*k].position - point).norm();
                let all = (0..model.nodes.len()).filter(|k| moving[*k]);
                let nearest = all.min_by(|a, b| distance(a).total_cmp(&distance(b)));
                nearest.into_iter().collect()
            }
        };
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return Err("selects no node that can move".to_owned());
        }
        Ok(places)
    }
}

/// Which nodes have unknowns.
fn moving(model: &FeModel) -> Vec<bool> {
    let mut moving = vec![false; model.nodes.len()];
    for unknown in &model.unknowns {
        moving[unknown.node] = true;
    }
    moving
}

fn listed(list: &[u64], model: &FeModel) -> Result<Vec<usize>, String> {
    let places: BTreeMap<u64, usize> = model.nodes.iter().map(|node| node.id).zip(0..).collect();
    let place = |id: &u64| {
        places
            .get(id)
            .copied()
            .ok_or_else(|| format!("there is no node {id}"))
    };
    list.iter().map(place).collect()
}

impl FromStr for Selection {
    type Err = String;

    /// `node:17`, `nodes:1,2,5-9`, `set:ROOT`, `sphere:x,y,z,r`, `cylinder:x,y,z,x,y,z,r`, `closest:x,y,z`
    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or(("", text));
        let radius = |r: f64| {
            if r > 0.0 {
                Ok(r)
            } else {
                Err(format!("{text:?}: the radius must be more than zero"))
            }
        };
        match kind.trim() {
            "node" | "nodes" => rest.parse().map(|Numbers(list)| Self::Nodes(list)),
            "set" if !rest.trim().is_empty() => Ok(Self::Set(rest.trim().to_owned())),
            "sphere" => {
                let [x, y, z, r] = reals(rest)?;
                Ok(Self::Sphere {
                    center: Vec3::new(x, y, z),
                    radius: radius(r)?,
                })
            }
            "cylinder" => {
                let [x, y, z, u, v, w, r] = reals(rest)?;
                let (from, to) = (Vec3::new(x, y, z), Vec3::new(u, v, w));
                if from == to {
                    return Err(format!("{text:?}: the ends of the cylinder are one point"));
                }
                Ok(Self::Cylinder {
                    from,
                    to,
                    radius: radius(r)?,
                })
            }
            "closest" => reals(rest).map(|point: [f64; 3]| Self::Closest(Vec3::from(point))),
            _ => Err(format!(
                "{text:?}: expected node:17, nodes:1,2,5-9, set:NAME, sphere:x,y,z,r, \
                 cylinder:x,y,z,x,y,z,r or closest:x,y,z"
            )),
        }
    }
}

impl FromStr for Interface {
    type Err = String;

    /// `NAME=SELECTION` or `NAME=SELECTION@x,y,z`
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, rest)) = text
            .split_once('=')
            .filter(|(name, _)| !name.trim().is_empty())
        else {
            return Err(format!(
                "{text:?}: expected NAME=SELECTION, such as tip=set:TIP"
            ));
        };
        let (selection, center) = match rest.split_once('@') {
            None => (rest, None),
            Some((selection, point)) => (selection, Some(Vec3::from(reals::<3>(point)?))),
        };
        Ok(Self {
            name: name.trim().to_owned(),
            selection: selection.parse()?,
            center,
        })
    }
}

impl FromStr for Watched {
    type Err = String;

    /// `SELECTION` or `NAME=SELECTION`
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, selection) = match text.split_once('=') {
            Some((name, rest)) if !name.trim().is_empty() => (Some(name.trim().to_owned()), rest),
            Some(_) => {
                return Err(format!(
                    "{text:?}: expected NAME=SELECTION, such as root=node:17"
                ));
            }
            None => (None, text),
        };
        let selection = selection.parse()?;
        Ok(Self { name, selection })
    }
}

/// Most numbers in one list.
const MAX_LIST: usize = 1_000_000;

/// Numbers of nodes or modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(pub Vec<u64>);

impl FromStr for Numbers {
    type Err = String;

    /// `1,2,5-9`
    fn from_str(text: &str) -> Result<Self, String> {
        let mut list = Vec::new();
        for part in text.split(',').map(str::trim) {
            let bad = || format!("{part:?} is not a number or a range such as 5-9");
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first: u64 = first.trim().parse().map_err(|_| bad())?;
            let last: u64 = last.trim().parse().map_err(|_| bad())?;
            if last < first || last - first > MAX_LIST as u64 || list.len() > MAX_LIST {
                return Err(bad());
            }
            list.extend(first..=last);
        }
        Ok(Self(list))
    }
}

fn reals<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parts = text.split(',').map(|part| part.trim().parse::<f64>().ok());
    let values: Option<Vec<f64>> = parts.map(|value| value.filter(|x| x.is_finite())).collect();
    let values = values.and_then(|values| values.try_into().ok());
    values.ok_or_else(|| format!("{text:?}: expected {N} finite numbers between commas"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::fe::{FeNode, Unknown};

    /// Nodes 1 to 5 along x at 0 to 4; the last one does not move.
    fn model() -> FeModel {
        let node = |k: u64| FeNode {
            id: k + 1,
            position: Vec3::x() * k as f64,
        };
        FeModel {
            nodes: (0..5).map(node).collect(),
            unknowns: (0..4).map(|node| Unknown { node, direction: 0 }).collect(),
            sets: vec![("ENDS".to_owned(), vec![0, 3, 4])],
            ..FeModel::default()
        }
    }

    fn chosen(text: &str) -> Result<Vec<usize>, String> {
        text.parse::<Selection>()?.nodes(&model())
    }

    #[test]
    fn nodes_by_number_name_and_place() {
        assert_eq!(chosen("node:3").unwrap(), [2]);
        assert_eq!(chosen("nodes:5, 1-2").unwrap(), [0, 1, 4]);
        assert_eq!(chosen("set:ends").unwrap(), [0, 3]);
        assert_eq!(chosen("sphere:1,0,0,1").unwrap(), [0, 1, 2]);
        assert_eq!(chosen("cylinder:0.5,0,0,2,0,0,0.1").unwrap(), [1, 2]);
        assert_eq!(chosen("cylinder:1,-1,0,1,1,0,0.5").unwrap(), [1]);
        assert_eq!(chosen("closest:9,0,0").unwrap(), [3]);
    }

    #[test]
    fn what_selects_nothing_says_why() {
        for (text, message) in [
            ("node:9", "there is no node 9"),
            ("set:A", "sets of the mesh: ENDS"),
            ("sphere:0,9,0,1", "selects no node"),
            ("sphere:0,0,0,0", "radius"),
            ("sphere:0,0,0", "expected 4 finite numbers"),
            ("cylinder:1,1,1,1,1,1,2", "one point"),
            ("nodes:3-1", "\"3-1\" is not"),
            ("ball:1", "expected node:17"),
        ] {
            let error = chosen(text).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn what_is_watched_may_have_a_name() {
        let watched = |text: &str| text.parse::<Watched>().map(|watched| watched.name);
        assert_eq!(watched("set:TIP"), Ok(None));
        assert_eq!(watched(" a = closest:0,0,1"), Ok(Some("a".to_owned())));
        assert!(watched("=node:1").is_err() && watched("a=b").is_err());
    }

    #[test]
    fn interfaces_have_names_and_places() {
        let tip: Interface = "tip = set:TIP@1,0,0".parse().unwrap();
        assert_eq!((tip.name.as_str(), tip.center), ("tip", Some(Vec3::x())));
        assert_eq!(tip.selection, Selection::Set("TIP".to_owned()));
        assert_eq!("a=node:1".parse::<Interface>().unwrap().center, None);
        assert!("=node:1".parse::<Interface>().is_err() && "node:1".parse::<Interface>().is_err());
    }
}
