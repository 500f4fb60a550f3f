//! Control plane: writes the CSV table of `fixstep response`.

use fmu_build::csv::Table;
use linear_analysis::response::degrees;
use linear_analysis::response::grid::Grid;

use super::lines::Found;

/// The responses as a table.
pub(super) fn csv(grid: &Grid, found: &Found) -> Table {
    let mut names = vec![String::from("frequency")];
    let mut columns = vec![grid.frequencies.clone()];
    let mut push = |name: String, column: Vec<f64>| {
        names.push(name);
        columns.push(column);
    };
    match found {
        Found::Amplitudes(lines) => {
            for line in lines {
                let (name, of) = (line.name(), &line.values);
                push(format!("{name} re"), of.iter().map(|x| x.re).collect());
                push(format!("{name} im"), of.iter().map(|x| x.im).collect());
                push(
                    format!("{name} magnitude"),
                    of.iter().map(|x| x.norm()).collect(),
                );
                push(
                    format!("{name} phase"),
                    of.iter().map(|x| degrees(*x)).collect(),
                );
            }
        }
        Found::Densities(all) => {
            for own in all {
                push(own.output.clone(), own.values.clone());
                // A single frequency has no root mean square.
                if own.rms().is_some() {
                    push(format!("{} rms", own.output), own.growing.clone());
                }
            }
        }
    }
    let mut table = Table::new(names);
    table.columns = columns;
    table
}
