//! Control plane: adds stresses and strains of flexible bodies to the outputs.

use fixstep_kernel::flex::TENSOR;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::{FlexBody, Mechanism};
use fixstep_model::table;
use fixstep_variables::file::Blueprint;
use fmu_build::slave::Failure;
use fmu_build::suggest::unknown;
use linear_analysis::tensors::{self, At, Tensor};

use crate::args;

/// The outputs added to a mechanism.
#[derive(Default)]
pub(super) struct Tensors {
    /// The components of each point.
    pub(super) names: Vec<[String; TENSOR]>,
    /// For stresses, the name of the equivalent stress.
    equivalents: Vec<Option<String>>,
}

impl Tensors {
    /// Adds the requested components.
    pub(super) fn add(args: &args::Inside, blueprint: &mut Blueprint) -> Result<Self, Failure> {
        let mechanism = &mut blueprint.mechanism;
        let kinds = [
            ("--stress", Tensor::Stress, &args.stress),
            ("--strain", Tensor::Strain, &args.strain),
        ];
        let mut points: Vec<At> = Vec::new();
        for (option, tensor, wanted) in kinds {
            for text in wanted {
                for at in places(mechanism, (option, tensor), text)? {
                    if !points.contains(&at) {
                        points.push(at);
                    }
                }
            }
        }
        let mut all = Self::default();
        for at in points {
            let name = tensors::equivalent_name(mechanism, at.body, at.point);
            all.equivalents
                .push((at.tensor == Tensor::Stress).then_some(name));
            all.names.push(tensors::add(mechanism, at));
        }
        if !all.names.is_empty() {
            blueprint.table = table::of(mechanism);
        }
        Ok(all)
    }

    /// Indices of the requested and the added outputs, and the equivalent stresses.
    pub(super) fn with(
        &self,
        mut outputs: Vec<usize>,
        all: &[String],
    ) -> (Vec<usize>, Vec<(String, [usize; TENSOR])>) {
        let mut equivalents = Vec::new();
        for (names, equivalent) in self.names.iter().zip(&self.equivalents) {
            // The added outputs come after those of the model, which may have the same names.
            let place = |name: &String| all.iter().rposition(|own| own == name);
            let Some(first) = place(&names[0]) else {
                continue;
            };
            let rows = std::array::from_fn(|k| first + k);
            outputs.extend(rows);
            equivalents.extend(equivalent.clone().map(|name| (name, rows)));
        }
        outputs.sort_unstable();
        outputs.dedup();
        (outputs, equivalents)
    }
}

/// The points that `BODY` or `BODY:POINT` selects.
fn places(
    mechanism: &Mechanism,
    (option, tensor): (&str, Tensor),
    text: &str,
) -> Result<Vec<At>, Failure> {
    let flexible = mechanism.bodies.iter().enumerate();
    let mut flexible: Vec<(usize, &str, &FlexBody)> = flexible
        .filter_map(|(k, body)| Some((k, body.name.as_str(), body.flexible.as_deref()?)))
        .collect();
    // If both "a" and "a:b" are bodies, the longer name is tried first.
    flexible.sort_by_key(|(_, name, _)| std::cmp::Reverse(name.len()));
    let names = |flex: &FlexBody| -> Vec<String> {
        let points = match tensor {
            Tensor::Stress => &flex.data.stresses,
            Tensor::Strain => &flex.data.strains,
        };
        points.iter().map(|point| point.name.clone()).collect()
    };
    let at = |body: usize, point: usize| At {
        tensor,
        body: BodyId::from(body),
        point,
    };
    let what = match tensor {
        Tensor::Stress => "stress",
        Tensor::Strain => "strain",
    };
    let fail = |reason: String| Err(Failure(format!("{option} {text}: {reason}")));
    for (body, name, flex) in &flexible {
        let Some(rest) = text.strip_prefix(*name) else {
            continue;
        };
        let points = names(flex);
        if points.is_empty() && (rest.is_empty() || rest.starts_with(':')) {
            return fail(format!(
                "the file of flexible body \"{name}\" knows no {what} at any point; `fixstep flex` writes it with --{what}"
            ));
        }
        if rest.is_empty() {
            return Ok((0..points.len()).map(|point| at(*body, point)).collect());
        }
        let Some(wanted) = rest.strip_prefix(':') else {
            continue;
        };
        if let Some(point) = points.iter().position(|own| own == wanted) {
            return Ok(vec![at(*body, point)]);
        }
        let known = points.iter().map(String::as_str);
        let kind = format!("point with {what} of \"{name}\"");
        return fail(unknown(&kind, wanted, known));
    }
    let name = text.split(':').next().unwrap_or(text);
    let known = flexible.iter().map(|(_, name, _)| *name);
    fail(unknown("flexible body", name, known))
}
