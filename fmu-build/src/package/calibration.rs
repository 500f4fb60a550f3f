//! Control plane: writes the files that tools need to measure and calibrate in memory, by the layered standard
//! FMI-LS-XCP.
//!
//! ```text
//!     extra/org.fmi-standard.fmi-ls-xcp/fmi-ls-manifest.xml          memory may be accessed
//!     extra/org.fmi-standard.fmi-ls-xcp/<platform>/<identifier>.a2l  where each value is
//!     documentation/fmi-ls-xcp.txt                                   for people
//! ```
//!
//! Addresses are relative to the base of the library, as the standard requires for slaves that are not in the FMU:
//! the address of the symbol `fixstep_window`, and 8 bytes for each value reference ([`fixstep::instance::window`]).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fixstep::instance::access::Access;
use fixstep::instance::window::{PLACES, SYMBOL};
use fixstep_model::Model;
use fixstep_variables::{Variable, VariableKind, VariableTable};
use model_description::parse::FmiVersion;
use object::{ExportTarget, NameOrOrdinal, Object};

use super::library::Library;
use crate::slave::Failure;

/// The folder of the files inside an FMU.
const FOLDER: &str = "extra/org.fmi-standard.fmi-ls-xcp/";

/// The bound of numbers that have none.
const MOST: f64 = 1e300;

/// Name and text of each file; none, unless the model asks for them.
pub(super) fn files(
    model: &Model,
    table: &VariableTable,
    identifier: &str,
    version: FmiVersion,
    libraries: &[Library],
) -> Result<Vec<(String, String)>, Failure> {
    if !model.mechanism.solver.publish {
        return Ok(Vec::new());
    }
    let count = table.variables.len();
    if count > PLACES {
        return Err(Failure(format!(
            "solver.publish: the model has {count} variables, but the library has room for {PLACES}; leave out requests"
        )));
    }
    let mut files = vec![
        (format!("{FOLDER}fmi-ls-manifest.xml"), manifest()),
        ("documentation/fmi-ls-xcp.txt".to_owned(), HELP.to_owned()),
    ];
    for library in libraries {
        let folder = library.platform.folder(version);
        let base = address(library).ok_or_else(|| {
            Failure(format!(
                "solver.publish: the library for {folder} has no symbol {SYMBOL}; build it again"
            ))
        })?;
        files.push((
            format!("{FOLDER}{folder}/{identifier}.a2l"),
            a2l(model, table, identifier, base),
        ));
    }
    Ok(files)
}

/// The address of the window, relative to the base of the library.
fn address(library: &Library) -> Option<u64> {
    let file = object::File::parse(library.bytes.as_slice()).ok()?;
    let named = |export: &object::Export<'_>| match export.name() {
        // macOS writes an underscore before names of C.
        NameOrOrdinal::Name(name) => name.strip_prefix(b"_").unwrap_or(name) == SYMBOL.as_bytes(),
        NameOrOrdinal::Ordinal(_) => false,
    };
    let mut exports = file.exports().ok()?;
    let found = exports.find_map(|export| export.ok().filter(named))?;
    match found.target() {
        ExportTarget::Address { address } => address.checked_sub(file.relative_address_base()),
        _ => None,
    }
}

const HELP: &str = "\
Measuring and calibrating in memory (FMI-LS-XCP)
================================================

This FMU has no XCP slave of its own: it lets an XCP slave of the importer read and write its memory.

- The A2L file of each platform gives addresses relative to the base address of the library in binaries/.
- The first instance of a process publishes there at the end of its initialization and after every integration step, until
  it is reset or freed. Other instances publish nothing, and log that.
- A CHARACTERISTIC that is written takes effect with the next communication step, if it is finite and within its bounds;
  otherwise its previous value is restored. Both are logged (logEvents, logStatusWarning). The next step overwrites any
  other value that is written.
- All values are 64-bit floating point numbers, as the interface of FMI has them. Each is read and written as a whole.
";

fn manifest() -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiLayeredStandardManifest\n    \
     xmlns:fmi-ls=\"http://fmi-standard.org/fmi-ls-manifest\"\n    \
     fmi-ls:fmi-ls-name=\"org.fmi-standard.fmi-ls-xcp\"\n    \
     fmi-ls:fmi-ls-version=\"1.0.0\"\n    \
     fmi-ls:fmi-ls-description=\"Layered standard based on FMI 2 and FMI 3 for describing and implementing XCP support for \
     FMUs, which can either provide an XCP service or allow direct memory access via A2L files.\"\n    \
     containsXcpService=\"false\"\n    supportsDirectMemoryAccessViaA2L=\"true\"/>\n"
        .to_owned()
}

fn a2l(model: &Model, table: &VariableTable, identifier: &str, base: u64) -> String {
    let title = quoted(&model.mechanism.name);
    let mut text = format!(
        "ASAP2_VERSION 1 71\n/begin PROJECT {identifier} {title}\n/begin MODULE {identifier} {title}\n\
         /begin MOD_COMMON \"\" BYTE_ORDER MSB_LAST ALIGNMENT_FLOAT64_IEEE 8 /end MOD_COMMON\n\
         /begin RECORD_LAYOUT Number FNC_VALUES 1 FLOAT64_IEEE COLUMN_DIR DIRECT /end RECORD_LAYOUT\n"
    );
    let mut methods = BTreeSet::new();
    let mut names = BTreeSet::new();
    let (mut objects, mut calibrated, mut measured) = (String::new(), String::new(), String::new());
    for (reference, variable) in table.variables.iter().enumerate() {
        let Some(form) = Form::of(&variable.kind) else {
            continue;
        };
        let name = unique(&identifier_of(&variable.name), &mut names);
        let (method, definition) = form.method();
        methods.insert(definition);
        let (low, high) = form.bounds;
        let about = quoted(&variable.description);
        let at = base + 8 * reference as u64;
        let _ = if is_calibrated(variable) {
            let _ = writeln!(calibrated, "{name}");
            writeln!(
                objects,
                "/begin CHARACTERISTIC {name} {about} VALUE 0x{at:X} Number 0 {method} {low:e} {high:e} /end \
                 CHARACTERISTIC"
            )
        } else {
            let _ = writeln!(measured, "{name}");
            writeln!(
                objects,
                "/begin MEASUREMENT {name} {about} FLOAT64_IEEE {method} 0 0 {low:e} {high:e} ECU_ADDRESS 0x{at:X} /end \
                 MEASUREMENT"
            )
        };
    }
    text.extend(methods);
    text.push_str(&objects);
    let lists = [
        ("Parameters", "REF_CHARACTERISTIC", calibrated),
        ("Values", "REF_MEASUREMENT", measured),
    ];
    for (name, kind, list) in lists {
        let _ = writeln!(
            text,
            "/begin GROUP {} \"\" ROOT /begin {kind}\n{list}/end {kind} /end GROUP",
            unique(name, &mut names)
        );
    }
    text.push_str("/end MODULE\n/end PROJECT\n");
    text
}

fn is_calibrated(variable: &Variable) -> bool {
    Access::of(variable).is_calibrated()
}

/// What an A2L file says about a number besides its name and address.
struct Form<'a> {
    unit: &'a str,
    items: &'a [(&'static str, &'static str)],
    type_name: &'a str,
    bounds: (f64, f64),
}

impl<'a> Form<'a> {
    /// The form of a variable; `None` for a string.
    fn of(kind: &'a VariableKind) -> Option<Self> {
        let plain = |low: Option<f64>, high: Option<f64>| Self {
            unit: "",
            items: &[],
            type_name: "",
            bounds: (low.unwrap_or(-MOST), high.unwrap_or(MOST)),
        };
        match kind {
            VariableKind::Real { unit, min, max, .. } => Some(Self {
                unit,
                ..plain(*min, *max)
            }),
            VariableKind::Integer { min, max, .. } => Some(plain(
                Some(min.map_or(f64::from(i32::MIN), f64::from)),
                Some(max.map_or(f64::from(i32::MAX), f64::from)),
            )),
            VariableKind::Boolean { .. } => Some(plain(Some(0.0), Some(1.0))),
            VariableKind::Enumeration { of, .. } => Some(Self {
                items: of.items(),
                type_name: of.type_name(),
                ..plain(Some(1.0), Some(of.items().len() as f64))
            }),
            VariableKind::String { .. } => None,
        }
    }

    /// Name and text of the A2L conversion method: a unit, or the words of an enumeration.
    fn method(&self) -> (String, String) {
        if self.items.is_empty() {
            let mut name = "Unit".to_owned();
            for byte in self.unit.bytes() {
                let _ = match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                        write!(name, "_{}", char::from(byte))
                    }
                    _ => write!(name, "_{byte:02X}"),
                };
            }
            let text = format!(
                "/begin COMPU_METHOD {name} \"\" IDENTICAL \"%.9\" {} /end COMPU_METHOD\n",
                quoted(self.unit)
            );
            return (name, text);
        }
        let name = identifier_of(self.type_name);
        let mut text = format!(
            "/begin COMPU_METHOD {name} \"\" TAB_VERB \"%3.0\" \"\" COMPU_TAB_REF {name}.items /end COMPU_METHOD\n\
             /begin COMPU_VTAB {name}.items \"\" TAB_VERB {}",
            self.items.len()
        );
        for (at, (item, _)) in self.items.iter().enumerate() {
            let _ = write!(text, " {} {}", at + 1, quoted(item));
        }
        text.push_str(" /end COMPU_VTAB\n");
        (name, text)
    }
}

/// A valid A2L identifier: parts of letters, digits and `_`, joined by points, with indices in brackets.
fn identifier_of(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let begins = out.is_empty() || out.ends_with('.');
        match c {
            'a'..='z' | 'A'..='Z' | '_' => out.push(c),
            '0'..='9' | '.' | '[' | ']' if !begins => out.push(c),
            '0'..='9' => {
                out.push('_');
                out.push(c);
            }
            _ => out.push('_'),
        }
    }
    if out.is_empty() { "_".to_owned() } else { out }
}

/// The name, with a number if it is already taken.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut candidate = name.to_owned();
    let mut count = 1;
    while !taken.insert(candidate.clone()) {
        count += 1;
        candidate = format!("{name}_{count}");
    }
    candidate
}

/// A string literal of A2L.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
