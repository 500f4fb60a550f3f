//! Control plane: a model and the solver's shared library become an `.fmu`.
//!
//! ```text
//!     modelDescription.xml
//!     model.png                              FMI 2
//!     terminalsAndIcons/…                    icon.…, terminal.…, terminalsAndIcons.xml
//!     binaries/linux64/<id>.so               FMI 3: binaries/x86_64-linux/<id>.so
//!     resources/model.json                   the model as it was given, byte for byte
//!     resources/…                            the files that it refers to, likewise
//!     extra/org.fmi-standard.fmi-ls-ref/…    reference results of a smoke test
//!     extra/org.fmi-standard.fmi-ls-xcp/…    addresses of values, if the model publishes them
//!     documentation/index.html, documentation/mechanism.svg, documentation/licenses/license.txt
//! ```

mod calibration;
mod documentation;
pub mod library;
mod licenses;
mod reference;

use fixstep_model::Model;
use fixstep_model::table;
use fixstep_model::table::Terminal;
use fixstep_variables::instantiation_token;
use model_description::header::Header;
use model_description::parse::{self, Description, FmiVersion};
use model_description::{fmi2, fmi3, terminals};

use crate::archive::write::{Files, write};
use crate::slave::Failure;
use library::Library;
use reference::Trial;

/// Where the files that a model refers to stand inside an FMU.
pub const RESOURCES: &str = "resources/";

/// Where the model stands inside an FMU.
pub const MODEL: &str = "resources/model.json";

/// The files of an FMU for `model`, which was read from `text`.
pub fn files(
    text: &str,
    model: &Model,
    version: FmiVersion,
    libraries: &[Library],
) -> Result<Files, Failure> {
    let xml = description_xml(text, model, version);
    let description = read_back(&xml)?;
    let interface = description.co_simulation.as_ref();
    let identifier = interface
        .map(|interface| interface.model_identifier.as_str())
        .ok_or_else(|| Failure("the description has no co-simulation interface".to_owned()))?;
    let mut files = Files::new();
    for Library { platform, bytes } in libraries {
        let (folder, extension) = (platform.folder(version), platform.extension());
        files.insert(
            format!("binaries/{folder}/{identifier}.{extension}"),
            bytes.clone(),
        );
    }
    let trial = Trial::of(text, model);
    let page = documentation::html(model, &description, trial.picture.is_some());
    let mut add = |name: &str, bytes: &[u8]| files.insert(name.to_owned(), bytes.to_vec());
    add("modelDescription.xml", xml.as_bytes());
    add(MODEL, text.as_bytes());
    for (path, bytes) in &model.files {
        add(&format!("{RESOURCES}{path}"), bytes);
    }
    add("documentation/index.html", page.as_bytes());
    add(
        "documentation/licenses/license.txt",
        licenses::text().as_bytes(),
    );
    let (png, svg) = (
        include_bytes!("../../assets/icon.png"),
        include_bytes!("../../assets/icon.svg"),
    );
    for (name, text) in trial.files(model) {
        add(&name, text.as_bytes());
    }
    let table = table::of(&model.mechanism);
    for (name, text) in calibration::files(model, &table, identifier, version, libraries)? {
        add(&name, text.as_bytes());
    }
    if let Some(picture) = &trial.picture {
        add("documentation/mechanism.svg", picture.as_bytes());
    }
    if version == FmiVersion::V2 {
        add("model.png", png);
    }
    add("terminalsAndIcons/icon.png", png);
    add("terminalsAndIcons/icon.svg", svg);
    let all = Terminal::all(&model.mechanism, &table);
    add(
        "terminalsAndIcons/terminalsAndIcons.xml",
        terminals::write(&all, &table, version).as_bytes(),
    );
    if !all.is_empty() {
        let pin = format!("terminalsAndIcons/{}", terminals::ICON);
        let (png, svg) = (
            include_bytes!("../../assets/terminal.png"),
            include_bytes!("../../assets/terminal.svg"),
        );
        add(&format!("{pin}.png"), png);
        add(&format!("{pin}.svg"), svg);
    }
    Ok(files)
}

/// The bytes of an FMU for `model`, which was read from `text`: the same for the same arguments.
pub fn pack(
    text: &str,
    model: &Model,
    version: FmiVersion,
    libraries: &[Library],
) -> Result<Vec<u8>, Failure> {
    write(&files(text, model, version, libraries)?)
}

/// The model's `modelDescription.xml`.
pub fn description_xml(text: &str, model: &Model, version: FmiVersion) -> String {
    let table = table::of(&model.mechanism);
    let header = Header::of(
        &model.mechanism,
        &instantiation_token(text, &model.files, &table),
    );
    match version {
        FmiVersion::V2 => fmi2::write(&header, &table),
        FmiVersion::V3 => fmi3::write(&header, &table),
    }
}

/// The model's instantiation token.
pub fn token(text: &str, model: &Model) -> String {
    instantiation_token(text, &model.files, &table::of(&model.mechanism))
}

/// The model's description, as a master will read it.
pub fn description(text: &str, model: &Model, version: FmiVersion) -> Result<Description, Failure> {
    read_back(&description_xml(text, model, version))
}

fn read_back(xml: &str) -> Result<Description, Failure> {
    parse::description(xml).map_err(|error| Failure(error.to_string()))
}
