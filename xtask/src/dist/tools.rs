//! Compilers, linker and emulators for other platforms, each fetched once into `target/dist`. Control plane.
//!
//! Zig links for every platform and for old C libraries. It comes from PyPI; its checksums are in
//! `tests/platforms/requirements.txt`. Rust's standard library for a platform is that of the installed Rust if it has
//! one or gets it from rustup; otherwise it is that of Debian's compiler, built from its sources if Debian has no binary. Debian packages
//! are downloaded, verified by apt, unpacked into a folder and never installed.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::install;
use crate::shell::{self, Result, unusable};

/// Where all of it goes.
pub(crate) fn folder() -> PathBuf {
    shell::target().join("dist")
}

/// Whether this machine can have the tools at all; the error gives the reason if not.
pub(crate) fn possible() -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("libraries for other platforms are built on Linux on x86-64 only".into());
    }
    if !shell::exists("objdump") {
        return Err("this needs objdump (package binutils)".into());
    }
    Ok(())
}

/// Zig and cargo-zigbuild.
pub(crate) fn linker() -> Result<()> {
    let list = shell::root().join("tests/platforms/requirements.txt");
    install::packages(&folder().join("python"), &list)
}

/// Whether the installed Rust has the standard library for a target, or can have it from rustup.
pub(crate) fn has_library(target: &str) -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let knows = || knows(Path::new(&rustc), target);
    knows() || fetched(target) && knows()
}

/// Asks rustup once for the standard library of a target; was it there?
fn fetched(target: &str) -> bool {
    static ASKED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    if asked.iter().any(|other| other == target) {
        return false;
    }
    asked.push(target.to_owned());
    let mut rustup = shell::program("rustup");
    rustup.args(["target", "add", target]);
    shell::succeeds(rustup)
}

/// Whether a compiler has the standard library for a target.
pub(crate) fn knows(compiler: &Path, target: &str) -> bool {
    let mut rustc = shell::program(compiler);
    rustc.args(["--print", "target-libdir", "--target", target]);
    let said = rustc.stderr(Stdio::null()).output();
    said.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

/// Debian's compiler, with the sources of its standard library.
pub(crate) fn compiler() -> Result<PathBuf> {
    let into = folder().join("compiler");
    let rustc = into.join("rustc");
    let wanted = |part: &str| !part.starts_with("usr/src/") || part.contains("/library/");
    if !stamp(&into).is_file() {
        let lists = lists_for_arm()
            .inspect_err(|reason| {
                shell::say(&format!(
                    "Rust's standard library for Arm is built, not fetched: {reason}"
                ));
            })
            .unwrap_or_default();
        unpack(&into, &lists, || compiler_packages(&lists), wanted)?;
    }
    let script = "#!/bin/sh\nhere=$(dirname \"$(readlink -f \"$0\")\")/usr\n\
                  LD_LIBRARY_PATH=$here/lib/x86_64-linux-gnu exec \"$here/bin/rustc\" --sysroot \"$here\" \"$@\"\n";
    if fs::read_to_string(&rustc).is_ok_and(|there| there == script) {
        return Ok(rustc);
    }
    fs::write(&rustc, script).map_err(unusable(&rustc))?;
    let mut executable = shell::program("chmod");
    executable.arg("755").arg(&rustc);
    shell::run(executable)?;
    Ok(rustc)
}

/// Options that make apt use our own lists, which include the packages for 64-bit Arm.
fn lists_for_arm() -> Result<Vec<String>> {
    let own = folder().join("apt");
    let (lists, cache) = (own.join("lists"), own.join("cache"));
    for folder in [lists.join("partial"), cache.join("archives/partial")] {
        fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    }
    let mut options = Vec::new();
    for value in [
        "APT::Architectures::=amd64".to_owned(),
        "APT::Architectures::=arm64".to_owned(),
        format!("Dir::State::lists={}", lists.display()),
        format!("Dir::Cache={}", cache.display()),
    ] {
        options.extend(["-o".to_owned(), value]);
    }
    let mut apt = shell::program("apt-get");
    apt.args(["-q", "-o", "APT::Sandbox::User=root"]);
    apt.args(&options).arg("update");
    shell::run(apt).map(|()| options)
}

/// The compiler's packages; the names of two of them hold versions. With lists for 64-bit Arm also its standard library for
/// that.
fn compiler_packages(lists: &[String]) -> Result<Vec<String>> {
    let library = dependency(lists, "libstd-rust-web-dev", "libstd-rust-web-")?;
    let backend = dependency(lists, &library, "libllvm")?;
    let mut names = vec![library, backend];
    names.extend(["rustc-web", "libstd-rust-web-dev", "rust-web-src"].map(str::to_owned));
    if !lists.is_empty() {
        names.push("libstd-rust-web-dev:arm64".to_owned());
    }
    Ok(names)
}

/// The package that another one depends on.
fn dependency(lists: &[String], package: &str, beginning: &str) -> Result<String> {
    let mut ask = shell::program("apt-cache");
    ask.args(lists).args(["depends", package]);
    let output = ask
        .output()
        .map_err(|error| format!("cannot start `apt-cache`: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut names = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "));
    let found = names.find(|name| name.starts_with(beginning));
    found.map(str::to_owned).ok_or_else(|| {
        format!(
            "this system has no package {package}, whose compiler builds Rust's standard library for other platforms; \
             `rustup target add TARGET` does as well"
        )
    })
}

/// Wine's loader, unpacked.
pub(crate) fn wine() -> Result<PathBuf> {
    let into = folder().join("wine");
    let names = || {
        Ok(["wine64", "libwine", "libunwind8", "libz-mingw-w64"]
            .map(str::to_owned)
            .to_vec())
    };
    unpack(&into, &[], names, |part| {
        !part.contains("/i386-windows/") && !part.contains("/share/doc/")
    })?;
    let programs = into.join("usr/lib/wine");
    // The script with this name looks for the program in the system.
    link("wineserver64", &programs.join("wineserver"))?;
    let theirs = into.join("usr/x86_64-w64-mingw32/lib/zlib1.dll");
    let ours = "usr/lib/x86_64-linux-gnu/wine/x86_64-windows/zlib1.dll";
    link(theirs.as_os_str(), &into.join(ours))?;
    Ok(programs.join("wine64"))
}

/// Where Wine finds the libraries of the system that it needs.
pub(crate) fn wine_libraries() -> PathBuf {
    folder().join("wine/usr/lib/x86_64-linux-gnu")
}

/// Makes a symbolic link, in place of what is there.
fn link(to: impl Into<OsString>, at: &Path) -> Result<()> {
    let mut make = shell::program("ln");
    make.arg("-sfn").arg(to.into()).arg(at);
    shell::run(make)
}

/// The emulator of 64-bit Arm, and the folder of its C library.
pub(crate) fn arm() -> Result<(PathBuf, PathBuf)> {
    let into = folder().join("arm");
    let names = || {
        Ok(["qemu-user-static", "libc6-arm64-cross"]
            .map(str::to_owned)
            .to_vec())
    };
    unpack(&into, &[], names, |part| {
        part == "usr/bin/qemu-aarch64-static" || part.starts_with("usr/aarch64-linux-gnu/")
    })?;
    Ok((
        into.join("usr/bin/qemu-aarch64-static"),
        into.join("usr/aarch64-linux-gnu"),
    ))
}

/// The file that marks packages as unpacked.
fn stamp(into: &Path) -> PathBuf {
    into.join("packages.stamp")
}

/// Downloads packages, by our own lists or by those of the system, and unpacks the wanted files, once.
fn unpack(
    into: &Path,
    lists: &[String],
    names: impl Fn() -> Result<Vec<String>>,
    wanted: impl Fn(&str) -> bool,
) -> Result<()> {
    let stamp = stamp(into);
    if stamp.is_file() {
        return Ok(());
    }
    for tool in ["apt-get", "dpkg-deb", "tar"] {
        if !shell::exists(tool) {
            return Err(format!(
                "packages of Debian are wanted, and there is no {tool}"
            ));
        }
    }
    let names = names().or_else(|_| install::update_lists().and_then(|()| names()))?;
    let fetched = into.join("fetched");
    let _ = fs::remove_dir_all(into);
    fs::create_dir_all(&fetched).map_err(unusable(&fetched))?;
    let fetch = || {
        let mut apt = shell::program("apt-get");
        // As the user of this program, who owns the folder.
        apt.args(["-q", "-o", "APT::Sandbox::User=root"])
            .args(lists)
            .arg("download")
            .args(&names)
            .current_dir(&fetched);
        shell::run(apt)
    };
    fetch().or_else(|_| install::update_lists().and_then(|()| fetch()))?;
    for package in shell::files(&fetched)? {
        unpack_one(&fetched.join(package), into, &wanted)?;
    }
    fs::remove_dir_all(&fetched).map_err(unusable(&fetched))?;
    fs::write(&stamp, names.join("\n")).map_err(unusable(&stamp))
}

/// Unpacks what is wanted of a package.
fn unpack_one(package: &Path, into: &Path, wanted: &impl Fn(&str) -> bool) -> Result<()> {
    let stream = || {
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.arg("--fsys-tarfile").arg(package);
        dpkg.stdout(Stdio::piped()).spawn()
    };
    let failed = |error: std::io::Error| format!("{}: {error}", package.display());
    let mut from = stream().map_err(failed)?;
    let mut list = Command::new("tar");
    list.arg("-t")
        .stdin(Stdio::from(from.stdout.take().ok_or("no output")?));
    let listing = list.output().map_err(failed)?;
    from.wait().map_err(failed)?;
    let text = String::from_utf8_lossy(&listing.stdout).into_owned();
    let parts: Vec<&str> = text
        .lines()
        .filter(|name| !name.ends_with('/'))
        .filter(|name| wanted(name.trim_start_matches("./")))
        .collect();
    let names = into.join("names");
    fs::write(&names, parts.join("\n")).map_err(unusable(&names))?;
    let mut from = stream().map_err(failed)?;
    let mut extract = Command::new("tar");
    extract.arg("-x").arg("-C").arg(into).arg("-T").arg(&names);
    extract.stdin(Stdio::from(from.stdout.take().ok_or("no output")?));
    let done = extract.status().map_err(failed)?;
    from.wait().map_err(failed)?;
    fs::remove_file(&names).map_err(unusable(&names))?;
    if done.success() {
        return Ok(());
    }
    Err(format!("{} cannot be unpacked", package.display()))
}

/// Zig with arguments.
pub(crate) fn zig(arguments: &[&str]) -> Command {
    let mut command = shell::program(install::python_of(&folder().join("python")));
    command.args(["-m", "ziglang"]).args(arguments);
    with_caches(&mut command);
    command
}

/// cargo-zigbuild with arguments.
pub(crate) fn zigbuild(arguments: &[&str]) -> Command {
    let mut command = shell::cargo(&["zigbuild"]);
    command.args(arguments);
    let mut path = folder().join("python/bin").into_os_string();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    command.env("PATH", path);
    with_caches(&mut command);
    command
}

/// Caches of the tools go below the target folder too.
fn with_caches(command: &mut Command) {
    let caches = folder().join("caches");
    command.env("ZIG_GLOBAL_CACHE_DIR", caches.join("zig"));
    command.env("ZIG_LOCAL_CACHE_DIR", caches.join("zig"));
    command.env("CARGO_ZIGBUILD_CACHE_DIR", caches.join("zigbuild"));
}
