//! Control plane: the instantiation token, a fingerprint that binds XML, model and binary.

use std::fmt::Write as _;

use fixstep_kernel::fingerprint::Fingerprint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files by their paths.
type Files = BTreeMap<String, Arc<[u8]>>;

use super::{Variable, VariableKind, VariableTable};

/// Version of what XML and binary agree on beyond the variable table (meaning of value references,
/// layout of the resources). A change makes older FMUs refuse newer binaries.
pub const ABI_VERSION: u32 = 2;

/// The token `{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}` of a model's text, the files it refers to, and its
/// variable table.
pub fn instantiation_token(model_text: &str, files: &Files, table: &VariableTable) -> String {
    let mut hash = Hash(Fingerprint::default());
    hash.number(u64::from(ABI_VERSION));
    hash.text(model_text);
    for (path, bytes) in files {
        hash.byte(b'F');
        hash.text(path);
        hash.bytes(bytes);
    }
    hash.number(table.variables.len() as u64);
    for variable in &table.variables {
        hash.variable(variable);
    }
    hash.finish()
}

/// Takes in what a variable is made of.
struct Hash(Fingerprint);

impl Hash {
    fn byte(&mut self, byte: u8) {
        self.0.byte(byte);
    }

    fn number(&mut self, number: u64) {
        self.0.number(number);
    }

    fn text(&mut self, text: &str) {
        self.0.text(text);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.bytes(bytes);
    }

    fn real(&mut self, value: Option<f64>) {
        self.number(u64::from(value.is_some()));
        self.number(value.unwrap_or(0.0).to_bits());
    }

    fn integer(&mut self, value: Option<i64>) {
        self.number(u64::from(value.is_some()));
        self.number(value.unwrap_or(0) as u64);
    }

    fn list(&mut self, positions: &[u32]) {
        self.number(positions.len() as u64);
        for &position in positions {
            self.number(u64::from(position));
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.text(&variable.name);
        self.text(&variable.description);
        self.kind(&variable.kind);
        // Fieldless enums, by declaration order.
        self.number(variable.causality as u64);
        self.number(variable.variability as u64);
        self.integer(variable.initial.map(|initial| initial as i64));
        self.integer(variable.alias.map(i64::from));
        self.list(&variable.dependencies);
        self.list(&variable.initial_dependencies);
    }

    fn kind(&mut self, kind: &VariableKind) {
        match kind {
            VariableKind::Real {
                unit,
                display_unit,
                min,
                max,
                start,
            } => {
                self.byte(b'R');
                self.text(unit);
                self.text(display_unit);
                self.real(*min);
                self.real(*max);
                self.real(Some(*start));
            }
            VariableKind::Integer { min, max, start } => {
                self.byte(b'I');
                self.integer(min.map(i64::from));
                self.integer(max.map(i64::from));
                self.integer(Some(i64::from(*start)));
            }
            VariableKind::Boolean { start } => {
                self.byte(b'B');
                self.byte(u8::from(*start));
            }
            VariableKind::String { start } => {
                self.byte(b'S');
                self.text(start);
            }
            VariableKind::Enumeration {
                type_name,
                items,
                start,
            } => {
                self.byte(b'E');
                self.text(type_name);
                self.number(items.len() as u64);
                for (name, description) in *items {
                    self.text(name);
                    self.text(description);
                }
                self.integer(Some(*start));
            }
        }
    }

    fn finish(&self) -> String {
        let mut token = String::with_capacity(38);
        for (at, digit) in self.0.digits().chars().enumerate() {
            if matches!(at, 8 | 12 | 16 | 20) {
                token.push('-');
            }
            token.push(digit);
        }
        let mut braced = String::with_capacity(40);
        // Writing to a String cannot fail.
        let _ = write!(braced, "{{{token}}}");
        braced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Causality, Slot, Variability};

    fn table() -> VariableTable {
        VariableTable {
            variables: vec![Variable {
                name: "time".to_owned(),
                description: String::new(),
                kind: VariableKind::Boolean { start: false },
                causality: Causality::Independent,
                variability: Variability::Continuous,
                initial: None,
                alias: None,
                slot: Slot::Time,
                dependencies: vec![],
                initial_dependencies: vec![],
            }],
        }
    }

    #[test]
    fn shape_is_that_of_a_guid() {
        let token = instantiation_token("{}", &Files::new(), &table());
        assert_eq!(token.len(), 38);
        let groups: Vec<usize> = token
            .trim_matches(['{', '}'])
            .split('-')
            .map(str::len)
            .collect();
        assert_eq!(groups, [8, 4, 4, 4, 12]);
        assert!(
            token
                .chars()
                .all(|c| c.is_ascii_hexdigit() || "{-}".contains(c))
        );
    }

    #[test]
    fn every_part_counts() {
        let base = instantiation_token("{}", &Files::new(), &table());
        assert_eq!(base, instantiation_token("{}", &Files::new(), &table()));
        assert_ne!(base, instantiation_token("{ }", &Files::new(), &table()));
        let changes: [fn(&mut Variable); 9] = [
            |v| v.name.push('x'),
            |v| v.description.push('x'),
            |v| v.kind = VariableKind::Boolean { start: true },
            |v| v.causality = Causality::Local,
            |v| v.variability = Variability::Discrete,
            |v| v.initial = Some(crate::Initial::Exact),
            |v| v.alias = Some(0),
            |v| v.dependencies.push(0),
            |v| v.initial_dependencies.push(0),
        ];
        let mut tokens = vec![base];
        for change in changes {
            let mut changed = table();
            change(&mut changed.variables[0]);
            tokens.push(instantiation_token("{}", &Files::new(), &changed));
        }
        for (path, content) in [("a.csv", "0,1"), ("a.csv", "0,2"), ("b.csv", "0,1")] {
            let files = Files::from([(path.to_owned(), content.as_bytes().into())]);
            tokens.push(instantiation_token("{}", &files, &table()));
        }
        tokens.sort();
        tokens.dedup();
        assert_eq!(tokens.len(), 13);
    }

    #[test]
    fn one_changed_letter_changes_about_half_of_the_bits() {
        let bits = |text: &str| {
            let digits: String = instantiation_token(text, &Files::new(), &table())
                .chars()
                .filter(char::is_ascii_hexdigit)
                .collect();
            u128::from_str_radix(&digits, 16).unwrap_or(0)
        };
        let mut total = 0;
        for k in 0..64_u32 {
            total += (bits(&format!("a{k}")) ^ bits(&format!("b{k}"))).count_ones();
        }
        let mean = f64::from(total) / 64.0;
        assert!((58.0..70.0).contains(&mean), "{mean}");
    }
}
