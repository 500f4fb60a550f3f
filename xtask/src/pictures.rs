//! `cargo xtask pictures`: draws the examples' pictures from runs of the models: curves for all, and films that pages show.
//! Control plane.

use std::fs;

use crate::products;
use crate::shell::{self, Result};

/// The options that draw what a page may show.
const DRAWN: [&str; 2] = ["--plot", "--gif"];

/// The picture that every page shows.
const PICTURE: &str = "picture.svg";

/// Runs the commands of every example's page whose pictures it shows. Where none draws `picture.svg`, this is drawn over the
/// default experiment, with `input.csv` if there is one.
pub(crate) fn run() -> Result<()> {
    let products = products::build()?;
    for example in products::examples()? {
        let page = example.model.with_file_name("README.md");
        let page =
            fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        let mut own = false;
        for words in commands(&page) {
            let mut command = shell::program(&products.program);
            if let Some(folder) = example.model.parent() {
                command.current_dir(folder);
            }
            own |= words.contains(&PICTURE);
            command.args(words);
            shell::run(command)?;
        }
        if own {
            continue;
        }
        let mut command = shell::program(&products.program);
        command.arg("run").arg(&example.model);
        if let Some(input) = &example.input {
            command.arg("--input").arg(input);
        }
        let picture = example.model.with_file_name(PICTURE);
        command.arg("--plot").arg(&picture);
        shell::run(command)?;
    }
    Ok(())
}

/// The words behind `fixstep` of the runs in a page that draw a picture which it shows.
fn commands(page: &str) -> impl Iterator<Item = Vec<&str>> {
    let runs = page.lines().filter(|line| line.starts_with("fixstep run "));
    let shown = |line: &&str| {
        let mut files = DRAWN.iter().filter_map(|option| word_after(line, option));
        files.any(|file| page.contains(&format!("]({file})")))
    };
    runs.filter(shown)
        .map(|line| line.split_whitespace().skip(1).collect())
}

/// What a page gives for an option.
fn word_after<'a>(page: &'a str, option: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(option)?;
    rest.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_draw_what_a_page_shows_are_found() {
        let page = "fixstep run a.json --plot a.svg --over x\nfixstep run a.json --plot b.svg\nfixstep check a.json\n\
                    fixstep run a.json --gif a.gif --view top\nfixstep run a.json --gif b.gif\n\n![A](a.svg) ![B](a.gif)\n";
        let found: Vec<_> = commands(page).collect();
        assert_eq!(
            found,
            [
                ["run", "a.json", "--plot", "a.svg", "--over", "x"],
                ["run", "a.json", "--gif", "a.gif", "--view", "top"]
            ]
        );
    }
}
