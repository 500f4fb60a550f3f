//! Control plane: the solid elements of a deck, with their materials as far as the deck gives them.

use super::deck::{Card, Deck, Row};
use super::text::number;
use crate::strain::{Kind, Material, Solid};
use std::collections::{BTreeMap, BTreeSet};

/// Collects elements and their materials. Materials that are not isotropic, or depend on temperature, are left out.
#[derive(Debug, Default)]
pub(super) struct Solids {
    /// Elements.
    elements: Vec<Solid>,
    /// For each node of an element whose strain does not follow from its nodes: the type of that element.
    opaque: BTreeMap<usize, String>,
    /// Numbers of elements, by the set.
    sets: BTreeMap<String, BTreeSet<u64>>,
}

impl Solids {
    /// Takes an element.
    pub(super) fn add(&mut self, card: &Card, kind: &str, id: u64, nodes: &[usize]) {
        if let Some(set) = card.option("ELSET") {
            self.sets.entry(set.to_uppercase()).or_default().insert(id);
        }
        if let Some(kind) = Kind::of(kind) {
            self.elements.push(Solid {
                kind,
                id,
                nodes: nodes.to_vec(),
                material: None,
            });
        } else {
            let named = nodes.iter().map(|node| (*node, kind.to_owned()));
            self.opaque.extend(named);
        }
    }

    /// The elements, and the nodes of others.
    pub(super) fn finish(mut self, deck: &Deck) -> (Vec<Solid>, BTreeMap<usize, String>) {
        let materials = materials(deck);
        for card in &deck.cards {
            match card.keyword.as_str() {
                "ELSET" => self.add_set(deck, card),
                "SOLID SECTION" => {
                    let name = card.option("MATERIAL").unwrap_or_default().to_uppercase();
                    let set = card.option("ELSET").unwrap_or_default().to_uppercase();
                    // An orientation only matters for materials that are not isotropic.
                    let material = materials.get(&name).copied().flatten();
                    if let Some(members) = self.sets.get(&set) {
                        for element in &mut self.elements {
                            if members.contains(&element.id) {
                                element.material = material;
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        (self.elements, self.opaque)
    }

    fn add_set(&mut self, deck: &Deck, card: &Card) {
        let name = card.option("ELSET").unwrap_or_default().to_uppercase();
        let mut members = BTreeSet::new();
        for row in deck.rows(card) {
            if card.option("GENERATE").is_some() {
                members.extend(generated(&row));
                continue;
            }
            for field in row.fields() {
                if let Ok(id) = field.parse::<u64>() {
                    members.insert(id);
                } else {
                    let other = self.sets.get(&field.to_uppercase());
                    members.extend(other.into_iter().flatten());
                }
            }
        }
        self.sets.entry(name).or_default().extend(members);
    }
}

/// `first, last, step`
fn generated(row: &Row<'_>) -> impl Iterator<Item = u64> {
    let numbers: Vec<u64> = row.fields().filter_map(|f| f.parse().ok()).collect();
    let (first, last, step) = match numbers[..] {
        [first, last] => (first, last, 1),
        [first, last, step] => (first, last, step.max(1)),
        _ => (1, 0, 1),
    };
    (first..=last).step_by(step as usize)
}

/// Isotropic materials by name; those that are something else are open.
fn materials(deck: &Deck) -> BTreeMap<String, Option<Material>> {
    let mut materials = BTreeMap::new();
    let mut current = None;
    for card in &deck.cards {
        match card.keyword.as_str() {
            "MATERIAL" => current = card.option("NAME").map(str::to_uppercase),
            "ELASTIC" => {
                if let Some(name) = &current {
                    materials.insert(name.clone(), elastic(deck, card));
                }
            }
            _ => {}
        }
    }
    materials
}

/// One line `young, poisson`.
fn elastic(deck: &Deck, card: &Card) -> Option<Material> {
    let kind = card.option("TYPE").unwrap_or("ISO").to_uppercase();
    let mut rows = deck.rows(card);
    let (row, more) = (rows.next()?, rows.next());
    let mut fields = row.fields().map(number);
    let material = Material {
        young: fields.next()??,
        poisson: fields.next().unwrap_or(Some(0.0))?,
    };
    let isotropic = kind.starts_with("ISO") && more.is_none();
    (isotropic && material.check().is_ok()).then_some(material)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::super::deck::tests::deck;
    use super::super::mesh::Mesh;

    const NODES: &str = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n";

    fn materials(rest: &str) -> Vec<Option<(f64, f64)>> {
        let text = format!("{NODES}{rest}");
        let mesh = Mesh::of(&deck(&[("a.inp", &text)]).unwrap()).unwrap();
        let material = |solid: &crate::strain::Solid| solid.material.map(|m| (m.young, m.poisson));
        mesh.solids.iter().map(material).collect()
    }

    #[test]
    fn sections_give_materials_to_sets() {
        let text = "*ELEMENT, TYPE=C3D4, ELSET=A\n1,1,2,3,4\n2,2,3,4,5\n*ELEMENT, TYPE=C3D4\n7,1,2,3,4\n\
                    *ELSET, ELSET=b\n7, a\n*ELSET, ELSET=C, GENERATE\n2,7,5\n*MATERIAL, NAME=Steel\n*ELASTIC\n\
                    2.1e11, 0.3\n*MATERIAL,NAME=RUBBER\n*DENSITY\n900\n*ELASTIC,TYPE=ISO\n1e6,.45\n\
                    *SOLID SECTION, ELSET=B, MATERIAL=STEEL\n*SOLID SECTION, ELSET=c, MATERIAL=rubber\n";
        let (steel, rubber) = (Some((2.1e11, 0.3)), Some((1e6, 0.45)));
        assert_eq!(materials(text), [steel, rubber, rubber]);
    }

    #[test]
    fn what_is_not_isotropic_or_not_there_is_open() {
        for elastic in [
            "*ELASTIC, TYPE=ENGINEERING CONSTANTS\n1,2,3,4,5,6,7,8\n9\n",
            "*ELASTIC\n2e11,0.3,0\n1e11,0.3,500\n",
            "*ELASTIC\n2e11,0.5\n",
            "*ELASTIC\n?,0.3\n",
            "",
        ] {
            let text = format!(
                "*ELEMENT, TYPE=C3D4, ELSET=A\n1,1,2,3,4\n*MATERIAL, NAME=M\n{elastic}\
                 *SOLID SECTION, ELSET=A, MATERIAL=M\n"
            );
            assert_eq!(materials(&text), [None], "{elastic}");
        }
    }

    #[test]
    fn elements_with_displacements_of_their_own_are_known() {
        let text = format!(
            "{NODES}6,2,0,0\n7,2,1,0\n8,2,1,1\n*ELEMENT, TYPE=C3D8I\n1,1,2,3,4,5,6,7,8\n\
             *ELEMENT, TYPE=C3D4R\n2,1,2,3,4\n*ELEMENT,TYPE=S3\n3,1,2,3\n"
        );
        let mesh = Mesh::of(&deck(&[("a.inp", &text)]).unwrap()).unwrap();
        assert_eq!(mesh.solids.len(), 1);
        assert_eq!(mesh.opaque[&0], "S3");
        assert_eq!(mesh.opaque[&7], "C3D8I");
    }
}
