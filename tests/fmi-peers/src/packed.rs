//! A packed FMU on disk: its binary, and what its description says.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::Failure;

/// An unpacked FMU.
pub struct Packed {
    folder: tempfile::TempDir,
    /// GUID or instantiation token.
    pub token: String,
    /// Start of the default experiment [s].
    pub start: f64,
    /// Communication step of the default experiment [s].
    pub step: f64,
    /// Floating-point outputs: name and value reference.
    pub outputs: Vec<(String, u32)>,
    identifier: String,
}

impl Packed {
    /// Unpacks an FMU and reads its description.
    pub fn open(fmu: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        zip::ZipArchive::new(File::open(fmu)?)?.extract(folder.path())?;
        let text = std::fs::read_to_string(folder.path().join("modelDescription.xml"))?;
        let document = roxmltree::Document::parse(&text)?;
        let root = document.root_element();
        let element = |name: &str| root.children().find(|node| node.has_tag_name(name));
        let attribute = |name: &str, attribute: &str| {
            element(name)
                .and_then(|node| node.attribute(attribute))
                .map(str::to_owned)
                .ok_or_else(|| format!("no {attribute} in {name}"))
        };
        let token = root
            .attribute("guid")
            .or_else(|| root.attribute("instantiationToken"));
        let variables = element("ModelVariables").ok_or("no ModelVariables")?;
        let outputs = variables
            .children()
            .filter(|node| node.attribute("causality") == Some("output"))
            .filter(|node| {
                node.has_tag_name("Float64") || node.children().any(|c| c.has_tag_name("Real"))
            })
            .filter_map(|node| {
                let reference = node.attribute("valueReference")?.parse().ok()?;
                Some((node.attribute("name")?.to_owned(), reference))
            })
            .collect();
        Ok(Self {
            token: token
                .ok_or("neither guid nor instantiationToken")?
                .to_owned(),
            start: attribute("DefaultExperiment", "startTime")?.parse()?,
            step: attribute("DefaultExperiment", "stepSize")?.parse()?,
            outputs,
            identifier: attribute("CoSimulation", "modelIdentifier")?,
            folder,
        })
    }

    /// The shared library in the folder of the version's platform name.
    pub fn library(&self, platform: &str) -> PathBuf {
        let file = format!("{}.so", self.identifier);
        self.folder
            .path()
            .join("binaries")
            .join(platform)
            .join(file)
    }

    /// Communication point of a row [s].
    #[expect(clippy::cast_precision_loss, reason = "few rows")]
    pub fn time(&self, row: usize) -> f64 {
        self.start + row as f64 * self.step
    }

    /// The resources folder.
    pub fn resources(&self) -> PathBuf {
        self.folder.path().join("resources")
    }
}

/// Rows of a reference trajectory for some columns.
pub fn reference(path: &Path, names: &[(String, u32)]) -> Result<Vec<Vec<f64>>, Failure> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().ok_or("empty reference")?.split(',').collect();
    let position = |name: &String| {
        let found = header
            .iter()
            .position(|column| column.trim_matches('"') == name);
        found.ok_or_else(|| format!("the reference has no column {name}"))
    };
    let columns: Vec<usize> = names
        .iter()
        .map(|(name, _)| position(name))
        .collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for line in lines {
        let row: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
        rows.push(columns.iter().map(|column| row[*column]).collect());
    }
    Ok(rows)
}
