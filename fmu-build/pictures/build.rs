//! Gathers what a page of a run consists of: the scripts of `viewer/src` in their order, and the third-party bundle, if
//! `cargo xtask viewer` has made one.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let folder = |name: &str| PathBuf::from(env::var_os(name).unwrap_or_default());
    let root = folder("CARGO_MANIFEST_DIR").join("../..");
    let out = folder("OUT_DIR");
    let viewer = root.join("viewer");
    let mut script = String::new();
    for name in fs::read_to_string(viewer.join("order.txt"))?.split_whitespace() {
        script += &fs::read_to_string(viewer.join("src").join(name))?.replace('\r', "");
    }
    fs::write(out.join("script.js"), script)?;
    // Where there is no bundle yet, the folder is made, so that Cargo sees when one comes.
    let made = root.join("target/viewer");
    let watched = made.is_dir() || fs::create_dir_all(&made).is_ok();
    let bundle = fs::read_to_string(made.join("vendor.b64")).unwrap_or_default();
    fs::write(out.join("vendor.b64"), bundle)?;
    let watch = |path: &Path| println!("cargo::rerun-if-changed={}", path.display());
    watch(Path::new("build.rs"));
    watch(&viewer.join("order.txt"));
    watch(&viewer.join("src"));
    if watched {
        watch(&made);
    }
    Ok(())
}
