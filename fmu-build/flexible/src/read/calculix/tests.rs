#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

const DECK: &str = "*NODE\n5,0,0,0\n9,1,0,0\n10,1,0,0\n*RIGID BODY,NSET=A,REF NODE=9,ROT NODE=10\n";
const DOF: &str = "5.1\n5.2\n9.3\n10.2\n";
const STI: &str = "1 1  2.0000000000000e+00\n1 2 -1.0\n2 2 3.0\n3 3 4.0\n2 4 0.5\n4 4 5.0\n";
const MAS: &str = "1 1 1.0\n2 2 1.0\n3 3 1.0\n4 4 1.0\n";

/// The job with one file replaced.
fn job(ending: &str, text: &str) -> Result<Opened, ReadError> {
    read(Path::new("job.sti"), None, &|path: &Path| {
        let own = path.extension().unwrap().to_str().unwrap();
        let known = [("inp", DECK), ("dof", DOF), ("sti", STI), ("mas", MAS)];
        let found = known.iter().find(|(known, _)| *known == own).unwrap().1;
        Ok(if own == ending { text } else { found }.to_owned())
    })
}

#[test]
fn rotations_of_a_rigid_body_are_those_of_its_reference_node() {
    let model = job("", "").unwrap().model;
    let unknowns: Vec<_> = model
        .unknowns
        .iter()
        .map(|u| (model.nodes[u.node].id, u.direction))
        .collect();
    assert_eq!(unknowns, [(5, 0), (5, 1), (9, 2), (9, 4)]);
    let entries: Vec<_> = model.stiffness.entries().collect();
    assert_eq!(entries[1], (0, 1, -1.0));
    assert_eq!(entries[4], (1, 3, 0.5));
    assert_eq!(model.mass.values, [1.0; 4]);
    let names: Vec<_> = model
        .sources
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["job.inp", "job.dof", "job.sti", "job.mas"]);
    assert_eq!(
        model.sources[3].1,
        fixstep_kernel::fingerprint::Fingerprint::of(MAS.as_bytes())
    );
}

#[test]
fn what_is_wrong_names_its_line() {
    let cases = [
        ("dof", "5.1\n6.1\n", "job.dof: line 2: there is no node 6"),
        (
            "dof",
            "5.1\n5.4\n",
            "line 2: \"5.4\" is not `node.direction`",
        ),
        ("dof", "5.1\n5.1\n", "line 2: 5.1 is already in line 1"),
        ("dof", "", "job.dof: is empty"),
        (
            "sti",
            "1 1 2\n1 2 nan\n",
            "job.sti: line 2: \"nan\" is not a finite number",
        ),
        ("sti", "1 1 2\n2 1 4\n", "line 2: row 2 is below column 1"),
        (
            "sti",
            "1 5 2\n",
            "line 1: column: \"5\" is not an equation from 1 to 4",
        ),
        ("sti", "1 1 2 3\n", "line 1: \"3\" follows"),
        ("sti", "1 1\n", "line 1: \"\" is not a finite"),
        ("sti", "1 1 2\n1 1 2\n", "line 2: entry 1 1 appears twice"),
        (
            "sti",
            &STI[..STI.len() - 1],
            "line 6: the last line does not end",
        ),
        (
            "mas",
            "1 1 1\n2 2 1\n",
            "job.mas: there is no diagonal entry for equation 3 of 4 (node 9, direction 3)",
        ),
    ];
    for (ending, text, message) in cases {
        let error = job(ending, text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
