//! The written text against the official schemas, by `xmllint` (Debian package libxml2-utils).
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, io};

use model_description::{fmi2, fmi3};

use crate::sample;

/// What `xmllint` says about a description; `None` if it is not installed.
pub(crate) fn xmllint(text: &str, version: u32) -> Option<Result<(), String>> {
    by_schema(
        text,
        &format!("fmi{version}/fmi{version}ModelDescription.xsd"),
    )
}

/// What `xmllint` says about a text by a schema; `None` if it is not installed.
pub(crate) fn by_schema(text: &str, schema: &str) -> Option<Result<(), String>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("xsd").join(schema);
    let spawned = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(path)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = spawned else {
        assert!(
            env::var("CI").as_deref() != Ok("true"),
            "xmllint is not installed and CI=true: install libxml2-utils"
        );
        // Past the test harness, which hides what passing tests print.
        let notice = format!("SKIPPED {schema}: xmllint is not installed\n");
        io::stdout().write_all(notice.as_bytes()).unwrap();
        return None;
    };
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Some(if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    })
}

#[test]
fn schemas_accept_the_text() {
    let (header, table) = sample::header_and_table();
    for (text, version) in [
        (fmi2::write(&header, &table), 2),
        (fmi3::write(&header, &table), 3),
    ] {
        if let Some(Err(message)) = xmllint(&text, version) {
            panic!("FMI {version}: {message}");
        }
    }
}

/// The test above can fail.
#[test]
fn schemas_refuse_a_broken_text() {
    let (header, table) = sample::header_and_table();
    for (text, version) in [
        (fmi2::write(&header, &table), 2),
        (fmi3::write(&header, &table), 3),
    ] {
        let broken = text.replace("causality=\"input\"", "causality=\"inward\"");
        if let Some(verdict) = xmllint(&broken, version) {
            assert!(verdict.unwrap_err().contains("inward"));
        }
    }
}
