//! Control plane: instantiation, the same for both versions.

use std::ffi::{c_char, c_void};
use std::path::PathBuf;

use super::fmi3::step::Update;
use super::guard::{self, Made};
use super::{module, pointers, window};
use crate::instance::log::{Category, LogSink};
use crate::instance::mode::Rule;
use crate::instance::resources::{Platform, candidates};
use crate::instance::status::{Refusal, Status};
use crate::instance::{Instance, Instantiation};

/// The arguments of instantiation in both versions.
pub(super) struct Request {
    /// The function, for messages.
    pub(super) rule: Rule,
    /// Name of the instance.
    pub(super) name: *const c_char,
    /// GUID or instantiation token.
    pub(super) token: *const c_char,
    /// Resource location: URI, path or null.
    pub(super) resources: *const c_char,
    /// Are all categories of messages wanted?
    pub(super) logging: bool,
    /// May a step end early?
    pub(super) early_return: bool,
    /// The callback between integration steps.
    pub(super) update: Option<Update>,
    /// Variables that the importer wants to use there.
    pub(super) intermediate: (*const u32, usize),
}

/// A new instance, or null after a message with the reason.
pub(super) fn open(
    request: &Request,
    sink: Box<dyn LogSink>,
    acceptable: Result<(), Refusal>,
) -> *mut c_void {
    guard::create(move || {
        let rule = request.rule;
        let asked = acceptable.and_then(|()| {
            let name = pointers::text(rule, "instanceName", request.name)?;
            let token = pointers::text(rule, "the token (GUID)", request.token)?;
            let (list, n) = request.intermediate;
            let variables = pointers::input(rule, "requiredIntermediateVariables", list, n)?;
            Ok((name, token, variables))
        });
        let (name, token, variables) = match asked {
            Ok(asked) => asked,
            Err(refusal) => {
                sink.write(Status::Error, Category::Error.name(), &refusal.text);
                return None;
            }
        };
        let mut instance = Instance::new(Instantiation {
            name: &name,
            token: &token,
            folders: folders(request.resources),
            logging: request.logging,
            sink,
            window: Some(&window::WINDOW),
        })?;
        if let Err(refusal) = instance.all_known(rule, variables) {
            instance.refuse(&refusal);
            return None;
        }
        Some(Made {
            instance,
            early_return: request.early_return,
            update: request.update,
        })
    })
}

/// Folders in which the resources may be: first those that the importer names, then those next to the library itself.
fn folders(location: *const c_char) -> Vec<PathBuf> {
    let said = pointers::bytes(location).unwrap_or_default();
    let said = candidates(&said, Platform::HERE).into_iter();
    said.map(path).chain(module::resources()).collect()
}

#[cfg(unix)]
fn path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}
