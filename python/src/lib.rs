//! Control plane: the module `_fixstep`, on which the Python package `fixstep` is built.
//!
//! Reading order: [`model`] (models as they are read), [`run`] (whole runs), [`simulation`] and [`course`] (step by step), [`batch`] and
//! [`fleet`] (many at once),
//! [`variables`] and [`values`] (names and values), [`derivatives`] (of a step), [`program`] (the commands), [`study`] (many runs).
//! Python's own part, in `python/fixstep/`, has units, tables, pictures and names.
#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments come from Python by value"
)]

mod arrays;
mod batch;
mod course;
mod derivatives;
mod errors;
mod fleet;
mod model;
mod program;
mod run;
mod simulation;
mod state;
mod study;
mod values;
mod variables;

use pyo3::prelude::*;

/// Everything that the package calls.
#[pymodule]
fn _fixstep(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::RawModel>()?;
    module.add_class::<run::Ran>()?;
    module.add_class::<simulation::RawSimulation>()?;
    module.add_class::<batch::RawBatch>()?;
    module.add_class::<state::State>()?;
    module.add_class::<variables::Handle>()?;
    module.add_class::<derivatives::Matrices>()?;
    module.add_function(wrap_pyfunction!(model::problems, module)?)?;
    module.add_function(wrap_pyfunction!(model::schema, module)?)?;
    module.add_function(wrap_pyfunction!(model::expanded, module)?)?;
    module.add_function(wrap_pyfunction!(model::formatted, module)?)?;
    module.add_function(wrap_pyfunction!(model::without_comments, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(derivatives::derivatives, module)?)?;
    module.add_function(wrap_pyfunction!(derivatives::carried_changes, module)?)?;
    module.add_function(wrap_pyfunction!(derivatives::step_with_matrices, module)?)?;
    module.add_function(wrap_pyfunction!(program::program, module)?)?;
    module.add_function(wrap_pyfunction!(program::hear, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_part, module)?)
}
