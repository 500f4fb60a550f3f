//! Control plane: lists the markers on which forces act, for the functions that read forces.

use super::builder::Builder;
use crate::read::Tagged;
use crate::resolve::Carriers;
use crate::schema::{self, Document, Ends};
use fixstep_kernel::ids::ForceId;

/// Notes which markers carry forces, for the functions that read them.
pub(super) fn find_carriers(b: &mut Builder<'_>, document: &Document) {
    let find = |name: &str| b.names.markers.get(name);
    let mut carriers = Carriers::default();
    for joint in &b.joints {
        match joint {
            Some(joint) => carriers.add_pair(joint.i, joint.j),
            None => carriers.add_broken(),
        }
    }
    for item in &document.motions.0 {
        if item.data.is_none() {
            carriers.add_broken();
        }
        let ends = item
            .data
            .as_ref()
            .and_then(|m| m.i.as_deref().zip(m.j.as_deref()));
        if let Some((Some(i), Some(j))) = ends.map(|(i, j)| (find(i), find(j))) {
            carriers.add_pair(i, j);
        }
    }
    for (k, item) in document.forces.0.iter().enumerate() {
        if let Some(schema::ForceElement::Tyre(_)) = &item.data {
            carriers.add_tyre(ForceId::from(k));
        }
        let word = item.data.as_ref().map(schema::ForceElement::word);
        carriers.add_type(word.unwrap_or_default());
        let Some(data) = &item.data else {
            carriers.add_broken();
            continue;
        };
        // A joint itself acts between its markers; no marker of the file carries a spread load.
        for (i, j) in data.pairs() {
            match (find(i), find(j)) {
                (Some(i), Some(j)) => carriers.add_pair(i, j),
                _ => carriers.add_broken(),
            }
        }
        if let Ends::Alone(i, _) = data.ends()
            && let Some(i) = find(i)
        {
            carriers.add_lone(i);
        }
    }
    b.carriers = carriers;
}
