//! `cargo xtask test`: runs the sections in their order. Control plane.

use crate::ahead::{self, Ahead, Lanes};
use crate::bench::growth;
use crate::clients;
use crate::dist::{self, Examples};
use crate::products::Products;
use crate::report::{Outcome, Report};
use crate::shell::Result;
use crate::{
    counts, finite_elements, generated, install, linear, pages, policy, sections, tidy, viewer,
};

/// Runs the sections; `quick` leaves out release builds, packing and clients.
pub(crate) fn run(quick: bool) -> Result<()> {
    let mut report = Report::default();
    // Before all others: tests of the workspace call these programs too.
    let packages = if quick {
        Ok(())
    } else {
        install::debian_packages()
    };
    if let Err(message) = &packages {
        println!("{message}");
    }
    // Before the first build of the program, which takes the bundle in.
    let bundle = if quick { Ok(()) } else { viewer::bundle() };
    let ahead = (!quick).then(Ahead::begin);
    report.section("formatting", sections::formatting);
    report.section("house rules", tidy::check);
    report.section("dependency policy", policy::check);
    report.section("lints", sections::lints);
    report.section("unit and integration tests", sections::workspace_tests);
    report.section("no allocation in a step", sections::no_allocation);
    if let Some(ahead) = ahead {
        full(&mut report, (&packages, &bundle), &ahead);
    }
    report.finish()
}

/// Pages in a browser, and films in the library that shows them.
fn in_browsers(
    report: &mut Report,
    products: &Products,
    (packages, python, bundle): (&Result<()>, &Result<()>, &Result<()>),
) {
    let browser = || match (packages, python, bundle) {
        (Err(reason), _, _) if install::chromium().is_none() => Err(reason),
        (_, Err(reason), _) | (_, _, Err(reason)) => Err(reason),
        _ => Ok(()),
    };
    let mut pages = |title: &'static str, check: &dyn Fn() -> Result<Outcome>| {
        report.section(title, || match browser() {
            Err(reason) => Ok(sections::not_here(reason)),
            Ok(()) => check(),
        });
    };
    pages("pages: Chromium", &|| pages::check(products));
    pages("viewer: Chromium", &pages::check_viewer);
    pages("pages of runs: Chromium", &|| pages::check_runs(products));
    pages("views: Chromium", &|| pages::check_views(products));
    report.section("films as glTF: three.js", || match (python, bundle) {
        (Err(reason), _) | (_, Err(reason)) => Ok(sections::not_here(reason)),
        _ => pages::check_films(products),
    });
}

/// Everything that needs more than the workspace's debug build.
fn full(report: &mut Report, (packages, bundle): (&Result<()>, &Result<()>), ahead: &Ahead) {
    report.section("documentation", sections::documentation);
    report.section("documentation examples", sections::doctests);
    let mut built = None;
    report.section("release build", || {
        built = Some(ahead.products()?);
        Ok(Outcome::pass())
    });
    let Some(products) = built else { return };
    report.section("generated examples", || generated::check(&products));
    report.section("examples packed", || sections::pack_examples(&products));
    report.section("C interface of the packed file", || {
        sections::packed_interface(&products)
    });
    report.section("real-time path of the packed file", || {
        sections::real_time(&products)
    });
    report.section("fixed work", || match packages {
        Err(reason) if !install::valgrind() => Ok(sections::not_here(reason)),
        _ => counts::check(&products),
    });
    report.section("growth of cost", || match packages {
        Err(reason) if !install::valgrind() => Ok(sections::not_here(reason)),
        _ => growth::check(&products),
    });
    let python = install::python_environment();
    report.section("finite elements: gmsh and CalculiX", || {
        match (packages, &python) {
            (Err(reason), _) if !install::finite_elements() => Ok(sections::not_here(reason)),
            (_, Err(reason)) => Ok(sections::not_here(reason)),
            _ => finite_elements::check(&products),
        }
    });
    report.section("linear forms: NumPy and SciPy", || match &python {
        Err(reason) => Ok(sections::not_here(reason)),
        Ok(()) => linear::check(&products),
    });
    // Nothing runs beside the browsers, whose pictures have limits of time.
    report.section("Python: the wheel", || ahead.wheel());
    report.section("bare target", || ahead.bare());
    in_browsers(report, &products, (packages, &python, bundle));
    let mut lanes = Lanes::default();
    let (of_platforms, libraries) = (products.clone(), ahead.libraries());
    let platforms = lanes.add(move || dist::check(&of_platforms, &libraries?, Examples::Few));
    let clients = clients::add_all(&mut lanes, &products, packages, &python);
    lanes.begin();
    if let Some(table) = clients.report(report) {
        report.section("page of the clients", || table.check());
    }
    report.section("platforms", || ahead::wait(&platforms));
}
