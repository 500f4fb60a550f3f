//! A tool that knows nothing but the A2L file and the base address of the library measures and calibrates in the memory
//! of this process, as an importer's XCP slave does.
#![cfg(target_os = "linux")]

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use a2lfile::{A2lFile, A2lObjectName};
use fmu_build::archive::read;
use fmu_build::client::Fmu;
use fmu_build::slave::{
    Advance, LogLevel, Slave, Value, find, find_element, is_numeric, of_causality, size,
};
use model_description::parse::{Causality, Type, Variability};

use crate::setup::{example, pack_model};

/// An example that publishes, packed.
fn pack(folder: &Path, name: &str, version: &str) -> PathBuf {
    let text = fs::read_to_string(example(name)).unwrap();
    let published = text.replace("\"fixit\": 3", "\"fixit\": 3, \"publish\": true");
    assert_ne!(text, published);
    let model = folder.join("model.json");
    fs::write(&model, published).unwrap();
    let fmu = folder.join(format!("{name}.{version}.fmu"));
    pack_model(&model, &fmu, version, false);
    fmu
}

/// The A2L file for this platform; strictly read, so that any deviation from the standard is an error.
fn a2l(fmu: &Path, platform: &str) -> A2lFile {
    let folder = tempfile::tempdir().unwrap();
    read::unpack(fmu, folder.path()).unwrap();
    let place = folder.path().join("extra/org.fmi-standard.fmi-ls-xcp");
    let manifest = fs::read_to_string(place.join("fmi-ls-manifest.xml")).unwrap();
    assert!(manifest.contains("supportsDirectMemoryAccessViaA2L=\"true\""));
    let file = place.join(platform).join("four_bar.a2l");
    let (a2l, remarks) = a2lfile::load(&file, None, true).unwrap();
    assert!(remarks.is_empty(), "{remarks:?}");
    let problems = a2l.check();
    assert!(problems.is_empty(), "{problems:?}");
    a2l
}

/// Memory of this process, from the outside.
struct Memory {
    file: File,
    base: u64,
}

impl Memory {
    /// That of a library, from where it was loaded.
    fn of(library: &str) -> Self {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| line.ends_with(library)).unwrap();
        let (base, _) = line.split_once('-').unwrap();
        let mut options = OpenOptions::new();
        Self {
            file: options
                .read(true)
                .write(true)
                .open("/proc/self/mem")
                .unwrap(),
            base: u64::from_str_radix(base, 16).unwrap(),
        }
    }

    fn read(&self, address: u32) -> f64 {
        let mut bytes = [0; 8];
        let at = self.base + u64::from(address);
        self.file.read_exact_at(&mut bytes, at).unwrap();
        f64::from_le_bytes(bytes)
    }

    fn write(&mut self, address: u32, value: f64) {
        let at = self.base + u64::from(address);
        self.file.write_all_at(&value.to_le_bytes(), at).unwrap();
        self.file.flush().unwrap();
    }
}

/// Name and address of everything that an A2L file describes, and whether it may be written.
fn objects(a2l: &A2lFile) -> Vec<(String, u32, bool)> {
    let module = &a2l.project.module[0];
    let measured = module.measurement.iter().map(|object| {
        let address = object.ecu_address.as_ref().unwrap().address;
        (object.get_name().to_owned(), address, false)
    });
    let calibrated = module
        .characteristic
        .iter()
        .map(|object| (object.get_name().to_owned(), object.address, true));
    measured.chain(calibrated).collect()
}

const STEP: f64 = 0.001;

fn started(fmu: &Fmu, talk: LogLevel) -> fmu_build::client::Instance<'_> {
    let mut slave = fmu.instantiate("calibrated", talk).unwrap();
    slave.enter_initialization(0.0, None).unwrap();
    slave.exit_initialization().unwrap();
    slave
}

fn advance(slave: &mut dyn Slave, steps: std::ops::Range<u32>) {
    for n in steps {
        let done = slave.step(f64::from(n) * STEP, STEP).unwrap();
        assert_eq!(done, Advance::Done);
    }
}

fn outputs(slave: &mut dyn Slave) -> Vec<f64> {
    let all: Vec<usize> = of_causality(slave.description(), Causality::Output).collect();
    let mut values = Vec::new();
    for at in all {
        slave.read(at, &mut values).unwrap();
    }
    values
}

fn hold(version: &str, platform: &str) {
    let folder = tempfile::tempdir().unwrap();
    let packed = pack(folder.path(), "four_bar", version);
    let a2l = a2l(&packed, platform);
    let objects = objects(&a2l);
    let fmu = Fmu::open(&packed).unwrap();
    let description = fmu.description().clone();

    // Everything that is a number is described, arrays by their elements, and what is tunable is a characteristic.
    let numeric = description.variables.iter().filter(|v| is_numeric(v));
    let numbers: usize = numeric.map(|variable| size(&description, variable)).sum();
    assert_eq!(objects.len(), numbers);
    for (name, _, writable) in &objects {
        let (at, _) = find_element(&description, name).unwrap();
        let variable = &description.variables[at];
        let tunable =
            variable.variability == Variability::Tunable && variable.kind == Type::Float64;
        assert_eq!(*writable, tunable, "{name}");
    }

    let mut slave = started(&fmu, LogLevel::All);
    let mut memory = Memory::of(&format!("{platform}/four_bar.so"));
    let compare = |slave: &mut dyn Slave, memory: &Memory| {
        for (name, address, _) in &objects {
            let (at, element) = find_element(&description, name).unwrap();
            let mut values = Vec::new();
            slave.read(at, &mut values).unwrap();
            let value = values[element.unwrap_or(0)];
            assert_eq!(value.to_bits(), memory.read(*address).to_bits(), "{name}");
        }
    };
    compare(&mut slave, &memory);
    advance(&mut slave, 0..50);
    compare(&mut slave, &memory);

    let (_, torque, _) = *objects
        .iter()
        .find(|(name, ..)| name == "drive_torque")
        .unwrap();
    memory.write(torque, 1.5);
    advance(&mut slave, 50..100);
    compare(&mut slave, &memory);
    let calibrated = outputs(&mut slave);
    // Out of bounds, and no number: refused, and written over.
    for bad in [1e3, f64::NAN] {
        memory.write(torque, bad);
        let n = if bad.is_nan() { 101 } else { 100 };
        advance(&mut slave, n..n + 1);
        assert_eq!(memory.read(torque), 1.5);
    }
    // Messages of steps come with the next call.
    compare(&mut slave, &memory);
    let told: Vec<String> = slave
        .messages()
        .into_iter()
        .map(|message| message.text)
        .collect();
    let told = |words: &str| told.iter().filter(|text| text.contains(words)).count();
    assert_eq!(told("drive_torque is 1.5 from time 0.05 s on"), 1);
    assert_eq!(told("drive_torque cannot be"), 2);

    // A second instance goes without; the same through the interface gives the same bits.
    let mut other = started(&fmu, LogLevel::All);
    let words = other.messages();
    assert!(words.iter().any(|m| {
        m.text
            .contains("another instance of this library publishes")
    }));
    advance(&mut other, 0..50);
    let at = find(&description, "drive_torque").unwrap();
    other.set(at, &[Value::Real(1.5)]).unwrap();
    advance(&mut other, 50..100);
    assert_eq!(outputs(&mut other), calibrated);

    // With the first gone the next one publishes.
    drop(slave);
    let mut next = started(&fmu, LogLevel::Errors);
    compare(&mut next, &memory);
}

#[test]
fn a_tool_measures_and_calibrates_in_memory_of_fmi_2() {
    hold("2", "linux64");
}

#[test]
fn a_tool_measures_and_calibrates_in_memory_of_fmi_3() {
    hold("3", "x86_64-linux");
}

#[test]
fn nothing_of_it_is_in_an_fmu_that_does_not_publish() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = crate::setup::pack(folder.path(), "four_bar", "3");
    let place = tempfile::tempdir().unwrap();
    read::unpack(&fmu, place.path()).unwrap();
    assert!(
        !place
            .path()
            .join("extra/org.fmi-standard.fmi-ls-xcp")
            .exists()
    );
}
