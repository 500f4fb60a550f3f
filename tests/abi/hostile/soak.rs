//! A long run of a crane under random inputs. At random times its state is saved, disturbed, restored, serialised or
//! moved to a new instance. An undisturbed twin runs beside it through the other version of the interface. Both give
//! the same bits at every step, and the memory in use does not grow.

use std::ffi::c_void;
use std::path::Path;
use std::ptr;

use super::chance::Chance;
use super::{number, resident};
use crate::alone::alone_unless_watched;
use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{OK, World, folder};

/// Steps; `FIXSTEP_STEPS` asks for another number.
const STEPS: u64 = 20_000;
/// Communication step \[s\].
const H: f64 = 0.005;
/// What an allocator keeps for itself \[pages\].
const SLACK: usize = 256;

/// Numbers of the variables with these names.
fn references(world: &World, names: &[&str]) -> Vec<u32> {
    names.iter().map(|name| world.reference(name)).collect()
}

/// The run that is disturbed.
struct Run<'w> {
    world: &'w World,
    fmu: Fmu3<'w>,
    chance: Chance,
    bytes: Vec<u8>,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    disturbances: u64,
}

impl Run<'_> {
    fn set(&self, values: [f64; 2]) {
        let (list, n) = (self.inputs.as_ptr(), self.inputs.len());
        let status = call3!(self.fmu, fmi3SetFloat64, list, n, values.as_ptr(), n);
        assert_eq!(status, OK, "{}", self.fmu.log.last());
    }

    fn get(&self, to: &mut [f64]) {
        let (list, n) = (self.outputs.as_ptr(), self.outputs.len());
        let status = call3!(self.fmu, fmi3GetFloat64, list, n, to.as_mut_ptr(), n);
        assert_eq!(status, OK, "{}", self.fmu.log.last());
    }

    fn save(&self) -> *mut c_void {
        let mut state = ptr::null_mut();
        assert_eq!(call3!(self.fmu, fmi3GetFMUState, &raw mut state), OK);
        state
    }

    fn restore(&self, mut state: *mut c_void) {
        assert_eq!(call3!(self.fmu, fmi3SetFMUState, state), OK);
        assert_eq!(call3!(self.fmu, fmi3FreeFMUState, &raw mut state), OK);
    }

    /// Steps that shall leave no trace, from step k on.
    fn astray(&mut self, k: u64) {
        for more in 0..=self.chance.below(3) as u64 {
            let target = self.chance.pick(&[0.0, 15.0]);
            self.set([target, 50.0]);
            let end = self.fmu.step((k + more) as f64 * H, H);
            assert_eq!(end.status, OK, "{}", self.fmu.log.last());
        }
    }

    /// The state as bytes, and a state of these bytes.
    fn as_bytes(&mut self, mut state: *mut c_void) {
        let mut size = 0;
        let fmu = &self.fmu;
        assert_eq!(
            call3!(fmu, fmi3SerializedFMUStateSize, state, &raw mut size),
            OK
        );
        self.bytes.resize(size, 0);
        let to = self.bytes.as_mut_ptr();
        assert_eq!(call3!(fmu, fmi3SerializeFMUState, state, to, size), OK);
        assert_eq!(call3!(fmu, fmi3FreeFMUState, &raw mut state), OK);
    }

    fn of_bytes(&self) -> *mut c_void {
        let (mut state, fmu) = (ptr::null_mut(), &self.fmu);
        let (from, size) = (self.bytes.as_ptr(), self.bytes.len());
        let made = call3!(fmu, fmi3DeserializeFMUState, from, size, &raw mut state);
        assert_eq!(made, OK, "{}", fmu.log.last());
        state
    }

    /// Something that must not be seen in what follows step k.
    fn disturb(&mut self, k: u64) {
        self.disturbances += 1;
        let state = self.save();
        match self.chance.below(100) {
            0 => {
                // On in a new instance.
                self.as_bytes(state);
                self.fmu = Fmu3::started(self.world);
                self.restore(self.of_bytes());
            }
            1..30 => {
                self.as_bytes(state);
                self.astray(k);
                self.restore(self.of_bytes());
            }
            30..35 => {
                self.astray(k);
                assert_eq!(call3!(self.fmu, fmi3Reset), OK);
                self.fmu.start();
                self.restore(state);
            }
            35..70 => {
                self.astray(k);
                self.restore(state);
            }
            _ => self.restore(state),
        }
    }
}

#[test]
fn a_long_run_is_not_disturbed_by_saves_and_restores() {
    let name = "hostile::soak::a_long_run_is_not_disturbed_by_saves_and_restores";
    alone_unless_watched(name, long_run);
}

fn long_run() {
    let steps = number("FIXSTEP_STEPS", STEPS);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/overhead_crane/model.json");
    let text = std::fs::read_to_string(path).unwrap();
    let world = World::at(folder("soak").join("resources"), &text);
    let inputs = references(&world, &["target", "wind"]);
    let outputs = references(
        &world,
        &["trolley_position", "load_position", "sway", "rope_force"],
    );
    let twin = Fmu2::started(&world);
    let mut run = Run {
        fmu: Fmu3::started(&world),
        world: &world,
        chance: Chance::new(number("FIXSTEP_SEED", 3)),
        bytes: Vec::new(),
        inputs,
        outputs,
        disturbances: 0,
    };
    let mut values = [vec![0.0; run.outputs.len()], vec![0.0; run.outputs.len()]];
    let mut drawn = [10.0, 0.0];
    let mut before = 0;
    for k in 0..steps {
        if k == steps / 5 {
            before = resident();
        }
        if run.chance.one_in(40) {
            let unit = (run.chance.next() >> 11) as f64 / (1_u64 << 53) as f64;
            drawn = [5.0 + 10.0 * unit, run.chance.pick(&[0.0, 400.0, -900.0])];
        }
        if run.chance.one_in(25) {
            run.disturb(k);
        }
        run.set(drawn);
        let (list, n, time) = (run.inputs.as_ptr(), run.inputs.len(), k as f64 * H);
        assert_eq!(call2!(twin, fmi2SetReal, list, n, drawn.as_ptr()), OK);
        assert_eq!(
            run.fmu.step(time, H).status,
            OK,
            "step {k}: {}",
            run.fmu.log.last()
        );
        assert_eq!(twin.step(time, H), OK, "step {k}: {}", twin.log.last());
        let (list, n) = (run.outputs.as_ptr(), run.outputs.len());
        run.get(&mut values[0]);
        assert_eq!(
            call2!(twin, fmi2GetReal, list, n, values[1].as_mut_ptr()),
            OK
        );
        let bits = values.each_ref().map(|all| all.iter().map(|x| x.to_bits()));
        let [disturbed, undisturbed] = bits;
        assert!(disturbed.eq(undisturbed), "step {k}: {values:?}");
        if k.is_multiple_of(1000) {
            twin.log.clear();
            run.fmu.log.clear();
        }
        if k > 0 && k.is_multiple_of(1_000_000) {
            println!(
                "{k} steps, {} disturbances, {} pages",
                run.disturbances,
                resident()
            );
        }
    }
    let after = resident();
    println!(
        "{steps} steps, {} disturbances, {before} pages, then {after}",
        run.disturbances
    );
    assert!(after <= before + SLACK, "{before} pages, then {after}");
}
