//! Control plane: a mechanism and its large data as sections of a file.
//!
//! The first section is the mechanism without its large data, with a list of numbers. For each place of large data,
//! in the order of [`Mechanism::each_large`], the list gives the section that holds the data of that place. Equal
//! data share one section.

use super::limits::{LARGE_DATA, PLAIN_BYTES};
use super::section::{Fault, Kind, bounded};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_kernel::mechanism::large::Large;
use serde::Serialize;
use serde::de::DeserializeOwned;

const MECHANISM: &str = "the mechanism without its large data";

/// The mechanism, then its large data.
pub(super) fn sections(mechanism: &Mechanism) -> Result<Vec<(Kind, Vec<u8>)>, Fault> {
    let mut large: Vec<Kind> = Vec::new();
    let mut known: BTreeMap<(u32, Vec<u8>), u32> = BTreeMap::new();
    let mut links: Vec<u32> = Vec::new();
    // The walk needs mutable access; data are shared, so the clone is small.
    mechanism.clone().each_large(&mut |place| {
        let (kind, bytes) = match place {
            Large::Flexible(data) => (Kind::FLEXIBLE, to_bytes(data.as_ref())?),
            Large::Curve(data) => (Kind::CURVE, to_bytes(data.as_ref())?),
            Large::SpaceCurve(data) => (Kind::SPACE_CURVE, to_bytes(data.as_ref())?),
            Large::Terrain(data) => (Kind::TERRAIN, to_bytes(data.as_ref())?),
            Large::Mesh(data) => (Kind::MESH, to_bytes(data.as_ref())?),
        };
        let next = large.len() as u32;
        let link = *known.entry((kind.0, bytes)).or_insert(next);
        if link == next {
            large.push(kind);
        }
        links.push(link);
        Ok::<(), Fault>(())
    })?;
    if large.len() > LARGE_DATA {
        return Err(Fault(format!(
            "the mechanism has {} flexible bodies, splines, curves and surfaces that differ; valid: at most {LARGE_DATA}",
            large.len()
        )));
    }
    let plain = to_bytes(&(mechanism, links))?;
    bounded(MECHANISM, &plain, PLAIN_BYTES)?;
    let mut all = Vec::with_capacity(1 + large.len());
    all.push((Kind::MECHANISM, plain));
    all.extend(large.into_iter().map(|kind| (kind, Vec::new())));
    for ((_, bytes), link) in known {
        all[1 + link as usize].1 = bytes;
    }
    Ok(all)
}

/// The mechanism of sections, with its large data.
pub(super) fn mechanism(sections: &[(Kind, &[u8])]) -> Result<Mechanism, Fault> {
    let Some(((Kind::MECHANISM, first), rest)) = sections.split_first() else {
        return Err(Fault("the first section is not a mechanism".to_owned()));
    };
    let (mut mechanism, links): (Mechanism, Vec<u32>) =
        from_bytes("the mechanism", bounded(MECHANISM, first, PLAIN_BYTES)?)?;
    let mut large = Sections::default();
    for (kind, bytes) in rest {
        large.read(*kind, bytes)?;
    }
    let mut links = links.into_iter();
    mechanism.each_large(&mut |place| {
        let link = links.next().map_or(usize::MAX, |link| link as usize);
        let found = match place {
            Large::Flexible(data) => put(data, &large.flexible, link),
            Large::Curve(data) => put(data, &large.curves, link),
            Large::SpaceCurve(data) => put(data, &large.space_curves, link),
            Large::Terrain(data) => put(data, &large.terrains, link),
            Large::Mesh(data) => put(data, &large.meshes, link),
        };
        found.ok_or_else(|| {
            Fault(format!(
                "there is no section {link} of the kind that belongs there"
            ))
        })
    })?;
    Ok(mechanism)
}

/// Large data by the numbers of their sections.
#[derive(Default)]
struct Sections {
    count: usize,
    flexible: BTreeMap<usize, Arc<fixstep_kernel::flex::FlexData>>,
    curves: BTreeMap<usize, Arc<fixstep_kernel::math::spline::Curve>>,
    space_curves: BTreeMap<usize, Arc<fixstep_kernel::math::curve::SpaceCurve>>,
    terrains: BTreeMap<usize, Arc<fixstep_kernel::math::terrain::Terrain>>,
    meshes: BTreeMap<usize, Arc<fixstep_kernel::math::mesh::Mesh>>,
}

impl Sections {
    /// Reads the next section; those of others are passed over.
    fn read(&mut self, kind: Kind, bytes: &[u8]) -> Result<(), Fault> {
        let at = self.count;
        self.count += 1;
        match kind {
            Kind::FLEXIBLE => drop(self.flexible.insert(at, shared("a flexible body", bytes)?)),
            Kind::CURVE => drop(self.curves.insert(at, shared("a spline", bytes)?)),
            Kind::SPACE_CURVE => drop(self.space_curves.insert(at, shared("a curve", bytes)?)),
            Kind::TERRAIN => drop(self.terrains.insert(at, shared("a terrain", bytes)?)),
            Kind::MESH => drop(self.meshes.insert(at, shared("a mesh", bytes)?)),
            _ => {}
        }
        Ok(())
    }
}

/// Puts data where they belong.
fn put<T>(place: &mut Arc<T>, all: &BTreeMap<usize, Arc<T>>, link: usize) -> Option<()> {
    *place = Arc::clone(all.get(&link)?);
    Some(())
}

fn shared<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<Arc<T>, Fault> {
    from_bytes(what, bytes).map(Arc::new)
}

/// The bytes of plain data.
pub(super) fn to_bytes<T: Serialize>(data: &T) -> Result<Vec<u8>, Fault> {
    postcard::to_allocvec(data).map_err(|error| Fault(error.to_string()))
}

/// Plain data of all these bytes.
pub(super) fn from_bytes<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, Fault> {
    match postcard::take_from_bytes(bytes) {
        Ok((data, [])) => Ok(data),
        Ok((_, rest)) => Err(Fault(format!("{what}: {} bytes are left over", rest.len()))),
        Err(error) => Err(Fault(format!("{what} cannot be read: {error}"))),
    }
}
