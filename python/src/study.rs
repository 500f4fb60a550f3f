//! Control plane: some runs of a study, with results that functions of Python take.

use std::path::PathBuf;

use fmu_build::csv::Table;
use fmu_build::slave::Failure;
use fmu_build::study::Study;
use fmu_build::study::part::{Elsewhere, part};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::failed;

/// The chunk of some runs, the tables of their series by the numbers of the runs, and how many runs the study has.
type Part<'py> = (
    Bound<'py, PyBytes>,
    Vec<(usize, Bound<'py, PyBytes>)>,
    usize,
);

/// Makes the runs of a range. `take` gets the names and the numbers of series and returns a number, or a text that
/// says why there is none, for each result of `elsewhere`.
#[pyfunction]
pub(crate) fn study_part(
    py: Python<'_>,
    path: PathBuf,
    runs: (usize, usize),
    elsewhere: Vec<(String, String)>,
    take: Py<PyAny>,
) -> PyResult<Part<'_>> {
    let elsewhere: Vec<Elsewhere> = elsewhere
        .into_iter()
        .map(|(name, print)| Elsewhere { name, print })
        .collect();
    let mut raised = None;
    let made = py.detach(|| {
        let study = Study::open(&path, &elsewhere)?;
        let mut taker = |table: &Table| {
            Python::attach(|py| taken(py, &take, table)).map_err(|error| {
                raised = Some(error);
                Failure(String::new())
            })
        };
        let made = part(&study, runs, &mut taker)?;
        Ok((made, study.design.runs()))
    });
    if let Some(error) = raised {
        return Err(error);
    }
    let (made, total) = made.map_err(failed)?;
    let bytes = |text: &str| PyBytes::new(py, text.as_bytes());
    let series = made.series.iter();
    Ok((
        bytes(&made.chunk),
        series.map(|(run, text)| (*run, bytes(text))).collect(),
        total,
    ))
}

/// What a function of Python takes from series.
fn taken(py: Python<'_>, take: &Py<PyAny>, table: &Table) -> PyResult<Vec<Result<f64, String>>> {
    let columns: Vec<Bound<'_, PyBytes>> = table
        .columns
        .iter()
        .map(|column| {
            let bytes: Vec<u8> = column.iter().flat_map(|x| x.to_ne_bytes()).collect();
            PyBytes::new(py, &bytes)
        })
        .collect();
    let all: Vec<Bound<'_, PyAny>> = take.call1(py, (&table.names, columns))?.extract(py)?;
    all.iter()
        .map(|one| match one.extract::<f64>() {
            Ok(number) => Ok(Ok(number)),
            Err(_) => Ok(Err(one.extract()?)),
        })
        .collect()
}
