//! Tests that the types of a mechanism's file are those that `tests/format.txt` records for its version.
//!
//! The file contains no names: a program with other types than the writer would mistake one number for another. So
//! a change of a type needs a new version of the format. Here the fields of everything that examples and reference
//! mechanisms hold are compared with what was recorded for this version.

use super::bits::mechanisms;
use crate::harness::truth;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_kernel::mechanism::large::Large;
use fixstep_model::{Model, resources, table};
use fixstep_variables::file::container::FORMAT;
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What the data hold under one name: the fields of records in their order, and kinds of plain values.
type Found = BTreeMap<String, BTreeSet<String>>;

/// Records a value under a name.
struct At<'a> {
    place: String,
    found: &'a mut Found,
}

impl At<'_> {
    fn tell(self, what: &str) {
        let told = self.found.entry(self.place).or_default();
        told.insert(what.to_owned());
    }
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.tell("(boolean)");
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.tell("(integer)");
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.tell("(integer)");
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.tell("(number)");
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.tell("(text)");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.tell("(nothing)");
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let place = format!("{}[]", self.place);
        loop {
            let (place, found) = (place.clone(), &mut *self.found);
            if list.next_element_seed(At { place, found })?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut names = Vec::new();
        while let Some(name) = fields.next_key::<String>()? {
            let place = format!("{}.{name}", self.place);
            let found = &mut *self.found;
            fields.next_value_seed(At { place, found })?;
            names.push(name);
        }
        self.tell(&names.join(" "));
        Ok(())
    }
}

/// Records data under a name.
fn take_in(found: &mut Found, name: &str, data: &impl Serialize) {
    let text = serde_json::to_string(data).unwrap();
    let place = name.to_owned();
    let at = At { place, found };
    at.deserialize(&mut serde_json::Deserializer::from_str(&text))
        .unwrap();
}

/// Records everything that the file of a mechanism holds.
fn take_in_file(found: &mut Found, mechanism: &Mechanism) {
    take_in(found, "mechanism", mechanism);
    take_in(found, "table", &table::of(mechanism));
    let mut large = mechanism.clone();
    let visited: Result<(), ()> = large.each_large(&mut |place| {
        match place {
            Large::Flexible(data) => take_in(found, "flexible", data.as_ref()),
            Large::Curve(data) => take_in(found, "spline", data.as_ref()),
            Large::SpaceCurve(data) => take_in(found, "curve", data.as_ref()),
            Large::Terrain(data) => take_in(found, "terrain", data.as_ref()),
            Large::Mesh(data) => take_in(found, "mesh", data.as_ref()),
        }
        Ok(())
    });
    visited.unwrap();
}

#[test]
fn types_are_those_of_the_version_of_the_format() {
    let mut found = Found::new();
    for (_, text, folder) in mechanisms() {
        let model = Model::read(&text, &resources::folder(&folder)).unwrap();
        take_in_file(&mut found, &model.mechanism);
    }
    let lines = found
        .iter()
        .map(|(place, told)| format!("{place}: {}", Vec::from_iter(told.clone()).join(" | ")));
    let lines: Vec<String> = [format!("version {FORMAT}")]
        .into_iter()
        .chain(lines)
        .collect();
    let path = truth("../format.txt");
    if std::env::var_os("FIXSTEP_RECORD_FORMAT").is_some() {
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let recorded: BTreeSet<&str> = recorded.lines().collect();
    let present: BTreeSet<&str> = lines.iter().map(String::as_str).collect();
    let gone: Vec<_> = recorded.difference(&present).collect();
    let new: Vec<_> = present.difference(&recorded).collect();
    assert!(
        gone.is_empty() && new.is_empty(),
        "the types of the file are others than those of version {FORMAT}.\nrecorded: {gone:#?}\npresent: {new:#?}\n\
         Where a type has changed, raise FORMAT in variables/src/file/container.rs; where an example uses what none did \
         before, it stays. Then FIXSTEP_RECORD_FORMAT=1 cargo nextest run -p fixstep file_format writes \
         tests/format.txt anew."
    );
}
