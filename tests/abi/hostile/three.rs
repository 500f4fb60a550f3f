//! Random and invalid calls of the functions of FMI 3.0, with a callback that calls the FMU again.

use std::ptr;

use super::between::{BETWEEN, Between, update};
use super::{Arrays, Chance, Phase, Running, Score, check_memory, check_run};
use crate::alone::alone_unless_watched;
use crate::client3::{Functions, I, logger};
use crate::library::library;
use crate::world::{Log, OK, World, c};

/// Everything that calls are drawn from.
struct Caller<'w> {
    world: &'w World,
    functions: Functions,
    chance: Chance,
    arrays: Arrays,
    score: Score,
    instances: Vec<Running>,
}

/// Calls a function and scores it.
macro_rules! turn {
    ($self:ident, $function:ident, $($arg:expr),*) => {{
        // SAFETY: arrays have room for any count that is drawn; instances live.
        let status = unsafe { ($self.functions.$function)($($arg),*) };
        $self.score.add(stringify!($function), status);
        status
    }};
}

impl Caller<'_> {
    fn instantiate(&mut self) {
        let log = Box::<Log>::default();
        let token = if self.chance.wild(10) {
            "other"
        } else {
            &self.world.token
        };
        let resources = format!("{}/", self.world.resources.display());
        let (name, token, resources) = (c("x%sx"), c(token), c(&resources));
        let name = self.chance.maybe(name.as_ptr());
        let token = self.chance.maybe(token.as_ptr());
        let place = self.chance.maybe(resources.as_ptr());
        self.draw(&["angle", "torque"]);
        let n = if self.chance.one_in(4) {
            self.chance.count()
        } else {
            0
        };
        let [logging, early] = [2, 2].map(|n| self.chance.one_in(n));
        let events = self.chance.wild(20);
        let told = (!self.chance.one_in(10)).then_some(logger as _);
        let update = self.chance.one_in(2).then_some(update as _);
        let wanted = self.chance.maybe(self.arrays.references.as_ptr());
        let environment: I = ptr::from_ref(&*log).cast_mut().cast();
        // SAFETY: all arguments outlive the call; the log outlives the instance.
        let made = unsafe {
            (self.functions.fmi3InstantiateCoSimulation)(
                name,
                token,
                place,
                false,
                logging,
                events,
                early,
                wanted,
                n,
                environment,
                told,
                update,
            )
        };
        if !made.is_null() {
            self.instances.push(Running::new(made, log));
        }
    }

    fn free(&mut self, which: usize) {
        let old = self.instances.swap_remove(which);
        // SAFETY: it lives, and is forgotten here.
        unsafe { (self.functions.fmi3FreeInstance)(old.instance) };
        old.check();
    }

    /// One call on one of the instances.
    fn call(&mut self) {
        self.chance.breathe();
        if self.instances.is_empty() || self.instances.len() < 4 && self.chance.one_in(50) {
            self.instantiate();
        }
        if self.instances.is_empty() {
            return;
        }
        let which = self.chance.below(self.instances.len());
        if self.chance.one_in(500) {
            return self.free(which);
        }
        let instance = self.instances[which].instance;
        let instance = self.chance.maybe(instance).cast_mut();
        match self.chance.below(6) {
            0 => self.life(instance, which),
            1 => self.states(instance, which),
            2 | 3 => self.step(instance, which),
            4 => self.values(instance, which),
            _ => self.derivatives(instance, which),
        }
    }

    /// Draws arrays, with references to some of these variables.
    fn draw(&mut self, names: &[&str]) {
        let suitable: Vec<u32> = names
            .iter()
            .map(|name| self.world.reference(name))
            .collect();
        let variables = self.world.table.variables.len();
        self.arrays.draw(&mut self.chance, &suitable, variables);
    }

    /// The next call of a life that goes as it should, or one of many.
    fn life(&mut self, i: I, which: usize) {
        self.draw(&["torque"]);
        let (flag, x, y) = (self.arrays.flags[0], self.chance.real(), self.chance.real());
        let n = self.chance.count();
        let wild = self.chance.wild(2);
        let run = &mut self.instances[which];
        match run.phase {
            _ if wild => {}
            Phase::Fresh => {
                run.clock = 0.0;
                let status = turn!(
                    self,
                    fmi3EnterInitializationMode,
                    i,
                    false,
                    0.0,
                    0.0,
                    false,
                    0.0
                );
                run.note(status, Phase::Initializing);
                return;
            }
            Phase::Initializing => {
                run.note(turn!(self, fmi3ExitInitializationMode, i), Phase::Stepping);
                return;
            }
            Phase::Stepping if !self.chance.one_in(20) => return,
            Phase::Stepping => {
                run.note(turn!(self, fmi3Terminate, i), Phase::Broken);
                return;
            }
            Phase::Broken => {
                run.note(turn!(self, fmi3Reset, i), Phase::Fresh);
                return;
            }
        }
        let texts = self.chance.maybe(self.arrays.pointers.as_ptr());
        let size = self.chance.maybe_mut(self.arrays.sizes.as_mut_ptr());
        let a = &mut self.arrays;
        match self.chance.below(11) {
            0 => turn!(self, fmi3SetDebugLogging, i, flag, n, texts),
            1 => turn!(self, fmi3EnterInitializationMode, i, flag, x, x, flag, y),
            2 => turn!(self, fmi3ExitInitializationMode, i),
            3 => turn!(self, fmi3Terminate, i),
            4 => turn!(self, fmi3SetTime, i, x),
            5 => turn!(self, fmi3GetNumberOfContinuousStates, i, size),
            6 => turn!(self, fmi3EnterConfigurationMode, i),
            7 => turn!(self, fmi3EnterEventMode, i),
            8 => turn!(self, fmi3EnterStepMode, i),
            9 => turn!(self, fmi3ActivateModelPartition, i, a.references[0], x),
            _ => {
                let clocks = self.chance.maybe_mut(a.flags.as_mut_ptr());
                turn!(self, fmi3GetClock, i, a.references.as_ptr(), n, clocks)
            }
        };
    }

    fn step(&mut self, i: I, which: usize) {
        if self.chance.calm && self.instances[which].phase != Phase::Stepping {
            return;
        }
        let clock = self.instances[which].clock;
        let current = if self.chance.wild(20) {
            self.chance.real()
        } else {
            clock
        };
        let h = self.chance.step();
        let mut flags = [false; 3];
        let [events, ends, early] = flags.each_mut().map(|flag| self.chance.maybe_mut(flag));
        let mut last = clock;
        let time = self.chance.maybe_mut(&raw mut last);
        BETWEEN.set(Some(Between {
            functions: self.functions,
            instance: i,
            chance: Chance::new(self.chance.next()),
            calm: self.chance.calm,
            references: ["angle", "torque"].map(|name| self.world.reference(name)),
        }));
        let status = turn!(
            self, fmi3DoStep, i, current, h, true, events, ends, early, time
        );
        BETWEEN.set(None);
        let run = &mut self.instances[which];
        if status == OK && !flags[1] {
            run.clock = last;
        } else {
            run.phase = Phase::Broken;
        }
    }

    fn values(&mut self, i: I, which: usize) {
        let n = self.chance.count();
        let kinds = if self.chance.calm { 10 } else { 12 };
        let kind = self.chance.below(kinds);
        let start = matches!(
            self.instances[which].phase,
            Phase::Fresh | Phase::Initializing
        );
        if self.chance.calm && (kind % 2 == 1 && kind > 1) != start && kind > 1 {
            return;
        }
        self.draw(match kind {
            0 | 1 => &["torque", "friction"],
            2 => &["solver.steps", "solver.fixit"],
            3 => &["solver.fixit", "solver.hratio"],
            4 | 5 => &["rti.include_first_step"],
            6 | 7 => &["solver.pattern"],
            _ => &["solver.integrator"],
        });
        let m = self.chance.like(n);
        let a = &mut self.arrays;
        let refs = self.chance.maybe(a.references.as_ptr());
        let reals = self.chance.maybe(a.reals.as_ptr());
        let integers = self.chance.maybe(a.integers.as_ptr());
        let texts = self.chance.maybe(a.pointers.as_ptr());
        let to = self.chance.maybe_mut(a.results.as_mut_ptr());
        let kinds = self.chance.maybe_mut(a.kinds.as_mut_ptr());
        let flags = self.chance.maybe_mut(a.flags.as_mut_ptr());
        let longs = self.chance.maybe_mut(a.longs.as_mut_ptr());
        let status = match kind {
            0 => turn!(self, fmi3GetFloat64, i, refs, n, to, m),
            1 => turn!(self, fmi3SetFloat64, i, refs, n, reals, m),
            2 => turn!(self, fmi3GetInt32, i, refs, n, kinds, m),
            3 => turn!(self, fmi3SetInt32, i, refs, n, integers, m),
            4 => turn!(self, fmi3GetBoolean, i, refs, n, flags, m),
            5 => turn!(self, fmi3SetBoolean, i, refs, n, flags.cast_const(), m),
            6 => turn!(self, fmi3GetString, i, refs, n, a.pointers.as_mut_ptr(), m),
            7 => turn!(self, fmi3SetString, i, refs, n, texts, m),
            8 => turn!(self, fmi3GetInt64, i, refs, n, longs, m),
            9 => turn!(self, fmi3SetInt64, i, refs, n, longs.cast_const(), m),
            10 => turn!(self, fmi3GetFloat32, i, refs, n, to.cast(), m),
            _ => turn!(self, fmi3GetUInt64, i, refs, n, longs.cast(), m),
        };
        self.after(which, status);
    }

    fn derivatives(&mut self, i: I, which: usize) {
        if self.chance.calm && self.instances[which].phase != Phase::Stepping {
            return;
        }
        let (n, m, kind) = (
            self.chance.count(),
            self.chance.count(),
            self.chance.below(5),
        );
        self.draw(&["angle", "speed", "doubled"]);
        if self.chance.calm {
            self.arrays.more = [self.world.reference("torque"); super::ROOM];
            self.arrays.integers = [1; super::ROOM];
        }
        let [like_n, like_m] = [n, m].map(|n| self.chance.like(n));
        let a = &mut self.arrays;
        let refs = self.chance.maybe(a.references.as_ptr());
        let more = self.chance.maybe(a.more.as_ptr());
        let reals = self.chance.maybe(a.reals.as_ptr());
        let orders = self.chance.maybe(a.integers.as_ptr());
        let to = self.chance.maybe_mut(a.results.as_mut_ptr());
        let status = match kind {
            0 => turn!(
                self,
                fmi3GetDirectionalDerivative,
                i,
                refs,
                n,
                more,
                m,
                reals,
                like_m,
                to,
                like_n
            ),
            1 => turn!(
                self,
                fmi3GetAdjointDerivative,
                i,
                refs,
                n,
                more,
                m,
                reals,
                like_n,
                to,
                like_m
            ),
            2 => turn!(
                self,
                fmi3GetOutputDerivatives,
                i,
                refs,
                n,
                orders,
                to,
                like_n
            ),
            _ => return self.dependencies(i, which),
        };
        self.after(which, status);
    }

    fn dependencies(&mut self, i: I, which: usize) {
        let mut n = self.chance.count();
        let count = self.chance.one_in(2);
        let a = &mut self.arrays;
        let one = a.references[0];
        if self.chance.calm {
            n = self.world.table.variables[one as usize].dependencies.len();
        }
        let sizes = self.chance.maybe_mut(a.sizes.as_mut_ptr());
        let elements = self.chance.maybe_mut(a.elements.as_mut_ptr());
        let kinds = self.chance.maybe_mut(a.kinds.as_mut_ptr());
        let others = self.chance.maybe_mut(a.more.as_mut_ptr());
        let status = if count {
            turn!(self, fmi3GetNumberOfVariableDependencies, i, one, sizes)
        } else {
            turn!(
                self,
                fmi3GetVariableDependencies,
                i,
                one,
                sizes,
                others,
                elements,
                kinds,
                n
            )
        };
        self.after(which, status);
    }

    /// An error ends a run.
    fn after(&mut self, which: usize, status: i32) {
        if status > 2 {
            self.instances[which].phase = Phase::Broken;
        }
    }

    fn states(&mut self, i: I, which: usize) {
        let mut known = self.instances[which]
            .states
            .last()
            .copied()
            .unwrap_or(ptr::null_mut());
        if self.chance.wild(10) {
            // A state of nobody: it is looked up, never followed.
            known = ptr::without_provenance_mut(self.chance.pick(&[1, 77, usize::MAX]));
        }
        let mut state = known;
        let mut size = 0;
        match self.chance.below(6) {
            0 => {
                if self.chance.one_in(2) {
                    state = ptr::null_mut();
                }
                if turn!(self, fmi3GetFMUState, i, &raw mut state) == 0 {
                    self.instances[which].states.push(state);
                }
            }
            1 => {
                if turn!(self, fmi3SetFMUState, i, state) == 0 {
                    // Whatever it was saved in; the clock is the instance's own.
                    let mut time = f64::NAN;
                    let reference = self.world.reference("time");
                    turn!(
                        self,
                        fmi3GetFloat64,
                        i,
                        &raw const reference,
                        1,
                        &raw mut time,
                        1
                    );
                    self.instances[which].clock = time;
                    self.instances[which].phase = Phase::Stepping;
                }
            }
            2 => {
                let place = self.chance.maybe_mut(&raw mut state);
                if turn!(self, fmi3FreeFMUState, i, place) == 0 {
                    self.instances[which].states.retain(|s| *s != known);
                }
            }
            _ => {
                let place = self.chance.maybe_mut(&raw mut size);
                turn!(self, fmi3SerializedFMUStateSize, i, state, place);
                let size = size.min(self.arrays.bytes.len());
                let short = self.chance.like(size).min(size);
                let to = self.chance.maybe_mut(self.arrays.bytes.as_mut_ptr());
                turn!(self, fmi3SerializeFMUState, i, state, to, short);
                if self.chance.wild(2) && size > 0 {
                    let at = self.chance.below(size);
                    self.arrays.bytes[at] ^= self.chance.next() as u8;
                }
                let from = self.arrays.bytes.as_ptr();
                let mut new = ptr::null_mut();
                if turn!(self, fmi3DeserializeFMUState, i, from, short, &raw mut new) == 0 {
                    self.instances[which].states.push(new);
                }
            }
        }
        if self.instances[which].states.len() > 20 {
            let mut oldest = self.instances[which].states.remove(0);
            let own = self.instances[which].instance;
            turn!(self, fmi3FreeFMUState, own, &raw mut oldest);
        }
    }
}

#[test]
fn any_calls_of_fmi_3_in_any_order_are_survived() {
    let name = "hostile::three::any_calls_of_fmi_3_in_any_order_are_survived";
    alone_unless_watched(name, any_calls);
}

fn any_calls() {
    let world = World::new("hostile3");
    let before = check_run(&world);
    let mut caller = Caller {
        world: &world,
        functions: Functions::of(library()),
        chance: Chance::new(3),
        arrays: Arrays::new(),
        score: Score::default(),
        instances: Vec::new(),
    };
    check_memory(|n| {
        for _ in 0..n {
            caller.call();
        }
        while !caller.instances.is_empty() {
            caller.free(0);
        }
    });
    caller.score.check(&[
        "fmi3SetTime",
        "fmi3GetNumberOfContinuousStates",
        "fmi3EnterConfigurationMode",
        "fmi3EnterEventMode",
        "fmi3EnterStepMode",
        "fmi3ActivateModelPartition",
        "fmi3GetClock",
    ]);
    assert_eq!(check_run(&world), before);
}
