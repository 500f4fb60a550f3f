//! `cargo xtask bench --denormals`: measures a step whose numbers have all decayed to nearly nothing, and writes the
//! end of `docs/real-time.md`. Control plane.

use std::fs;

use crate::products;
use crate::sections;
use crate::shell::{self, Result, unusable};

/// Where the page's table begins.
const HEADING: &str = "## Cost of a step at rest\n";

/// Measures, and writes the table.
pub(crate) fn run() -> Result<()> {
    let products = products::build()?;
    let library = sections::packed_library(&products, "3");
    let mut command = shell::cargo(&["test", "--quiet", "--workspace", "--test", "real_time"]);
    command.env("FIXSTEP_LIBRARY", library).args(["--", "cost"]);
    let captured = shell::watch(command)?;
    let rows: Vec<&str> = captured
        .lines
        .iter()
        .filter_map(|line| line.strip_prefix("row "))
        .collect();
    if !captured.success || rows.is_empty() {
        return Err("nothing was measured".into());
    }
    let page = shell::root().join("docs/real-time.md");
    let text = fs::read_to_string(&page).map_err(unusable(&page))?;
    fs::write(&page, with_table(&text, &rows)).map_err(unusable(&page))?;
    println!("written to {}", page.display());
    Ok(())
}

/// The page with a new table at its end.
fn with_table(page: &str, rows: &[&str]) -> String {
    let before = page.split(HEADING).next().unwrap_or_default().trim_end();
    let rows = rows.join("\n");
    format!(
        "{before}\n\n{HEADING}\nThe table shows the median of 2000 steps of `tests/real_time/decay.json`: a mass and \
         a pendulum with dampers,\nfilters of three kinds and a delay. The first row is the start; for the others \
         the model has decayed for 20 000 steps,\nto the smallest numbers of double precision. The state contains no \
         denormal number, even if a host sets one as\nan input. `cargo xtask bench --denormals` writes this section.\n\n\
         | the model | a step \\[µs\\] |\n|---|---|\n{rows}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_last() {
        let first = with_table("# Page\n\nText.\n", &["| a | 1 |", "| b | 2 |"]);
        assert!(first.starts_with("# Page\n\nText.\n\n## Cost"));
        assert!(first.ends_with("|---|---|\n| a | 1 |\n| b | 2 |\n"));
        let second = with_table(&first, &["| a | 3 |"]);
        assert_eq!(second, with_table("# Page\n\nText.\n", &["| a | 3 |"]));
    }
}
