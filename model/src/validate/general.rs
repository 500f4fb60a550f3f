//! Control plane: general constraints, functions of the poses that are kept at zero.

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::resolve::Scope;
use crate::schema::Document;
use fixstep_kernel::ids::{ExprId, GeneralId, MarkerId};
use fixstep_kernel::mechanism::{GeneralConstraint, Leaf, NamedExpr, ReactionSource, ScaledExpr};

/// All general constraints; `variables` in the order of the model.
pub(super) fn constraints(
    b: &mut Builder<'_>,
    document: &Document,
    variables: Option<&[NamedExpr]>,
) -> Vec<Option<GeneralConstraint>> {
    b.each(&document.general_constraints.0, |b, data, at| {
        let at = at.field("expression");
        let expr = b.expression(&data.expression.text(), Scope::Holonomic, &at)?;
        let reads = reads(b, expr, variables?);
        if reads.markers.is_empty() {
            let message = "it reads nothing that can move; a constraint needs displacements or \
                           angles of parts, such as DX(i, j, k), DM(i, j), AZ(i, j)";
            b.report.add(&at, message);
            return None;
        }
        let to_si = if reads.lengths {
            b.units.length.factor
        } else {
            1.0
        };
        Some(GeneralConstraint {
            name: data.name.clone(),
            function: ScaledExpr { expr, to_si },
            markers: reads.markers,
            driven: reads.driven,
        })
    })
}

/// The quantities that a constraint reads, also through variables.
#[derive(Default)]
struct Reads {
    /// Markers on bodies that move, each once.
    markers: Vec<MarkerId>,
    /// Some length.
    lengths: bool,
    /// Time or inputs.
    driven: bool,
}

fn reads(b: &Builder<'_>, expr: ExprId, variables: &[NamedExpr]) -> Reads {
    let mut reads = Reads::default();
    let mut seen = vec![false; b.expressions.len()];
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        for leaf in b.leaves_of(expr) {
            match leaf {
                Leaf::Time { .. } | Leaf::Input(_) => reads.driven = true,
                // Leaves number variables in the order of the file until the model is complete.
                Leaf::Variable(id) => {
                    let place = b.places[id.index()];
                    waiting.push(variables[place.index()].expr);
                }
                Leaf::Arc { joint, .. } => {
                    reads.lengths = true;
                    if let Some(joint) = b.joints.get(joint.index()).and_then(Option::as_ref) {
                        reads.add(b, &[joint.i, joint.j]);
                    }
                }
                Leaf::Kinematic {
                    measure,
                    i,
                    j,
                    axes,
                    ..
                } => {
                    reads.add(b, &[*i, *j]);
                    if measure.has_axes() {
                        reads.add(b, &[*axes]);
                    }
                    reads.lengths |= measure.powers()[1] > 0;
                }
                _ => {}
            }
        }
    }
    reads
}

impl Reads {
    fn add(&mut self, b: &Builder<'_>, markers: &[MarkerId]) {
        for marker in markers {
            let moves = b.body_of(*marker).is_some_and(|body| body.index() > 0);
            if moves && !self.markers.contains(marker) {
                self.markers.push(*marker);
            }
        }
    }
}

/// Reports the functions GCON that read a constraint on a marker which it does not tie.
pub(super) fn check_markers(
    b: &mut Builder<'_>,
    constraints: &[Option<GeneralConstraint>],
    document: &Document,
) {
    let asked: Vec<(GeneralId, MarkerId)> = b
        .leaves()
        .iter()
        .filter_map(|leaf| match leaf {
            Leaf::Reaction {
                source: ReactionSource::General(id, marker),
                ..
            } => Some((*id, *marker)),
            _ => None,
        })
        .collect();
    for (id, marker) in asked {
        let Some(Some(constraint)) = constraints.get(id.index()) else {
            continue;
        };
        if constraint.markers.contains(&marker) {
            continue;
        }
        let name = |marker: &MarkerId| {
            let marker = b.markers.get(marker.index()).and_then(Option::as_ref);
            marker.map_or_else(|| "?".to_owned(), |marker| quote(&marker.name))
        };
        let valid: Vec<String> = constraint.markers.iter().map(name).collect();
        let message = format!(
            "GCON({}, {}, …) reads nothing: the constraint acts on those of its markers that are not on ground: {}",
            constraint.name,
            name(&marker),
            valid.join(", ")
        );
        let at: &At = &document.general_constraints.0[id.index()].at;
        b.report.add(at, message);
    }
}
