//! Control plane: refuses files of a kind that a command does not take, by the endings of their names.

use std::path::Path;

use fmu_build::slave::Failure;

use crate::source::is_archive;

/// Ending, kind of file, and the commands that use it.
const KINDS: [(&str, &str, &str); 10] = [
    ("json", "a model or a description", MODELS),
    ("fmu", "an FMU", "check, run, inspect and rti"),
    ("ssp", "a system of FMUs", "check, run and inspect"),
    ("csv", "a table", "the option --input of run and rti"),
    ("flex", "a flexible body", "flex inspect"),
    ("mnf", "a modal neutral file", "flex import"),
    ("sti", "a matrix", "flex reduce"),
    ("mas", "a matrix", "flex reduce"),
    ("mtx", "a matrix", "flex reduce"),
    ("inp", "a deck", "flex reduce"),
];

const MODELS: &str = "build, check, run and inspect take models, ssp and flex beam descriptions";

/// Refuses a file with the ending of another kind than `ending`. Unknown endings are accepted.
pub(crate) fn require(path: &Path, ending: &str) -> Result<(), Failure> {
    let has = path.extension().unwrap_or_default().to_string_lossy();
    let known = |has: &str| {
        let mut kinds = KINDS.iter();
        kinds.find(|(of, ..)| of.eq_ignore_ascii_case(has))
    };
    let (Some((of, what, takers)), Some((_, wanted, _))) = (known(&has), known(ending)) else {
        return Ok(());
    };
    let path_text = path.display();
    if *of == ending {
        return Ok(());
    }
    if ["fmu", "ssp"].contains(of) && !is_archive(path)? {
        return Err(Failure(format!(
            "{path_text} is named as {what}, but is no Zip archive, as every .{of} is"
        )));
    }
    let takers = match *of {
        "json" => (*takers).to_owned(),
        _ => format!("what takes it: {takers}"),
    };
    Err(Failure(format!(
        "{path_text} is {what} by its name; {takers}; valid here: {wanted} (.{ending})"
    )))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn endings_tell_what_a_file_is_and_what_takes_it() {
        let said = |path: &str, ending: &str| require(Path::new(path), ending).unwrap_err().0;
        assert!(said("a/x.CSV", "json").contains("x.CSV is a table by its name"));
        assert!(said("x.json", "fmu").contains("build, check, run"));
        assert!(said("x.json", "fmu").contains("valid here: an FMU (.fmu)"));
        for (path, ending) in [
            ("x.json", "json"),
            ("x", "json"),
            ("/dev/fd/63", "fmu"),
            ("x.y", "mnf"),
        ] {
            assert!(require(Path::new(path), ending).is_ok(), "{path}");
        }
    }
}
