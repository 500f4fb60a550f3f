//! Control plane: reads the mechanism and the model inside an FMU made by Fixstep.

use super::{MECHANISM, MODEL, SOURCE, xml_of};
use crate::archive::read::{entries, read};
use crate::slave::Failure;
use fixstep_model::Model;
use fixstep_variables::file::Blueprint;
use model_description::header::Header;
use model_description::parse::Description;
use std::path::Path;

/// The place of the model in older FMUs, without a file of the mechanism.
const FORMER: &str = "resources/model.json";

/// The data that the FMU's library reads, or the reason why they cannot be read here.
pub fn mechanism(fmu: &Path) -> Result<Result<Blueprint, String>, Failure> {
    if is_former(fmu)? {
        return Ok(Err(format!(
            "this FMU was packed by an earlier version: run and rti use the library in it; to look into it or to \
             renew it, unpack resources from it and build it again: fixstep build {FORMER}"
        )));
    }
    if !has(fmu, MECHANISM)? {
        return Ok(Err(format!("there is no {MECHANISM}")));
    }
    let bytes = read(fmu, MECHANISM)?;
    Ok(Blueprint::read(&bytes).map_err(|fault| fault.to_string()))
}

/// Is the FMU an older one, without a file of the mechanism?
pub fn is_former(fmu: &Path) -> Result<bool, Failure> {
    Ok(!has(fmu, MECHANISM)? && has(fmu, FORMER)?)
}

/// Can people read the model in the FMU?
pub fn is_readable(fmu: &Path) -> Result<bool, Failure> {
    has(fmu, MODEL)
}

/// The model from its copy, or its fault; `None`: there is no copy.
pub fn source(fmu: &Path) -> Result<Option<Result<Model, String>>, Failure> {
    if !has(fmu, MODEL)? {
        return Ok(None);
    }
    let Ok(text) = String::from_utf8(read(fmu, MODEL)?) else {
        return Ok(Some(Err("is not UTF-8".to_owned())));
    };
    let beside =
        |name: &str| read(fmu, &format!("{SOURCE}{name}")).map_err(|Failure(reason)| reason);
    let model = Model::read(&text, &beside);
    Ok(Some(model.map_err(|errors| errors.to_string())))
}

/// The first line in which a description differs from the one that mechanism and table give. Lines that describe the
/// model in words may differ: a protected mechanism has none.
pub fn difference(xml: &str, description: &Description, blueprint: &Blueprint) -> Option<String> {
    let Blueprint {
        mechanism,
        table,
        token,
    } = blueprint;
    let mut header = Header::of(mechanism, token);
    header.description.clone_from(&description.description);
    let own = xml_of(&header, table, description.version);
    let mut pairs = (1..).zip(xml.lines().zip(own.lines()));
    let (number, here, there) = match pairs.find(|(_, (here, there))| here != there) {
        Some((number, (here, there))) => (number, here, there),
        None if xml.lines().count() == own.lines().count() => return None,
        None => (own.lines().count().min(xml.lines().count()) + 1, "", ""),
    };
    Some(format!(
        "line {number} is {:?}, and {MECHANISM} gives {:?}: one of them was changed, and the FMU computes with the latter; \
         build the FMU again",
        here.trim(),
        there.trim()
    ))
}

fn has(fmu: &Path, name: &str) -> Result<bool, Failure> {
    let all = entries(fmu)?;
    Ok(all.iter().any(|entry| entry.name == name))
}
