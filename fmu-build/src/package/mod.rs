//! Control plane: packs a model and the solver's shared library into an `.fmu`.
//!
//! ```text
//!     modelDescription.xml
//!     model.png                              FMI 2
//!     terminalsAndIcons/…                    icon.…, terminal.…, terminalsAndIcons.xml
//!     binaries/linux64/<id>.so               FMI 3: binaries/x86_64-linux/<id>.so
//!     resources/mechanism.bin                the mechanism and its table of variables, checked
//!     documentation/source/model.json        the model as it was given, byte for byte
//!     documentation/source/…                 the files that it refers to, likewise
//!     extra/org.fmi-standard.fmi-ls-ref/…    reference results of a smoke test
//!     extra/org.fmi-standard.fmi-ls-xcp/…    addresses of values, if the model publishes them
//!     documentation/index.html, documentation/mechanism.png, documentation/licenses/license.txt
//! ```

mod calibration;
mod documentation;
pub mod library;
mod licenses;
pub mod own;
mod reference;

use fixstep_model::Model;
use fixstep_model::shapes::Shape;
use fixstep_model::table;
use fixstep_model::table::Terminal;
use fixstep_variables::VariableTable;
use fixstep_variables::file::section::Fault;
use fixstep_variables::file::{Blueprint, Packed, pack as pack_mechanism};
use model_description::header::Header;
use model_description::parse::{self, Description, FmiVersion};
use model_description::{fmi2, fmi3, terminals};

use crate::archive::write::{Files, write};
use crate::slave::Failure;
use library::Library;
use reference::Trial;

/// The place of the mechanism inside an FMU.
pub const MECHANISM: &str = "resources/mechanism.bin";

/// The folder inside an FMU with a readable copy of the model and of the files to which it refers.
pub const SOURCE: &str = "documentation/source/";

/// The place of the model in that folder.
pub const MODEL: &str = "documentation/source/model.json";

/// How a model is packed.
#[derive(Clone, Copy, Debug)]
pub struct Packing<'a> {
    /// Version of FMI.
    pub version: FmiVersion,
    /// The solver, for one platform or more.
    pub libraries: &'a [Library],
    /// Leave out the copy of the model and the names of its elements? Nothing is encrypted.
    pub protect: bool,
    /// Is `terminalsAndIcons.xml` written?
    pub terminals: bool,
}

/// The files of an FMU for `model`, which was read from `text`. Of a model with templates it carries the flat text.
pub fn files(text: &str, model: &Model, packing: Packing<'_>) -> Result<Files, Failure> {
    let Packing {
        version,
        libraries,
        protect,
        terminals,
    } = packing;
    let table = table::of(&model.mechanism);
    let shown = if protect {
        model.mechanism.clone().without_names()
    } else {
        model.mechanism.clone()
    };
    let Packed {
        bytes: mechanism,
        token,
    } = pack_mechanism(&shown, &table).map_err(|fault| unpackable(&fault))?;
    let xml = xml(model, &token, version);
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
    // What a protected model says of its looks is left out with the model.
    let shapes: &[Shape] = if protect { &[] } else { &model.shapes };
    let trial = Trial::of(model, shapes);
    let page = documentation::html(&shown, &description, trial.picture.is_some());
    let mut add = |name: &str, bytes: &[u8]| files.insert(name.to_owned(), bytes.to_vec());
    add("modelDescription.xml", xml.as_bytes());
    add(MECHANISM, &mechanism);
    if !protect {
        let own = model.portable.as_deref();
        add(MODEL, own.unwrap_or(text).as_bytes());
        for (path, bytes) in &model.files {
            add(&format!("{SOURCE}{path}"), bytes);
        }
    }
    add("documentation/index.html", page.as_bytes());
    add(
        "documentation/licenses/license.txt",
        licenses::text().as_bytes(),
    );
    for (name, text) in trial.files(model, protect) {
        add(&name, text.as_bytes());
    }
    for (name, text) in calibration::files(model, &table, identifier, version, libraries)? {
        add(&name, text.as_bytes());
    }
    if let Some(picture) = &trial.picture {
        add("documentation/mechanism.png", picture);
    }
    icons(&mut files, version);
    if terminals {
        // Terminals contain the names of elements.
        let all = if protect {
            Vec::new()
        } else {
            Terminal::all(&model.mechanism, &table)
        };
        add_terminals(&mut files, &all, &table, version);
    }
    Ok(files)
}

/// The icons that importers show.
fn icons(files: &mut Files, version: FmiVersion) {
    let mut add = |name: &str, bytes: &[u8]| files.insert(name.to_owned(), bytes.to_vec());
    let (png, svg) = (
        include_bytes!("../../assets/icon.png"),
        include_bytes!("../../assets/icon.svg"),
    );
    if version == FmiVersion::V2 {
        add("model.png", png);
    }
    add("terminalsAndIcons/icon.png", png);
    add("terminalsAndIcons/icon.svg", svg);
}

/// The model's terminals, and where they are on the icon.
fn add_terminals(files: &mut Files, all: &[Terminal], table: &VariableTable, version: FmiVersion) {
    let mut add = |name: &str, bytes: &[u8]| files.insert(name.to_owned(), bytes.to_vec());
    add(
        "terminalsAndIcons/terminalsAndIcons.xml",
        terminals::write(all, table, version).as_bytes(),
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
}

/// The bytes of an FMU for `model`, which was read from `text`. The same arguments give the same bytes.
pub fn pack(text: &str, model: &Model, packing: Packing<'_>) -> Result<Vec<u8>, Failure> {
    write(&files(text, model, packing)?)
}

fn unpackable(fault: &Fault) -> Failure {
    Failure(format!("the mechanism cannot be packed: {fault}"))
}

/// `modelDescription.xml` of a model with this token.
fn xml(model: &Model, token: &str, version: FmiVersion) -> String {
    let table = table::of(&model.mechanism);
    xml_of(&Header::of(&model.mechanism, token), &table, version)
}

fn xml_of(header: &Header, table: &VariableTable, version: FmiVersion) -> String {
    match version {
        FmiVersion::V2 => fmi2::write(header, table),
        FmiVersion::V3 => fmi3::write(header, table),
    }
}

/// The model's `modelDescription.xml`.
pub fn description_xml(model: &Model, version: FmiVersion) -> Result<String, Failure> {
    let packed = model.packed().map_err(|fault| unpackable(&fault))?;
    Ok(xml(model, &packed.token, version))
}

/// The model's description, as an importer will read it.
pub fn description(model: &Model, version: FmiVersion) -> Result<Description, Failure> {
    read_back(&description_xml(model, version)?)
}

/// The description of the mechanism in an FMU, as an importer will read it.
pub fn description_of(blueprint: &Blueprint, version: FmiVersion) -> Result<Description, Failure> {
    let header = Header::of(&blueprint.mechanism, &blueprint.token);
    read_back(&xml_of(&header, &blueprint.table, version))
}

fn read_back(xml: &str) -> Result<Description, Failure> {
    parse::description(xml).map_err(|error| Failure(error.to_string()))
}
