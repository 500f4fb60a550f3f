//! Control plane: the motion of an FMU of ours. Its C interface does not tell where its bodies are, so the mechanism inside
//! runs once more in this process. It is shown only if all outputs have the same bits.

use std::path::Path;

use fixstep_kernel::seconds::Seconds;
use fixstep_pictures::scene::{Film, Scene};
use model_description::parse::FmiVersion;

use crate::csv::Table;
use crate::native::Native;
use crate::package::{self, own};
use crate::run::{self, Outcome, Plan};
use crate::scene::{self, Recorder};
use crate::slave::{Failure, LogLevel, Slave};

/// A run of the mechanism inside an FMU.
pub struct Again {
    /// The mechanism at its end.
    pub slave: Native,
    /// What is drawn.
    pub scene: Scene,
    /// Its motion.
    pub film: Film,
}

/// Runs the mechanism inside an FMU like the FMU; the text of a refusal says why it cannot be shown.
pub fn run(
    fmu: &Path,
    (plan, outcome): (&Plan, &Outcome),
    progress: &mut dyn FnMut(f64),
) -> Result<Result<Again, String>, Failure> {
    let blueprint = match own::mechanism(fmu)? {
        Ok(blueprint) => blueprint,
        Err(why) => return Ok(Err(why)),
    };
    // A protected FMU does not carry the model, and with it the shapes that it names.
    let shapes = match own::source(fmu)? {
        Some(Ok(model)) => model.shapes,
        _ => Vec::new(),
    };
    let description = package::description_of(&blueprint, FmiVersion::V2)?;
    let mut slave = Native::of(blueprint, description, LogLevel::Errors)?;
    let plan = Plan {
        record: Vec::new(),
        more: Vec::new(),
        ..plan.clone()
    };
    let mut recorder = Recorder::of_rows();
    let own = run::attempt(&mut slave, &plan, &mut |slave, share| {
        if let Some(engine) = slave.engine() {
            recorder.watch(engine, share);
        }
        progress(share);
    })?;
    if let Some(difference) = difference(&own.table, &outcome.table) {
        return Ok(Err(difference));
    }
    let film = recorder.film();
    let Some(engine) = slave.engine() else {
        return Ok(Err("there is no engine to look into".to_owned()));
    };
    let scene = scene::of(engine, &shapes, &film);
    Ok(Ok(Again { slave, scene, film }))
}

/// The first number that is other in both tables.
fn difference(own: &Table, other: &Table) -> Option<String> {
    if own.rows() != other.rows() {
        return Some(format!(
            "the mechanism inside gives {} rows here, and the FMU {}",
            own.rows(),
            other.rows()
        ));
    }
    let times = own.columns.first()?;
    for (name, values) in own.names.iter().zip(&own.columns) {
        let at = other.names.iter().position(|it| it == name);
        let Some(theirs) = at.and_then(|at| other.columns.get(at)) else {
            return Some(format!("the FMU gives no \"{name}\""));
        };
        let mut rows = values.iter().zip(theirs);
        if let Some(row) = rows.position(|(a, b)| a.to_bits() != b.to_bits()) {
            return Some(format!(
                "at {} s the mechanism inside gives \"{name}\" = {} here, and the FMU {}",
                Seconds(times[row]),
                values[row],
                theirs[row]
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Table, difference};

    #[test]
    fn one_other_bit_is_a_difference() {
        let table = |last: f64| Table {
            names: vec!["time".to_owned(), "x".to_owned()],
            columns: vec![vec![0.0, 0.5], vec![1.0, last]],
            ..Table::default()
        };
        assert_eq!(difference(&table(2.0), &table(2.0)), None);
        let found = difference(&table(2.0), &table(2.0_f64.next_up()));
        assert!(found.is_some_and(|text| text.starts_with("at 0.5 s") && text.contains("\"x\"")));
        let fewer = Table {
            columns: vec![vec![0.0], vec![1.0]],
            ..table(2.0)
        };
        assert!(difference(&fewer, &table(2.0)).is_some());
    }
}
