//! Checks that the scripts beside the examples write the files in the repository. Control plane.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::products::{self, Example, Products};
use crate::report::Outcome;
use crate::shell::{self, Result, unusable};

/// Runs every script that writes an example.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let examples = products::examples()?;
    let mut outcome = Outcome::default();
    for example in &examples {
        let script = example.model.with_file_name("generate.py");
        if script.is_file() {
            outcome.add(remade(products, &examples, example, &script)?);
        }
    }
    Ok(outcome)
}

/// Runs the script of one example in a copy of the examples, from which the script's products have been removed, and
/// compares everything that it wrote.
fn remade(
    products: &Products,
    examples: &[Example],
    example: &Example,
    script: &Path,
) -> Result<Outcome> {
    let (models, copy) = (shell::root().join("models"), shell::target().join("models"));
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(unusable(&copy))?;
    }
    for any in examples {
        let to = copy.join(&any.name);
        fs::create_dir_all(&to).map_err(unusable(&to))?;
        for file in shell::files(&models.join(&any.name))? {
            if any.name != example.name || !product(&file) {
                let from = models.join(&any.name).join(&file);
                fs::copy(&from, to.join(&file)).map_err(unusable(&from))?;
            }
        }
    }
    let began = SystemTime::now();
    let mut python = shell::program("python3");
    python.arg(copy.join(&example.name).join("generate.py"));
    python.env("FIXSTEP", &products.program);
    shell::run(python)?;
    let mut outcome = Outcome::default();
    for any in examples {
        for file in shell::files(&copy.join(&any.name))? {
            let written = copy.join(&any.name).join(&file);
            let changed = fs::metadata(&written).and_then(|known| known.modified());
            if changed.map_err(unusable(&written))? < began {
                continue;
            }
            let kept = models.join(&any.name).join(&file);
            if !alike(&written, &kept)? {
                let (kept, script) = (kept.display(), script.display());
                return Err(format!("{kept} is not what {script} writes"));
            }
            println!("ok {} is what its script writes", kept.display());
            outcome.add(Outcome::pass());
        }
    }
    if outcome.counts.passed == 0 {
        return Err(format!("{} wrote nothing", script.display()));
    }
    Ok(outcome)
}

/// Whether the script writes a file of this name beside itself.
fn product(file: &Path) -> bool {
    file.ends_with("model.json") || file.ends_with("input.csv") || binary(file)
}

/// Whether the file is a reduced flexible body. Its last digits may differ between processors.
fn binary(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "flex")
}

/// Whether two files are equal; for flexible bodies, whether they have the same arrays.
fn alike(written: &Path, kept: &Path) -> Result<bool> {
    let (one, other) = (
        fs::read(written).map_err(unusable(written))?,
        fs::read(kept).map_err(unusable(kept))?,
    );
    Ok(if binary(kept) {
        one.len() == other.len()
    } else {
        one == other
    })
}
