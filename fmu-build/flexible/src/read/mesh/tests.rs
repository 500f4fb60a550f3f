#![expect(clippy::unwrap_used, reason = "tests")]

use super::super::deck::tests::deck;
use super::*;

fn mesh(text: &str) -> Result<Mesh, ReadError> {
    Mesh::of(&deck(&[("a.inp", text)])?)
}

const NODES: &str = "*NODE, NSET=all\n1,0,0,0\n2,1.,0,0\n3,1,1\n7,0,1,0,\n900,0,0,0\n901\n";

#[test]
fn nodes_sets_and_rigid_bodies() {
    let more = "*NSET, NSET=Ends\n1, 3,\n*NSET, NSET=b, GENERATE\n2, 8\n*NSET,NSET=ENDS\nb, 900\n\
                *NSET,NSET=odd,GENERATE\n1,7,2\n*RIGID BODY, NSET=B, REF NODE=900, ROT NODE=901\n";
    let mesh = mesh(&format!("{NODES}{more}")).unwrap();
    assert_eq!(mesh.nodes.len(), 6);
    assert_eq!(mesh.nodes[2].position, Vec3::new(1.0, 1.0, 0.0));
    let set = |name: &str| {
        let found = mesh.sets.iter().find(|(known, _)| known == name);
        found
            .unwrap()
            .1
            .iter()
            .map(|k| mesh.nodes[*k].id)
            .collect::<Vec<_>>()
    };
    assert_eq!(set("ALL").len(), 6);
    assert_eq!(set("B"), [2, 3, 7]);
    assert_eq!(set("ENDS"), [1, 2, 3, 7, 900]);
    assert_eq!(set("ODD"), [1, 3, 7]);
    assert_eq!(mesh.rotations, BTreeMap::from([(901, 900)]));
}

#[test]
fn elements_go_on_in_the_next_line() {
    let text = format!("{NODES}*ELEMENT, TYPE=S4R\n1, 1,2,\n3,7\n*ELEMENT, TYPE=XQ9\n1,2\n");
    let mesh = mesh(&text).unwrap();
    assert_eq!(mesh.drawn.edges, [[0, 1], [0, 3], [1, 2], [2, 3]]);
    assert_eq!(mesh.notes, ["elements XQ9 are not drawn"]);
}

#[test]
fn errors_name_file_and_line() {
    let cases = [
        ("*HEADING\n", "a.inp: has no *NODE"),
        (
            "*NODE\n1,0,0,nan\n",
            "line 2: node 1: z: \"nan\" is not a finite",
        ),
        ("*NODE\nx,0,0,0\n", "line 2: node: \"x\" is not a whole"),
        (
            "*NODE\n1,0,0,0\n1,0,0,1\n",
            "line 3: node 1 is already defined elsewhere",
        ),
        ("*NODE, SYSTEM=C\n1,0,0,0\n", "line 1: *NODE has a SYSTEM"),
        (
            "*NODE\n1,0,0,0\n*NSET,NSET=A\n2\n",
            "line 4: there is no node 2",
        ),
        (
            "*NODE\n1,0,0,0\n*NSET,NSET=A\nB\n",
            "line 4: there is no set \"B\"",
        ),
        ("*NODE\n1,0,0,0\n*NSET\n1\n", "line 3: *NSET has no"),
        (
            "*NODE\n1,0,0,0\n*NSET,NSET=A,GENERATE\n5,1\n",
            "line 4: the last node 1 is below",
        ),
        (
            "*NODE\n1,0,0,0\n*ELEMENT,TYPE=B31\n4,1,3\n",
            "line 4: there is no node 3",
        ),
        (
            "*NODE\n1,0,0,0\n*ELEMENT,TYPE=B31\n4,1\n",
            "line 4: element 4 of type B31 has 1",
        ),
        ("*NODE\n1,0,0,0\n*TRANSFORM,NSET=A\n", "line 3: *TRANSFORM"),
        (
            "*NODE\n1,0,0,0\n*INSTANCE,NAME=A\n1,0,0\n",
            "line 3: *INSTANCE moves",
        ),
        (
            "*NODE\n1,0,0,0\n*RIGID BODY,NSET=A,REF NODE=1\n",
            "line 3: *RIGID BODY needs",
        ),
        (
            "*NODE\n1,0,0,0\n*RIGID BODY,REF NODE=2\n",
            "line 3: REF NODE=\"2\" is not a node",
        ),
    ];
    for (text, message) in cases {
        let error = mesh(text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
