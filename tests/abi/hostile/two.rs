//! Random and invalid calls of the functions of FMI 2.0.

use std::ptr;

use super::{Arrays, Chance, Phase, Running, Score, check_memory, check_run};
use crate::alone::alone_unless_watched;
use crate::client2::{C, Functions, callbacks, uri};
use crate::library::library;
use crate::world::{Log, World, c};

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
        let mut callbacks = callbacks(&log);
        if self.chance.one_in(10) {
            callbacks.logger = None;
        }
        let token = if self.chance.wild(10) {
            "other"
        } else {
            &self.world.token
        };
        let (name, token, resources) = (c("x%sx"), c(token), uri(self.world));
        let kind = i32::from(!self.chance.wild(20));
        let logging = i32::from(self.chance.one_in(2));
        let name = self.chance.maybe(name.as_ptr());
        let token = self.chance.maybe(token.as_ptr());
        let place = self.chance.maybe(resources.as_ptr());
        let callbacks = self.chance.maybe(&raw const callbacks);
        // SAFETY: all arguments outlive the call; the log outlives the instance.
        let made = unsafe {
            (self.functions.fmi2Instantiate)(name, kind, token, place, callbacks, 0, logging)
        };
        if !made.is_null() {
            self.instances.push(Running::new(made, log));
        }
    }

    fn free(&mut self, which: usize) {
        let old = self.instances.swap_remove(which);
        // SAFETY: it lives, and is forgotten here.
        unsafe { (self.functions.fmi2FreeInstance)(old.instance) };
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
    fn life(&mut self, i: C, which: usize) {
        self.draw(&["torque"]);
        let (flag, x, y) = (
            self.arrays.integers[0],
            self.chance.real(),
            self.chance.real(),
        );
        let n = self.chance.count();
        let wild = self.chance.wild(2);
        let run = &mut self.instances[which];
        match run.phase {
            _ if wild => {}
            Phase::Fresh => {
                turn!(self, fmi2SetupExperiment, i, 0, 0.0, 0.0, 0, 0.0);
                run.clock = 0.0;
                run.note(
                    turn!(self, fmi2EnterInitializationMode, i),
                    Phase::Initializing,
                );
                return;
            }
            Phase::Initializing => {
                run.note(turn!(self, fmi2ExitInitializationMode, i), Phase::Stepping);
                return;
            }
            Phase::Stepping if !self.chance.one_in(20) => return,
            Phase::Stepping => {
                run.note(turn!(self, fmi2Terminate, i), Phase::Broken);
                return;
            }
            Phase::Broken => {
                run.note(turn!(self, fmi2Reset, i), Phase::Fresh);
                return;
            }
        }
        let texts = self.chance.maybe(self.arrays.pointers.as_ptr());
        let to = self.chance.maybe_mut(self.arrays.results.as_mut_ptr());
        match self.chance.below(8) {
            0 => turn!(self, fmi2SetDebugLogging, i, flag, n, texts),
            1 => turn!(self, fmi2SetupExperiment, i, flag, x, x, flag, y),
            2 => turn!(self, fmi2EnterInitializationMode, i),
            3 => turn!(self, fmi2ExitInitializationMode, i),
            4 => turn!(self, fmi2Terminate, i),
            5 => turn!(self, fmi2SetTime, i, x),
            6 => turn!(self, fmi2GetDerivatives, i, to, n),
            _ => turn!(self, fmi2NewDiscreteStates, i, ptr::null_mut()),
        };
    }

    fn step(&mut self, i: C, which: usize) {
        if self.chance.calm && self.instances[which].phase != Phase::Stepping {
            return;
        }
        let kind = self.chance.pick(&[0, 1, 2, 3, -7]);
        let to = &mut self.arrays;
        match self.chance.below(if self.chance.calm { 32 } else { 8 }) {
            0 if !self.chance.calm => {
                turn!(self, fmi2CancelStep, i);
                turn!(
                    self,
                    fmi2GetStatus,
                    i,
                    kind,
                    self.chance.maybe_mut(to.kinds.as_mut_ptr())
                );
            }
            1 => {
                let place = self.chance.maybe_mut(to.results.as_mut_ptr());
                turn!(self, fmi2GetRealStatus, i, kind, place);
            }
            2 if !self.chance.calm => {
                let place = self.chance.maybe_mut(to.kinds.as_mut_ptr());
                turn!(self, fmi2GetBooleanStatus, i, kind, place);
                turn!(self, fmi2GetIntegerStatus, i, kind, place);
                let text = self.chance.maybe_mut(to.pointers.as_mut_ptr());
                turn!(self, fmi2GetStringStatus, i, kind, text);
            }
            _ => {
                let clock = self.instances[which].clock;
                let current = if self.chance.wild(20) {
                    self.chance.real()
                } else {
                    clock
                };
                let h = self.chance.step();
                let status = turn!(self, fmi2DoStep, i, current, h, 1);
                let run = &mut self.instances[which];
                if status == 0 {
                    run.clock = current + h;
                } else {
                    run.phase = Phase::Broken;
                }
            }
        }
    }

    fn values(&mut self, i: C, which: usize) {
        let n = self.chance.count();
        let kind = self.chance.below(8);
        let start = matches!(
            self.instances[which].phase,
            Phase::Fresh | Phase::Initializing
        );
        if self.chance.calm && (kind % 2 == 1 && kind > 1) != start && kind > 1 {
            return;
        }
        self.draw(match kind {
            0 => &[
                "torque",
                "angle",
                "speed",
                "mass",
                "energy.kinetic",
                "rti.last",
                "time",
            ],
            1 => &["torque", "friction"],
            2 => &["solver.steps", "solver.fixit", "solver.integrator"],
            3 => &["solver.fixit", "solver.hratio"],
            4 | 5 => &["rti.include_first_step"],
            _ => &["solver.pattern"],
        });
        let a = &mut self.arrays;
        let refs = self.chance.maybe(a.references.as_ptr());
        let reals = self.chance.maybe(a.reals.as_ptr());
        let integers = self.chance.maybe(a.integers.as_ptr());
        let texts = self.chance.maybe(a.pointers.as_ptr());
        let to = self.chance.maybe_mut(a.results.as_mut_ptr());
        let kinds = self.chance.maybe_mut(a.kinds.as_mut_ptr());
        let status = match kind {
            0 => turn!(self, fmi2GetReal, i, refs, n, to),
            1 => turn!(self, fmi2SetReal, i, refs, n, reals),
            2 => turn!(self, fmi2GetInteger, i, refs, n, kinds),
            3 => turn!(self, fmi2SetInteger, i, refs, n, integers),
            4 => turn!(self, fmi2GetBoolean, i, refs, n, kinds),
            5 => turn!(self, fmi2SetBoolean, i, refs, n, integers),
            6 => turn!(self, fmi2GetString, i, refs, n, a.pointers.as_mut_ptr()),
            _ => turn!(self, fmi2SetString, i, refs, n, texts),
        };
        self.after(which, status);
    }

    fn derivatives(&mut self, i: C, which: usize) {
        if self.chance.calm && self.instances[which].phase != Phase::Stepping {
            return;
        }
        let (n, m, kind) = (
            self.chance.count(),
            self.chance.count(),
            self.chance.below(3),
        );
        self.draw(if kind == 1 {
            &["torque"]
        } else {
            &["angle", "speed", "doubled"]
        });
        if self.chance.calm {
            self.arrays.more = [self.world.reference("torque"); super::ROOM];
            self.arrays.integers = [1; super::ROOM];
        }
        let a = &mut self.arrays;
        let refs = self.chance.maybe(a.references.as_ptr());
        let more = self.chance.maybe(a.more.as_ptr());
        let reals = self.chance.maybe(a.reals.as_ptr());
        let orders = self.chance.maybe(a.integers.as_ptr());
        let to = self.chance.maybe_mut(a.results.as_mut_ptr());
        let status = match kind {
            0 => turn!(
                self,
                fmi2GetDirectionalDerivative,
                i,
                refs,
                n,
                more,
                m,
                reals,
                to
            ),
            1 => turn!(self, fmi2SetRealInputDerivatives, i, refs, n, orders, reals),
            _ => turn!(self, fmi2GetRealOutputDerivatives, i, refs, n, orders, to),
        };
        self.after(which, status);
    }

    /// An error ends a run.
    fn after(&mut self, which: usize, status: i32) {
        if status > 2 {
            self.instances[which].phase = Phase::Broken;
        }
    }

    fn states(&mut self, i: C, which: usize) {
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
                if turn!(self, fmi2GetFMUstate, i, &raw mut state) == 0 {
                    self.instances[which].states.push(state);
                }
            }
            1 => {
                if turn!(self, fmi2SetFMUstate, i, state) == 0 {
                    // Whatever it was saved in; the clock is the instance's own.
                    let mut time = f64::NAN;
                    let reference = self.world.reference("time");
                    turn!(self, fmi2GetReal, i, &raw const reference, 1, &raw mut time);
                    self.instances[which].clock = time;
                    self.instances[which].phase = Phase::Stepping;
                }
            }
            2 => {
                let place = self.chance.maybe_mut(&raw mut state);
                if turn!(self, fmi2FreeFMUstate, i, place) == 0 {
                    self.instances[which].states.retain(|s| *s != known);
                }
            }
            _ => {
                let place = self.chance.maybe_mut(&raw mut size);
                turn!(self, fmi2SerializedFMUstateSize, i, state, place);
                let size = size.min(self.arrays.bytes.len());
                let short = self.chance.like(size).min(size);
                let to = self.chance.maybe_mut(self.arrays.bytes.as_mut_ptr()).cast();
                turn!(self, fmi2SerializeFMUstate, i, state, to, short);
                if self.chance.wild(2) && size > 0 {
                    let at = self.chance.below(size);
                    self.arrays.bytes[at] ^= self.chance.next() as u8;
                }
                let from = self.arrays.bytes.as_ptr().cast();
                let mut new = ptr::null_mut();
                if turn!(self, fmi2DeSerializeFMUstate, i, from, short, &raw mut new) == 0 {
                    self.instances[which].states.push(new);
                }
            }
        }
        if self.instances[which].states.len() > 20 {
            let mut oldest = self.instances[which].states.remove(0);
            let own = self.instances[which].instance;
            turn!(self, fmi2FreeFMUstate, own, &raw mut oldest);
        }
    }
}

#[test]
fn any_calls_of_fmi_2_in_any_order_are_survived() {
    let name = "hostile::two::any_calls_of_fmi_2_in_any_order_are_survived";
    alone_unless_watched(name, any_calls);
}

fn any_calls() {
    let world = World::new("hostile2");
    let before = check_run(&world);
    let mut caller = Caller {
        world: &world,
        functions: Functions::of(library()),
        chance: Chance::new(2),
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
        "fmi2CancelStep",
        "fmi2GetStatus",
        "fmi2GetIntegerStatus",
        "fmi2GetStringStatus",
        "fmi2SetTime",
        "fmi2GetDerivatives",
        "fmi2NewDiscreteStates",
    ]);
    assert_eq!(check_run(&world), before);
}
