//! `cargo xtask dist`: makes FMUs that hold the library for every platform, and checks that all libraries give the
//! same bits. Control plane.

pub(crate) mod bare;
mod binaries;
mod runs;
mod stage;
mod tools;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::products::{self, Products};
use crate::report::{Outcome, Report};
use crate::sections::not_here;
use crate::shell::{self, Result, unusable};

/// A platform that FMUs are made for.
pub(crate) struct Platform {
    /// Folders below `binaries/` in FMI 2.0 and FMI 3.0.
    folders: [&'static str; 2],
    /// Rust's name.
    target: &'static str,
    /// The same with the oldest C library with which it must run.
    floor: &'static str,
    /// Zig's name.
    c_target: &'static str,
    /// The file name that the build gives the library.
    library: &'static str,
    /// Tag of wheels of Python.
    tag: &'static str,
    /// Extension of shared libraries.
    extension: &'static str,
    /// Beginnings of names of the system libraries that it may need.
    needs: &'static [&'static str],
}

/// All of them; the others are compared with the first.
pub(crate) const PLATFORMS: [Platform; 3] = [
    Platform {
        folders: ["linux64", "x86_64-linux"],
        target: "x86_64-unknown-linux-gnu",
        tag: "manylinux2014_x86_64",
        floor: "x86_64-unknown-linux-gnu.2.17",
        c_target: "x86_64-linux-gnu.2.17",
        library: "libfixstep.so",
        extension: "so",
        needs: &[
            "libc.so.6",
            "libdl.so.2",
            "libpthread.so.0",
            "ld-linux-x86-64.so.2",
        ],
    },
    Platform {
        folders: ["win64", "x86_64-windows"],
        target: "x86_64-pc-windows-gnu",
        tag: "win_amd64",
        floor: "x86_64-pc-windows-gnu",
        c_target: "x86_64-windows-gnu",
        library: "fixstep.dll",
        extension: "dll",
        needs: &[
            "kernel32.dll",
            "advapi32.dll",
            "ntdll.dll",
            "userenv.dll",
            "ws2_32.dll",
            "bcryptprimitives.dll",
            "api-ms-win-core-synch-",
            "api-ms-win-crt-",
        ],
    },
    Platform {
        folders: ["aarch64-linux", "aarch64-linux"],
        target: "aarch64-unknown-linux-gnu",
        tag: "manylinux2014_aarch64",
        floor: "aarch64-unknown-linux-gnu.2.17",
        c_target: "aarch64-linux-gnu.2.17",
        library: "libfixstep.so",
        extension: "so",
        needs: &[
            "libc.so.6",
            "libdl.so.2",
            "libpthread.so.0",
            "ld-linux-aarch64.so.1",
        ],
    },
];

impl Platform {
    /// Its name in FMI 3.0.
    pub(crate) fn name(&self) -> &'static str {
        self.folders[1]
    }

    /// The library as the build leaves it.
    fn built(&self) -> PathBuf {
        let release = build_folder().join(self.target).join("release");
        release.join(self.library)
    }

    /// Whether it is Windows.
    fn is_windows(&self) -> bool {
        self.extension == "dll"
    }

    /// The folder below `binaries/` for a version of FMI.
    fn folder(&self, version: &str) -> &'static str {
        self.folders[usize::from(version == "3")]
    }
}

/// A module for Python as the build leaves it, and the tag of its platform.
pub(crate) struct Module {
    pub(crate) file: PathBuf,
    pub(crate) tag: String,
    /// The platform, if it was built for old systems too.
    platform: Option<&'static Platform>,
}

impl Module {
    /// What it needs and exports, unless it is for this system alone.
    pub(crate) fn inspect(&self) -> Result<Outcome> {
        let checked = self
            .platform
            .map(|platform| binaries::module(platform, &self.file));
        checked.unwrap_or_else(|| Ok(not_here("the module is for this system alone")))
    }
}

/// The libraries for all platforms, by name, once they are built.
pub(crate) fn named_libraries() -> Vec<(&'static str, PathBuf)> {
    let all = PLATFORMS.iter();
    all.map(|platform| (platform.name(), platform.built()))
        .collect()
}

/// The module for every platform.
pub(crate) fn modules() -> Result<Vec<Module>> {
    let compiler = compiler()?;
    let build = |platform: &'static Platform| {
        let other = { compiler.as_deref() }.filter(|_| !tools::has_library(platform.target));
        build_module(other, platform)
    };
    PLATFORMS.iter().map(build).collect()
}

/// The module for this computer: for old systems too if it can be built so.
pub(crate) fn own_module() -> Result<Module> {
    let platform = &PLATFORMS[0];
    let old = tools::possible().and_then(|()| tools::linker());
    if old.is_ok() && tools::has_library(platform.target) {
        return build_module(None, platform);
    }
    let mut command = shell::cargo(&["build", "--release", "-p", "fixstep-python"]);
    command.env("PYO3_NO_PYTHON", "1");
    shell::run(command)?;
    let tag = format!("linux_{}", std::env::consts::ARCH);
    let file = shell::target().join("release/lib_fixstep.so");
    Ok(Module {
        file,
        tag,
        platform: None,
    })
}

/// Builds the module for a platform, in a folder of its own: its crates have other features than those of the library.
fn build_module(compiler: Option<&Path>, platform: &'static Platform) -> Result<Module> {
    let folder = tools::folder().join("module");
    let mut command = tools::zigbuild(&["--release", "-p", "fixstep-python", "--target-dir"]);
    command.arg(&folder).args(["--target", platform.floor]);
    // One module serves all versions of Python, so none is asked.
    command.env("PYO3_NO_PYTHON", "1");
    if platform.is_windows() {
        command.env(
            "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS",
            stack_protection()?,
        );
    }
    with_compiler(&mut command, compiler, platform);
    shell::run(command)?;
    let name = if platform.is_windows() {
        "_fixstep.dll"
    } else {
        "lib_fixstep.so"
    };
    let file = folder.join(platform.target).join("release").join(name);
    let tag = platform.tag.to_owned();
    if file.is_file() {
        return Ok(Module {
            file,
            tag,
            platform: Some(platform),
        });
    }
    Err(format!("the build left no {}", file.display()))
}

/// Where the libraries are built: in no other build's way.
fn build_folder() -> PathBuf {
    tools::folder().join("build")
}

/// Folder of the FMUs: `fmi2/` and `fmi3/` below it.
fn fmus() -> PathBuf {
    tools::folder().join("fmus")
}

/// `cargo xtask dist [MODEL]`
pub(crate) fn run(model: Option<&str>) -> Result<()> {
    let models = match model {
        Some(model) => vec![products::named(model)?],
        None => products::examples()?
            .into_iter()
            .map(|example| (example.name, example.model))
            .collect(),
    };
    tools::possible()?;
    tools::linker()?;
    let compiler = compiler()?;
    let products = products::build()?;
    let libraries = build(compiler.as_deref())?;
    let found = binaries::check()?;
    if found.counts.failed > 0 {
        return Err(found.notes.join("\n"));
    }
    for (name, model) in models {
        for version in ["2", "3"] {
            let fmu = products.pack_with(&libraries, &fmus(), &name, &model, version)?;
            println!("FMI {version}.0: {}", fmu.display());
        }
    }
    Ok(())
}

/// Debian's compiler, if the installed Rust lacks the standard library of a platform.
fn compiler() -> Result<Option<PathBuf>> {
    let lacks = |platform: &Platform| !tools::has_library(platform.target);
    if PLATFORMS.iter().any(lacks) {
        return tools::compiler().map(Some);
    }
    Ok(None)
}

/// Builds the library for every platform.
fn build(compiler: Option<&Path>) -> Result<Vec<PathBuf>> {
    // Linux comes first: its exports are those that Windows must have.
    for platform in &PLATFORMS {
        let other = compiler.filter(|_| !tools::has_library(platform.target));
        build_with(other, platform)?;
    }
    Ok(PLATFORMS.iter().map(Platform::built).collect())
}

/// Builds the library for a platform with the installed compiler, or with Debian's, which also builds the standard
/// library if Debian has none.
fn build_with(compiler: Option<&Path>, platform: &Platform) -> Result<()> {
    let mut command = tools::zigbuild(&["--release", "-p", "fixstep-library", "--target-dir"]);
    command.arg(build_folder());
    command.args(["--target", platform.floor]);
    if platform.is_windows() {
        let flags = windows_flags()?;
        command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS", flags);
    }
    with_compiler(&mut command, compiler, platform);
    shell::run(command)?;
    let file = platform.built();
    if file.is_file() {
        return Ok(());
    }
    Err(format!("the build left no {}", file.display()))
}

/// Lets another compiler build, and the standard library with it if it has none for the platform.
fn with_compiler(command: &mut Command, compiler: Option<&Path>, platform: &Platform) {
    let Some(compiler) = compiler else { return };
    command.env("RUSTC", compiler);
    if !tools::knows(compiler, platform.target) {
        // Without the code that prints the stack of a panic, which is never shown.
        command.args(["-Zbuild-std=std,panic_unwind", "-Zbuild-std-features="]);
        command.env("RUSTC_BOOTSTRAP", "1");
    }
}

/// Linker flags for Windows: export the C functions that the library for Linux exports, and nothing else; and resolve
/// the symbols of C's stack protection that Debian's compiler requires but does not provide.
fn windows_flags() -> Result<String> {
    let protection = stack_protection()?;
    let folder = tools::folder().join("link");
    let names = binaries::exports(&PLATFORMS[0], &PLATFORMS[0].built())?;
    let mut text = "EXPORTS\n".to_owned();
    for name in names {
        let _ = writeln!(text, "    {name}");
    }
    let definition = folder.join("fixstep.def");
    fs::write(&definition, text).map_err(unusable(&definition))?;
    Ok(format!("{protection} -C link-arg={}", definition.display()))
}

/// Linker flags for Windows that resolve the symbols of C's stack protection.
fn stack_protection() -> Result<String> {
    let folder = tools::folder().join("link");
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    for name in ["libssp.a", "libssp_nonshared.a"] {
        let file = folder.join(name);
        fs::write(&file, "!<arch>\n").map_err(unusable(&file))?;
    }
    Ok(format!("-L native={}", folder.display()))
}

/// `cargo xtask dist --check`
pub(crate) fn run_check() -> Result<()> {
    let products = products::build()?;
    let mut report = Report::default();
    report.section("platforms", || {
        check(&products, &libraries()?, Examples::All)
    });
    report.finish()
}

/// Which examples run on every platform.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Examples {
    /// All.
    All,
    /// A few, which contain every kind of element and use every kind of solver.
    Few,
}

/// Libraries for every platform, or why this machine cannot build them.
#[derive(Clone)]
pub(crate) enum Libraries {
    Built(Vec<PathBuf>),
    NotHere(String),
}

/// The library for this computer as it is shipped, for old systems too; an error if it cannot be built here.
pub(crate) fn own_library() -> Result<PathBuf> {
    let platform = &PLATFORMS[0];
    tools::possible()?;
    if !tools::has_library(platform.target) {
        return Err(format!(
            "the installed Rust builds nothing for {}",
            platform.target
        ));
    }
    tools::linker()?;
    build_with(None, platform)?;
    Ok(platform.built())
}

/// Fetches the tools and builds the libraries.
pub(crate) fn libraries() -> Result<Libraries> {
    let compiler = tools::possible()
        .and_then(|()| tools::linker())
        .and_then(|()| compiler());
    match compiler {
        Ok(compiler) => build(compiler.as_deref()).map(Libraries::Built),
        Err(reason) => Ok(Libraries::NotHere(reason)),
    }
}

/// The section of the tests: packs the libraries, inspects them and runs them.
pub(crate) fn check(
    products: &Products,
    libraries: &Libraries,
    examples: Examples,
) -> Result<Outcome> {
    let libraries = match libraries {
        Libraries::Built(libraries) => libraries,
        Libraries::NotHere(reason) => return Ok(not_here(reason)),
    };
    let mut outcome = binaries::check()?;
    outcome.add(runs::check(products, libraries, examples)?);
    Ok(outcome)
}
