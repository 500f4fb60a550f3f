//! Tests with altered files of flexible bodies. They get a new fingerprint: a file with a wrong one would be
//! refused before anything else is checked.

use fixstep_kernel::fingerprint::Fingerprint;
use serde_json::{Value, json};

use super::super::chance::Chance;

/// Magic and length of the header.
const FRONT: usize = 16;

/// The file of a flexible body with other numbers or another header; `None`: it is none, or shall be altered as
/// bytes.
pub(super) fn alter(file: &[u8], chance: &mut Chance) -> Option<Vec<u8>> {
    if !file.starts_with(b"FIXFLEX\n") || chance.one_in(4) {
        return None;
    }
    let length: [u8; 8] = file.get(8..FRONT)?.try_into().ok()?;
    let length = u64::from_le_bytes(length) as usize;
    let mut header: Value = serde_json::from_slice(file.get(FRONT..FRONT + length)?).ok()?;
    let mut arrays = file.get(FRONT + length..)?.to_vec();
    for _ in 0..=chance.below(3) {
        if chance.one_in(2) {
            numbers(&mut arrays, chance);
        } else {
            other_header(&mut header, chance);
        }
    }
    header["fingerprint"] = json!(*Fingerprint::of(&arrays));
    let mut text = header.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut new = file[..8].to_vec();
    new.extend((text.len() as u64).to_le_bytes());
    new.extend(text);
    new.extend(arrays);
    Some(new)
}

/// Other numbers in the arrays.
fn numbers(arrays: &mut [u8], chance: &mut Chance) {
    let (numbers, _) = arrays.as_chunks_mut::<8>();
    if numbers.is_empty() {
        return;
    }
    let at = chance.below(numbers.len());
    let count = chance.pick(&[1, 1, 9, 100]);
    let kind = chance.below(5);
    for number in numbers.iter_mut().skip(at).take(count) {
        let old = f64::from_le_bytes(*number);
        let new = match kind {
            0 => chance.real(),
            1 => -old,
            2 => old * 1e6,
            3 => 0.0,
            _ => old * 1e-9,
        };
        *number = new.to_le_bytes();
    }
}

/// Another header: lists that are shorter or longer, other sizes, other nodes.
fn other_header(header: &mut Value, chance: &mut Chance) {
    let lists = [
        "modes", "nodes", "lines", "loads", "stresses", "strains", "arrays",
    ];
    let list = chance.pick(&lists);
    let Some(Value::Array(items)) = header.get_mut(list) else {
        return;
    };
    if items.is_empty() {
        return;
    }
    let at = chance.below(items.len());
    let known = |item: &Value, key: &str| item.get(key).is_some();
    match chance.below(5) {
        0 => {
            items.remove(at);
        }
        1 => items.push(items[at].clone()),
        2 => items.swap(0, at),
        3 if known(&items[at], "numbers") => {
            items[at]["numbers"] = json!(chance.pick(&[0_u64, 1, 1 << 40, u64::MAX]));
        }
        4 if known(&items[at], "frequency") => {
            items[at]["frequency"] = json!(chance.pick(&[0.0, -1.0, 1e-300, 1e300]));
        }
        _ => items.reverse(),
    }
}
