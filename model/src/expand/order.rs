//! Control plane: the order in which named values are computed that read one another: any order in the file will do.

use super::names;
use crate::text::Node;
use std::collections::{BTreeMap, BTreeSet};

/// The numbers of named values, each behind those that it reads, and the values that follow from themselves: a path from the
/// first of them back to it. A name that `outer` has means that, and not the value itself or one behind it.
pub(super) fn order(
    all: &[(&str, Option<&Node>)],
    outer: &dyn Fn(&str) -> bool,
) -> (Vec<usize>, Vec<usize>) {
    let by_name: BTreeMap<&str, usize> = all
        .iter()
        .enumerate()
        .map(|(k, (name, _))| (*name, k))
        .collect();
    let reads: Vec<BTreeSet<usize>> = all
        .iter()
        .enumerate()
        .map(|(k, (_, node))| {
            let mut found = BTreeSet::new();
            if let Some(node) = node {
                node.each_of(&mut |node| read(node, &by_name, &mut found));
            }
            found.retain(|other| *other < k || !outer(all[*other].0));
            found
        })
        .collect();
    let mut missing: Vec<usize> = reads.iter().map(BTreeSet::len).collect();
    let mut readers = vec![Vec::new(); all.len()];
    for (k, reads) in reads.iter().enumerate() {
        for other in reads {
            readers[*other].push(k);
        }
    }
    let mut ready: BTreeSet<usize> = (0..all.len()).filter(|k| missing[*k] == 0).collect();
    let mut order = Vec::with_capacity(all.len());
    while let Some(next) = ready.pop_first() {
        order.push(next);
        for reader in &readers[next] {
            missing[*reader] -= 1;
            if missing[*reader] == 0 {
                ready.insert(*reader);
            }
        }
    }
    let circle = circle(&reads, &missing);
    (order, circle)
}

/// The names that a text reads in `${…}`.
fn read(node: &Node, by_name: &BTreeMap<&str, usize>, found: &mut BTreeSet<usize>) {
    let Some(text) = node.as_str() else { return };
    for part in text.split("${").skip(1) {
        let words = part.split('}').next().unwrap_or_default();
        let _ = names::replaced(words, &mut |name, is_call| {
            if !is_call && let Some(k) = by_name.get(name) {
                found.insert(*k);
            }
            None
        });
    }
}

/// A path of values that read one another, back to its first.
fn circle(reads: &[BTreeSet<usize>], missing: &[usize]) -> Vec<usize> {
    let waits = |k: &usize| missing[*k] > 0;
    let Some(first) = (0..reads.len()).find(waits) else {
        return Vec::new();
    };
    // Whoever waits reads somebody who waits; the path comes back before all have been seen.
    let mut path = vec![first];
    let mut at: BTreeMap<usize, usize> = BTreeMap::from([(first, 0)]);
    while let Some(next) = path
        .last()
        .and_then(|k| reads[*k].iter().copied().find(waits))
    {
        path.push(next);
        if let Some(from) = at.insert(next, path.len() - 1) {
            return path.split_off(from);
        }
    }
    Vec::new()
}
