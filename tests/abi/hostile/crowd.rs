//! Tests with instances of both versions that several threads make and free in any order, each call from any thread.
//! Every instance gives the results of a single one, bit for bit.

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};

use super::chance::Chance;
use super::number;
use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{OK, World};

/// Calls of each thread; `FIXSTEP_CALLS` asks for another number.
const CALLS: u64 = 4000;
/// One for each thread.
const SEEDS: [u64; 4] = [0, 1, 2, 3];
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

// SAFETY: an instance belongs to no thread; calls on it never overlap, since each caller has it to itself.
unsafe impl Send for Moving<'_> {}

/// A lock in this program's own code: ThreadSanitizer does not see those of the standard library, which is
/// not built for it, and would take every instance that is handed over for a race.
struct Lock<T> {
    taken: AtomicBool,
    content: UnsafeCell<T>,
}

// SAFETY: the content is reached by whoever has taken the lock alone.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// Does something with the content, alone.
    fn alone<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        while self.taken.swap(true, Ordering::Acquire) {
            spin_loop();
        }
        // SAFETY: it was free and is taken by this thread now.
        let result = work(unsafe { &mut *self.content.get() });
        self.taken.store(false, Ordering::Release);
        result
    }
}

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
    let crowd = Lock {
        taken: AtomicBool::new(false),
        content: UnsafeCell::new(Vec::<Moving<'_>>::new()),
    };
    let work = |seed: u64| {
        let mut chance = Chance::new(seed);
        for _ in 0..number("FIXSTEP_CALLS", CALLS) {
            let taken = crowd.alone(|crowd| {
                let n = crowd.len();
                (n > 0 && !chance.one_in(20)).then(|| crowd.swap_remove(chance.below(n)))
            });
            let mut one = taken.unwrap_or_else(|| Moving::new(&world, &mut chance));
            if one.steps == LIFE || chance.one_in(200) {
                one.reset();
            }
            let at = one.steps;
            assert_eq!(one.step(), expected[at], "step {at}");
            // One too many is freed here, by whoever came last.
            drop(crowd.alone(|crowd| {
                crowd.push(one);
                (crowd.len() > 12).then(|| crowd.swap_remove(0))
            }));
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads = SEEDS.map(|seed| scope.spawn(move || work(seed)));
        // The end of a scope is the standard library's too.
        for thread in threads {
            thread.join().unwrap();
        }
    });
}
