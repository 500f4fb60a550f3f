//! `cargo xtask demo`: from a fresh clone to two FMUs that have run in real time. Control plane.

use std::path::{Path, PathBuf};

use crate::products::{self, Products};
use crate::shell::{self, Result};

/// The example that is shown.
const EXAMPLE: &str = "spatial_slider_crank";

/// Length of each run, in seconds.
const DURATION_S: &str = "5";

/// Builds, packs, runs and says where everything is.
pub(crate) fn run() -> Result<()> {
    println!("== Build ==");
    let products = products::build()?;
    println!("\n== Pack `{EXAMPLE}` ==");
    let example = products::example(EXAMPLE)?;
    let fmus = ["2", "3"].map(|version| {
        (
            version,
            products.pack(&example.name, &example.model, version),
        )
    });
    let mut packed: Vec<(&str, PathBuf)> = Vec::new();
    for (version, fmu) in fmus {
        packed.push((version, fmu?));
    }
    for (version, fmu) in &packed {
        println!("\n== FMI {version}.0, paced at real time for {DURATION_S} s ==");
        play(&products, fmu)?;
    }
    println!("\nBoth FMUs ran in real time through their C interface. They are here:");
    for (version, fmu) in &packed {
        println!("  FMI {version}.0  {}", fmu.display());
    }
    println!(
        "\nNext: `{} --help`, README.md, models/",
        products.program.display()
    );
    Ok(())
}

/// Runs a packed FMU at real time with progress and prints its report.
fn play(products: &Products, fmu: &Path) -> Result<()> {
    let mut command = shell::program(&products.program);
    command
        .arg("rti")
        .arg(fmu)
        .args(["--duration", DURATION_S, "--paced"]);
    shell::run(command)
}
