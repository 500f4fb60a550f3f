//! Control plane: many runs of one model: what is varied, over what, and what each run tells, in one table.
//!
//! The values of a run are a function of its number and the seed, and chunks of finished rows are files. So a study that is
//! killed goes on where it was, and gives the same table byte for byte, on any number of workers.
//!
//! Reading order: [`spec`] with [`vary`] and [`results`] (the description), [`subject`] (the model), [`design`] with [`draws`]
//! (the values of each run), [`one`] (a run), [`table`] (its row), [`folder`] and [`execution`] (all of them), [`part`] (some
//! of them, for another program); then what shows them: [`statistics`], [`summary`], [`picture`], [`page`], [`parquet`].

pub mod design;
pub mod draws;
pub mod execution;
mod fields;
pub mod folder;
pub mod one;
pub mod page;
pub mod parquet;
pub mod part;
pub mod picture;
pub mod results;
pub mod spec;
pub mod statistics;
pub mod subject;
pub mod summary;
pub mod table;
mod tree;
pub mod vary;

use std::path::{Path, PathBuf};

use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_model::limits::MODEL_BYTES;
use linear_analysis::numpy;

use crate::slave::Failure;
use design::Design;
use execution::Watcher;
use folder::Folder;
use spec::{Method, Spec};
use subject::Subject;
use table::{Columns, Row};

/// Columns with their names.
type Named<T> = Vec<(String, T)>;

/// A study that is ready to run.
#[derive(Debug)]
pub struct Study {
    /// The file of its description.
    pub path: PathBuf,
    /// Its description.
    pub spec: Spec,
    /// Its model.
    pub subject: Subject,
    /// The values of its runs.
    pub design: Design,
}

/// A study with all its rows.
#[derive(Debug)]
pub struct Finished {
    /// All rows in order.
    pub rows: Vec<Row>,
    /// How many of them were known before.
    pub known: usize,
    /// Files that were not whole, and whose runs were made again.
    pub broken: Vec<String>,
}

impl Study {
    /// Reads a description and its model. Other programs take these results besides.
    pub fn open(path: &Path, elsewhere: &[part::Elsewhere]) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let mut spec = Spec::read(&name, &subject::text(path, MODEL_BYTES)?)?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let within = |Failure(why): Failure| Failure(format!("{name}: {why}"));
        part::add(&mut spec, elsewhere).map_err(within)?;
        let subject = Subject::new(&spec, beside).map_err(within)?;
        let design = Design::new(&spec, subject.nominal.clone()).map_err(within)?;
        let study = Self {
            path: path.to_owned(),
            spec,
            subject,
            design,
        };
        for k in 0..study.spec.results.len() {
            summary::limits(&study, k).map_err(within)?;
        }
        Ok(study)
    }

    /// A fingerprint of each thing on which rows depend. Runs may be added to independent draws and to a sequence.
    pub fn parts(&self) -> Vec<(String, String)> {
        let print = |text: String| Fingerprint::of(text.as_bytes());
        let (spec, subject) = (&self.spec, &self.subject);
        let plan = &subject.plan;
        let table = plan.input.as_ref().map(crate::csv::Table::to_text);
        let run = &spec.run;
        let run = format!(
            "{:?} {:?} {:?} {:?} {:?} {table:?}",
            plan.start, plan.stop, plan.step, plan.settings, run.asked
        );
        let vary = spec
            .factors
            .iter()
            .map(|it| format!("{:?}", (&it.name, &it.target, it.relative, &it.values)));
        let results = spec
            .results
            .iter()
            .map(|it| format!("{:?}", (&it.name, &it.of, it.take, it.span)));
        let mut parts = vec![
            (
                "version of the program",
                env!("CARGO_PKG_VERSION").to_owned(),
            ),
            ("model", subject.description.token.clone()),
            ("run", print(run)),
            ("method", spec.method.word().to_owned()),
            ("vary", print(vary.collect())),
            ("results", print(results.collect())),
            ("series", print(format!("{:?}", spec.series))),
        ];
        if spec.method.draws() {
            parts.push(("seed", spec.seed.to_string()));
        }
        if spec.method == Method::LatinHypercube {
            parts.push(("runs", spec.runs.to_string()));
        }
        let named = parts.into_iter();
        named
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Does another program take results?
    pub fn has_elsewhere(&self) -> bool {
        let mut results = self.spec.results.iter();
        results.any(|it| it.take == results::Take::Elsewhere)
    }

    /// One fingerprint of all that.
    pub fn key(&self) -> String {
        let mut all = Fingerprint::default();
        for (name, value) in self.parts() {
            all.text(&name);
            all.text(&value);
        }
        format!("{:032x}", all.value())
    }

    /// Makes all runs that a folder does not have yet.
    pub fn run(
        &self,
        folder: &Folder,
        workers: usize,
        watcher: &mut dyn Watcher,
    ) -> Result<Finished, Failure> {
        let total = self.design.runs();
        let before = folder.known(total)?;
        let open: Vec<usize> = (0..total)
            .filter(|run| !before.rows.contains_key(run))
            .collect();
        if let Some(first) = open.first()
            && self.has_elsewhere()
        {
            return Err(Failure(format!(
                "{} of {total} runs are missing, the first of them run {first}, and results that another program takes \
                 (--elsewhere) cannot be taken here; valid: `fixstep.study.run` of Python with the same functions",
                open.len()
            )));
        }
        if !open.is_empty() {
            execution::execute(self, folder, (open, workers), watcher)?;
        }
        let now = folder.known(total)?;
        if let Some(run) = (0..total).find(|run| !now.rows.contains_key(run)) {
            return Err(Failure(format!(
                "run {run} is missing in the folder; has something removed its chunk? The same command makes it again"
            )));
        }
        folder.sweep()?;
        Ok(Finished {
            rows: now.rows.into_values().collect(),
            known: before.rows.len(),
            broken: before.broken,
        })
    }

    /// The table as CSV.
    pub fn csv(&self, rows: &[Row]) -> String {
        let columns = Columns::of(self);
        let lines = rows.iter().map(|row| columns.line(row));
        std::iter::once(columns.header()).chain(lines).collect()
    }

    /// The table as an archive of NumPy: an array for each column.
    pub fn npz(&self, rows: &[Row]) -> Result<Vec<u8>, Failure> {
        let (numbers, texts) = self.transposed(rows);
        let shape = format!("({},)", rows.len());
        let numbers = numbers
            .into_iter()
            .map(|(name, all)| (name, numpy::reals(&shape, &all)));
        let texts = texts
            .into_iter()
            .map(|(name, all)| (name, numpy::texts(&all)));
        numpy::archive(numbers.chain(texts)).map_err(Failure)
    }

    /// The table as Parquet.
    pub fn parquet(&self, rows: &[Row]) -> Vec<u8> {
        let (numbers, texts) = self.transposed(rows);
        let counts = |name: &str| ["run", "warnings"].contains(&name);
        let number = |(name, all): (String, Vec<f64>)| {
            let column = if counts(&name) {
                parquet::Column::Wholes(all.iter().map(|x| *x as i64).collect())
            } else {
                parquet::Column::Reals(all)
            };
            (name, column)
        };
        let texts = texts
            .into_iter()
            .map(|(name, all)| (name, parquet::Column::Texts(all)));
        let columns: Vec<_> = numbers.into_iter().map(number).chain(texts).collect();
        parquet::file(rows.len(), &columns)
    }

    /// Columns by their names.
    fn transposed(&self, rows: &[Row]) -> (Named<Vec<f64>>, Named<Vec<String>>) {
        let columns = Columns::of(self);
        let numbers: Vec<Vec<f64>> = rows.iter().map(|row| columns.numbers_of(row)).collect();
        let texts: Vec<Vec<String>> = rows.iter().map(|row| columns.texts_of(row)).collect();
        let number = |(k, name): (usize, &String)| {
            (name.clone(), numbers.iter().map(|row| row[k]).collect())
        };
        let text = |(k, name): (usize, &String)| {
            (
                name.clone(),
                texts.iter().map(|row| row[k].clone()).collect(),
            )
        };
        (
            columns.numbers.iter().enumerate().map(number).collect(),
            columns.texts.iter().enumerate().map(text).collect(),
        )
    }
}
