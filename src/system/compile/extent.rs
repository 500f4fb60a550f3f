//! Control plane: models whose equations depend on so much of one another that they would take all memory or all time.
//! They are refused before that is tried, with the name of what depends on most.

use super::MarkerBlocks;
use crate::ids::MarkerId;
use crate::limits::{COUPLINGS, PRODUCTS};
use crate::linalg::{BlockId, Pattern};
use crate::model::Model;
use crate::system::System;
use crate::system::condense::Coupler;

/// How often a coupling may come from several elements, on average.
const REPEATED: usize = 16;

/// What all elements couple that may couple many blocks of unknowns.
pub(super) struct Extents<'a> {
    model: &'a Model,
    list: Vec<Extent>,
}

/// An element and what it couples.
struct Extent {
    element: Element,
    /// Blocks of unknowns that it depends on.
    blocks: usize,
    /// Couplings that it makes, some of which others make too.
    couplings: usize,
}

/// An element by its place in the model.
enum Element {
    General(usize),
    Force(usize),
    Equation(usize),
}

impl<'a> Extents<'a> {
    /// Those of a system whose couplings have not been collected yet.
    pub(super) fn of(
        model: &'a Model,
        system: &System,
        blocks: MarkerBlocks<'_>,
        coupler: &Coupler,
    ) -> Self {
        let width = |among: &[BlockId]| among.iter().map(|block| coupler.width(*block)).sum();
        let extent = |element, rows: &[BlockId], columns: &[BlockId]| {
            let (rows, blocks): (usize, usize) = (width(rows), width(columns));
            Extent {
                element,
                blocks,
                couplings: blocks.saturating_mul(rows),
            }
        };
        let of_markers = |markers: &[MarkerId]| -> Vec<BlockId> {
            markers.iter().filter_map(|m| blocks[m.index()]).collect()
        };
        let schedule = &system.schedule;
        let generals = system.generals.iter().enumerate().map(|(k, entry)| {
            let all = of_markers(&entry.markers);
            extent(Element::General(k), &all, &all)
        });
        let forces = model.forces.iter().zip(&schedule.forces).enumerate();
        let forces = forces.map(|(k, (force, place))| {
            extent(
                Element::Force(k),
                &of_markers(&[force.i, force.j]),
                &place.support,
            )
        });
        let equations = system.equations.iter().enumerate().map(|(k, entry)| {
            let place = &schedule.expressions[entry.expr().index()];
            extent(Element::Equation(k), &[entry.block], &place.support)
        });
        Self {
            model,
            list: generals.chain(forces).chain(equations).collect(),
        }
    }

    /// Refuses a model before its couplings are collected, if that alone would take long.
    pub(super) fn refuse_many(&self) -> Result<(), String> {
        let couplings = self.list.iter().map(|extent| extent.couplings);
        let sum = couplings.fold(0, usize::saturating_add);
        if sum > REPEATED * COUPLINGS {
            return Err(self.refuse(&many(sum)));
        }
        Ok(())
    }

    /// Refuses a model whose couplings are too many, or spread too far as unknowns are eliminated.
    pub(super) fn refuse_wide(&self, pattern: &Pattern) -> Result<(), String> {
        if pattern.tiles() > COUPLINGS {
            return Err(self.refuse(&many(pattern.tiles())));
        }
        if pattern.elimination(PRODUCTS).is_none() {
            return Err(self.refuse(&format!(
                "a step would take more than {PRODUCTS} products of 6×6 blocks to eliminate its unknowns"
            )));
        }
        Ok(())
    }

    /// The reason, and which element couples most.
    fn refuse(&self, reason: &str) -> String {
        let most = self.list.iter().max_by_key(|extent| extent.couplings);
        let most = most.map_or_else(String::new, |extent| {
            let model = self.model;
            let name = match extent.element {
                Element::General(k) => {
                    let name = &model.general_constraints[k].name;
                    format!("general constraint \"{name}\"")
                }
                Element::Force(k) => format!("force \"{}\"", model.forces[k].name),
                Element::Equation(k) => model.equations[k].label.clone(),
            };
            format!(
                "; most by {name}, which depends on {} groups of six unknowns",
                extent.blocks
            )
        });
        format!("the equations couple too much: {reason}{most}")
    }
}

fn many(couplings: usize) -> String {
    format!("{couplings} couplings of six unknowns with six others, valid are {COUPLINGS}")
}

#[cfg(test)]
mod tests {
    use crate::limits::DERIVATIVE_ROWS;
    use crate::model::Model;
    use crate::system::compile::{Selection, compile};

    /// What is said of a row of parts, a variable "all" that depends on each of them, and more.
    fn refusal(parts: usize, more: &str) -> String {
        let list = |item: &dyn Fn(usize) -> String, between: &str| {
            (0..parts).map(item).collect::<Vec<_>>().join(between)
        };
        let inertia = r#"{"xx": 1, "yy": 1, "zz": 1}"#;
        let text = format!(
            r#"{{"fixstep": 1, "name": "wide", "parts": [{}], "markers": [{}],
            "variables": [{{"name": "all", "expression": "{}"}}], {more}}}"#,
            list(
                &|k| format!(
                    r#"{{"name": "p{k}", "mass": 1, "inertia": {inertia}, "center_of_mass": [0, 0, 0], "position": [{k}, 0, 0]}}"#
                ),
                ","
            ),
            list(&|k| format!(r#"{{"name": "m{k}", "part": "p{k}"}}"#), ","),
            list(&|k| format!("DX(m{k})"), "+"),
        );
        let compiled = match Model::from_json(&text) {
            Ok(model) => compile(&model, Selection::Start).map(drop),
            Err(problems) => Err(problems.to_string()),
        };
        compiled.err().unwrap_or_default()
    }

    #[test]
    fn couplings_that_spread_too_far_are_refused_by_name() {
        let general = r#""general_constraints": [{"name": "held", "expression": "all"}]"#;
        assert_eq!(refusal(200, general), "");
        let spread = refusal(260, general);
        assert!(spread.contains("more than 5000000 products"), "{spread}");
        assert!(
            spread.contains("general constraint \"held\", which depends on 260 groups"),
            "{spread}"
        );
    }

    #[test]
    fn too_many_couplings_are_refused_by_name() {
        let general = |k: usize| format!(r#"{{"name": "held{k}", "expression": "all - {k}"}}"#);
        let generals = |n: usize| {
            let list: Vec<String> = (0..n).map(general).collect();
            format!(r#""general_constraints": [{}]"#, list.join(","))
        };
        let many = refusal(1001, &generals(1));
        assert!(many.contains("couplings of six unknowns"), "{many}");
        assert!(many.contains("general constraint \"held0\""), "{many}");
        // Not collected first.
        let more = refusal(200, &generals(500));
        assert!(more.contains("20000000 couplings"), "{more}");
    }

    #[test]
    fn what_a_step_adds_up_is_limited() {
        // Half of the equations depend on all parts, and the others read the rates of all of these.
        let equations = |n: usize| {
            let equation = |k: usize, rate: &str| {
                format!(r#"{{"name": "y{k}", "derivative": "{rate} - {k}", "initial": 0}}"#)
            };
            let rates: Vec<String> = (0..n).map(|k| format!("DIF1(y{k})")).collect();
            let rates = rates.join("+");
            let first = (0..n).map(|k| equation(k, "all"));
            let all: Vec<String> = first
                .chain((n..2 * n).map(|k| equation(k, &rates)))
                .collect();
            format!(r#""differential_equations": [{}]"#, all.join(","))
        };
        assert_eq!(refusal(200, &equations(10)), "");
        let more = refusal(200, &equations(300));
        assert!(more.contains("more than 16000000 sums"), "{more}");
    }

    #[test]
    fn what_much_depends_on_is_limited() {
        let output = |k: usize| format!(r#"{{"name": "o{k}", "expression": "all * {k}"}}"#);
        let outputs = |n: usize| {
            let list: Vec<String> = (0..n).map(output).collect();
            format!(r#""outputs": [{}]"#, list.join(","))
        };
        let most = DERIVATIVE_ROWS / 1000;
        assert_eq!(refusal(1000, &outputs(most - 10)), "");
        let more = refusal(1000, &outputs(most + 10));
        assert!(more.contains("more than 8000000 rows"), "{more}");
    }
}
