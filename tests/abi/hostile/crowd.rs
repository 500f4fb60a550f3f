//! Instances of both versions, made and freed in any order by several threads, each call by whichever thread comes.
//! Every one of them goes the way that a single one goes, bit for bit.

use std::sync::Mutex;

use super::chance::Chance;
use super::number;
use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{OK, World};

/// Calls of each thread; `FIXSTEP_CALLS` asks for another number.
const CALLS: u64 = 4000;
const THREADS: u64 = 4;
/// Longest life \[steps\].
const LIFE: usize = 60;
/// Communication step \[s\].
const H: f64 = 0.01;

/// An instance on its way from thread to thread.
enum Own<'w> {
    Two(Fmu2<'w>),
    Three(Fmu3<'w>),
}

struct Moving<'w> {
    own: Own<'w>,
    steps: usize,
}

// SAFETY: an instance belongs to no thread; calls on it never overlap, since who calls has it to itself.
unsafe impl Send for Moving<'_> {}

impl<'w> Moving<'w> {
    fn new(world: &'w World, chance: &mut Chance) -> Self {
        let own = if chance.one_in(2) {
            Own::Two(Fmu2::started(world))
        } else {
            Own::Three(Fmu3::started(world))
        };
        Self { own, steps: 0 }
    }

    /// One step under an input that depends on its number only; the angle's bits.
    fn step(&mut self) -> u64 {
        let (torque, time) = ((self.steps % 7) as f64 - 3.0, self.steps as f64 * H);
        self.steps += 1;
        match &self.own {
            Own::Two(fmu) => {
                assert_eq!(fmu.set_real("torque", torque), OK);
                assert_eq!(fmu.step(time, H), OK, "{}", fmu.log.last());
                fmu.real("angle").to_bits()
            }
            Own::Three(fmu) => {
                assert_eq!(fmu.set_real("torque", torque), OK);
                assert_eq!(fmu.step(time, H).status, OK, "{}", fmu.log.last());
                fmu.real("angle").to_bits()
            }
        }
    }

    /// Back to the beginning.
    fn reset(&mut self) {
        match &self.own {
            Own::Two(fmu) => {
                assert_eq!(call2!(fmu, fmi2Reset), OK);
                fmu.start();
            }
            Own::Three(fmu) => {
                assert_eq!(call3!(fmu, fmi3Reset), OK);
                fmu.start();
            }
        }
        self.steps = 0;
    }
}

#[test]
fn instances_go_from_thread_to_thread() {
    let world = World::new("crowd");
    let mut single = Moving::new(&world, &mut Chance::new(1));
    let expected: Vec<u64> = (0..LIFE).map(|_| single.step()).collect();
    let crowd: Mutex<Vec<Moving<'_>>> = Mutex::default();
    let work = |seed: u64| {
        let mut chance = Chance::new(seed);
        for _ in 0..number("FIXSTEP_CALLS", CALLS) {
            let taken = {
                let mut crowd = crowd.lock().unwrap();
                let n = crowd.len();
                (n > 0 && !chance.one_in(20)).then(|| crowd.swap_remove(chance.below(n)))
            };
            let mut one = taken.unwrap_or_else(|| Moving::new(&world, &mut chance));
            if one.steps == LIFE || chance.one_in(200) {
                one.reset();
            }
            let at = one.steps;
            assert_eq!(one.step(), expected[at], "step {at}");
            let mut crowd = crowd.lock().unwrap();
            if crowd.len() < 12 {
                crowd.push(one);
            }
            // Else it is freed here, by whoever came last.
        }
    };
    std::thread::scope(|scope| {
        for seed in 0..THREADS {
            let work = &work;
            scope.spawn(move || work(seed));
        }
    });
}
