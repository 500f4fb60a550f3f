//! Gathers what a page of a run consists of: the scripts of `viewer/src` in their order, and the third-party bundle, if
//! `cargo xtask viewer` has made one.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

#[expect(unreachable_pub, reason = "the crate exports it")]
#[path = "src/payload/base64.rs"]
mod base64;
use base64::base64;

fn main() -> io::Result<()> {
    let folder = |name: &str| PathBuf::from(env::var_os(name).unwrap_or_default());
    let root = folder("CARGO_MANIFEST_DIR").join("../..");
    let out = folder("OUT_DIR");
    let viewer = root.join("viewer");
    // One function around all of them: nothing of theirs is global.
    let mut script = String::from("(() => {\n\"use strict\";\n");
    for name in fs::read_to_string(viewer.join("order.txt"))?.split_whitespace() {
        script += &fs::read_to_string(viewer.join("src").join(name))?.replace('\r', "");
    }
    script += "})();\n";
    fs::write(out.join("script.b64"), packed(script.as_bytes())?)?;
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

/// Base64 of gzip: the same bytes at any time, on any processor.
fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut encoder: GzEncoder<Vec<u8>> = GzBuilder::new().write(Vec::new(), Compression::new(9));
    encoder.write_all(bytes)?;
    Ok(base64(&encoder.finish()?))
}
